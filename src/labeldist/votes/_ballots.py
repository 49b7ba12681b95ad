"""Tables of votes in their three shapes, read into who voted for what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._tables.cells import cells, filled, numbers, open_frame
from labeldist._tables.kinds import word
from labeldist._tables.tables import cell_at, listed
from labeldist._typing import Array
from labeldist._unpacking import CELL, LARGEST
from labeldist.exceptions import LabelWarning, TableError, did_you_mean, warn

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Ballots:
    """The votes of a table.

    Attributes
    ----------
    items : list
        What was voted on, in the order of the table.
    label_names : list of str
    counts : ndarray of shape (n_items, n_labels)
        Votes of each item for each label.
    single : ndarray of shape (n_votes, 3), or None
        Item, annotator and label of each vote, by number; None where the table does not say who voted.
    """

    items: list[Any]
    label_names: list[str]
    counts: Array
    single: Codes | None = None


def read_long(
    votes: Any, *, item: str, label: str, annotator: str | None = None, label_names: Sequence[str] | None = None
) -> Ballots:
    """Read a table with a row a vote."""
    frame = open_frame(votes, [name for name in (item, label, annotator) if name is not None])
    items, item_of = _coded(filled(frame, item))
    names, label_of = _labels(filled(frame, label), label_names, lambda row: cell_at(row, label))
    counts = _count(item_of, label_of, (len(items), len(names)))
    if annotator is None:
        return Ballots(items, names, counts)
    annotators, annotator_of = _coded(filled(frame, annotator))
    single = np.column_stack([item_of, annotator_of, label_of])
    repeated = repeated_rows(single)
    if repeated.size:
        i, a, k = single[repeated[0]]
        warn(
            f"{repeated.size} row(s) repeat a vote, first data row {repeated[0] + 1}: {annotators[a]!r} has voted for "
            f"{names[k]!r} on item {items[i]!r} before. Each row counts; drop them if they are copies.",
            LabelWarning,
        )
    return Ballots(items, names, counts, single)


def read_wide(
    votes: Any, *, annotators: Sequence[str], item: str | None = None, label_names: Sequence[str] | None = None
) -> Ballots:
    """Read a table with a row an item and a column an annotator; an empty cell is no vote."""
    frame = open_frame(votes, _with_item(annotators, item))
    items = _items(frame, item)
    columns = [cells(frame, annotator) for annotator in annotators]
    cast = [(row, a, cell) for a, column in enumerate(columns) for row, cell in enumerate(column) if cell is not None]
    cast.sort(key=lambda vote: vote[0])  # the first mistake in the table is the first to be told
    names, label_of = _labels(
        [cell for _, _, cell in cast], label_names, lambda vote: cell_at(cast[vote][0], annotators[cast[vote][1]])
    )
    item_of, annotator_of = np.array([vote[:2] for vote in cast], dtype=np.intp).reshape(-1, 2).T
    single = np.column_stack([item_of, annotator_of, label_of])
    return Ballots(items, names, _count(item_of, label_of, (len(items), len(names))), single)


def read_counts(
    votes: Any, *, labels: Sequence[str], item: str | None = None, label_names: Sequence[str] | None = None
) -> Ballots:
    """Read a table with a row an item and a column a label, which holds how many voted for it."""
    frame = open_frame(votes, _with_item(labels, item))
    items = _items(frame, item)
    counts = np.column_stack([numbers(cells(frame, label), label) for label in labels])
    _check_counts(counts, labels)
    found = [str(label) for label in labels]
    if label_names is None:
        return Ballots(items, found, counts)
    names, position = _labels(found, label_names, lambda k: f"Column {found[k]!r}")
    ordered = np.zeros((len(items), len(names)))
    ordered[:, position] = counts
    return Ballots(items, names, ordered)


def read_array(votes: Any, *, label_names: Sequence[str] | None = None) -> Ballots:
    """Read an array with a row an item and a column a label."""
    array = np.asarray(votes)
    if array.ndim != 2 or not array.size:
        raise TableError(
            f"Counts of votes must be a table with a row an item and a column a label; got shape {array.shape}."
        )
    columns = range(array.shape[1])
    counts = np.column_stack([numbers(array[:, k].tolist(), k) for k in columns])
    _check_counts(counts, columns)
    names = [f"label_{k}" for k in columns] if label_names is None else _check_names(label_names)
    if len(names) != len(columns):
        raise ValueError(f"label_names must name each of the {len(columns)} columns of counts; got {names}.")
    return Ballots(list(range(len(array))), names, counts)


def repeated_rows(rows: Codes) -> Codes:
    """Return which rows of numbers have stood before, in order."""
    keys = np.ravel_multi_index(tuple(rows.T), tuple(rows.max(axis=0) + 1))
    repeats = np.ones(len(rows), dtype=bool)
    repeats[np.unique(keys, return_index=True)[1]] = False
    return np.flatnonzero(repeats)


def _with_item(columns: Sequence[str], item: str | None) -> list[str]:
    return list(columns) if item is None else [item, *columns]


def _items(frame: Any, item: str | None) -> list[Any]:
    """Return the items of a table with a row an item; rows are numbered where no column names them."""
    if item is None:
        return list(range(len(frame)))
    items = filled(frame, item)
    seen: dict[Any, int] = {}
    for row, name in enumerate(items):
        if seen.setdefault(name, row) != row:
            raise TableError(
                f"{cell_at(row, item)} is {name!r}, which data row {seen[name] + 1} is already: such a table "
                "has a row an item. Put their votes into one row."
            )
    return items


def _coded(values: Iterable[Any]) -> tuple[list[Any], Codes]:
    """Return the distinct values in the order of their first appearance, and the number of each."""
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.intp)
    return list(known), codes


def _labels(
    values: Iterable[Any], label_names: Sequence[str] | None, where: Callable[[int], str]
) -> tuple[list[str], Codes]:
    """Return the names of the labels, the given ones or sorted, and for each value the number of its label."""
    distinct, codes = _coded(values)
    found = [word(value) for value in distinct]
    names = _sorted(set(found)) if label_names is None else _check_names(label_names)
    position = {name: k for k, name in enumerate(names)}
    for code, name in enumerate(found):
        if name not in position:
            raise TableError(
                f"{where(int(np.argmax(codes == code)))} is the label {name!r}, which is not among label_names: "
                f"{listed(names)}.{did_you_mean(name, names)}"
            )
    return names, np.array([position[name] for name in found], dtype=np.intp)[codes]


def _check_names(label_names: Sequence[str]) -> list[str]:
    names = [str(name) for name in label_names]
    if isinstance(label_names, str) or not names or len(set(names)) < len(names):
        raise ValueError(f"label_names must be a list of labels, each once; got {label_names!r}.")
    return names


def _sorted(names: Iterable[str]) -> list[str]:
    """Sort by number where all names are numbers, else by letter."""
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return sorted(names)


def _count(item_of: Codes, label_of: Codes, shape: tuple[int, int]) -> Array:
    if CELL * shape[0] * shape[1] > LARGEST:
        raise TableError(
            f"There are {shape[1]:,} different labels for {shape[0]:,} items, whose counts would take more than "
            f"{LARGEST:,} bytes. Is it the column of labels?"
        )
    counts = np.zeros(shape)
    np.add.at(counts, (item_of, label_of), 1)
    return counts


def _check_counts(counts: Array, columns: Sequence[Any]) -> None:
    kinds = (
        ("empty: write 0 where nobody voted so", np.isnan(counts)),
        ("{:g}, a negative number of votes", counts < 0),
        ("{:g}, no whole number of votes", (counts != np.floor(counts)) | np.isinf(counts)),
    )
    for what, bad in kinds:
        if bad.any():
            row, k = np.argwhere(bad)[0]
            raise TableError(f"{cell_at(row, columns[k])} is {what.format(counts[row, k])}. Votes are 0, 1, 2, …")
