"""Sums over tables that are read in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist._validation import column_names
from labeldist.learning._learner import DistributionLearner, check_weights, columns_of, set_columns
from labeldist.simplex import normalize

Chunks = Iterable[tuple[Any, ...]]  # (X, y) or (X, y, sample_weight)
SAMPLED = 16  # One of so many rows is compared between passes; all would take a tenth of a fit.
StreamCallback = Callable[[int, None, str], None]  # of the rows so far; their total is not known


class RepeatedChunks:
    """Chunks that are read several times; an error is raised if they have changed since.

    Parameters
    ----------
    chunks : iterable of (X, y) or (X, y, sample_weight)
        The chunks.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._sums: list[tuple[Any, ...]] = []  # of the first pass
        self._is_complete = False

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        sums = []
        for number, chunk in enumerate(self._chunks):
            if self._is_complete and number >= len(self._sums):
                raise _changed()
            yield chunk  # On the first pass its values are checked before they are added.
            sums.append(tuple(_length_and_sum(part) for part in chunk))
            if self._is_complete and sums[number] != self._sums[number]:
                raise _changed()
        if self._is_complete and len(sums) != len(self._sums):
            raise _changed()
        self._sums = sums
        self._is_complete = True


def _length_and_sum(table: Any) -> tuple[Any, float]:
    """Return the shape of a part of a chunk, and the sum of a sample of its rows."""
    rows: Any = table if hasattr(table, "shape") else np.asarray(table)
    sample: Any = rows[::SAMPLED]
    return rows.shape, float(np.asarray(sample.sum()).sum())


def _changed() -> ValueError:
    return ValueError("The table has changed while the model was fitted to it. Fit it again.")


def sum_over_chunks(
    learner: DistributionLearner,
    chunks: Chunks,
    summarise: Callable[..., Any],
    shared: Iterable[Any] = (),
    callback: StreamCallback | None = None,
    *,
    are_checked: bool = False,
) -> Any:
    """Return the sum over chunks of ``summarise(chunk number, X, D, weight, *shared)``.

    No rows at all raise an error. The names and numbers of the columns are set on the learner at
    the end. `callback` is called with the number of rows so far, None and "rows". Chunks that were
    already read are not checked again.
    """
    reader = clone(learner)  # keeps the columns, so that a failure does not change the learner
    total = None
    n_rows = 0
    for number, chunk in enumerate(chunks):
        length = np.shape(chunk[1])[0]
        if length == 0:
            continue
        try:
            if are_checked:
                X, D = _arrays_of(*chunk[:2])
            else:
                X, D = reader._check_features_and_distributions(*chunk, reset=total is None)
            weight = check_weights(chunk[2], X, all_zero=True) if len(chunk) > 2 else None
            with threads_for(*X.shape):
                part = summarise(number, X, D, weight, *shared)
        except ValueError as error:
            wrong_value = "" if are_checked else _find_wrong_value(chunk[0], chunk[1], n_rows)
            named = ValueError(wrong_value) if wrong_value else error
            named.add_note(f"This is in chunk {number}, which begins with row {n_rows}.")
            raise named from None
        with np.errstate(over="ignore", invalid="ignore"):
            total = part if total is None else total + part
        n_rows += length
        if callback:
            callback(n_rows, None, "rows")
    if total is None:
        raise ValueError("The stream has no rows. At least one is needed.")
    if not are_checked:
        set_columns(learner, columns_of(reader))
    return total


def _arrays_of(X: Any, y: Any) -> tuple[Any, Array]:
    """Return features and distributions without checks."""
    is_sparse: bool = sparse.issparse(X)
    features = X.tocsr() if is_sparse else np.asarray(X, dtype=np.float64)
    return features, normalize(y)


def _find_wrong_value(X: Any, y: Any, first_row: int) -> str:
    """Describe the first wrong value with its row in the whole table; empty if there is none."""
    for table, name, least in ((X, "X", -np.inf), (y, "y (the label distributions)", 0.0)):
        if sparse.issparse(table):
            continue
        try:
            values = np.asarray(table, dtype=np.float64)
        except (TypeError, ValueError):
            continue  # The validation of the learner names the problem.
        if values.ndim != 2 or not values.size:
            continue
        wrong = np.argwhere(~np.isfinite(values) | (values < least))
        if len(wrong):
            row, column = wrong[0]
            names = column_names(table)
            named = column if names is None else repr(names[column])
            value = values[row, column]
            problem = "NaN" if np.isnan(value) else f"{value:g}"
            kind = "a negative value" if value < 0 and np.isfinite(value) else "no finite number"
            return (
                f"{name} has {kind}, {problem}, in row {first_row + row} of the whole table "
                f"(the first is row 0), column {named}. Correct or drop this row."
            )
        if least == 0:
            empty = np.flatnonzero(~values.any(axis=1))
            if len(empty):
                return (
                    f"{name} has only zeros in row {first_row + empty[0]} of the whole table "
                    "(the first is row 0). Drop this row."
                )
    return ""
