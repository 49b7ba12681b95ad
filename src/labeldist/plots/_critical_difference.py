"""Display of average ranks and their critical difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labeldist.plots._display import Axes, Display, shorten


@dataclass(eq=False, repr=False)
class CriticalDifferenceDisplay(Display):
    """Average ranks on a line; bars join methods that do not differ significantly.

    Parameters
    ----------
    ranks : mapping of str to float
        Average ranks of the methods.
    difference : float
        The critical difference of average ranks.
    caption : str
        Text above the plot.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn.

    See Also
    --------
    labeldist.comparison.Comparison.plot : Draw the ranks of a comparison.

    References
    ----------
    J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> from labeldist.plots import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay({"A": 1.2, "B": 2.1, "C": 2.7}, 1.0).plot()
    >>> display.groups
    [(0, 1), (1, 2)]
    """

    ranks: Mapping[str, float]
    difference: float
    caption: str = ""

    @property
    def groups(self) -> list[tuple[int, int]]:
        """First and last places of maximal groups of methods that do not differ, best first."""
        ranks = sorted(self.ranks.values())
        found: list[tuple[int, int]] = []
        for first, rank in enumerate(ranks):
            last = np.searchsorted(ranks, rank + self.difference, side="right") - 1
            if last > first and (not found or last > found[-1][1]):
                found.append((first, int(last)))
        return found

    def _cells(self) -> tuple[int, int]:
        return len(self.ranks) + len(self.groups), 0

    def _draw(self, ax: Axes) -> None:
        names = sorted(self.ranks, key=lambda name: self.ranks[name])
        values = [self.ranks[name] for name in names]
        top = 0.6 * len(self.groups)
        for place, (first, last) in enumerate(self.groups):
            ends = values[first] - 0.03, values[last] + 0.03
            ax.hlines(-0.6 - 0.6 * place, *ends, color="black", linewidth=3)
        for place, (name, value) in enumerate(zip(names, values, strict=True)):
            height = -1 - top - place
            ax.vlines(value, height, 0, color="gray", linewidth=0.8)
            # To the left there are only lines of better ranks, which end above this name.
            text = f"{shorten(name)} {value:.2f}"
            offset = {"xytext": (-4, 0), "textcoords": "offset points"}
            ax.annotate(text, (value, height), ha="right", va="center", **offset)
        ax.set(xlim=(0.8, len(names) + 0.2), ylim=(-1.5 - top - len(names), 0))
        ax.set_xticks(range(1, len(names) + 1))
        ax.xaxis.tick_top()
        ax.yaxis.set_visible(False)
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        ax.set_title(f"{self.caption}\ncritical difference {self.difference:.2f}".strip())
