"""Cells of tables as text, and parts of messages."""

from __future__ import annotations

from numbers import Integral
from typing import Any

MAX_CELL = 40  # Number of characters of a cell in a message.


def word(cell: Any) -> str:
    """Convert a cell to text.

    3 and 3.0 are both ``"3"``, since pandas stores integers with gaps as floats.
    """
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


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
