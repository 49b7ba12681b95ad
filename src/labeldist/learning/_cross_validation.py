"""Cross-validation of learners on tables of any kind, with sample weights."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist._compat import _safe_indexing, is_scorer
from labeldist._folds import splitter_of
from labeldist._typing import Array
from labeldist._validation import random_generator, weights_for
from labeldist.metrics import MEASURES, score_all
from labeldist.metrics._skill import ROUNDING_DIVERGENCE, relative_improvement

LEAST_GAIN = 1e-5  # Relative gains below it may be due to the tolerance of a solver.

Fold = tuple[Any, Any]  # positions of the training rows and of the held-out rows


class Table(NamedTuple):
    """Features, label distributions and weights of the same rows."""

    X: Any
    D: Any
    weight: Array | None

    def rows(self, positions: Any) -> Table:
        """Return some rows of the table."""
        weight = None if self.weight is None else self.weight[positions]
        X = _safe_indexing(self.X, positions)
        D = _safe_indexing(self.D, positions)
        return Table(X, D, weight)


@dataclass(frozen=True)
class Trial:
    """Cross-validation results of one learner."""

    name: str
    estimator: Any
    scores: dict[str, Array] = field(default_factory=dict)  # each measure on each fold
    weights: Any = None  # total weight of the held-out rows of each fold
    predictions: Any = None  # of the held-out rows, fold after fold
    seconds: float = 0.0
    failure: str = ""  # the error, if there was one

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over all held-out rows."""
        return float(np.average(self.scores[measure], weights=self.weights))

    def without(self, fold: int) -> Trial:
        """Return the scores and weights of all folds but one."""
        scores = {name: np.delete(values, fold) for name, values in self.scores.items()}
        return replace(self, scores=scores, weights=np.delete(self.weights, fold))

    def skill(self, baseline: Trial, measure: str = "kl_divergence") -> float:
        """Return the skill over a baseline on all held-out rows."""
        return relative_improvement(measure, self.mean(measure), baseline.mean(measure))

    def is_clearly_better(self, other: Trial, measure: str, errors: float = 1.0) -> bool:
        """Return whether the mean gain over `other` exceeds some of its standard errors.

        The gains are paired over the folds.
        """
        gains = MEASURES[measure].sign * (self.scores[measure] - other.scores[measure])
        share = self.weights / self.weights.sum()
        gain = float(gains @ share)
        n = len(gains)
        standard_error = np.sqrt(((gains - gain) ** 2) @ share**2 * n / (n - 1))
        least = max(ROUNDING_DIVERGENCE, LEAST_GAIN * abs(other.mean(measure)))
        return bool(gain > max(errors * standard_error, least))


def fit_copy(estimator: Any, X: Any, D: Any, weight: Array | None) -> Any:
    """Fit a copy of an estimator, with weights if it takes them."""
    weights = weights_for(estimator, weight)
    # With metadata routing, each estimator would have to request the weights.
    with config_context(enable_metadata_routing=False):
        return clone(estimator).fit(X, D, **weights)


def held_out(
    estimator: Any,
    X: Any,
    D: Any,
    *,
    cv: Any = 5,
    sample_weight: Array | None = None,
    random_state: Any = None,
) -> Array:
    """Predict each row with a copy of `estimator` that was fitted without it.

    `cv` is a number of shuffled folds, at most one per row, or a splitter that holds out each row
    once.
    """
    from sklearn.model_selection import cross_val_predict

    folds = split_rows(X, D, cv, random_generator(random_state))
    weights = weights_for(estimator, sample_weight)
    with config_context(enable_metadata_routing=False):
        return np.asarray(cross_val_predict(estimator, X, D, cv=folds, params=weights))


def split_rows(X: Any, D: Any, cv: Any, random: np.random.RandomState) -> list[Fold]:
    """Return the folds of a splitter, or the given number of shuffled folds; at least two."""
    n = len(D)
    if n < 2:
        raise ValueError(f"Cross-validation needs at least two rows; got {n} sample(s).")
    seed = random.randint(2**31) if isinstance(cv, Integral) else None
    folds = list(splitter_of(cv, seed, most=n).split(X, D))
    if len(folds) < 2:
        raise ValueError(f"cv must make at least two splits; got {cv!r}.")
    return folds


def prepared(prepare: Any, learner: Any) -> Any:
    """Return a pipeline of a transformer, if it is not None, and a learner or its steps."""
    if prepare is None:
        return learner
    from sklearn.pipeline import Pipeline

    steps = [(type(learner).__name__.lower(), learner)]
    if isinstance(learner, Pipeline):
        steps = learner.steps
    return Pipeline([("prepare", prepare), *steps])


