"""Reading of vote tables in three shapes: long, wide and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._text import (
    INVISIBLE,
    cell_at,
    clean,
    did_you_mean,
    listed,
    name_of,
    shortened,
    word,
)
from labeldist._typing import Array
from labeldist._validation import check_unique
from labeldist.exceptions import Hint, LabelWarning, TableError, warn
from labeldist.votes._cells import check_single_labels, read_json, read_names, read_numbers

# What objects in cells hold.
BY_ANNOTATOR = "{annotator: vote}"
BY_LABEL = "{label: number of votes}"
MANY_LABELS = 5  # Objects with more keys, few of them in each cell, may have annotators as keys.

Codes = NDArray[np.intp]
Names = Sequence[str] | None

BLANK = f" \t\r\n\xa0{INVISIBLE}"
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
    drop_copies: bool = False,
) -> VoteTable:
    """Read votes in the shape that the named columns imply; see `labeldist.votes.from_votes`."""
    annotators = _as_list(annotators)
    counts = _as_list(counts)
    columns = {"item": item, "annotator": annotator, "label": label}
    columns |= {"annotators": annotators, "counts": counts}
    if isinstance(votes, np.ndarray | list | tuple):
        _check_no_columns({**columns, "separator": separator, "drop_copies": drop_copies or None})
        return _read_array(votes, label_names)
    n_shapes = sum(given is not None for given in (label, annotators, counts))
    lacks_item = label is not None and item is None
    has_idle_annotator = label is None and annotator is not None
    if n_shapes != 1 or lacks_item or has_idle_annotator:
        raise ValueError(f"Name the columns of the votes: {SHAPES}.")
    _check_one_role(columns)
    frame = _open_frame(votes)
    if label is not None and holds_objects(frame, label):
        if annotator is not None:
            problem = f"The objects in column {label!r} are the votes of several people"
            raise TableError(f"{problem}. Remove annotator={annotator!r}.")
        table = _read_objects(frame, item, label, label_names, separator)
    elif label is not None:
        table = _read_long(frame, item, annotator, label, label_names, separator)
    elif annotators is not None:
        table = _read_wide(frame, item, annotators, label_names, separator)
    else:
        table = _read_counts(frame, item, counts, label_names)
    return _treat_copies(table, drop_copies=drop_copies)


def _as_list(columns: Any) -> Any:
    """Return the names of columns as a list, also of one column; None stays None."""
    if columns is None:
        return None
    return [columns] if np.isscalar(columns) else list(columns)


def _check_no_columns(options: dict[str, Any]) -> None:
    """Raise an error if an option of tables is given for an array of counts."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        problem = f"votes is an array of counts, in which {listed(given)} has no meaning"
        raise ValueError(f"{problem}. Remove it, or pass a table such as a pandas data frame.")


def _check_one_role(columns: dict[str, Any]) -> None:
    """Raise an error if a column is named twice."""
    role_of: dict[Any, str] = {}
    for role, given in columns.items():
        if given is None:
            continue
        names = given if isinstance(given, list) else [given]
        for name in names:
            if name in role_of:
                problem = f"Column {name!r} is named as {role_of[name]} and as {role}"
                raise ValueError(f"{problem}. Name a different column for each.")
            role_of[name] = role


def _read_long(
    frame: Any,
    item: Any,
    annotator: str | None,
    label: str,
    label_names: Names,
    separator: str | None,
) -> VoteTable:
    """Read one row per vote, or per item and several labels."""
    items, item_of_row = _encode(_cells(frame, item, required=True))
    cells = _read_names(frame, [label], separator, required=True)
    names, label_of = _read_labels(frame, [label], cells, label_names, separator)
    item_of = item_of_row[cells.index]
    if annotator is None:
        return _count_votes(items, names, item_of, label_of)
    voters, voter_of = _read_annotators(frame, annotator, separator, cells.index)
    return _count_votes(items, names, item_of, label_of, voters, voter_of)


def _read_wide(
    frame: Any, item: str | None, annotators: list[Any], label_names: Names, separator: str | None
) -> VoteTable:
    """Read one row per item and one column per annotator, or one column of {annotator: vote}."""
    if len(annotators) == 1 and holds_objects(frame, annotators[0]):
        return _read_votes_by_annotator(frame, item, annotators[0], label_names, separator)
    items = _read_items(frame, item)
    cells = _read_names(frame, annotators, separator, required=False)
    names, label_of = _read_labels(frame, annotators, cells, label_names, separator)
    item_of, voter_of = np.divmod(cells.index, len(annotators))
    return _count_votes(items, names, item_of, label_of, annotators, voter_of)


def _read_counts(frame: Any, item: str | None, columns: list[str], label_names: Names) -> VoteTable:
    """Read one row per item and one column of counts per label, or one column of all counts."""
    items = _read_items(frame, item)
    labels: Sequence[str] = columns
    if len(columns) == 1:
        frame, labels = _split_counts(frame, columns[0], label_names)
    values = [read_numbers(_column(frame, label)) for label in labels]
    counts = _check_counts(np.column_stack(values), labels)
    found = require("pandas", "app").Series([clean(str(label)) for label in labels], dtype=object)
    names, position = _encode_labels(found, found.unique() if label_names is None else label_names)
    ordered = np.zeros((len(items), len(names)))
    np.add.at(ordered.T, position, counts.T)
    return VoteTable(items, names, ordered)


