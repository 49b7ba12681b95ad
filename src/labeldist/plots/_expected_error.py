"""Display of the error to expect with each number of votes per item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from labeldist.plots._display import OKABE_ITO, Axes, Display
from labeldist.votes import ExpectedError, VoteDistributions, expected_error

NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)


@dataclass(eq=False, repr=False)
class ExpectedErrorDisplay(Display):
    """Expected error of degrees against the number of votes per item.

    Parameters
    ----------
    error : ExpectedError
        What `labeldist.votes.expected_error` returns.

    Attributes
    ----------
    lines_, ax_, figure_ : matplotlib Line2D, Axes and Figure
        What was drawn.

    See Also
    --------
    labeldist.votes.expected_error : Compute the errors.

    Examples
    --------
    >>> from labeldist.plots import ExpectedErrorDisplay
    >>> from labeldist.votes import from_votes
    >>> display = ExpectedErrorDisplay.from_votes(from_votes([[3, 0], [1, 2], [0, 3]]))
    >>> display.error.n_votes.tolist()
    [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]
    """

    error: ExpectedError

    @classmethod
    def from_votes(
        cls,
        votes: VoteDistributions,
        n_votes: Sequence[int] = NUMBERS,
        *,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the errors to expect with given numbers of votes per item.

        Parameters
        ----------
        votes : VoteDistributions
            What `labeldist.votes.from_votes` returns. Some items need two votes or more.
        n_votes : sequence of int
            Numbers of votes per item.
        ax : matplotlib Axes, default=None
            By default a new figure is made.

        Returns
        -------
        display
            The drawn display.
        """
        return cls(expected_error(votes, n_votes)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        ax.set_prop_cycle(color=OKABE_ITO)
        self.lines_ = ax.plot(
            self.error.n_votes,
            np.column_stack([self.error.counting, self.error.dirichlet]),
            marker="o",
            label=["counting, one vote added", "Dirichlet estimate"],
        )
        ax.set(xscale="log", xlabel="votes per item", ylabel="expected KL(truth, estimate)")
        ax.set_xticks(self.error.n_votes, self.error.n_votes)
        ax.minorticks_off()
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False)
