"""The mean of the prior of each item: predictions of a learner that did not see its votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv

from labeldist._compat import _safe_indexing
from labeldist._solvers.softmax_regression import SoftmaxPath, SoftmaxSolution
from labeldist._typing import Array
from labeldist._validation import column_names, weights_for
from labeldist.enhancement._vote_le.posteriors import vote_score
from labeldist.features import KernelFeatures
from labeldist.simplex import normalize

MIN_DEGREE = 1e-4  # of a prediction, times the number of labels
N_LANDMARKS = 300
RIDGES = np.geomspace(1e3, 1e-2, 11)
MAX_ROWS = 5000  # for the choice of the ridge


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

    def at(self, rows: NDArray[np.intp]) -> Votes:
        """Return the votes on some items."""
        return Votes(self.counts[rows], self.weight[rows])

    def without_counts(self) -> Votes:
        """Return the items without their votes."""
        return Votes(np.zeros(self.counts.shape), self.weight)

    def score(self, predictions: Array) -> float:
        """Return the mean log probability of the votes."""
        return vote_score(self.counts * self.weight[:, None], predictions)


def cross_fit(
    learner: Any, X: Any, votes: Votes, folds: list[Any], labels: list[str]
) -> tuple[Array, Any]:
    """Return predictions of items whose votes are left out, and the learner fitted to all items."""
    predictions = np.empty(votes.counts.shape)
    for train, test in folds:
        fitted = _fit(learner, X, votes, train)
        predictions[test] = predict(fitted, _safe_indexing(X, test), labels)
    fitted = _fit(learner, X, votes, np.arange(len(predictions)))
    unseen = np.flatnonzero(votes.n_votes == 0)
    if unseen.size:
        predictions[unseen] = predict(fitted, _safe_indexing(X, unseen), labels)
    return predictions, fitted


def _fit(learner: Any, X: Any, votes: Votes, rows: NDArray[np.intp]) -> Any:
    rows = rows[votes.n_votes[rows] > 0]
    learner = clone(learner)
    weights = weights_for(learner, votes.n_votes[rows])
    return learner.fit(_safe_indexing(X, rows), normalize(votes.counts[rows]), **weights)


def predict(learner: Any, X: Any, labels: list[str]) -> Array:
    """Return the predictions of a learner; raise an error if they are not label distributions."""
    predicted = learner.predict(X)
    name = type(learner).__name__
    names = column_names(predicted)
    if names is not None and names != labels and set(names) == set(labels):
        raise ValueError(f"The learner {name} predicts the labels {names}, in another order.")
    degrees = np.asarray(predicted, dtype=np.float64)
    if degrees.ndim != 2 or degrees.shape[1] != len(labels):
        raise ValueError(
            f"The learner {name} predicts an array of shape {degrees.shape}, "
            f"not one column for each of the {len(labels)} labels."
        )
    if not np.isfinite(degrees).all() or degrees.min() < 0:
        raise ValueError(f"The learner {name} predicts degrees that are negative or not finite.")
    return with_floor(degrees)


def with_floor(predictions: Array) -> Array:
    """Return predictions with a least degree, since the logistic normal takes logarithms."""
    raised = np.maximum(predictions, MIN_DEGREE / predictions.shape[-1])
    return raised / raised.sum(axis=-1, keepdims=True)


def make_folds(cv: Any, votes: Votes, random: np.random.RandomState) -> list[Any]:
    """Return train and test positions of items. An int `cv` is a number of shuffled folds."""
    n = len(votes.counts)
    if np.count_nonzero(votes.n_votes) < 2:
        raise ValueError("A learner needs two items with votes, so that one can be left out.")
    if isinstance(cv, int | np.integer):
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random)
    folds = list(check_cv(cv).split(np.empty((n, 0))))
    times_held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    if not (times_held_out == 1).all():
        raise ValueError("cv must hold out each item exactly once, such as KFold.")
    if not all(votes.n_votes[train].any() for train, _ in folds):
        raise ValueError("A fold of cv holds all items with votes, so none is left to learn from.")
    return folds


@dataclass(frozen=True)
class KernelSoftmax:
    """Softmax regression on kernel features."""

    features: KernelFeatures
    solution: SoftmaxSolution

    def predict(self, X: Array) -> Any:
        """Return the degrees of new items, (n, c)."""
        return _degrees(self.solution, self.features.transform(X))


def cross_fit_kernel_softmax(
    X: Array, votes: Votes, foldings: list[Any], random: np.random.RandomState
) -> tuple[Array, KernelSoftmax]:
    """Return predictions of items whose votes are left out, and the model fitted to all items.

    They are means over several ways to make folds. The ridge has the best score of left-out items,
    of a sample if there are many.
    """
    features = KernelFeatures(n_components=N_LANDMARKS, random_state=random)
    Z = features.fit_transform(X)
    sampled = sample_mask(votes, MAX_ROWS, random)
    of_sample = [(train[sampled[train]], test[sampled[test]]) for train, test in foldings[0]]
    tables = _predict_left_out(Z, votes, of_sample, RIDGES)
    chosen = votes.at(np.flatnonzero(sampled))
    ridge = RIDGES[np.argmax([chosen.score(table[sampled]) for table in tables])]
    predictions = [_predict_left_out(Z, votes, folds, [ridge])[0] for folds in foldings]
    model = KernelSoftmax(features, _solutions(Z, votes, np.arange(len(Z)), [ridge])[0])
    mean = np.mean(predictions, axis=0)
    unseen = votes.n_votes == 0
    mean[unseen] = _degrees(model.solution, Z[unseen])
    return with_floor(mean), model


def sample_mask(votes: Votes, size: int, random: np.random.RandomState) -> NDArray[np.bool_]:
    """Return a mask of at most `size` items with votes and a positive weight."""
    used = np.flatnonzero(votes.n_votes)
    if len(used) > size:
        used = random.choice(used, size, replace=False)
    mask = np.zeros(len(votes.counts), dtype=bool)
    mask[used] = True
    return mask


def _predict_left_out(Z: Array, votes: Votes, folds: list[Any], ridges: Any) -> Array:
    """Return predictions for each ridge, (n_ridges, n, c), with one decomposition per fold."""
    tables = np.zeros((len(ridges), *votes.counts.shape))
    for train, test in folds:
        solutions = _solutions(Z, votes, train, ridges)
        tables[:, test] = [_degrees(solution, Z[test]) for solution in solutions]
    return tables


def _solutions(
    Z: Array, votes: Votes, rows: NDArray[np.intp], ridges: Any
) -> list[SoftmaxSolution]:
    """Fit softmax regression to some items with each ridge, each from the previous solution."""
    rows = rows[votes.n_votes[rows] > 0]
    path = SoftmaxPath.of(Z[rows], normalize(votes.counts[rows]), votes.n_votes[rows])
    solutions: list[SoftmaxSolution] = []
    for ridge in ridges:
        start = solutions[-1].point if solutions else 0.0
        solutions.append(path.solve(ridge, start=start, tol=1e-4, max_iter=1000))
    return solutions


def _degrees(solution: SoftmaxSolution, Z: Array) -> Any:
    return softmax(Z @ solution.W + solution.b, axis=1)
