"""Choice of a learner by cross-validation and the one-standard-error rule."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist import _validation as validation
from labeldist._progress import show_nothing
from labeldist._typing import Array, Callback
from labeldist.exceptions import LabelWarning
from labeldist.learning._blended_learner import BlendedLearner, pool, pool_weights
from labeldist.learning._candidates import Candidate, default_candidates
from labeldist.learning._choice_table import LearnerTable
from labeldist.learning._constant_learners import BestConstant, MeanDistribution
from labeldist.learning._cross_validation import (
    Fold,
    Table,
    Trial,
    cross_validate,
    lists_rows,
    prepare_folds,
    score_predictions,
    split_rows,
    weighted_rows,
)
from labeldist.learning._learner import check_weights
from labeldist.learning._soft_label_classifier import SoftLabelClassifier
from labeldist.metrics import MEASURES, PAPER_MEASURES
from labeldist.metrics._best_constants import is_mean
from labeldist.metrics._measures import measure_named
from labeldist.metrics._skill import constant_name

# The comparison uses a random sample of larger tables: at most MAX_ROWS rows and about MAX_CELLS
# values of features, but at least MIN_ROWS rows.
MAX_ROWS = 3_000
MAX_CELLS = 3_000_000
MIN_ROWS = 500

# Number of standard errors by which a learner must exceed the mean distribution. With little
# signal, such as the votes on ChaosNLI have, a regularised learner that is not clearly better is
# still better on average.
QUALIFYING = 0.5

# Relative gain for which a blend is worth the time and the size of several learners.
MIN_BLEND_GAIN = 0.005

# Number of standard errors that the stated skill must exceed, or else it is zero. With one of them,
# pure noise has a positive skill in 17 % of the tables.
CLEAR_SKILL = 2.0

BLEND = "blend"


class FittedLearner(Protocol):
    """Type of a fitted learner, or of a pipeline or a search that ends with one."""

    def predict(self, X: Any) -> Array:
        """Predict a label distribution for each row of `X`."""

    def score(self, X: Any, y: Any) -> float:
        """Return the skill of the predictions for `X`."""


@dataclass(frozen=True)
class Choice:
    """Result of `choose_learner`.

    Parameters
    ----------
    estimator : estimator
        The chosen learner, fitted on all rows.
    name : str
        Its name.
    skill : float
        Skill of the selection on the held-out rows by the measure `scoring`, over the constant
        prediction that is best for it on the training rows: the mean distribution for
        Kullback-Leibler. In each fold the learner is the one that the other folds select, so that
        the selection does not raise it. A positive skill of less than two standard errors is
        stated as 0. With two folds it is the skill of the chosen learner, as in `table`.
    table : list of dict
        One row per learner, the mean distribution first: name, mean and standard deviation of each
        measure, skill, seconds, failure. ``print`` shows it as text, ``pandas.DataFrame`` converts
        it.
    predictions, truth : ndarray
        Predictions of the chosen learner for the held-out rows, and their distributions.
    is_clear : bool
        Whether the chosen learner exceeds the mean distribution by more than one standard error.
    scoring : str
        Measure that decided.
    n_rows, compared_rows, n_folds : int
        Number of rows that are used (see `sample_weight` of `choose_learner`), of rows in the
        cross-validation, and of folds.
    warnings : tuple of str
        Distinct warnings of the fit on all rows.

    See Also
    --------
    choose_learner : Function that returns it.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> choice = choose_learner(*make_artificial(60, random_state=0), candidates={}, random_state=0)
    >>> choice.name, choice.skill
    ('the mean', 0.0)
    """

    estimator: FittedLearner
    name: str
    skill: float
    table: list[dict[str, Any]]
    predictions: Array
    truth: Array
    is_clear: bool
    scoring: str
    n_rows: int
    compared_rows: int
    n_folds: int
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n_learners = len(self.table)
        compared = f"{n_learners} learners on {self.compared_rows:,} rows in {self.n_folds} folds"
        return f"Choice({self.name!r}, skill {self.skill:.3f}, {compared})"

    @property
    def weights(self) -> dict[str, float]:
        """Weights of the learners of a blend by name; empty if another learner was chosen."""
        if not isinstance(self.estimator, BlendedLearner):
            return {}
        names = [name for name, _ in self.estimator.estimators]
        return dict(zip(names, self.estimator.weights_.tolist(), strict=True))


def choose_learner(
    X: Any,
    D: Any,
    *,
    candidates: Mapping[str, Any] | None = None,
    cv: Any = 5,
    scoring: str = "kl_divergence",
    prepare: Any = None,
    prepare_linear: Mapping[str, Any] | None = None,
    allow_mean: bool = True,
    sample_weight: Any = None,
    random_state: Any = None,
    callback: Callback = show_nothing,
) -> Choice:
    """Choose a learner by cross-validation and the one-standard-error rule.

    All learners are scored on the same shuffled folds; standard errors are those of the differences
    of two learners in the folds. One-standard-error rule: of the learners clearly above the mean
    (half a standard error), choose the simplest whose score is within one standard error of the
    best. Skip a learner if a simpler one scores higher. If there are none, the mean distribution is
    chosen. The last candidate is the `BlendedLearner` of all others, scored with weights from the
    other folds. It is chosen if it exceeds the best of them by more than one standard error and
    more than 0.5 %.

    Parameters
    ----------
    X : array-like, table or sparse matrix of shape (n_samples, n_features)
        Features.
    D : array-like of shape (n_samples, n_labels)
        Label distributions: non-negative degrees, normalised to a sum of one per row.
    candidates : mapping of str to estimator, default=None
        Learners by name, the simplest first; the mean distribution is always added. None compares
        linear and kernel BD-LDL, softmax regression, a forest and boosted trees.
    cv : int or splitter, default=5
        Number of shuffled folds, at most one per row, or a splitter.
    scoring : str, default="kl_divergence"
        One of `labeldist.metrics.MEASURES`. With a measure for which the mean is not the best
        constant prediction, "the best constant" takes the place of the mean distribution.
    prepare : transformer, default=None
        Fitted before every learner on the same rows. The chosen estimator is then a pipeline that
        starts with it.
    prepare_linear : mapping of str to transformer, default=None
        Transformers by name, such as sparse weights of words and of characters. The default
        candidates then have one softmax regression after each of them, in place of the linear
        learners after `prepare`. Given `candidates` use `prepare` only.
    allow_mean : bool, default=True
        Whether the mean distribution is chosen if no candidate is clearly better. False chooses a
        candidate in any case; a single one is thus scored by cross-validation and fitted.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the scores and for the learners that take weights. Rows of weight zero are left
        out, unless `cv` is a ``PredefinedSplit``.
    random_state : int, RandomState instance or None, default=None
        Determines the sample of rows, the folds and the random numbers of the default candidates.
    callback : callable, optional
        Called as ``callback(done, total, name)`` after each learner and after the final fit.

    Returns
    -------
    Choice
        The chosen estimator, fitted on all rows, and the scores of all learners.

    See Also
    --------
    BDLDLCV : Choose the hyper-parameters of BD-LDL by cross-validation.

    Notes
    -----
    The comparison uses at most 3,000 rows and about 3 million values of features, drawn at random.
    A learner that raises an error is left out, and its error is in ``Choice.table``. For speed, the
    default forest and boosted trees have fewer trees in the comparison than in the final fit, so
    their scores are slightly lower.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import BDLDL, choose_learner
    >>> from labeldist.published import AAKNN
    >>> X, D = make_artificial(300, random_state=0)
    >>> candidates = {"linear": BDLDL(), "neighbours": AAKNN()}
    >>> choice = choose_learner(X, D, candidates=candidates, random_state=0)
    >>> choice.name, round(choice.skill, 1)
    ('blend', 1.0)
    """
    measures = [*PAPER_MEASURES, measure_named(scoring).name]
    random = validation.random_generator(random_state)
    validation.check_rows(X=X, D=D, sample_weight=sample_weight)
    X, D = indexable(X, D)
    degrees = validation.as_distributions(D, name="D (the label distributions)")
    weight = check_weights(sample_weight, degrees)
    weight, X, D, degrees = weighted_rows(cv, weight, X, D, degrees)
    sample = _sample(Table(X, degrees, weight), cv, random)
    folds = split_rows(sample.X, sample.D, cv, random)
    if candidates is None:
        compared = default_candidates(
            degrees.shape,
            _n_features(X),
            training_rows=min(len(train) for train, _ in folds),
            sparse=issparse(X),
            scoring=scoring,
            random_state=int(random.randint(2**31)),
            prepare=prepare,
            prepare_linear=prepare_linear or {},
        )
    else:
        compared = {name: Candidate(given, prepare) for name, given in candidates.items()}
    constant = _constant_learner(sample, prepare, scoring)
    compared = {constant_name(scoring): Candidate(constant, prepare), **compared}
    trials = _compare(compared, sample, folds, measures, callback)
    _check_failures(trials[1:])
    members = [trial for trial in trials if not trial.failure]
    held_out = [sample.rows(test) for _, test in folds]
    blend = None
    if len(compared) > 2:
        blend = _blend(members, held_out, measures)
        trials.append(blend)
    chosen = _select(members, blend, scoring, allow_mean)
    skill = chosen.skill(trials[0], scoring)
    is_selected = allow_mean or len(members) > 2
    if is_selected and chosen is not trials[0] and len(folds) > 2:
        skill = _skill_of_selection(members, blend, scoring, allow_mean)
    shares = None
    if chosen is blend:
        shares = _learner_weights(members, held_out)
        learner = _final_blend(members, shares, compared)
        shares = shares[shares > 0]
    else:
        learner = compared[chosen.name].pipeline(final=True)
    estimator, messages = _fit_with_warnings(learner, X, D, weight, shares)
    if weight is not None and not validation.weights_for(estimator, weight):
        messages += (f"{chosen.name} is fitted without weights; they enter its scores only.",)
    callback(len(compared) + 1, len(compared) + 1, chosen.name)
    rows = [_table_row(trial, trials[0], scoring) for trial in trials]
    return Choice(
        estimator=estimator,
        name=chosen.name,
        skill=skill,
        table=LearnerTable(rows, scoring, trials),
        predictions=chosen.predictions,
        truth=np.concatenate([sample.D[test] for _, test in folds]),
        is_clear=chosen.is_clearly_better(trials[0], scoring),
        scoring=scoring,
        n_rows=len(degrees),
        compared_rows=len(sample.D),
        n_folds=len(folds),
        warnings=messages,
    )


def _compare(
    candidates: Mapping[str, Candidate],
    sample: Table,
    folds: Sequence[Fold],
    measures: Sequence[str],
    callback: Callback,
) -> list[Trial]:
    """Cross-validate all candidates. Those with the same preparation share its output."""
    trials: list[Trial] = []
    parts: list[tuple[Table, Table]] = []
    last = object()
    for name, candidate in candidates.items():
        if candidate.prepare is not last:
            parts = prepare_folds(candidate.prepare, sample, folds)
            last = candidate.prepare
        may_fail = bool(trials)  # not the mean, whose errors come from the input
        trial = cross_validate(name, candidate.learner, parts, measures, may_fail=may_fail)
        trials.append(replace(trial, estimator=candidate.pipeline()))
        callback(len(trials), len(candidates) + 1, name)
    return trials


def _blend(trials: Sequence[Trial], held_out: Sequence[Table], measures: Sequence[str]) -> Trial:
    """Return the trial of the blend, which has weights from the other folds in each fold."""
    predictions = []
    fold_of_row = np.repeat(np.arange(len(held_out)), [len(table.D) for table in held_out])
    for fold in range(len(held_out)):
        inside = fold_of_row == fold
        weights = _learner_weights(trials, held_out, ~inside)
        parts = [trial.predictions[inside] for trial in trials]
        predictions.append(pool(parts, weights))
    blend = BlendedLearner([(trial.name, trial.estimator) for trial in trials])
    return score_predictions(BLEND, blend, predictions, held_out, measures)


def _learner_weights(
    trials: Sequence[Trial], held_out: Sequence[Table], rows: Any = slice(None)
) -> Array:
    """Return the weights of a blend by the predictions of some of the held-out rows."""
    truth = np.concatenate([table.D for table in held_out])
    weight = None
    if held_out[0].weight is not None:
        weight = np.concatenate([table.weight for table in held_out])[rows]
    return pool_weights([trial.predictions[rows] for trial in trials], truth[rows], weight)


def _final_blend(
    trials: Sequence[Trial], shares: Array, candidates: Mapping[str, Candidate]
) -> BlendedLearner:
    """Return the unfitted blend of the learners with a positive weight."""
    learners = []
    for trial, share in zip(trials, shares, strict=True):
        if share:
            learners.append((trial.name, candidates[trial.name].pipeline(final=True)))
    return BlendedLearner(learners)


def _select(members: Sequence[Trial], blend: Trial | None, scoring: str, allow_mean: bool) -> Trial:
    """Return the trial of the blend if it is worthwhile, or else the one that `pick` selects."""
    chosen = pick(members, scoring, allow_mean=allow_mean)
    is_informed = chosen is not members[0]
    if blend and is_informed and _is_worthwhile(blend, _best(members, scoring), scoring):
        return blend
    return chosen


def _skill_of_selection(
    members: Sequence[Trial], blend: Trial | None, scoring: str, allow_mean: bool
) -> float:
    """Return the skill of the trials that the other folds select in each fold.

    A positive skill of less than two standard errors is zero.
    """
    baseline = members[0]
    weights = baseline.weights
    trials = [*members, blend] if blend else members
    by_name = {trial.name: trial for trial in trials}
    scores = np.empty(len(weights))
    for fold in range(len(weights)):
        rest = [trial.without(fold) for trial in members]
        rest_of_blend = blend.without(fold) if blend else None
        selected = _select(rest, rest_of_blend, scoring, allow_mean)
        scores[fold] = by_name[selected.name].scores[scoring][fold]
    selection = replace(baseline, scores={scoring: scores})
    skill = selection.skill(baseline, scoring)
    is_clear = selection.is_clearly_better(baseline, scoring, CLEAR_SKILL)
    return skill if is_clear else min(skill, 0.0)


def _is_worthwhile(blend: Trial, best: Trial, scoring: str) -> bool:
    """Return whether a blend is clearly better than the best learner, and not just by little."""
    gain = MEASURES[scoring].sign * (blend.mean(scoring) - best.mean(scoring))
    is_large = gain > MIN_BLEND_GAIN * abs(best.mean(scoring))
    return is_large and blend.is_clearly_better(best, scoring)


def _best(trials: Sequence[Trial], scoring: str) -> Trial:
    """Return the trial with the best mean score."""
    sign = MEASURES[scoring].sign
    return max(trials, key=lambda trial: sign * trial.mean(scoring))


def _sample(table: Table, cv: Any, random: np.random.RandomState) -> Table:
    """Return a random sample of a large table, unless `cv` refers to positions of rows."""
    n_rows = len(table.D)
    affordable = MAX_CELLS // _n_features(table.X)
    most = min(MAX_ROWS, max(MIN_ROWS, affordable))
    if n_rows <= most or lists_rows(cv):
        return table
    rows = np.sort(random.choice(n_rows, most, replace=False))
    return table.rows(rows)


def _n_features(X: Any) -> int:
    """Return the number of columns, 1 for a list of texts."""
    return max(1, math.prod(np.shape(X)[1:]))


def _constant_learner(sample: Table, prepare: Any, scoring: str) -> Any:
    """Return a learner of the best constant for a measure that accepts the features."""
    if not is_mean(scoring):
        return BestConstant(scoring)
    mean = MeanDistribution()
    if prepare is not None:
        return mean
    try:
        return mean.fit(*sample)
    except ValueError:  # texts, for instance, which the candidates may accept
        from sklearn.dummy import DummyClassifier
        from sklearn.pipeline import make_pipeline

        return SoftLabelClassifier(make_pipeline(DummyClassifier()))  # ignores the features


def _check_failures(trials: Sequence[Trial]) -> None:
    """Raise an error if all candidates failed."""
    failures = [f"{trial.name} failed: {trial.failure}" for trial in trials if trial.failure]
    if failures and len(failures) == len(trials):
        raise ValueError("; ".join(failures))


def pick(trials: Sequence[Trial], scoring: str, *, allow_mean: bool = True) -> Trial:
    """Return the trial that the one-standard-error rule of `choose_learner` selects."""
    baseline, *others = trials
    simplest_first = [trial for trial in others if not trial.failure]
    if allow_mean:
        simplest_first = [
            trial
            for trial in simplest_first
            if trial.is_clearly_better(baseline, scoring, QUALIFYING)
        ]
    if not simplest_first:
        return baseline
    sign = MEASURES[scoring].sign
    scores = np.array([sign * trial.mean(scoring) for trial in simplest_first])
    best = simplest_first[int(np.argmax(scores))]
    # An erratic learner has a large standard error, so that the best one does not clearly beat it.
    # It is left out if a simpler one is better.
    is_best_so_far = scores == np.maximum.accumulate(scores)
    for trial, may_be_chosen in zip(simplest_first, is_best_so_far, strict=True):
        if may_be_chosen and not best.is_clearly_better(trial, scoring):
            return trial
    return best


def _fit_with_warnings(
    learner: Any, X: Any, D: Any, weight: Array | None, shares: Array | None
) -> tuple[Any, tuple[str, ...]]:
    """Return a fitted copy of a learner, and the distinct warnings of its fit.

    `shares` are the known weights of the learners of a blend, None for other learners.
    """
    estimator = clone(learner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if shares is None:
            estimator.fit(X, D, **validation.weights_for(learner, weight))
        else:
            estimator._fit_with_weights(X, D, weight, shares)
    messages = [
        f"{warning.category.__name__}: {warning.message}"
        for warning in caught
        if not issubclass(warning.category, LabelWarning)  # issued before, when D was checked
    ]
    return estimator, tuple(dict.fromkeys(messages))


def _table_row(trial: Trial, baseline: Trial, scoring: str) -> dict[str, Any]:
    row: dict[str, Any] = {"name": trial.name}
    for measure in baseline.scores:  # the six of the paper and `scoring`
        row[measure] = None if trial.failure else trial.mean(measure)
        row[f"{measure}_deviation"] = None if trial.failure else float(trial.scores[measure].std())
    row["skill"] = None if trial.failure else trial.skill(baseline, scoring)
    row["seconds"] = trial.seconds
    row["failure"] = trial.failure or None
    return row