def _read_objects(
    frame: Any, item: str | None, column: str, label_names: Names, separator: str | None
) -> VoteTable:
    """Read one row per item and one column of objects, whose values decide what they are."""
    objects = _objects(frame, column)
    if _first_text(objects) is not None:
        _note_reading(column, objects, BY_ANNOTATOR, Hint.COUNTS)
        return _read_votes_by_annotator(frame, item, column, label_names, separator)
    _note_reading(column, objects, BY_LABEL, Hint.ANNOTATORS)
    return _read_counts(frame, item, [column], label_names)


def _read_votes_by_annotator(
    frame: Any, item: str | None, column: str, label_names: Names, separator: str | None
) -> VoteTable:
    """Read one row per item and one column of objects with the votes of the annotators."""
    items = _read_items(frame, item)
    objects = _objects(frame, column)
    if _first_text(objects) is None:
        _note_reading(column, objects, BY_ANNOTATOR, Hint.COUNTS)
    votes = [
        (row, annotator, vote)
        for row, by_annotator in enumerate(objects)
        for annotator, vote in by_annotator.items()
        if vote is not None
    ]
    columns = ["row", "annotator", column]
    long = require("pandas", "app").DataFrame(votes, columns=columns, dtype=object)
    cells = _read_names(long, [column], separator, required=False)
    names, label_of = _read_labels(long, [column], cells, label_names, separator)
    annotators, voters = _encode(long["annotator"])
    item_of = long["row"].to_numpy(np.intp)[cells.index]
    return _count_votes(items, names, item_of, label_of, annotators, voters[cells.index])


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
    """Count the votes of each item for each label."""
    counts = np.zeros((len(items), len(label_names)))
    np.add.at(counts, (item_of, label_of), 1)
    if voter_of is None:
        return VoteTable(items, label_names, counts)
    votes = np.column_stack([item_of, voter_of, label_of])
    return VoteTable(items, label_names, counts, list(annotators), votes)


def _treat_copies(table: VoteTable, *, drop_copies: bool) -> VoteTable:
    """Drop votes with the same item, annotator and label as an earlier one, or warn about them."""
    if table.votes is None:
        if drop_copies:
            problem = "Copies can be dropped only if the annotators are known"
            raise TableError(f"{problem}: others may give the same vote. Name the annotators.")
        return table
    is_copy = require("pandas", "app").DataFrame(table.votes).duplicated().to_numpy()
    if not is_copy.any():
        return table
    if not drop_copies:
        problem = f"{is_copy.sum()} vote(s) are repeated. All are counted."
        warn(LabelWarning(problem, hint=Hint.DROP_COPIES))
        return table
    votes = table.votes[~is_copy]
    counts = np.zeros_like(table.counts)
    np.add.at(counts, (votes[:, 0], votes[:, 2]), 1)
    return replace(table, counts=counts, votes=votes)


def count_repeated(rows: Codes) -> int:
    """Return the number of rows that are equal to an earlier row."""
    return int(require("pandas", "app").DataFrame(rows).duplicated().sum())


def nested_columns(frame: Any, name: str) -> list[str]:
    """Return the columns ``name.a``, ``name.b`` that `read_table` makes of a JSON object `name`."""
    if name in frame.columns:
        return []
    return [column for column in frame.columns if str(column).startswith(f"{name}.")]


def holds_objects(frame: Any, name: Any) -> bool:
    """Return whether the first filled cell of a column is an object; see `nested_columns`."""
    if name not in frame.columns:
        return bool(nested_columns(frame, name))
    filled = frame[name].dropna()
    return len(filled) > 0 and isinstance(read_json(filled.iloc[0]), dict)


