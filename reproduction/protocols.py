"""Protocols: how a run turns a data set and a method into scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import Memory
from joblib import hash as hash_of
from sklearn.model_selection import KFold

from labeldist.metrics import PAPER_MEASURES, score_all
from reproduction.data import hide_degrees, load, make_tags
from reproduction.methods import GROUND_TRUTH, build
from reproduction.spec import Method, Run, expand_grid

PREDICTION_MEASURES = (*PAPER_MEASURES, "spearman", "kendall", "top_label")
"""The measures of a prediction: the measures of the paper, of ranks and of the top label."""

ALL_ROWS = slice(None)


class Data(NamedTuple):
    """Features, distributions and logical labels of a data set, and a folder for recovered ones."""

    X: Any
    D: Any
    L: Any
    cache: str | None = None


def execute(run: Run, cache: str | None = None) -> dict[str, float]:
    """Execute a run and return its scores; `cache` is a folder that runs share."""
    X, D = load(run.dataset)
    data = Data(X, D, make_tags(D, run.tags, run.seed), cache)
    return recovery(run, data) if run.is_recovery else prediction(run, data)


def recovery(run: Run, data: Data) -> dict[str, float]:
    """Enhance all rows and compare with the truth.

    An oracle keeps the best value of each measure over its grid.
    """
    if run.method.attributes:
        estimator = build(run.method.use, run.method.parameters)
        scores = score_all(data.D, np.asarray(estimator.fit_transform(data.X, data.L)))
        attributes = {name: float(getattr(estimator, name) or 0) for name in run.method.attributes}
        return scores | attributes
    points = [
        score_all(data.D, recover(run, point, data, ALL_ROWS)) for point in expand_grid(run.method)
    ]
    best = {}
    for name, measure in PAPER_MEASURES.items():
        choose = max if measure.higher_is_better else min
        best[name] = choose(scores[name] for scores in points)
    return best


def prediction(run: Run, data: Data) -> dict[str, float]:
    """Learn from the other folds and predict one."""
    splits = KFold(run.folds, shuffle=True, random_state=run.seed).split(data.X)
    train, test = list(splits)[run.fold]
    learner = run.learner or run.method
    model = build(learner.use, learner.parameters)
    model.fit(data.X[train], _training_labels(run, data, train))
    predict = model.predict if hasattr(model, "predict") else model.transform
    predicted = np.asarray(predict(data.X[test]))
    return score_all(data.D[test], predicted, measures=PREDICTION_MEASURES)


def _training_labels(run: Run, data: Data, train: Any) -> Any:
    """Return what a run learns from: recovered distributions, logical labels, or the truth."""
    if run.kind == "chain" and run.transductive:
        return recover(run, run.method, data, ALL_ROWS)[train]
    if run.kind == "chain":
        return recover(run, run.method, data, train)
    if run.kind == "new-rows" and run.method.role != "oracle":
        return data.L[train]
    if run.missing:
        return hide_degrees(data.D[train], run.missing, [run.seed, run.fold])
    return data.D[train]


def recover(run: Run, method: Method, data: Data, rows: Any) -> Any:
    """Return the distributions that a method recovers for rows of the data set of a run.

    Recoveries, oracles and the learners of chains need the same distributions. The first of them
    writes them to the cache, and the others read them.
    """
    if method.use == GROUND_TRUTH:
        return data.D[rows]
    memory = Memory(data.cache, verbose=0).cache(_enhance, ignore=["method", "X", "L"])
    name = identity(run, method, rows is not ALL_ROWS)
    return memory(name, method, data.X[rows], data.L[rows])


def _enhance(_name: str, method: Method, X: Any, L: Any) -> Any:
    return np.asarray(build(method.use, method.parameters).fit_transform(X, L))


def identity(run: Run, method: Method, in_folds: bool) -> str:
    """Return a name of the distributions that a method recovers in a run."""
    seed = run.seed if run.tags.startswith("flip") else 0
    fold = [run.folds, run.seed, run.fold] if in_folds else []
    # With defaults, which a spec may state or not.
    estimator = build(method.use, method.parameters)
    return f"{run.dataset} {run.tags} {seed} {fold} {hash_of(estimator)}"
