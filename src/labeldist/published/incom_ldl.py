"""IncomLDL: linear predictions of low rank from incomplete distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._typing import Array
from labeldist.published._incomplete_degrees import ColumnSpace, minimize_incomplete
from labeldist.published._linear_learner import Floor, LinearLearner
from labeldist.published._proximal import shrink_singular_values
from labeldist.simplex import project

Solver = Literal["admm", "apg"]


class IncomLDL(LinearLearner):
    """Label distribution learning from incomplete distributions, by low rank (IncomLDL).

    With Ω = 1 for observed and 0 for missing degrees, and P = XW + 1bᵀ, it minimises over W and b

        ½‖Ω∘(P − D)‖² + λ‖P‖_*  subject to rows of P that are distributions.

    The nuclear norm ‖P‖_*, the sum of the singular values, favours predictions of low rank.

    Parameters
    ----------
    low_rank : float, default=1.0
        λ. The authors choose it from 2⁻¹⁰, …, 2¹⁰.
    solver : {"admm", "apg"}, default="admm"
        ``"admm"``: alternating direction method of multipliers, which finds the minimum. ``"apg"``:
        accelerated proximal gradient with a projection after each step, as published. It is faster,
        but may not reach the minimum.
    floor : float or "auto", default="auto"
        Predicted degrees below it are raised to it before a row is divided by its sum. ``"auto"``
        is a tenth of the uniform degree, 0.1 / n_labels.
    tol : float, default=1e-4
        Relative tolerance of the residuals (``"admm"``) or of the change of P in a step
        (``"apg"``).
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts b.
    floor_ : float
        Floor of `predict`.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    WInLDL : Weights that depend on the degrees, instead of low rank.
    WSLDLMCSC : Missing degrees of rows that are fitted together, without a rule for new rows.

    Notes
    -----
    Missing degrees are NaN. Complete rows are divided by their sums. The degrees of a row with NaN
    are not; they sum to at most one. Rows without any degree count in the nuclear norm and the
    constraints.

    The objective is from the paper. The intercept makes the constraints feasible. The units of
    the features have no effect. The published ADMM solves for W by least squares from the copy on
    the simplex. This is not a step of the method: it may end above the minimum, or at negative
    degrees. ``"admm"`` has one copy for each of both terms instead. The published ``"apg"`` has a
    line search; here the step follows from an orthonormal basis of the features. Predictions of new
    rows may be negative, so they are projected. A very large λ makes all rows uniform.

    References
    ----------
    M. Xu, Z.-H. Zhou. Incomplete label distribution learning. IJCAI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import IncomLDL
    >>> X, D = make_artificial(500, random_state=0)
    >>> D[np.random.default_rng(0).random(D.shape) < 0.5] = np.nan
    >>> IncomLDL().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.32, 0.34, 0.34]])
    """

    _constraints = {"solver": [StrOptions({"admm", "apg"})]}
    _accepts_missing = True

    def __init__(
        self,
        low_rank: float = 1.0,
        *,
        solver: Solver = "admm",
        floor: Floor = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.low_rank = low_rank
        self.solver = solver
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Array, D: Array) -> None:
        space = ColumnSpace.of(X)
        observed = np.where(np.isnan(D), 0.0, 1.0)
        solve: Any = minimize_incomplete if self.solver == "admm" else descend
        solution = solve(
            space, np.nan_to_num(D), observed, self.low_rank, tol=self.tol, max_iter=self.max_iter
        )
        self._store(*space.coefficients(solution.x), space.mean, solution)


@dataclass(frozen=True)
class DescentSolution:
    """Result of `descend`."""

    x: Array  # scores Y, (n, c)
    n_iter: int
    converged: bool


def descend(
    space: ColumnSpace, D: Array, observed: Array, low_rank: float, *, tol: float, max_iter: int
) -> DescentSolution:
    """Approach the minimum by accelerated proximal gradients, with a projection after each step.

    The objective is as in `minimize_incomplete`, with weights 1 for observed and 0 for missing
    degrees. In the orthonormal basis the curvature of the loss is at most 1, which gives the step,
    and the nuclear norm of the coefficients is the norm of Y. Stop if a step changes Y by at most
    tol·‖Y‖.
    """
    basis = space.basis
    W = basis.T @ np.full_like(D, 1 / D.shape[1])
    ahead = W
    momentum = 1.0
    for n_iter in range(1, max_iter + 1):
        gradient = basis.T @ (observed * (basis @ ahead - D))
        shrunken = shrink_singular_values(ahead - gradient, low_rank)
        before = W
        W = basis.T @ project(basis @ shrunken)
        converged = bool(np.linalg.norm(W - before) <= tol * np.linalg.norm(W))
        if converged or n_iter == max_iter:
            break
        previous = momentum
        momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = W + (previous - 1) / momentum * (W - before)
    return DescentSolution(basis @ W, n_iter, converged)
