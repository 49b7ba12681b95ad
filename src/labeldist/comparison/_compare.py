"""`compare` and `compare_enhancers`."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from labeldist._compat import _safe_indexing
from labeldist._folds import splitter_of
from labeldist._typing import Array
from labeldist._validation import check_rows, column_names
from labeldist.comparison._comparison import Comparison, Record
from labeldist.comparison._identity import NoIdentityError, identity_of
from labeldist.comparison._store import Store, versions
from labeldist.datasets import binarize, load_dataset
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import LabelDistWarning, LabelWarning, warn
from labeldist.learning import MeanDistribution
from labeldist.metrics import PAPER_MEASURES, score_all
from labeldist.metrics._measures import select_measures
from labeldist.simplex import normalize

Datasets = Mapping[str, tuple[Any, ...]] | Iterable[str]

TRIVIAL_LEARNERS = {"Mean": MeanDistribution()}
TRIVIAL_ENHANCERS = {"Uniform": Uniform(), "LogicalSoftmax": LogicalSoftmax()}


@dataclass(frozen=True)
class _Split:
    """Rows for training and rows for testing."""

    fold: int
    repeat: int
    train: Any
    test: Any


class _Data(NamedTuple):
    """A data set: features, distributions, groups of rows or None, and names of labels or None."""

    name: str
    X: Any
    D: Array
    groups: Any
    labels: list[str] | None


@dataclass(frozen=True)
class _Task:
    """The computation of the measures of one method in one split of one data set."""

    method: str
    dataset: str
    split: _Split
    identity: str | None  # None if the values cannot be used again
    content: str  # a hash of everything that determines the values
    work: Callable[[], dict[str, float]]

    @property
    def key(self) -> str:
        return json.dumps([self.dataset, self.method, self.content])

    @property
    def title(self) -> str:
        return f"{self.method} on {self.dataset}, fold {self.split.fold + 1}"

    def __call__(self) -> dict[str, float]:
        return self.work()


def compare(
    methods: Mapping[str, Any],
    datasets: Datasets,
    *,
    cv: Any = 10,
    measures: str | Iterable[str] = PAPER_MEASURES,
    random_state: int = 0,
    n_jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    again: bool = False,
) -> Comparison:
    """Compare learners by cross-validation on several data sets.

    All methods have the same folds. The mean distribution is added as ``"Mean"``. A method that
    raises an error in a fold has no value there, and the others continue. Progress is shown on a
    terminal.

    Parameters
    ----------
    methods : mapping of str to estimator
        Names and unfitted learners of any origin: ``fit(X, D)`` and ``predict(X)``, which returns
        distributions. They are copied for each fold.
    datasets : mapping of str to (X, D) or (X, D, groups), or iterable of str
        Names with features and distributions, or names in the registry (see
        `labeldist.datasets.list_datasets`). Rows of `D` are divided by their sums. ``groups`` has
        one value per row, for splitters such as ``GroupKFold``.
    cv : int, splitter or iterable of (train, test), default=10
        Number of shuffled folds, a splitter of scikit-learn, or rows of the splits by position.
        Splitters that need classes, such as ``StratifiedKFold``, get the largest label of each
        row.
    measures : str or iterable of str, default=PAPER_MEASURES
        See `labeldist.metrics.score_all`.
    random_state : int, default=0
        Seed of the folds, and of methods whose own ``random_state`` is None.
    n_jobs : int, default=None
        Number of processes, each with one thread; -1 is one per core.
    store : path-like, default=None
        SQLite file to which every result is written at once. With the same file, an interrupted
        call continues, and methods or data sets can be added. A result is used again if the
        parameters of the method, its source files, the data, the splits and the versions of the
        packages are the same. Source files include upper-case constants and class attributes of
        simple types with their values at run time. Failures run again. Methods with lambdas, or
        with classes or functions that are not in a file, run again by every call, with a warning.
    again : bool, default=False
        Whether to run all methods again and replace their results in `store`.

    Returns
    -------
    Comparison
        Records, ranks, tests and tables.

    See Also
    --------
    compare_enhancers : Compare enhancers.
    labeldist.published.make_published : Methods with the parameters of their papers.

    Examples
    --------
    >>> from labeldist.comparison import compare
    >>> from labeldist.published import make_published
    >>> from labeldist.datasets import make_artificial
    >>> methods = {name: make_published(name) for name in ("BD-LDL", "SA-BFGS")}
    >>> sets = {"artificial": make_artificial(100, random_state=0)}
    >>> compare(methods, sets, cv=3).ranks("kl_divergence")
    {'BD-LDL': 3.0, 'SA-BFGS': 1.0, 'Mean': 2.0}
    """
    chosen = list(select_measures(measures))
    splitter = splitter_of(cv, random_state)
    learners = {}
    for method, estimator in _with_baselines(methods, TRIVIAL_LEARNERS).items():
        learner = _with_seed(estimator, random_state)
        learners[method] = learner, _identity(method, learner, store)
    tasks = []
    for data in _load(datasets):
        table = joblib.hash([data.X, data.D, data.labels])
        for split in _splits(splitter, data):
            rows = joblib.hash([split.train, split.test])
            for method, (learner, identity) in learners.items():
                content = _content(identity, "learner", table, rows, chosen)
                work = partial(_predict, learner, data, split, chosen)
                tasks.append(_Task(method, data.name, split, identity, content, work))
    return _run(tasks, chosen, store, n_jobs, again=again)


def compare_enhancers(
    methods: Mapping[str, Any],
    datasets: Datasets,
    *,
    threshold: float = 0.5,
    repeats: int = 1,
    measures: str | Iterable[str] = PAPER_MEASURES,
    random_state: int = 0,
    n_jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
    again: bool = False,
) -> Comparison:
    """Compare enhancers by the recovery of known distributions from tags.

    The tags are made by `labeldist.datasets.binarize`. The trivial enhancers are added as
    ``"Uniform"`` and ``"LogicalSoftmax"``.

    Parameters
    ----------
    methods : mapping of str to estimator
        Names and unfitted enhancers of any origin: ``fit_transform(X, L)`` returns distributions.
    datasets : mapping of str to (X, D), or iterable of str
        As in `compare`.
    threshold : float, default=0.5
        Threshold of the tags.
    repeats : int, default=1
        Number of runs of methods with a ``random_state``, with the seeds `random_state`,
        `random_state` + 1, …; other methods run once.
    measures : str or iterable of str, default=PAPER_MEASURES
        See `labeldist.metrics.score_all`.
    random_state : int, default=0
        Seed of methods whose own ``random_state`` is None.
    n_jobs : int, default=None
        Number of processes, each with one thread; -1 is one per core.
    store : path-like, default=None
        As in `compare`.
    again : bool, default=False
        As in `compare`.

    Returns
    -------
    Comparison
        It has tests over data sets, but not per data set: all rows are used for one recovery.

    See Also
    --------
    compare : Compare learners.

    Examples
    --------
    >>> from labeldist.comparison import compare_enhancers
    >>> from labeldist.published import make_published
    >>> from labeldist.datasets import make_artificial
    >>> sets = {"artificial": make_artificial(100, random_state=0)}
    >>> recovered = compare_enhancers({"BD-LE": make_published("BD-LE")}, sets)
    >>> recovered.ranks("cosine")
    {'BD-LE': 1.0, 'Uniform': 3.0, 'LogicalSoftmax': 2.0}
    """
    chosen = list(select_measures(measures))
    enhancers = []
    for method, estimator in _with_baselines(methods, TRIVIAL_ENHANCERS).items():
        for repeat in range(repeats):
            enhancer = _with_seed(estimator, random_state + repeat)
            enhancers.append((method, repeat, enhancer, _identity(method, enhancer, store)))
    tasks = []
    for data in _load(datasets):
        L = binarize(data.D, threshold)
        table = joblib.hash([data.X, data.D, data.labels, L])
        for method, repeat, enhancer, identity in enhancers:
            content = _content(identity, "enhancer", table, chosen)
            work = partial(_recover, enhancer, data, L, chosen)
            split = _Split(repeat, repeat, train=(), test=())
            tasks.append(_Task(method, data.name, split, identity, content, work))
    return _run(tasks, chosen, store, n_jobs, again=again, cross_validated=False)


def _load(datasets: Datasets) -> Iterator[_Data]:
    given = datasets if isinstance(datasets, Mapping) else dict.fromkeys(datasets)
    for name, data in given.items():
        tables = load_dataset(name, return_X_y=True) if data is None else data
        if len(tables) not in (2, 3):
            raise ValueError(f"The data set {name!r} must be (X, D) or (X, D, groups).")
        X, D, groups = (*tables, None)[:3]
        check_consistent_length(X, D, groups)
        check_rows(X=X, D=D, groups=groups)
        yield _Data(name, X, normalize(D, name=f"D of {name}"), groups, column_names(D))


def _splits(splitter: Any, data: _Data) -> list[_Split]:
    """Return the splits of the rows of a data set."""
    rows = np.arange(len(data.D))
    largest = data.D.argmax(axis=1)
    try:
        pairs = [
            (rows[train], rows[test])
            for train, test in splitter.split(data.X, largest, data.groups)
        ]
    except (ValueError, IndexError) as error:
        advice = " Groups are given as (X, D, groups)." if "groups" in str(error) else ""
        raise ValueError(f"cv cannot split {data.name!r}: {error}{advice}") from error
    if not pairs or not all(train.size and test.size for train, test in pairs):
        raise ValueError(f"cv must give {data.name!r} splits with training and test rows.")
    _warn_about_rows(data.name, pairs)
    repeats = _repeats([test.tolist() for _, test in pairs])
    return [_Split(fold, repeats[fold], *pair) for fold, pair in enumerate(pairs)]


def _warn_about_rows(name: str, pairs: list[tuple[Any, Any]]) -> None:
    """Warn about splits that test on training rows, or several times on one row."""
    n_overlapping = sum(np.isin(test, train).any() for train, test in pairs)
    if n_overlapping:
        problem = f"{n_overlapping} of {len(pairs)} splits of {name!r} test on training rows"
        warn(f"{problem}. The results will not hold on new rows.", LabelWarning)
    n_repeating = sum(len(np.unique(test)) < len(test) for _, test in pairs)
    if n_repeating:
        problem = f"{n_repeating} of {len(pairs)} splits of {name!r} contain a test row repeatedly"
        warn(f"{problem}. It counts more than the others.", LabelWarning)


def _repeats(tested: list[list[int]]) -> list[int]:
    """Return the repeat of each split; a new one begins when a row is tested again."""
    repeats = []
    repeat = 0
    seen: set[int] = set()
    for rows in tested:
        if not seen.isdisjoint(rows):
            repeat += 1
            seen = set()
        seen.update(rows)
        repeats.append(repeat)
    return repeats


def _with_baselines(methods: Mapping[str, Any], baselines: dict[str, Any]) -> dict[str, Any]:
    """Return the methods, followed by the baselines whose names are not taken."""
    added = {name: baselines[name] for name in baselines if name not in methods}
    return {**methods, **added}


def _with_seed(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy with the seed as every ``random_state`` that is None."""
    copy = clone(estimator, safe=False)
    parameters = copy.get_params() if hasattr(copy, "get_params") else {}
    for name, value in parameters.items():
        if value is None and name.split("__")[-1] == "random_state":
            copy.set_params(**{name: seed})
    return copy


