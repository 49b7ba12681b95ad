"""TOML from anywhere, read in bounded time, or refused by an error that says why."""

from __future__ import annotations

import tomllib
from typing import Any

from labeldist.experiments.errors import SpecError

LARGEST = 2**16
"""Bytes of a spec; those that are shipped have three thousand and less."""

MOST_DOTS = 500
"""Points in a line: the time that a key such as ``a.b.c`` takes grows with the square of their number."""

DEEPEST = 20
"""Tables and lists within each other; Python cannot show what goes much deeper."""


def read_toml(content: bytes, where: str) -> dict[str, Any]:
    """Return the table that TOML text is."""
    if len(content) > LARGEST:
        raise SpecError(f"{where} has more than the {LARGEST:,} bytes that a spec may have.")
    if any(line.count(b".") > MOST_DOTS for line in content.splitlines()):
        raise SpecError(f"{where} has a line with more than {MOST_DOTS} points. Spread its values over several lines.")
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError as error:  # no UTF-8, no TOML, or a number of thousands of digits
        raise SpecError(f"{where} is not TOML: {error}.") from None
    level: list[Any] = [table]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level = [inner for inner in level if isinstance(inner, dict | list)]
    if level:
        raise _too_deep(where)
    return table


def _too_deep(where: str) -> SpecError:
    return SpecError(f"{where} has tables or lists more than {DEEPEST} deep within each other.")
