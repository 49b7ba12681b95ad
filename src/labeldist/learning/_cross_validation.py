"""Cross-validation of learners on tables of any kind, with sample weights."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist._compat import _safe_indexing
from labeldist._typing import Array
from labeldist._validation import random_generator, weights_for
from labeldist.metrics import MEASURES, score_all
from labeldist.metrics._skill import ROUNDING_DIVERGENCE, skill

LEAST_GAIN = 1e-5  # Relative gains below it may be due to the tolerance of a solver.

Fold = tuple[Any, Any]  # positions of the training rows and of the held-out rows


@dataclass(frozen=True)
class Trial:
    """Cross-validation results of one learner."""

    name: str
    estimator: Any
    scores: dict[str, Array] = field(default_factory=dict)  # each measure on each fold
    weights: Array = field(default_factory=lambda: np.empty(0))  # weight of each fold's held-out rows
    predictions: Array = field(default_factory=lambda: np.empty((0, 0)))  # of the held-out rows, fold after fold
    seconds: float = 0.0
    failure: str = ""  # the error, if there was one

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over all held-out rows."""
        return float(np.average(self.scores[measure], weights=self.weights))

    def skill(self, baseline: Trial) -> float:
        """Return 1 − KL / KL of the baseline over all held-out rows."""
        return skill(self.mean("kl_divergence"), baseline.mean("kl_divergence"))

    def is_clearly_better(self, other: Trial, measure: str, errors: float = 1.0) -> bool:
        """Return whether the mean gain over `other`, paired over the folds, exceeds some standard errors of it."""
        direction = 1 if MEASURES[measure].higher_is_better else -1
        gains = direction * (self.scores[measure] - other.scores[measure])
        share = self.weights / self.weights.sum()
        gain = float(gains @ share)
        n = len(gains)
        standard_error = np.sqrt(((gains - gain) ** 2) @ share**2 * n / (n - 1))
        least = max(ROUNDING_DIVERGENCE, LEAST_GAIN * abs(other.mean(measure)))
        return bool(gain > max(errors * standard_error, least))


def held_out(
    estimator: Any, X: Any, D: Any, *, cv: Any = 5, sample_weight: Array | None = None, random_state: Any = None
) -> Array:
    """Predict each row with a copy of `estimator` that was fitted without it.

    `cv` is a number of shuffled folds, at most one per row, or a splitter that holds out each row once.
    """
    from sklearn.model_selection import cross_val_predict

    folds = split_rows(X, D, cv, random_generator(random_state))
    return np.asarray(cross_val_predict(estimator, X, D, cv=folds, params=weights_for(estimator, sample_weight)))


def split_rows(X: Any, D: Any, cv: Any, random: np.random.RandomState) -> list[Fold]:
    """Return the folds of a splitter, or the given number of shuffled folds; at least two."""
    from sklearn.model_selection import KFold, check_cv

    n = len(D)
    if n < 2:
        raise ValueError(f"Cross-validation needs at least two rows; got n_samples={n}.")
    if isinstance(cv, Integral):
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random.randint(2**31))
    folds = list(check_cv(cv).split(X, D))
    if len(folds) < 2:
        raise ValueError(f"cv must make at least two splits; got {cv!r}.")
    return folds


def prepared(prepare: Any, learner: Any) -> Any:
    """Return a pipeline of a transformer, if it is not None, and a learner or the steps of another pipeline."""
    if prepare is None:
        return learner
    from sklearn.pipeline import Pipeline

    steps = learner.steps if isinstance(learner, Pipeline) else [(type(learner).__name__.lower(), learner)]
    return Pipeline([("prepare", prepare), *steps])


def lists_rows(cv: Any) -> bool:
    """Return whether `cv` refers to positions of rows."""
    return not isinstance(cv, Integral) and (not hasattr(cv, "split") or hasattr(cv, "test_fold"))


def weighted_rows(cv: Any, weight: Array | None, *tables: Any) -> tuple[Any, ...]:
    """Return the tables without rows of weight zero, which could fill a fold, unless `cv` lists positions of rows."""
    if weight is None or weight.all() or lists_rows(cv):
        return weight, *tables
    used = np.flatnonzero(weight)
    return weight[used], *(_safe_indexing(table, used) for table in indexable(*tables))


def check_scoring(scoring: Any) -> None:
    """Raise an error for a scorer of scikit-learn, and for a measure of which the lowest value is best."""
    if hasattr(scoring, "_score_func"):
        raise TypeError(f"scoring must be a measure's name or a function of two tables, not a scorer; got {scoring}.")
    for name, measure in MEASURES.items():
        if scoring is measure.mean and not measure.higher_is_better:
            raise ValueError(f"The lowest {name} is best, not the highest. Pass its name, scoring={name!r}.")


def check_finite(scores: Array, first: int = 0) -> None:
    """Raise an error if a score is not finite, for one row per fold and one column per combination from `first`."""
    for fold, point in np.argwhere(~np.isfinite(scores)):
        found = f"combination {first + point} on fold {fold} is {scores[fold, point]}"
        raise ValueError(f"The score of {found}. Scores must be finite.")


def cross_validate(
    name: str,
    estimator: Any,
    table: tuple[Any, Array, Array | None],
    folds: Sequence[Fold],
    after_fold: Callable[[int], None],
    *,
    may_fail: bool,
    measures: str | Iterable[str] = "all",
) -> Trial:
    """Score a learner on all folds, and call `after_fold` with the number of each. Warnings are suppressed."""
    X, D, weight = table
    start = time.perf_counter()
    scores, weights, predictions = [], [], []
    for number, (train, test) in enumerate(folds, start=1):
        learned, held_out = (None, None) if weight is None else (weight[train], weight[test])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                weights_of_steps = weights_for(estimator, learned)
                model = clone(estimator).fit(_safe_indexing(X, train), D[train], **weights_of_steps)
                P = model.predict(_safe_indexing(X, test))
            scores.append(score_all(D[test], P, sample_weight=held_out, measures=measures))
        except Exception as error:
            if not may_fail:
                raise
            failure = f"{type(error).__name__}: {error}"
            return Trial(name, estimator, seconds=time.perf_counter() - start, failure=failure)
        weights.append(float(len(P) if held_out is None else held_out.sum()))
        predictions.append(P)
        after_fold(number)
    return Trial(
        name=name,
        estimator=estimator,
        scores={measure: np.array([values[measure] for values in scores]) for measure in scores[0]},
        weights=np.array(weights),
        predictions=np.concatenate(predictions),
        seconds=time.perf_counter() - start,
    )
