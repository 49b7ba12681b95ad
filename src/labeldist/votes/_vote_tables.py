"""Reading of vote tables in three shapes: long, wide and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._tables import column_kinds as kinds
from labeldist._tables.column_kinds import clean
from labeldist._tables.column_selection import one_column
from labeldist._tables.messages import cell_at, did_you_mean, listed
from labeldist._typing import Array
from labeldist.exceptions import LabelWarning, TableError, warn
from labeldist.votes._cells import check_single_labels, read_json, read_names

Codes = NDArray[np.intp]
Names = Sequence[str] | None

BLANK = f" \t\r\n\xa0{kinds.INVISIBLE}"
SHAPES = (
    "item= and label= (and annotator=) for one row per vote, "
    "annotators= for one column per annotator, counts= for one column of counts per label"
)


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes as indices.

    `votes` has the columns item, annotator and label. It is None if annotators are unknown.
    """

    items: list[Any]
    label_names: list[str]
    counts: Array
    annotators: list[Any] = field(default_factory=list)
    votes: Codes | None = None


def read_votes(
    votes: Any,
    *,
    item: str | None,
    annotator: str | None,
    label: str | None,
    annotators: Any,
    counts: Any = None,
    label_names: Names,
    separator: str | None = None,
) -> VoteTable:
    """Read votes in the shape that the named columns imply; see `labeldist.votes.from_votes`."""
    if isinstance(votes, np.ndarray | list | tuple):
        return _read_array(votes, label_names)
    n_shapes = sum(given is not None for given in (label, annotators, counts))
    lacks_item = label is not None and item is None
    has_idle_annotator = label is None and annotator is not None
    if n_shapes != 1 or lacks_item or has_idle_annotator:
        raise ValueError(f"Name the columns of the votes: {SHAPES}.")
    if label is not None:
        return _read_long(votes, item, annotator, label, label_names, separator)
    if annotators is not None:
        return _read_wide(votes, item, list(annotators), label_names, separator)
    return _read_counts(votes, item, list(counts), label_names)


def _read_long(
    votes: Any,
    item: Any,
    annotator: str | None,
    label: str,
    label_names: Names,
    separator: str | None,
) -> VoteTable:
    """Read one row per vote, or per item and several labels."""
    frame = _open_frame(votes)
    items, item_of_row = _encode(_cells(frame, item, required=True))
    cells = _read_names(frame, [label], separator, required=True)
    names, label_of = _read_labels(frame, [label], cells, label_names, separator)
    item_of = item_of_row[cells.index]
    if annotator is None:
        return _count_votes(items, names, item_of, label_of)
    voters, voter_of = _read_annotators(frame, annotator, separator, cells.index)
    return _count_votes(items, names, item_of, label_of, voters, voter_of)


def _read_wide(
    votes: Any, item: str | None, annotators: list[Any], label_names: Names, separator: str | None
) -> VoteTable:
    """Read one row per item and one column per annotator."""
    frame = _open_frame(votes)
    items = _read_items(frame, item)
    cells = _read_names(frame, annotators, separator, required=False)
    names, label_of = _read_labels(frame, annotators, cells, label_names, separator)
    item_of, voter_of = np.divmod(cells.index, len(annotators))
    return _count_votes(items, names, item_of, label_of, annotators, voter_of)


def _read_counts(votes: Any, item: str | None, columns: list[str], label_names: Names) -> VoteTable:
    """Read one row per item and one column of counts per label, or one column of all counts."""
    frame = _open_frame(votes)
    items = _read_items(frame, item)
    labels: Sequence[str] = columns
    if len(columns) == 1:
        frame, labels = _split_counts(frame, columns[0], label_names)
    values = [kinds.to_numbers(_column(frame, label), truth_words=False) for label in labels]
    counts = _check_counts(np.column_stack(values), labels)
    found = require("pandas", "app").Series([clean(str(label)) for label in labels], dtype=object)
    names, position = _encode_labels(found, found.unique() if label_names is None else label_names)
    ordered = np.zeros((len(items), len(names)))
    np.add.at(ordered.T, position, counts.T)
    return VoteTable(items, names, ordered)


