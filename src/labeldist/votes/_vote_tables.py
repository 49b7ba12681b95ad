"""Reading of vote tables in three shapes: long, wide and counts, the last also in one column."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._tables import kinds
from labeldist._tables.columns import UNNAMED_INDEX, total_among, typed, with_columns
from labeldist._tables.kinds import clean
from labeldist._tables.tables import cell_at, listed
from labeldist._typing import Array
from labeldist.exceptions import LabelWarning, TableError, did_you_mean, warn

Codes = NDArray[np.intp]
Names = Sequence[str] | None

MAX_COUNT = 2**53  # Above it, float64 does not represent every whole number.
# Lists of Python and JSON, objects of JSON, sets and tuples of Python, vectors of R; [other] may be a label.
_LIST = re.compile(r"(?=.*\]\Z)\[([^\s,'\"]*[\s,'\"]|[-\d.]*\]\Z)|(\{|\(|c\()\s*['\"].*[)}]\Z", re.DOTALL)
_COUNT = re.compile(r"n|counts?|freq|frequency|votes|n_votes", re.IGNORECASE)  # names of columns
_NUMERAL = re.compile(r"(?=.*[0-9])([+-]?)0*([0-9]*?)(?:\.([0-9]*?)0*)?")


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes as indices: `votes` has the columns item, annotator and label, and is None if annotators are unknown."""

    items: list[Any]
    label_names: list[str]
    counts: Array
    annotators: list[Any] = field(default_factory=list)
    votes: Codes | None = None


def read_votes(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: Names = None,
    counts: Names = None,
    label_names: Names = None,
    separator: str | None = None,
) -> VoteTable:
    """Read votes in the shape that the named columns imply; see `labeldist.votes.from_votes`."""
    for name, columns in (("annotators", annotators), ("counts", counts)):
        if columns is not None and (isinstance(columns, str) or not len(columns)):
            raise ValueError(f"{name} must be a list of columns; got {columns!r}.")
    annotators, counts = (None if columns is None else list(columns) for columns in (annotators, counts))
    if separator is not None and (not isinstance(separator, str) or not separator or (label or annotators) is None):
        raise ValueError(f"separator must be text between labels, for label= or annotators=; got {separator!r}.")
    if isinstance(votes, np.ndarray | list | tuple):
        if any(name is not None for name in (item, annotator, label, annotators, counts)):
            raise ValueError("An array has no named columns: omit them, and name the labels with label_names.")
        return _read_array(votes, label_names)
    incomplete = annotator is not None if label is None else item is None
    if [label, annotators, counts].count(None) != 2 or incomplete:
        shapes = "item= and label= (and annotator=) for one row per vote, annotators= for one column per annotator"
        raise ValueError(f"Name the columns of the votes: {shapes}, counts= for one column of counts per label.")
    given = (item, annotator, label, *(annotators or ()), *(counts or ()))
    named = [name for name in given if name is not None]
    if len(set(named)) < len(named):
        raise ValueError(f"A column is named more than once: {listed(named)}.")
    frame = _open_frame(votes, named)
    if label_names is None:
        label_names = _ordered_categories(frame, [label] if label is not None else annotators or (), separator)
    if label is not None:
        return _read_long(frame, item, annotator, label, label_names, separator)
    items = _unique_items(frame, item)
    if annotators is not None:
        return _read_wide(frame, items, annotators, label_names, separator)
    return _read_counts(frame, items, counts or (), label_names)


def repeated_rows(rows: Codes) -> Codes:
    """Return the positions of the rows that are equal to an earlier row."""
    keys = np.ravel_multi_index(tuple(rows.T), tuple(rows.max(axis=0) + 1))  # much faster than unique(axis=0)
    return np.setdiff1d(np.arange(len(rows)), np.unique(keys, return_index=True)[1])


