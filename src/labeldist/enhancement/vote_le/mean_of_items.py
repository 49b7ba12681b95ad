"""The mean of the prior of each item: predictions of a learner that did not see its votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax, xlogy
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv

from labeldist._compat import _safe_indexing
from labeldist._solvers.softmax_regression import SoftmaxPath
from labeldist._typing import Array
from labeldist._validation import random_generator, weights_for
from labeldist.features import KernelFeatures

MIN_DEGREE = 1e-4  # of a prediction, times the number of labels
N_LANDMARKS = 300
RIDGES = np.geomspace(1e3, 1e-4, 15)
PATIENCE = 2  # ridges without improvement, after which smaller ones are not tried
TOLERANCE = 1e-4
MAX_ITER = 1000

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Votes:
    """Counts of votes, (n, c), and weights of the items."""

    counts: Array
    weight: Array

    @property
    def n_votes(self) -> Array:
        """Numbers of votes of the items, times their weights: the weights for a learner."""
        totals: Array = self.counts.sum(axis=1) * self.weight
        return totals

    def overall_shares(self) -> Array:
        """Return the shares of the labels in all votes, (1, c), with half a vote added to each."""
        totals = self.weight @ self.counts + 0.5
        return (totals / totals.sum())[None]

    def shares(self) -> Array:
        """Return the shares of the labels for each item, and equal shares without votes."""
        counts = np.where(self.counts.any(axis=1, keepdims=True), self.counts, 1.0)
        return counts / counts.sum(axis=1, keepdims=True)


def make_folds(cv: Any, n: int, random_state: Any) -> list[Fold]:
    """Return train and test positions of n items. An int `cv` is a number of shuffled folds."""
    if isinstance(cv, int | np.integer):
        random = random_generator(random_state)
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random)
    return list(check_cv(cv).split(np.empty((n, 0))))


def cross_fit(learner: Any, X: Any, votes: Votes, folds: list[Fold]) -> tuple[Array, Any]:
    """Return predictions of left-out items, and the learner fitted to all items."""
    everything = np.arange(len(votes.counts))
    predictions = np.empty(votes.counts.shape)
    for train, test in folds:
        fitted = _fit(learner, X, votes, train)
        predictions[test] = fitted.predict(_safe_indexing(X, test))
    return with_floor(predictions), _fit(learner, X, votes, everything)


def _fit(learner: Any, X: Any, votes: Votes, rows: NDArray[np.intp]) -> Any:
    rows = rows[votes.n_votes[rows] > 0]
    learner = clone(learner)
    weights = weights_for(learner, votes.n_votes[rows])
    return learner.fit(_safe_indexing(X, rows), votes.shares()[rows], **weights)


def with_floor(predictions: Array) -> Array:
    """Return predictions with a least degree, since the logistic normal takes logarithms."""
    raised = np.maximum(predictions, MIN_DEGREE / predictions.shape[1])
    return raised / raised.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class KernelSoftmax:
    """A fitted softmax regression on kernel features."""

    features: KernelFeatures
    coef: Array
    intercept: Array

    def predict(self, X: Any) -> Array:
        """Return the degrees of new items, (n, c)."""
        return softmax(self.features.transform(X) @ self.coef + self.intercept, axis=1)


def cross_fit_kernel_softmax(
    X: Array, votes: Votes, folds: list[Fold], random_state: Any
) -> tuple[Array, KernelSoftmax]:
    """Return predictions of left-out items, and the model fitted to all items.

    The ridge is the one with the best score of the left-out items.
    """
    features = KernelFeatures(n_components=N_LANDMARKS, random_state=random_state)
    Z = features.fit_transform(X)
    shares = votes.shares()
    weight = votes.n_votes / votes.n_votes.mean()
    options: dict[str, Any] = {"tol": TOLERANCE, "max_iter": MAX_ITER}
    paths = [SoftmaxPath.of(Z[train], shares[train], weight[train]) for train, _ in folds]
    starts: list[Any] = [0.0] * len(folds)
    tried: list[Array] = []
    scores: list[float] = []
    for ridge in RIDGES:
        predictions = np.empty(votes.counts.shape)
        for k, (_, test) in enumerate(folds):
            solution = paths[k].solve(ridge, start=starts[k], **options)
            starts[k] = solution.point
            predictions[test] = softmax(Z[test] @ solution.W + solution.b, axis=1)
        tried.append(with_floor(predictions))
        scores.append(float(weight @ xlogy(shares, tried[-1]).sum(axis=1)))
        if max(scores[-PATIENCE:]) < max(scores):
            break
    best = int(np.argmax(scores))
    final = SoftmaxPath.of(Z, shares, weight).solve(RIDGES[best], **options)
    return tried[best], KernelSoftmax(features, final.W, final.b)


def is_clearly_worse(votes: Votes, predictions: Array, others: Array) -> bool:
    """Return whether votes are predicted worse than by others, by more than a standard error."""
    losses = (votes.counts * np.log(others / predictions)).sum(axis=1)
    weight = votes.weight
    mean = np.average(losses, weights=weight)
    deviation = np.sqrt(np.average((losses - mean) ** 2, weights=weight))
    return bool(mean > deviation / np.sqrt(weight.sum()))
