"""Displays of distributions and of predictions, alone or against true distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import check_columns, check_rows
from labeldist.metrics import MEASURES
from labeldist.plots._display import (
    COLOURS,
    EXTRA,
    GREY,
    MARKERS,
    OKABE_ITO,
    Axes,
    DisplayOfDistributions,
    DisplayOfPredictions,
    Names,
    add_legend,
    draw_diagonal,
    largest_first,
    merge_small_labels,
    name_ticks,
    read_pair,
    read_predictions,
    read_rows,
    shorten,
    shown_items,
    stacked_bars,
    write_beside_bars,
)
from labeldist.simplex import ambiguity

Kind = Literal["scatter", "bars"]
MAX_ROWS = {"scatter": 1000, "bars": 6}

_divergence_by_row = MEASURES["kl_divergence"].rows


@dataclass(eq=False, repr=False)
class DistributionDisplay(DisplayOfDistributions):
    """The first rows of a table as stacked bars with their ambiguities.

    The bars are sorted by the largest label of the row and its degree.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
        The distributions to draw, one per bar.
    label_names, item_names, caption : list of str, list of str, str
        Names of the labels and of the bars, and a text in the label of the x-axis.

    Attributes
    ----------
    ambiguities : ndarray of shape (n_bars,)
        Exponential of the entropy of each row: 1 for a single label, the number of labels for equal
        degrees.
    bars_ : list of BarContainer
        One per label. Beyond 15 labels the smallest are merged.

    See Also
    --------
    AmbiguityDisplay : The most ambiguous rows.

    Examples
    --------
    >>> from labeldist.plots import DistributionDisplay
    >>> D = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    >>> names = ["a wolf", "a fox", "a dog"]
    >>> DistributionDisplay.from_distributions(D, item_names=names).item_names
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
        cls,
        D: Any,
        *,
        max_rows: int = 15,
        label_names: Names = None,
        item_names: Names = None,
        ax: Axes = None,
    ) -> Self:
        """Draw rows of a table of distributions.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. The columns of a data frame name the labels, its index the items.
        max_rows : int, default=15
            Maximum number of bars.
        label_names, item_names : list of str, default=None
            By default the names in the data frame, or numbers.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        display
            The drawn display.
        """
        table = read_rows(D, label_names, item_names)
        shown = table.iloc[cls._select_rows(table.to_numpy(), max_rows)]
        caption = shown_items(len(shown), len(table))
        return cls(shown.to_numpy(), list(shown.columns), list(shown.index), caption).plot(ax)

    @staticmethod
    def _select_rows(D: Array, max_rows: int) -> NDArray[np.intp]:
        first = D[:max_rows]
        return np.lexsort((-first.max(axis=1), first.argmax(axis=1)))

    def _cells(self) -> tuple[int, int]:
        return len(self.distributions), 0

    def _draw(self, ax: Axes) -> None:
        names, (degrees,) = merge_small_labels(self.label_names, self.distributions)
        n = len(degrees)
        self.bars_ = stacked_bars(ax, range(n), degrees)
        write_beside_bars(ax, self.bars_[-1], [f"{value:.2f}" for value in self.ambiguities])
        ax.set_title("ambiguity", loc="right", fontsize="small")
        ax.set(xlim=(0, 1), ylim=(n - 0.4, -0.6), xlabel=f"degree ({self.caption})")
        name_ticks(ax.yaxis, self.item_names)
        add_legend(ax, self.bars_, names, distance=3.5)


class AmbiguityDisplay(DistributionDisplay):
    """The most ambiguous rows of a table as stacked bars, the most ambiguous on top.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
        The distributions to draw, one per bar.
    label_names, item_names, caption : list of str, list of str, str
        Names of the labels and of the bars, and a text in the label of the x-axis.

    See Also
    --------
    DistributionDisplay : The first rows.

    Examples
    --------
    >>> from labeldist.plots import AmbiguityDisplay
    >>> D = [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]
    >>> names = ["a dog", "a wolf", "a fox"]
    >>> AmbiguityDisplay.from_distributions(D, max_rows=2, item_names=names).item_names
    ['a wolf', 'a fox']
    """

    @staticmethod
    def _select_rows(D: Array, max_rows: int) -> NDArray[np.intp]:
        return largest_first(ambiguity(D))[:max_rows]


