"""Votes of annotators to label distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.exceptions import TableError
from labeldist.simplex import normalize
from labeldist.votes._annotators import Aggregator, true_label_probabilities
from labeldist.votes._ballots import Ballots, read_array, read_counts, read_long, read_wide

VOTES_COLUMN = "votes"
"""The column of `VoteDistributions.to_frame` with the number of votes."""

THREE_SHAPES = (
    "Say which columns hold the votes: item= and label= (and annotator=) for a row a vote, annotators=[...] for a "
    "column an annotator, labels=[...] for a column of counts a label."
)


@dataclass(frozen=True, eq=False)
class VoteDistributions:
    """Label distributions of items that were voted on.

    Attributes
    ----------
    distributions : ndarray of shape (n_items, n_labels)
    weights : ndarray of shape (n_items,)
        How many votes each item has; a `sample_weight` for a learner, to which ten votes then say more than two.
    items : list
        In the order in which the table has them; their numbers where no column names them.
    label_names : list of str
    item_name : str
        The name of the column of items, ``"item"`` where there is none.
    """

    distributions: Array
    weights: Array
    items: list[Any]
    label_names: list[str]
    item_name: str = "item"

    def to_frame(self) -> Any:
        """Return a pandas table: the items, a column of degrees a label, and ``votes``."""
        names = [self.item_name, *self.label_names, VOTES_COLUMN]
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise TableError(
                f"Two columns of the table would be called {repeated[0]!r}. Rename that label or that column of items."
            )
        pandas = require("pandas", "votes")
        degrees = dict(zip(self.label_names, self.distributions.T, strict=True))
        return pandas.DataFrame({self.item_name: self.items, **degrees, VOTES_COLUMN: self.weights.astype(np.int64)})


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
    aggregator: Aggregator | None = None,
) -> VoteDistributions:
    """Turn votes into label distributions: the degree of a label is its share of the item's votes.

    Parameters
    ----------
    votes : pandas, polars or pyarrow table, or array-like of shape (n_items, n_labels)
        A table in one of three shapes, or an array of counts. Tables need ``labeldist[votes]``.

        - long, a row a vote: name `item` and `label`, and `annotator` if it is known. A repeated vote (the same
          annotator, item and label) counts each time, with a warning;
        - wide, a row an item and a column an annotator: name the `annotators`. An empty cell is no vote;
        - counts, a row an item and a column a label: name the `labels`.
    item, annotator, label : str
        Columns of a long table. The other shapes may have an `item`; else their rows are numbered.
    annotators : sequence of str
        Columns of a wide table.
    labels : sequence of str
        Columns of a table of counts.
    label_names : sequence of str or None
        All labels there are, in the order they are to have: one that nobody votes for has degree 0, and a vote for
        another is an error. None is those that are voted for, sorted; of a table of counts its columns. The columns of
        an array have no names but these.
    smoothing : float
        How many votes s of the prior p every item gets beside its own: with v of n votes for a label its degree is
        (v + s·p) / (n + s). With few votes a share says little, and a degree of 0 says too much. The default, 0, is
        the plain share; an item without votes is then an error, and else it is given the prior, and the weight 0.
    prior : {"uniform", "overall"} or array-like of shape (n_labels,)
        What is thought of an item before the votes: every label alike, the shares of the labels in all votes, or
        degrees in the order of the labels, which are divided by their sum.
    aggregator : {"dawid_skene", "one_coin"} or None
        None counts votes. The others are models of crowd-kit, which hold that every item has *one true label*, that
        annotators err, and that disagreement is error: degrees are then how probable each label is to be the true one,
        mostly near 0 or 1. Where people may rightly differ, as about an emotion, that is not what is wanted.
        ``"dawid_skene"`` gives an annotator a matrix of how often each label is taken for each other [1]_,
        ``"one_coin"`` only a rate of being right. Not with `smoothing`; annotators must be known.

    Returns
    -------
    VoteDistributions

    References
    ----------
    .. [1] A. P. Dawid, A. M. Skene. Maximum likelihood estimation of observer error-rates using the EM algorithm.
       Journal of the Royal Statistical Society C 28(1), 20-28, 1979.

    Examples
    --------
    >>> from labeldist.votes import from_votes
    >>> found = from_votes([[3, 1], [0, 2]], label_names=["joy", "fear"])
    >>> found.distributions.tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    >>> found.weights.tolist()
    [4.0, 2.0]
    >>> from_votes([[3, 1], [0, 2]], smoothing=2).distributions[1].tolist()
    [0.25, 0.75]
    """
    _check_smoothing(smoothing, prior, aggregator)
    ballots = _read(votes, item, annotator, label, annotators, labels, label_names)
    weights = ballots.counts.sum(axis=1)
    if not weights.any():
        raise TableError("There is no vote in the table.")
    if not smoothing and not weights.all():
        empty = np.flatnonzero(weights == 0)
        raise TableError(
            f"{empty.size} item(s) have no vote, first data row {empty[0] + 1}, item {ballots.items[empty[0]]!r}. Drop "
            "them, or use smoothing, which gives them the prior and the weight 0."
        )
    if aggregator is None:
        degrees = normalize(ballots.counts + smoothing * _prior(prior, ballots.counts))
    else:
        degrees = true_label_probabilities(ballots, aggregator)
    return VoteDistributions(degrees, weights, ballots.items, ballots.label_names, "item" if item is None else item)


def _read(
    votes: Any,
    item: str | None,
    annotator: str | None,
    label: str | None,
    annotators: Sequence[str] | None,
    labels: Sequence[str] | None,
    label_names: Sequence[str] | None,
) -> Ballots:
    """Read votes in the shape that the named columns tell."""
    for what, columns in (("annotators", annotators), ("labels", labels)):
        if columns is not None and (isinstance(columns, str) or not len(columns)):
            raise ValueError(f"{what} must be a list of columns; got {columns!r}.")
    if isinstance(votes, np.ndarray | list | tuple):
        if any(name is not None for name in (item, annotator, label, annotators, labels)):
            raise ValueError("An array has no columns with names: leave them out, and name the labels in label_names.")
        return read_array(votes, label_names=label_names)
    match label, annotators, labels:
        case str(), None, None if item is not None:
            return read_long(votes, item=item, label=label, annotator=annotator, label_names=label_names)
        case None, columns, None if columns is not None and annotator is None:
            return read_wide(votes, annotators=columns, item=item, label_names=label_names)
        case None, None, columns if columns is not None and annotator is None:
            return read_counts(votes, labels=columns, item=item, label_names=label_names)
    raise ValueError(THREE_SHAPES)


def _check_smoothing(smoothing: Any, prior: Any, aggregator: str | None) -> None:
    if not isinstance(smoothing, Real) or not 0 <= float(smoothing) < inf:
        raise ValueError(f"smoothing must be a number of votes, 0 or more; got {smoothing!r}.")
    if smoothing and aggregator is not None:
        raise ValueError("smoothing adds votes of nobody, which an aggregator cannot judge: use one of the two.")
    if not smoothing and not (isinstance(prior, str) and prior == "uniform"):
        raise ValueError("A prior is of no effect without smoothing: say how many votes it is worth.")


def _prior(prior: str | ArrayLike, counts: Array) -> Array:
    n_labels = counts.shape[1]
    if isinstance(prior, str):
        if prior == "uniform":
            return np.full(n_labels, 1 / n_labels)
        if prior == "overall":
            return counts.sum(axis=0) / counts.sum()
        raise ValueError(f"prior must be 'uniform', 'overall' or degrees of the labels; got {prior!r}.")
    if np.shape(prior) != (n_labels,):
        raise ValueError(f"prior must have a degree for each of the {n_labels} labels; got {prior!r}.")
    return normalize(np.asarray(prior)[None], name="prior")[0]
