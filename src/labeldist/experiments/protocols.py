"""How a run is done: each protocol takes a run and returns its values, and knows nothing of stores or reports."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from labeldist._typing import Array
from labeldist.experiments.material import Material, material
from labeldist.experiments.methods import GROUND_TRUTH, build, expand_grid, is_enhancer
from labeldist.experiments.spec import ALL_FOLDS, Method, Run
from labeldist.metrics import MEASURES, score_all

Scores = dict[str, float]
Rows = NDArray[np.intp]


class Value(NamedTuple):
    """One number that a run found."""

    variant: str
    fold: int
    measure: str
    value: float


def carry_out(run: Run) -> list[Value]:
    """Do what the run says."""
    data = material(run.dataset)
    with warnings.catch_warnings():
        # That graphs vanish and searches are cut short shows in the figures; ten thousand warnings show nothing.
        warnings.simplefilter("ignore")
        found = list(PROTOCOLS[run.kind](run, data))
    return [
        Value(variant, fold, measure, float(scores[measure]))
        for variant, fold, scores in found
        for measure in run.measures
    ]


def without_values(run: Run) -> list[Value]:
    """Return what stands for the values of a run that has none: a line for each variant that it would have had."""
    fold = max(run.fold, 0)
    variants = [_variant(run, learner) for learner in run.learners] or [run.variant]
    return [Value(variant, fold, "", math.nan) for variant in variants]


def _variant(run: Run, learner: Method) -> str:
    return f"{learner.name}, transductive" if run.transductive else learner.name


def recovery(run: Run, data: Material) -> Iterator[tuple[str, int, Scores]]:
    """Enhance all rows and compare with the truth; of an oracle the best that any point of its grid has."""
    points = [score_all(data.D, enhance(point, data.X, data.L)) for point in expand_grid(run.method)]
    yield run.variant, 0, {measure: best(measure, [scores[measure] for scores in points]) for measure in MEASURES}


def prediction(run: Run, data: Material) -> Iterator[tuple[str, int, Scores]]:
    """Learn from the other folds and predict one."""
    for fold, train, test in folds(run, data):
        model = build(run.method.use, run.method.parameters).fit(data.X[train], data.D[train])
        yield run.variant, fold, score_all(data.D[test], model.predict(data.X[test]))


def chain(run: Run, data: Material) -> Iterator[tuple[str, int, Scores]]:
    """Enhance, learn from what was recovered, predict held-out rows; the truth of those is used for nothing else.

    The enhancer sees the training rows only, or, if `run.transductive`, the features and logical labels of all.
    """
    everywhere = recovered(run.method, data, np.arange(len(data.X))) if run.transductive else None
    for fold, train, test in folds(run, data):
        D = recovered(run.method, data, train) if everywhere is None else everywhere[train]
        for learner in run.learners:
            model = build(learner.use, learner.parameters).fit(data.X[train], D)
            yield _variant(run, learner), fold, score_all(data.D[test], model.predict(data.X[test]))


def grid(run: Run, data: Material) -> Iterator[tuple[str, int, Scores]]:
    """One point of a grid, by the protocol that suits the method."""
    return (recovery if is_enhancer(run.method.use) else prediction)(run, data)


PROTOCOLS: dict[str, Callable[[Run, Material], Iterator[tuple[str, int, Scores]]]] = {
    "recovery": recovery,
    "prediction": prediction,
    "chain": chain,
    "grid": grid,
}


def folds(run: Run, data: Material) -> Iterator[tuple[int, Rows, Rows]]:
    """Yield the fold of the run, or all of them: its number, the rows to train with and those to test."""
    splits = KFold(run.folds, shuffle=True, random_state=run.seed).split(data.X)
    for number, (train, test) in enumerate(splits):
        if run.fold in (number, ALL_FOLDS):
            yield number, train, test


def enhance(method: Method, X: Array, L: NDArray[np.uint8]) -> Array:
    """Return the distributions that a method recovers."""
    return np.asarray(build(method.use, method.parameters).fit_transform(X, L))


def recovered(method: Method, data: Material, rows: Rows) -> Array:
    """Return what the method recovers for some rows from these rows alone, or the truth if that is the method."""
    if method.use == GROUND_TRUTH:
        return data.D[rows]
    return enhance(method, data.X[rows], data.L[rows])


def best(measure: str, values: list[float]) -> float:
    """Return the best of some values of a measure."""
    return max(values) if MEASURES[measure].higher_is_better else min(values)
