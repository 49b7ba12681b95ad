"""Protocols: how a run turns a data set and a method into scores."""

from __future__ import annotations

import hashlib
import json
import math
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold

from labeldist.metrics import PAPER_MEASURES, score_all
from reproduction.data import hide_degrees, load, make_tags
from reproduction.methods import GROUND_TRUTH, build, is_enhancer
from reproduction.spec import ALL_FOLDS, Method, Run, expand_grid

Scores = dict[str, float]

PREDICTION_MEASURES = (*PAPER_MEASURES, "spearman", "kendall", "top_label")
"""The measures of a prediction: those of the paper, and those of ranks and of the top label."""


class Value(NamedTuple):
    """One number of a run."""

    variant: str
    fold: int
    measure: str
    value: float


class Data(NamedTuple):
    """Features, distributions and logical labels of a data set, and a folder for recovered ones."""

    X: Any
    D: Any
    L: Any
    cache: str | None = None


def execute(run: Run, cache: str | None = None) -> list[Value]:
    """Execute a run and return its values; `cache` is a folder that runs share."""
    X, D = load(run.dataset)
    data = Data(X, D, make_tags(D, run.tags, run.seed), cache)
    with warnings.catch_warnings():
        # Vanishing graphs and unconverged searches show in the scores.
        warnings.simplefilter("ignore")
        found = list(PROTOCOLS[run.kind](run, data))
    return [
        Value(variant, fold, name, float(value))
        for variant, fold, scores in found
        for name, value in scores.items()
    ]


def missing_values(run: Run) -> list[Value]:
    """Return placeholders for the values of a failed run, one for each of its variants."""
    variants = [_chain_variant(run, learner) for learner in run.learners] or [run.variant]
    return [Value(variant, max(run.fold, 0), "", math.nan) for variant in variants]


def _chain_variant(run: Run, learner: Method) -> str:
    return f"{learner.name}, transductive" if run.transductive else learner.name


def recover(run: Run, method: Method, data: Data) -> Any:
    """Return the distributions that a method recovers for all rows of the data set of a run.

    The recovery, the oracles and the transductive chains need the same distributions. The first of
    them writes them to the cache, and the others read them.
    """
    if data.cache is None or method.use == GROUND_TRUTH:
        return _enhance(method, data, slice(None))
    seed = run.seed if run.tags.startswith("flip") else 0
    parameters = build(
        method.use, method.parameters
    ).get_params()  # with defaults, which a spec may state or not
    identity = json.dumps([run.dataset, run.tags, seed, method.use, parameters], sort_keys=True)
    path = Path(data.cache) / f"{hashlib.sha256(identity.encode()).hexdigest()}.npy"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.npy")
        np.save(part, _enhance(method, data, slice(None)))
        part.replace(path)  # Another worker never reads half a file.
    return np.load(path, allow_pickle=False)


def recovery(run: Run, data: Data) -> Iterator[tuple[str, int, Scores]]:
    """Enhance all rows and compare with the truth.

    An oracle keeps the best value of each measure over its grid.
    """
    if run.method.attributes:
        estimator = build(run.method.use, run.method.parameters)
        scores = score_all(data.D, np.asarray(estimator.fit_transform(data.X, data.L)))
        attributes = {name: float(getattr(estimator, name) or 0) for name in run.method.attributes}
        yield run.variant, 0, scores | attributes
        return
    points = [score_all(data.D, recover(run, point, data)) for point in expand_grid(run.method)]
    yield (
        run.variant,
        0,
        {name: _best(name, [scores[name] for scores in points]) for name in PAPER_MEASURES},
    )


def prediction(run: Run, data: Data) -> Iterator[tuple[str, int, Scores]]:
    """Learn from the other folds, where degrees may be missing, and predict one."""
    for fold, train, test in folds(run, data):
        D = (
            hide_degrees(data.D[train], run.missing, [run.seed, fold])
            if run.missing
            else data.D[train]
        )
        model = build(run.method.use, run.method.parameters).fit(data.X[train], D)
        predicted = np.asarray(model.predict(data.X[test]))
        yield run.variant, fold, score_all(data.D[test], predicted, measures=PREDICTION_MEASURES)


def chain(run: Run, data: Data) -> Iterator[tuple[str, int, Scores]]:
    """Enhance, learn from the recovered distributions, and predict the held-out rows.

    The enhancer sees the training rows only or, if `run.transductive`, the features and logical
    labels of all rows.
    """
    everywhere = recover(run, run.method, data) if run.transductive else None
    for fold, train, test in folds(run, data):
        D = _enhance(run.method, data, train) if everywhere is None else everywhere[train]
        for learner in run.learners:
            model = build(learner.use, learner.parameters).fit(data.X[train], D)
            yield (
                _chain_variant(run, learner),
                fold,
                score_all(data.D[test], model.predict(data.X[test])),
            )


def new_rows(run: Run, data: Data) -> Iterator[tuple[str, int, Scores]]:
    """Learn from logical labels and predict held-out rows; an oracle learns from the truth."""
    truth = run.method.role == "oracle"
    for fold, train, test in folds(run, data):
        model = build(run.method.use, run.method.parameters)
        model.fit(data.X[train], data.D[train] if truth else data.L[train])
        predict = model.predict if hasattr(model, "predict") else model.transform
        yield run.variant, fold, score_all(data.D[test], np.asarray(predict(data.X[test])))


def grid(run: Run, data: Data) -> Iterator[tuple[str, int, Scores]]:
    """Evaluate one point of a grid by the protocol of the method."""
    return (recovery if is_enhancer(run.method.use) else prediction)(run, data)


PROTOCOLS: dict[str, Callable[[Run, Data], Iterator[tuple[str, int, Scores]]]] = {
    "recovery": recovery,
    "prediction": prediction,
    "chain": chain,
    "new-rows": new_rows,
    "grid": grid,
}


def folds(run: Run, data: Data) -> Iterator[tuple[int, Any, Any]]:
    """Yield number, training rows and test rows of the fold of the run, or of all folds."""
    splits = KFold(run.folds, shuffle=True, random_state=run.seed).split(data.X)
    for number, (train, test) in enumerate(splits):
        if run.fold in (number, ALL_FOLDS):
            yield number, train, test


def _enhance(method: Method, data: Data, rows: Any) -> Any:
    if method.use == GROUND_TRUTH:
        return data.D[rows]
    return np.asarray(
        build(method.use, method.parameters).fit_transform(data.X[rows], data.L[rows])
    )


def _best(name: str, values: list[float]) -> float:
    return max(values) if PAPER_MEASURES[name].higher_is_better else min(values)
