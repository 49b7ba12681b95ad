"""Convex quadratic functions over x ≥ 1: an active-set method, and conjugate gradients where that finds no end."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._typing import Array

ACTIVE_SET_STEPS = 50
"""The active-set method ends after some ten steps, or runs in circles."""


@dataclass(frozen=True)
class BoundedMinimum:
    """What the functions here return.

    Attributes
    ----------
    x : ndarray of shape (n,)
    violation : float
        Largest violation of the conditions for a minimum (see `minimize_bounded`), over the largest row sum of |A|.
    converged : bool
        Whether `violation` is within the tolerance.
    """

    x: Array
    violation: float
    converged: bool


def minimize_bounded(A: Any, *, tol: float = 1e-10) -> BoundedMinimum:
    """Minimise ``½ xᵀAx`` over x ≥ 1 for a sparse symmetric positive semidefinite A.

    x is a minimum if and only if the gradient g = Ax vanishes wherever x > 1 and is nowhere negative. The active-set
    method settles nearly every problem in some ten steps; where it fails, projected conjugate gradients take over.

    Parameters
    ----------
    A : sparse array of shape (n, n)
    tol : float
        Largest violation allowed, as a share of the largest row sum of |A|, which no entry of A1 exceeds.
    """
    found = by_active_set(A, tol)
    return found if found.converged else by_conjugate_gradients(A, tol)


def by_active_set(A: Any, tol: float) -> BoundedMinimum:
    """Guess which entries are free, solve for them, and guess again by the signs of what comes out [1]_.

    With F the free entries and B the bound ones, x_F solves A_FF x_F = −A_FB 1. An entry stays free while it is above
    1, and becomes free when its gradient is negative. When nothing changes, the conditions for a minimum hold. Each
    step costs |F|³/3 multiplications. It is a Newton method, and like one may run in circles.

    References
    ----------
    .. [1] M. Hintermüller, K. Ito, K. Kunisch. The primal-dual active set strategy as a semismooth Newton method. SIAM
       Journal on Optimization 13, 2002.
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
        if failed:  # A_FF is singular: some rows are tied to none that is bound
            return BoundedMinimum(x, np.inf, converged=False)
        g = A @ x
    return _judged(A, x, free, tol)


def by_conjugate_gradients(A: Any, tol: float, max_iter: int = 100_000) -> BoundedMinimum:
    """Run conjugate gradients over the free entries, and change which are free as bounds are met (MPRGP [1]_).

    Where a step meets a bound, it goes as far as it may and then a projected gradient step, which can bind many entries
    at once; where the bound entries' negative gradient outweighs the rest, it frees them. It converges for every A.

    References
    ----------
    .. [1] Z. Dostál, J. Schöberl. Minimizing quadratic functions subject to bound constraints with the rate of
       convergence and finite termination. Computational Optimization and Applications 30, 2005.
    """
    x = np.ones(A.shape[0])
    free = np.zeros(len(x), dtype=bool)
    g = A @ x
    largest = _largest_row_sum(A)
    goal, step = tol * largest, 1 / largest  # no longer than 1/‖A‖
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
    return _judged(A, x, free, tol)


def _split(g: Array, free: Array) -> tuple[Array, Array]:
    """Return what of the gradient must vanish: all of it where x is free, its negative part where x is bound."""
    return np.where(free, g, 0.0), np.where(free, 0.0, np.minimum(g, 0.0))


def _judged(A: Any, x: Array, free: Array, tol: float) -> BoundedMinimum:
    """Measure the violation: of the gradient's conditions, and of the bounds themselves."""
    on_free, on_bound = _split(A @ x, free)
    violation = max(np.abs(on_free).max(), -on_bound.min()) / _largest_row_sum(A)
    return BoundedMinimum(x, float(violation), bool(violation <= tol and x.min() >= 1))


def _largest_row_sum(A: Any) -> float:
    return float(abs(A).sum(axis=1).max()) or 1.0
