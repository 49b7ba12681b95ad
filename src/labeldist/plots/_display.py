"""Base classes of the displays, their input, shared drawing functions, and `save_picture`."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from labeldist._extras import require
from labeldist._files import write_whole
from labeldist._pipelines import attribute_of
from labeldist._typing import Array
from labeldist._validation import check_label_names, check_rows, column_names
from labeldist._validation import label_names as names_or_numbers
from labeldist.exceptions import OutputError
from labeldist.metrics._measures import check_pair
from labeldist.models._fitted_models import predict_distributions
from labeldist.simplex import check_distributions, normalize

if TYPE_CHECKING:
    import pandas as pd

Axes = Any  # matplotlib.axes.Axes; Matplotlib is imported only to draw
Names = Sequence[object] | None

EXTRA = "app"
# Colours that people with colour vision deficiency can distinguish. The labels have these seven,
# the same with a hatch or another marker, and grey for merged labels.
OKABE_ITO = ("#d55e00", "#0072b2", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442")
GREY = "#999999"
COLOURS = (*OKABE_ITO, *OKABE_ITO, GREY)
HATCHES = ("",) * 7 + ("////",) * 7 + ("",)
MARKERS = ("o",) * 7 + ("s",) * 7 + ("D",)

MAX_TICK_LABELS = 60
MAX_CELLS_WITH_TEXT = 150

# Dates and random SVG ids would make two files of the same picture differ.
METADATA: dict[str, dict[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


class Display:
    """Base class of the displays, which implement `_draw`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What the display was drawn on, once it is drawn.
    """

    ax_: Axes
    figure_: Any

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default a new figure is made. A `TernaryDisplay` needs axes with
            ``projection="ternary"``.

        Returns
        -------
        self : Display
            The drawn display.
        """
        if ax is None:
            rows, columns = self._cells()
            width = np.clip(2.6 + 0.5 * columns, 7.0, 14.0)
            height = np.clip(1.4 + 0.27 * rows, 4.8, 14.0)
            pyplot = require("matplotlib.pyplot", EXTRA)
            ax = self._add_axes(pyplot.figure(figsize=(width, height), layout="constrained"))
        self.ax_ = ax
        self.figure_ = ax.figure
        self._draw(ax)
        return self

    def _cells(self) -> tuple[int, int]:
        """Return the numbers of rows and columns, which determine the size of a new figure."""
        return 0, 0

    def _add_axes(self, figure: Any) -> Axes:
        return figure.add_subplot()

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError


class DisplayOfDistributions(Display):
    """Base class of the displays with `from_distributions`."""

    from_distributions: Any  # a class method

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Draw what a fitted estimator predicts for the rows of `X`.

        Parameters
        ----------
        estimator : fitted learner, or fitted enhancer with ``transform``
            The estimator.
        X : array-like or data frame of shape (n_samples, n_features)
            Its index names the items.
        **options
            Parameters of `from_distributions`.

        Returns
        -------
        display
        """
        return cls.from_distributions(read_predictions(estimator, X), **options)


class DisplayOfPredictions(Display):
    """Base class of the displays with `from_predictions`."""

    from_predictions: Any  # a class method

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Draw what a fitted estimator predicts for the rows of `X`, against the true degrees.

        Parameters
        ----------
        estimator : fitted learner, or fitted enhancer with ``transform``
        X : array-like or data frame of shape (n_samples, n_features)
            Its index names the items.
        y : array-like or data frame of shape (n_samples, n_labels)
            True degrees. Each row is divided by its sum.
        **options
            Parameters of `from_predictions`.

        Returns
        -------
        display
            The drawn display.
        """
        predicted = read_predictions(estimator, X)
        degrees = read_truth(estimator, X, y)
        items = _row_names(X) or _row_names(y)
        labels = column_names(y) or predicted.columns
        true = require("pandas", EXTRA).DataFrame(degrees, items, labels)
        return cls.from_predictions(true, predicted.to_numpy(), **options)


def read_rows(D: Any, label_names: Names = None, item_names: Names = None) -> pd.DataFrame:
    """Return distributions with the given names, or the names of a data frame, or numbers."""
    values = check_distributions(D)
    if label_names is None:
        label_names = names_or_numbers(D, values.shape[1])
    if item_names is None:
        item_names = _row_names(D)
    table = require("pandas", EXTRA).DataFrame(values, item_names, label_names)
    return table.rename(index=str, columns=str)


def read_pair(
    D_true: Any, D_pred: Any, label_names: Names = None, item_names: Names = None
) -> tuple[pd.DataFrame, Array]:
    """Return true distributions with the names of either table, and predicted distributions."""
    true, predicted = check_pair(D_true, D_pred)
    if label_names is None:
        label_names = column_names(D_true) or column_names(D_pred)
    if item_names is None:
        item_names = _row_names(D_true) or _row_names(D_pred)
    return read_rows(true, label_names, item_names), predicted


def read_predictions(estimator: Any, X: Any) -> pd.DataFrame:
    """Return what a fitted learner or enhancer predicts for the rows of `X`, with names."""
    D = predict_distributions(estimator, X)
    labels = attribute_of(estimator, "label_names_") or names_or_numbers(D, D.shape[1])
    return require("pandas", EXTRA).DataFrame(np.asarray(D), _row_names(X), labels)


