"""Fitting and predicting on Dask collections, block by block, by the active Dask scheduler.

Only coefficients and the statistics of blocks are moved, never rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from labeldist._typing import Array
from labeldist._validation import is_lazy
from labeldist.learning._learner import DistributionLearner, check_weights, columns_of, set_columns

FAN_IN = 8  # number of partial results that one task adds up
Block = tuple[Any, Any, Any]  # delayed X, y and sample_weight of a block


class DaskCollection(Protocol):
    """Type of Dask arrays and data frames."""

    def __dask_graph__(self) -> Any: ...


def blocks_of(X: Any, y: Any, sample_weight: Any = None) -> list[Block]:
    """Split Dask features, distributions and weights into blocks with the same rows."""
    from dask import array, delayed

    lengths = _block_lengths(X)
    if sample_weight is not None and not is_lazy(sample_weight) and lengths is not None:
        sample_weight = array.asarray(sample_weight)
    tables = {"X": X, "y": y}
    if sample_weight is not None:
        tables["sample_weight"] = sample_weight
    parts = {}
    for name, table in tables.items():
        if not is_lazy(table):
            raise TypeError(f"{name} must be a Dask collection with the same partitions as X.")
        split = _split_like(lengths, name, table)
        parts[name] = np.ravel(split.to_delayed()).tolist()
    n_blocks = len(parts["X"])
    for name, part in parts.items():
        if len(part) != n_blocks:
            raise ValueError(
                f"X has {n_blocks} partitions, but {name} has {len(part)}. "
                "Use repartition or rechunk."
            )
    parts.setdefault("sample_weight", [delayed(None)] * n_blocks)
    return list(zip(*parts.values(), strict=True))


def _block_lengths(table: Any) -> tuple[int, ...] | None:
    """Return the numbers of rows of the blocks of a Dask array.

    They are None if they are unknown, as for data frames.
    """
    lengths = table.chunks[0] if hasattr(table, "chunks") else (np.nan,)
    return None if np.isnan(lengths).any() else tuple(map(int, lengths))


def _split_like(lengths: tuple[int, ...] | None, name: str, table: Any) -> Any:
    """Return a table in blocks of all columns and the given lengths, unless lengths are unknown."""
    own = _block_lengths(table)
    table = _join_columns(table)
    if lengths is None or own is None:
        return table
    if sum(own) != sum(lengths):
        raise ValueError(f"X has {sum(lengths)} rows, but {name} has {sum(own)}.")
    return table.rechunk({0: lengths})


def _join_columns(table: Any) -> Any:
    """Return a Dask array whose blocks hold all columns. Data frames always do."""
    return table.rechunk({1: -1}) if hasattr(table, "rechunk") and table.ndim == 2 else table


def sum_over_blocks(
    learner: DistributionLearner,
    blocks: list[Block],
    summarise: Callable[..., Any],
    shared: Iterable[Any] = (),
) -> Any:
    """Return the sum over blocks of ``summarise(block number, X, D, weight, *shared)``.

    Each element of `shared` is sent once. The names and numbers of the columns are set on the
    learner.
    """
    from dask import compute, delayed

    template = clone(learner)
    # Unlike scattered data, a persisted task is repeated if the worker that holds its result dies.
    sent = [delayed(part, traverse=False).persist() for part in shared]
    level = [
        delayed(_summarise)(template, summarise, sent, number, *block)
        for number, block in enumerate(blocks)
    ]
    while len(level) > 1:
        groups = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
        level = [delayed(_add)(group) for group in groups]
    (result,) = compute(level[0])
    if result is None:
        raise ValueError("The Dask collection has no rows. At least one is needed.")
    set_columns(learner, result.columns)
    return result.total


class _Partial(NamedTuple):
    """Columns and sum of one or several blocks."""

    columns: dict[str, Any]
    total: Any


def _summarise(
    learner: Any,
    summarise: Callable[..., Any],
    shared: list[Any],
    number: int,
    X: Any,
    y: Any,
    weight: Any,
) -> _Partial | None:
    lengths = [X.shape[0], y.shape[0]]
    if weight is not None:
        lengths.append(weight.shape[0])
    if len(set(lengths)) > 1:
        raise ValueError(
            f"X, y and sample_weight have {lengths} rows in partition {number}. "
            "Use repartition or rechunk."
        )
    if lengths[0] == 0:
        return None  # data frames have empty partitions
    learner = clone(learner)
    try:
        _check_index(X, y)
        X, D = learner._check_features_and_distributions(X, y, weight)
        weight = check_weights(weight, X, all_zero=True)
        total = summarise(number, X, D, weight, *shared)
    except (ValueError, TypeError) as error:
        error.add_note(f"This is in partition {number}. Rows are counted from its first row.")
        raise
    return _Partial(columns_of(learner), total)


def _check_index(X: Any, y: Any) -> None:
    """Raise an error if pandas partitions share labels of the index at other positions."""
    if not (hasattr(X, "iloc") and hasattr(y, "iloc")):
        return
    if not X.index.equals(y.index) and X.index.isin(y.index).any():
        raise ValueError(
            "The indexes of X and y hold common labels in different orders, but rows are paired "
            "by position. Reorder the rows of y."
        )


def _add(parts: list[_Partial | None]) -> _Partial | None:
    present = [part for part in parts if part is not None]
    if not present:
        return None
    columns, total = present[0]
    for other in present[1:]:
        for name in sorted(columns.keys() | other.columns.keys()):
            if not np.array_equal(columns.get(name, []), other.columns.get(name, [])):
                raise ValueError(f"Partitions differ in their columns: {name}.")
        total = total + other.total
    return _Partial(columns, total)


def predict_blocks(learner: Any, X: Any) -> Any:
    """Return the distributions of the rows of a Dask table as a collection of the same kind."""
    from dask import delayed

    sent = delayed(_without_statistics(learner), traverse=False)
    if hasattr(X, "map_partitions"):
        import pandas as pd

        meta = pd.DataFrame(np.empty((0, len(learner.label_names_))), columns=learner.label_names_)
        return X.map_partitions(_predict_frame, sent, meta=meta)
    X = _join_columns(X)
    chunks = (X.chunks[0], (len(learner.label_names_),))
    return X.map_blocks(_predict, sent, dtype=np.float64, chunks=chunks, meta=np.empty((0, 0)))


def _without_statistics(learner: Any) -> Any:
    """Return a copy of a fitted `BDLDL` or `BDLDLCV` that holds only what `predict` needs."""
    light = copy(learner)
    for name in ("_moments", "cv_results_"):
        vars(light).pop(name, None)
    if "best_estimator_" in vars(light):
        light.best_estimator_ = _without_statistics(light.best_estimator_)
    return light


def _predict_frame(frame: Any, learner: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(_predict(frame, learner), index=frame.index, columns=learner.label_names_)


def _predict(X: Any, learner: Any) -> Array:
    if X.shape[0] == 0:
        return np.empty((0, len(learner.label_names_)))
    return np.asarray(learner.predict(X))
