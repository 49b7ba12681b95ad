"""Displays of label distributions: DistributionDisplay, AmbiguityDisplay and TernaryDisplay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_scalar

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.plots import _display as shared
from labeldist.plots._display import Axes
from labeldist.plots._reading import DisplayOfRows, Names, read_pair, read_rows
from labeldist.simplex import ambiguity


@dataclass(eq=False, repr=False)
class DistributionDisplay(DisplayOfRows):
    """The first rows of a table as stacked bars with their ambiguities, sorted by largest label and its degree.

    Create it with `from_distributions` or `from_estimator`.

    Parameters
    ----------
    distributions : ndarray of shape (n_bars, n_labels)
    label_names, item_names : list of str
    caption : str

    Attributes
    ----------
    ambiguities : ndarray of shape (n_bars,)
        Exponential of the entropy of each row: 1 for a single label, the number of labels for equal degrees.
    bars_ : list of BarContainer
        One per label. Beyond 15 labels the smallest are merged.
    ax_, figure_ : matplotlib Axes and Figure

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

    Create it with `from_distributions` or `from_estimator`.

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

    Create it with `from_distributions`, `from_predictions` or `from_estimator`.

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
    ax_, figure_ : mpltern TernaryAxes and Figure

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
            Rows that sum to one.
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
    def from_predictions(cls, D_true: Any, D_pred: Any, **options: Any) -> Self:
        """Draw predicted distributions as points, each with a line to the true one.

        Parameters
        ----------
        D_true, D_pred : array-like or data frame of shape (n_samples, 3)
            Rows that sum to one.
        **options
            The parameters `label_names` and `ax` of `from_distributions`.

        Returns
        -------
        TernaryDisplay
        """
        ax = options.pop("ax", None)
        true, predicted = read_pair(D_true, D_pred, **options)
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
