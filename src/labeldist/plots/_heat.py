"""Tables of numbers as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.plots._canvas import EXTRA, LARGEST, SIZE, SMALL, size_in_points, write_ticks
from labeldist.plots._palette import GREY, ink_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.image import AxesImage

MOST_NUMBERS = 150
"""More cells than this show colours alone."""

LETTER = 0.62
"""The width of a digit as a share of its height."""


@dataclass(frozen=True)
class HeatMap:
    """What `heat_map` has drawn; ``text`` holds the numbers in the cells, None where there is none."""

    image: AxesImage
    colorbar: Colorbar
    text: Array


def size_of(n_rows: int, n_columns: int) -> tuple[float, float]:
    """Return the size of a figure for so many cells, in inches."""
    return min(max(SIZE[0], 2.6 + 0.5 * n_columns), LARGEST), min(max(SIZE[1] * 0.75, 1.4 + 0.24 * n_rows), LARGEST)


def heat_map(
    ax: Axes,
    values: Array,
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    colours: str,
    norm: Any,
    title: str,
    decimals: int,
) -> HeatMap:
    """Draw a cell a value, the first row on top, with the numbers if they have room, and the scale beside.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        NaN where there is no value.
    colours : str
        Matplotlib's name of a colour map.
    norm : Normalize
        From values to the colour map.
    title : str
        What the values are.
    decimals : int
        Of the numbers in the cells.
    """
    map_of = require("matplotlib", EXTRA).colormaps[colours].with_extremes(bad=GREY)
    image = ax.imshow(np.ma.masked_invalid(values), cmap=map_of, norm=norm, aspect="auto", interpolation="nearest")
    colorbar = ax.figure.colorbar(image, ax=ax, label=title)
    colorbar.outline.set_visible(False)
    write_ticks(ax, "x", range(len(column_names)), column_names)
    write_ticks(ax, "y", range(len(row_names)), row_names)
    ax.spines[:].set_visible(False)
    text = np.full(values.shape, None, dtype=object)
    rounded = np.round(values, decimals) + 0.0  # which makes a 0 of -0
    written = [[f"{value:.{decimals}f}" if np.isfinite(value) else "–" for value in row] for row in rounded]
    if values.size <= MOST_NUMBERS and _has_room(ax, written):
        for place in np.ndindex(values.shape):
            ink = ink_on(colour_of(image, float(values[place])))
            text[place] = ax.text(
                place[1], place[0], written[place[0]][place[1]], ha="center", va="center", color=ink, fontsize=SMALL
            )
    return HeatMap(image, colorbar, text)


def colour_of(image: AxesImage, value: float) -> str:
    """Return the colour that a value has in the picture."""
    to_hex = require("matplotlib.colors", EXTRA).to_hex
    return str(to_hex(image.to_rgba(np.ma.masked_invalid([value]))[0]))


def _has_room(ax: Axes, written: Sequence[Sequence[str]]) -> bool:
    width, height = size_in_points(ax)
    longest = max(len(text) for row in written for text in row)
    wide, high = width / len(written[0]), height / len(written)
    return wide > (longest + 0.5) * LETTER * SMALL and high > 1.2 * SMALL
