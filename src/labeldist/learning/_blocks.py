"""Dask collections as tables in blocks: statistics of each where it lies, added up; answers of each where it lies.

Dask's own scheduler does the work, whichever is active: a cluster's, with its retries when a worker dies, or the local
one. What travels are coefficients, once, and the statistics of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from labeldist._solvers.moments import Moments
from labeldist._typing import Array
from labeldist.exceptions import NotADistributionError
from labeldist.learning._learner import NO_WEIGHT, DistributionLearner, check_weights

FAN_IN = 8
"""How many partial results are added up by one task."""

NAMED_ROW = re.compile(r"(first (?:in )?row )(\d+)")
"""How errors of ours name a row."""

Block = tuple[Any, Any, Any, int | None]
Summary = Callable[..., Any]


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def blocks_of(X: Any, y: Any, sample_weight: Any = None) -> list[Block]:
    """Return the blocks of rows of features, distributions and weights, each still to be computed.

    With each comes the number of rows before it, None where that is not known.
    """
    from dask import array, delayed

    if not is_lazy(y):
        raise TypeError("X is a Dask collection, so y must be one, too: dask.array.from_array(y, chunks=...).")
    X, y = _whole_rows(X), _whole_rows(y)
    sizes = _sizes(X)
    if sample_weight is not None and not is_lazy(sample_weight):
        if sizes is None:
            raise TypeError(
                "How many rows the partitions of X have is not known, so sample_weight must be a Dask collection with "
                "the same partitions. (A Dask array learns it by compute_chunk_sizes.)"
            )
        sample_weight = array.asarray(sample_weight)
    if sample_weight is not None and sample_weight.ndim != 1:
        raise ValueError(f"sample_weight must be one number a row; it has {sample_weight.ndim} dimensions.")
    columns = {"X": X, "y": _cut_like(sizes, "y", y)}
    if sample_weight is not None:
        columns["sample_weight"] = _cut_like(sizes, "sample_weight", sample_weight)
    parts = [np.ravel(column.to_delayed()).tolist() for column in columns.values()]
    if len({len(part) for part in parts}) > 1:
        counts = ", ".join(f"{len(part)} of {name}" for name, part in zip(columns, parts, strict=True))
        raise ValueError(
            f"{' and '.join(columns)} must have the same partitions; there are {counts}. Use repartition or rechunk."
        )
    if sample_weight is None:
        parts.append([delayed(None)] * len(parts[0]))
    known = sizes or _sizes(y)
    starts = [None] * len(parts[0]) if known is None else [0, *accumulate(known)][:-1]
    return list(zip(*parts, starts, strict=True))


def _sizes(table: Any) -> tuple[int, ...] | None:
    """Return how many rows the blocks of a Dask array have; None where that is not known, as for data frames."""
    sizes = table.chunks[0] if hasattr(table, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else tuple(map(int, sizes))


def _cut_like(sizes: tuple[int, ...] | None, name: str, table: Any) -> Any:
    """Return a table in blocks as long as those of X, where the rows of both are known: else each block will tell."""
    own = _sizes(table)
    if sizes is None or own is None:
        return table
    if sum(own) != sum(sizes):
        raise ValueError(f"X has {sum(sizes)} rows, but {name} has {sum(own)}.")
    return table.rechunk({0: sizes})


def _whole_rows(table: Any) -> Any:
    """Return a Dask array whose blocks are not cut across columns; data frames never are."""
    return table.rechunk({1: -1}) if hasattr(table, "rechunk") and table.ndim == 2 else table


def sum_over_blocks(
    learner: DistributionLearner, blocks: list[Block], summarise: Summary, shared: Iterable[Any] = ()
) -> Any:
    """Return the sum over blocks of ``summarise(block number, X, D, weight, *shared)``, computed where the blocks lie.

    What is `shared` may be large: each is sent once and by itself, not with every block. The learner takes note of the
    columns that the blocks have, which must be the same for all.
    """
    from dask import compute, delayed

    template = clone(learner)
    # Unlike what is scattered, a task that is persisted is done again where the worker that holds its answer dies.
    sent = [delayed(part, traverse=False).persist() for part in shared]
    level = [delayed(_summary)(template, summarise, sent, number, *block) for number, block in enumerate(blocks)]
    while len(level) > 1:
        level = [delayed(_add)(level[start : start + FAN_IN]) for start in range(0, len(level), FAN_IN)]
    (found,) = compute(level[0])
    if found is None:
        raise ValueError("The Dask collection has no rows: there is nothing to learn from.")
    if not found.weight:
        raise ValueError(NO_WEIGHT)
    learner.__dict__.pop("feature_names_in_", None)  # of an earlier table that had names
    learner.__dict__.update(found.noted)
    return found.total


class _Found(NamedTuple):
    """What a block, or several, have told: what checking them noted of the columns, their weight, and the sum."""

    noted: dict[str, Any]
    weight: float
    total: Any


def _summary(
    template: DistributionLearner,
    summarise: Summary,
    shared: list[Any],
    number: int,
    X: Any,
    y: Any,
    weight: Any,
    start: int | None,
) -> _Found | None:
    rows = {"X": X, "y": y} | ({} if weight is None else {"sample_weight": weight})
    lengths = {name: part.shape[0] for name, part in rows.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"Partition {number} has rows {counts}: cut them alike, with repartition or rechunk.")
    if not lengths["X"]:
        return None  # data frames have empty partitions
    learner = clone(template)
    with _named_partition(f"partition {number}", start, lengths["X"]):
        X, D = learner._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        weight = check_weights(weight, X, all_zero=True)
    total = summarise(number, X, D, weight, *shared)
    return _Found(_noted(learner), float(len(D) if weight is None else weight.sum()), total)


@contextmanager
def _named_partition(name: str, start: int | None, rows: int) -> Iterator[None]:
    """Say in which partition an error is, and count its rows from the table's first where that is known."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = str(error)
        where = f"In {name} (rows are counted within it)"
        if start is not None:
            where = f"In {name} (rows {start} to {start + rows - 1})"
            text = NAMED_ROW.sub(lambda row: f"{row[1]}{start + int(row[2])}", text)
        kinds: tuple[type[Exception], ...] = (NotADistributionError, ValueError, TypeError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        raise kind(f"{where}: {text}") from error


def _noted(learner: DistributionLearner) -> dict[str, Any]:
    """Return what checking a table notes of its columns."""
    return {name: value for name, value in vars(learner).items() if name.endswith("_") and not name.startswith("_")}


def _add(summaries: list[_Found | None]) -> _Found | None:
    found = [summary for summary in summaries if summary is not None]
    if not found:
        return None
    noted, weight, total = found[0]
    for other in found[1:]:
        names = sorted(noted.keys() | other.noted.keys())
        different = [name for name in names if not np.array_equal(noted.get(name, []), other.noted.get(name, []))]
        if different:
            raise ValueError(f"Partitions differ in their columns: {', '.join(different)}.")
        weight, total = weight + other.weight, total + other.total
    return _Found(noted, weight, total)


def moments_of_blocks(learner: DistributionLearner, X: Any, y: Any, sample_weight: Any) -> Moments:
    """Return the statistics of a Dask table in one pass."""
    moments: Moments = sum_over_blocks(learner, blocks_of(X, y, sample_weight), _moments)
    return moments


def _moments(_number: int, X: Any, D: Array, weight: Array | None) -> Moments:
    return Moments.of(X, D, weight)


def predict_blocks(learner: Any, X: Any) -> Any:
    """Return the distributions of a Dask table's rows as a Dask collection of the same kind."""
    from dask import delayed

    once = delayed(only_to_predict(learner), traverse=False)
    if hasattr(X, "map_partitions"):
        import pandas as pd

        meta = pd.DataFrame(np.empty((0, len(learner.label_names_))), columns=learner.label_names_)
        return X.map_partitions(_predict_frame, once, meta=meta)
    X = _whole_rows(X)
    chunks = (X.chunks[0], (len(learner.label_names_),))
    return X.map_blocks(_predict_array, once, dtype=np.float64, chunks=chunks, meta=np.empty((0, 0)))


def only_to_predict(learner: Any) -> Any:
    """Return a copy of a fitted `BDLDL` or `BDLDLCV` that has its coefficients, and not what they came from."""
    _ = learner.coef_  # what partial_fit has left to be solved is solved here, not in every block
    light = copy(learner)
    for name in ("moments_", "cv_results_"):
        light.__dict__.pop(name, None)
    if "best_estimator_" in vars(light):
        light.best_estimator_ = only_to_predict(light.best_estimator_)
    return light


def _predict_array(X: Any, learner: Any, block_info: Any = None) -> Array:
    place = block_info[0]
    start = place["array-location"][0][0]
    name = f"partition {place['chunk-location'][0]}"
    return _predict(X, learner, name, None if np.isnan(start) else int(start))


def _predict_frame(frame: Any, learner: Any) -> Any:
    import pandas as pd

    name = f"the partition with index {frame.index[0]} to {frame.index[-1]}" if len(frame) else ""
    return pd.DataFrame(_predict(frame, learner, name, None), index=frame.index, columns=learner.label_names_)


def _predict(X: Any, learner: Any, name: str, start: int | None) -> Array:
    if not X.shape[0]:
        return np.empty((0, len(learner.label_names_)))
    with _named_partition(name, start, X.shape[0]):
        return np.asarray(learner.predict(X))