@dataclass(eq=False, repr=False)
class TernaryDisplay(DisplayOfPredictions):
    """Distributions over three labels: each corner is a single label, the centre is equal degrees.

    Parameters
    ----------
    distributions : ndarray of shape (n_rows, 3)
        The distributions to draw, one per point.
    label_names : list of str
        Names of the three labels.
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
        n_labels = len(self.label_names)
        if n_labels != 3:
            raise ValueError(f"TernaryDisplay needs three labels, got {n_labels}.")

    @classmethod
    def from_distributions(cls, D: Any, *, label_names: Names = None, ax: Axes = None) -> Self:
        """Draw a table of distributions over three labels.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, 3)
            Rows that sum to one. The columns of a data frame name the labels.
        label_names : list of str, default=None
            By default the columns of the data frame, or numbers.
        ax : mpltern TernaryAxes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        TernaryDisplay
            The drawn display.
        """
        table = read_rows(D, label_names)
        return cls(table.to_numpy(), list(table.columns)).plot(ax)

    @classmethod
    def from_predictions(
        cls, D_true: Any, D_pred: Any, *, label_names: Names = None, ax: Axes = None
    ) -> Self:
        """Draw predicted distributions as points, each with a line to the true one.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, 3)
            True and predicted distributions. Rows sum to one.
        label_names : list of str, default=None
            By default the columns of a data frame, or numbers.
        ax : mpltern TernaryAxes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        TernaryDisplay
            The drawn display.
        """
        true, predicted = read_pair(D_true, D_pred, label_names)
        return cls(predicted, list(true.columns), true.to_numpy()).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, **options: Any) -> Self:
        """Draw what a fitted estimator predicts for the rows of `X`.

        Parameters
        ----------
        estimator : fitted learner, or fitted enhancer with ``transform``
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like or data frame of shape (n_samples, 3), default=None
            True degrees. Each row is divided by its sum. A line connects each point to them.
        **options
            Parameters of `from_predictions` if there is `y`, else of `from_distributions`.

        Returns
        -------
        TernaryDisplay
        """
        if y is None:
            return cls.from_distributions(read_predictions(estimator, X), **options)
        return super().from_estimator(estimator, X, y, **options)

    def _add_axes(self, figure: Any) -> Axes:
        require("mpltern", EXTRA)  # registers the projection
        return figure.add_subplot(projection="ternary")

    def _draw(self, ax: Axes) -> None:
        if self.true is not None:
            self._draw_lines_to_truth(ax, self.true)
        largest = self.distributions.argmax(axis=1)
        self.points_ = []
        for k, axis in enumerate([ax.taxis, ax.laxis, ax.raxis]):
            colour = OKABE_ITO[k]
            rows = self.distributions[largest == k]
            points = ax.scatter(*rows.T, s=16, c=colour, alpha=0.5, linewidths=0)
            self.points_.append(points)
            # Label and scale have the same colour, which shows that they belong together.
            text = fill(shorten(self.label_names[k]), 12)
            axis.set_label_text(text, color=colour, fontweight="bold")
            axis.set_label_rotation_mode("horizontal")
            axis.set_tick_params(labelcolor=colour)
        ax.grid(color=GREY, alpha=0.3)

    def _draw_lines_to_truth(self, ax: Axes, true: Array) -> None:
        gaps = np.full_like(true, np.nan)
        ends = np.stack([self.distributions, true, gaps], axis=1).reshape(-1, 3)
        ax.plot(*ends.T, color=GREY, linewidth=0.8, label="to the true distribution")
        ax.legend(loc="upper left", bbox_to_anchor=(-0.2, 1), frameon=False)


@dataclass(eq=False, repr=False)
class PredictionDisplay(DisplayOfPredictions):
    """True and predicted distributions, as points or as pairs of stacked bars.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows, n_labels)
        True and predicted distributions.
    label_names, item_names : list of str
        Names of the labels and of the rows.
    kind, caption : {"scatter", "bars"}, str
        Whether to draw points or bars, and a text in the label of the x-axis.
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
    >>> display = PredictionDisplay.from_predictions([[0.8, 0.2]], [[0.7, 0.3]], kind="bars")
    >>> display.divergences.round(3)
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
        return _divergence_by_row(self.true, self.predicted)

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
        """Draw predicted distributions against the true ones, from the best predicted row down.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. The columns of a data frame name the labels, its index the items.
        kind : {"scatter", "bars"}, default="scatter"
            One point per degree, or a pair of stacked bars per item.
        intervals : tuple of two array-like of shape (n_samples, n_labels), default=None
            Lower and upper bounds, for instance from `ConformalLearner.predict_interval`, as
            horizontal lines of the points. A line that crosses the diagonal covers the true degree.
        max_rows : int, default=None
            By default 1000 for points and 6 for bars, at equal steps from the smallest divergence
            to the largest.
        label_names, item_names : list of str, default=None
            By default the names in the data frames, or numbers.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        PredictionDisplay
            The drawn display.
        """
        if kind not in MAX_ROWS:
            raise ValueError(f"kind must be 'scatter' or 'bars'; got {kind!r}.")
        if max_rows is None:
            max_rows = MAX_ROWS[kind]
        true, predicted = read_pair(D_true, D_pred, label_names, item_names)
        if intervals is not None:
            _check_intervals(D_true, D_pred, intervals)
        n = len(predicted)
        best_first = np.argsort(_divergence_by_row(true.to_numpy(), predicted), kind="stable")
        steps = np.linspace(0, n - 1, min(n, max_rows)).round()
        chosen = best_first[steps.astype(np.intp)]
        shown = true.iloc[chosen]
        if intervals is not None:
            lower, upper = map(np.asarray, intervals)
            intervals = (lower[chosen], upper[chosen])
        display = cls(
            shown.to_numpy(),
            predicted[chosen],
            list(shown.columns),
            list(shown.index),
            kind=kind,
            caption=shown_items(len(chosen), n),
            intervals=intervals,
        )
        return display.plot(ax)

    def _cells(self) -> tuple[int, int]:
        n_bars = 2 * len(self.true)
        return n_bars if self.kind == "bars" else 0, 0

    def _draw(self, ax: Axes) -> None:
        bounds = self.intervals or ()
        names, tables = merge_small_labels(self.label_names, self.true, self.predicted, *bounds)
        draw = self._draw_bars if self.kind == "bars" else self._draw_points
        draw(ax, names, *tables)

    def _draw_points(
        self, ax: Axes, names: list[str], true: Array, predicted: Array, *bounds: Array
    ) -> None:
        self.points_ = []
        self.interval_lines_ = []
        for k, d in enumerate(true.T):
            style = {"color": COLOURS[k], "rasterized": True}
            points = ax.scatter(
                predicted[:, k], d, s=14, marker=MARKERS[k], alpha=0.5, linewidths=0, **style
            )
            self.points_.append(points)
            if bounds:
                ends = [bound[:, k] for bound in bounds]
                lines = ax.hlines(d, *ends, alpha=0.3, linewidth=1, **style)
                self.interval_lines_.append(lines)
        draw_diagonal(ax, true, predicted, *bounds)
        ax.set(xlabel=f"predicted degree ({self.caption})", ylabel="true degree")
        add_legend(ax, self.points_, names)

    def _draw_bars(
        self, ax: Axes, names: list[str], true: Array, predicted: Array, *_: Array
    ) -> None:
        n = len(true)
        upper = np.arange(n) - 0.2
        lower = np.arange(n) + 0.2
        self.true_bars_ = stacked_bars(ax, upper, true, thickness=0.36)
        self.predicted_bars_ = stacked_bars(ax, lower, predicted, thickness=0.36)
        divergences = [f"KL {value:.3f}" for value in self.divergences]
        write_beside_bars(ax, self.predicted_bars_[-1], divergences)
        ax.set(xlim=(0, 1), ylim=(n - 0.5, -0.5), xlabel=f"degree ({self.caption})")
        ticks: list[str] = []
        for name in self.item_names:
            ticks += [f"{shorten(name, 20)}: true", "predicted"]
        ax.set_yticks(np.column_stack([upper, lower]).ravel(), ticks)
        add_legend(ax, self.true_bars_, names, distance=5)


