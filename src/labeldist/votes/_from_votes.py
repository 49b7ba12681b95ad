"""Label distributions from votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.exceptions import TableError
from labeldist.simplex import normalize
from labeldist.votes._dawid_skene import fit_dawid_skene
from labeldist.votes._vote_tables import read_votes

VOTES_COLUMN = "votes"  # The column of `VoteDistributions.to_frame` with the number of votes.
AGGREGATORS = ("dawid_skene",)


@dataclass(frozen=True, eq=False, repr=False)
class VoteDistributions:
    """Label distributions of items with votes.

    Parameters
    ----------
    distributions : ndarray of shape (n_items, n_labels)
        One distribution per item.
    weights : ndarray of shape (n_items,)
        Number of votes of each item, to be used as `sample_weight` of a learner.
    items, label_names : list
        Items are in the order of the table; row numbers if no column names them.
    item_name : str
        Name of the column of items, ``"item"`` if there is none.

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
    item_name: str = "item"

    def __repr__(self) -> str:
        items, labels = self.distributions.shape
        return f"VoteDistributions({items} items, {labels} labels, {self.weights.sum():.0f} votes)"

    def to_frame(self) -> Any:
        """Return a pandas table with one row per item.

        Returns
        -------
        DataFrame
            The column of items, one column of degrees per label, and ``votes``.
        """
        names = [self.item_name, *self.label_names, VOTES_COLUMN]
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise TableError(f"The table would have two columns {repeated[0]!r}. Rename the label or the item column.")
        degrees = dict(zip(self.label_names, self.distributions.T, strict=True))
        votes = self.weights.astype(np.int64)
        return require("pandas", "app").DataFrame({self.item_name: self.items, **degrees, VOTES_COLUMN: votes})


def from_votes(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    smoothing: float = 0.0,
    prior: str | ArrayLike = "uniform",
    aggregator: Literal["dawid_skene"] | None = None,
) -> VoteDistributions:
    """Convert votes to label distributions: the degree of a label is its share of the item's votes.

    Parameters
    ----------
    votes : pandas, polars or pyarrow table, or array-like of shape (n_items, n_labels)
        An array of counts, or a table in one of three shapes (tables need ``labeldist[app]``):

        - long, one row per vote: name `item` and `label`, and `annotator` if known. Repeated votes (same annotator,
          item and label) are all counted, with a `LabelWarning`;
        - wide, one row per item, one column per annotator: name the `annotators`. An empty cell is not a vote;
        - counts, one row per item, one column per label: name the `labels`.

        Spaces around names, zero-width characters and decomposed accents are normalised; labels that are numerals
        are compared as numbers. A `LabelWarning` names spellings that are merged.
    item, annotator, label : str
        Columns of a long table. The other shapes may have an `item`; otherwise their rows are numbered.
    annotators : sequence of str
        Columns of a wide table.
    labels : sequence of str
        Columns of a table of counts.
    label_names : sequence of str or None
        All labels, in the order of the result; other labels are an error. None takes the labels that occur, sorted,
        or the columns of a table of counts.
    smoothing : float, default=0
        Number of votes s added to each item, distributed as the prior p: with v of n votes the degree of a label is
        (v + s·p) / (n + s). An item without votes gets the prior and weight 0; without smoothing it is an error.
    prior : {"uniform", "overall"} or array-like of shape (n_labels,), default="uniform"
        Equal degrees, the shares of the labels in all votes, or given weights in the order of the labels.
    aggregator : {"dawid_skene"} or None, default=None
        None counts votes. ``"dawid_skene"`` returns the posteriors of `dawid_skene`. It needs annotators, and cannot be
        combined with `smoothing`.

    Returns
    -------
    VoteDistributions
        Distributions, numbers of votes and names.

    See Also
    --------
    dawid_skene : Posteriors together with the confusion matrices of the annotators.

    Examples
    --------
    >>> from labeldist.votes import from_votes
    >>> result = from_votes([[3, 1], [0, 2]], label_names=["joy", "fear"])
    >>> result.distributions.tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    >>> from_votes([[3, 1], [0, 2]], smoothing=2).distributions[1].tolist()
    [0.25, 0.75]
    """
    _check_options(smoothing, prior, aggregator)
    columns = {"item": item, "annotator": annotator, "label": label, "annotators": annotators, "labels": labels}
    table = read_votes(votes, **columns, label_names=label_names)  # type: ignore[arg-type]
    weights = table.counts.sum(axis=1)
    if not weights.any():
        raise TableError("The table has no votes.")
    if not smoothing and not weights.all():
        empty = np.flatnonzero(weights == 0)
        raise TableError(
            f"{empty.size} item(s) have no vote, first data row {empty[0] + 1}, item {table.items[empty[0]]!r}. Drop "
            "them, or use smoothing, which gives them the prior and weight 0."
        )
    if aggregator is None:
        degrees = normalize(table.counts + smoothing * _prior(prior, table.counts))
    else:
        degrees = fit_dawid_skene(table).distributions
    return VoteDistributions(degrees, weights, table.items, table.label_names, "item" if item is None else item)


def _check_options(smoothing: Any, prior: Any, aggregator: str | None) -> None:
    if aggregator not in (None, *AGGREGATORS):
        raise ValueError(f"aggregator must be {' or '.join(AGGREGATORS)}, or None; got {aggregator!r}.")
    if not isinstance(smoothing, Real) or not 0 <= float(smoothing) < inf:
        raise ValueError(f"smoothing must be a number of votes, 0 or more; got {smoothing!r}.")
    if smoothing and aggregator is not None:
        raise ValueError(f"smoothing={smoothing!r} and aggregator={aggregator!r} cannot be combined: use one of them.")
    if not smoothing and not (isinstance(prior, str) and prior == "uniform"):
        raise ValueError("prior has no effect without smoothing: set smoothing to a number of votes.")


def _prior(prior: str | ArrayLike, counts: Array) -> Array:
    n_labels = counts.shape[1]
    if isinstance(prior, str):
        if prior == "uniform":
            return np.full(n_labels, 1 / n_labels)
        if prior == "overall":
            return counts.sum(axis=0) / counts.sum()
        raise ValueError(f"prior must be 'uniform', 'overall' or one weight per label; got {prior!r}.")
    if np.shape(prior) != (n_labels,):
        raise ValueError(f"prior must have one weight for each of the {n_labels} labels; got {prior!r}.")
    return normalize(np.asarray(prior)[None], name="prior")[0]
