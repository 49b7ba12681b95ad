"""Base classes of the published softmax learners: IterativeSoftmax and PenalisedSoftmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.scaling import column_means, largest_by_column
from labeldist._solvers.softmax_loss import (
    CrossEntropy,
    ValueAndGradient,
    precondition,
    preconditioner,
    squared_norm,
)
from labeldist._solvers.sparse_or_dense import append_ones, hold_for_products
from labeldist._typing import Array
from labeldist.learning._learner import report_convergence
from labeldist.learning._softmax_learner import SoftmaxLearner
from labeldist.published._softmax_terms import DivergenceTerm, SoftmaxObjective, Terms

# Tolerance of the convex problem whose solution starts the search of another one.
START_TOLERANCE = 1e-2

Penalties = list[tuple[float, ValueAndGradient]]  # each penalty with its strength


class IterativeSoftmax(SoftmaxLearner):
    """Base class of the softmax learners that iterate on features with a column of ones."""

    fit_intercept: bool
    ridge: float = 0.0  # if it is not a parameter

    def _with_intercept_column(self, X: Any) -> tuple[Any, Array]:
        """Return X in its fastest storage and the center that was subtracted from it.

        With `fit_intercept`, X gets a column of ones. Dense features are centred, because a large
        shift would hide the variation of a feature in rounding errors.
        """
        X = hold_for_products(X)
        center = np.zeros(X.shape[1])
        if not self.fit_intercept:
            return X, center
        if isinstance(X, np.ndarray):
            center = column_means(X)
            X = X - center
        return append_ones(X), center

    def _ridge_by_column(self, columns: Any, X: Any) -> Array:
        """Return the ridge of each column, (m, 1).

        It is 0 for the intercept and for features of zeros, whose coefficients have no effect.
        """
        has_effect = largest_by_column(columns) > 0
        ridge = np.where(has_effect, self.ridge, 0.0)[:, None]
        ridge[X.shape[1] :] = 0
        return ridge

    def _store(self, W: Array, center: Array, n_iter: int, converged: bool) -> None:
        """Set `coef_`, `intercept_` and `n_iter_`, and warn if the search did not converge.

        `W` has one row per column of `_with_intercept_column`.
        """
        coefficients, intercept = np.split(W, [len(center)])
        self.coef_ = np.ascontiguousarray(coefficients.T)
        # Without an intercept the sum of no rows is zero.
        self.intercept_ = intercept.sum(axis=0) - coefficients.T @ center
        report_convergence(self, n_iter, converged)


class PenalisedSoftmax(IterativeSoftmax):
    """Base class of the learners that minimise terms of P = softmax(Xθ) and penalties of θ.

    `_terms` returns the terms, by default the cross-entropy, and `_penalties` the penalties.
    Neither the intercept nor features of zeros, whose coefficients have no effect, are penalised.
    If the objective is more than cross-entropy and ridge, which is convex, the search starts from
    the solution of that problem.
    """

    tol: float
    max_iter: int

    def _terms(self, D_T: Array, weight: Array) -> Terms:  # noqa: ARG002  # for subclasses
        """Return strengths and terms.

        `D_T` are the distributions, (n_labels, n_samples), and `weight` the weights of the
        samples, (n_samples,).
        """
        return [(1.0, DivergenceTerm(D_T))]

    def _penalties(self, total: float) -> Penalties:  # noqa: ARG002  # for subclasses
        """Return strengths and penalties; `total` is the sum of the weights of the samples."""
        return [(self.ridge / 2, squared_norm)]

    def _fit(self, X: Any, D: Array, weight: Array | None = None) -> None:
        X, center = self._with_intercept_column(X)
        counts = np.ones(len(D)) if weight is None else weight
        penalties = self._penalties(float(counts.sum()))
        ridge = [pair for pair in penalties if pair[1] is squared_norm]
        terms = self._terms(D.T.copy(), counts)
        has_further_terms = any(
            strength and not isinstance(term, DivergenceTerm) for strength, term in terms
        )
        has_further_penalties = any(
            strength and penalty is not squared_norm for strength, penalty in penalties
        )

        cross_entropy = CrossEntropy(X, D, weight)
        curvature = cross_entropy.curvature()
        penalised = np.flatnonzero(curvature.diagonal()[: len(center)] > 0)
        curvature[penalised, penalised] += 2 * sum(strength for strength, _ in ridge)
        T = preconditioner(curvature)

        loss = SoftmaxObjective(X, terms, counts) if has_further_terms else cross_entropy
        searches = [(PenalisedLoss(loss, penalties, penalised), self.tol)]
        if has_further_terms or has_further_penalties:
            convex = PenalisedLoss(cross_entropy, ridge, penalised)
            searches.insert(0, (convex, max(self.tol, START_TOLERANCE)))
        V = np.zeros((T.shape[1], D.shape[1]))
        n_iter = 0
        for objective, tol in searches:
            function = precondition(objective.value_and_gradient, T)
            solution = minimize_lbfgs(function, V, tol=tol, max_iter=max(self.max_iter - n_iter, 1))
            V = solution.X
            n_iter += solution.n_iter
        self._store(T @ V, center, n_iter, solution.converged)


@dataclass(frozen=True)
class PenalisedLoss:
    """A loss of θ plus penalties of some of its rows."""

    loss: CrossEntropy | SoftmaxObjective
    penalties: Penalties
    rows: NDArray[np.intp]  # positions of the penalised rows

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """Return the value at θ and the gradient."""
        value, gradient = self.loss.value_and_gradient(theta)
        for strength, penalty in self.penalties:
            size, slope = penalty(theta[self.rows])
            value += strength * size
            gradient[self.rows] += strength * slope
        return value, gradient
