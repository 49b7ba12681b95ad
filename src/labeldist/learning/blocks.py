"""Dask collections as tables in blocks: statistics of each where it lies, added up; answers of each where it lies.

Dask's own scheduler does the work, whichever is active: a cluster's, with its retries when a worker dies, or the local
one. What travels are the model, which is small, and the statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from labeldist.learning.base import DistributionLearner, check_weights
from labeldist.simplex import Array
from labeldist.solvers.moments import Moments

FAN_IN = 8
"""How many partial results are added up by one task."""

Block = tuple[Any, Any, Any]
Summary = Callable[[int, Any, Array, Array | None], Any]
Checked = tuple[Any, Array, Array | None]


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def blocks_of(X: Any, y: Any, sample_weight: Any = None) -> list[Block]:
    """Return the blocks of rows of features, distributions and weights, each still to be computed."""
    from dask import array, delayed

    if not is_lazy(y):
        raise TypeError("X is a Dask collection, so y must be one, too: dask.array.from_array(y, chunks=...).")
    X, y = _whole_rows(X), _whole_rows(y)
    if hasattr(X, "chunks") and hasattr(y, "chunks"):
        y = y.rechunk({0: X.chunks[0]}) if not np.isnan(X.chunks[0]).any() else y
        if sample_weight is not None:
            sample_weight = array.asarray(sample_weight).rechunk((X.chunks[0],))
    parts = [np.ravel(part.to_delayed()).tolist() for part in (X, y)]
    parts.append([delayed(None)] * len(parts[0]) if sample_weight is None else _parts_of_weight(sample_weight))
    if len({len(part) for part in parts}) > 1:
        raise ValueError(
            f"X, y and sample_weight must have the same partitions; got {', '.join(str(len(part)) for part in parts)}. "
            "Use repartition or rechunk."
        )
    return list(zip(*parts, strict=True))


def _parts_of_weight(sample_weight: Any) -> list[Any]:
    if not is_lazy(sample_weight):
        raise TypeError("X is a Dask data frame, so sample_weight must be a Dask collection with the same partitions.")
    return list(np.ravel(sample_weight.to_delayed()))


def _whole_rows(table: Any) -> Any:
    """Return a Dask array whose blocks are not cut across columns; data frames never are."""
    return table.rechunk({1: -1}) if hasattr(table, "rechunk") and table.ndim == 2 else table


def checked_block(learner: DistributionLearner, X: Any, y: Any, weight: Any) -> tuple[DistributionLearner, Checked]:
    """Check a block as `fit` checks a table; the learner returned has noted its columns."""
    learner = clone(learner)
    X, D = learner._check_features_and_distributions(X, y, accept_sparse=True)
    return learner, (X, D, check_weights(weight, X))


def sum_over_blocks(learner: DistributionLearner, blocks: list[Block], summarise: Summary) -> Any:
    """Return the sum over blocks of ``summarise(block number, X, D, weight)``, computed where the blocks lie.

    The learner takes note of the columns that the blocks have, which must be the same for all.
    """
    from dask import compute, delayed

    template = clone(learner)
    level = [delayed(_summary)(template, summarise, number, *block) for number, block in enumerate(blocks)]
    while len(level) > 1:
        level = [delayed(_add)(level[start : start + FAN_IN]) for start in range(0, len(level), FAN_IN)]
    (found,) = compute(level[0])
    if found is None:
        raise ValueError("The Dask collection has no rows: there is nothing to learn from.")
    noted, total = found
    learner.__dict__.update(noted)
    return total


def _summary(template: DistributionLearner, summarise: Summary, number: int, X: Any, y: Any, weight: Any) -> Any:
    if not len(y):
        return None  # data frames have empty partitions
    learner, (X, D, weight) = checked_block(template, X, y, weight)
    return _noted(learner), summarise(number, X, D, weight)


def _noted(learner: DistributionLearner) -> dict[str, Any]:
    """Return what checking a table notes of its columns."""
    return {name: value for name, value in vars(learner).items() if name.endswith("_") and not name.startswith("_")}


def _add(summaries: list[Any]) -> Any:
    summaries = [summary for summary in summaries if summary is not None]
    if not summaries:
        return None
    noted, total = summaries[0]
    for other, value in summaries[1:]:
        different = [name for name in noted if not np.array_equal(noted[name], other.get(name))]
        if different or noted.keys() != other.keys():
            raise ValueError(f"Partitions differ in their columns: {', '.join(different)}.")
        total = total + value
    return noted, total


def moments_of_blocks(learner: DistributionLearner, X: Any, y: Any, sample_weight: Any) -> Moments:
    """Return the statistics of a Dask table in one pass."""
    moments: Moments = sum_over_blocks(learner, blocks_of(X, y, sample_weight), _moments)
    return moments


def _moments(_number: int, X: Any, D: Array, weight: Array | None) -> Moments:
    return Moments.of(X, D, weight)


def predict_blocks(learner: Any, X: Any) -> Any:
    """Return the distributions of a Dask table's rows as a Dask collection of the same kind."""
    if hasattr(X, "map_partitions"):
        import pandas as pd

        meta = pd.DataFrame(np.empty((0, len(learner.label_names_))), columns=learner.label_names_)
        return X.map_partitions(_predict_frame, learner, meta=meta)
    X = _whole_rows(X)
    chunks = (X.chunks[0], (len(learner.label_names_),))
    return X.map_blocks(_predict_array, learner, dtype=np.float64, chunks=chunks, meta=np.empty((0, 0)))


def _predict_array(X: Any, learner: Any) -> Array:
    return np.asarray(learner.predict(X)) if len(X) else np.empty((0, len(learner.label_names_)))


def _predict_frame(frame: Any, learner: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(_predict_array(frame, learner), index=frame.index, columns=learner.label_names_)
