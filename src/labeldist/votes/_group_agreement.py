"""Agreement within and across groups of annotators, with a permutation test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from labeldist._extras import require
from labeldist._text import name_of
from labeldist._typing import Array
from labeldist._validation import check_at_least
from labeldist.exceptions import LabelWarning, TableError, warn
from labeldist.votes._vote_distributions import VoteDistributions
from labeldist.votes._vote_tables import Codes

MAX_NUMBERS = 12  # More groups that are numbers are measurements, such as ages.
CELLS_PER_CHUNK = 5_000_000  # of counts for permuted groups, which are computed at once


@dataclass(frozen=True, eq=False, repr=False)
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
        perfect agreement, 0 is the agreement of votes drawn at random. NaN without such votes. With
        the level ordinal, neighbouring labels agree in part.
    across : ndarray of shape (n_groups,)
        The same of a vote of the group and a vote of another group.
    p_value : ndarray of shape (n_groups,)
        One-sided: probability that `within` exceeds `across` by as much or more if the group is
        assigned to as many annotators at random. NaN if `within` or `across` is.
    smallest_p_value : ndarray of shape (n_groups,)
        The smallest possible `p_value`: one divided by the number of assignments. In a comparison
        of few annotators it is large, such as 1/20 for 3 of 6 annotators.

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
    smallest_p_value: Array

    def __repr__(self) -> str:
        return str(self.to_frame().to_string(index=False, float_format="{:.3f}".format))

    def to_frame(self) -> Any:
        """Return a pandas table with one row per group.

        Returns
        -------
        DataFrame
            The columns ``group``, ``annotators``, ``within``, ``across``, ``p`` and ``smallest_p``.
        """
        columns = {
            "group": self.names,
            "annotators": self.n_annotators,
            "within": self.within,
            "across": self.across,
            "p": self.p_value,
            "smallest_p": self.smallest_p_value,
        }
        return require("pandas", "app").DataFrame(columns)


def compare_groups(
    votes: VoteDistributions,
    codes: Codes,
    groups: Any,
    similarities: Array,
    n_permutations: int,
    generator: Any,
) -> GroupAgreement:
    """Return the agreement within and across groups, with a permutation test.

    `similarities` is the agreement of votes for two labels, with 1 for equal labels.
    """
    check_at_least(1, n_permutations, "n_permutations")
    members = _read_groups(votes, codes, groups)
    in_group = members.any(axis=1).to_numpy()
    items, people, labels = codes.T
    n_items, n_labels = votes.counts.shape
    cells = (np.ones(len(codes)), (people, items * n_labels + labels))
    table = csr_array(cells, shape=(len(in_group), n_items * n_labels))[in_group]
    G = members.to_numpy(np.float64)[in_group]
    tests = [
        _permutation_test(table, group, similarities, n_permutations, generator) for group in G.T
    ]
    p_value, smallest_p_value = np.transpose(tests)
    within, across = _within_and_across(table, G, similarities)
    return GroupAgreement(
        names=list(members.columns),
        n_annotators=G.sum(axis=0).astype(np.intp),
        within=within,
        across=across,
        p_value=p_value,
        smallest_p_value=smallest_p_value,
    )


def _permutation_test(
    table: Any, group: Array, similarities: Array, n_permutations: int, generator: Any
) -> tuple[float, float]:
    """Return the p-value of a group, and the smallest possible one."""
    observed = np.subtract(*_within_and_across(table, group[:, None], similarities))
    if np.isnan(observed):
        return np.nan, np.nan
    assignments = _assignments(group, n_permutations, generator)
    n_columns = max(1, CELLS_PER_CHUNK // table.shape[1])
    chunks = [
        assignments[:, start : start + n_columns]
        for start in range(0, assignments.shape[1], n_columns)
    ]
    differences = np.concatenate(
        [np.subtract(*_within_and_across(table, chunk, similarities)) for chunk in chunks]
    )
    valid = differences[np.isfinite(differences)]
    is_as_large = valid >= observed - 1e-12  # equal assignments differ by rounding
    return is_as_large.mean(), 1 / len(valid)


def _assignments(group: Array, n_permutations: int, generator: Any) -> Array:
    """Return columns that assign the group to as many annotators, the observed one among them.

    They are all different assignments if these are at most `n_permutations`, else random ones.
    """
    n_annotators = len(group)
    size = int(group.sum())
    if comb(n_annotators, size) > n_permutations:
        random = [generator.permutation(group) for _ in range(n_permutations)]
        return np.column_stack([group, *random])
    every = list(combinations(range(n_annotators), size))
    assignments = np.zeros((n_annotators, len(every)))
    assignments[np.transpose(every), np.arange(len(every))] = 1
    return assignments


def _read_groups(votes: VoteDistributions, codes: Codes, groups: Any) -> Any:
    """Return a table with one row per annotator and one column per group, true for members."""
    pandas = require("pandas", "app")
    given = pandas.Series(groups, dtype=object)
    if not isinstance(groups, Mapping):
        if len(given) == len(codes):
            given.index = [votes.annotators[a] for a in codes[:, 1]]
        elif set(given.index.map(name_of)) != set(map(name_of, votes.annotators)):
            raise TableError(
                f"There are {len(given)} groups for {len(codes)} votes. Pass one group per vote, "
                "in a table with one row per vote, or a mapping from annotators to groups."
            )
    group_of: dict[Any, Any] = {}
    for name, group in given.dropna().items():
        known = group_of.setdefault(name_of(name), group)
        if known != group:
            problem = f"Annotator {name!r} has two groups, {known!r} and {group!r}"
            raise TableError(f"{problem}. Give each annotator one group.")
    members = pandas.get_dummies([group_of.get(name_of(name)) for name in votes.annotators])
    if len(members.columns) < 2:
        names = list(members.columns)
        raise TableError(f"Two groups of annotators or more are needed; got {names}.")
    _check_sizes(members)
    return members


def _check_sizes(members: Any) -> None:
    """Raise an error about groups that are measurements; warn about groups of one annotator."""
    n_groups = len(members.columns)
    numbers = [float(name) for name in members.columns if _is_number(name)]
    if len(numbers) > MAX_NUMBERS:
        problem = f"The groups are {len(numbers)} numbers from {min(numbers):g} to {max(numbers):g}"
        advice = "Form a few groups of them, such as 18-30, 31-50 and 51+"
        raise TableError(f"{problem}. {advice}.")
    n_single = np.count_nonzero(members.sum() == 1)
    if 2 * n_single > n_groups:
        problem = f"{n_single} of {n_groups} groups have one annotator, so no agreement within"
        warn(f"{problem}. Form larger groups, or leave these empty.", LabelWarning)


def _is_number(name: Any) -> bool:
    try:
        return np.isfinite(float(name))
    except (TypeError, ValueError):
        return False


def _within_and_across(table: Any, G: Array, similarities: Array) -> tuple[Array, Array]:
    """Return the agreement of each group within and with others, corrected for chance.

    `table` and `G` have one row per annotator. The columns of `table` are the labels of each item,
    with 1 for a vote, and the columns of `G` are groups, with 1 for a member.
    """
    n_labels = len(similarities)
    counts = (table.T @ G).T.reshape(G.shape[1], -1, n_labels)
    others = table.sum(axis=0).reshape(-1, n_labels) - counts
    n_votes = counts.sum(axis=(1, 2))
    within = _kappa(counts, counts, n_votes, similarities)
    return within, _kappa(counts, others, 0, similarities)


def _kappa(counts: Array, others: Array, n_itself: Any, similarities: Array) -> Array:
    """Return the agreement of the votes in `counts` and in `others` beyond chance, by group.

    `n_itself` is the number of pairs of a vote with itself, which are left out.
    """

    def mean_agreement(counts: Array, others: Array) -> Array:
        agreeing = (counts @ similarities * others).sum(axis=(1, 2)) - n_itself
        n_pairs = (counts.sum(axis=2) * others.sum(axis=2)).sum(axis=1) - n_itself
        return np.asarray(agreeing / n_pairs)

    with np.errstate(invalid="ignore", divide="ignore"):  # groups without pairs of votes
        observed = mean_agreement(counts, others)
        total, total_of_others = (n.sum(axis=1, keepdims=True) for n in (counts, others))
        chance = mean_agreement(total, total_of_others)
        return np.asarray((observed - chance) / (1 - chance))
