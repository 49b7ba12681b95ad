"""Maximum entropy models SA-BFGS and SA-IIS, and the base classes of all softmax learners."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from labeldist._compat import Interval
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import (
    CrossEntropy,
    Preconditioner,
    ScalingProblem,
    ValueAndGradient,
    scale_iteratively,
    squared_norm,
)
from labeldist._solvers.scaling import column_means, column_units, divide_columns, largest_by_column
from labeldist._solvers.softmax_terms import DivergenceTerm, SoftmaxObjective, Term
from labeldist._solvers.storage import hold_for_products
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin, linear_scores, report_convergence
from labeldist.simplex import softmax

START_TOLERANCE = 1e-2  # tolerance of the convex problem whose solution starts the search of another one


class SoftmaxLearner(DistributionLearner):
    """Base class of the learners whose model is P = softmax(XW + 1bᵀ)."""

    fit_intercept: bool
    ridge: float = 0.0  # if it is not a parameter

    def _predict(self, X: Any) -> Array:
        return softmax(linear_scores(X, self.coef_, self.intercept_))

    def _with_intercept_column(self, X: Any) -> tuple[Any, Array]:
        """Return X in its fastest storage, with a column of ones for an intercept, and the subtracted center."""
        X, center = hold_for_products(X), np.zeros(X.shape[1])
        if not self.fit_intercept:
            return X, center
        ones = np.ones((X.shape[0], 1))
        if not isinstance(X, np.ndarray):
            return sparse.hstack([X, sparse.csr_array(ones)], "csr"), center
        center = column_means(X)  # a large shift would hide the variation of a feature in rounding errors
        return np.hstack([X - center, ones]), center

    def _ridge_by_column(self, columns: Any, X: Any) -> Array:
        """Return the ridge of each column, (m, 1): 0 for the intercept, and for features of zeros, without effect."""
        ridge = np.where(largest_by_column(columns) > 0, self.ridge, 0.0)[:, None]
        ridge[X.shape[1] :] = 0
        return ridge

    def _store(self, W: Array, center: Array, n_iter: int, converged: bool) -> None:
        """Set `coef_`, `intercept_` and `n_iter_`, and warn if the search did not converge.

        `W` has one row per column of `_with_intercept_column`.
        """
        m = len(center)
        coefficients, intercept = W[:m], W[m] if len(W) > m else np.zeros(W.shape[1])
        self.coef_ = np.ascontiguousarray(coefficients.T)
        self.intercept_ = intercept - coefficients.T @ center
        report_convergence(self, n_iter, converged)


class PenalisedSoftmax(SoftmaxLearner):
    """Base class of the learners that minimise a sum of terms of P = softmax(Xθ) and of penalties of θ.

    The terms are those of `_terms`, by default the cross-entropy, and the penalties those of `_penalties`. Neither the
    intercept nor features of zeros, whose coefficients have no effect, are penalised. If the objective is more than
    cross-entropy and ridge, which is convex, the search starts from the solution of that problem.
    """

    tol: float
    max_iter: int

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, Term]]:  # noqa: ARG002  # for subclasses
        """Return strengths and terms for distributions D, (c, n), and weights of their rows, (n,), or None."""
        return [(1.0, DivergenceTerm(D))]

    def _penalties(self, total: float) -> list[tuple[float, ValueAndGradient]]:  # noqa: ARG002  # for subclasses
        """Return strengths and penalties; `total` is the number of rows, or the sum of their weights."""
        return [(self.ridge / 2, squared_norm)]

    def _fit(self, X: Any, D: Array, weight: Array | None = None) -> None:
        X, center = self._with_intercept_column(X)
        convex = CrossEntropy(X, D, None if weight is None else weight[:, None])
        curvature = convex.curvature()
        penalised = np.flatnonzero(curvature.diagonal()[: len(center)] > 0)
        total = float(len(D) if weight is None else weight.sum())
        penalties = [(strength, penalty) for strength, penalty in self._penalties(total) if strength]
        ridge = [(strength, penalty) for strength, penalty in penalties if penalty is squared_norm]
        curvature[penalised, penalised] += 2 * sum(strength for strength, _ in ridge)
        precondition = Preconditioner.of(curvature)
        terms = [(strength, term) for strength, term in self._terms(D.T.copy(), weight) if strength]
        plain = all(isinstance(term, DivergenceTerm) for _, term in terms)
        problems: list[tuple[Any, Any]] = [(convex, ridge)]
        if not plain or penalties != ridge:
            problems.append((convex if plain else SoftmaxObjective(X, terms, weight), penalties))

        def objective(W: Array, loss: Any, penalties: Any) -> tuple[float, Array]:
            value, gradient = loss.value_and_gradient(W)
            for strength, penalty in penalties:
                size, slope = penalty(W[penalised])
                value += strength * size
                gradient[penalised] += strength * slope
            return value, gradient

        V, n_iter = np.zeros((precondition.T.shape[1], D.shape[1])), 0
        for problem in problems:
            function = precondition.compose(partial(objective, loss=problem[0], penalties=problem[1]))
            tol = self.tol if problem is problems[-1] else max(self.tol, START_TOLERANCE)
            solution = minimize_lbfgs(function, V, tol=tol, max_iter=max(self.max_iter - n_iter, 1))
            V, n_iter = solution.X, n_iter + solution.n_iter
        self._store(precondition.T @ V, center, n_iter, solution.converged)


class SABFGS(SampleWeightMixin, PenalisedSoftmax):
    """Maximum entropy model of label distributions, fitted by a quasi-Newton method (SA-BFGS).

    P = softmax(XW) minimises the cross-entropy −ΣD log P, which is the Kullback-Leibler divergence from D to P plus a
    constant. The search is limited-memory BFGS in coordinates in which the features are uncorrelated.

    Parameters
    ----------
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised. The published model has none.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is at most this fraction of its value at W = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_, intercept_, n_iter_ : ndarray of shape (n_labels, n_features) and (n_labels,), int
        Coefficients Wᵀ, intercepts, zero without `fit_intercept`, and the number of iterations.

    See Also
    --------
    SAIIS : The same model, fitted by iterative scaling.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SABFGS
    >>> SABFGS().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    def __init__(self, *, fit_intercept: bool = False, tol: float = 1e-4, max_iter: int = 1000) -> None:
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None = None) -> None:
        unit = column_units(X)
        super()._fit(divide_columns(X, unit), D, weight)
        self.coef_ /= unit


