"""Agreement within and across groups of annotators, with a permutation test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.exceptions import TableError
from labeldist.votes._vote_distributions import VoteDistributions
from labeldist.votes._vote_tables import Codes


@dataclass(frozen=True, eq=False)
class GroupAgreement:
    """Agreement within and across groups of annotators.

    Parameters
    ----------
    names : list
        Names of the groups.
    n_annotators : ndarray of shape (n_groups,)
        Number of annotators of each group.
    within : ndarray of shape (n_groups,)
        Probability that two votes of the group on an item are equal, corrected for chance: 1 is
        perfect agreement, 0 is that of votes drawn at random. NaN without such votes.
    across : ndarray of shape (n_groups,)
        The same of a vote of the group and a vote of another group.
    p_value : ndarray of shape (n_groups,)
        One-sided: probability that `within` exceeds `across` by as much or more if the groups are
        assigned to the annotators at random. NaN if `within` or `across` is.

    See Also
    --------
    annotators : Create it from votes.

    Examples
    --------
    See `annotators`.
    """

    names: list[Any]
    n_annotators: Codes
    within: Array
    across: Array
    p_value: Array


def compare_groups(
    votes: VoteDistributions, codes: Codes, groups: Any, n_permutations: int, generator: Any
) -> GroupAgreement:
    """Return the agreement within and across groups, with a permutation test."""
    members = _read_groups(votes, codes, groups)
    in_group = members.any(axis=1).to_numpy()
    items, people, labels = codes.T
    n_items, n_labels = votes.counts.shape
    cells = (np.ones(len(codes)), (people, items * n_labels + labels))
    table = csr_array(cells, shape=(len(in_group), n_items * n_labels))[in_group]
    G = members.to_numpy(np.float64)[in_group]
    within, across = _within_and_across(table, G, n_labels)
    difference = within - across
    n_as_large = np.where(np.isnan(difference), np.nan, 1)
    n_valid = np.ones(len(within))
    for _ in range(n_permutations):
        one, other = _within_and_across(table, generator.permutation(G), n_labels)
        n_as_large += one - other >= difference
        n_valid += np.isfinite(one - other)
    return GroupAgreement(
        names=list(members.columns),
        n_annotators=G.sum(axis=0).astype(np.intp),
        within=within,
        across=across,
        p_value=n_as_large / n_valid,
    )


def _read_groups(votes: VoteDistributions, codes: Codes, groups: Any) -> Any:
    """Return a table with one row per annotator and one column per group, true for members."""
    pandas = require("pandas", "app")
    given = pandas.Series(groups, dtype=object)
    if not isinstance(groups, Mapping):
        if len(given) == len(codes):
            given.index = [votes.annotators[a] for a in codes[:, 1]]
        elif set(given.index) != set(votes.annotators):
            raise TableError(
                f"There are {len(given)} groups for {len(codes)} votes. Pass one group per vote, "
                "in a table with one row per vote, or a mapping from annotators to groups."
            )
    group_of: dict[Any, Any] = {}
    for name, group in given.dropna().items():
        known = group_of.setdefault(name, group)
        if known != group:
            problem = f"Annotator {name!r} has two groups, {known!r} and {group!r}"
            raise TableError(f"{problem}. Give each annotator one group.")
    members = pandas.get_dummies([group_of.get(name) for name in votes.annotators])
    if len(members.columns) < 2:
        names = list(members.columns)
        raise TableError(f"Two groups of annotators or more are needed; got {names}.")
    return members


def _within_and_across(table: Any, G: Array, n_labels: int) -> tuple[Array, Array]:
    """Return the agreement of each group within and with the others, corrected for chance.

    `table` and `G` have one row per annotator. The columns of `table` are the labels of each item,
    with 1 for a vote, and those of `G` are the groups, with 1 for a member.
    """
    counts = (table.T @ G).T.reshape(G.shape[1], -1, n_labels)
    others = counts.sum(axis=0) - counts
    n_votes = counts.sum(axis=(1, 2))
    return _kappa(counts, counts, n_votes), _kappa(counts, others, 0)


def _kappa(counts: Array, others: Array, n_itself: Any) -> Array:
    """Return the agreement of the votes in `counts` and in `others` beyond chance, by group.

    `n_itself` is the number of pairs of a vote with itself, which are left out.
    """

    def equal_share(counts: Array, others: Array) -> Array:
        n_equal = (counts * others).sum(axis=(1, 2)) - n_itself
        n_pairs = (counts.sum(axis=2) * others.sum(axis=2)).sum(axis=1) - n_itself
        return np.asarray(n_equal / n_pairs)

    with np.errstate(invalid="ignore", divide="ignore"):  # groups without pairs of votes
        observed = equal_share(counts, others)
        chance = equal_share(counts.sum(axis=1, keepdims=True), others.sum(axis=1, keepdims=True))
        return np.asarray((observed - chance) / (1 - chance))
