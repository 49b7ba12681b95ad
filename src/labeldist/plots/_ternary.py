"""Distributions over three labels as points of a triangle."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.plots._canvas import EXTRA, Display, opacity_of, shifted
from labeldist.plots._palette import GREY, OKABE_ITO
from labeldist.plots._reading import read_pair, read_predictions, read_rows, read_truth_and_predictions
from labeldist.plots._text import shorten

N_LABELS = 3
CORNER_WIDTH = 12
"""So many letters a line has room for at a corner."""


class TernaryDisplay(Display):
    """Distributions over three labels: a corner is one label alone, the middle is all three alike.

    Make one with `from_distributions`, `from_predictions` or `from_estimator`.

    Parameters
    ----------
    distributions : ndarray of shape (n_rows, 3)
    label_names : list of str
    true : ndarray of shape (n_rows, 3) or None
        Where the points should be: a line leads there from each.

    Attributes
    ----------
    points_ : list of PathCollection
        One a label: the rows in which it is the largest.
    ax_, figure_ : mpltern TernaryAxes and Figure

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import TernaryDisplay
    >>> X, D = make_artificial(200, random_state=0)
    >>> display = TernaryDisplay.from_distributions(D, label_names=["red", "green", "blue"])
    >>> display.ax_.get_tlabel()
    'red'
    """

    def __init__(self, distributions: Array, *, label_names: Sequence[str], true: Array | None = None) -> None:
        self.distributions = distributions
        self.label_names = label_names
        self.true = true

    @classmethod
    def from_distributions(
        cls, D: Any, *, label_names: Sequence[object] | None = None, ax: Any = None
    ) -> TernaryDisplay:
        """Draw a table of distributions over three labels.

        Parameters
        ----------
        D : array-like or data frame of shape (n_samples, 3)
            Rows that sum to one. A data frame's columns name the labels.
        label_names : list of str, default=None
            None for the names in the data frame, or numbers.
        ax : mpltern TernaryAxes, default=None
            Where to draw; None for a new figure.
        """
        table = read_rows(D, label_names=label_names)
        return cls(table.values, label_names=table.label_names).plot(ax)

    @classmethod
    def from_predictions(
        cls, D_true: Any, D_pred: Any, *, label_names: Sequence[object] | None = None, ax: Any = None
    ) -> TernaryDisplay:
        """Draw predicted distributions as points, each with a line to the true one.

        The parameters are those of `from_distributions`.
        """
        true, predicted = read_pair(D_true, D_pred, label_names=label_names)
        return cls(predicted, label_names=true.label_names, true=true.values).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        label_names: Sequence[object] | None = None,
        ax: Any = None,
    ) -> TernaryDisplay:
        """Draw what a fitted learner predicts for the rows of `X`, with lines to the true distributions `y`, if given.

        The other parameters are those of `from_distributions`.
        """
        if y is None:
            table = read_predictions(estimator, X, label_names=label_names)
            return cls(table.values, label_names=table.label_names).plot(ax)
        true, predicted = read_truth_and_predictions(estimator, X, y, label_names=label_names)
        return cls(predicted, label_names=true.label_names, true=true.values).plot(ax)

    def plot(self, ax: Any = None) -> TernaryDisplay:
        """Draw the points.

        Parameters
        ----------
        ax : mpltern TernaryAxes, default=None
            Where to draw: axes made with ``projection="ternary"`` after ``import mpltern``; None for a new figure.
        """
        n_labels = self.distributions.shape[1]
        if n_labels != N_LABELS:
            raise ValueError(
                f"A triangle shows three labels, and these distributions have {n_labels}. DistributionDisplay shows "
                "any number; or take three labels and divide by labeldist.simplex.normalize."
            )
        require("mpltern", EXTRA)  # makes the projection known
        if ax is not None and not hasattr(ax, "set_tlabel"):
            raise TypeError('ax must be ternary axes: import mpltern; ax = plt.subplot(projection="ternary").')
        ax = self._open(ax, projection="ternary")
        opacity = opacity_of(self.distributions.size)
        if self.true is not None:
            gaps = np.full_like(self.true, np.nan)
            lines = np.stack([self.distributions, self.true, gaps], axis=1).reshape(-1, N_LABELS)
            ax.plot(*lines.T, color=GREY, linewidth=0.8, zorder=1, label="to the true distribution")
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": shifted(ax, y=-32)}
            ax.legend(frameon=False, **below)
        largest = self.distributions.argmax(axis=1)
        self.points_ = []
        corners = ((ax.taxis, ax.set_tlabel), (ax.laxis, ax.set_llabel), (ax.raxis, ax.set_rlabel))
        for k, ((axis, write), name) in enumerate(zip(corners, self.label_names, strict=True)):
            rows, colour = self.distributions[largest == k], OKABE_ITO[k]
            self.points_.append(ax.scatter(*rows.T, s=16, c=colour, alpha=opacity, linewidths=0, zorder=2))
            # A reader finds a label's degrees by their colour: triangles do not say which scale is whose.
            write(fill(shorten(name), CORNER_WIDTH), color=colour, fontweight="bold", parse_math=False)
            axis.set_label_rotation_mode("horizontal")
            axis.set_tick_params(labelcolor=colour)
        ax.grid(color=GREY, alpha=0.3)
        return self
