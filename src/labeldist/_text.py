"""Names as text, and parts of error messages: lists of names, places and contents of cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral
from typing import Any

MAX_CELL = 40  # Number of characters of a cell in a message.
WHOLE_NUMBER = re.compile(r"^(-?\d+)\.0+$")
# Characters that are not visible. Joiners (U+200C, U+200D) distinguish words of some scripts and
# are part of emoji.
INVISIBLE = (
    "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
ANY_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def word(cell: Any) -> str:
    """Convert a cell to text.

    3 and 3.0 are both ``"3"``, since pandas stores integers with gaps as floats.
    """
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def clean(cell: Any) -> Any:
    """Compose accented letters of text (NFC), and remove invisible characters and extra spaces."""
    if not isinstance(cell, str):
        return cell
    visible = ANY_INVISIBLE.sub("", unicodedata.normalize("NFC", cell))
    return " ".join(visible.split())


def name_of(cell: Any) -> str:
    """Convert the name of a label or an item to text, which is the same for equal names.

    3, 3.0 and ``"3.0"`` become ``"3"``, accented letters are composed (NFC), and invisible
    characters and extra spaces are removed.

    Parameters
    ----------
    cell : object
        The name, usually text or a number.

    Returns
    -------
    str
        The text.

    See Also
    --------
    listed : Join names for a message.

    Examples
    --------
    >>> from labeldist.utils import name_of
    >>> name_of(3.0), name_of("3.0"), name_of(" mild  fear ")
    ('3', '3', 'mild fear')
    """
    return WHOLE_NUMBER.sub(r"\1", clean(word(cell)))


def listed(names: Iterable[Any], most: int = 12) -> str:
    """Join names with commas for a message.

    Parameters
    ----------
    names : iterable
        The names.
    most : int, default=12
        After so many names, only the number of the others is given.

    Returns
    -------
    str
        The text.

    See Also
    --------
    did_you_mean : Suggest similar names.

    Examples
    --------
    >>> from labeldist.utils import listed
    >>> listed(["joy", "fear", "calm"], most=2)
    'joy, fear and 1 more'
    """
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
    """Suggest the known names that are most similar to the wanted ones.

    Parameters
    ----------
    wanted : str or iterable of str
        Names that do not exist.
    known : iterable of str
        The names that exist.

    Returns
    -------
    str
        A question after a space, or "" if no known name is similar.

    See Also
    --------
    listed : Join names for a message.

    Examples
    --------
    >>> from labeldist.utils import did_you_mean
    >>> did_you_mean("faer", ["joy", "fear"])
    ' Did you mean fear?'
    """
    by_lower_case = {one.lower(): one for one in known}
    names = [wanted] if isinstance(wanted, str) else wanted
    close = [get_close_matches(name.lower(), by_lower_case, n=1) for name in names]
    found = dict.fromkeys(by_lower_case[first] for match in close for first in match)
    return f" Did you mean {listed(found, 3)}?" if found else ""
