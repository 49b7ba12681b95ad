"""Choice of a learner by cross-validation and the one-standard-error rule."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist import _validation as validation
from labeldist._compat import _safe_indexing
from labeldist._typing import Array
from labeldist.exceptions import LabelWarning
from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._cross_validation import Trial, cross_validate, lists_rows, prepared, split_rows, weighted_rows
from labeldist.learning._forest import DistributionBoosting, DistributionForest
from labeldist.learning._learner import MeanDistribution, check_weights
from labeldist.learning._soft_label import SoftLabelClassifier
from labeldist.learning._softmax_regression import SoftmaxRegressionCV
from labeldist.metrics import MEASURES, PAPER_MEASURES
from labeldist.metrics._skill import describe_skill

# The comparison uses a random sample of larger tables: at most MAX_ROWS rows and about MAX_CELLS values of features,
# but at least MIN_ROWS rows. With fewer than FEW_ROWS rows the paragraph calls the scores rough.
MAX_ROWS, MAX_CELLS, MIN_ROWS, FEW_ROWS = 3_000, 3_000_000, 500, 100
# The paragraph has a caution if a larger share of the rows repeats the features of at least so many items.
MANY_REPEATED, MIN_ITEMS = 0.05, 20
# It has a caution if one of more than MIN_DISTINCT values of a feature is farther from the others than FAR times their
# range.
MIN_DISTINCT, FAR = 10, 5

# Number of standard errors by which a learner must exceed the mean distribution. With little signal, as in the votes on
# ChaosNLI, a regularised learner that is not clearly better is still better on average.
QUALIFYING = 0.5

# Settings of the default candidates.
THE_MEAN = "the mean"
RECONSTRUCTIONS = (1e-3, 1.0, 1e3)  # the grid of the paper has eight, which change no score of a benchmark set by 1 %
N_COMPONENTS = 1000
MAX_KERNEL_VALUES = 50_000_000  # rows × kernel components, about 400 MB
MAX_LEAF_DEGREES = 25_000_000  # degrees in the leaves of a forest, about 400 MB
TREES, COMPARED_TREES = (200, 1 / 3), (40, "sqrt")  # number of trees and share of features
MIN_SAMPLES_LEAF = 3
ROUNDS, COMPARED_ROUNDS = (200, 0.1), (80, 0.2)  # number of rounds and learning rate


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
        One row per learner: name, mean and standard deviation of each measure, skill, seconds, failure.
    paragraph : str
        Three sentences: the comparison, the choice, and reasons for caution, if any.
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

    estimator: Any
    name: str
    skill: float
    table: list[dict[str, Any]] = field(repr=False)
    paragraph: str
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
    watch: Callable[[int, int, str], None] | None = None,
    insist: bool = False,
    only: Callable[[Any], bool] | None = None,
) -> Choice:
    """Choose a learner by cross-validation and the one-standard-error rule.

    All learners are scored on the same shuffled folds. A learner is clearly better than another if its mean gain
    exceeds one standard error of the gains in the folds. Among the learners whose gain over the mean distribution
    exceeds half a standard error, the best one sets the standard, and the simplest one that it does not clearly beat,
    and that is no worse than any simpler one, is chosen. If there are none, the mean distribution is chosen.

    Parameters
    ----------
    X : array-like, table or sparse matrix of shape (n_samples, n_features)
        Features.
    D : array-like of shape (n_samples, n_labels)
        Label distributions: non-negative degrees, normalised to a sum of one per row.
    candidates : mapping of str to estimator, default=None
        Learners by name, the simplest first; the mean distribution is always added. None compares linear and kernel
        BD-LDL, softmax regression, a forest and boosted trees.
    cv : int or splitter, default=5
        Number of shuffled folds, at most one per row, or a splitter.
    scoring : str, default="kl_divergence"
        One of `labeldist.metrics.MEASURES`.
    prepare : transformer, default=None
        Fitted before every learner on the same rows. The chosen estimator is then a pipeline that starts with it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the scores and for the learners that take weights. Rows of weight zero are left out, unless `cv` is
        a ``PredefinedSplit``.
    random_state : int, RandomState instance or None, default=None
        Determines the sample of rows, the folds and the random numbers of the default candidates.
    watch : callable, default=None
        Called as ``watch(done, total, name)`` after each fold of each learner and after the final fit.
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

    Notes
    -----
    The comparison uses at most 3,000 rows and about 3 million values of features, drawn at random. A learner that
    raises an error is left out, and its error is in ``Choice.table``. For speed, the default forest and
    boosted trees are smaller in the comparison than in the final fit, so their scores tend to be lower.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import AAKNN, BDLDL, choose_learner
    >>> X, D = make_artificial(300, random_state=0)
    >>> choice = choose_learner(X, D, candidates={"linear": BDLDL(), "neighbours": AAKNN()}, random_state=0)
    >>> choice.name, round(choice.skill, 1)
    ('neighbours', 1.0)
    """
    if scoring not in MEASURES:
        raise ValueError(f"scoring must be one of {', '.join(MEASURES)}; got {scoring!r}.")
    random = validation.random_generator(random_state)
    validation.check_rows_are_equally_long(D)
    validation.check_rows(X=X, D=D, sample_weight=sample_weight)
    X, D = indexable(X, D)
    degrees = validation.as_distributions(validation.label_table(D), name="D (the label distributions)")
    weight, X, D, degrees = weighted_rows(cv, check_weights(sample_weight, degrees), X, D, degrees)
    n_features = math.prod(np.shape(X)[1:])  # 1 for a list of texts
    rows = np.arange(len(degrees))
    most = min(MAX_ROWS, max(MIN_ROWS, MAX_CELLS // max(1, n_features)))
    if len(rows) > most and not lists_rows(cv):
        rows = np.sort(random.choice(rows, most, replace=False))
    table = _safe_indexing(X, rows), degrees[rows], None if weight is None else weight[rows]
    folds = split_rows(table[0], table[1], cv, random)
    final: Mapping[str, Any] = {}
    if candidates is None:
        smallest, seed = min(len(train) for train, _ in folds), int(random.randint(2**31))
        make = partial(default_candidates, degrees.shape, smallest, sparse=issparse(X), scoring=scoring)
        candidates, final = (make(quick=quick, random_state=seed) for quick in (True, False))
    if not isinstance(candidates, Mapping):
        raise TypeError(f"candidates must map names to learners; got {type(candidates).__name__}.")
    if THE_MEAN in candidates and not isinstance(candidates[THE_MEAN], MeanDistribution):
        raise TypeError(f"{THE_MEAN!r} is the name of the mean distribution. Rename the candidate.")
    if only is not None:
        candidates = {name: learner for name, learner in candidates.items() if only(learner)}
    learners = _baseline_first(candidates, table if prepare is None else None)
    learners = {name: prepared(prepare, learner) for name, learner in learners.items()}
    total = len(folds) * len(learners) + 1

    def report(name: str, done: int, fold: int) -> None:
        if watch is not None:
            watch(done + fold, total, name)

    measures = [*PAPER_MEASURES, scoring]
    trials = [
        cross_validate(
            name, learner, table, folds, partial(report, name, i * len(folds)), may_fail=i > 0, measures=measures
        )
        for i, (name, learner) in enumerate(learners.items())
    ]
    chosen = pick(trials, scoring, insist)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner = prepared(prepare, final[chosen.name]) if chosen.name in final else chosen.estimator
        estimator = clone(learner).fit(X, D, **validation.weights_for(learner, weight))
    # The warnings about labels have already been issued above.
    others = [warning for warning in caught if not issubclass(warning.category, LabelWarning)]
    messages = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in others)
    report(chosen.name, total, 0)
    drawn = f" drawn at random from {len(degrees):,}" if len(rows) < len(degrees) else ""
    succeeded = sum(not trial.failure for trial in trials[1:])
    sentences = [
        f"Learners compared with the mean distribution by cross-validation: {succeeded}, on {len(rows):,} rows"
        f"{drawn}, {len(folds)} folds.",
        _verdict(chosen, trials, scoring, insist),
        _caution(chosen, trials, scoring, len(rows), _n_repeated(table[0]), _far_values(table[0])),
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
        warnings=tuple(messages),
    )


def pick(trials: Sequence[Trial], scoring: str, insist: bool = False) -> Trial:
    """Return the trial that the one-standard-error rule of `choose_learner` selects."""
    baseline, *others = trials
    better = [t for t in others if not t.failure and (insist or t.is_clearly_better(baseline, scoring, QUALIFYING))]
    if others and not better and (insist or all(trial.failure for trial in others)):
        raise ValueError("; ".join(f"{trial.name} failed: {trial.failure}" for trial in others))
    if not better:
        return baseline
    direction = 1 if MEASURES[scoring].higher_is_better else -1
    scores = [direction * trial.mean(scoring) for trial in better]
    best = better[int(np.argmax(scores))]
    # An erratic learner has a large standard error, so that the best one does not clearly beat it. It is left out if a
    # simpler one is better.
    among = [trial for i, trial in enumerate(better) if scores[i] == max(scores[: i + 1])]
    return next(trial for trial in among if trial is best or not best.is_clearly_better(trial, scoring))


def _baseline_first(candidates: Mapping[str, Any], table: Any) -> dict[str, Any]:
    means = {name: learner for name, learner in candidates.items() if isinstance(learner, MeanDistribution)}
    mean: Any = MeanDistribution()
    try:
        if table is not None:
            mean.fit(*table)
    except ValueError:  # texts, for instance, which the candidates may accept
        from sklearn.dummy import DummyClassifier
        from sklearn.pipeline import make_pipeline

        mean = SoftLabelClassifier(make_pipeline(DummyClassifier()))  # it does not read the features
    return {**(means or {THE_MEAN: mean}), **candidates}


def _table_row(trial: Trial, baseline: Trial) -> dict[str, Any]:
    row: dict[str, Any] = {"name": trial.name}
    for measure in baseline.scores:  # the six of the paper and `scoring`
        row[measure] = None if trial.failure else trial.mean(measure)
        row[f"{measure}_deviation"] = None if trial.failure else float(trial.scores[measure].std())
    row["skill"] = None if trial.failure else trial.skill(baseline)
    return {**row, "seconds": trial.seconds, "failure": trial.failure or None}


def _verdict(chosen: Trial, trials: Sequence[Trial], scoring: str, insist: bool) -> str:
    baseline = trials[0]
    if chosen is baseline:
        reason = ", because no learner is better" if len(trials) > 1 else ""
        return f"Chosen: {chosen.name}{reason}. It predicts the same for every row."
    share = chosen.skill(baseline)
    figures = f"{MEASURES[scoring].title} {chosen.mean(scoring):.3g} instead of {baseline.mean(scoring):.3g}"
    return f"{'Requested' if insist else 'Chosen'}: {chosen.name}; it {describe_skill(share)} ({figures})."


def _n_repeated(X: Any) -> int:
    """Return how many rows repeat the features of an earlier row, if one of several distinguishes all distinct rows."""
    columns = np.empty((0, 0)) if issparse(X) else np.asarray(X).reshape(np.shape(X)[0], -1).T
    if len(columns) < 2:
        return 0
    codes = [np.unique(x.astype(str) if x.dtype == object else x, return_inverse=True)[1] for x in columns]
    n_distinct = len({row.tobytes() for row in np.column_stack(codes)})
    are_items = n_distinct >= MIN_ITEMS and max(code.max() for code in codes) + 1 == n_distinct
    return columns.shape[1] - n_distinct if are_items else 0


def _far_values(X: Any) -> list[str]:
    """Return values far from all others of their feature, such as a 9999 that stands for a missing value."""
    if issparse(X):
        return []
    columns, found = np.asarray(X).reshape(np.shape(X)[0], -1).T, []
    for name, column in zip(validation.column_names(X) or range(len(columns)), columns, strict=True):
        with suppress(TypeError, ValueError), np.errstate(over="ignore"):  # words have no distances
            x = np.unique(column.astype(np.float64))
            x = x[np.isfinite(x)]
            for far, near, other_end in (x[[-1, -2, 0]], x[[0, 1, -1]]) if len(x) > MIN_DISTINCT else ():
                if abs(far - near) > FAR * abs(near - other_end):
                    found.append(f"{far:g} in feature {name}")
    return found


def _caution(
    chosen: Trial, trials: Sequence[Trial], scoring: str, n_rows: int, n_repeated: int, far: Sequence[str]
) -> str:
    reasons = [f"{trial.name} failed and was left out ({trial.failure})" for trial in trials if trial.failure]
    if chosen is not trials[0] and not chosen.is_clearly_better(trials[0], scoring):
        reasons.append(f"{chosen.name} is not clearly better than the mean")
    if n_rows < FEW_ROWS:
        reasons.append(f"scores on {n_rows} rows are rough")
    if chosen is not trials[0] and n_repeated > MANY_REPEATED * n_rows:
        found = f"{n_repeated} rows have the same features as earlier rows"
        reasons.append(f"{found}; if these describe the same items, the scores are too high")
    if far:
        more = f" (and {len(far) - 1} more)" if len(far) > 1 else ""
        reasons.append(f"{far[0]}{more} is far from all other values; if it means that a value is missing, replace it")
    return f"Caution: {'; '.join(reasons)}." if reasons else ""


def default_candidates(
    shape: tuple[int, int], training_rows: int, *, sparse: bool, scoring: str, quick: bool, random_state: int
) -> dict[str, Any]:
    """Return unfitted learners by name, the simplest first, for a table with this number of rows and labels.

    `training_rows` is the size of the smallest training fold. Sparse features have no kernel candidate. Candidates for
    the comparison are `quick`: they have fewer trees and inner folds.
    """
    n_rows, n_labels = shape
    # scikit-learn's pipelines and scalers are slow to import.
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def bdldl(reconstructions: Any, cv: int, scale: bool = False) -> BDLDLCV:
        return BDLDLCV(reconstructions, scale=scale, cv=cv, scoring=scoring, random_state=random_state)

    folds = min(3 if quick else 5, max(2, training_rows))
    softmax = SoftmaxRegressionCV(cv=folds, scoring=scoring, tol=1e-4, random_state=random_state)
    candidates = {
        THE_MEAN: MeanDistribution(),
        "softmax regression": softmax,
        "softmax regression on standardised features": make_pipeline(StandardScaler(with_mean=not sparse), softmax),
        "linear (BD-LDL)": bdldl(RECONSTRUCTIONS, folds),
        "linear on standardised features (BD-LDL)": bdldl(RECONSTRUCTIONS, folds, scale=True),
    }
    if not sparse:
        n_components = min(N_COMPONENTS, max(1, MAX_KERNEL_VALUES // n_rows))
        kernel = KernelFeatures(n_components=n_components, random_state=random_state)
        # On kernel features the reconstruction and the number of folds hardly matter.
        candidates["kernel (BD-LDL)"] = make_pipeline(kernel, bdldl(RECONSTRUCTIONS[:1], 2))
    trees, max_features = COMPARED_TREES if quick else TREES
    rounds, rate = COMPARED_ROUNDS if quick else ROUNDS
    leaf = max(MIN_SAMPLES_LEAF, math.ceil(TREES[0] * n_rows * n_labels / MAX_LEAF_DEGREES))
    options: dict[str, Any] = {"max_features": max_features, "random_state": random_state}
    forest = DistributionForest(trees, min_samples_leaf=leaf, **options)
    boosting = DistributionBoosting(rounds, learning_rate=rate, random_state=random_state)
    return {**candidates, "random trees (DistributionForest)": forest, "boosted trees (DistributionBoosting)": boosting}
