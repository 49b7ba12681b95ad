"""Predicted distributions beside the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.metrics import MEASURES
from labeldist.plots._bars import MAX_LABELS, Grouping, group_labels, stacked_bars
from labeldist.plots._canvas import (
    EXTRA,
    LARGEST,
    SIZE,
    draw_diagonal,
    hide_frame,
    legend_beside,
    opacity_of,
    width_with_legend,
    write_beside,
    write_ticks,
)
from labeldist.plots._reading import DisplayOfPairs, check_count, check_option, read_pair
from labeldist.plots._text import share_of, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["scatter", "bars"]
Rows = Literal["spread", "worst", "first"]
MEASURE = MEASURES["kl_divergence"]
MOST_POINTS = 1000


class PredictionDisplay(DisplayOfPairs):
    """True against predicted distributions, as points or as pairs of bars.

    Make one with `from_predictions` or `from_estimator`.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows, n_labels)
        The rows that are drawn.
    divergences : ndarray of shape (n_rows,)
        Kullback-Leibler divergence of each.
    label_names, item_names : list of str
    caption : str
        Which rows they are.

    Attributes
    ----------
    points_ : list of PathCollection
        One a label, for ``kind="scatter"``.
    true_bars_, predicted_bars_ : list of BarContainer
        One a label, for ``kind="bars"``.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import PredictionDisplay
    >>> X, D = make_artificial(300, random_state=0)
    >>> model = BDLDL().fit(X[:200], D[:200])
    >>> PredictionDisplay.from_estimator(model, X[200:], D[200:]).predicted.shape
    (100, 3)
    """

    names_items = True

    def __init__(
        self,
        true: Array,
        predicted: Array,
        *,
        divergences: Array,
        label_names: Sequence[str],
        item_names: Sequence[str],
        caption: str = "",
    ) -> None:
        self.true = true
        self.predicted = predicted
        self.divergences = divergences
        self.label_names = label_names
        self.item_names = item_names
        self.caption = caption

    @classmethod
    def from_predictions(
        cls,
        D_true: Any,
        D_pred: Any,
        *,
        kind: Kind = "scatter",
        rows: Rows = "spread",
        max_rows: int | None = None,
        max_labels: int = MAX_LABELS,
        label_names: Sequence[object] | None = None,
        item_names: Sequence[object] | None = None,
        ax: Axes | None = None,
    ) -> PredictionDisplay:
        """Draw predicted distributions against the true ones.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. A data frame's columns name the labels, its index the items.
        kind : {"scatter", "bars"}, default="scatter"
            A point a degree, whose distance from the diagonal is its error; or a pair of stacked bars an item.
        rows : {"spread", "worst", "first"}, default="spread"
            Which rows are drawn if there are more than `max_rows`: at equal steps from the best predicted to the
            worst, the worst predicted, or those that come first. Best is the smallest Kullback-Leibler divergence.
        max_rows : int, default=None
            None is 1000 for points and 6 for bars.
        max_labels : int, default=14
            As in `plot`.
        label_names, item_names : list of str, default=None
            None for the names in the data frames, or numbers.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        true, predicted = read_pair(D_true, D_pred, label_names=label_names, item_names=item_names)
        check_option("kind", kind, get_args(Kind))
        check_option("rows", rows, get_args(Rows))
        max_rows = (MOST_POINTS if kind == "scatter" else 6) if max_rows is None else max_rows
        check_count("max_rows", max_rows)
        divergences = MEASURE.rows(true.values, predicted)
        chosen = _choose(divergences, rows, max_rows)
        shown = true.take(chosen)
        display = cls(
            shown.values,
            predicted[chosen],
            divergences=divergences[chosen],
            label_names=shown.label_names,
            item_names=shown.item_names,
            caption=share_of(len(chosen), len(predicted), rows),
        )
        return display.plot(ax, kind=kind, max_labels=max_labels)

    def plot(
        self, ax: Axes | None = None, *, kind: Kind = "scatter", max_labels: int = MAX_LABELS
    ) -> PredictionDisplay:
        """Draw the points or the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        kind : {"scatter", "bars"}, default="scatter"
        max_labels : int, default=14
            If there are more labels, those with the largest mean true degree are shown, and the rest together as
            "other". At most 21. Beyond seven the colours come again with other markers or hatches.
        """
        check_option("kind", kind, get_args(Kind))
        parts = group_labels(self.true, self.label_names, max_labels)
        if kind == "scatter":
            self._draw_points(ax, parts)
        else:
            self._draw_pairs(ax, parts)
        return self

    def _draw_points(self, ax: Axes | None, parts: Grouping) -> None:
        ax = self._open(ax, (width_with_legend(SIZE[1], parts.names), SIZE[1]))
        true, predicted = parts.of(self.true), parts.of(self.predicted)
        opacity = opacity_of(true.size)
        self.points_ = [
            ax.scatter(p, d, s=14, c=style.colour, marker=style.marker, alpha=opacity, linewidths=0, rasterized=True)
            for p, d, style in zip(predicted.T, true.T, parts.styles, strict=True)
        ]
        draw_diagonal(ax, max(float(true.max()), float(predicted.max())))
        ax.set(xlabel=f"predicted degree ({self.caption})", ylabel="true degree")
        point = require("matplotlib.lines", EXTRA).Line2D  # in the legend, unlike in a crowd, points are opaque
        handles = [point([], [], linestyle="none", marker=style.marker, color=style.colour) for style in parts.styles]
        legend_beside(ax, handles, parts.names)

    def _draw_pairs(self, ax: Axes | None, parts: Grouping) -> None:
        n = len(self.true)
        ax = self._open(ax, (SIZE[0] + 1, min(1.4 + 0.62 * n, LARGEST)))
        upper, lower = ([i + shift for i in range(n)] for shift in (-0.2, 0.2))
        self.true_bars_, self.predicted_bars_ = (
            stacked_bars(ax, places, parts.of(values), parts.styles, horizontal=True, thickness=0.36)
            for places, values in ((upper, self.true), (lower, self.predicted))
        )
        ax.set(xlim=(0, 1), ylim=(n - 0.5, -0.5), xlabel=f"degree ({self.caption})")
        places = [place for pair in zip(upper, lower, strict=True) for place in pair]
        names = [text for name in self.item_names for text in (f"{shorten(name, 20)}: true", "predicted")]
        write_ticks(ax, "y", places, names)
        write_beside(ax, range(n), [f"{value:.3f}" for value in self.divergences], "KL")
        hide_frame(ax)
        legend_beside(ax, self.true_bars_, parts.names, distance=45)


def _choose(divergences: Array, rows: Rows, max_rows: int) -> NDArray[np.intp]:
    n = len(divergences)
    if rows == "first":
        return np.arange(min(n, max_rows))
    ranking = np.argsort(divergences, kind="stable")
    if rows == "worst":
        return ranking[::-1][:max_rows]
    return ranking[np.linspace(0, n - 1, min(n, max_rows)).round().astype(np.intp)]
