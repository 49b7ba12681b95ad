"""From the columns of a person's table to numbers, by transformers that stay inside the saved model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labeldist._tables.feature_cells import CategoryColumns, DateParts, IsMissing, ToNumbers, ToWords
from labeldist._tables.kinds import Problem, is_missing, look_at, selected
from labeldist.exceptions import TableError

RARE_ROWS = 3
"""A category of fewer rows has no column of its own: two rows teach nothing."""

MOST_CATEGORIES = 30
"""So many columns at most come of one column of categories; the rarest share one."""


def prepare_columns(frame: Any, columns: Iterable[str] | None = None) -> Any:
    """Return a transformer, still to be fitted, that turns columns of these kinds into numbers.

    Numbers are standardised, their empty cells filled with the median; truth values become 0 and 1, their empty cells
    the more frequent one; dates become the five numbers of `DateParts`; categories one column
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

    names = selected(frame, columns)
    if not names:
        raise TableError("There are no feature columns to prepare.")
    kinds = {name: look_at(frame[name]) for name in names}
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


def _refuse(problems: list[Problem]) -> None:
    if problems:
        told = "; ".join(f"column {p.column!r} {p.reason} (data row {p.position + 1})" for p in problems)
        raise TableError(
            f"These columns cannot be turned into numbers: {told}. Leave them out, or put numbers, dates as 2024-05-31 "
            "or categories in their place."
        )
