"""Parts of error messages: lists of names, places and contents of cells, similar names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral
from typing import Any

MAX_CELL = 40  # Number of characters of a cell in a message.


def listed(names: Iterable[Any], most: int = 12) -> str:
    """Join names with commas; after `most` of them, give the number of the others."""
    texts = [str(name) for name in names]
    first = ", ".join(texts[:most])
    rest = len(texts) - most
    return f"{first} and {rest} more" if rest > 0 else first


def counted(number: float, noun: str) -> str:
    """Return a whole number with a noun, whose plural ends in s.

    >>> counted(1, "vote"), counted(1500, "vote")
    ('1 vote', '1,500 votes')
    """
    return f"{number:,.0f} {noun}{'' if number == 1 else 's'}"


def cell_at(row: Any, column: Any) -> str:
    """Return the subject of a message about a cell; data rows are counted from 1."""
    number = row + 1 if isinstance(row, Integral) else row
    return f"The cell in data row {number}, column {column!r},"


def shortened(cell: Any) -> str:
    """Return the first characters of a cell for a message, text in quotes."""
    text = str(cell)
    if len(text) > MAX_CELL:
        text = f"{text[:MAX_CELL]}…"
    return repr(text) if isinstance(cell, str) else text


def did_you_mean(wanted: str | Iterable[str], known: Iterable[str]) -> str:
    """Return a question that suggests the known names most similar to the wanted, "" if none is.

    >>> did_you_mean("faer", ["joy", "fear"])
    ' Did you mean fear?'
    """
    by_lower_case = {one.lower(): one for one in known}
    names = [wanted] if isinstance(wanted, str) else wanted
    close = [get_close_matches(name.lower(), by_lower_case, n=1) for name in names]
    found = dict.fromkeys(by_lower_case[first] for match in close for first in match)
    return f" Did you mean {listed(found, 3)}?" if found else ""
