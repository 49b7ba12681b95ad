"""Whether predicted degrees can be taken at their word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array
from labeldist.plots._canvas import draw_diagonal, size_in_points
from labeldist.plots._palette import DARK_GREY, GREY, OKABE_ITO
from labeldist.plots._reading import DisplayOfPairs, check_count, check_option, read_pair
from labeldist.plots._text import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Strategy = Literal["uniform", "quantile"]
TINY = 6.5
"""Size in points of the counts."""

COUNTS_HEIGHT = 0.2
"""The share of the picture that the bars of counts take."""


class CalibrationDisplay(DisplayOfPairs):
    """Mean true degree by predicted degree, in bins, with the number of degrees in each.

    On the diagonal a prediction of 0.3 means that degrees are 0.3 on average. That is not yet a good prediction: the
    mean distribution is on it, too. Above it degrees are predicted too low, below it too high.

    Make one with `from_predictions` or `from_estimator`.

    Parameters
    ----------
    predicted_means, true_means : ndarray of shape (n_bins,)
        Of the bins that are not empty.
    counts : ndarray of shape (n_bins,)
        How many degrees are in each.
    edges : ndarray of shape (n_bins, 2)
        Where each begins and ends.
    name : str or None
        What the curve shows.

    Attributes
    ----------
    line_ : Line2D
    count_bars_ : BarContainer
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist.plots import CalibrationDisplay
    >>> D_true, D_pred = [[0.8, 0.2], [0.4, 0.6]], [[0.7, 0.3], [0.7, 0.3]]
    >>> display = CalibrationDisplay.from_predictions(D_true, D_pred, n_bins=2)
    >>> display.predicted_means, display.true_means.round(3), display.counts
    (array([0.3, 0.7]), array([0.4, 0.6]), array([2, 2]))
    """

    names_items = False

    def __init__(
        self,
        predicted_means: Array,
        true_means: Array,
        *,
        counts: NDArray[np.int64],
        edges: Array,
        name: str | None = None,
    ) -> None:
        self.predicted_means = predicted_means
        self.true_means = true_means
        self.counts = counts
        self.edges = edges
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        D_true: Any,
        D_pred: Any,
        *,
        label: str | None = None,
        n_bins: int = 10,
        strategy: Strategy = "uniform",
        label_names: Sequence[object] | None = None,
        ax: Axes | None = None,
    ) -> CalibrationDisplay:
        """Draw mean true degrees against predicted ones.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one.
        label : str, default=None
            The name of the label whose degrees are drawn; None for those of all labels.
        n_bins : int, default=10
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins equally wide, from the smallest predicted degree to the largest, or with equally many degrees.
        label_names : list of str, default=None
            None for the columns of the data frames, or numbers.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        check_option("strategy", strategy, get_args(Strategy))
        check_count("n_bins", n_bins)
        true, predicted = read_pair(D_true, D_pred, label_names=label_names)
        columns = slice(None)
        if label is not None:
            check_option("label", label, true.label_names)
            place = true.label_names.index(label)
            columns = slice(place, place + 1)
        d, p = true.values[:, columns].ravel(), predicted[:, columns].ravel()
        edges = _edges(p, n_bins, strategy)
        bins = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, max(len(edges) - 2, 0))
        counts = np.bincount(bins, minlength=len(edges) - 1)
        filled = counts > 0
        predicted_means, true_means = (np.bincount(bins, v)[filled] / counts[filled] for v in (p, d))
        display = cls(
            predicted_means,
            true_means,
            counts=counts[filled],
            edges=np.column_stack([edges[:-1], edges[1:]])[filled],
            name=label,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Draw the curve, the diagonal and the counts.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        ax = self._open(ax)
        draw_diagonal(ax, max(float(self.true_means.max()), float(self.edges.max())))
        end = ax.get_ylim()[1]
        heights = COUNTS_HEIGHT * end * self.counts / self.counts.max()
        starts, widths = self.edges[:, 0], np.maximum(np.diff(self.edges)[:, 0], 0.01 * end)
        self.count_bars_ = ax.bar(starts, heights, widths, align="edge", color=GREY, alpha=0.45, edgecolor="white")
        room = widths.min() / end * size_in_points(ax)[1]  # the axes will be square
        upright = max(len(f"{count:,}") for count in self.counts) * TINY * 0.6 > room
        for start, width, height, count in zip(starts, widths, heights, self.counts, strict=True):
            ax.annotate(
                f"{count:,}",
                (start + width / 2, height),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=TINY,
                color=DARK_GREY,
                rotation=90 if upright else 0,
            )
        self.line_ = ax.plot(self.predicted_means, self.true_means, marker="o", color=OKABE_ITO[1], zorder=4)[0]
        of = "" if self.name is None else f" of {shorten(self.name)}"
        ax.set_xlabel(f"predicted degree{of} (bars: how many)", parse_math=False)
        ax.set_ylabel("mean true degree")
        return self


def _edges(predicted: Array, n_bins: int, strategy: Strategy) -> Array:
    """Return the borders of the bins; equal ones, which quantiles of few values have, only once."""
    if strategy == "uniform":
        edges = np.linspace(predicted.min(), predicted.max(), n_bins + 1)
    else:
        edges = np.quantile(predicted, np.linspace(0, 1, n_bins + 1))
    distinct = np.unique(edges)
    return distinct if len(distinct) > 1 else np.repeat(distinct, 2)