def _read_long(
    frame: Any, item: str | None, annotator: str | None, label: str, label_names: Names, separator: str | None
) -> VoteTable:
    items, item_of = _encode(_cells(frame, item, required=True))
    parts = _parts(frame, label, separator, required=True)
    sizes, found = [len(given) for given in parts], [name for given in parts for name in given]
    row_of = np.repeat(np.arange(len(parts)), sizes)
    names, label_of = _encode_labels(found, label_names, lambda vote: cell_at(row_of[vote], label))
    item_of = item_of[row_of]
    counts = _count(item_of, label_of, (len(items), len(names)))
    if annotator is None:  # several votes for a label in one cell may be those of several people
        _warn_about_numbers(frame.drop(columns=[item, label]), item_of, label_of)
        return VoteTable(items, names, counts)
    voters = _parts(frame, annotator, separator, required=True)
    if all(len(voter) == 1 for voter in voters):
        voters = [voter * size for voter, size in zip(voters, sizes, strict=True)]
    else:  # labels and annotators are paired by their positions in the cells
        for column in (label, annotator):
            _parts(frame, column, separator, gaps=False)
    for row, (voter, size) in enumerate(zip(voters, sizes, strict=True)):
        if len(voter) != size:
            found_names = f"{cell_at(row, annotator)} holds {len(voter)} name(s), but column {label!r} holds {size}"
            raise TableError(f"{found_names}. They must hold equally many. A separator must not occur in names.")
    annotators, annotator_of = _encode([name for voter in voters for name in voter])
    coded = np.column_stack([item_of, annotator_of, label_of])
    _warn_about_copies(coded, row_of, items, names, annotators)
    _warn_about_numbers(
        frame.drop(columns=[item, label, annotator]), item_of * len(annotators) + annotator_of, label_of
    )
    return VoteTable(items, names, counts, annotators, coded)


def _warn_about_copies(coded: Codes, row_of: Codes, items: list[Any], names: list[str], voters: list[Any]) -> None:
    """Warn if a vote (item, annotator, label) is equal to an earlier one."""
    repeated = repeated_rows(coded) if len(coded) else coded
    if repeated.size:
        i, a, k = coded[repeated[0]]
        first = f"data row {row_of[repeated[0]] + 1}: {voters[a]!r} votes for {names[k]!r} on item {items[i]!r} again"
        warn(f"{repeated.size} row(s) repeat a vote, first {first}. All are counted; drop copies.", LabelWarning)


def _warn_about_numbers(others: Any, voter_of: Codes, label_of: Codes) -> None:
    """Warn about whole numbers that differ between the labels of a voter: they may be counts.

    If a label of a voter occurs twice, as in a table of votes, only the names of columns can show it.
    """
    if len(others) != len(label_of):
        return
    if repeated_rows(np.column_stack([voter_of, label_of])).size:
        others = others[[name for name in others.columns if _COUNT.fullmatch(str(name))]]
    others = others.loc[:, ~others.columns.duplicated()]
    numbers = typed(others, list(others.columns)).select_dtypes("number")
    whole = numbers.loc[:, (numbers % 1 == 0).all()]
    varying = whole.columns[whole.groupby(voter_of).nunique().gt(1).any()]
    for name in (name for name in varying if not UNNAMED_INDEX.fullmatch(str(name))):
        problem = f"Each row is counted as one vote, and column {name!r} is not used"
        warn(f"{problem}. If it holds numbers of votes, make one column of counts per label.", LabelWarning)


def _parts(
    frame: Any, column: Any, separator: str | None, *, required: bool = False, gaps: bool = True
) -> list[list[Any]]:
    """Return the values in each cell: those of a list, also written as JSON, of a text with separators, or the cell.

    Empty parts between separators are dropped, or errors without `gaps`.
    """
    parts = []
    for row, cell in enumerate(_cells(frame, column, required=required, lists=True)):
        if isinstance(cell, str) and not (cell.lstrip()[:1] in "[{(c" and _LIST.match(cell.strip())):
            found = [cell] if separator is None else [part.strip() for part in cell.split(separator)]
            parts.append([part for part in found if clean(part)])
            if len(parts[-1]) < len(found) and not gaps:
                problem = f"{cell_at(row, column)} is {kinds.shown(cell)}, with a gap"
                raise TableError(f"{problem}. Labels and annotators are paired by position: fill it in.")
            continue
        found = _parse_json(cell)
        if isinstance(found, dict) and list(found) == ["choices"]:  # of Label Studio
            found = found["choices"]
        parts.append(found if isinstance(found, list) else [] if found is None else [found])
        wrong = [name for name in parts[-1] if isinstance(name, dict | list) or name in (None, "") or name != name]
        if isinstance(found, str | dict) or wrong:
            raise TableError(f'{cell_at(row, column)} is {kinds.shown(cell)}. Write a list as JSON: ["joy", "fear"].')
    return parts


