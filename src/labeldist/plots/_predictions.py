"""Displays of predictions and true distributions: PredictionDisplay and CalibrationDisplay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_scalar

from labeldist._typing import Array
from labeldist.metrics import MEASURES
from labeldist.plots import _display as shared
from labeldist.plots._display import Axes
from labeldist.plots._reading import DisplayOfRows, Names, check_option, read_pair

Kind = Literal["scatter", "bars"]
MAX_ROWS = {"scatter": 1000, "bars": 6}


@dataclass(eq=False, repr=False)
class PredictionDisplay(DisplayOfRows):
    """True and predicted distributions, as points or as pairs of stacked bars.

    Create it with `from_predictions` or `from_estimator`.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows, n_labels)
    label_names, item_names : list of str
    kind : {"scatter", "bars"}
    caption : str

    Attributes
    ----------
    divergences : ndarray of shape (n_rows,)
        Kullback-Leibler divergence of each row.
    points_, true_bars_, predicted_bars_ : list of PathCollection or BarContainer
        One per label. Beyond 15 labels the smallest are merged.
    ax_, figure_ : matplotlib Axes and Figure

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
        return cls(shown.to_numpy(), predicted[chosen], *names, kind, caption).plot(ax)

    def _cells(self) -> tuple[int, int]:
        return 0 if self.kind == "scatter" else 2 * len(self.true), 0

    def _draw(self, ax: Axes) -> None:
        names, tables = shared.merge_small_labels(self.label_names, self.true, self.predicted)
        if self.kind == "scatter":
            self._draw_points(ax, names, *tables)
        else:
            self._draw_bars(ax, names, *tables)

    def _draw_points(self, ax: Axes, names: list[str], true: Array, predicted: Array) -> None:
        self.points_ = [
            ax.scatter(p, d, s=14, c=colour, marker=marker, alpha=0.5, linewidths=0, rasterized=True)
            for p, d, colour, marker in zip(predicted.T, true.T, shared.COLOURS, shared.MARKERS, strict=False)
        ]
        shared.draw_diagonal(ax, float(max(true.max(), predicted.max())))
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

    Above the diagonal predictions are too low, below it too high. Create it with `from_predictions` or
    `from_estimator`.

    Parameters
    ----------
    predicted_means, true_means, counts : ndarray of shape (n_bins,)
        Mean degrees and number of degrees of the bins that are not empty.
    edges : ndarray of shape (n_bins, 2)

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

    @classmethod
    def from_predictions(cls, D_true: Any, D_pred: Any, *, n_bins: int = 10, ax: Axes = None) -> Self:
        """Draw mean true degrees against predicted degrees.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one.
        n_bins : int, default=10
            Number of bins between the smallest and the largest predicted degree.
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
        return cls(predicted_means, true_means, counts, edges).plot(ax)

    def _draw(self, ax: Axes) -> None:
        shared.draw_diagonal(ax, float(max(self.true_means.max(), self.edges.max())))
        end = ax.get_ylim()[1]
        heights = 0.2 * end * self.counts / self.counts.max()
        widths = np.maximum(np.diff(self.edges)[:, 0], 0.01 * end)
        style = {"align": "edge", "color": shared.GREY, "alpha": 0.45, "edgecolor": "white"}
        self.count_bars_ = ax.bar(self.edges[:, 0], heights, widths, **style)
        ax.bar_label(self.count_bars_, [f"{count:,}" for count in self.counts], padding=2, fontsize=7, rotation=90)
        (self.line_,) = ax.plot(self.predicted_means, self.true_means, marker="o", color=shared.OKABE_ITO[1])
        ax.set(xlabel="predicted degree (bars: counts)", ylabel="mean true degree")
