"""What every picture shares: the axes that it is drawn on, text beside them, a legend, and bars' tick labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from labeldist._extras import require
from labeldist.plots._palette import REFERENCE
from labeldist.plots._text import LONGEST, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

EXTRA = "app"
SMALL = 8.0
"""Size in points of text inside and beside bars and cells."""

SIZE = (6.4, 4.8)
"""Matplotlib's own size of a figure, in inches; pictures with many rows are larger."""

LARGEST = 14.0
"""No side of a figure is longer."""

LONGEST_UPRIGHT = 22
"""So many letters stand below a picture; more would take too much of its height."""

MARGIN = 0.1
"""What is left free around a picture, in inches."""

LINE, LETTER_WIDTH = 14.0, 6.2
"""What a line of text takes with the space around it, and a letter, in points, at Matplotlib's size."""


class Display:
    """Base of the pictures.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def _open(self, ax: Axes | None, size: tuple[float, float] = SIZE, projection: str | None = None) -> Any:
        """Note and return the axes to draw on: those given, or those of a new figure of pyplot's.

        A new figure makes room for what stands beside its axes; the layout of another's figure is another's.
        """
        if ax is None:
            figure = require("matplotlib.pyplot", EXTRA).figure(figsize=size)
            figure.set_layout_engine("constrained", w_pad=MARGIN, h_pad=MARGIN)
            ax = figure.add_subplot(projection=projection)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def write_ticks(ax: Axes, side: Literal["x", "y"], places: Sequence[float], names: Sequence[str]) -> None:
    """Write names along an axis: upright below it if they are long, and only every so many where they have no room.

    A dollar sign in a name is a dollar sign, not mathematics.
    """
    axis = ax.xaxis if side == "x" else ax.yaxis
    points = size_in_points(ax)[0 if side == "x" else 1]
    letters = max(len(shorten(name)) for name in names)
    upright = side == "x" and (letters + 1) * LETTER_WIDTH * len(places) > points
    longest = LONGEST_UPRIGHT if upright else LONGEST
    size = SMALL if len(places) * LINE > points else None
    step = max(1, math.ceil(len(places) * SMALL * 1.1 / points))
    axis.set_ticks(list(places[::step]), [shorten(name, longest) for name in names[::step]], parse_math=False)
    ax.tick_params(axis=side, length=0, labelrotation=90 if upright else 0)
    if size is not None:
        ax.tick_params(axis=side, labelsize=size)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return width and height of the axes, before a layout has made room for what stands beside them."""
    extent = ax.get_window_extent()
    points = 72 / _figure_of(ax).dpi
    return extent.width * points, extent.height * points


def _figure_of(ax: Axes) -> Figure:
    """Return the figure that axes are in, at whatever depth of subfigures."""
    return cast("Figure", ax.get_figure(root=True))


def write_beside(ax: Axes, places: Sequence[float], texts: Sequence[str], title: str) -> None:
    """Write a column of short texts to the right of horizontal bars, under a title; places grow downwards."""
    for place, text in zip(places, texts, strict=True):
        ax.annotate(
            text,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
            annotation_clip=False,
        )
    ax.annotate(
        title, (1, 1), xycoords="axes fraction", xytext=(5, 3), textcoords="offset points", va="bottom", fontsize=SMALL
    )


def shifted(ax: Axes, *, x: float = 0, y: float = 0) -> Any:
    """Return coordinates in which (0, 0) and (1, 1) are the axes' corners moved by so many points."""
    offset_copy = require("matplotlib.transforms", EXTRA).offset_copy
    return offset_copy(ax.transAxes, _figure_of(ax), x=x, y=y, units="points")


def legend_beside(
    ax: Axes, handles: Sequence[Any], names: Sequence[str], *, distance: float = 8, handlelength: float = 1.2
) -> Legend:
    """Put a legend to the right of the axes, `distance` points away."""
    legend = ax.legend(
        handles,
        [shorten(name) for name in names],
        loc="upper left",
        bbox_to_anchor=(1, 1),
        bbox_transform=shifted(ax, x=distance),
        borderaxespad=0,
        borderpad=0,
        frameon=False,
        fontsize="small" if len(names) > 10 else None,
        handlelength=handlelength,
        handleheight=1.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def hide_frame(ax: Axes) -> None:
    """Leave out the lines above and to the right, which bound nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def draw_diagonal(ax: Axes, largest: float) -> None:
    """Make both axes run from 0 to a little over the largest degree, with the line where both are equal."""
    end = min(1.04 * largest, 1.02)
    ax.plot([0, end], [0, end], color=REFERENCE, linewidth=1, linestyle="--", zorder=3)
    ax.set(xlim=(0, end), ylim=(0, end), aspect="equal")
    hide_frame(ax)


def opacity_of(n_points: int) -> float:
    """Return an opacity with which few points are plain, and a crowd of them is darker where it is denser."""
    return float(min(max(12 / math.sqrt(n_points), 0.2), 0.9))


def width_with_legend(width: float, names: Sequence[str]) -> float:
    """Return the width of a figure, in inches, whose square axes leave room for a legend."""
    return width + 0.6 + 0.08 * max(len(shorten(name)) for name in names)
