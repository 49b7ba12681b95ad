"""Choice of a learner by cross-validation and the one-standard-error rule."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist._typing import Array
from labeldist._validation import as_distributions, check_rows_are_equally_long, label_table, random_generator
from labeldist.exceptions import LabelWarning
from labeldist.learning._candidates import THE_MEAN, default_candidates
from labeldist.learning._folds import Fold, fit_weighted, prepared, split_rows, take_rows, takes_weights
from labeldist.learning._learner import MeanDistribution, check_weights
from labeldist.metrics import MEASURES, score_all
from labeldist.metrics._skill import ROUNDING_DIVERGENCE, describe_skill, skill

# The comparison uses a random sample of larger tables: at most MAX_ROWS rows and about MAX_CELLS values of features,
# but at least MIN_ROWS rows.
MAX_ROWS = 3_000
MAX_CELLS = 3_000_000
MIN_ROWS = 500

FEW_ROWS = 100  # With fewer rows the paragraph calls the scores rough.


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

    def is_clearly_better(self, other: Trial, measure: str) -> bool:
        """Return whether the mean gain over `other`, paired over the folds, exceeds its standard error."""
        direction = 1 if MEASURES[measure].higher_is_better else -1
        gains = direction * (self.scores[measure] - other.scores[measure])
        share = self.weights / self.weights.sum()
        gain = float(gains @ share)
        n = len(gains)
        standard_error = np.sqrt(((gains - gain) ** 2) @ share**2 * n / (n - 1))
        return bool(gain > max(standard_error, ROUNDING_DIVERGENCE))


@dataclass(frozen=True)
class Choice:
    """Result of `choose_learner`.

    Attributes
    ----------
    estimator : estimator
        The chosen learner, fitted on all rows.
    name : str
        Its name.
    skill : float
        Its skill on the held-out rows: 1 − KL / KL of the mean distribution.
    table : list of dict
        One row per learner: name, mean and standard deviation of each measure, skill, seconds, failure.
    paragraph : str
        Three sentences: the comparison, the choice, and reasons for caution, if any.
    trials : tuple of Trial
        Scores and predictions of all learners, the simplest first. The first is the mean distribution.
    truth : ndarray
        Distributions of the held-out rows, in the order of ``Trial.predictions``.
    scoring : str
        Measure that decided.
    n_rows, compared_rows, n_folds : int
        Number of rows with a positive weight, of rows in the cross-validation, and of folds.
    warnings : tuple of str
        Distinct warnings of the fit on all rows.

    See Also
    --------
    choose_learner : Function that returns it.
    """

    estimator: Any
    name: str
    skill: float
    table: list[dict[str, Any]]
    paragraph: str
    trials: tuple[Trial, ...]
    truth: Array
    scoring: str
    n_rows: int
    compared_rows: int
    n_folds: int
    warnings: tuple[str, ...] = ()

    @property
    def chosen(self) -> Trial:
        """Scores and predictions of the chosen learner."""
        return next(trial for trial in self.trials if trial.name == self.name)


def choose_learner(
    X: Any,
    D: Any,
    *,
    candidates: Mapping[str, Any] | None = None,
    cv: Any = 5,
    scoring: str = "kl_divergence",
    prepare: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    watch: Callable[[int, int, str], None] | None = None,
    insist: bool = False,
    only: Callable[[Any], bool] | None = None,
) -> Choice:
    """Choose a learner by cross-validation and the one-standard-error rule.

    All learners are scored on the same shuffled folds. A learner is clearly better than another if its mean gain
    exceeds one standard error of the gains in the folds. Among the learners that are clearly better than the mean
    distribution, the best one sets the standard, and the simplest one that it does not clearly beat is chosen. If
    no learner is clearly better than the mean distribution, the mean distribution is chosen.

    Parameters
    ----------
    X : array-like, table or sparse matrix of shape (n_samples, n_features)
        Features.
    D : array-like of shape (n_samples, n_labels)
        Label distributions: non-negative degrees, normalised to a sum of one per row.
    candidates : mapping of str to estimator, default=None
        Learners by name, the simplest first; the mean distribution is always added. None compares linear and kernel
        BD-LDL, maximum entropy, nearest neighbours and a forest, on standardised features where units matter.
    cv : int or splitter, default=5
        Number of shuffled folds, at most one per row, or a splitter.
    scoring : str, default="kl_divergence"
        One of `labeldist.metrics.MEASURES`.
    prepare : transformer, default=None
        Fitted before every learner on the same rows. The chosen estimator is then a pipeline that starts with it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the scores and for the learners that take weights. Rows of weight zero are left out.
    random_state : int, RandomState instance or None, default=None
        Determines the sample of rows, the folds and the random numbers of the default candidates.
    watch : callable, default=None
        Called as ``watch(done, total, name)`` after each fold of each learner and after the final fit. An exception
        that it raises ends the comparison.
    insist : bool, default=False
        Choose the best candidate even if it is not better than the mean distribution.
    only : callable, default=None
        Keep only the candidates for which it returns true, e.g. `labeldist.models.exportable`.

    Returns
    -------
    Choice
        The chosen estimator, fitted on all rows, and the scores of all learners.

    See Also
    --------
    BDLDLCV : Choose the hyper-parameters of BD-LDL by cross-validation.
    MeanDistribution : The baseline.

    Notes
    -----
    The comparison uses at most 3,000 rows and about 3 million values of features, drawn at random. A learner that
    raises an error is left out; the error is in ``Choice.table``. The warnings of the folds are suppressed; those of
    the final fit are in ``Choice.warnings``.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import AAKNN, BDLDL, choose_learner
    >>> X, D = make_artificial(300, random_state=0)
    >>> choice = choose_learner(X, D, candidates={"linear": BDLDL(), "neighbours": AAKNN()}, random_state=0)
    >>> choice.name, round(choice.skill, 1)
    ('neighbours', 1.0)
    >>> choice.estimator.predict(X[:2]).shape
    (2, 3)
    """
    if scoring not in MEASURES:
        raise ValueError(f"scoring must be one of {', '.join(MEASURES)}; got {scoring!r}.")
    random = random_generator(random_state)
    check_rows_are_equally_long(D)
    X, D = indexable(X, D)
    degrees = as_distributions(label_table(D), name="D (the label distributions)")
    weight = check_weights(sample_weight, degrees)
    if weight is not None and not weight.all():
        # Learners that take no weights would use rows of weight zero like any other.
        used = np.flatnonzero(weight)
        X, D, degrees, weight = take_rows(X, used), take_rows(D, used), degrees[used], weight[used]
    n_features = math.prod(np.shape(X)[1:])  # 1 for a list of texts
    rows = _sample_rows(len(degrees), n_features, random)
    table = take_rows(X, rows), degrees[rows], None if weight is None else weight[rows]
    folds = split_rows(table[0], table[1], cv, random)
    if candidates is None:
        candidates = default_candidates(
            len(degrees),
            degrees.shape[1],
            n_features,
            training_rows=min(len(train) for train, _ in folds),
            sparse=issparse(X),
            scoring=scoring,
            random_state=int(random.randint(2**31)),
        )
    if only is not None:
        candidates = {name: learner for name, learner in candidates.items() if only(learner)}
    learners = {name: prepared(prepare, learner) for name, learner in _baseline_first(candidates).items()}
    total = len(folds) * len(learners) + 1

    def report(name: str, done: int, fold: int) -> None:
        if watch is not None:
            watch(done + fold, total, name)

    trials = [
        _cross_validate(name, learner, table, folds, partial(report, name, i * len(folds)), may_fail=i > 0)
        for i, (name, learner) in enumerate(learners.items())
    ]
    chosen, estimator, messages = _fit_best(trials, scoring, (X, D, weight), insist)
    report(chosen.name, total, 0)
    compared = f"{len(rows):,} rows"
    if len(rows) < len(degrees):
        compared += f" drawn at random from {len(degrees):,}"
    sentences = [
        f"{sum(not trial.failure for trial in trials[1:])} learner(s) and the mean distribution were compared by "
        f"cross-validation on {compared}, {len(folds)} folds.",
        _verdict(chosen, trials[0], scoring, insist),
        _caution(chosen, trials, scoring, len(rows), weighted=weight is not None),
    ]
    return Choice(
        estimator=estimator,
        name=chosen.name,
        skill=chosen.skill(trials[0]),
        table=[_table_row(trial, trials[0]) for trial in trials],
        paragraph=" ".join(filter(None, sentences)),
        trials=tuple(trials),
        truth=np.concatenate([table[1][test] for _, test in folds]),
        scoring=scoring,
        n_rows=len(degrees),
        compared_rows=len(rows),
        n_folds=len(folds),
        warnings=messages,
    )


def pick(trials: Sequence[Trial], scoring: str, insist: bool = False) -> Trial:
    """Return the trial that the one-standard-error rule of `choose_learner` selects."""
    baseline, *others = trials
    better = [t for t in others if not t.failure and (insist or t.is_clearly_better(baseline, scoring))]
    if insist and others and not better:
        raise ValueError("; ".join(f"{trial.name} failed: {trial.failure}" for trial in others))
    if not better:
        return baseline
    direction = 1 if MEASURES[scoring].higher_is_better else -1
    best = max(better, key=lambda trial: direction * trial.mean(scoring))
    return next(trial for trial in better if trial is best or not best.is_clearly_better(trial, scoring))


def _cross_validate(
    name: str,
    estimator: Any,
    table: tuple[Any, Array, Array | None],
    folds: Sequence[Fold],
    after_fold: Callable[[int], None],
    *,
    may_fail: bool,
) -> Trial:
    X, D, weight = table
    start = time.perf_counter()
    scores, weights, predictions = [], [], []
    for number, (train, test) in enumerate(folds, start=1):
        learned, held_out = (None, None) if weight is None else (weight[train], weight[test])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = fit_weighted(clone(estimator), take_rows(X, train), D[train], learned)
                P = model.predict(take_rows(X, test))
            scores.append(score_all(D[test], P, sample_weight=held_out))
        except Exception as error:
            if not may_fail:
                raise
            return _failed(name, estimator, error, time.perf_counter() - start)
        weights.append(float(len(P) if held_out is None else held_out.sum()))
        predictions.append(P)
        after_fold(number)
    return Trial(
        name=name,
        estimator=estimator,
        scores={measure: np.array([values[measure] for values in scores]) for measure in MEASURES},
        weights=np.array(weights),
        predictions=np.concatenate(predictions),
        seconds=time.perf_counter() - start,
    )


def _failed(name: str, estimator: Any, error: Exception, seconds: float) -> Trial:
    return Trial(name, estimator, seconds=seconds, failure=f"{type(error).__name__}: {error}")


def _fit_best(
    trials: list[Trial], scoring: str, table: tuple[Any, Any, Array | None], insist: bool
) -> tuple[Trial, Any, tuple[str, ...]]:
    """Fit the picked learner on all rows. If that fails, record the failure in `trials` and pick again."""
    while True:
        picked = pick(trials, scoring, insist)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimator = fit_weighted(clone(picked.estimator), *table)
        except Exception as error:
            if picked is trials[0]:
                raise
            trials[trials.index(picked)] = _failed(picked.name, picked.estimator, error, picked.seconds)
        else:
            # `choose_learner` has already issued the warnings about labels.
            others = [warning for warning in caught if not issubclass(warning.category, LabelWarning)]
            messages = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in others)
            return picked, estimator, tuple(messages)


def _sample_rows(n: int, n_features: int, random: np.random.RandomState) -> Any:
    most = min(MAX_ROWS, max(MIN_ROWS, MAX_CELLS // max(1, n_features)))
    return np.arange(n) if n <= most else np.sort(random.choice(n, most, replace=False))


def _baseline_first(candidates: Mapping[str, Any]) -> dict[str, Any]:
    means = {name: learner for name, learner in candidates.items() if isinstance(learner, MeanDistribution)}
    return {**(means or {THE_MEAN: MeanDistribution()}), **candidates}


def _table_row(trial: Trial, baseline: Trial) -> dict[str, Any]:
    row: dict[str, Any] = {"name": trial.name}
    for measure in MEASURES:
        row[measure] = None if trial.failure else trial.mean(measure)
        row[f"{measure}_deviation"] = None if trial.failure else float(trial.scores[measure].std())
    row["skill"] = None if trial.failure else trial.skill(baseline)
    return {**row, "seconds": trial.seconds, "failure": trial.failure or None}


def _verdict(chosen: Trial, baseline: Trial, scoring: str, insist: bool) -> str:
    if chosen is baseline:
        return f"Chosen: {chosen.name}, because no learner is clearly better. It predicts the same for every row."
    share = chosen.skill(baseline)
    by = "" if share > 0 else "by Kullback-Leibler divergence "
    figures = f"{MEASURES[scoring].title} {chosen.mean(scoring):.3g} instead of {baseline.mean(scoring):.3g}"
    return f"{'Requested' if insist else 'Chosen'}: {chosen.name}; {by}it {describe_skill(share)} ({figures})."


def _caution(chosen: Trial, trials: Sequence[Trial], scoring: str, n_rows: int, *, weighted: bool) -> str:
    reasons = [f"{trial.name} failed and was left out ({trial.failure})" for trial in trials if trial.failure]
    if chosen is not trials[0] and not chosen.is_clearly_better(trials[0], scoring):
        reasons.append(f"{chosen.name} is not clearly better than the mean")
    if n_rows < FEW_ROWS:
        reasons.append(f"scores on {n_rows} rows are rough")
    if weighted and not takes_weights(chosen.estimator):
        reasons.append(f"{chosen.name} takes no weights, only its scores are weighted")
    return f"Caution: {'; '.join(reasons)}." if reasons else ""
