"""Choice of a learner by cross-validation and the one-standard-error rule."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist import _validation as validation
from labeldist._typing import Array, Watch, show_nothing
from labeldist.exceptions import LabelWarning
from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._boosting import DistributionBoosting
from labeldist.learning._cross_validation import (
    Table,
    Trial,
    cross_validate,
    lists_rows,
    prepared,
    split_rows,
    weighted_rows,
)
from labeldist.learning._forest import DistributionForest
from labeldist.learning._learner import MeanDistribution, check_weights
from labeldist.learning._soft_label_classifier import SoftLabelClassifier
from labeldist.learning._softmax_regression import SoftmaxRegressionCV
from labeldist.metrics import MEASURES, PAPER_MEASURES

# The comparison uses a random sample of larger tables: at most MAX_ROWS rows and about MAX_CELLS
# values of features, but at least MIN_ROWS rows.
MAX_ROWS = 3_000
MAX_CELLS = 3_000_000
MIN_ROWS = 500

# Number of standard errors by which a learner must exceed the mean distribution. With little
# signal, such as that of the votes on ChaosNLI, a regularised learner that is not clearly better is
# still better on average.
QUALIFYING = 0.5

# Settings of the default candidates.
THE_MEAN = "the mean"
RECONSTRUCTIONS = (1e-3, 1.0, 1e3)  # the eight of the paper change no benchmark score by 1 %
N_COMPONENTS = 1000
MAX_KERNEL_VALUES = 50_000_000  # rows × kernel components, about 400 MB
MAX_LEAF_DEGREES = 25_000_000  # degrees in the leaves of a forest, about 400 MB
FOREST: dict[str, Any] = {"n_estimators": 200, "max_features": 1 / 3}
QUICK_FOREST: dict[str, Any] = {"n_estimators": 40, "max_features": "sqrt"}
MIN_SAMPLES_LEAF = 3
BOOSTING: dict[str, Any] = {"n_estimators": 200, "learning_rate": 0.1}
QUICK_BOOSTING: dict[str, Any] = {"n_estimators": 80, "learning_rate": 0.2}


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
        Its skill on the held-out rows: 1 − KL / KL of the mean distribution.
    table : list of dict
        One row per learner: name, mean and standard deviation of each measure, skill, seconds,
        failure.
    trials : tuple of Trial
        Scores and predictions of all learners, the mean distribution first.
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
    table: list[dict[str, Any]] = field(repr=False)
    trials: tuple[Trial, ...] = field(repr=False)
    truth: Array = field(repr=False)
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
) -> Choice:
    """Choose a learner by cross-validation and the one-standard-error rule.

    All learners are scored on the same shuffled folds. A learner is clearly better than another if
    its mean gain exceeds one standard error of the gains in the folds. Among the learners whose
    gain over the mean distribution exceeds half a standard error, the best one sets the standard,
    and the simplest one that it does not clearly beat, and that is no worse than any simpler one,
    is chosen. If there are none, the mean distribution is chosen.

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
        One of `labeldist.metrics.MEASURES`.
    prepare : transformer, default=None
        Fitted before every learner on the same rows. The chosen estimator is then a pipeline that
        starts with it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the scores and for the learners that take weights. Rows of weight zero are left
        out, unless `cv` is a ``PredefinedSplit``.
    random_state : int, RandomState instance or None, default=None
        Determines the sample of rows, the folds and the random numbers of the default candidates.

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
    default forest and boosted trees are smaller in the comparison than in the final fit, so their
    scores tend to be lower.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import AAKNN, BDLDL, choose_learner
    >>> X, D = make_artificial(300, random_state=0)
    >>> candidates = {"linear": BDLDL(), "neighbours": AAKNN()}
    >>> choice = choose_learner(X, D, candidates=candidates, random_state=0)
    >>> choice.name, round(choice.skill, 1)
    ('neighbours', 1.0)
    """
    return choose_among(
        X,
        D,
        candidates=candidates,
        cv=cv,
        scoring=scoring,
        prepare=prepare,
        sample_weight=sample_weight,
        random_state=random_state,
    )


def choose_among(
    X: Any,
    D: Any,
    *,
    candidates: Mapping[str, Any] | None,
    cv: Any,
    prepare: Any,
    sample_weight: Any,
    random_state: Any,
    scoring: str = "kl_divergence",
    watch: Watch = show_nothing,
    only: Callable[[Any], bool] | None = None,
    requested: bool = False,
) -> Choice:
    """Choose a learner as `choose_learner` does, with three more options for the command.

    ``watch(done, total, name)`` is called after each learner and after the final fit. Candidates
    for which `only` is false are left out. `requested` chooses the last candidate.
    """
    measures = [*PAPER_MEASURES, scoring]
    random = validation.random_generator(random_state)
    validation.check_rows(X=X, D=D, sample_weight=sample_weight)
    X, D = indexable(X, D)
    degrees = validation.as_distributions(D, name="D (the label distributions)")
    weight = check_weights(sample_weight, degrees)
    weight, X, D, degrees = weighted_rows(cv, weight, X, D, degrees)
    sample = _sample(Table(X, degrees, weight), cv, random)
    folds = split_rows(sample.X, sample.D, cv, random)
    final: Mapping[str, Any] = {}
    if candidates is None:
        smallest = min(len(train) for train, _ in folds)
        seed = int(random.randint(2**31))
        options: dict[str, Any] = {
            "training_rows": smallest,
            "sparse": issparse(X),
            "scoring": scoring,
            "random_state": seed,
        }
        candidates = default_candidates(degrees.shape, quick=True, **options)
        final = default_candidates(degrees.shape, quick=False, **options)
    if only is not None:
        candidates = {name: learner for name, learner in candidates.items() if only(learner)}
    mean = _mean_learner(sample, prepare)
    learners = {THE_MEAN: mean, **candidates}
    n_steps = len(learners) + 1
    trials: list[Trial] = []
    for name, learner in learners.items():
        whole = prepared(prepare, learner)
        may_fail = bool(trials)  # not the mean, whose errors are those of the input
        trials.append(cross_validate(name, whole, sample, folds, measures, may_fail=may_fail))
        watch(len(trials), n_steps, name)
    _check_failures(trials[1:])
    chosen = trials[-1] if requested else pick(trials, scoring)
    learner = prepared(prepare, final.get(chosen.name, learners[chosen.name]))
    estimator, messages = _fit_with_warnings(learner, X, D, weight)
    watch(n_steps, n_steps, chosen.name)
    return Choice(
        estimator=estimator,
        name=chosen.name,
        skill=chosen.skill(trials[0]),
        table=[_table_row(trial, trials[0]) for trial in trials],
        trials=tuple(trials),
        truth=np.concatenate([sample.D[test] for _, test in folds]),
        scoring=scoring,
        n_rows=len(degrees),
        compared_rows=len(sample.D),
        n_folds=len(folds),
        warnings=messages,
    )


def _sample(table: Table, cv: Any, random: np.random.RandomState) -> Table:
    """Return a random sample of a large table, unless `cv` refers to positions of rows."""
    n_rows = len(table.D)
    n_features = math.prod(np.shape(table.X)[1:])  # 1 for a list of texts
    affordable = MAX_CELLS // max(1, n_features)
    most = min(MAX_ROWS, max(MIN_ROWS, affordable))
    if n_rows <= most or lists_rows(cv):
        return table
    rows = np.sort(random.choice(n_rows, most, replace=False))
    return table.rows(rows)


def _mean_learner(sample: Table, prepare: Any) -> Any:
    """Return a learner of the mean that accepts the features."""
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


def pick(trials: Sequence[Trial], scoring: str) -> Trial:
    """Return the trial that the one-standard-error rule of `choose_learner` selects."""
    baseline, *others = trials
    simplest_first = [
        trial
        for trial in others
        if not trial.failure and trial.is_clearly_better(baseline, scoring, QUALIFYING)
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
    learner: Any, X: Any, D: Any, weight: Array | None
) -> tuple[Any, tuple[str, ...]]:
    """Return a fitted copy of a learner, and the distinct warnings of its fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = clone(learner).fit(X, D, **validation.weights_for(learner, weight))
    messages = [
        f"{warning.category.__name__}: {warning.message}"
        for warning in caught
        if not issubclass(warning.category, LabelWarning)  # issued before, when D was checked
    ]
    return estimator, tuple(dict.fromkeys(messages))


