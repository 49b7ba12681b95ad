"""Distributions as stacked bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array
from labeldist.plots._bars import MAX_LABELS, group_labels, most_ambiguous, stacked_bars
from labeldist.plots._canvas import LARGEST, SIZE, hide_frame, legend_beside, write_ticks
from labeldist.plots._reading import DisplayOfRows, check_count, check_option, read_rows
from labeldist.plots._text import share_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Literal["first", "ambiguous"]
Order = Literal["largest", "ambiguity", "given"]


FEWEST_PLACES = 4
"""Fewer bars than this do not become wider."""

MOST_APART = 100
"""More bars than this have no space between them: it would be thinner than a pixel."""


class DistributionDisplay(DisplayOfRows):
    """Label distributions as stacked bars: a bar a row, a part a label.

    Make one with `from_distributions` or `from_estimator`.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
        In the order of the bars.
    label_names, item_names : list of str
    caption : str
        What stands below the bars.

    Attributes
    ----------
    bars_ : list of BarContainer
        One a part, from the bottom up.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import DistributionDisplay
    >>> X, D = make_artificial(200, random_state=0)
    >>> display = DistributionDisplay.from_distributions(D, max_rows=20)
    >>> display.distributions.shape
    (20, 3)
    """

    def __init__(
        self, distributions: Array, *, label_names: Sequence[str], item_names: Sequence[str], caption: str = ""
    ) -> None:
        self.distributions = distributions
        self.label_names = label_names
        self.item_names = item_names
        self.caption = caption

    @classmethod
    def from_distributions(
        cls,
        D: Any,
        *,
        rows: Rows = "first",
        max_rows: int = 40,
        order: Order = "largest",
        max_labels: int = MAX_LABELS,
        label_names: Sequence[object] | None = None,
        item_names: Sequence[object] | None = None,
        ax: Axes | None = None,
    ) -> DistributionDisplay:
        """Draw the rows of a table of distributions.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. A data frame's columns name the labels, its index the items.
        rows : {"first", "ambiguous"}, default="first"
            Which rows are drawn if there are more than `max_rows`: those that come first, or the most ambiguous.
        max_rows : int, default=40
        order : {"largest", "ambiguity", "given"}, default="largest"
            How bars are put in order: by their largest label and then by its degree, so that like stands by like; from
            the most ambiguous to the least; or as in the table.
        max_labels : int, default=14
            As in `plot`.
        label_names, item_names : list of str, default=None
            None for the names in the data frame, or numbers.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        check_option("rows", rows, get_args(Rows))
        check_option("order", order, get_args(Order))
        check_count("max_rows", max_rows)
        table = read_rows(D, label_names=label_names, item_names=item_names)
        n = len(table.values)
        chosen = np.arange(n) if rows == "first" else np.sort(most_ambiguous(table.values)[:max_rows])
        chosen = chosen[:max_rows]
        shown = table.take(chosen[_ordered(table.values[chosen], order)])
        display = cls(
            shown.values,
            label_names=shown.label_names,
            item_names=shown.item_names,
            caption=share_of(len(chosen), n, rows),
        )
        return display.plot(ax, max_labels=max_labels)

    def plot(self, ax: Axes | None = None, *, max_labels: int = MAX_LABELS) -> DistributionDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        max_labels : int, default=14
            If there are more labels, those with the largest mean degree are shown, and the rest together as "other".
            At most 21. Beyond seven the colours come again with hatches.
        """
        parts = group_labels(self.distributions, self.label_names, max_labels)
        n = len(self.distributions)
        ax = self._open(ax, (min(max(SIZE[0], 2.5 + 0.16 * n), LARGEST), SIZE[1]))
        places = range(n)
        self.bars_ = stacked_bars(
            ax,
            places,
            parts.of(self.distributions),
            parts.styles,
            horizontal=False,
            thickness=0.85 if n <= MOST_APART else 1,
        )
        margin = max(0.6, (FEWEST_PLACES - n + 1) / 2)
        ax.set(xlim=(-margin, n - 1 + margin), ylim=(0, 1), xlabel=self.caption, ylabel="degree")
        write_ticks(ax, "x", places, self.item_names)
        hide_frame(ax)
        legend_beside(ax, self.bars_[::-1], parts.names[::-1])  # in the order of the parts, from above
        return self


def _ordered(values: Array, order: Order) -> NDArray[np.intp]:
    if order == "given":
        return np.arange(len(values))
    if order == "ambiguity":
        return most_ambiguous(values)
    return np.lexsort((-values.max(axis=1), values.argmax(axis=1)))
