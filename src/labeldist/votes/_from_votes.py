"""Label distributions from votes: shares of votes, and the Dawid-Skene model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.special import logsumexp

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.exceptions import LabelWarning, TableError, warn
from labeldist.simplex import normalize
from labeldist.votes._dirichlet import fit_dirichlet
from labeldist.votes._vote_tables import Codes, VoteTable, read_votes, repeated_rows

POSITIVE = 0.01  # Votes added to each entry of the pooled confusion matrix of Dawid-Skene, so that none is zero.
VOTES_COLUMN = "votes"  # The column of `VoteDistributions.to_frame` with the number of votes.


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
        One row per vote: the positions in `items`, `annotators` and `label_names`. None if the annotators are unknown.
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
        table = dict(zip(names, [self.items, *self.distributions.T, self.weights.astype(np.int64)], strict=True))
        return require("pandas", "app").DataFrame(table, index=self.items if self.indexed else None)


def from_votes(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: Sequence[str] | None = None,
    counts: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    separator: str | None = None,
    smoothing: float | Literal["auto"] = 0.0,
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
        - counts, one row per item, one column per label: name the `counts`.

        An annotator may name several labels for an item: in several rows of a long table, or in one cell, as a list
        (also written as JSON) or with a `separator`. Each named label counts as one vote. If cells of `annotator` hold
        several names, those of `label` hold one label of each. Spaces and accents are normalised, and numerals as
        labels are compared as numbers. A `LabelWarning` names spellings that are merged.
    item, annotator, label : str
        Columns of a long table. The other shapes may have an `item`; otherwise their index names the items.
    annotators : sequence of str
        Columns of a wide table.
    counts : sequence of str
        Columns of a table of counts, one per label, or one column of objects (in which null is 0) or lists of counts.
    label_names : sequence of str or None
        All labels, in the order of the result; other labels are an error. None takes the columns of a table of counts,
        the categories of ordered categorical columns in their order, or else the labels that occur, sorted.
    separator : str or None, default=None
        Text between the labels, or annotators, of a cell, such as ``";"`` in ``joy;fear``. None takes a cell as one.
    smoothing : float or "auto", default=0
        Number s of votes of the prior p added to each item: v of n votes are the degree (v + s·p) / (n + s). Items
        without votes get the prior and weight 0; without smoothing they are errors. ``"auto"`` takes the s and p with
        the largest marginal likelihood of the votes in the Dirichlet-multinomial model, and s at most the mean number
        of votes per item: few items may look alike by chance, and their own votes are still at least half of a
        degree. It needs items with two votes. Do not smooth distributions that evaluate a model.
    prior : {"uniform", "overall"} or array-like of shape (n_labels,), default="uniform"
        Equal degrees, the shares of the labels in all votes, or given weights, in the order of the labels or as a
        pandas Series with the labels as its index.
    aggregator : {"dawid_skene"} or None, default=None
        None counts votes; ``"dawid_skene"`` returns the posteriors of `dawid_skene`, without `smoothing`.

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
    (2.7, [0.61, 0.39])
    """
    _check_options(smoothing, prior, aggregator)
    columns = {"item": item, "annotator": annotator, "label": label, "annotators": annotators, "counts": counts}
    table = read_votes(votes, **columns, label_names=label_names, separator=separator)  # type: ignore[arg-type]
    weights = table.counts.sum(axis=1)
    if not weights.any():
        raise TableError("The table has no votes.")
    if not smoothing and not weights.all():
        empty = np.flatnonzero(weights == 0)
        first = f"data row {empty[0] + 1}, item {table.items[empty[0]]!r}"
        raise TableError(f"{empty.size} item(s) have no vote, first {first}. Drop them, or use smoothing.")
    added = np.zeros(table.counts.shape[1])
    if smoothing == "auto":
        added = fit_dirichlet(table.counts, weights.mean(), "smoothing='auto'")
    elif smoothing:
        added = smoothing * _prior(prior, table.counts, table.label_names)
    strength = float(added.sum())
    degrees = normalize(table.counts + added) if aggregator is None else fit_dawid_skene(table).distributions
    result = degrees, weights, table.items, table.label_names, table.counts, "item" if item is None else item
    smoothed = strength, added / strength if strength else None
    return VoteDistributions(*result, table.annotators, table.votes, *smoothed, item is None)