def _objects(frame: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects in the cells of a column; empty cells are empty objects."""
    nested = nested_columns(frame, name)
    if nested:
        keys = [column.removeprefix(f"{name}.") for column in nested]
        table = frame[nested].astype(object)
        cells = table.where(table.notna(), None).itertuples(index=False, name=None)
        return [dict(zip(keys, row, strict=True)) for row in cells]
    cells = _cells(frame, name, required=False)
    objects = [{} if cell is None else read_json(cell) for cell in cells]
    for row, found in enumerate(objects):
        if not isinstance(found, dict):
            place = cell_at(row, name)
            raise TableError(f"{place} is {shortened(found)}, not an object as in other rows.")
        for key, value in found.items():
            if isinstance(value, dict):
                problem = f"{cell_at(row, name)} has an object, {shortened(value)}, for {key!r}"
                raise TableError(f"{problem}. It must be a label or a number.")
    return objects


def _first_text(objects: list[dict[str, Any]]) -> Any:
    """Return the first value of the objects that is not a number, or None."""
    values = chain.from_iterable(found.values() for found in objects)
    return next((value for value in values if isinstance(value, str | list)), None)


def _note_reading(column: str, objects: list[dict[str, Any]], meaning: str, hint: str) -> None:
    """Warn about how the objects in a column are read; the hint is about another meaning."""
    example = next(filter(None, objects), {})
    reading = f"Column {column!r} is read as {meaning}, for example {shortened(example)}."
    warn(LabelWarning(reading, hint=hint))


def _open_frame(votes: Any) -> Any:
    """Return votes as a pandas data frame."""
    if hasattr(votes, "to_pandas"):  # polars or pyarrow
        require("pyarrow", "tables")  # polars needs it for the conversion
        votes = votes.to_pandas()
    votes = require("pandas", "app").DataFrame(votes)
    if not len(votes):
        raise TableError("The table of votes has no rows.")
    check_unique(votes.columns, "The table of votes")
    return votes


def _column(frame: Any, name: Any) -> Any:
    columns = [str(column) for column in frame.columns]
    if str(name) not in columns:
        present = f"{did_you_mean(str(name), columns)} There are {listed(columns)}."
        raise TableError(f"There is no vote column {str(name)!r}.{present}")
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


def _map(cells: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to the cells of a column, once to equal cells of the same type."""
    try:
        return cells.map(lru_cache(maxsize=None, typed=True)(function))
    except TypeError:  # lists cannot be hashed
        return cells.map(function)


def _read_items(frame: Any, item: str | None) -> list[Any]:
    """Return the items of a table with one row per item; repeated ones raise.

    Without a column, they are the index of the table if it is unique, or else numbered.
    """
    if item is None:
        return list(frame.index if frame.index.is_unique else range(len(frame)))
    cells = _cells(frame, item, required=True)
    repeated = cells[cells.map(name_of).duplicated()]
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
    read = partial(read_names, separator=separator)
    cells = [_map(_cells(frame, column, required=required), read) for column in columns]
    lists = list(chain.from_iterable(zip(*cells, strict=True)))
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
    if holds_objects(frame, column):
        return _split_objects(column, _objects(frame, column))
    cells = [read_json(cell) for cell in _column(frame, column)]
    if not isinstance(cells[0], list):
        return frame, [column]
    if not all(isinstance(cell, list) for cell in cells):
        problem = f"All rows of column {column!r} must hold counts"
        raise TableError(f"{problem}, as the first row does.")
    table = require("pandas", "app").DataFrame(cells, dtype=object)
    names = _given_or_numbered(label_names, table.shape[1])
    return _without_gaps(table.set_axis(names, axis=1)), names


def _split_objects(column: str, objects: list[dict[str, Any]]) -> tuple[Any, Sequence[str]]:
    """Return one column per label of objects {label: number of votes}."""
    text = _first_text(objects)
    if text is not None:
        problem = f"Column {column!r} holds {shortened(text)}, not a number of votes."
        raise TableError(problem, hint=Hint.ANNOTATORS)
    table = require("pandas", "app").DataFrame(objects, dtype=object).rename(columns=str)
    share = table.notna().to_numpy().mean()
    if table.shape[1] > MANY_LABELS and share < 1 / 2:
        _note_reading(column, objects, BY_LABEL, Hint.ANNOTATORS)
    return _without_gaps(table), _sorted(list(table.columns))


def _without_gaps(table: Any) -> Any:
    return table.where(table.notna(), 0)  # null means no votes


def _read_array(votes: Any, label_names: Names) -> VoteTable:
    """Read an array of counts."""
    try:
        counts = np.array(votes, dtype=np.float64)
    except (TypeError, ValueError):
        problem = "Counts must be numbers, in rows of the same length"
        advice = "Pass labels in a table, such as a pandas data frame, and name its columns"
        raise TableError(f"{problem}. {advice}.") from None
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

    Spellings that differ only in spaces, invisible characters and codes of accents are one name,
    and so are 3, 3.0 and "3".
    """
    names = _map(cells, name_of)
    codes, _ = names.factorize()
    return cells[~names.duplicated()].tolist(), codes


def _encode_labels(cells: Any, label_names: Names) -> tuple[list[str], Codes]:
    """Return the label names, as given or sorted, and the index of the label of each cell."""
    labels = _map(cells, name_of)
    if label_names is None:
        label_names = _sorted(list(labels.unique()))
    names = [name_of(name) for name in label_names]
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
    return [word(name) for name in kind.categories]


def _given_or_numbered(label_names: Names, n_labels: int) -> list[str]:
    """Return the names of labels without names in the table."""
    if label_names is None:
        return [f"label_{k}" for k in range(n_labels)]
    if len(label_names) != n_labels:
        raise ValueError(f"label_names must name each of the {n_labels} columns.")
    return [name_of(name) for name in label_names]


def _sorted(names: list[str]) -> list[str]:
    """Sort as numbers if all names are numbers, else as text."""
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names)
