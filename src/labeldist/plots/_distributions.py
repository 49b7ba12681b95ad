"""Displays of distributions and of predictions, alone or against true distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_scalar

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import check_label_names, check_rows
from labeldist.metrics import MEASURES
from labeldist.plots import _display as shared
from labeldist.plots._display import Axes, DisplayOfRows, Names, check_option, read_pair, read_rows
from labeldist.simplex import ambiguity

Kind = Literal["scatter", "bars"]
MAX_ROWS = {"scatter": 1000, "bars": 6}


@dataclass(eq=False, repr=False)
class DistributionDisplay(DisplayOfRows):
    """The first rows of a table as stacked bars with their ambiguities, sorted by largest label and its degree.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
    label_names, item_names, caption : list of str, list of str, str

    Attributes
    ----------
    ambiguities : ndarray of shape (n_bars,)
        Exponential of the entropy of each row: 1 for a single label, the number of labels for equal degrees.
    bars_ : list of BarContainer
        One per label. Beyond 15 labels the smallest are merged.

    See Also
    --------
    AmbiguityDisplay : The most ambiguous rows.

    Examples
    --------
    >>> from labeldist.plots import DistributionDisplay
    >>> D = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    >>> DistributionDisplay.from_distributions(D, item_names=["a wolf", "a fox", "a dog"]).item_names
    ['a dog', 'a wolf', 'a fox']
    """

    distributions: Array
    label_names: Sequence[str]
    item_names: Sequence[str]
    caption: str = ""

    @property
    def ambiguities(self) -> Array:
        """Exponential of the entropy of each row."""
        return ambiguity(self.distributions)

    @classmethod
    def from_distributions(
        cls, D: Any, *, max_rows: int = 15, label_names: Names = None, item_names: Names = None, ax: Axes = None
    ) -> Self:
        """Draw rows of a table of distributions.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. The columns of a data frame name the labels, its index the items.
        max_rows : int, default=15
        label_names, item_names : list of str, default=None
            By default the names in the data frame, or numbers.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display
        """
        check_scalar(max_rows, "max_rows", int, min_val=1)
        table = read_rows(D, label_names, item_names)
        shown = table.iloc[cls._select_rows(table.to_numpy(), max_rows)]
        caption = f"{len(shown):,} of {len(table):,} items"
        return cls(shown.to_numpy(), list(shown.columns), list(shown.index), caption).plot(ax)

    @staticmethod
    def _select_rows(D: Array, max_rows: int) -> NDArray[np.intp]:
        first = D[:max_rows]
        return np.lexsort((-first.max(axis=1), first.argmax(axis=1)))

    def _cells(self) -> tuple[int, int]:
        return len(self.distributions), 0

    def _draw(self, ax: Axes) -> None:
        names, (degrees,) = shared.merge_small_labels(self.label_names, self.distributions)
        n = len(degrees)
        self.bars_ = shared.stacked_bars(ax, range(n), degrees)
        texts = [f"{value:.2f}" for value in self.ambiguities]
        ax.bar_label(self.bars_[-1], texts, padding=4, fontsize="small", annotation_clip=False)
        ax.set_title("ambiguity", loc="right", fontsize="small")
        ax.set(xlim=(0, 1), ylim=(n - 0.4, -0.6), xlabel=f"degree ({self.caption})")
        shared.name_ticks(ax, "y", self.item_names)
        shared.add_legend(ax, self.bars_, names, distance=3.5)


class AmbiguityDisplay(DistributionDisplay):
    """The most ambiguous rows of a table as stacked bars, the most ambiguous on top.

    Parameters
    ----------
    distributions, label_names, item_names, caption : as in `DistributionDisplay`

    See Also
    --------
    DistributionDisplay : The first rows.

    Examples
    --------
    >>> from labeldist.plots import AmbiguityDisplay
    >>> D = [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]
    >>> AmbiguityDisplay.from_distributions(D, max_rows=2, item_names=["a dog", "a wolf", "a fox"]).item_names
    ['a wolf', 'a fox']
    """

    @staticmethod
    def _select_rows(D: Array, max_rows: int) -> NDArray[np.intp]:
        return np.argsort(-ambiguity(D), kind="stable")[:max_rows]


@dataclass(eq=False, repr=False)
class TernaryDisplay(DisplayOfRows):
    """Distributions over three labels: each corner is a single label, the centre is equal degrees.

    Parameters
    ----------
    distributions : ndarray of shape (n_rows, 3)
    label_names : list of str
    true : ndarray of shape (n_rows, 3) or None
        True distributions. A line connects each to its point.

    Attributes
    ----------
    points_ : list of PathCollection
        One per label: the rows in which it is the largest.

    See Also
    --------
    DistributionDisplay : Distributions over any number of labels.

    Examples
    --------
    >>> from labeldist.plots import TernaryDisplay
    >>> TernaryDisplay.from_distributions([[0.5, 0.3, 0.2]]).label_names
    ['label_0', 'label_1', 'label_2']
    """

    distributions: Array
    label_names: Sequence[str]
    true: Array | None = None

    def __post_init__(self) -> None:
        if len(self.label_names) != 3:
            raise ValueError(f"TernaryDisplay needs three labels, got {len(self.label_names)}.")

    @classmethod
    def from_distributions(cls, D: Any, *, label_names: Names = None, ax: Axes = None) -> Self:
        """Draw a table of distributions over three labels.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, 3)
        label_names : list of str, default=None
            By default the columns of the data frame, or numbers.
        ax : mpltern TernaryAxes, default=None

        Returns
        -------
        TernaryDisplay
        """
        table = read_rows(D, label_names)
        return cls(table.to_numpy(), list(table.columns)).plot(ax)

    @classmethod
    def from_predictions(cls, D_true: Any, D_pred: Any, *, label_names: Names = None, ax: Axes = None) -> Self:
        """Draw predicted distributions as points, each with a line to the true one.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, 3)
        label_names, ax : as in `from_distributions`

        Returns
        -------
        TernaryDisplay
        """
        true, predicted = read_pair(D_true, D_pred, label_names)
        return cls(predicted, list(true.columns), true.to_numpy()).plot(ax)

    def _add_axes(self, figure: Any) -> Axes:
        require("mpltern", shared.EXTRA)  # registers the projection
        return figure.add_subplot(projection="ternary")

    def _draw(self, ax: Axes) -> None:
        if not hasattr(ax, "set_tlabel"):
            raise TypeError('ax must be ternary axes: import mpltern; ax = plt.subplot(projection="ternary").')
        if self.true is not None:
            gaps = np.full_like(self.true, np.nan)
            lines = np.stack([self.distributions, self.true, gaps], axis=1).reshape(-1, 3)
            ax.plot(*lines.T, color=shared.GREY, linewidth=0.8, label="to the true distribution")
            ax.legend(loc="upper left", bbox_to_anchor=(-0.2, 1), frameon=False)
        largest = self.distributions.argmax(axis=1)
        self.points_ = []
        for k, side in enumerate("tlr"):
            rows, colour = self.distributions[largest == k], shared.OKABE_ITO[k]
            self.points_.append(ax.scatter(*rows.T, s=16, c=colour, alpha=0.5, linewidths=0))
            # Each scale has the colour of its label: a triangle does not show which scale belongs to which corner.
            write_label, axis = getattr(ax, f"set_{side}label"), getattr(ax, f"{side}axis")
            write_label(fill(shared.shorten(self.label_names[k]), 12), color=colour, fontweight="bold")
            axis.set_label_rotation_mode("horizontal")
            axis.set_tick_params(labelcolor=colour)
        ax.grid(color=shared.GREY, alpha=0.3)


@dataclass(eq=False, repr=False)
class PredictionDisplay(DisplayOfRows):
    """True and predicted distributions, as points or as pairs of stacked bars.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows, n_labels)
    label_names, item_names : list of str
    kind, caption : {"scatter", "bars"}, str
    intervals : tuple of two ndarray of shape (n_rows, n_labels), default=None
        Lower and upper bounds of the degrees.

    Attributes
    ----------
    divergences : ndarray of shape (n_rows,)
        Kullback-Leibler divergence of each row.
    points_, true_bars_, predicted_bars_ : list of PathCollection or BarContainer
        One per label. Beyond 15 labels the smallest are merged.
    interval_lines_ : list of LineCollection
        One per label, if there are intervals.

    See Also
    --------
    CalibrationDisplay : Mean true degrees by predicted degree.

    Examples
    --------
    >>> from labeldist.plots import PredictionDisplay
    >>> PredictionDisplay.from_predictions([[0.8, 0.2]], [[0.7, 0.3]], kind="bars").divergences.round(3)
    array([0.026])
    """

    true: Array
    predicted: Array
    label_names: Sequence[str]
    item_names: Sequence[str]
    kind: Kind = "scatter"
    caption: str = ""
    intervals: tuple[Array, Array] | None = None

    @property
    def divergences(self) -> Array:
        """Kullback-Leibler divergence of each row."""
        return MEASURES["kl_divergence"].rows(self.true, self.predicted)

    @classmethod
    def from_predictions(
        cls,
        D_true: Any,
        D_pred: Any,
        *,
        kind: Kind = "scatter",
        intervals: tuple[Any, Any] | None = None,
        max_rows: int | None = None,
        label_names: Names = None,
        item_names: Names = None,
        ax: Axes = None,
    ) -> Self:
        """Draw predicted distributions against the true ones, from the best predicted row to the worst.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. The columns of a data frame name the labels, its index the items.
        kind : {"scatter", "bars"}, default="scatter"
            One point per degree, or a pair of stacked bars per item.
        intervals : tuple of two array-like of shape (n_samples, n_labels), default=None
            Lower and upper bounds, such as those of `ConformalLearner.predict_interval`, as horizontal lines of the
            points. A line that crosses the diagonal covers the true degree.
        max_rows : int, default=None
            By default 1000 for points and 6 for bars, at equal steps from the smallest divergence to the largest.
        label_names, item_names : list of str, default=None
            By default the names in the data frames, or numbers.
        ax : matplotlib Axes, default=None

        Returns
        -------
        PredictionDisplay
        """
        check_option("kind", kind, get_args(Kind))
        max_rows = MAX_ROWS[kind] if max_rows is None else max_rows
        check_scalar(max_rows, "max_rows", int, min_val=1)
        true, predicted = read_pair(D_true, D_pred, label_names, item_names)
        n = len(predicted)
        ranking = np.argsort(MEASURES["kl_divergence"].rows(true.to_numpy(), predicted), kind="stable")
        chosen = ranking[np.linspace(0, n - 1, min(n, max_rows)).round().astype(np.intp)]
        shown, caption = true.iloc[chosen], f"{len(chosen):,} of {n:,} items"
        names = list(shown.columns), list(shown.index)
        if intervals is not None:
            for bound in intervals:
                check_rows(D_true=D_true, intervals=bound)
                check_label_names(bound, list(true.columns), "intervals")
            lower, upper = (np.broadcast_to(bound, true.shape) for bound in intervals)
            intervals = lower[chosen], upper[chosen]
        return cls(shown.to_numpy(), predicted[chosen], *names, kind, caption, intervals).plot(ax)

    def _cells(self) -> tuple[int, int]:
        return 0 if self.kind == "scatter" else 2 * len(self.true), 0

    def _draw(self, ax: Axes) -> None:
        tables = self.true, self.predicted, *(self.intervals or ())
        names, (true, predicted, *bounds) = shared.merge_small_labels(self.label_names, *tables)
        if self.kind == "bars":
            self._draw_bars(ax, names, true, predicted)
            return
        self.points_ = [
            ax.scatter(p, d, s=14, c=colour, marker=marker, alpha=0.5, linewidths=0, rasterized=True)
            for p, d, colour, marker in zip(predicted.T, true.T, shared.COLOURS, shared.MARKERS, strict=False)
        ]
        if bounds:
            self.interval_lines_ = [
                ax.hlines(d, low, high, color=colour, alpha=0.3, linewidth=1, rasterized=True)
                for d, low, high, colour in zip(true.T, bounds[0].T, bounds[1].T, shared.COLOURS, strict=False)
            ]
        shared.draw_diagonal(ax, float(max(table.max() for table in (true, predicted, *bounds))))
        ax.set(xlabel=f"predicted degree ({self.caption})", ylabel="true degree")
        shared.add_legend(ax, self.points_, names)

    def _draw_bars(self, ax: Axes, names: list[str], true: Array, predicted: Array) -> None:
        n = len(true)
        upper, lower = np.arange(n) - 0.2, np.arange(n) + 0.2
        self.true_bars_ = shared.stacked_bars(ax, upper, true, thickness=0.36)
        self.predicted_bars_ = shared.stacked_bars(ax, lower, predicted, thickness=0.36)
        texts = [f"KL {value:.3f}" for value in self.divergences]
        ax.bar_label(self.predicted_bars_[-1], texts, padding=4, fontsize="small", annotation_clip=False)
        ax.set(xlim=(0, 1), ylim=(n - 0.5, -0.5), xlabel=f"degree ({self.caption})")
        ticks = [text for name in self.item_names for text in (f"{shared.shorten(name, 20)}: true", "predicted")]
        ax.set_yticks(np.column_stack([upper, lower]).ravel(), ticks)
        shared.add_legend(ax, self.true_bars_, names, distance=5)


@dataclass(eq=False, repr=False)
class CalibrationDisplay(DisplayOfRows):
    """Mean true degree by predicted degree, over all labels, in bins of equal width.

    Above the diagonal predictions are too low, below it too high.

    Parameters
    ----------
    predicted_means, true_means, counts : ndarray of shape (n_bins,)
        Mean degrees and number of degrees of the bins that are not empty.
    edges : ndarray of shape (n_bins, 2)
    truth : str
        What the true degrees are called.

    Attributes
    ----------
    line_, count_bars_, ax_, figure_ : matplotlib Line2D, BarContainer, Axes and Figure

    See Also
    --------
    PredictionDisplay : True against predicted degrees.

    Examples
    --------
    >>> from labeldist.plots import CalibrationDisplay
    >>> D_true, D_pred = [[0.8, 0.2], [0.4, 0.6]], [[0.7, 0.3], [0.7, 0.3]]
    >>> CalibrationDisplay.from_predictions(D_true, D_pred, n_bins=2).true_means.round(3)
    array([0.4, 0.6])
    """

    predicted_means: Array
    true_means: Array
    counts: NDArray[np.int64]
    edges: Array
    truth: str = "true degree"

    @classmethod
    def from_predictions(
        cls, D_true: Any, D_pred: Any, *, n_bins: int = 10, truth: str = "true degree", ax: Axes = None
    ) -> Self:
        """Draw mean true degrees against predicted degrees.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
        n_bins : int, default=10
            Number of bins between the smallest and the largest predicted degree.
        truth : str, default="true degree"
            What the picture calls the true degrees, such as ``"recovered degree"`` or ``"share of votes"``.
        ax : matplotlib Axes, default=None

        Returns
        -------
        CalibrationDisplay
        """
        check_scalar(n_bins, "n_bins", int, min_val=1)
        true, predicted = read_pair(D_true, D_pred)
        d, p = true.to_numpy().ravel(), predicted.ravel()
        borders = np.linspace(p.min(), p.max(), n_bins + 1)
        bins = np.clip(np.searchsorted(borders, p, side="right") - 1, 0, n_bins - 1)
        filled, place, counts = np.unique(bins, return_inverse=True, return_counts=True)
        predicted_means, true_means = (np.bincount(place, values) / counts for values in (p, d))
        edges = np.column_stack([borders[filled], borders[filled + 1]])
        return cls(predicted_means, true_means, counts, edges, truth).plot(ax)

    def _draw(self, ax: Axes) -> None:
        shared.draw_diagonal(ax, float(max(self.true_means.max(), self.edges.max())))
        end = ax.get_ylim()[1]
        heights = 0.2 * end * self.counts / self.counts.max()
        widths = np.maximum(np.diff(self.edges)[:, 0], 0.01 * end)
        style = {"align": "edge", "color": shared.GREY, "alpha": 0.45, "edgecolor": "white"}
        self.count_bars_ = ax.bar(self.edges[:, 0], heights, widths, **style)
        ax.bar_label(self.count_bars_, [f"{count:,}" for count in self.counts], padding=2, fontsize=7, rotation=90)
        (self.line_,) = ax.plot(self.predicted_means, self.true_means, marker="o", color=shared.OKABE_ITO[1])
        ax.set(xlabel="predicted degree (bars: counts)", ylabel=f"mean {self.truth}")
