"""Distributions of items with votes, and checks of votes that functions on them share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._text import counted
from labeldist._typing import Array
from labeldist.exceptions import Hint, TableError
from labeldist.votes._vote_tables import Codes, VoteTable, count_repeated

VOTES_COLUMN = "votes"
"""Name of the column with the number of votes of an item."""


@dataclass(frozen=True, eq=False, repr=False)
class VoteDistributions:
    """Label distributions of items with votes, and the votes.

    Parameters
    ----------
    distributions : ndarray of shape (n_items, n_labels)
        One distribution per item.
    weights : ndarray of shape (n_items,)
        Number of votes of each item, to be used as `sample_weight` of a learner.
    items, label_names : list
        Items are in the order of the table; its index, or row numbers, if no column names them.
    counts : ndarray of shape (n_items, n_labels)
        Number of votes for each label.
    item_name : str
        Name of the column of items, ``"item"`` if there is none.
    annotators : list
        Names of the annotators, empty if they are unknown.
    votes : ndarray of shape (n_votes, 3) or None
        One row per vote: the positions in `items`, `annotators` and `label_names`. None if the
        annotators are unknown.
    smoothing : float
        Number of votes of the prior that are part of each distribution.
    prior : ndarray of shape (n_labels,) or None
        The prior of the smoothing; None without smoothing.
    indexed : bool
        Whether the items are also the index of `to_frame`, because no column names them.

    See Also
    --------
    from_votes : Create it from a table of votes.

    Examples
    --------
    >>> from labeldist.votes import from_votes
    >>> from_votes([[3, 1], [0, 2]])
    VoteDistributions(2 items, 2 labels, 6 votes)
    """

    distributions: Array
    weights: Array
    items: list[Any]
    label_names: list[str]
    counts: Array
    item_name: str = "item"
    annotators: list[Any] = field(default_factory=list)
    votes: Codes | None = None
    smoothing: float = 0.0
    prior: Array | None = None
    indexed: bool = False

    def __repr__(self) -> str:
        n_items, n_labels = self.distributions.shape
        items = counted(n_items, "item")
        labels = counted(n_labels, "label")
        votes = counted(self.weights.sum(), "vote")
        return f"VoteDistributions({items}, {labels}, {votes})"

    def to_frame(self) -> Any:
        """Return a pandas table with one row per item.

        Returns
        -------
        DataFrame
            The column of items, one column of degrees per label, and ``votes``.
        """
        degrees = dict(zip(self.label_names, self.distributions.T, strict=True))
        columns = {self.item_name: self.items, **degrees}
        if len(columns) <= len(degrees) or VOTES_COLUMN in columns:
            names = f"The column of items, the labels and {VOTES_COLUMN!r}"
            raise TableError(f"{names} must have different names.")
        columns[VOTES_COLUMN] = self.weights.astype(np.int64)
        index = self.items if self.indexed else None
        return require("pandas", "app").DataFrame(columns, index=index)


def check_vote_distributions(votes: Any, function: str) -> None:
    """Raise an error if votes have not been read by `from_votes`."""
    if not isinstance(votes, VoteDistributions):
        raise TypeError(f"{function} needs the result of from_votes; got {type(votes).__name__}.")


def has_several_votes(votes: VoteTable | VoteDistributions) -> bool:
    """Return whether the annotators are known, and one has several votes on an item."""
    return votes.votes is not None and count_repeated(votes.votes[:, :2]) > 0


def check_items_have_votes(
    table: VoteTable | VoteDistributions, hint: str = "Drop these items."
) -> None:
    """Raise an error if an item has no votes."""
    empty = np.flatnonzero(~table.counts.any(axis=1))
    if empty.size:
        first = f"data row {empty[0] + 1}, item {table.items[empty[0]]!r}"
        problem = f"{empty.size} item(s) have no vote, first {first}."
        raise TableError(problem, hint=hint)


def check_single_votes(table: VoteTable | VoteDistributions, reason: str) -> None:
    """Raise an error for `reason` if a known annotator has several votes on an item."""
    if table.votes is not None and count_repeated(table.votes[:, :2]):
        problem = "Annotators vote more than once on an item"
        advice = "Keep at most one vote per annotator and item"
        hint = Hint.DROP_COPIES if count_repeated(table.votes) else ""
        raise TableError(f"{problem}. {reason}. {advice}.", hint=hint)


def items_with_two_votes(votes: VoteDistributions) -> NDArray[np.bool_]:
    """Return a mask of them; raise an error if they do not show how much the annotators agree."""
    paired = votes.counts.sum(axis=1) > 1
    if not paired.any():
        raise TableError("No item has two votes, so agreement is not defined.")
    if np.count_nonzero(votes.counts[paired].any(axis=0)) < 2:
        problem = "All votes on items with two or more votes are for the same label"
        raise TableError(f"{problem}, so agreement is not defined.")
    return paired
