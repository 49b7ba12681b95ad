"""Kinds of table columns (numbers, truth values, dates, categories, text) and the conversion of their cells."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
MIN_CATEGORIES = 5  # With at most as many distinct words, a column holds categories, however short the table is.
MIN_WORDS = 4  # Text has at least as many distinct words per cell on average. Shorter cells are names or titles.
MANY_NUMBERS = 10  # More distinct numbers next to a few words are measurements with mistakes, not codes such as 3+.
ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
# Numbers and dates in a notation that is not supported, such as 10%, € 1 000 and 31.5.2024. They are not categories.
UNREADABLE = re.compile(
    r"[$€£¥+\u2212-]{0,2}\s?(\d{1,3}(['\u2019\s.,])(\d{2,3}\2)*\d{3}((?!\2)[.,]\d+)?|\d*[.,]?\d+)(\s?[%$€£¥])?"
    r"|(\d{1,2}([./-])\d{1,2}\7\d{4}|\d{4}([./])\d{1,2}\8\d{1,2})(\s.*)?"
)
WORD = re.compile(r"\w\w+")  # as in scikit-learn's vectorizers
# Characters that are not visible. Joiners (U+200C, U+200D) distinguish words of some scripts and are part of emoji.
INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


class ColumnKind(NamedTuple):
    """The kind of a column, the first row that shows it, and why it cannot be used as plain numbers."""

    # "name" and "other" cannot be converted to features; "name" is expected in a table, "other" is probably a mistake.
    kind: Literal["number", "truth", "date", "category", "text", "name", "other"]
    row: int
    reason: str


def kind_of(cells: Any) -> ColumnKind:
    """Determine the kind of a column from its dtype and its cells."""
    missing = is_missing(cells)
    if missing.all():
        return ColumnKind("other", 0, "has no values")
    filled = cells[~missing]
    found = _kind_of_filled(filled)
    if found.reason:
        row = int(np.flatnonzero(~missing)[found.row])
        return ColumnKind(found.kind, row, f"{found.reason} {shown(cells.iloc[row])}")
    return ColumnKind(found.kind, int(missing.argmax()), "has empty cells" if missing.any() else "")


def _kind_of_filled(filled: Any) -> ColumnKind:
    """Determine the kind of a column without missing values; the cell in question follows the reason."""
    is_category = str(filled.dtype) == "category"
    if holds_truth(filled) or (is_category and {word(value) for value in filled.cat.categories} <= {"0", "1"}):
        return ColumnKind("truth", 0, "")
    values = numbers(filled)
    unread = np.isnan(values)
    if not is_category and not unread.any():
        infinite = np.isinf(values)
        return ColumnKind("other", int(infinite.argmax()), "holds") if infinite.any() else ColumnKind("number", 0, "")
    are_dates = filled.map(_may_be_date).to_numpy(bool) & dates(filled).notna().to_numpy()
    if are_dates.all():
        return ColumnKind("date", 0, "holds dates such as")
    if are_dates.mean() > 0.5:
        return ColumnKind("other", int(are_dates.argmin()), "holds dates, but also")
    plain = filled.map(lambda cell: isinstance(cell, str | int | float | np.number | np.bool)).to_numpy(bool)
    if not plain.all():
        at = int(plain.argmin())
        is_list = isinstance(filled.iloc[at], list)
        return ColumnKind("name" if is_list else "other", at, f"holds the {type(filled.iloc[at]).__name__}")
    if is_category:
        return ColumnKind("category", 0, "holds categories such as")
    if len(np.unique(values[~unread])) > max(MANY_NUMBERS, int(unread.sum())):
        return ColumnKind("other", int(unread.argmax()), "holds numbers, but also")
    if filled[unread].astype(str).str.strip().str.fullmatch(UNREADABLE).all():
        reason = "holds numbers or dates not written as 1234.5 or 2024-05-31, such as"
        return ColumnKind("other", int(unread.argmax()), reason)
    if filled.nunique() <= max(MIN_CATEGORIES, len(filled) / 2):
        return ColumnKind("category", int(unread.argmax()), "holds words such as")
    words = filled.astype(str).map(lambda text: len(set(WORD.findall(text.lower())))).mean()
    if words < MIN_WORDS:
        return ColumnKind("name", 0, "holds short text that differs in almost every row, such as")
    return ColumnKind("text", 0, "holds text such as")


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


def holds_truth(filled: Any) -> bool:
    """Return whether all cells are true or false (yes or no)."""
    if holds_objects(filled):
        return bool(filled.astype(str).str.strip().str.lower().isin(list(TRUTH)).all())
    return bool(require("pandas", "app").api.types.is_bool_dtype(filled))


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
    """Return the first characters of a cell for a message."""
    return f"{cell!r:.40}" if isinstance(cell, str) else f"{cell!s:.40}"


def word(cell: Any) -> str:
    """Convert a cell to text; 3 and 3.0 are both ``"3"``, since pandas stores integers with gaps as floats."""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def clean(cell: Any) -> Any:
    """Normalise text: compose accented letters (NFC), remove invisible characters and unnecessary spaces."""
    return " ".join(INVISIBLE.sub("", unicodedata.normalize("NFC", cell)).split()) if isinstance(cell, str) else cell


def _may_be_date(cell: Any) -> bool:
    return ISO_DATE.fullmatch(cell.strip()) is not None if isinstance(cell, str) else hasattr(cell, "year")
