"""Kinds of table columns (numbers, truth values, dates, categories, text), and their conversion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeldist.app.text import shortened, word
from labeldist.app.types import Array
from labeldist.utils import require

MISSING = {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"}
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
NUMERIC_CATEGORIES = {"0", "1", *TRUTH}
# With at most this many distinct cells, a column holds categories, such as the answers to a
# question, however long they are.
MIN_CATEGORIES = 5
# Text has at least this many different words per distinct cell on average. Shorter cells are
# categories if they repeat, and names or titles if they do not.
MIN_WORDS = 4
# More distinct numbers next to a few words are measurements with mistakes, not codes such as 3+.
MANY_NUMBERS = 10
ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
# Numbers and dates in a notation that is not supported, such as 10%, € 1 000 and 31.5.2024. They
# are not categories.
UNREADABLE = re.compile(r"[+\u2212-]?[$€£¥]?\s?\d[\d\s.,:/'\u2019]*[%$€£¥]?")
# A word has two letters or digits, like those of scikit-learn's vectorizers. Identifiers and
# addresses without spaces, such as 550e8400-e29b-41d4, are one word.
BETWEEN_WORDS = re.compile(r"[\s,;]+")
# Letters of scripts without spaces between words (Thai, Lao, Japanese, Chinese); two count as one.
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
WORD = re.compile(r"\w\w")

Mask = NDArray[np.bool_]
# "name" and "other" cannot be converted to features; "name" is expected in a table, "other" is
# probably a mistake.
Kind = Literal["number", "truth", "date", "category", "text", "name", "other"]


class ColumnKind(NamedTuple):
    """The kind of a column, its cells as numbers, and why they cannot be used as they are."""

    kind: Kind
    values: Array
    missing: Mask
    reason: str = ""
    row: int = 0  # The first row that shows the reason.


class TableKinds:
    """The kinds of the columns of a table, each determined once, when it is first needed.

    Parameters
    ----------
    frame : DataFrame
        The table.
    text, categories : sequence of str, default=()
        Columns of these kinds, whatever their cells are.
    """

    def __init__(
        self, frame: Any, text: Sequence[str] = (), categories: Sequence[str] = ()
    ) -> None:
        self.frame = frame
        self.given: dict[str, Kind] = {
            **dict.fromkeys(text, "text"),
            **dict.fromkeys(categories, "category"),
        }
        self._found: dict[str, ColumnKind] = {}

    def __getitem__(self, name: str) -> ColumnKind:
        """Return the kind of a column."""
        if name not in self._found:
            self._found[name] = kind_of(self.frame[name], self.given.get(name))
        return self._found[name]

    def converted(self, columns: Iterable[str]) -> Any:
        """Return columns of the table; those of numbers, truth values and dates as such."""
        converted = {}
        for name in columns:
            found = self[name]
            if found.kind in ("number", "truth"):
                converted[name] = found.values
            elif found.kind == "date":
                converted[name] = dates(self.frame[name])
            else:
                converted[name] = self.frame[name]
        return require("pandas", "app").DataFrame(converted, index=self.frame.index)


def kind_of(cells: Any, given: Kind | None = None) -> ColumnKind:
    """Determine the kind of a column from its dtype and its cells, unless it is `given`."""
    missing = is_missing(cells)
    values = to_numbers(cells)
    if missing.all():
        return ColumnKind("other", values, missing, "has no values")
    filled = ~missing
    if given is not None:
        return ColumnKind(given, values, missing)
    kind, reason, shows_it = _kind_of_filled(cells[filled], values[filled])
    if reason:
        row = int(np.flatnonzero(filled)[shows_it.argmax()])
        return ColumnKind(kind, values, missing, f"{reason} {shortened(cells.iloc[row])}", row)
    if missing.any():
        return ColumnKind(kind, values, missing, "has empty cells", int(missing.argmax()))
    return ColumnKind(kind, values, missing)


def _kind_of_filled(cells: Any, values: Array) -> tuple[Kind, str, Mask]:
    """Return the kind of a column without gaps, the reason, and the cells that show it."""
    unread = np.isnan(values)
    is_category = holds_categories(cells)
    if holds_truth(cells) or (is_category and not unread.any()):
        return "truth", "", unread
    infinite = np.isinf(values)
    if infinite.any():
        return "other", "holds", infinite
    if not unread.any():
        return "number", "", unread
    are_dates = dates(cells).notna().to_numpy()
    if are_dates.all():
        return "date", "holds dates such as", are_dates
    if are_dates.mean() > 0.5:
        return "other", "holds dates, but also", ~are_dates
    if is_category:
        return "category", "holds categories such as", unread
    lists = cells.map(type).eq(list).to_numpy()
    if lists.any():
        return "name", "holds the list", lists
    return _kind_of_words(cells, values, unread)


def _kind_of_words(cells: Any, values: Array, unread: Mask) -> tuple[Kind, str, Mask]:
    """Return the kind of a column of words, possibly among numbers."""
    if len(np.unique(values[~unread])) > max(MANY_NUMBERS, unread.sum()):
        return "other", "holds numbers, but also", unread
    texts = stripped(cells)
    if texts[unread].str.fullmatch(UNREADABLE).all():
        problem = "holds numbers or dates not written as 1234.5 or 2024-05-31, such as"
        return "other", problem, unread
    distinct = texts.unique()
    if len(distinct) > MIN_CATEGORIES and mean_words(distinct) >= MIN_WORDS:
        return "text", "holds text such as", unread
    if len(distinct) <= max(MIN_CATEGORIES, len(cells) / 2):
        return "category", "holds words such as", unread
    return "name", "holds short text that differs in almost every row, such as", unread


def mean_words(texts: Iterable[str]) -> float:
    """Return the mean number of different words in a text."""
    counts = []
    for text in texts:
        parts = set(BETWEEN_WORDS.split(text.lower()))
        n_words = sum(WORD.search(part) is not None for part in parts)
        counts.append(n_words + len(UNSPACED.findall(text)) // 2)
    return float(np.mean(counts))


def is_missing(cells: Any) -> Mask:
    """Return a mask of the cells that are empty, NaN, NaT or one of `MISSING`."""
    missing: Mask = cells.isna().to_numpy(bool)
    if holds_objects(cells):
        # For short columns, this is much faster than the methods of pandas for text.
        words = [str(cell).strip() in MISSING for cell in cells.to_numpy(object)]
        return missing | np.array(words, dtype=bool)  # an empty list would be float64
    return missing


def holds_objects(cells: Any) -> bool:
    """Return whether a column holds text, Python objects or categories."""
    return cells.dtype.kind in "OU"  # U: text of Arrow


def holds_categories(cells: Any) -> bool:
    """Return whether a column has the dtype of categories."""
    return str(cells.dtype) == "category"


def holds_truth(filled: Any) -> bool:
    """Return whether all cells are true or false (yes or no)."""
    if holds_objects(filled):
        return all(str(cell).strip().lower() in TRUTH for cell in filled)
    return filled.dtype.kind == "b"


def to_numbers(cells: Any, *, truth_words: bool | None = None) -> Array:
    """Convert cells to float64, with NaN for those that are not numbers.

    The words true, false, yes and no are 1 and 0 if `truth_words`, or, if that is None, in a column
    of such words only. Categories are numbers only if they are truth values or 0 and 1, as MULAN
    declares binary features.
    """
    if cells.dtype.kind in "biuf":
        return np.asarray(cells.to_numpy(np.float64, na_value=np.nan))
    if not holds_objects(cells) or _holds_nominal_codes(cells):
        return np.full(len(cells), np.nan)
    found = require("pandas", "app").to_numeric(cells.to_numpy(object), errors="coerce")
    values = np.asarray(found, np.float64)
    unread = np.isnan(values)
    if truth_words is None:
        truth_words = bool(unread.any()) and holds_truth(cells[~is_missing(cells)])
    if truth_words:
        words = stripped(cells).str.lower().map(TRUTH).to_numpy(np.float64, na_value=np.nan)
        values = np.where(unread, words, values)
    return values


def _holds_nominal_codes(cells: Any) -> bool:
    """Return whether a column holds categories other than truth values, 0 and 1."""
    if not holds_categories(cells):
        return False
    codes = {word(category).lower() for category in cells.cat.categories}
    return not codes <= NUMERIC_CATEGORIES


def dates(cells: Any) -> Any:
    """Convert cells to dates in UTC, with NaT for those that are not dates."""
    if cells.dtype.kind != "M":
        # Without this, pandas would convert numbers to nanoseconds since 1970.
        cells = cells.astype(object).map(lambda cell: cell if _may_be_date(cell) else None)
    pandas = require("pandas", "app")
    return pandas.to_datetime(cells, format="ISO8601", errors="coerce", utc=True)


def stripped(cells: Any) -> Any:
    """Convert cells to text without spaces around it."""
    return cells.astype(str).str.strip()


def _may_be_date(cell: Any) -> bool:
    if isinstance(cell, str):
        return ISO_DATE.fullmatch(cell.strip()) is not None
    return isinstance(cell, date)
