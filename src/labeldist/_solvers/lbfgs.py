"""Limited-memory BFGS over a matrix, by SciPy, with a stopping rule that knows the problem's scale."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from labeldist._typing import Array

CORRECTIONS = 30
"""Curvature pairs kept. More of them cost little beside a gradient and save many gradients here."""


@dataclass(frozen=True)
class LBFGSSolution:
    """What `minimize_lbfgs` returns.

    Attributes
    ----------
    X : ndarray
        The best point found.
    value : float
        The function there.
    gradient : float
        Largest absolute entry of the gradient there, over that at the zero matrix.
    n_iter : int
    converged : bool
        Whether `gradient` is within the tolerance or nothing lower could be found; False if `max_iter` ended it.
    """

    X: Array
    value: float
    gradient: float
    n_iter: int
    converged: bool


def minimize_lbfgs(
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    start: Array,
    *,
    tol: float = 1e-8,
    max_iter: int = 50_000,
) -> LBFGSSolution:
    """Minimise a smooth function of a matrix.

    Parameters
    ----------
    value_and_gradient : callable
        ``value_and_gradient(X)`` returns the value and the gradient at X.
    start : ndarray
    tol : float
        Stop when the largest entry of the gradient is this share of what it is at the zero matrix.
    max_iter : int
        Stop after this many iterations.
    """
    at_zero = value_and_gradient(np.zeros_like(start))
    scale = float(np.abs(at_zero[1]).max(initial=0.0)) or 1.0
    if not start.size:
        return LBFGSSolution(start, at_zero[0], 0.0, 0, converged=True)

    def flat(x: Array) -> tuple[float, Array]:
        # Most searches start at zero, which has been looked at.
        value, gradient = value_and_gradient(x.reshape(start.shape)) if x.any() else at_zero
        return value, gradient.ravel()

    x, n_iter = start.ravel(), 0
    while True:
        result = minimize(
            flat,
            x,
            jac=True,
            method="L-BFGS-B",
            # ftol=0: on an ill-conditioned function a small step says nothing about the distance to the minimum.
            options={
                "maxcor": CORRECTIONS,
                "maxiter": max_iter - n_iter,
                "maxfun": 2 * max_iter + 20,
                "gtol": tol * scale,
                "ftol": 0.0,
            },
        )
        n_iter += result.nit
        gradient = float(np.abs(result.jac).max()) / scale
        # Close to the minimum a stale model of the curvature can end the line search, so a new one begins from there.
        # Where that finds nothing lower either, the rest of the way is below rounding.
        converged = gradient <= tol or result.nit == 0
        if converged or n_iter >= max_iter:
            return LBFGSSolution(result.x.reshape(start.shape), float(result.fun), gradient, n_iter, converged)
        x = result.x
