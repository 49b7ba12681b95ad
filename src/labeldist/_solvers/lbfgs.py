"""Limited-memory BFGS over a matrix, by SciPy, with a stopping rule relative to the scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from labeldist._typing import Array

# Number of curvature pairs. More pairs cost little compared with a gradient, and save many.
CORRECTIONS = 30


@dataclass(frozen=True)
class LBFGSSolution:
    """Result of `minimize_lbfgs`."""

    X: Array  # best point found
    value: float  # function value at X
    gradient: float  # largest absolute entry of the gradient at X, relative to that at zero
    n_iter: int
    converged: bool  # whether `gradient` is within the tolerance or no lower value could be found


def minimize_lbfgs(
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    start: Array,
    *,
    tol: float = 1e-8,
    max_iter: int = 50_000,
    at_zero: tuple[float, Array] | None = None,
    first_step: float = 1.0,
) -> LBFGSSolution:
    """Minimise a smooth function f of a matrix X of any shape.

    ``value_and_gradient(X)`` returns f(X) and ∇f(X). `at_zero` is f(0) and ∇f(0), if they are
    known; `first_step` is the length of the first step that is tried. Stop if the largest absolute
    entry of ∇f(X) is at most `tol` times the largest of ∇f(0). An iteration costs about one value
    and gradient plus 4·30·size multiplications.
    """
    at_zero = at_zero or value_and_gradient(np.zeros_like(start))
    scale = float(np.abs(at_zero[1]).max(initial=0.0)) or 1.0
    if not start.size:
        return LBFGSSolution(start, at_zero[0], 0.0, 0, converged=True)

    def flat(x: Array, unit: float) -> tuple[float, Array]:
        # Most searches start at zero, where the function has already been evaluated.
        value, gradient = value_and_gradient(unit * x.reshape(start.shape)) if x.any() else at_zero
        return value, unit * gradient.ravel()

    x = start.ravel()
    n_iter = 0
    value = gradient = np.inf
    unit = first_step or 1.0  # SciPy tries a first step of length one
    while True:
        options: Any = {
            "maxcor": CORRECTIONS,
            "maxiter": max_iter - n_iter,
            "maxfun": 2 * max_iter + 20,
            "gtol": tol * scale * unit,
            "ftol": 0.0,  # a small step does not imply a small distance to the minimum
        }
        result = minimize(flat, x / unit, (unit,), jac=True, method="L-BFGS-B", options=options)
        x = result.x * unit
        n_iter += result.nit
        previous = value, gradient
        value = float(result.fun)
        gradient = float(np.abs(result.jac).max()) / (scale * unit)
        unit = 1.0
        # Near the minimum a stale curvature model can end the line search. Restart there with a new
        # model; if that finds nothing better either, the remaining distance is below rounding.
        converged = gradient <= tol or not (value, gradient) < previous
        if converged or n_iter >= max_iter:
            X = x.reshape(start.shape)
            return LBFGSSolution(X, value, gradient, n_iter, converged)