def _read_wide(
    frame: Any, items: list[Any], annotators: Sequence[str], label_names: Names, separator: str | None
) -> VoteTable:
    columns = [_parts(frame, annotator, separator) for annotator in annotators]
    # Row by row, so that an error names the first wrong cell of the table.
    named = [(row, a, name) for row in range(len(items)) for a in range(len(columns)) for name in columns[a][row]]
    cast = [(row, a) for row, a, _ in named]
    cells = [name for *_, name in named]
    names, label_of = _encode_labels(cells, label_names, lambda vote: cell_at(cast[vote][0], annotators[cast[vote][1]]))
    coded = np.column_stack([np.array(cast, dtype=np.intp).reshape(-1, 2), label_of])
    _warn_about_copies(coded, coded[:, 0], items, names, list(annotators))
    counts = _count(coded[:, 0], label_of, (len(items), len(names)))
    return VoteTable(items, names, counts, list(annotators), coded)


def _read_counts(frame: Any, items: list[Any], labels: Sequence[str], label_names: Names) -> VoteTable:
    if len(labels) == 1:
        frame, labels = _split_counts(frame, labels[0], label_names)
    cells = np.column_stack([np.array(_cells(frame, label), dtype=object) for label in labels])
    numbers = np.column_stack([kinds.numbers(frame[label], truth_words=False) for label in labels])
    counts, found = _check_counts(numbers, cells, labels), [str(label) for label in labels]
    if label_names is None:
        names, position = _encode(found, _label_key)
        names = [clean(name) for name in names]
    else:
        names, position = _encode_labels(found, label_names, lambda k: f"Column {found[k]!r}")
    ordered = np.zeros((len(items), len(names)))
    np.add.at(ordered.T, position, counts.T)
    return _checked_for_totals(VoteTable(items, names, ordered))


def _checked_for_totals(votes: VoteTable) -> VoteTable:
    for kind, lines, table in (("item", votes.items, votes.counts), ("label", votes.label_names, votes.counts.T)):
        if message := total_among(kind, lines, table):
            warn(message, LabelWarning)
    return votes


def _split_counts(frame: Any, column: str, label_names: Names) -> tuple[Any, Sequence[str]]:
    """Return one column of counts per label if cells hold objects or lists of counts, also written as JSON."""
    cells = [_parse_json(cell) for cell in frame[column]]
    kind = next((kind for cell in cells for kind in (dict, list) if isinstance(cell, kind)), None)
    if kind is None:
        return frame, [column]
    if kind is dict:
        names = _sorted(list(dict.fromkeys(name for cell in cells if isinstance(cell, dict) for name in cell)))
        wanted = 'an object of counts such as {"joy": 3}'
    else:
        size = max(len(cell) for cell in cells if isinstance(cell, list))
        names = [f"label_{k}" for k in range(size)] if label_names is None else _check_label_names(label_names)
        wanted = f"a list of {len(names)} counts"
    for row, cell in enumerate(cells):
        if not isinstance(cell, kind) or (kind is list and len(cell) != len(names)):
            raise TableError(f"{cell_at(row, column)} is {kinds.shown(cell)}. It must be {wanted}.")
    if kind is dict:  # null is no vote, as a label that is not in the object
        cells = [[0 if cell.get(name) is None else cell[name] for name in names] for cell in cells]
    return require("pandas", "app").DataFrame(cells, columns=names, dtype=object), names


def _parse_json(cell: Any) -> Any:
    """Return the object or list that a cell holds or its text describes, or else the cell."""
    if isinstance(cell, str) and cell.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            cell = json.loads(cell)
    if isinstance(cell, dict):
        return {str(name): count for name, count in cell.items()}
    return cell.tolist() if isinstance(cell, np.ndarray) else cell  # pandas reads lists in Parquet as arrays


