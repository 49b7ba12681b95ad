"""From the columns of a person's table to numbers, by transformers that stay inside the saved model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labeldist.exceptions import TableError
from labeldist.extras import require
from labeldist.features.cells import (
    CategoryColumns,
    DateParts,
    IsMissing,
    ToNumbers,
    ToWords,
    dates,
    holds_truth,
    is_missing,
    numbers,
)

Kind = Literal["number", "truth", "date", "category", "text", "mixture", "infinite", "empty", "other"]

RARE_ROWS = 3
"""A category of fewer rows has no column of its own: two rows teach nothing."""

MOST_CATEGORIES = 30
"""So many columns at most come of one column of categories; the rarest share one."""

FEW_VALUES = 5
"""So many different words are categories in the smallest table, too."""

MANY_NUMBERS = 10
"""More different numbers than this beside some words are measurements with slips, not categories such as 1, 2, 3+."""

LONGEST_CELL = 40
"""More of a cell is not shown."""

PREPARED: tuple[Kind, ...] = ("number", "truth", "date", "category")
"""The kinds that become numbers. The others need a person."""

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


def problems_with(frame: Any, columns: Iterable[str] | None = None) -> list[Problem]:
    """Say of each column that does not hold plain finite numbers what it holds instead.

    Parameters
    ----------
    frame : pandas.DataFrame
    columns : iterable of str, default=None
        The columns to look at; None is all of them.

    Examples
    --------
    >>> import pandas as pd
    >>> problems_with(pd.DataFrame({"age": [30, None], "city": ["Rome", "Bern"], "size": [1.5, 2]}))
    [Problem(column='age', kind='number', position=1, reason='has 1 empty cell'), \
Problem(column='city', kind='category', position=0, reason="holds words such as 'Rome'")]
    """
    found = (_look_at(frame[name]) for name in _selected(frame, columns))
    return [problem for problem in found if problem.reason]


def prepare_columns(frame: Any, columns: Iterable[str] | None = None) -> Any:
    """Return a transformer, still to be fitted, that turns columns of these kinds into numbers.

    Numbers are standardised, their empty cells filled with the median; truth values become 0 and 1, their empty cells
    the more frequent one; dates become the five numbers of `labeldist.features.cells.DateParts`; categories one column
    each (rare ones, and those that were never seen, share one; empty cells are a category). Where numbers, truth
    values or dates have empty cells in `frame`, a column says which.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table that says which kind each column is; the same or more rows are for `fit`.
    columns : iterable of str, default=None
        The columns to use; None is all of them.

    Returns
    -------
    ColumnTransformer
        It finds its columns by name: others are ignored, and the order does not matter.

    Raises
    ------
    TableError
        If a column holds what no rule makes sense of: text that differs in almost every row, numbers mixed with
        words, infinite numbers, nothing, or objects.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 40, 50, None], "city": ["Rome", "Bern", "Rome", "Rome"]})
    >>> prepared = prepare_columns(people).set_output(transform="pandas").fit_transform(people)
    >>> list(prepared.columns)
    ['age', 'city=Rome', 'city=(rare)', 'age is missing']
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    names = _selected(frame, columns)
    if not names:
        raise TableError("There are no feature columns to prepare.")
    kinds = {name: _look_at(frame[name]) for name in names}
    _refuse([problem for problem in kinds.values() if not problem.preparable])
    # A fold may hold no value of a column at all: it is kept then, as zeros, so that the columns are always the same.
    median, frequent = (SimpleImputer(strategy=how, keep_empty_features=True) for how in ("median", "most_frequent"))
    one_column_each = CategoryColumns(
        handle_unknown="infrequent_if_exist",
        min_frequency=RARE_ROWS,
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    ways = {
        "number": make_pipeline(ToNumbers(), median, StandardScaler()),
        "truth": make_pipeline(ToNumbers(), frequent),
        "date": make_pipeline(DateParts(), median, StandardScaler()),
        "category": make_pipeline(ToWords(), one_column_each),
    }
    parts = [(kind, way, [name for name in names if kinds[name].kind == kind]) for kind, way in ways.items()]
    marked = [name for name in names if kinds[name].kind != "category" and is_missing(frame[name]).any()]
    return ColumnTransformer(
        [part for part in [*parts, ("missing", IsMissing(), marked)] if part[2]], verbose_feature_names_out=False
    )


def _selected(frame: Any, columns: Iterable[str] | None) -> list[str]:
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
        raise TableError(f"The table has no column {_listed(unknown)}. It has {_listed(present)}.")
    doubled = [name for name in dict.fromkeys(names) if present.count(name) > 1]
    if doubled:
        raise TableError(f"More than one column is called {_listed(doubled)}: each needs a name of its own.")
    return names


def _look_at(cells: Any) -> Problem:
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
    if filled.nunique() <= max(FEW_VALUES, len(filled) / 2):
        return "category", 0, f"holds {'categories' if declared else 'words'} such as"
    return "text", 0, f"holds {_looks_like(filled)} such as"


def _may_be_date(cell: Any) -> bool:
    if isinstance(cell, str):
        return _ISO_DATE.fullmatch(cell.strip()) is not None
    return hasattr(cell, "year")


def _looks_like(filled: Any) -> str:
    for pattern, what in (
        (_DECIMAL_COMMA, "numbers with a comma for the decimal point,"),
        (_OTHER_DATE, "what may be dates, but is not written as 2024-05-31,"),
    ):
        if filled.map(lambda cell, pattern=pattern: pattern.fullmatch(str(cell).strip()) is not None).all():
            return what
    return "text that differs in almost every row,"


def _shown(cell: Any) -> str:
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _refuse(problems: list[Problem]) -> None:
    if problems:
        told = "; ".join(f"column {p.column} {p.reason} (position {p.position}, counted from 0)" for p in problems)
        raise TableError(
            f"These columns cannot be turned into numbers: {told}. Leave them out of `columns`, or put numbers, dates "
            "as 2024-05-31 or categories in their place."
        )


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))