def _table_row(trial: Trial, baseline: Trial) -> dict[str, Any]:
    row: dict[str, Any] = {"name": trial.name}
    for measure in baseline.scores:  # the six of the paper and `scoring`
        row[measure] = None if trial.failure else trial.mean(measure)
        row[f"{measure}_deviation"] = None if trial.failure else float(trial.scores[measure].std())
    row["skill"] = None if trial.failure else trial.skill(baseline)
    row["seconds"] = trial.seconds
    row["failure"] = trial.failure or None
    return row


def default_candidates(
    shape: tuple[int, ...],
    *,
    quick: bool,
    training_rows: int,
    sparse: bool,
    scoring: str,
    random_state: int,
) -> dict[str, Any]:
    """Return unfitted learners by name, the simplest first.

    `shape` is the number of rows and of labels, and `training_rows` is the size of the smallest
    training fold. Sparse features have no kernel candidate. Candidates for the comparison are
    `quick`: they have fewer trees and inner folds.
    """
    # scikit-learn's pipelines and scalers are slow to import.
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    n_rows, n_labels = shape
    folds = min(3 if quick else 5, max(2, training_rows))
    search: dict[str, Any] = {"cv": folds, "scoring": scoring, "random_state": random_state}
    softmax = SoftmaxRegressionCV(tol=1e-4, **search)
    scaler = StandardScaler(with_mean=not sparse)
    candidates: dict[str, Any] = {
        "softmax regression": softmax,
        "softmax regression on standardised features": make_pipeline(scaler, softmax),
        "linear (BD-LDL)": BDLDLCV(RECONSTRUCTIONS, **search),
        "linear on standardised features (BD-LDL)": BDLDLCV(RECONSTRUCTIONS, scale=True, **search),
    }
    if not sparse:
        n_components = min(N_COMPONENTS, MAX_KERNEL_VALUES // n_rows)
        kernel = KernelFeatures(n_components=n_components, random_state=random_state)
        # On kernel features the reconstruction and the number of folds hardly matter.
        linear = BDLDLCV(RECONSTRUCTIONS[:1], **search | {"cv": 2})
        candidates["kernel (BD-LDL)"] = make_pipeline(kernel, linear)
    forest = QUICK_FOREST if quick else FOREST
    boosting = QUICK_BOOSTING if quick else BOOSTING
    smallest_leaf = math.ceil(FOREST["n_estimators"] * n_rows * n_labels / MAX_LEAF_DEGREES)
    candidates["random trees (DistributionForest)"] = DistributionForest(
        **forest,
        min_samples_leaf=max(MIN_SAMPLES_LEAF, smallest_leaf),
        random_state=random_state,
    )
    candidates["boosted trees (DistributionBoosting)"] = DistributionBoosting(
        **boosting, random_state=random_state
    )
    return candidates
