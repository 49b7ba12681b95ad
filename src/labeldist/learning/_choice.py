"""Which learner suits a table: cross-validate several against the mean, choose one, and say so in plain words."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import indexable

from labeldist._typing import Array
from labeldist._validation import as_distributions, check_rows_are_equally_long, label_table, random_generator
from labeldist.exceptions import LabelWarning
from labeldist.learning._candidates import THE_MEAN, default_candidates
from labeldist.learning._choice_words import tell
from labeldist.learning._folds import fit_weighted, prepared, split_rows, take_rows
from labeldist.learning._learner import MeanDistribution, check_weights
from labeldist.learning._trials import Trial, distinct_messages, failed, spread_about, try_learner
from labeldist.metrics import MEASURES

MOST_ROWS = 3_000
"""Of more rows than this so many are drawn for the comparison."""

MOST_CELLS = 3_000_000
"""So many features in all are looked at in the comparison: of wide tables fewer rows are drawn."""

FEWEST_ROWS = 500
"""So many rows are looked at, however wide they are."""

Watch = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Choice:
    """A learner, and why it was chosen.

    Attributes
    ----------
    estimator : estimator
        The chosen one, fitted on all rows.
    name : str
    trials : tuple of Trial
        What came of each learner, simplest first; the first is the mean.
    scoring : str
        The measure that decided.
    n_rows, compared_rows : int
        How many rows there are, and on how many learners were compared.
    n_folds : int
        As many as rows were compared where so many, or more, were asked for.
    truth_spread : float
        How far the distributions are from their mean; see `Trial.spread`.
    seconds : float
    warnings : tuple of str
        What the fit on all rows warned of; those of the folds are in `trials`.
    insisted : bool
        Whether it was to be chosen even if it is no better than the mean.
    weighted : bool
        Whether there were weights, which not all learners take; see `Trial.takes_weights`.
    truth : ndarray
        The distributions of the rows that were held out, as those of `Trial.predictions`.
    """

    estimator: Any
    name: str
    trials: tuple[Trial, ...]
    scoring: str
    n_rows: int
    compared_rows: int
    n_folds: int
    truth_spread: float
    seconds: float
    warnings: tuple[str, ...] = field(default=())
    insisted: bool = False
    weighted: bool = False
    truth: Array = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def trivial(self) -> Trial:
        """The trial of the mean."""
        return self.trials[0]

    @property
    def chosen(self) -> Trial:
        """The trial of the chosen learner."""
        return next(trial for trial in self.trials if trial.name == self.name)

    @property
    def skill(self) -> float:
        """1 − KL / KL of the mean, over the rows that were held out, as in a learner's `score`."""
        return self.chosen.skill(self.trivial)

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row a learner: its name, each measure and its deviation over folds, skill, seconds, and why it failed."""
        return [_table_row(trial, self.trivial) for trial in self.trials]

    @property
    def paragraph(self) -> str:
        """What was compared, what was chosen, and how much better than nothing it is, for a person."""
        return tell(self)


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
    watch: Watch | None = None,
    insist: bool = False,
    only: Callable[[Any], bool] | None = None,
) -> Choice:
    """Choose the learner that predicts held-out rows best, or a simpler one that is about as good.

    All are fitted and scored on the same shuffled folds. One is clearly better than another if its mean gain is more
    than one standard error of the gains in the folds. Of those that are clearly better than the mean distribution, the
    simplest is chosen than which the best is not clearly better; if there are none, the mean.

    Parameters
    ----------
    X : array-like, table or sparse matrix of shape (n_samples, n_features)
    D : array-like of shape (n_samples, n_labels)
        Non-negative degrees; each row is divided by its sum.
    candidates : mapping of str to estimator, default=None
        Learners by name, the simplest first; the mean is always there. None is a linear and two kernel BD-LDL,
        maximum entropy, nearest neighbours and a forest, on standardised features where units count.
    cv : int or splitter, default=5
        An int is that many shuffled folds, or as many as there are rows.
    scoring : str, default="kl_divergence"
        One of `labeldist.metrics.MEASURES`.
    prepare : transformer, default=None
        Put before every learner and fitted with it, such as what `labeldist._tables.preparation.prepare_columns`
        returns. The chosen estimator is then a pipeline that begins with it.
    sample_weight : array-like of shape (n_samples,), default=None
        Used by learners that take weights, and in all scores; it is told where the chosen one takes none.
        Rows of weight zero are left out.
    random_state : int, RandomState instance or None, default=None
        How rows and folds are drawn, and what learners draw.
    watch : callable, default=None
        Called as ``watch(done, total, name)`` after each fold of each learner and after the last fit.
    insist : bool, default=False
        Choose the best candidate even if it is no better than the mean; then that is said.
    only : callable, default=None
        Says of a learner whether it comes into question, such as `labeldist.models.exportable`.

    Returns
    -------
    Choice

    Notes
    -----
    Of more than 3 000 rows, or 3 million features in all, so many are drawn for the comparison; the chosen learner is
    fitted on all rows. Warnings of the learners are recorded, which Python does for a whole process at a time.

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
    start = time.perf_counter()
    if scoring not in MEASURES:
        raise ValueError(f"scoring must be one of {', '.join(MEASURES)}; got {scoring!r}.")
    random = random_generator(random_state)
    check_rows_are_equally_long(D)
    X, D = indexable(X, D)
    degrees = as_distributions(label_table(D), name="D (the label distributions)")
    X, D, degrees, weight = _weighted_rows(X, D, degrees, sample_weight)
    rows = _drawn_rows(len(degrees), _n_features(X), random)
    table = take_rows(X, rows), degrees[rows], None if weight is None else weight[rows]
    folds = split_rows(table[0], table[1], cv, random)
    if candidates is None:
        candidates = default_candidates(
            len(degrees),
            degrees.shape[1],
            _n_features(X),
            training_rows=min(len(train) for train, _ in folds),
            sparse=issparse(X),
            scoring=scoring,
            random_state=int(random.randint(2**31)),
        )
    if only is not None:
        candidates = {name: learner for name, learner in candidates.items() if only(learner)}
    learners = {name: prepared(prepare, learner) for name, learner in _beginning_with_the_mean(candidates).items()}
    progress = _Progress(watch, len(folds), list(learners))
    trials = [
        # What the mean cannot be fitted on, nothing can.
        try_learner(name, learner, table, folds, progress.one_fold_of(name), may_fail=place > 0)
        for place, (name, learner) in enumerate(learners.items())
    ]
    name, estimator, told = _fit_best(trials, scoring, (X, D, weight), insist)
    progress.finish(name)
    return Choice(
        estimator=estimator,
        name=name,
        trials=tuple(trials),
        scoring=scoring,
        n_rows=len(degrees),
        compared_rows=len(rows),
        n_folds=len(folds),
        truth_spread=spread_about(table[1], table[1].mean(axis=0)),
        seconds=time.perf_counter() - start,
        warnings=told,
        insisted=insist,
        weighted=weight is not None,
        truth=np.concatenate([table[1][test] for _, test in folds]),
    )