def lists_rows(cv: Any) -> bool:
    """Return whether `cv` refers to positions of rows."""
    return not isinstance(cv, Integral) and (not hasattr(cv, "split") or hasattr(cv, "test_fold"))


def weighted_rows(cv: Any, weight: Array | None, *tables: Any) -> tuple[Any, ...]:
    """Return weights and tables without the rows of weight zero, which could fill a fold.

    They stay if `cv` refers to positions of rows.
    """
    if weight is None or weight.all() or lists_rows(cv):
        return weight, *tables
    used = np.flatnonzero(weight)
    return weight[used], *(_safe_indexing(table, used) for table in indexable(*tables))


def check_scoring(scoring: Any) -> None:
    """Raise an error for a scorer of scikit-learn and for a function whose lowest value is best."""
    if is_scorer(scoring):
        raise TypeError(
            f"scoring must be a name or a function of D and P, not a scorer; got {scoring}."
        )
    for name, measure in MEASURES.items():
        if scoring is measure.mean and not measure.higher_is_better:
            raise ValueError(
                f"The lowest {name} is best, not the highest. Pass its name, scoring={name!r}."
            )


def check_finite(scores: Array, first: int = 0) -> None:
    """Raise an error if a score is not finite.

    `scores` has one row per fold and one column per combination; `first` is the number of the first
    combination.
    """
    for fold, point in np.argwhere(~np.isfinite(scores)):
        found = f"combination {first + point} on fold {fold} is {scores[fold, point]}"
        raise ValueError(f"The score of {found}. Scores must be finite.")


def cv_results(points: list[dict[str, Any]], scores: Array) -> dict[str, Any]:
    """Return the scores (folds, points) in the form of ``GridSearchCV.cv_results_``.

    Points whose scores are NaN have the last rank.
    """
    mean = scores.mean(axis=0)
    results: dict[str, Any] = {"params": points}
    for name in points[0]:
        results[f"param_{name}"] = np.array([point[name] for point in points])
    for i, fold in enumerate(scores):
        results[f"split{i}_test_score"] = fold
    results["mean_test_score"] = mean
    results["std_test_score"] = scores.std(axis=0)
    results["rank_test_score"] = 1 + np.searchsorted(np.sort(-mean), -mean).astype(np.int32)
    return results


def prepare_folds(prepare: Any, table: Table, folds: Sequence[Fold]) -> list[tuple[Table, Table]]:
    """Return the training rows and the held-out rows of each fold.

    A transformer, if it is not None, is fitted to the training rows and applied to both.
    """
    parts = []
    for train, test in folds:
        training = table.rows(train)
        held = table.rows(test)
        if prepare is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = fit_copy(prepare, *training)
                training = training._replace(X=fitted.transform(training.X))
                held = held._replace(X=fitted.transform(held.X))
        parts.append((training, held))
    return parts


def cross_validate(
    name: str,
    estimator: Any,
    parts: Sequence[tuple[Table, Table]],
    measures: Iterable[str],
    *,
    may_fail: bool,
) -> Trial:
    """Score a learner on all folds, without warnings. If it `may_fail`, its error is stored."""
    start = time.perf_counter()
    predictions = []
    try:
        for training, held in parts:
            predictions.append(_fit_and_predict(estimator, training, held.X))
        held_out_rows = [held for _, held in parts]
        trial = score_predictions(name, estimator, predictions, held_out_rows, measures)
    except Exception as error:
        if not may_fail:
            raise
        trial = Trial(name, estimator, failure=f"{type(error).__name__}: {error}")
    return replace(trial, seconds=time.perf_counter() - start)


def score_predictions(
    name: str,
    estimator: Any,
    predictions: Sequence[Array],
    held_out_rows: Sequence[Table],
    measures: Iterable[str],
) -> Trial:
    """Return the trial of a learner with the given predictions of the held-out rows."""
    scores = []
    weights = []
    for P, held in zip(predictions, held_out_rows, strict=True):
        scores.append(score_all(held.D, P, sample_weight=held.weight, measures=measures))
        weights.append(len(P) if held.weight is None else held.weight.sum())
    by_measure: dict[str, Array] = {}
    for measure in scores[0]:
        by_measure[measure] = np.array([fold[measure] for fold in scores])
    return Trial(
        name=name,
        estimator=estimator,
        scores=by_measure,
        weights=np.array(weights, dtype=np.float64),
        predictions=np.concatenate(predictions),
    )


def _fit_and_predict(estimator: Any, training: Table, X: Any) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_copy(estimator, *training)
        return np.asarray(model.predict(X))
