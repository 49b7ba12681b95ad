"""One learner, cross-validated: what it scored in each fold, how long it took, and what went wrong."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from labeldist.metrics import MEASURES, score_all
from labeldist.metrics.skill import ROUNDING_DIVERGENCE, skill
from labeldist.simplex import Array

Fold = tuple[Any, Any]
"""Positions of the rows to learn from, and of those that are held out."""


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
    spread: float = 0.0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    failure: str = ""

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


def fit_weighted(estimator: Any, X: Any, y: Any, weight: Array | None) -> Any:
    """Fit a learner, or a pipeline that ends in one, with weights for those parts that take them."""
    if weight is None:
        return estimator.fit(X, y)
    parts = [("", estimator)]
    if hasattr(estimator, "steps"):
        parts = [(f"{name}__", step) for name, step in estimator.steps]
    takers = [prefix for prefix, part in parts if has_fit_parameter(part, "sample_weight")]
    return estimator.fit(X, y, **{f"{prefix}sample_weight": weight for prefix in takers})


def try_learner(
    name: str,
    estimator: Any,
    table: tuple[Any, Array, Array | None],
    folds: Sequence[Fold],
    after_fold: Callable[[], None],
) -> Trial:
    """Cross-validate one learner on features, distributions and weights. Its errors are the caller's to catch."""
    X, D, weight = table
    start = time.perf_counter()
    results, fold_weights, spreads = [], [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for train, test in folds:
            held_out = None if weight is None else weight[test]
            model = fit_weighted(
                clone(estimator), _safe_indexing(X, train), D[train], None if weight is None else weight[train]
            )
            P = model.predict(_safe_indexing(X, test))
            results.append(score_all(D[test], P, sample_weight=held_out))
            fold_weights.append(len(D[test]) if held_out is None else held_out.sum())
            spreads.append(spread_about(P, D[train].mean(axis=0)))
            after_fold()
    return Trial(
        name=name,
        estimator=estimator,
        scores={measure: np.array([scores[measure] for scores in results]) for measure in MEASURES},
        weights=np.array(fold_weights, dtype=np.float64),
        spread=float(np.mean(spreads)),
        seconds=time.perf_counter() - start,
        warnings=distinct_messages(caught),
    )


def distinct_messages(caught: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return what was warned of, each message once."""
    return tuple(dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught))


def spread_about(rows: Array, center: Array) -> float:
    """Return half the mean absolute sum of differences of distributions from one."""
    return float(np.abs(rows - center).sum(axis=1).mean() / 2)