def pick(trials: list[Trial], scoring: str, insist: bool = False) -> Trial:
    """Return the simplest trial that is about as good as the best, by the rule of `choose_learner`."""
    trivial = trials[0]
    better = [
        trial for trial in trials[1:] if not trial.failure and (insist or trial.is_clearly_better(trivial, scoring))
    ]
    if insist and trials[1:] and not better:
        raise ValueError("; ".join(f"{trial.name} failed: {trial.failure}" for trial in trials[1:]))
    if not better:
        return trivial
    direction = 1 if MEASURES[scoring].higher_is_better else -1
    best = max(better, key=lambda trial: direction * trial.mean(scoring))
    return next(trial for trial in better if trial is best or not best.is_clearly_better(trial, scoring))


def _fit_best(
    trials: list[Trial], scoring: str, table: tuple[Any, Any, Array | None], insist: bool
) -> tuple[str, Any, tuple[str, ...]]:
    """Fit what is picked on all rows; where that fails, note it in `trials` and pick again."""
    while True:
        picked = pick(trials, scoring, insist)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimator = fit_weighted(clone(picked.estimator), *table)
        except Exception as error:
            if picked is trials[0]:
                raise
            trials[trials.index(picked)] = failed(picked.name, picked.estimator, error, picked.seconds)
        else:
            # What it says of the labels was said already, when they were checked.
            messages = [warning for warning in caught if not issubclass(warning.category, LabelWarning)]
            return picked.name, estimator, distinct_messages(messages)


class _Progress:
    """Counts folds, those of learners that fail, too, and tells who watches."""

    def __init__(self, watch: Watch | None, n_folds: int, names: list[str]) -> None:
        self.watch, self.n_folds, self.names, self.total = watch, n_folds, names, n_folds * len(names) + 1

    def one_fold_of(self, name: str) -> Callable[[], None]:
        done = count(self.names.index(name) * self.n_folds + 1)
        return lambda: self._tell(next(done), name)

    def finish(self, name: str) -> None:
        self._tell(self.total, name)

    def _tell(self, done: int, name: str) -> None:
        if self.watch is not None:
            self.watch(done, self.total, name)


def _weighted_rows(X: Any, D: Any, degrees: Array, sample_weight: Any) -> tuple[Any, Any, Array, Array | None]:
    """Leave out rows of weight zero: to learners that take no weights they would count as any other."""
    weight = check_weights(sample_weight, degrees)
    if weight is None or weight.all():
        return X, D, degrees, weight
    rows = np.flatnonzero(weight)
    return take_rows(X, rows), take_rows(D, rows), degrees[rows], weight[rows]


def _n_features(X: Any) -> int:
    """Return the number of columns; a list of texts, for `prepare` to make numbers of, is one."""
    return math.prod(np.shape(X)[1:])


def _drawn_rows(n: int, n_features: int, random: np.random.RandomState) -> Any:
    most = min(MOST_ROWS, max(FEWEST_ROWS, MOST_CELLS // max(1, n_features)))
    return np.arange(n) if n <= most else np.sort(random.choice(n, most, replace=False))


def _beginning_with_the_mean(candidates: Mapping[str, Any]) -> dict[str, Any]:
    means = {name: learner for name, learner in candidates.items() if isinstance(learner, MeanDistribution)}
    return {**(means or {THE_MEAN: MeanDistribution()}), **candidates}


def _table_row(trial: Trial, trivial: Trial) -> dict[str, Any]:
    row: dict[str, Any] = {"name": trial.name}
    for measure in MEASURES:
        row[measure] = None if trial.failure else trial.mean(measure)
        row[f"{measure}_deviation"] = None if trial.failure else trial.deviation(measure)
    row["skill"] = None if trial.failure else trial.skill(trivial)
    return {**row, "seconds": trial.seconds, "failure": trial.failure or None}