def _read_labels(
    frame: Any, columns: list[Any], cells: Any, label_names: Names, separator: str | None
) -> tuple[list[str], Codes]:
    """Return the label names, and the index of the label of each vote."""
    if label_names is None:
        label_names = _ordered_categories(frame, columns)
    if label_names is None and separator is None:
        check_single_labels(cells)
    return _encode_labels(cells, label_names)


def _count_votes(
    items: list[Any],
    label_names: list[str],
    item_of: Codes,
    label_of: Codes,
    annotators: Sequence[Any] = (),
    voter_of: Codes | None = None,
) -> VoteTable:
    """Count the votes of each item for each label; warn if an annotator repeats votes."""
    counts = np.zeros((len(items), len(label_names)))
    np.add.at(counts, (item_of, label_of), 1)
    if voter_of is None:
        return VoteTable(items, label_names, counts)
    votes = np.column_stack([item_of, voter_of, label_of])
    n_repeated = count_repeated(votes)
    if n_repeated:
        warn(f"{n_repeated} vote(s) are repeated. All are counted; drop copies.", LabelWarning)
    return VoteTable(items, label_names, counts, list(annotators), votes)


def count_repeated(rows: Codes) -> int:
    """Return the number of rows that are equal to an earlier row."""
    return int(require("pandas", "app").DataFrame(rows).duplicated().sum())


def nested_columns(frame: Any, name: str) -> list[str]:
    """Return the columns ``name.a``, ``name.b`` that `read_table` makes of a JSON object `name`."""
    if name in frame.columns:
        return []
    return [column for column in frame.columns if str(column).startswith(f"{name}.")]


def _open_frame(votes: Any) -> Any:
    """Return votes as a pandas data frame."""
    if hasattr(votes, "to_pandas"):  # polars or pyarrow
        votes = votes.to_pandas()
    votes = require("pandas", "app").DataFrame(votes)
    if not len(votes):
        raise TableError("The table of votes has no rows.")
    return votes


def _column(frame: Any, name: Any) -> Any:
    one_column(str(name), frame.columns, "vote")
    return frame[name]


def _cells(frame: Any, column: Any, *, required: bool) -> Any:
    """Return the cells of a column, with None for empty ones; raise an error if `required`."""
    column_cells = _column(frame, column).astype(object)
    texts = column_cells.astype(str).str.strip(BLANK)
    empty = column_cells.isna() | texts.eq("")
    if required and empty.any():
        place = cell_at(empty.argmax(), column)
        raise TableError(f"{place} is empty ({empty.sum()} in all). Fill it in, or drop the row.")
    return column_cells.where(~empty, None)


def _read_items(frame: Any, item: str | None) -> list[Any]:
    """Return the items of a table with one row per item; repeated ones raise.

    Without a column, they are the index of the table if it is unique, or else numbered.
    """
    if item is None:
        return list(frame.index if frame.index.is_unique else range(len(frame)))
    cells = _cells(frame, item, required=True)
    repeated = cells[cells.map(clean).duplicated()]
    if len(repeated):
        problem = f"Column {item!r} names {repeated.iloc[0]!r} in several rows"
        raise TableError(f"{problem}. Put all votes on an item into one row.")
    items: list[Any] = cells.tolist()
    return items


def _read_names(
    frame: Any, columns: Sequence[Any], separator: str | None, *, required: bool
) -> Any:
    """Return the labels or annotators that the cells of some columns name.

    The index of the series numbers the cells, row by row.
    """
    cells = [_cells(frame, column, required=required) for column in columns]
    lists = [read_names(cell, separator) for cell in chain.from_iterable(zip(*cells, strict=True))]
    return require("pandas", "app").Series(lists, dtype=object).explode().dropna()


def _read_annotators(
    frame: Any, annotator: str, separator: str | None, row_of_vote: Any
) -> tuple[list[Any], Codes]:
    """Return the annotators, and the index of the annotator of each vote.

    Rows name one annotator of all their labels, or one annotator per label.
    """
    names = _read_names(frame, [annotator], separator, required=True)
    if names.index.equals(frame.reset_index().index):
        names = names[row_of_vote]
    if not names.index.equals(row_of_vote):
        raise TableError(f"Each row must list one label per annotator in column {annotator!r}.")
    return _encode(names)


