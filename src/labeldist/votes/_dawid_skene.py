"""The Dawid-Skene model of annotators with errors, fitted by the EM algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from labeldist._typing import Array
from labeldist.exceptions import LabelWarning, warn
from labeldist.votes._vote_distributions import (
    VoteDistributions,
    check_items_have_votes,
    check_single_votes,
)
from labeldist.votes._vote_tables import Codes, VoteTable, read_votes

# Votes added to each entry of the pooled confusion matrix, so that none is zero.
POSITIVE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class DawidSkeneResult:
    """Result of `dawid_skene`.

    Parameters
    ----------
    distributions : ndarray of shape (n_items, n_labels)
        Posterior probability that each label is the true label of the item.
    confusion_matrices : ndarray of shape (n_annotators, n_labels, n_labels)
        Entry ``[a, j, k]`` is the probability that annotator a votes for label k if label j is
        true.
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
        return (
            f"DawidSkeneResult({items} items, {len(self.annotators)} annotators, {labels} labels)"
        )


def dawid_skene(
    votes: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    annotators: str | Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    smoothing: float = 5.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> DawidSkeneResult:
    """Estimate true labels and the error rates of annotators by the model of Dawid and Skene.

    The model assumes that each item has exactly one true label and that annotators err
    independently of each other [1]_. Disagreement is treated as error, and most posteriors are
    close to 0 or 1: use `from_votes` where people may legitimately disagree. EM starts from the
    vote shares; an iteration costs O(n_votes · n_labels).

    Parameters
    ----------
    votes : VoteDistributions, or pandas, polars or pyarrow table
        What `from_votes` returns, or a table, long (one row per vote) or wide (one column per
        annotator). At most one vote per annotator and item: several labels of an annotator
        would contradict the single true label.
    item, annotator, label : str
        Columns of a long table. A wide table may have an `item`.
    annotators : str or sequence of str
        Columns of a wide table, or one column of objects {annotator: vote}.
    label_names : sequence of str or None
        All labels, in the order of the result. None takes the labels that occur, sorted, or ordered
        categories.
    smoothing : float, default=5.0
        Positive number of votes on each true label that are added to each annotator in every M step
        (a Dirichlet prior). They are distributed as the votes of all annotators together, so that
        an annotator with few votes is taken to err like the others.
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
    .. [1] A. P. Dawid, A. M. Skene. Maximum likelihood estimation of observer error-rates using the
       EM algorithm. Journal of the Royal Statistical Society C 28(1), 20-28, 1979.

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
    table = votes
    if not isinstance(votes, VoteTable | VoteDistributions):
        table = read_votes(
            votes,
            item=item,
            annotator=annotator,
            label=label,
            annotators=annotators,
            label_names=label_names,
        )
    for name, value in {"smoothing": smoothing, "max_iter": max_iter, "tol": tol}.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number; got {value!r}.")
    items, people, labels = _check_votes(table).T
    n_items, n_labels = table.counts.shape
    # One column per annotator and given label: both steps of EM are products with this matrix.
    shape = (n_items, len(table.annotators) * n_labels)
    cast = csr_array((np.ones(len(items)), (items, people * n_labels + labels)), shape=shape)
    posterior = table.counts / table.counts.sum(axis=1, keepdims=True)
    n_iter = 0
    converged = False
    while n_iter < max_iter and not converged:
        n_iter += 1
        priors = posterior.mean(axis=0)
        # The axes are annotator, given label and true label.
        confusion = (cast.T @ posterior).reshape(-1, n_labels, n_labels)
        pooled = confusion.sum(axis=0) + POSITIVE
        confusion += smoothing * pooled / pooled.sum(axis=0)
        confusion /= confusion.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):  # a label without any vote has prior 0
            log_joint = np.log(priors) + cast @ np.log(confusion).reshape(-1, n_labels)
        previous = posterior
        posterior, log_evidence = _normalized(log_joint)
        converged = bool(np.abs(posterior - previous).max() <= tol)
    if not converged:
        from sklearn.exceptions import ConvergenceWarning

        problem = f"Dawid-Skene has not converged in {max_iter} iterations"
        warn(f"{problem}. Increase max_iter or tol.", ConvergenceWarning)
    return DawidSkeneResult(
        distributions=posterior / posterior.sum(axis=1, keepdims=True),
        confusion_matrices=confusion.transpose(0, 2, 1),
        class_priors=priors,
        items=table.items,
        annotators=table.annotators,
        label_names=table.label_names,
        n_iter=n_iter,
        converged=converged,
        log_likelihood=float(log_evidence.sum()),
    )


def _normalized(log_joint: Array) -> tuple[Array, Array]:
    """Return the posterior of each item, and the log probability of its votes.

    Sums over few labels are fast if the labels come first in memory.
    """
    by_label = np.ascontiguousarray(log_joint.T)
    largest = by_label.max(axis=0)
    np.exp(by_label - largest, out=by_label)
    total = by_label.sum(axis=0)
    by_label /= total
    return np.ascontiguousarray(by_label.T), largest + np.log(total)


def _check_votes(table: VoteTable | VoteDistributions) -> Codes:
    """Return the votes; raise an error if the model cannot use them."""
    if table.votes is None:
        raise ValueError("Dawid-Skene needs to know who voted: name the column of the annotators.")
    check_items_have_votes(table)
    check_single_votes(table, "Dawid-Skene assumes one true label per item")
    typical = int(np.median(np.bincount(table.votes[:, 1])))
    n_labels = len(table.label_names)
    if typical < n_labels:
        problem = f"Half of the annotators have {typical} votes or fewer on {n_labels} labels"
        warn(f"{problem}, too few to estimate their errors. Consider from_votes.", LabelWarning)
    return table.votes
