"""The items that people, or a model, agree on least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labeldist._typing import Array
from labeldist.plots._bars import MAX_LABELS, group_labels, most_ambiguous, stacked_bars
from labeldist.plots._canvas import LARGEST, SIZE, hide_frame, legend_beside, write_beside, write_ticks
from labeldist.plots._reading import DisplayOfRows, check_count, read_rows
from labeldist.plots._text import share_of
from labeldist.simplex import ambiguity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class AmbiguityDisplay(DisplayOfRows):
    """The most ambiguous items, the first on top: their distributions as bars, with names and ambiguities.

    Make one with `from_distributions` or `from_estimator`.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
    ambiguities : ndarray of shape (n_bars,)
        How many equal labels would be as hard to tell apart: 1 is one clear label. See `labeldist.simplex.ambiguity`.
    label_names, item_names : list of str
    caption : str
        What stands below the bars.

    Attributes
    ----------
    bars_ : list of BarContainer
        One a part, from left to right.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist.plots import AmbiguityDisplay
    >>> D = [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]
    >>> display = AmbiguityDisplay.from_distributions(D, k=2, item_names=["a dog", "a wolf", "a fox"])
    >>> display.item_names, display.ambiguities.round(2)
    (['a wolf', 'a fox'], array([2.  , 1.84]))
    """

    def __init__(
        self,
        distributions: Array,
        *,
        ambiguities: Array,
        label_names: Sequence[str],
        item_names: Sequence[str],
        caption: str = "",
    ) -> None:
        self.distributions = distributions
        self.ambiguities = ambiguities
        self.label_names = label_names
        self.item_names = item_names
        self.caption = caption

    @classmethod
    def from_distributions(
        cls,
        D: Any,
        *,
        k: int = 15,
        max_labels: int = MAX_LABELS,
        label_names: Sequence[object] | None = None,
        item_names: Sequence[object] | None = None,
        ax: Axes | None = None,
    ) -> AmbiguityDisplay:
        """Draw the most ambiguous rows.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, n_labels)
            Rows that sum to one. A data frame's columns name the labels, its index the items.
        k : int, default=15
            How many rows at most.
        max_labels : int, default=14
            As in `DistributionDisplay.plot`.
        label_names, item_names : list of str, default=None
            None for the names in the data frame, or numbers.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        check_count("k", k)
        table = read_rows(D, label_names=label_names, item_names=item_names)
        shown = table.take(most_ambiguous(table.values)[:k])
        display = cls(
            shown.values,
            ambiguities=ambiguity(shown.values),
            label_names=shown.label_names,
            item_names=shown.item_names,
            caption=share_of(len(shown.values), len(table.values), "ambiguous"),
        )
        return display.plot(ax, max_labels=max_labels)

    def plot(self, ax: Axes | None = None, *, max_labels: int = MAX_LABELS) -> AmbiguityDisplay:
        """Draw the bars; the parameters are those of `DistributionDisplay.plot`."""
        parts = group_labels(self.distributions, self.label_names, max_labels)
        n = len(self.distributions)
        ax = self._open(ax, (SIZE[0] + 1, min(max(2.4, 1.2 + 0.27 * n), LARGEST)))
        places = range(n)
        self.bars_ = stacked_bars(ax, places, parts.of(self.distributions), parts.styles, horizontal=True)
        ax.set(xlim=(0, 1), ylim=(n - 0.4, -0.6), xlabel=f"degree ({self.caption})")
        write_ticks(ax, "y", places, self.item_names)
        write_beside(ax, places, [f"{value:.2f}" for value in self.ambiguities], "ambiguity")
        hide_frame(ax)
        legend_beside(ax, self.bars_, parts.names, distance=45)
        return self
