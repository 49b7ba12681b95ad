"""Regressors of the scores of BayesLE, with predictions of left-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from labeldist._solvers.leave_one_out import LeaveOneOutRidge
from labeldist._typing import Array
from labeldist._validation import weights_for
from labeldist.features import KernelFeatures

N_LANDMARKS = 1_000
CHOOSE_EVERY = 5  # EM iterations between two choices of the penalty
REFIT_EVERY = 6  # EM iterations between two fits of another regressor, which may be slow
FOLDS = 5


class KernelScores:
    """Kernel ridge regression of the scores, with leave-one-out predictions in closed form."""

    ridge: float

    def __init__(self, X: Array, weight: Array, seed: int) -> None:
        self.features = KernelFeatures(n_components=N_LANDMARKS, random_state=seed).fit(X)
        self.weight = weight
        self._solver = LeaveOneOutRidge(self.features.transform(X), weight)

    def __call__(self, scores: Array, iteration: int) -> Array:
        """Return the scores of each row, predicted from the other rows, (n_labels, n_rows)."""
        choose = iteration % CHOOSE_EVERY == 0
        fit = self._solver.fit_best(scores.T) if choose else self._solver.fit(scores.T, self.ridge)
        self.ridge, self.coef, self.intercept = fit.ridge, fit.coef, fit.intercept
        self.explained = _explained(scores, fit.left_out.T, self.weight)
        return fit.left_out.T.copy()

    def finish(self) -> None:
        """Keep only what predictions of new rows need."""
        del self._solver, self.weight

    def predict(self, X: Array) -> Array:
        """Return the scores of new rows, (n_labels, n_rows)."""
        return (self.features.transform(X) @ self.coef + self.intercept).T


class CrossFittedScores:
    """Any multi-output regressor of scikit-learn, each row predicted by a fit on the other folds."""

    def __init__(self, regressor: Any, X: Any, weight: Array, seed: int) -> None:
        self.X, self.weight = X, weight
        self.regressor = clone(regressor)
        self.folds = list(KFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(weight))))

    def __call__(self, scores: Array, iteration: int) -> Array:
        """Return the scores of each row, predicted from the other folds, (n_labels, n_rows)."""
        self.scores = scores
        if iteration % REFIT_EVERY == 0:
            self.predicted = np.empty_like(scores)
            for train, test in self.folds:
                fitted = self._fit(clone(self.regressor), train)
                self.predicted[:, test] = fitted.predict(self.X[test]).T
            self.explained = _explained(scores, self.predicted, self.weight)
        return self.predicted.copy()

    def _fit(self, regressor: Any, rows: Any) -> Any:
        rows = rows[self.weight[rows] > 0]
        return regressor.fit(self.X[rows], self.scores[:, rows].T, **weights_for(regressor, self.weight[rows]))

    def finish(self) -> None:
        """Fit on all rows, and keep only what predictions of new rows need."""
        self._fit(self.regressor, np.arange(len(self.weight)))
        del self.X, self.scores, self.predicted, self.folds

    def predict(self, X: Any) -> Array:
        """Return the scores of new rows, (n_labels, n_rows)."""
        return np.asarray(self.regressor.predict(X)).T


def _explained(scores: Array, predicted: Array, weight: Array) -> float:
    """Return the share of the variance of the scores that predictions of left-out rows explain."""
    average = (scores @ weight / weight.sum())[:, None]
    residual, total = ((scores - predicted) ** 2) @ weight, ((scores - average) ** 2) @ weight
    return float(1 - residual.sum() / total.sum()) if total.any() else 0.0
