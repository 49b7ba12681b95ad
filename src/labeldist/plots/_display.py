"""Base classes of the displays, their input, shared drawing functions, and saving to a file."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from labeldist import _validation as validation
from labeldist._extras import require
from labeldist._files import write_whole
from labeldist._typing import Array
from labeldist.exceptions import OutputError
from labeldist.metrics._measures import check_pair
from labeldist.models._inspection import attribute_of, predict_distributions
from labeldist.simplex import check_distributions, normalize

if TYPE_CHECKING:
    import pandas as pd

Axes = Any  # matplotlib.axes.Axes; Matplotlib is imported only to draw
Names = Sequence[object] | None

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


class DisplayOfRows(Display):
    """Base class of the displays of distributions or predictions."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, **options: Any) -> Self:
        """Draw what a fitted estimator predicts for the rows of `X`.

        Parameters
        ----------
        estimator : fitted learner, or fitted enhancer with ``transform``
        X : array-like or data frame of shape (n_samples, n_features)
            Its index names the items.
        y : array-like or data frame of shape (n_samples, n_labels), default=None
            True degrees, for displays with `from_predictions`. Each row is divided by its sum.
        **options
            Parameters of `from_predictions` if there is `y`, else of `from_distributions`.

        Returns
        -------
        display
        """
        display: Any = cls
        if not hasattr(cls, "from_distributions" if y is None else "from_predictions"):
            raise TypeError(f"{cls.__name__} {'needs true degrees y' if y is None else 'has no true degrees: omit y'}.")
        predicted = read_predictions(estimator, X)
        if y is None:
            return display.from_distributions(predicted, **options)
        true = read_truth(estimator, X, y)
        labels = validation.column_names(y) or list(predicted.columns)
        items = list(predicted.index) if hasattr(X, "iloc") else _row_names(y, len(y))
        return display.from_predictions(*read_pair(true, predicted.to_numpy(), labels, items), **options)


def read_rows(D: Any, label_names: Names = None, item_names: Names = None) -> pd.DataFrame:
    """Return distributions with the given names, or those of a data frame, or numbers."""
    values = check_distributions(D)
    n, c = values.shape
    labels = validation.label_names(D, c) if label_names is None else check_names("label_names", label_names, c)
    if set(labels) == set(validation.column_names(D) or ()):
        validation.check_label_names(D, labels, "The distributions")
    items = _row_names(D, n) if item_names is None else check_names("item_names", item_names, n)
    return require("pandas", EXTRA).DataFrame(values, items, labels)


def read_pair(D_true: Any, D_pred: Any, label_names: Names = None, item_names: Names = None) -> tuple[Any, Array]:
    """Return true distributions as a data frame with the names of either table, and predicted distributions."""
    true, predicted = check_pair(D_true, D_pred)
    n, c = true.shape
    if label_names is None:
        label_names = validation.column_names(D_true) or validation.label_names(D_pred, c)
    for name, D in (("D_true", D_true), ("D_pred", D_pred)):
        if set(label_names) == set(validation.column_names(D) or ()):
            validation.check_label_names(D, list(map(str, label_names)), name)
    if item_names is None:
        item_names = _row_names(D_true if hasattr(D_true, "iloc") else D_pred, n)
    return read_rows(true, label_names, item_names), predicted


def read_predictions(estimator: Any, X: Any) -> pd.DataFrame:
    """Return what a fitted learner or enhancer predicts for the rows of `X`."""
    D = predict_distributions(estimator, X)
    labels = validation.column_names(D) or attribute_of(estimator, "label_names_")
    return read_rows(D, labels, _row_names(D if hasattr(D, "iloc") else X, len(D)))


def read_truth(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Return true degrees as distributions; raise an error if their rows or labels are in another order."""
    validation.check_rows(X=X, y=y, sample_weight=sample_weight)
    validation.check_label_names(y, attribute_of(estimator, "label_names_") or [])
    return normalize(y, name="y")


def _row_names(table: Any, n_rows: int) -> list[str]:
    """Return the index of a pandas object as text, else the row numbers."""
    return [str(name) for name in (table.index if hasattr(table, "iloc") else range(n_rows))]


def check_names(parameter: str, names: Sequence[object], n: int) -> list[str]:
    """Return names as text, or raise an error if they are not `n` names."""
    if isinstance(names, str) or len(names) != n:
        raise ValueError(f"{parameter} must be a list of {n} names; got {names!r}.")
    return [str(name) for name in names]


def check_option(parameter: str, value: object, options: Sequence[str]) -> None:
    """Raise an error if the value of a parameter is not one of the options."""
    if value not in options:
        raise ValueError(f"{parameter} must be one of {', '.join(options)}; got {value!r}.")


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
    return (line if len(line) <= max_length else line[: max_length - 1] + "…").replace("$", r"\$")


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