def _read_array(votes: Any, label_names: Names) -> VoteTable:
    array = np.ma.asanyarray(votes)  # unlike np.asanyarray, it keeps the masks of a list of masked rows
    if array.ndim != 2 or not array.size or array.dtype.kind not in "biufO":
        found = f"shape {array.shape}, dtype {array.dtype}"
        raise TableError(f"Counts must be numbers, one row per item, one column per label; got {found}.")
    n_items, n_labels = array.shape
    if array.dtype == object:
        cells = [cell if isinstance(cell, Real) else np.nan for cell in array.filled(np.nan).flat]
        numbers = np.array(cells, dtype=np.float64).reshape(array.shape)
    else:
        numbers = np.asarray(array.astype(np.float64).filled(np.nan))
    names = [f"label_{k}" for k in range(n_labels)] if label_names is None else _check_label_names(label_names)
    if len(names) != n_labels:
        raise ValueError(f"label_names must name each of the {n_labels} columns of counts; got {names}.")
    counts = _check_counts(numbers, array, range(n_labels))
    return _checked_for_totals(VoteTable(list(range(n_items)), names, counts))


def _check_counts(numbers: Array, cells: Any, columns: Sequence[Any]) -> Array:
    """Return `numbers`, or raise an error that names the first cell that is not a number of votes."""
    bad = np.argwhere(~((numbers >= 0) & (numbers <= MAX_COUNT) & (numbers == np.floor(numbers))))
    if len(bad):
        row, k = bad[0]
        cell = cells[row, k]
        is_empty = np.isnan(numbers[row, k]) and not isinstance(cell, str | date | timedelta)
        found = "empty" if is_empty else kinds.shown(cell)
        raise TableError(f"{cell_at(row, columns[k])} is {found}. It must be a number of votes: 0, 1, 2, …")
    return numbers


def _open_frame(votes: Any, columns: list[str]) -> Any:
    """Return a pandas data frame that has each of the columns once."""
    if not isinstance(votes, require("pandas", "app").DataFrame):
        if not hasattr(votes, "to_pandas"):
            kind = type(votes).__name__
            raise TypeError(f"Votes must be a pandas, polars (collected) or pyarrow table, or an array; got {kind}.")
        votes = votes.to_pandas()
    present = list(votes.columns)
    for name in columns:
        parts = nested_columns(votes, name)
        if parts:
            rows = votes[parts].astype(object).where(votes[parts].notna(), None).to_dict("records")
            cells = [{part[len(name) + 1 :]: cell for part, cell in row.items() if cell is not None} for row in rows]
            votes = with_columns(votes, {name: cells})
        elif present.count(name) != 1:
            found = f"{present.count(name) or 'no'} column {name!r}.{did_you_mean(name, present)}"
            raise TableError(f"The table of votes has {found} It has {listed(present)}.")
    if not len(votes):
        raise TableError("The table of votes has no rows.")
    return votes


def nested_columns(frame: Any, name: str) -> list[str]:
    """Return the columns ``name.a``, ``name.b`` that `read_table` makes of an object `name` in JSON."""
    columns = list(frame.columns)
    return [] if name in columns else [column for column in columns if str(column).startswith(f"{name}.")]


def _cells(frame: Any, column: Any, *, required: bool = False, lists: bool = False) -> list[Any]:
    """Return the cells of a column, with None for empty ones; these are errors if `required`, lists unless `lists`."""
    cells: list[Any] = frame[column].astype(object).where(frame[column].notna(), None).tolist()
    for row, cell in enumerate(cells):
        if isinstance(cell, str) and not cell.isalnum() and not clean(cell):  # isalnum is faster
            cells[row] = None
        elif lists and isinstance(cell, np.ndarray | tuple):
            cells[row] = np.asarray(cell, dtype=object).tolist()
        elif not isinstance(cell, Hashable if not lists else Hashable | list | dict) or isinstance(cell, frozenset):
            raise TableError(f"{cell_at(row, column)} holds a {type(cell).__name__}. Use one row for each value.")
    if required and None in cells:
        row, total = cells.index(None), cells.count(None)
        raise TableError(f"{cell_at(row, column)} is empty ({total} in all). Fill it in, or drop the row.")
    return cells


def _unique_items(frame: Any, item: str | None) -> list[Any]:
    """Return the items of a table with one row per item: its index, if it is unique, if no column names them."""
    if item is None:
        return list(frame.index) if frame.index.is_unique else list(range(len(frame)))
    first: dict[Any, int] = {}
    cells = _cells(frame, item, required=True)
    for row, cell in enumerate(cells):
        if first.setdefault(clean(cell), row) != row:
            earlier = f"as in data row {first[clean(cell)] + 1}"
            raise TableError(f"{cell_at(row, item)} is {cell!r}, {earlier}. Put all votes on an item into one row.")
    return cells


