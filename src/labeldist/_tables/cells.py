"""The cells of a data frame of any make."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._tables.tables import cell_at, listed
from labeldist._typing import Array
from labeldist.exceptions import TableError, did_you_mean


def open_frame(votes: Any, columns: Iterable[str]) -> Any:
    """Return a data frame of any make as one of narwhals; refuse it without rows or one of the columns."""
    narwhals = require("narwhals", "votes")
    try:
        frame = narwhals.from_native(votes, eager_only=True)
    except TypeError:
        raise TypeError(
            "Votes must be a pandas, polars or pyarrow table, or a 2-D array of counts; got "
            f"{type(votes).__name__}. (A lazy table is to be collected first.)"
        ) from None
    except ValueError as error:
        raise TableError(f"The table of votes has columns of the same name: {error}. Rename them.") from None
    asked = list(columns)
    for name in asked:
        if name not in frame.columns:
            raise TableError(
                f"The table of votes has no column {name!r}.{did_you_mean(name, frame.columns)} It has "
                f"{listed(frame.columns)}."
            )
        if asked.count(name) > 1:
            raise ValueError(f"Column {name!r} is named more than once; each has one meaning.")
    if not len(frame):
        raise TableError("The table of votes has no rows.")
    return frame


def cells(frame: Any, column: str) -> list[Any]:
    """Return the cells of a column, None for those that are empty."""
    series = frame.get_column(column)
    found = [
        None if missing or _is_nothing(cell) else cell
        for missing, cell in zip(series.is_null().to_list(), series.to_list(), strict=True)
    ]
    for row, cell in enumerate(found):
        if not isinstance(cell, Hashable):
            raise TableError(f"{cell_at(row, column)} holds a {type(cell).__name__}, not one value. Give each a row.")
    return found


def _is_nothing(cell: Any) -> bool:
    if isinstance(cell, str):
        return not cell.strip()
    return isinstance(cell, Real | Decimal) and cell != cell  # NaN, which is not null to all makes


def filled(frame: Any, column: str) -> list[Any]:
    """Return the cells of a column that must have no empty ones."""
    found = cells(frame, column)
    if None in found:
        row, many = found.index(None), found.count(None)
        raise TableError(f"{cell_at(row, column)} is empty ({many} in all). Fill it in, or drop the row.")
    return found


def numbers(values: list[Any], column: Any) -> Array:
    """Return cells as numbers, NaN for empty ones."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row = next(row for row, cell in enumerate(values) if not _is_number(cell))
        raise TableError(f"{cell_at(row, column)} is {values[row]!r}, which is no number of votes.") from None


def _is_number(cell: Any) -> bool:
    try:
        np.float64(cell)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
