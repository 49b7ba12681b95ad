"""Reading and writing of the tables of the commands, and checks of their degrees."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import typer

from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_selection import degrees, one_column, typed
from labeldist.app.tables.read_and_write import (
    STANDARD,
    check_format,
    keeps_types,
    read_table,
    with_columns,
    write_table,
)
from labeldist.app.text import cell_at
from labeldist.exceptions import TableError
from labeldist.utils import check_free, listed, name_of, require

if TYPE_CHECKING:
    import pandas as pd

MAX_MEANS = 10  # Of more labels, only the largest averages are printed.


def read(path: str, reporter: Reporter, *text: str | None) -> pd.DataFrame:
    """Read a table, with its warnings as notes; `text` names columns that do not hold numbers."""
    names = []
    for given in filter(None, text):
        names.append(given)  # one column, if its name contains a comma
        names += given.split(",")
    with reporter.working(f"Reading {path}"):
        return read_table(path, text=names)


def item_names(frame: pd.DataFrame, item: str | None) -> list[str]:
    """Return the names of the items, by default the numbers of their rows."""
    if item is None:
        return [f"row {row}" for row in range(1, len(frame) + 1)]
    return [str(name) for name in frame[one_column(item, frame.columns, "item")]]


def read_degrees(
    path: str,
    truth: pd.DataFrame,
    columns: list[str],
    item: str | None,
    source: str,
    reporter: Reporter,
) -> pd.DataFrame:
    """Read the label columns of a table with the same items as `truth`, which is called `source`.

    Rows are matched by the column of items, or else by their order.
    """
    other = read(path, reporter, item)
    for column in columns:
        one_column(column, other.columns, "label")
    if item is None:
        _check_same_order(truth, other, columns, (source, path))
    else:
        wanted = item_keys(truth, item, source)
        found = item_keys(other, item, path)
        missing = wanted[~wanted.isin(found)]
        if len(missing):
            names = listed(missing, 5)
            raise TableError(f"{path} lacks {len(missing)} of the items of {source}: {names}.")
        # The rows keep their own numbers for messages.
        other = other.iloc[require("pandas", "app").Index(found).get_indexer(wanted)]
    try:
        return degrees(other, columns)
    except TableError as error:
        raise TableError(f"{path}: {error.message}", hint=error.hint) from None


def _check_same_order(
    truth: pd.DataFrame,
    other: pd.DataFrame,
    labels: list[str],
    names: tuple[str, str],
) -> None:
    """Raise an error if a common column shows that the order of rows differs."""
    one, two = names
    if len(truth) != len(other):
        sizes = f"{one} has {len(truth)} rows, {two} has {len(other)}"
        raise TableError(f"{sizes}. Name a column that identifies the rows with --item.")
    for column in truth.columns.intersection(other.columns).drop(labels):
        ours = truth[column].astype(object).map(name_of)
        theirs = other[column].astype(object).map(name_of)
        in_order = list(ours) == list(theirs)
        if ours.is_unique and not in_order and sorted(ours) == sorted(theirs):
            problem = f"{one} and {two} have the same values in column {column!r} in another order"
            raise TableError(f"{problem}. Match rows by it with --item {shlex.quote(column)}.")


def item_keys(frame: pd.DataFrame, item: str, name: str) -> pd.Series:
    """Return the names of the items as normalised text; raise an error if one occurs twice."""
    keys = frame[one_column(item, frame.columns, "item")].astype(object).map(name_of)
    repeated = keys[keys.duplicated()]
    if len(repeated):
        raise TableError(f"Column {item!r} of {name} contains {repeated.iloc[0]!r} more than once.")
    return keys


def check_several(labels: Sequence[str]) -> None:
    """Raise an error if there is only one label."""
    if len(labels) < 2:
        raise TableError(f"{listed(labels)} is the only label, with degree 1. Name all labels.")


def check_tags(L: pd.DataFrame) -> None:
    """Raise an error if labels are not 0 or 1."""
    check_several(list(L.columns))
    other = np.argwhere(~L.isin([0, 1]).to_numpy())
    if len(other):
        row, column = other[0]
        cell = f"{cell_at(row, L.columns[column])} is {L.iloc[row, column]:g}"
        advice = "If the labels are degrees or counts already, continue with labeldist fit."
        raise TableError(f"{cell}, but tags must be 0 or 1. {advice}")


def are_logical(table: pd.DataFrame) -> bool:
    """Return whether degrees are 0 and 1 only."""
    return bool(table.isin([0, 1]).all(axis=None))


def check_degrees(D: pd.DataFrame, name: str) -> None:
    """Raise an error if all degrees of a row are zero."""
    empty = D.index[~D.to_numpy().any(axis=1)]
    if len(empty):
        problem = f"Data row {empty[0] + 1} of {name} has only zero degrees"
        raise TableError(f"{problem} ({len(empty)} such rows). Name all labels, or drop it.")


def check_outputs(*files: str | None, table: str = STANDARD, force: bool) -> None:
    """Raise an error, before any work is done, if an output cannot be written.

    Only `table` may be ``-``.
    """
    check_format(table)
    named = [path for path in files if path is not None]
    if STANDARD in named:
        raise typer.BadParameter("only the table can go to standard output: name a file.")
    if table != STANDARD:
        named.append(table)
    for path in named:
        check_free(path, overwrite=force)


def write_output(
    frame: pd.DataFrame,
    output: str,
    labels: Sequence[str],
    features: Sequence[str] = (),
    *,
    item: str | None,
    force: bool,
) -> None:
    """Write a table.

    In formats with types, text that holds numbers is written as numbers, but not names of items.
    """
    if output.lower().endswith((".mat", ".npz")):
        frame = typed(frame, list(frame.columns), frame.columns)
    elif keeps_types(output):
        others = [name for name in frame.columns if name != item]
        frame = with_columns(frame, dict(typed(frame, others, features)))
    write_table(frame, output, labels=labels, overwrite=force)


def mean_text(mean: dict[str, float]) -> str:
    """Format mean degrees, of many labels only the largest."""
    names = list(mean)
    if len(names) > MAX_MEANS:
        names.sort(key=mean.__getitem__, reverse=True)
    shown = ", ".join(f"{name} {mean[name]:.2f}" for name in names[:MAX_MEANS])
    n_others = len(names) - MAX_MEANS
    return f"{shown}, and less for {n_others} other labels" if n_others > 0 else shown