def _label_key(label: Any) -> str:
    """Return a label as text, with 3, 3.0 and "03" as the same text."""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    text: str = clean(str(label))
    numeral = _NUMERAL.fullmatch(text)
    if numeral is None:
        return text
    sign, whole, fraction = numeral[1], numeral[2] or "0", numeral[3]
    value = f"{whole}.{fraction}" if fraction else whole
    return f"-{value}" if sign == "-" and value != "0" else value


def _encode(cells: list[Any], key_of: Callable[[Any], Any] = clean) -> tuple[list[Any], Codes]:
    """Return the distinct names in the order of the table, and the index of the name of each cell.

    Cells with the same key have the same name: the cell, or, if they are spelled differently, the key. A `LabelWarning`
    gives the spellings.
    """
    typed = [(type(cell), cell) for cell in cells]  # True and 1 are equal, but different labels
    key_by_cell = {pair: key_of(pair[1]) for pair in dict.fromkeys(typed)}
    texts: dict[Any, list[str]] = {key: [] for key in key_by_cell.values()}
    for (_, cell), key in key_by_cell.items():
        if isinstance(cell, str):
            texts[key].append(cell)
    merged = [spellings for spellings in texts.values() if len(spellings) > 1]
    if merged:
        first = listed(map(repr, merged[0]))
        warn(f"{len(merged)} name(s) have several spellings, which are merged, first {first}.", LabelWarning)
    if len(set(map(str, texts))) < len(texts):
        warn("Some names are both numbers and text, such as 1 and '1', and stay apart. Convert them.", LabelWarning)
    index = {key: code for code, key in enumerate(texts)}
    codes = np.array([index[key_by_cell[pair]] for pair in typed], dtype=np.intp)
    return [spelled[0] if len(spelled) == 1 else key for key, spelled in texts.items()], codes


def _encode_labels(cells: list[Any], label_names: Names, locate: Callable[[int], str]) -> tuple[list[str], Codes]:
    """Return the label names, as given or sorted, and the index of the label of each cell."""
    found, codes = _encode(cells, _label_key)
    found = [clean(name) for name in found]
    names = _sorted(found) if label_names is None else _check_label_names(label_names)
    position = {_label_key(name): k for k, name in enumerate(names)}
    for code, name in enumerate(found):
        if _label_key(name) not in position:
            place, known = locate(int(np.argmax(codes == code))), f"{listed(names)}.{did_you_mean(name, names)}"
            raise TableError(f"{place} is the label {name!r}, which is not among label_names: {known}")
    return names, np.array([position[_label_key(name)] for name in found], dtype=np.intp)[codes]


def _ordered_categories(frame: Any, columns: Sequence[str], separator: str | None) -> Names:
    """Return the categories of ordered categorical columns, of which some may lack categories of others, or None."""
    types = [frame[column].dtype for column in columns]
    ordered = [kind.categories for kind in types if getattr(kind, "ordered", False)]
    if not ordered:
        return None
    longest = max(ordered, key=len)
    if len(ordered) < len(types) or any(not longest[longest.isin(some)].equals(some) for some in ordered):
        advice = "give their order with label_names, if it matters"
        warn(f"The columns have different categories, so that the labels are sorted: {advice}.", LabelWarning)
        return None
    names = [name if isinstance(name, str) else _label_key(name) for name in longest]
    return None if separator is not None and any(separator in name for name in names) else names


def _check_label_names(label_names: Sequence[str]) -> list[str]:
    names = [clean(str(name)) for name in label_names]
    is_list = names and not isinstance(label_names, str)
    if not is_list or not all(names) or len({_label_key(name) for name in names}) < len(names):
        raise ValueError(f"label_names must be a list of different labels, none of them empty; got {label_names!r}.")
    return names


def _sorted(names: list[str]) -> list[str]:
    """Sort as numbers if all names are finite numbers, else as text."""
    with suppress(ValueError):
        if np.isfinite([float(name) for name in names]).all():
            return sorted(names, key=float)
    return sorted(names, key=_label_key)


def _count(item_of: Codes, label_of: Codes, shape: tuple[int, int]) -> Array:
    counts = np.zeros(shape)
    np.add.at(counts, (item_of, label_of), 1)
    return counts
