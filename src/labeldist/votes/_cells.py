"""Cells of votes as surveys and published sets contain them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._text import clean, listed, shortened
from labeldist._typing import Array
from labeldist.exceptions import Hint, LabelWarning, TableError, warn

LIST_ADVICE = 'Write a list as JSON: ["joy", "fear"].'
# Lists as Python and NumPy print them, such as ['joy', 'fear']; [other] may be a label.
_PYTHON_LIST = re.compile(r"\s*\[\s*['\"].*\]\s*", re.DOTALL)
LIST_SEPARATORS = ";|,"  # between several labels in a cell, as surveys write them
SEPARATORS = f"{LIST_SEPARATORS}/#"  # also as Doccano writes them, but 5/5 is one label


def read_json(cell: Any) -> Any:
    """Return the object or list that a cell holds or that its text describes, or else the cell.

    ChaosNLI has such cells.
    """
    if isinstance(cell, str) and cell.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            return json.loads(cell)
    if isinstance(cell, np.ndarray | tuple):  # pandas reads lists in Parquet as arrays
        return list(cell)
    return cell


def read_numbers(cells: Any) -> Array:
    """Convert a column to float64, with NaN for cells that are not numbers."""
    if cells.dtype.kind in "biuf":
        return np.asarray(cells.to_numpy(np.float64, na_value=np.nan))
    if cells.dtype.kind in "mM":  # times and dates
        return np.full(len(cells), np.nan)
    found = require("pandas", "app").to_numeric(cells.to_numpy(object), errors="coerce")
    return np.asarray(found, np.float64)


def read_separated(text: str, separator: str) -> list[str]:
    """Split text such as ``joy;fear;``, as surveys and LeWiDi (``,``) export it.

    Empty parts are dropped.
    """
    parts = [part.strip() for part in text.split(separator)]
    return [part for part in parts if part]


def read_names(cell: Any, separator: str | None) -> list[Any]:
    """Return the labels or annotators that a cell names: one, or several in one of these forms.

    Raise an error if a list is not written as JSON, or does not hold names only.
    """
    if cell is None:
        return []
    value = read_json(cell)
    if isinstance(value, str):
        if _PYTHON_LIST.fullmatch(value):
            raise TableError(f"A cell is {shortened(cell)}. {LIST_ADVICE}")
        return [value] if separator is None else read_separated(value, separator)
    names = value if isinstance(value, list) else [value]
    if any(name in (None, "") or isinstance(name, dict | list) for name in names):
        raise TableError(f"A cell is {shortened(cell)}. {LIST_ADVICE}")
    return names


def check_single_labels(labels: Collection[Any]) -> None:
    """Raise an error if most labels are lists of votes, such as ``0,0,1`` or ``joy,fear``.

    A list repeats a part, or others contain the same parts in another order or number. Warn about
    labels that contain another label.
    """
    times: Counter[str] = Counter()
    for label, count in Counter(label for label in labels if isinstance(label, str)).items():
        times[clean(label)] += count
    for separator in SEPARATORS:
        parts_of = {label: tuple(read_separated(label, separator)) for label in times}
        n_alike = Counter(frozenset(parts) for parts in set(parts_of.values()))
        lists = [label for label, parts in parts_of.items() if _is_list(parts, n_alike)]
        n_lists = sum(times[label] for label in lists)
        if lists and separator in LIST_SEPARATORS and 2 * n_lists >= len(labels):
            problem = f"Most cells list labels separated by {separator!r}"
            example = max(lists, key=len)
            raise TableError(f"{problem}, such as {example!r}.", hint=Hint.SEPARATOR)
        single = {parts[0] for parts in parts_of.values() if len(parts) == 1}
        longer = [name for name, parts in parts_of.items() if len(parts) > 1 and single & {*parts}]
        if longer:
            cells = f"Cells with {separator!r} are read as one label each: {listed(longer)}."
            warn(LabelWarning(cells, hint=Hint.SEPARATOR))


def _is_list(parts: tuple[str, ...], n_alike: Counter[frozenset[str]]) -> bool:
    different = frozenset(parts)
    return len(parts) > len(different) or (len(parts) > 1 and n_alike[different] > 1)