def read_truth(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Return true degrees as distributions; raise if their rows or labels do not match."""
    check_consistent_length(X, y)
    check_rows(X=X, y=y, sample_weight=sample_weight)
    check_label_names(y, attribute_of(estimator, "label_names_") or [])
    return normalize(y, name="y")


def _row_names(table: Any) -> list[object] | None:
    """Return the index of a pandas object, or None."""
    return list(table.index) if hasattr(table, "iloc") else None


def check_names(parameter: str, names: Names, n: int, prefix: str) -> list[str]:
    """Return `n` names as text, by default numbers; raise an error if there are not `n`."""
    if names is None:
        return [f"{prefix}{k}" for k in range(n)]
    if len(names) != n:
        raise ValueError(f"{parameter} must be a list of {n} names; got {names}.")
    return [str(name) for name in names]


def save_picture(display: Display, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
    """Write a display to a file. The same display gives the same bytes each time.

    Parameters
    ----------
    display : display of `labeldist.plots`
        A display that has been drawn.
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
    suffix = check_picture_path(path)
    content = io.BytesIO()
    figure = display.figure_.get_figure(root=True)
    with require("matplotlib", EXTRA).rc_context({"svg.hashsalt": "labeldist"}):
        figure.savefig(
            content, format=suffix[1:], dpi=150, bbox_inches="tight", metadata=METADATA[suffix]
        )
    write_whole(path, content.getvalue(), overwrite=overwrite)


def check_picture_path(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a path in lower case; raise an error if it is not a picture format."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise OutputError(f"The name of the picture {path} must end in {', '.join(METADATA)}.")
    return suffix


def shown_items(n_shown: int, n: int) -> str:
    """Return a caption with the numbers of shown and of all items."""
    return f"{n_shown:,} of {n:,} items"


def shown_features(n_shown: int, n: int) -> str:
    """Return a caption with the numbers of shown and of all features."""
    return f"largest {n_shown} of {n:,} features"


def shorten(name: object, max_length: int = 28) -> str:
    """Return a name on one line, cut to `max_length`, without mathematics between dollar signs."""
    line = " ".join(str(name).split())
    if len(line) > max_length:
        line = line[: max_length - 1] + "…"
    return line.replace("$", r"\$")


def name_ticks(axis: Any, names: Sequence[object]) -> None:
    """Write names at 0, 1, 2, … along an axis, or none if there are too many to read."""
    if len(names) > MAX_TICK_LABELS:
        names = []
    shown = [shorten(name) for name in names]
    is_crowded = axis.axis_name == "x" and sum(map(len, shown)) > 50
    axis.set_ticks(range(len(shown)), shown)
    axis.set_tick_params(length=0, labelrotation=90 if is_crowded else 0)


def add_legend(
    ax: Axes, handles: Sequence[Any], names: Sequence[str], *, distance: float = 0.8
) -> None:
    """Add a legend to the right of the axes, at a distance in units of the font size."""
    texts = [shorten(name) for name in names]
    ax.legend(
        handles,
        texts,
        loc="upper left",
        bbox_to_anchor=(1, 1),
        borderaxespad=distance,
        frameon=False,
    )


def draw_diagonal(ax: Axes, *degrees: Array) -> None:
    """Draw the line of equal degrees on square axes that end a little above the largest degree."""
    largest = max(table.max() for table in degrees)
    limits = (0, min(1.04 * largest, 1.02))
    ax.plot(limits, limits, color="black", linewidth=1, linestyle="--")
    ax.set(xlim=limits, ylim=limits, aspect="equal")


def largest_first(values: Array) -> NDArray[np.intp]:
    """Return the positions of values in descending order; ties keep their order."""
    return np.argsort(-values, kind="stable")


def merge_small_labels(label_names: Sequence[str], *tables: Array) -> tuple[list[str], Array]:
    """Keep the 14 labels with the largest mean degree in the first table, and add up the others.

    Returns the names of the labels, and the tables as one array.
    """
    n_kept = len(COLOURS) - 1
    n_merged = len(label_names) - n_kept
    stacked = np.stack(tables)
    if n_merged <= 1:
        return list(label_names), stacked
    kept = np.sort(largest_first(tables[0].mean(axis=0))[:n_kept])
    others = np.delete(stacked, kept, axis=2).sum(axis=2, keepdims=True)
    names = [label_names[k] for k in kept]
    names.append(f"other ({n_merged} labels)")
    return names, np.concatenate([stacked[..., kept], others], axis=2)


def stacked_bars(ax: Axes, places: Any, degrees: Array, *, thickness: float = 0.85) -> list[Any]:
    """Draw one stacked bar per row of `degrees`, and return one BarContainer per column."""
    starts = np.cumsum(degrees, axis=1) - degrees
    bars = []
    for k, column in enumerate(degrees.T):
        container = ax.barh(
            places,
            column,
            thickness,
            left=starts[:, k],
            color=COLOURS[k],
            hatch=HATCHES[k],
            edgecolor="black",
            linewidth=0,
        )
        bars.append(container)
    return bars


def write_beside_bars(ax: Axes, bars: Any, texts: Sequence[str]) -> None:
    """Write a text to the right of each bar."""
    ax.bar_label(bars, texts, padding=4, fontsize="small", annotation_clip=False)


def heat_map(
    ax: Axes,
    values: Array,
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    title: str,
    **colours: Any,
) -> tuple[Any, Any]:
    """Draw one cell per value, with its number if there are few; return image and colour bar."""
    image = ax.imshow(values, aspect="auto", **colours)
    colorbar = ax.figure.colorbar(image, ax=ax, label=title)
    name_ticks(ax.xaxis, column_names)
    name_ticks(ax.yaxis, row_names)
    if values.size <= MAX_CELLS_WITH_TEXT:
        brightness = image.to_rgba(values)[..., :3] @ [0.299, 0.587, 0.114]
        for row, column in np.argwhere(np.isfinite(values)):
            number = f"{values[row, column]:.3g}"
            color = "white" if brightness[row, column] < 0.5 else "black"
            ax.text(column, row, number, color=color, ha="center", va="center", fontsize="small")
    return image, colorbar