def _check_options(smoothing: Any, prior: Any, aggregator: str | None) -> None:
    if aggregator not in (None, "dawid_skene"):
        raise ValueError(f"aggregator must be 'dawid_skene' or None; got {aggregator!r}.")
    if smoothing != "auto" and (not isinstance(smoothing, Real) or not 0 <= float(smoothing) < inf):
        raise ValueError(f"smoothing must be a number of votes, 0 or more, or 'auto'; got {smoothing!r}.")
    if smoothing and aggregator is not None:
        raise ValueError(f"smoothing={smoothing!r} and aggregator={aggregator!r} cannot be combined: use one of them.")
    if smoothing in (0, "auto") and not (isinstance(prior, str) and prior == "uniform"):
        reason = "has no effect without smoothing" if not smoothing else "is estimated by smoothing='auto'"
        raise ValueError(f"prior {reason}: set smoothing to a number of votes.")


def _prior(prior: Any, counts: Array, label_names: list[str]) -> Array:
    n_labels = counts.shape[1]
    if isinstance(prior, str):
        if prior == "uniform":
            return np.full(n_labels, 1 / n_labels)
        if prior == "overall":
            return counts.sum(axis=0) / counts.sum()
        raise ValueError(f"prior must be 'uniform', 'overall' or one weight per label; got {prior!r}.")
    if hasattr(prior, "reindex"):  # a pandas Series
        prior = prior.rename(str)
        if sorted(prior.index) != sorted(label_names):
            raise ValueError(f"The index of prior must hold the labels, {label_names}; got {list(prior.index)}.")
        prior = prior[label_names]
    if np.shape(prior) != (n_labels,):
        raise ValueError(f"prior must have one weight for each of the {n_labels} labels; got {prior!r}.")
    return normalize(np.asanyarray(prior)[None], name="prior")[0]


def check_vote_distributions(votes: Any, function: str) -> None:
    """Raise an error if votes have not been read by `from_votes`."""
    if not isinstance(votes, VoteDistributions):
        raise TypeError(f"{function} needs the result of from_votes; got {type(votes).__name__}.")


def has_several_votes(table: VoteTable | VoteDistributions) -> bool:
    """Return whether the annotators are known, and one has several votes on an item."""
    return table.votes is not None and repeated_rows(table.votes[:, :2]).size > 0


def check_single_votes(table: VoteTable | VoteDistributions, reason: str) -> None:
    """Raise an error if an annotator has several votes on an item; `reason` says why that is wrong."""
    votes = table.votes
    assert votes is not None  # noqa: S101  # for mypy: the callers have checked it
    repeated = repeated_rows(votes[:, :2])
    if repeated.size:
        i, a, _ = votes[repeated[0]]
        found = f"{table.annotators[a]!r} votes more than once on item {table.items[i]!r} ({repeated.size} such votes)"
        raise TableError(f"{found}. {reason}. Keep at most one vote per annotator and item.")


@dataclass(frozen=True, eq=False, repr=False)
class DawidSkeneResult:
    """Result of `dawid_skene`.

    Parameters
    ----------
    distributions : ndarray of shape (n_items, n_labels)
        Posterior probability that each label is the true label of the item.
    confusion_matrices : ndarray of shape (n_annotators, n_labels, n_labels)
        Entry ``[a, j, k]`` is the probability that annotator a votes for label k if label j is true.
    class_priors : ndarray of shape (n_labels,)
        Probability of each label before any vote on the item.
    items, annotators, label_names : list
        Items and annotators are in the order of the table.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether `tol` was reached.
    log_likelihood : float
        Log-likelihood of the votes under `confusion_matrices` and `class_priors`.

    See Also
    --------
    dawid_skene : Create it from a table of votes.

    Examples
    --------
    See `dawid_skene`.
    """

    distributions: Array
    confusion_matrices: Array
    class_priors: Array
    items: list[Any]
    annotators: list[Any]
    label_names: list[str]
    n_iter: int
    converged: bool
    log_likelihood: float

    def __repr__(self) -> str:
        items, labels = self.distributions.shape
        return f"DawidSkeneResult({items} items, {len(self.annotators)} annotators, {labels} labels)"


