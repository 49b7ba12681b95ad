"""`from_votes`: label distributions from shares of votes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from labeldist._typing import Array
from labeldist.exceptions import Hint, TableError
from labeldist.simplex import normalize
from labeldist.votes._dawid_skene import dawid_skene
from labeldist.votes._item_population import fit_to_pairs
from labeldist.votes._vote_distributions import VoteDistributions, check_items_have_votes
from labeldist.votes._vote_tables import read_votes


def from_votes(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: str | Sequence[str] | None = None,
    counts: str | Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    separator: str | None = None,
    drop_copies: bool = False,
    smoothing: float | Literal["auto"] = 0.0,
    prior: str | ArrayLike = "uniform",
    aggregator: Literal["dawid_skene"] | None = None,
    allow_empty: bool = False,
) -> VoteDistributions:
    """Convert votes to label distributions.

    The degree of a label is its share of the item's votes.

    Parameters
    ----------
    votes : pandas, polars or pyarrow table, or array-like of shape (n_items, n_labels)
        An array of counts, or a table in one of three shapes (tables need ``labeldist[app]``):

        - long, one row per vote: name `item` and `label`, and `annotator` if known;
        - wide, one row per item, one column per annotator: name the `annotators`. An empty cell
          is not a vote;
        - counts, one row per item, one column per label: name the `counts`.

        The last two may have one column of objects instead, {annotator: vote} or {label: number of
        votes}, as Python or JSON.

        An annotator may name several labels for an item: in several rows of a long table, or in one
        cell, as a list (also written as JSON) or with a `separator`. Each named label counts as one
        vote. If cells of `annotator` hold several names, `label` must list one label per annotator.
        Spaces and accents are normalised, and 3, 3.0 and "3" are the same label, item or
        annotator.
    item, annotator, label : str
        Columns of a long table. The other shapes may have an `item`; otherwise their index names
        the items. If `label` is a column of objects, they are {annotator: vote} if a value is text,
        and {label: number of votes} otherwise, with a `LabelWarning`.
    annotators : str or sequence of str
        Columns of a wide table, or one column of objects {annotator: vote}.
    counts : str or sequence of str
        Columns of a table of counts, one per label, or one column of objects {label: number of
        votes} (in which null is 0) or lists of counts.
    label_names : sequence of str or None
        All labels, in the order of the result; other labels raise an error. None takes the columns
        of a table of counts, the categories of ordered categorical columns in their order, or else
        the labels that occur, sorted.
    separator : str or None, default=None
        Text between the labels, or annotators, of a cell, such as ``";"`` in ``joy;fear``. None
        takes a cell as one, and raises an error if most cells look like lists of votes, such as
        ``0,0,1``.
    drop_copies : bool, default=False
        Whether a vote of the same annotator on the same item for the same label is counted once. By
        default all are counted, with a `LabelWarning`.
    smoothing : float or "auto", default=0
        Number s of votes of the prior p added to each item: v of n votes are the degree (v + s·p) /
        (n + s). Items without votes get the prior and weight 0; if s = 0, see `allow_empty`.
        ``"auto"`` estimates both in the Dirichlet-multinomial model: p are the overall shares, with
        half a vote added for each label, and s is the posterior median with a weak prior. If the
        items do not differ more than by chance, s is large and all items get about the overall
        shares. It needs items with two votes. Do not smooth distributions that evaluate a model.
    prior : {"uniform", "overall"} or array-like of shape (n_labels,), default="uniform"
        Equal degrees, the shares of the labels in all votes, or given weights, in the order of the
        labels or as a pandas Series with the labels as its index.
    aggregator : {"dawid_skene"} or None, default=None
        None counts votes; ``"dawid_skene"`` returns the posteriors of `dawid_skene`, without
        `smoothing`.
    allow_empty : bool, default=False
        Whether items without votes are accepted without `smoothing`: they get equal degrees and
        weight 0. By default they raise an error.

    Returns
    -------
    VoteDistributions
        Distributions, numbers of votes and names.

    See Also
    --------
    dawid_skene : Posteriors together with the confusion matrices of the annotators.
    agreement : How much the annotators agree with each other.
    noise_ceiling : The skill that a model can reach at most with these votes.

    Examples
    --------
    >>> from labeldist.votes import from_votes
    >>> result = from_votes([[3, 1], [0, 2]], label_names=["joy", "fear"])
    >>> result.distributions.tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    >>> from_votes([[3, 1], [0, 2]], smoothing=2).distributions[1].tolist()
    [0.25, 0.75]
    >>> auto = from_votes([[3, 1], [0, 2], [4, 0], [1, 1]], smoothing="auto")
    >>> round(auto.smoothing, 2), auto.prior.round(2).tolist()
    (6.35, [0.62, 0.38])
    """
    _check_options(smoothing, prior, aggregator)
    table = read_votes(
        votes,
        item=item,
        annotator=annotator,
        label=label,
        annotators=annotators,
        counts=counts,
        label_names=label_names,
        separator=separator,
        drop_copies=drop_copies,
    )
    weights = table.counts.sum(axis=1)
    if not weights.any():
        raise TableError("The table has no votes.")
    if not (smoothing or allow_empty):
        check_items_have_votes(table, Hint.NO_VOTES)
    if smoothing == "auto":
        prior_votes = fit_to_pairs(table.counts, "smoothing='auto'").prior_votes
    else:
        prior_votes = smoothing * _prior(prior, table.counts, table.label_names)
    strength = float(prior_votes.sum())
    if aggregator is None:
        votes_and_prior = table.counts + prior_votes
        is_empty = ~votes_and_prior.any(axis=1)
        votes_and_prior[is_empty] = 1
        degrees = normalize(votes_and_prior)
    else:
        degrees = dawid_skene(table).distributions
    return VoteDistributions(
        distributions=degrees,
        weights=weights,
        item_name="item" if item is None else item,
        smoothing=strength,
        prior=prior_votes / strength if strength else None,
        indexed=item is None,
        **vars(table),
    )


def _check_options(smoothing: Any, prior: Any, aggregator: str | None) -> None:
    if aggregator not in (None, "dawid_skene"):
        raise ValueError(f"aggregator must be 'dawid_skene' or None; got {aggregator!r}.")
    if smoothing != "auto" and not 0 <= smoothing < inf:
        raise ValueError(f"smoothing must be a number of votes or 'auto'; got {smoothing!r}.")
    if smoothing and aggregator is not None:
        raise ValueError(f"smoothing={smoothing!r} and aggregator={aggregator!r} are exclusive.")
    is_default = isinstance(prior, str) and prior == "uniform"
    if smoothing in (0, "auto") and not is_default:
        raise ValueError("prior needs a number of votes as smoothing; 'auto' estimates it.")


def _prior(prior: Any, counts: Array, label_names: list[str]) -> Array:
    """Return the prior as a distribution over the labels."""
    n_labels = len(label_names)
    if isinstance(prior, str):
        shares = {"uniform": np.ones(n_labels), "overall": counts.sum(axis=0)}
        if prior not in shares:
            raise ValueError(f"prior must be one of {list(shares)} or an array; got {prior!r}.")
        return shares[prior] / shares[prior].sum()
    if hasattr(prior, "reindex"):  # a pandas Series
        prior = prior.rename(str).reindex(label_names)
    if np.shape(prior) != (n_labels,):
        raise ValueError(f"prior must have one weight for each of the {n_labels} labels.")
    return normalize(np.asanyarray(prior)[None], name="prior")[0]
