"""Names and numbers as a picture has room for them."""

import math
from collections.abc import Iterable
from typing import Any

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

LONGEST = 28
"""Longer names are shortened: a picture is not to become a margin of text."""


def shorten(name: object, longest: int = LONGEST) -> str:
    """Return a name on one line, with its middle left out if it is long: the ends are what tells names apart.

    >>> shorten("a name"), shorten("surprised_at_the_end_of_the_first_act", 20)
    ('a name', 'surprised_…first_act')
    """
    line = " ".join(str(name).split())
    if len(line) <= longest:
        return line
    head = longest // 2
    return line[:head] + "…" + line[len(line) - (longest - head - 1) :]


def power(value: float) -> str:
    """Write a power of ten as such, anything else as it is.

    >>> power(0.001), power(10), power(0.5)
    ('10⁻³', '10¹', '0.5')
    """
    exponent = math.log10(value) if value > 0 else math.nan
    if not exponent.is_integer():
        return f"{value:g}"
    return "10" + str(int(exponent)).translate(SUPERSCRIPTS)


def parameter_texts(values: Iterable[Any]) -> list[str]:
    """Write the values of a parameter: powers of ten as such if all are, other numbers short, the rest as it is."""
    values = list(values)
    numbers = [value for value in values if is_number(value)]
    powers = bool(numbers) and all(value > 0 and math.log10(value).is_integer() for value in numbers)
    return [(power(value) if powers else f"{value:.3g}") if is_number(value) else shorten(value) for value in values]


def is_number(value: Any) -> bool:
    """Whether a parameter's value is a number to be placed by its size; True and False are not."""
    try:
        return not isinstance(value, bool | str) and math.isfinite(value)
    except TypeError:
        return False


def decimals(value: float, significant: int = 3, most: int = 4) -> int:
    """Return how many decimals show `significant` digits of `value`, but `most` at most.

    >>> decimals(0.0432), decimals(12.0), decimals(0.0)
    (4, 1, 4)
    """
    if not value or not math.isfinite(value):
        return most
    return min(max(significant - 1 - math.floor(math.log10(abs(value))), 0), most)


WHICH = {
    "first": "the first {some} of {all}",
    "ambiguous": "the {some} most ambiguous of {all}",
    "worst": "the {some} worst of {all}",
    "spread": "{some} of {all}, from best to worst",
    "strongest": "the {some} strongest of {all}",
}


def share_of(shown: int, total: int, which: str, noun: str = "item") -> str:
    """Say how many of how many things are shown, and which.

    >>> share_of(40, 2000, "first"), share_of(1, 1, "first")
    ('the first 40 of 2,000 items', '1 item')
    """
    everything = f"{total:,} {noun}{'' if total == 1 else 's'}"
    return everything if shown == total else WHICH[which].format(some=f"{shown:,}", all=everything)