def _identity(method: str, estimator: Any, store: Any) -> str | None:
    """Return what is the same for equal estimators in other processes; None if nothing is."""
    try:
        return identity_of(estimator)
    except NoIdentityError as error:
        if store is not None:
            warn(
                f"Results of {method!r} cannot be used again, because {error}. Every call runs it "
                "anew. Define classes and functions by name in a module to use results again.",
                LabelDistWarning,
            )
        return None


def _content(identity: str | None, *parts: Any) -> str:
    """Return a hash of everything that determines values; a random one without an identity."""
    return uuid4().hex if identity is None else str(joblib.hash([identity, versions(), *parts]))


def _predict(learner: Any, data: _Data, split: _Split, measures: list[str]) -> dict[str, float]:
    model = clone(learner, safe=False)
    model.fit(_safe_indexing(data.X, split.train), data.D[split.train])
    X = _safe_indexing(data.X, split.test)
    predicted = _in_order(model.predict(X), X, data.labels)
    return score_all(data.D[split.test], predicted, measures=measures)


def _recover(enhancer: Any, data: _Data, L: Any, measures: list[str]) -> dict[str, float]:
    recovered = clone(enhancer, safe=False).fit_transform(data.X, L)
    return score_all(data.D, _in_order(recovered, data.X, data.labels), measures=measures)