def _split_counts(frame: Any, column: str, label_names: Names) -> tuple[Any, Sequence[str]]:
    """Return one column of counts per label if the cells hold objects or lists of counts."""
    nested = nested_columns(frame, column)
    if nested:
        table = frame[nested].rename(columns=lambda name: name.removeprefix(f"{column}."))
    else:
        cells = [read_json(cell) for cell in _column(frame, column)]
        kind = type(cells[0])
        if not issubclass(kind, dict | list):
            return frame, [column]
        if not all(isinstance(cell, kind) for cell in cells):
            problem = f"All rows of column {column!r} must hold counts"
            raise TableError(f"{problem}, as the first row does.")
        table = require("pandas", "app").DataFrame(cells, dtype=object).rename(columns=str)
        if kind is list:
            names = _given_or_numbered(label_names, table.shape[1])
            return table.set_axis(names, axis=1), names
    return table.where(table.notna(), 0), _sorted(list(table.columns))  # null means no votes


def _read_array(votes: Any, label_names: Names) -> VoteTable:
    """Read an array of counts."""
    counts = np.array(votes, dtype=np.float64)
    if counts.ndim != 2 or not counts.size:
        raise TableError(
            f"Counts must have one row per item and one column per label; got {counts.shape}."
        )
    n_items, n_labels = counts.shape
    names = _given_or_numbered(label_names, n_labels)
    return VoteTable(list(range(n_items)), names, _check_counts(counts, range(n_labels)))


def _check_counts(numbers: Array, columns: Sequence[Any]) -> Array:
    """Return `numbers`; raise an error that names the first cell that is not a number of votes."""
    valid = (numbers >= 0) & (numbers < np.inf) & (numbers == np.floor(numbers))
    if not valid.all():
        row, k = np.argwhere(~valid)[0]
        place = cell_at(row, columns[k])
        number = numbers[row, k]
        found = "NaN (empty or text)" if np.isnan(number) else f"{number:g}"
        raise TableError(f"{place} is {found}, not a number of votes: 0, 1, 2, …")
    return numbers


def _encode(cells: Any) -> tuple[list[Any], Codes]:
    """Return the distinct names in the order of the table, and the index of the name of each cell.

    Spellings that differ only in spaces, invisible characters and codes of accents are one name.
    """
    names = cells.map(cache(clean))
    codes, _ = names.factorize()
    return cells[~names.duplicated()].tolist(), codes


def _encode_labels(cells: Any, label_names: Names) -> tuple[list[str], Codes]:
    """Return the label names, as given or sorted, and the index of the label of each cell."""
    labels = cells.map(kinds.word).map(cache(kinds.name_of))
    if label_names is None:
        label_names = _sorted(list(labels.unique()))
    names = [kinds.name_of(name) for name in label_names]
    codes = require("pandas", "app").Index(names, dtype=object).get_indexer(labels)
    for name in labels[codes < 0]:
        known = f"{listed(names)}.{did_you_mean(name, names)}"
        raise TableError(f"The label {name!r} is not among label_names: {known}")
    return names, codes


def _ordered_categories(frame: Any, columns: Sequence[Any]) -> Names:
    """Return the categories that ordered categorical columns have in common, or None."""
    types = {frame[column].dtype for column in columns}
    kind = types.pop()
    if types or not getattr(kind, "ordered", False):
        return None
    return [kinds.word(name) for name in kind.categories]


def _given_or_numbered(label_names: Names, n_labels: int) -> list[str]:
    """Return the names of labels without names in the table."""
    if label_names is None:
        return [f"label_{k}" for k in range(n_labels)]
    if len(label_names) != n_labels:
        raise ValueError(f"label_names must name each of the {n_labels} columns.")
    return [kinds.name_of(name) for name in label_names]


def _sorted(names: list[str]) -> list[str]:
    """Sort as numbers if all names are numbers, else as text."""
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names)
