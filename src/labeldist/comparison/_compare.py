"""`compare`, `compare_enhancers` and `published`."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import check_consistent_length

from labeldist._compat import _safe_indexing
from labeldist.comparison._comparison import Comparison, Record
from labeldist.comparison._runs import Store, run_tasks
from labeldist.datasets import binarize, load_dataset
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.learning import MeanDistribution
from labeldist.methods import METHODS
from labeldist.metrics import PAPER_MEASURES, score_all
from labeldist.metrics._measures import select_measures
from labeldist.simplex import normalize

Datasets = Mapping[str, tuple[Any, Any]] | Iterable[str]

TRIVIAL_LEARNERS = {"Mean": MeanDistribution()}
TRIVIAL_ENHANCERS = {"Uniform": Uniform(), "LogicalSoftmax": LogicalSoftmax()}


@dataclass(frozen=True)
class _Task:
    """The computation of the measures of one method in one fold of one data set."""

    method: str
    dataset: str
    fold: int
    content: str  # a hash of everything that determines the values
    work: Callable[[], dict[str, float]]

    @property
    def key(self) -> str:
        return json.dumps([self.dataset, self.method, self.content])

    @property
    def title(self) -> str:
        return f"{self.method} on {self.dataset}, fold {self.fold + 1}"

    def __call__(self) -> dict[str, float]:
        return self.work()


def published(name: str) -> Any:
    """Return an unfitted estimator with the parameters of its paper.

    Parameters
    ----------
    name : str
        The name of the method in the literature, such as ``"BD-LDL"``; see
        `labeldist.methods.METHODS`.

    Returns
    -------
    estimator
        Where the paper leaves a parameter open, it has its default.

    See Also
    --------
    compare : Compare methods.

    Examples
    --------
    >>> from labeldist.comparison import published
    >>> published("BD-LDL")
    BDLDL(fit_intercept=False)
    """
    for method in METHODS:
        if method.name == name:
            return method.estimator_class()(**method.published)
    names = ", ".join(method.name for method in METHODS)
    raise ValueError(f"Unknown method {name!r}; choose from {names}.")


def compare(
    methods: Mapping[str, Any],
    datasets: Datasets,
    *,
    cv: Any = 10,
    measures: str | Iterable[str] = PAPER_MEASURES,
    random_state: int = 0,
    n_jobs: int | None = None,
    store: str | os.PathLike[str] | None = None,
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
    datasets : mapping of str to (X, D), or iterable of str
        Names with features and distributions, or names in the registry (see
        `labeldist.datasets.list_datasets`). Rows of `D` are divided by their sums.
    cv : int or splitter, default=10
        Number of shuffled folds, or a splitter of scikit-learn.
    measures : str or iterable of str, default=PAPER_MEASURES
        See `labeldist.metrics.score_all`.
    random_state : int, default=0
        Seed of the folds, and of methods whose own ``random_state`` is None.
    n_jobs : int, default=None
        Number of processes, each with one thread; -1 is one per core.
    store : path-like, default=None
        SQLite file to which every result is written at once. With the same file, an interrupted
        call continues, and methods or data sets can be added. Results belong to the parameters of
        a method and to the data; if you change the code of a method, use another name or file.

    Returns
    -------
    Comparison
        Records, ranks, tests and tables.

    See Also
    --------
    compare_enhancers : Compare enhancers.
    published : Methods with the parameters of their papers.

    Examples
    --------
    >>> from labeldist.comparison import compare, published
    >>> from labeldist.datasets import make_artificial
    >>> methods = {name: published(name) for name in ("BD-LDL", "SA-BFGS")}
    >>> sets = {"artificial": make_artificial(100, random_state=0)}
    >>> compare(methods, sets, cv=3).ranks("kl_divergence")
    {'BD-LDL': 3.0, 'SA-BFGS': 1.0, 'Mean': 2.0}
    """
    chosen = list(select_measures(measures))
    learners = _with_baselines(methods, TRIVIAL_LEARNERS)
    if isinstance(cv, Integral):
        cv = KFold(int(cv), shuffle=True, random_state=random_state)
    tasks = []
    for dataset, X, D in _load(datasets):
        folds = list(cv.split(X))
        data = joblib.hash([X, D])
        for method, estimator in learners.items():
            learner = _with_seed(estimator, random_state)
            identity = _identity(learner)
            for fold, (train, test) in enumerate(folds):
                content = joblib.hash(["learner", data, identity, chosen, train, test])
                work = partial(_predict, learner, X, D, train, test, chosen)
                tasks.append(_Task(method, dataset, fold, content, work))
    records = _run(tasks, chosen, store, n_jobs)
    return Comparison(records)


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

    Returns
    -------
    Comparison
        It has tests over data sets, but not per data set: all rows are used for one recovery.

    See Also
    --------
    compare : Compare learners.

    Examples
    --------
    >>> from labeldist.comparison import compare_enhancers, published
    >>> from labeldist.datasets import make_artificial
    >>> sets = {"artificial": make_artificial(100, random_state=0)}
    >>> recovered = compare_enhancers({"BD-LE": published("BD-LE")}, sets)
    >>> recovered.ranks("cosine")
    {'BD-LE': 1.0, 'Uniform': 3.0, 'LogicalSoftmax': 2.0}
    """
    chosen = list(select_measures(measures))
    enhancers = _with_baselines(methods, TRIVIAL_ENHANCERS)
    tasks = []
    for dataset, X, D in _load(datasets):
        L = binarize(D, threshold)
        data = joblib.hash([X, D, L])
        for method, estimator in enhancers.items():
            for repeat in range(repeats):
                enhancer = _with_seed(estimator, random_state + repeat)
                content = joblib.hash(["enhancer", data, _identity(enhancer), chosen])
                work = partial(_recover, enhancer, X, D, L, chosen)
                tasks.append(_Task(method, dataset, repeat, content, work))
    records = _run(tasks, chosen, store, n_jobs)
    return Comparison(records, cross_validated=False)


def _load(datasets: Datasets) -> Iterator[tuple[str, Any, Any]]:
    """Yield names, features and distributions of the data sets."""
    given = datasets if isinstance(datasets, Mapping) else dict.fromkeys(datasets)
    for name, data in given.items():
        X, D = load_dataset(name, return_X_y=True) if data is None else data
        check_consistent_length(X, D)
        yield name, X, normalize(D, name=f"D of {name}")


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


def _identity(estimator: Any) -> str:
    """Return a text that is the same for equal estimators in other processes."""
    try:
        return str(joblib.hash(estimator))
    except Exception:  # of several types, such as for a class in a function
        return repr(estimator)


def _predict(
    learner: Any, X: Any, D: Any, train: Any, test: Any, measures: list[str]
) -> dict[str, float]:
    model = clone(learner, safe=False)
    model.fit(_safe_indexing(X, train), D[train])
    predicted = np.asarray(model.predict(_safe_indexing(X, test)))
    return score_all(D[test], predicted, measures=measures)


def _recover(enhancer: Any, X: Any, D: Any, L: Any, measures: list[str]) -> dict[str, float]:
    recovered = np.asarray(clone(enhancer, safe=False).fit_transform(X, L))
    return score_all(D, recovered, measures=measures)


def _run(
    tasks: list[_Task],
    measures: list[str],
    path: str | os.PathLike[str] | None,
    n_jobs: int | None,
) -> Iterator[Record]:
    """Execute tasks, and yield the records of their results, and of earlier ones."""
    with Store(path) as store:
        for _ in run_tasks(tasks, store, n_jobs=n_jobs):
            pass
        results = store.results()
    for task in tasks:
        result = results[task.key]
        for measure in measures:
            value = result.values.get(measure, math.nan)
            about = (task.method, task.dataset, task.fold, measure)
            yield Record(*about, value, result.seconds, result.reason)