def dawid_skene(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    smoothing: float = 5.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> DawidSkeneResult:
    """Estimate true labels and the error rates of annotators by the EM algorithm of Dawid and Skene.

    The model assumes that each item has exactly one true label and that annotators err independently of each other
    [1]_. Disagreement is treated as error, and most posteriors are close to 0 or 1: use `from_votes` where people may
    legitimately disagree. EM starts from the vote shares; an iteration costs O(n_votes · n_labels).

    Parameters
    ----------
    votes : VoteDistributions, or pandas, polars or pyarrow table
        What `from_votes` returns, or a table, long (one row per vote) or wide (one column per annotator). At most one
        vote per annotator and item: if an annotator names several labels, none of them is the true one alone.
    item, annotator, label : str
        Columns of a long table. A wide table may have an `item`.
    annotators : sequence of str
        Columns of a wide table.
    label_names : sequence of str or None
        All labels, in the order of the result. None takes the labels that occur, sorted, or ordered categories.
    smoothing : float, default=5.0
        Positive number of votes on each true label that are added to each annotator in every M step (a Dirichlet
        prior). They are distributed as the votes of all annotators together, so that an annotator with few votes is
        taken to err like the others.
    max_iter : int, default=1000
        A ``ConvergenceWarning`` is issued if it is reached.
    tol : float, default=1e-6
        Stop when no posterior probability changes by more than this.

    Returns
    -------
    DawidSkeneResult
        Posteriors, confusion matrices and priors.

    See Also
    --------
    from_votes : Distributions by counting votes.

    References
    ----------
    .. [1] A. P. Dawid, A. M. Skene. Maximum likelihood estimation of observer error-rates using the EM algorithm.
       Journal of the Royal Statistical Society C 28(1), 20-28, 1979.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist.votes import dawid_skene
    >>> votes = pd.DataFrame({"ann": list("aabbab"), "bob": list("aabbab"), "cem": list("ababab")})
    >>> result = dawid_skene(votes, annotators=["ann", "bob", "cem"])
    >>> result.distributions.round(2).tolist()
    [[1.0, 0.0], [0.97, 0.03], [0.03, 0.97], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> result.confusion_matrices[2].round(2).tolist()
    [[0.81, 0.19], [0.19, 0.81]]
    """
    columns = {"item": item, "annotator": annotator, "label": label, "annotators": annotators}
    options = {**columns, "label_names": label_names}
    if not isinstance(votes, VoteDistributions):
        votes = read_votes(votes, **options)  # type: ignore[arg-type]
    elif any(option is not None for option in options.values()):
        raise ValueError("from_votes has read these votes already: omit the names of columns and labels.")
    return fit_dawid_skene(votes, smoothing, max_iter, tol)


def fit_dawid_skene(
    table: VoteTable | VoteDistributions, smoothing: float = 5.0, max_iter: int = 1000, tol: float = 1e-6
) -> DawidSkeneResult:
    """Run the EM algorithm of `dawid_skene` on votes that have been read."""
    for name, value, kind in (("smoothing", smoothing, Real), ("max_iter", max_iter, Integral), ("tol", tol, Real)):
        if not isinstance(value, kind) or not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number; got {value!r}.")
    if table.votes is None:
        raise ValueError("Dawid-Skene needs to know who voted: name the column of the annotators.")
    votes, unvoted = table.votes, np.flatnonzero(~table.counts.any(axis=1))
    if unvoted.size:
        raise TableError(f"{unvoted.size} item(s) have no vote, first item {table.items[unvoted[0]]!r}. Drop them.")
    check_single_votes(table, "Dawid-Skene assumes one true label per item")
    n_items, n_labels = table.counts.shape
    typical = int(np.median(np.bincount(votes[:, 1])))
    if typical < n_labels:
        problem = f"Half of the annotators have {typical} votes or fewer, too few to estimate {n_labels} error rates"
        warn(f"{problem}. The shares of from_votes may be closer to the truth.", LabelWarning)
    # One column per annotator and given label: both steps of EM are products with this matrix.
    columns = votes[:, 1] * n_labels + votes[:, 2]
    shape = (n_items, len(table.annotators) * n_labels)
    cast = csr_array((np.ones(len(votes)), (votes[:, 0], columns)), shape=shape)
    posterior = table.counts / table.counts.sum(axis=1, keepdims=True)
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        priors = posterior.mean(axis=0)
        confusion = (cast.T @ posterior).reshape(-1, n_labels, n_labels)  # annotator, given, true label
        pooled = confusion.sum(axis=0) + POSITIVE
        confusion += smoothing * pooled / pooled.sum(axis=0)
        confusion /= confusion.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):  # a label without any vote has prior 0
            log_joint = np.log(priors) + cast @ np.log(confusion).reshape(-1, n_labels)
        log_evidence = logsumexp(log_joint, axis=1, keepdims=True)
        previous, posterior = posterior, np.exp(log_joint - log_evidence)
        converged = bool(np.abs(posterior - previous).max() <= tol)
    if not converged:
        from sklearn.exceptions import ConvergenceWarning

        warn(f"Dawid-Skene has not converged in {max_iter} iterations. Increase max_iter or tol.", ConvergenceWarning)
    posterior /= posterior.sum(axis=1, keepdims=True)
    names = table.items, table.annotators, table.label_names
    log_likelihood = float(log_evidence.sum())
    return DawidSkeneResult(posterior, confusion.transpose(0, 2, 1), priors, *names, n_iter, converged, log_likelihood)
