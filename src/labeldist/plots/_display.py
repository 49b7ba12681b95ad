"""Base class of the displays, shared drawing functions, and saving to a file."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from labeldist._extras import require
from labeldist._files import write_whole
from labeldist._typing import Array
from labeldist.exceptions import OutputError

Axes = Any
"""``matplotlib.axes.Axes``; Matplotlib is imported only to draw."""

EXTRA = "app"
# Colours that people with colour vision deficiency can distinguish. The labels have these seven, the same with a hatch
# or another marker, and grey for merged labels.
OKABE_ITO = ("#d55e00", "#0072b2", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442")
GREY = "#999999"
COLOURS = (*OKABE_ITO, *OKABE_ITO, GREY)
HATCHES = ("",) * 7 + ("////",) * 7 + ("",)
MARKERS = ("o",) * 7 + ("s",) * 7 + ("D",)

MIN_INCHES, MAX_INCHES = (7.0, 4.8), (14.0, 14.0)
MAX_TICK_LABELS, MAX_CELLS_WITH_TEXT = 60, 150

# Dates and random SVG ids would make two files of the same picture differ.
METADATA: dict[str, dict[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


class Display:
    """Base class of the displays, which implement `_draw`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Axes
    figure_: Any

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure. A `TernaryDisplay` needs axes with ``projection="ternary"``.

        Returns
        -------
        self : Display
            The drawn display.
        """
        if ax is None:
            rows, columns = self._cells()
            size = np.clip((2.6 + 0.5 * columns, 1.4 + 0.27 * rows), MIN_INCHES, MAX_INCHES)
            ax = self._add_axes(require("matplotlib.pyplot", EXTRA).figure(figsize=size, layout="constrained"))
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _cells(self) -> tuple[int, int]:
        """Return the numbers of rows and columns of a table, from which the size of a new figure follows."""
        return 0, 0

    def _add_axes(self, figure: Any) -> Axes:
        return figure.add_subplot()

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError


def save_picture(display: Display, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
    """Write a display to a file. The same display gives the same bytes each time.

    Parameters
    ----------
    display : display of `labeldist.plots`
    path : path-like
        The suffix is the format: ``.png``, ``.svg`` or ``.pdf``.
    overwrite : bool, default=True
        Whether to replace an existing file.

    See Also
    --------
    DistributionDisplay : A display of distributions.

    Examples
    --------
    >>> from labeldist.plots import DistributionDisplay, save_picture
    >>> display = DistributionDisplay.from_distributions([[0.9, 0.1], [0.5, 0.5]])
    >>> save_picture(display, getfixture("tmp_path") / "bars.png")
    """
    check_picture_path(path)
    suffix = Path(path).suffix.lower()
    content = io.BytesIO()
    figure = display.figure_.get_figure(root=True)
    with require("matplotlib", EXTRA).rc_context({"svg.hashsalt": "labeldist"}):
        figure.savefig(content, format=suffix[1:], dpi=150, bbox_inches="tight", metadata=METADATA[suffix])
    write_whole(path, content.getvalue(), overwrite=overwrite)


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Raise an error if the suffix of a path is not a picture format."""
    if Path(path).suffix.lower() not in METADATA:
        raise OutputError(f"{path} does not end in the name of a format for pictures: {', '.join(METADATA)}.")


def shorten(name: object, max_length: int = 28) -> str:
    """Return a name on one line, cut to `max_length`, without mathematics between dollar signs."""
    line = " ".join(str(name).split())
    line = line if len(line) <= max_length else line[: max_length - 1] + "…"
    return line.replace("$", r"\$")


def is_number(value: Any) -> bool:
    """Return whether the value of a parameter is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def parameter_text(value: Any) -> str:
    """Return the value of a parameter as text."""
    return f"{value:g}" if is_number(value) else shorten(value)


def name_ticks(ax: Axes, side: Literal["x", "y"], names: Sequence[str]) -> None:
    """Write names at 0, 1, 2, … along an axis, or none if there are too many to read."""
    shown = [shorten(name) for name in names] if len(names) <= MAX_TICK_LABELS else []
    rotation = 90 if side == "x" and sum(map(len, shown)) > 50 else 0
    getattr(ax, f"set_{side}ticks")(range(len(shown)), shown)
    ax.tick_params(axis=side, length=0, labelrotation=rotation)


def add_legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], *, distance: float = 0.8) -> None:
    """Add a legend to the right of the axes, at a distance in units of the font size."""
    texts = [shorten(name) for name in names]
    ax.legend(handles, texts, loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=distance, frameon=False)


def draw_diagonal(ax: Axes, largest: float) -> None:
    """Draw the line of equal degrees on square axes that end a little above the largest degree."""
    end = min(1.04 * largest, 1.02)
    ax.plot([0, end], [0, end], color="black", linewidth=1, linestyle="--")
    ax.set(xlim=(0, end), ylim=(0, end), aspect="equal")


def merge_small_labels(label_names: Sequence[str], *tables: Array) -> tuple[list[str], list[Array]]:
    """Keep the 14 labels with the largest mean degree in the first table, and add up the others."""
    c = len(label_names)
    if c <= len(COLOURS):
        return list(label_names), list(tables)
    kept = np.sort(np.argsort(-tables[0].mean(axis=0), kind="stable")[: len(COLOURS) - 1])
    names = [*(label_names[k] for k in kept), f"other ({c - len(kept)} labels)"]
    return names, [np.column_stack([D[:, kept], np.delete(D, kept, axis=1).sum(axis=1)]) for D in tables]


def stacked_bars(ax: Axes, places: Any, degrees: Array, *, thickness: float = 0.85) -> list[Any]:
    """Draw one horizontal stacked bar per row of `degrees`, and return one BarContainer per column."""
    starts = np.cumsum(degrees, axis=1) - degrees
    return [
        ax.barh(places, column, thickness, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0)
        for column, left, colour, hatch in zip(degrees.T, starts.T, COLOURS, HATCHES, strict=False)
    ]


def heat_map(
    ax: Axes, values: Array, row_names: Sequence[str], column_names: Sequence[str], *, cmap: str, norm: Any, title: str
) -> tuple[Any, Any]:
    """Draw one cell per value, with its number if there are few; return the image and the colour bar."""
    image = ax.imshow(np.ma.masked_invalid(values), cmap=cmap, norm=norm, aspect="auto")
    colorbar = ax.figure.colorbar(image, ax=ax, label=title)
    name_ticks(ax, "x", column_names)
    name_ticks(ax, "y", row_names)
    if values.size <= MAX_CELLS_WITH_TEXT:
        dark = image.to_rgba(values)[..., :3] @ [0.299, 0.587, 0.114] < 0.5
        for row, column in np.argwhere(np.isfinite(values)):
            text, color = f"{values[row, column]:.3g}", "white" if dark[row, column] else "black"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize="small")
    return image, colorbar
