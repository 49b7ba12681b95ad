"""What the columns of a person's table hold: numbers, truth values, dates, categories, text, or a mixture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np

from labeldist._extras import require
from labeldist._tables.tables import listed
from labeldist._typing import Array
from labeldist.exceptions import TableError

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
"""What a cell of text says where nothing is known."""

TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}

Kind = Literal["number", "truth", "date", "category", "text", "mixture", "infinite", "empty", "other"]

FEW_VALUES = 5
"""So many different words are categories in the smallest table, too."""

MANY_NUMBERS = 10
"""More different numbers than this beside some words are measurements with slips, not categories such as 1, 2, 3+."""

PREPARED: tuple[Kind, ...] = ("number", "truth", "date", "category")
"""The kinds that become numbers. The others need a person."""

LONGEST_CELL = 40
"""More of a cell is not shown."""

_ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
_OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


@dataclass(frozen=True)
class Problem:
    """Why a column cannot be used as plain numbers.

    Attributes
    ----------
    column : str
    kind : str
        ``"category"``, ``"date"``, ``"text"``, ``"mixture"`` (numbers and words), ``"infinite"``, ``"empty"``,
        ``"other"``, or ``"number"`` and ``"truth"`` for those with empty cells.
    position : int
        The first row that shows it, counted from 0.
    reason : str
        What the column does, to stand after its name: ``"holds words such as 'Rome'"``.
    preparable : bool
        Whether `prepare_columns` turns it into numbers.
    """

    column: str
    kind: Kind
    position: int
    reason: str

    @property
    def preparable(self) -> bool:
        """Whether the column is of a kind that becomes numbers."""
        return self.kind in PREPARED


def selected(frame: Any, columns: Iterable[str] | None) -> list[str]:
    """Return the names of the columns, each of which must be there once."""
    if not isinstance(frame, require("pandas", "app").DataFrame):
        raise TypeError(
            f"A pandas.DataFrame is needed, with columns by name; got {type(frame).__name__}. Tables of polars and "
            "pyarrow become one with to_pandas()."
        )
    present = list(frame.columns)
    names = present if columns is None else list(columns)
    unknown = [name for name in names if name not in present]
    if unknown:
        raise TableError(f"The table has no column {listed(unknown)}. It has {listed(present)}.")
    doubled = [name for name in dict.fromkeys(names) if present.count(name) > 1]
    if doubled:
        raise TableError(f"More than one column is called {listed(doubled)}: each needs a name of its own.")
    return names


def look_at(cells: Any) -> Problem:
    """Find the kind of a column; one without a reason is no problem."""
    missing = is_missing(cells)
    if missing.all():
        return Problem(cells.name, "empty", 0, "has no filled cell")
    filled = cells[~missing]
    kind, at, words = _kind_of(filled)
    if words:
        return Problem(cells.name, kind, int(np.flatnonzero(~missing)[at]), f"{words} {_shown(filled.iloc[at])}")
    count = int(np.count_nonzero(missing))
    empty = f"has {count} empty cell{'s' * (count > 1)}" if count else ""
    return Problem(cells.name, kind, int(missing.argmax()), empty)


def _kind_of(filled: Any) -> tuple[Kind, int, str]:
    """Return the kind of filled cells, which of them shows it, and words to stand before that; none for numbers."""
    if holds_truth(filled):
        return "truth", 0, ""
    values = numbers(filled)
    unread = np.isnan(values)
    declared = str(filled.dtype) == "category"  # then they are no numbers, even where they look like some
    if not declared and not unread.any():
        infinite = np.isinf(values)
        return (
            ("infinite", int(infinite.argmax()), "holds the infinite number") if infinite.any() else ("number", 0, "")
        )
    if filled.map(_may_be_date).all() and dates(filled).notna().all():
        return "date", 0, "holds dates such as"
    plain = filled.map(lambda cell: isinstance(cell, str | int | float | np.number | np.bool)).to_numpy(bool)
    if not plain.all():
        at = int(plain.argmin())
        return "other", at, f"holds the {type(filled.iloc[at]).__name__}"
    if not declared and len(np.unique(values[~unread])) > max(MANY_NUMBERS, int(unread.sum())):
        return "mixture", int(unread.argmax()), "holds numbers, but also"
    if look := _looks_like(filled):
        return "text", 0, f"holds {look} such as"
    if filled.nunique() <= max(FEW_VALUES, len(filled) / 2):
        return "category", 0, f"holds {'categories' if declared else 'words'} such as"
    return "text", 0, "holds text that differs in almost every row, such as"


def _may_be_date(cell: Any) -> bool:
    if isinstance(cell, str):
        return _ISO_DATE.fullmatch(cell.strip()) is not None
    return hasattr(cell, "year")


def _looks_like(filled: Any) -> str:
    """Say what text looks like that a person would read as numbers or dates, and nothing of other text."""
    for pattern, what in (
        (_DECIMAL_COMMA, "numbers with a comma for the decimal point,"),
        (_OTHER_DATE, "what may be dates, but is not written as 2024-05-31,"),
    ):
        if filled.map(lambda cell, pattern=pattern: pattern.fullmatch(str(cell).strip()) is not None).all():
            return what
    return ""


def _shown(cell: Any) -> str:
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def is_missing(cells: Any) -> Any:
    """Whether each cell of a column is empty, NaN or a text that says so (`MISSING`), as an array."""
    missing = cells.isna().to_numpy(bool)
    if not holds_objects(cells):
        return missing
    if _is_text(cells):
        return missing | cells.str.strip().isin(MISSING).to_numpy(bool)
    return missing | np.array([isinstance(cell, str) and cell.strip() in MISSING for cell in cells.astype(object)])


def holds_objects(cells: Any) -> bool:
    """Whether a column holds text, Python objects or categories: what to make of each cell, itself must tell."""
    types = require("pandas", "app").api.types
    return bool(types.is_object_dtype(cells) or types.is_string_dtype(cells) or str(cells.dtype) == "category")


def holds_truth(cells: Any) -> bool:
    """Whether all cells of a column are true or false."""
    if _is_text(cells):
        return bool(cells.str.strip().str.lower().isin(list(TRUTH)).all())
    if holds_objects(cells):
        return bool(cells.astype(object).map(lambda cell: _truth(cell) is not None).all())
    return bool(require("pandas", "app").api.types.is_bool_dtype(cells))


def numbers(cells: Any) -> Array:
    """Return the cells of a column as float64, with NaN for those that are none."""
    pandas = require("pandas", "app")
    if _is_text(cells):
        values = pandas.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
        if np.isnan(values).any():
            truth = cells.str.strip().str.lower().map(TRUTH).to_numpy(np.float64, na_value=np.nan)
            values = np.where(np.isnan(values), truth, values)
        return np.asarray(values)
    if holds_objects(cells):
        cells = pandas.to_numeric(cells.astype(object).map(_readable), errors="coerce")
    if not pandas.api.types.is_numeric_dtype(cells) or cells.dtype.kind == "c":
        return np.full(len(cells), np.nan)
    return np.asarray(cells.to_numpy(np.float64, na_value=np.nan))


def dates(cells: Any) -> Any:
    """Return the cells of a column as dates at UTC, with NaT for those that are none."""
    pandas = require("pandas", "app")
    if pandas.api.types.is_datetime64_any_dtype(cells):
        return pandas.to_datetime(cells, utc=True)
    # Numbers are no dates: pandas would count them from 1970.
    return pandas.to_datetime(_only(cells, str | date), format="ISO8601", errors="coerce", utc=True)


def _only(cells: Any, types: Any) -> Any:
    """Return the cells that are of these types, and None for the others."""
    return cells.astype(object).map(lambda cell: cell if isinstance(cell, types) else None)


def _is_text(cells: Any) -> bool:
    """Whether a column holds text and nothing else, so that pandas can look at all cells at once."""
    return isinstance(cells.dtype, require("pandas", "app").StringDtype)


def _truth(cell: Any) -> float | None:
    if isinstance(cell, bool | np.bool):
        return float(cell)
    return TRUTH.get(cell.strip().lower()) if isinstance(cell, str) else None


def _readable(cell: Any) -> Any:
    """Return what pandas may try to read as a number."""
    truth = _truth(cell)
    return truth if truth is not None else cell if isinstance(cell, str | Real | Decimal) else None


def word(cell: Any) -> str:
    """Return a cell as a plain word: 3 and 3.0 are ``"3"``, and spaces around it do not count.

    A column of whole numbers becomes one of floats as soon as a cell of it is empty.
    """
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()
