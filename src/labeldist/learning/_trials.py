"""One learner, cross-validated: what it scored in each fold, how long it took, and what went wrong."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from labeldist._typing import Array
from labeldist.learning._folds import Fold, fit_weighted, take_rows, takes_weights
from labeldist.metrics import MEASURES, score_all
from labeldist.metrics._skill import ROUNDING_DIVERGENCE, skill

Table = tuple[Any, Array, Array | None]
"""Features, distributions and weights."""


@dataclass(frozen=True)
class Trial:
    """What came of one learner.

    Attributes
    ----------
    name : str
    estimator : estimator
        Not fitted.
    scores : dict of str to ndarray
        Each measure on each fold; empty where it failed.
    weights : ndarray
        The weight of each fold's rows.
    predictions : ndarray
        Of the rows that were held out, fold after fold.
    spread : float
        How far predictions are from the training mean, half the sum of absolute differences: 0 if they never vary.
    seconds : float
    warnings : tuple of str
    failure : str
        Why it was left out, or nothing.
    """

    name: str
    estimator: Any
    scores: dict[str, Array] = field(default_factory=dict)
    weights: Array = field(default_factory=lambda: np.empty(0))
    predictions: Array = field(default_factory=lambda: np.empty((0, 0)))
    spread: float = 0.0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    failure: str = ""

    @property
    def takes_weights(self) -> bool:
        """Whether it learns by weights, where there are any, or from all rows alike."""
        return takes_weights(self.estimator)

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over all rows that were held out."""
        return float(np.average(self.scores[measure], weights=self.weights))

    def deviation(self, measure: str) -> float:
        """Return the standard deviation of a measure over folds."""
        return float(self.scores[measure].std())

    def gains(self, other: Trial, measure: str) -> Array:
        """Return by how much it is better than `other` in each fold."""
        difference = self.scores[measure] - other.scores[measure]
        return difference if MEASURES[measure].higher_is_better else -difference

    def is_clearly_better(self, other: Trial, measure: str) -> bool:
        """Whether its gain, paired over the folds, is positive and more than one standard error."""
        gains, share = self.gains(other, measure), self.weights / self.weights.sum()
        gain = float(gains @ share)
        n = len(gains)
        error = np.sqrt(((gains - gain) ** 2) @ share**2 * n / (n - 1))
        return bool(gain > max(error, ROUNDING_DIVERGENCE))

    def skill(self, trivial: Trial) -> float:
        """Return the share of the Kullback-Leibler divergence of `trivial`, the mean, that it saves."""
        return skill(self.mean("kl_divergence"), trivial.mean("kl_divergence"))


def try_learner(
    name: str, estimator: Any, table: Table, folds: Sequence[Fold], after_fold: Callable[[], None], *, may_fail: bool
) -> Trial:
    """Cross-validate one learner; unless it `may_fail`, its errors are the caller's."""
    start = time.perf_counter()
    results: list[_FoldResult] = []
    for fold in folds:
        try:
            results.append(_try_fold(estimator, table, *fold))
        except Exception as error:
            if not may_fail:
                raise
            return failed(name, estimator, error, time.perf_counter() - start)
        after_fold()
    return Trial(
        name=name,
        estimator=estimator,
        scores={measure: np.array([result.scores[measure] for result in results]) for measure in MEASURES},
        weights=np.array([result.weight for result in results]),
        predictions=np.concatenate([result.predictions for result in results]),
        spread=float(np.mean([result.spread for result in results])),
        seconds=time.perf_counter() - start,
        warnings=tuple(dict.fromkeys(message for result in results for message in result.warnings)),
    )


def failed(name: str, estimator: Any, error: Exception, seconds: float) -> Trial:
    """Return the trial of a learner that raised an error."""
    return Trial(name, estimator, seconds=seconds, failure=f"{type(error).__name__}: {error}")


class _FoldResult(NamedTuple):
    scores: dict[str, float]
    weight: float
    predictions: Array
    spread: float
    warnings: tuple[str, ...]


def _try_fold(estimator: Any, table: Table, train: Any, test: Any) -> _FoldResult:
    X, D, weight = table
    learned, held_out = (None, None) if weight is None else (weight[train], weight[test])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit_weighted(clone(estimator), take_rows(X, train), D[train], learned)
        P = model.predict(take_rows(X, test))
    return _FoldResult(
        scores=score_all(D[test], P, sample_weight=held_out),
        weight=float(len(D[test]) if held_out is None else held_out.sum()),
        predictions=P,
        spread=spread_about(P, D[train].mean(axis=0)),
        warnings=distinct_messages(caught),
    )


def distinct_messages(caught: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return what was warned of, each message once."""
    return tuple(dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught))


def spread_about(rows: Array, center: Array) -> float:
    """Return half the mean absolute sum of differences of distributions from one."""
    return float(np.abs(rows - center).sum(axis=1).mean() / 2)