class SAIIS(SampleWeightMixin, SoftmaxLearner):
    """Maximum entropy model of label distributions, fitted by improved iterative scaling (SA-IIS).

    The model and the minimum are those of `SABFGS`. Uncorrelated combinations of the features and Anderson
    acceleration save most of the hundreds to thousands of updates of plain scaling.

    Parameters
    ----------
    memory : int, default=20
        Number of updates that Anderson acceleration combines. 0 is the published, plain scaling of the features.
    fit_intercept, tol, max_iter : as in `SABFGS`
        The gradient of a coefficient is the violation of its constraint Σ p x = Σ d x.

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    SABFGS : The same model, fitted by a quasi-Newton method.

    References
    ----------
    X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE TPAMI 35(10), 2013.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SAIIS
    >>> SAIIS().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"memory": [Interval(Integral, 0, None, closed="left")]}

    def __init__(
        self, *, memory: int = 20, fit_intercept: bool = False, tol: float = 1e-4, max_iter: int = 1000
    ) -> None:
        self.memory, self.fit_intercept, self.tol, self.max_iter = memory, fit_intercept, tol, max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        unit = column_units(X)
        X, center = self._with_intercept_column(divide_columns(X, unit))
        row_weight = None if weight is None else weight[:, None]
        T = Preconditioner.of(CrossEntropy(X, D, row_weight).curvature()).T if self.memory else None
        problem = ScalingProblem(X if T is None else X @ T, D, row_weight)
        solution = scale_iteratively(problem, tol=self.tol, max_iter=self.max_iter, memory=self.memory)
        W = solution.W if T is None else T @ solution.W
        self._store(W, center, solution.n_iter, solution.converged)
        self.coef_ /= unit
