"""Regressors of the scores of BayesLE, with predictions of left-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from labeldist._folds import splitter_of
from labeldist._typing import Array
from labeldist._validation import weights_for
from labeldist.features import KernelFeatures

N_LANDMARKS = 1_000
CHOOSE_EVERY = 5  # EM iterations between two choices of the penalty
REFIT_EVERY = 6  # EM iterations between two fits of another regressor, which may be slow
FOLDS = 5

# Penalties for features of norm at most 1. With smaller ones, scores drawn around a prediction
# would confirm it.
RIDGES = np.geomspace(0.3, 300, 7)


@dataclass(frozen=True)
class KernelPredictor:
    """A fitted kernel ridge regression of the scores."""

    features: KernelFeatures
    coef: Array
    intercept: Array

    def predict(self, X: Array) -> Array:
        """Return the scores of new rows, (n_rows, n_labels)."""
        return self.features.transform(X) @ self.coef + self.intercept


class KernelScores:
    """Kernel ridge regression of the scores, with leave-one-out predictions in closed form."""

    last: RidgeFit

    def __init__(self, X: Array, weight: Array, seed: int) -> None:
        self.features = KernelFeatures(n_components=N_LANDMARKS, random_state=seed).fit(X)
        self.weight = weight
        self._solver = LeaveOneOutRidge(self.features.transform(X), weight)

    def __call__(self, scores: Array, iteration: int) -> Array:
        """Return the scores of each row, predicted from the other rows, (n_labels, n_rows)."""
        if iteration % CHOOSE_EVERY == 0:
            self.last = self._solver.fit_best(scores.T)
        else:
            self.last = self._solver.fit(scores.T, self.last.ridge)
        predicted = self.last.left_out.T
        self.explained = _explained(scores, predicted, self.weight)
        return predicted.copy()

    def predictor(self) -> KernelPredictor:
        """Return the last fit, for new rows."""
        return KernelPredictor(self.features, self.last.coef, self.last.intercept)


class CrossFittedScores:
    """Any multi-output regressor of scikit-learn, fitted on the other folds for each row."""

    def __init__(self, regressor: Any, X: Any, weight: Array, seed: int) -> None:
        self.X = X
        self.weight = weight
        self.regressor = regressor
        self.folds = list(splitter_of(FOLDS, seed).split(weight))

    def __call__(self, scores: Array, iteration: int) -> Array:
        """Return the scores of each row, predicted from the other folds, (n_labels, n_rows)."""
        self.scores = scores
        if iteration % REFIT_EVERY == 0:
            self.predicted = np.empty_like(scores)
            for train, test in self.folds:
                fitted = self._fit(train)
                self.predicted[:, test] = fitted.predict(self.X[test]).T
            self.explained = _explained(scores, self.predicted, self.weight)
        return self.predicted.copy()

    def _fit(self, rows: Any) -> Any:
        rows = rows[self.weight[rows] > 0]
        regressor = clone(self.regressor)
        weights = weights_for(regressor, self.weight[rows])
        return regressor.fit(self.X[rows], self.scores[:, rows].T, **weights)

    def predictor(self) -> Any:
        """Return a regressor for new rows, fitted on all rows."""
        return self._fit(np.arange(len(self.weight)))


def _explained(scores: Array, predicted: Array, weight: Array) -> float:
    """Return the share of the variance of the scores that predictions of left-out rows explain."""
    average = (scores @ weight / weight.sum())[:, None]
    residual = ((scores - predicted) ** 2 @ weight).sum()
    total = ((scores - average) ** 2 @ weight).sum()
    return float(1 - residual / total) if total else 0.0


@dataclass(frozen=True)
class RidgeFit:
    """Result of `LeaveOneOutRidge.fit`."""

    coef: Array  # B, (n_features, n_targets)
    intercept: Array  # a, (n_targets,)
    left_out: Array  # (n_rows, n_targets), prediction of each row by a fit without it
    ridge: float


class LeaveOneOutRidge:
    """Ridge regression of many targets on the same features, with leave-one-out predictions.

    It minimises Σ_i w_i ‖t_i − Bᵀx_i − a‖² + ridge·‖B‖² over B and a. With principal components P
    of the centred features and eigenvalues e, row i has the leverage h_i = w_i Σ_k p_ik²/(e_k +
    ridge) + w_i/Σw. The fit without row i predicts (f_i − h_i t_i)/(1 − h_i), where f_i is the
    fitted value. `features` has shape (n_rows, n_features), `weight` (n_rows,), and targets
    (n_rows, n_targets).
    """

    def __init__(self, features: Array, weight: Array) -> None:
        self.weight = weight
        self.total = weight.sum()
        self.center = weight @ features / self.total
        centered = features - self.center
        eigenvalues, self.axes = np.linalg.eigh((centered * weight[:, None]).T @ centered)
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self.components = centered @ self.axes
        self.squares = self.components**2

    def fit(self, targets: Array, ridge: float) -> RidgeFit:
        """Fit targets with the given penalty."""
        average = self.weight @ targets / self.total
        penalised = self.eigenvalues + ridge
        weighted = self.weight[:, None] * (targets - average)
        shrunk = self.components.T @ weighted / penalised[:, None]
        fitted = average + self.components @ shrunk
        leverage = self.weight * (self.squares @ (1 / penalised) + 1 / self.total)
        rest = np.maximum(1 - leverage, 1e-6)[:, None]
        left_out = (fitted - leverage[:, None] * targets) / rest
        coef = self.axes @ shrunk
        return RidgeFit(coef, average - self.center @ coef, left_out, ridge)

    def fit_best(self, targets: Array) -> RidgeFit:
        """Fit with the penalty of `RIDGES` that has the smallest leave-one-out error."""
        fits = [self.fit(targets, ridge) for ridge in RIDGES]
        errors = [self.weight @ ((targets - fit.left_out) ** 2).sum(axis=1) for fit in fits]
        return fits[int(np.argmin(errors))]
