"""Convex quadratic problems: AX = B by conjugate gradients, and ½ xᵀAx over x ≥ 1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._typing import EPSILON, Array

ACTIVE_SET_STEPS = 50  # the active-set method takes about ten steps, or cycles for ever


@dataclass(frozen=True)
class ConjugateGradientSolution:
    """Result of `solve_conjugate_gradient`."""

    X: Array  # (n, c)
    residual: float  # largest ‖b_k − A x_k‖ / ‖b_k‖ over the columns, as updated by the recursion
    n_iter: int


def solve_conjugate_gradient(
    apply: Callable[[Array], Array], B: Array, *, tol: float = 4 * EPSILON, max_iter: int = 10_000
) -> ConjugateGradientSolution:
    """Solve ``A X = B`` for a symmetric positive definite A, given only products: ``apply(V)`` returns AV.

    Stop if ‖b_k − A x_k‖ ≤ tol·‖b_k‖ in every column k of B, which has shape (n, c). Each column has its own step
    lengths, but all columns share the products. The error falls by (√κ − 1)/(√κ + 1) per iteration, where κ is the
    condition number. For κ = 3 about thirty iterations reach the last digit.
    """
    X, R = np.zeros_like(B), B.copy()
    P = R.copy()
    squared = np.einsum("ij,ij->j", R, R)
    goal = tol**2 * squared
    n_iter = 0
    while (squared > goal).any() and n_iter < max_iter:
        AP = apply(P)
        step = _quotient(squared, np.einsum("ij,ij->j", P, AP))
        X += step * P
        R -= step * AP
        previous, squared = squared, np.einsum("ij,ij->j", R, R)
        P *= _quotient(squared, previous)
        P += R
        n_iter += 1
    residual = float(np.sqrt(_quotient(squared * tol**2, goal).max(initial=0.0)))
    return ConjugateGradientSolution(X, residual, n_iter)


def _quotient(numerator: Array, denominator: Array) -> Array:
    """Divide with 0/0 = 0, so that a column that is already solved does not change."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


@dataclass(frozen=True)
class BoundedMinimum:
    """Result of `minimize_bounded`."""

    x: Array  # (n,)
    violation: float  # largest violation of the conditions for a minimum, relative to the largest row sum of |A|
    converged: bool  # whether `violation` is within the tolerance and x ≥ 1


def minimize_bounded(A: Any, *, tol: float = 1e-10) -> BoundedMinimum:
    """Minimise ``½ xᵀAx`` over x ≥ 1 for a sparse symmetric positive semidefinite A.

    x is a minimum if and only if the gradient g = Ax vanishes where x > 1 and is nowhere negative. The active-set
    method solves nearly every problem in about ten steps. If it fails, projected conjugate gradients are used. `tol` is
    the largest allowed violation, relative to the largest row sum of |A|, which bounds the entries of A1.
    """
    found = by_active_set(A, tol)
    return found if found.converged else by_conjugate_gradients(A, tol)


def by_active_set(A: Any, tol: float) -> BoundedMinimum:
    """Alternate between a guess of the free entries and the solution for them.

    With free entries F and bound entries B, x_F solves A_FF x_F = −A_FB 1. An entry stays free while it is above 1 and
    becomes free if its gradient is negative. At a fixed point the conditions for a minimum hold. This semismooth Newton
    method (Hintermüller, Ito and Kunisch, SIAM Journal on Optimization 13, 2002) may cycle.
    """
    x = np.ones(A.shape[0])
    free = np.zeros(len(x), dtype=bool)
    g = A @ x
    goal = tol * _largest_row_sum(A)
    for _ in range(ACTIVE_SET_STEPS):
        guess = np.where(free, x > 1, g < -goal)
        if (guess == free).all():
            break
        free = guess
        x = np.ones(len(x))
        right = -(A @ np.where(free, 0.0, 1.0))[free]
        _, x[free], failed = linalg.lapack.dposv(A[free][:, free].toarray(order="F"), right, lower=True)
        if failed:  # A_FF is singular: some free entries are not connected to a bound entry
            return BoundedMinimum(x, np.inf, converged=False)
        g = A @ x
    return _bounded_minimum(A, x, free, tol)


def by_conjugate_gradients(A: Any, tol: float, max_iter: int = 100_000) -> BoundedMinimum:
    """Run conjugate gradients over the free entries and update the set of free entries (MPRGP).

    If a step reaches a bound, it stops there, and a projected gradient step follows, which can bind many entries. If
    the negative gradient of the bound entries outweighs the rest, a step frees them. The method converges for every A
    (Dostál and Schöberl, Computational Optimization and Applications 30, 2005).
    """
    x = np.ones(A.shape[0])
    free = np.zeros(len(x), dtype=bool)
    g = A @ x
    largest = _largest_row_sum(A)
    goal, step = tol * largest, 1 / largest  # the step must not exceed 1/‖A‖
    p = np.zeros(len(x))
    for _ in range(max_iter):
        on_free, on_bound = _split(g, free)
        if max(np.abs(on_free).max(), -on_bound.min()) <= goal:
            break
        if on_bound @ on_bound > np.minimum((x - 1) / step, on_free) @ on_free:
            Ap = A @ on_bound
            length = (g @ on_bound) / (on_bound @ Ap)
            x, g = x - length * on_bound, g - length * Ap
            free = x > 1
            p = _split(g, free)[0]
            continue
        Ap = A @ p
        curvature = p @ Ap
        length = (g @ p) / curvature
        falling = p > 0
        room = ((x[falling] - 1) / p[falling]).min(initial=np.inf)
        if length <= room:
            x, g = x - length * p, g - length * Ap
            on_free = _split(g, free)[0]
            p = on_free - (on_free @ Ap) / curvature * p
        else:
            on_free = _split(g - room * Ap, free)[0]
            x = np.maximum(x - room * p - step * on_free, 1.0)
            g = A @ x
            free = x > 1
            p = _split(g, free)[0]
    return _bounded_minimum(A, x, free, tol)


def _split(g: Array, free: Array) -> tuple[Array, Array]:
    """Return the parts of the gradient that must vanish: free entries, and negative bound entries."""
    return np.where(free, g, 0.0), np.where(free, 0.0, np.minimum(g, 0.0))


def _bounded_minimum(A: Any, x: Array, free: Array, tol: float) -> BoundedMinimum:
    on_free, on_bound = _split(A @ x, free)
    violation = max(np.abs(on_free).max(), -on_bound.min()) / _largest_row_sum(A)
    return BoundedMinimum(x, float(violation), bool(violation <= tol and x.min() >= 1))


def _largest_row_sum(A: Any) -> float:
    return float(abs(A).sum(axis=1).max()) or 1.0
