"""Kinds of table columns (numbers, truth values, dates, categories, text) and the conversion of their cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
"""Texts that mark a missing value."""

TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
PREPARABLE = ("number", "truth", "date", "category")

MIN_CATEGORIES = 5
"""A column with at most this many distinct words holds categories, however short the table is."""

MANY_NUMBERS = 10
"""More distinct numbers than this next to a few words are measurements with typing errors, not codes such as 3+."""

MAX_SHOWN = 40
ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
LOOK_ALIKES = {
    "numbers with a comma": re.compile(r"[+-]?\d*,\d+"),
    "dates that are not written as 2024-05-31": re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*"),
}
"""Texts that are neither categories nor readable as numbers or dates."""


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, the first row that shows it, and why it cannot be used as plain numbers.

    The kind is one of `PREPARABLE`, or text, mixture (numbers and words), infinite, empty or other.
    """

    kind: str
    row: int
    reason: str


def kind_of(cells: Any) -> ColumnKind:
    """Determine the kind of a column from its dtype and its cells."""
    missing = is_missing(cells)
    if missing.all():
        return ColumnKind("empty", 0, "has no values")
    filled = cells[~missing]
    kind, at, reason = _kind_of_filled(filled)
    if reason:
        return ColumnKind(kind, int(np.flatnonzero(~missing)[at]), f"{reason} {shown(filled.iloc[at])}")
    count = int(missing.sum())
    reason = f"has {count} empty cell{'s' * (count > 1)}" if count else ""
    return ColumnKind(kind, int(missing.argmax()), reason)


def _kind_of_filled(filled: Any) -> tuple[str, int, str]:
    """Return the kind, the position of a cell that shows it, and a reason (empty for numbers and truth values)."""
    is_category = str(filled.dtype) == "category"
    if holds_truth(filled) or (is_category and {word(value) for value in filled.cat.categories} <= {"0", "1"}):
        return "truth", 0, ""
    values = numbers(filled)
    unread = np.isnan(values)
    if not is_category and not unread.any():
        infinite = np.isinf(values)
        return ("infinite", int(infinite.argmax()), "holds the value") if infinite.any() else ("number", 0, "")
    if filled.map(_may_be_date).all() and dates(filled).notna().all():
        return "date", 0, "holds dates such as"
    plain = filled.map(lambda cell: isinstance(cell, str | int | float | np.number | np.bool)).to_numpy(bool)
    if not plain.all():
        at = int(plain.argmin())
        return "other", at, f"holds the {type(filled.iloc[at]).__name__}"
    if not is_category and len(np.unique(values[~unread])) > max(MANY_NUMBERS, int(unread.sum())):
        return "mixture", int(unread.argmax()), "holds numbers, but also"
    for description, pattern in LOOK_ALIKES.items():
        if filled.astype(str).str.strip().str.fullmatch(pattern).all():
            return "text", 0, f"holds {description}, such as"
    if is_category or filled.nunique() <= max(MIN_CATEGORIES, len(filled) / 2):
        return "category", 0, f"holds {'categories' if is_category else 'words'} such as"
    return "text", 0, "holds text that differs in almost every row, such as"


def is_missing(cells: Any) -> Any:
    """Return a mask of the cells that are empty, NaN, NaT or one of `MISSING`."""
    missing = cells.isna().to_numpy(bool)
    if holds_objects(cells):
        missing = missing | cells.astype(str).str.strip().isin(MISSING).to_numpy(bool)
    return missing


def holds_objects(cells: Any) -> bool:
    """Return whether a column holds text, Python objects or categories, so that each cell must be examined."""
    types = require("pandas", "app").api.types
    return bool(types.is_object_dtype(cells) or types.is_string_dtype(cells) or str(cells.dtype) == "category")


def numbers(cells: Any, *, truth_words: bool | None = None) -> Array:
    """Convert cells to float64, with NaN for those that are not numbers.

    The words true, false, yes and no are 1 and 0 if `truth_words`, or, if that is None, in a column of such words only.
    """
    pandas = require("pandas", "app")
    if not holds_objects(cells):
        if not pandas.api.types.is_numeric_dtype(cells) or cells.dtype.kind == "c":
            return np.full(len(cells), np.nan)
        return np.asarray(cells.to_numpy(np.float64, na_value=np.nan))
    if not isinstance(cells.dtype, pandas.StringDtype):
        cells = cells.astype(object).map(lambda cell: cell if isinstance(cell, str | Real | Decimal) else None)
    values = pandas.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    if truth_words is None:
        truth_words = bool(np.isnan(values).any()) and holds_truth(cells[~is_missing(cells)])
    if truth_words:
        words = cells.astype(str).str.strip().str.lower().map(TRUTH).to_numpy(np.float64, na_value=np.nan)
        values = np.where(np.isnan(values), words, values)
    return np.asarray(values)


def dates(cells: Any) -> Any:
    """Convert cells to dates in UTC, with NaT for those that are not dates."""
    pandas = require("pandas", "app")
    if pandas.api.types.is_datetime64_any_dtype(cells):
        return pandas.to_datetime(cells, utc=True)
    # Without this, pandas would convert numbers to nanoseconds since 1970.
    cells = cells.astype(object).map(lambda cell: cell if isinstance(cell, str | date) else None)
    return pandas.to_datetime(cells, format="ISO8601", errors="coerce", utc=True)


def shown(cell: Any) -> str:
    """Return a cell as it is shown in messages, shortened if it is long."""
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def word(cell: Any) -> str:
    """Convert a cell to text without surrounding spaces; 3 and 3.0 are both ``"3"``.

    pandas turns whole numbers into floats as soon as one cell of the column is empty.
    """
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def holds_truth(filled: Any) -> bool:
    """Return whether all cells are true or false (yes or no)."""
    if holds_objects(filled):
        return bool(filled.astype(str).str.strip().str.lower().isin(list(TRUTH)).all())
    return bool(require("pandas", "app").api.types.is_bool_dtype(filled))


def _may_be_date(cell: Any) -> bool:
    return ISO_DATE.fullmatch(cell.strip()) is not None if isinstance(cell, str) else hasattr(cell, "year")