def _in_order(predicted: Any, X: Any, labels: list[str] | None) -> Array:
    """Return predictions as an array; raise if a data frame has another order than `X` and D."""
    check_rows(X=X, predictions=predicted)
    names = column_names(predicted)
    if names and labels and names != labels and sorted(names) == sorted(labels):
        raise ValueError(f"The predictions must have the labels {labels}, in this order.")
    return np.asarray(predicted)


def _run(
    tasks: list[_Task],
    measures: list[str],
    path: str | os.PathLike[str] | None,
    n_jobs: int | None,
    *,
    again: bool,
    cross_validated: bool = True,
) -> Comparison:
    """Execute tasks, and return the records of their results, and of earlier ones."""
    keys = {task.key for task in tasks}
    with Store(path) as store:
        store.forget_failures()
        if again:
            store.forget(keys)
        known = store.results()
        try:
            new = {result["key"]: result for result in store.run(tasks, n_jobs=n_jobs)}
            # Another process may have added results meanwhile.
            results = {**known, **store.results(), **new}
        finally:
            store.forget(task.key for task in tasks if task.identity is None)
    records = (
        Record(
            task.method,
            task.dataset,
            task.split.fold,
            measure,
            results[task.key]["values"].get(measure, math.nan),
            results[task.key]["seconds"],
            results[task.key]["reason"],
            task.split.repeat,
            len(task.split.train),
            len(task.split.test),
        )
        for task in tasks
        for measure in measures
    )
    n_stored = sum(task.key in known for task in tasks)
    return Comparison(records, cross_validated=cross_validated, n_stored=n_stored)
