"""Stacked bars, a bar an item and a part a label, and which labels have a part of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array
from labeldist.plots._palette import GREY, HATCHES, MARKERS, MOST_STYLES, OKABE_ITO, ink_on
from labeldist.simplex import ambiguity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

MAX_LABELS = 2 * len(OKABE_ITO)
"""So many parts a bar has at most, unless told otherwise: the seven colours, plain and hatched."""


@dataclass(frozen=True)
class Style:
    """How a label looks in all pictures."""

    colour: str
    hatch: str = ""
    marker: str = MARKERS[0]


OTHER = Style(GREY, marker="D")


@dataclass(frozen=True)
class Grouping:
    """Which labels are shown by themselves; the others are taken together as the last part.

    Attributes
    ----------
    shown : ndarray of int
        In the order of the table.
    names : list of str
        Of the parts: those shown, and "other (…)" if there are others.
    styles : list of Style
    """

    shown: NDArray[np.intp]
    names: list[str]
    styles: list[Style]

    def of(self, values: Array) -> Array:
        """Return degrees by part, (n_rows, n_parts)."""
        parts = values[:, self.shown]
        if len(self.names) == len(self.shown):
            return parts
        return np.column_stack([parts, np.delete(values, self.shown, axis=1).sum(axis=1)])


def group_labels(values: Array, label_names: Sequence[str], max_labels: int = MAX_LABELS) -> Grouping:
    """Choose the labels with the largest mean degree where there are more than `max_labels`; the rest is "other"."""
    if not 2 <= max_labels <= MOST_STYLES:
        raise ValueError(
            f"max_labels must be between 2 and {MOST_STYLES}, the number of colours and hatches that can be told "
            f"apart; got {max_labels}."
        )
    c = len(label_names)
    if c <= max_labels:
        return Grouping(np.arange(c), list(label_names), [style_of(k) for k in range(c)])
    largest = np.argsort(-values.mean(axis=0), kind="stable")[: max_labels - 1]
    shown = np.sort(largest)
    names = [*(label_names[k] for k in shown), f"other ({c - len(shown)} labels)"]
    return Grouping(shown, names, [*(style_of(k) for k in range(len(shown))), OTHER])


def style_of(place: int) -> Style:
    """Return the colour, hatch and marker of the label at a place among those that are shown."""
    row, column = divmod(place, len(OKABE_ITO))
    return Style(OKABE_ITO[column], HATCHES[row], MARKERS[row])


def stacked_bars(
    ax: Axes,
    places: Sequence[float],
    parts: Array,
    styles: Sequence[Style],
    *,
    horizontal: bool,
    thickness: float = 0.85,
) -> list[BarContainer]:
    """Draw a bar of length 1 at each place, cut into the parts of its row; return one container a part."""
    containers = []
    starts = np.zeros(len(parts))
    for degrees, style in zip(parts.T, styles, strict=True):
        look: dict[str, Any] = {
            "color": style.colour,
            "hatch": style.hatch,
            "edgecolor": ink_on(style.colour),
            "linewidth": 0,
        }
        if horizontal:
            container = ax.barh(places, degrees, thickness, left=starts, **look)
        else:
            container = ax.bar(places, degrees, thickness, bottom=starts, **look)
        for patch in container:
            patch.set_hatch_linewidth(0.6)
        containers.append(container)
        starts = starts + degrees
    return containers


def most_ambiguous(values: Array) -> NDArray[np.intp]:
    """Return the rows from the most ambiguous to the least, equal ones in their order."""
    return np.argsort(-ambiguity(values), kind="stable")
