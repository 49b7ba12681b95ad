"""The mean of the prior of each item: predictions of a learner that did not see its votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, check_cv

from labeldist._compat import _safe_indexing
from labeldist._solvers.softmax_regression import SoftmaxPath
from labeldist._typing import Array
from labeldist._validation import random_generator, weights_for
from labeldist.enhancement._vote_le.left_out_votes import vote_score
from labeldist.features import KernelFeatures
from labeldist.simplex import normalize

MIN_DEGREE = 1e-4  # of a prediction, times the number of labels
N_LANDMARKS = 300
RIDGES = np.geomspace(1e3, 1e-2, 11)


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

    def score(self, predictions: Array) -> float:
        """Return the mean log probability of the votes."""
        return vote_score(self.counts * self.weight[:, None], predictions)


def cross_fit(learner: Any, X: Any, votes: Votes, folds: list[Any]) -> tuple[Array, Any]:
    """Return predictions of left-out items, and the learner fitted to all items."""
    return _predict_left_out(learner, X, votes, folds), _fit(learner, X, votes)


def _predict_left_out(learner: Any, X: Any, votes: Votes, folds: list[Any]) -> Array:
    predictions = np.empty(votes.counts.shape)
    for train, test in folds:
        fitted = _fit(learner, X, votes, train)
        predictions[test] = fitted.predict(_safe_indexing(X, test))
    return with_floor(predictions)


def _fit(learner: Any, X: Any, votes: Votes, rows: Any = slice(None)) -> Any:
    rows = np.arange(len(votes.counts))[rows]
    rows = rows[votes.n_votes[rows] > 0]
    learner = clone(learner)
    weights = weights_for(learner, votes.n_votes[rows])
    return learner.fit(_safe_indexing(X, rows), normalize(votes.counts[rows]), **weights)


def with_floor(predictions: Array) -> Array:
    """Return predictions with a least degree, since the logistic normal takes logarithms."""
    raised = np.maximum(predictions, MIN_DEGREE / predictions.shape[-1])
    return raised / raised.sum(axis=-1, keepdims=True)


def make_folds(cv: Any, n: int, random_state: Any) -> list[Any]:
    """Return train and test positions of n items. An int `cv` is a number of shuffled folds."""
    if isinstance(cv, int | np.integer):
        random = random_generator(random_state)
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random)
    folds = list(check_cv(cv).split(np.empty((n, 0))))
    times_held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    if not (times_held_out == 1).all():
        raise ValueError("cv must hold out each item exactly once, such as KFold.")
    return folds


class SoftmaxRidge(BaseEstimator):
    """Softmax regression with a ridge penalty."""

    def __init__(self, ridge: float) -> None:
        self.ridge = ridge

    def fit(self, X: Array, D: Array, sample_weight: Array) -> Self:
        """Fit distributions D, (n, c)."""
        path = SoftmaxPath.of(X, D, sample_weight)
        self.solution_ = path.solve(self.ridge, tol=1e-4, max_iter=1000)
        return self

    def predict(self, X: Array) -> Any:
        """Return the degrees of new items, (n, c)."""
        return softmax(X @ self.solution_.W + self.solution_.b, axis=1)


def cross_fit_kernel_softmax(
    X: Array, votes: Votes, folds: list[Any], random_state: Any
) -> tuple[Array, Any]:
    """Return predictions of left-out items, and the model fitted to all items.

    The ridge is the one with the best score of the left-out items.
    """
    from sklearn.pipeline import make_pipeline  # slow to import

    features = KernelFeatures(n_components=N_LANDMARKS, random_state=random_state)
    Z = features.fit_transform(X)
    learners = [SoftmaxRidge(ridge) for ridge in RIDGES]
    predictions = [_predict_left_out(learner, Z, votes, folds) for learner in learners]
    best = int(np.argmax([votes.score(P) for P in predictions]))
    return predictions[best], make_pipeline(features, _fit(learners[best], Z, votes))