@dataclass(eq=False, repr=False)
class CalibrationDisplay(DisplayOfPredictions):
    """Mean true degree by predicted degree, over all labels, in bins of equal count.

    Above the diagonal predictions are too low, below it too high. Vertical lines are 95 %
    intervals of the means.

    Parameters
    ----------
    predicted_means, true_means, counts : ndarray of shape (n_bins,)
        Mean degrees and number of degrees of each bin. Equal predictions are in one bin.
    margins : ndarray of shape (n_bins,)
        1.96 standard errors of the true means.
    edges : ndarray of shape (n_bins, 2)
        Lower and upper border of each bin.
    truth : str
        What the true degrees are called.

    Attributes
    ----------
    line_, interval_lines_, ax_, figure_ : matplotlib Line2D, LineCollection, Axes and Figure
        What was drawn.

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
    margins: Array
    edges: Array
    truth: str = "true degree"

    @classmethod
    def from_predictions(
        cls,
        D_true: Any,
        D_pred: Any,
        *,
        n_bins: int = 10,
        truth: str = "true degree",
        ax: Axes = None,
    ) -> Self:
        """Draw mean true degrees against predicted degrees.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            True and predicted distributions. Rows sum to one.
        n_bins : int, default=10
            Number of bins, each with about the same number of predicted degrees.
        truth : str, default="true degree"
            What the picture calls the true degrees, such as ``"recovered degree"`` or ``"share of
            votes"``.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        CalibrationDisplay
            The drawn display.
        """
        true, predicted = read_pair(D_true, D_pred)
        d = true.to_numpy().ravel()
        p = predicted.ravel()
        borders = np.quantile(p, np.linspace(0, 1, n_bins + 1))
        bins = np.searchsorted(borders[1:-1], p, side="right")
        groups = require("pandas", EXTRA).DataFrame({"p": p, "d": d}).groupby(bins)
        counts = groups.size()
        predicted_means, true_means = groups.mean().to_numpy().T
        margins = 1.96 * groups["d"].sem().fillna(0).to_numpy()
        edges = np.column_stack([borders[counts.index], borders[counts.index + 1]])
        return cls(predicted_means, true_means, counts.to_numpy(), margins, edges, truth).plot(ax)

    def _draw(self, ax: Axes) -> None:
        lower = self.true_means - self.margins
        upper = self.true_means + self.margins
        draw_diagonal(ax, upper, self.predicted_means)
        colour = OKABE_ITO[1]
        (self.line_,) = ax.plot(self.predicted_means, self.true_means, marker="o", color=colour)
        self.interval_lines_ = ax.vlines(self.predicted_means, lower, upper, color=colour)
        per_bin = f"{np.median(self.counts):,.0f} degrees per point"
        ax.set(xlabel=f"predicted degree ({per_bin})", ylabel=f"mean {self.truth}")


def _check_intervals(D_true: Any, D_pred: Any, intervals: tuple[Any, Any]) -> None:
    """Raise an error if bounds have other labels than the degrees, or rows in another order."""
    lower, upper = intervals
    tables = {"D_true": D_true, "D_pred": D_pred, "the lower bound": lower}
    check_rows(**tables, **{"the upper bound": upper})
    check_columns(**tables, **{"the upper bound": upper})
