"""The alternating direction method of multipliers (ADMM)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import norm

from labeldist._float_limits import TINY
from labeldist._typing import Array

IMBALANCE = 10.0  # ρ changes if one residual is this many times the other
ROUNDING = 1e-14  # a relative change that may be due to rounding
START_PENALTY = 10.0  # initial ρ, in units of the weight of a norm
INNER_TOLERANCE = 1e-2  # of searches within an iteration, as a fraction of the tolerance of ADMM


@dataclass(frozen=True)
class ADMMSolution:
    """Result of `minimize_by_admm`."""

    x: Any
    z: Array
    multiplier: Array  # of a(x) = z: at the solution a subgradient of g at z
    n_iter: int
    converged: bool


def minimize_by_admm(
    update_x: Callable[[Array, float, Any], tuple[Any, Array]],
    update_z: Callable[[Array, float], Array],
    x: Any,
    z: Array,
    *,
    rho: float,
    tol: float,
    max_iter: int,
) -> ADMMSolution:
    """Minimise f(x) + g(z) subject to a(x) = z.

    ``update_x(T, rho, x)`` returns the x that minimises f(x) + ½ρ‖a(x) − T‖², where the last
    argument is the previous x, and a(x). ``update_z(T, rho)`` returns the z that minimises
    g(z) + ½ρ‖z − T‖². With the scaled multiplier U, an iteration is x from T = z − U, z from
    T = a(x) + U, and U increased by a(x) − z. ρ is doubled or halved if one residual outweighs
    the other. Stop if the primal residual ‖a(x) − z‖ is at most tol·‖a(x)‖, and the dual residual
    ρ‖z − z_before‖ at most tol times the norm of the multiplier, or tol²·ρ‖z‖ if the multiplier
    vanishes.
    """
    U = np.zeros_like(z)
    least = max(tol, ROUNDING / tol)
    for n_iter in range(1, max_iter + 1):
        x, image = update_x(z - U, rho, x)
        before = z
        z = update_z(image + U, rho)
        U = U + image - z
        primal = norm(image - z) / (norm(image) + TINY)
        dual = norm(z - before) / (max(norm(U), least * norm(z)) + TINY)
        converged = bool(max(primal, dual) <= tol)
        if converged or n_iter == max_iter:
            break
        if primal > IMBALANCE * dual:
            rho *= 2
            U /= 2
        elif dual > IMBALANCE * primal:
            rho /= 2
            U *= 2
    return ADMMSolution(x, z, rho * U, n_iter, converged)
