"""`annotators`: agreement of each annotator with the others beyond chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri, softmax

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import interval_levels, random_generator
from labeldist.exceptions import TableError
from labeldist.votes._group_agreement import GroupAgreement, compare_groups
from labeldist.votes._vote_distributions import (
    VoteDistributions,
    check_single_votes,
    check_vote_distributions,
    items_with_two_votes,
)
from labeldist.votes._vote_tables import Codes

# Standard deviations of the agreement over annotators, with equal prior probabilities.
SPREADS = (np.arange(100)[:, None] + 0.5) / 100


@dataclass(frozen=True, eq=False, repr=False)
class Annotators:
    """Result of `annotators`.

    Parameters
    ----------
    annotators : list
        Names of the annotators.
    n_votes : ndarray of shape (n_annotators,)
        Number of votes of each annotator on items that others voted on. Other votes are not used.
    agreement : ndarray of shape (n_annotators,)
        Agreement with the others beyond chance, shrunken towards the mean.
    lower, upper : ndarray of shape (n_annotators,)
        Bounds of the intervals of the agreement.
    mean : float
        Mean agreement of the annotators.
    groups : GroupAgreement or None
        Agreement within and across groups, None without groups.

    See Also
    --------
    annotators : Create it from votes.

    Examples
    --------
    See `annotators`.
    """

    annotators: list[Any]
    n_votes: Codes
    agreement: Array
    lower: Array
    upper: Array
    mean: float
    groups: GroupAgreement | None

    def __repr__(self) -> str:
        return f"Annotators({len(self.annotators)} annotators, mean agreement {self.mean:.3f})"

    def to_frame(self) -> Any:
        """Return a pandas table with one row per annotator.

        Returns
        -------
        DataFrame
            The columns ``annotator``, ``votes``, ``agreement``, ``lower`` and ``upper``.
        """
        columns = {
            "annotator": self.annotators,
            "votes": self.n_votes,
            "agreement": self.agreement,
            "lower": self.lower,
            "upper": self.upper,
        }
        return require("pandas", "app").DataFrame(columns)


class _Comparison(NamedTuple):
    """Votes of each annotator compared with the other votes on the same items."""

    n_votes: Codes
    weight: Array  # votes times the probability that they differ by chance
    excess: Array  # weight times agreement: votes that are equal to another one, less by chance
    variance: float  # of the agreement of an annotator with weight 1
    common_variance: float  # of the errors that all annotators share, because they share items


def annotators(
    votes: VoteDistributions,
    groups: Any = None,
    *,
    confidence_level: float = 0.95,
    n_permutations: int = 1000,
    random_state: Any = None,
) -> Annotators:
    """Compute how much each annotator agrees with the others beyond chance.

    The agreement of an annotator is (o − e) / (1 − e) as in Cohen's kappa. o is the probability
    that another vote on the item equals that of the annotator. e is the probability that it equals
    the annotator's vote on another item, so an annotator who always votes for the same label has
    agreement 0. Few votes say little: the agreement is the posterior mean in a normal model of the
    annotators' agreement, in which the variance of an estimate falls with the number of votes. An
    annotator with few votes is close to the mean and has a wide interval.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns for votes of known annotators.
    groups : mapping or sequence or None, default=None
        Groups of the annotators, such as an age or a country: a mapping from annotators to groups,
        or a pandas Series with the annotators as its index, or a column of a long table, with one
        group per vote. An annotator has one group. Annotators without a group (None, NaN) are left
        out of the comparison of groups.
    confidence_level : float, default=0.95
        Probability of the intervals.
    n_permutations : int, default=1000
        Number of random assignments of the groups to the annotators.
    random_state : int, RandomState instance or None, default=None
        Seed of the assignments.

    Returns
    -------
    Annotators
        Agreement of each annotator, and of the groups.

    See Also
    --------
    agreement : Agreement of all annotators as one number.
    dawid_skene : Error rates of the annotators if each item has one true label.

    References
    ----------
    .. [1] K. Wong, P. Paritosh, L. Aroyo. Cross-replication reliability: an empirical approach to
       interpreting inter-rater reliability. ACL, 2021.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist.votes import annotators, from_votes
    >>> table = pd.DataFrame(
    ...     {
    ...         "ann": ["joy", "fear", "joy", "fear", "joy", "fear"],
    ...         "bob": ["joy", "fear", "joy", "joy", "joy", "fear"],
    ...         "cy": ["joy", "fear", "joy", "fear", "fear", "fear"],
    ...         "zero": ["joy"] * 6,
    ...     }
    ... )
    >>> votes = from_votes(table, annotators=list(table.columns))
    >>> result = annotators(votes, {"ann": "A", "bob": "A", "cy": "B", "zero": "B"}, random_state=0)
    >>> result.to_frame().round(2)
      annotator  votes  agreement  lower  upper
    0       ann      6       0.40   0.02   0.78
    1       bob      6       0.38  -0.00   0.76
    2        cy      6       0.35  -0.01   0.70
    3      zero      6       0.18  -0.24   0.61
    >>> result.groups.within.round(2).tolist()
    [0.69, -0.38]
    """
    check_vote_distributions(votes, "annotators")
    if votes.votes is None:
        raise TableError("The annotators are unknown: name them when the votes are read.")
    check_single_votes(votes, "Agreement compares the votes of different annotators")
    _, upper_level = interval_levels(confidence_level, "confidence_level")
    compared = _compare_with_others(votes, votes.votes)
    mean, agreement, variance = _shrink(compared)
    half = ndtri(upper_level) * np.sqrt(variance)
    found = None
    if groups is not None:
        generator = random_generator(random_state)
        found = compare_groups(votes, votes.votes, groups, n_permutations, generator)
    return Annotators(
        annotators=votes.annotators,
        n_votes=compared.n_votes,
        agreement=agreement,
        lower=np.maximum(agreement - half, -1),
        upper=np.minimum(agreement + half, 1),
        mean=mean,
        groups=found,
    )


def _compare_with_others(votes: VoteDistributions, codes: Codes) -> _Comparison:
    """Compare the votes of each annotator with the others on the same items."""
    paired = items_with_two_votes(votes)
    items, people, labels = codes[paired[codes[:, 0]]].T
    own = np.eye(len(votes.label_names))[labels]
    others = votes.counts[items] - own
    others /= others.sum(axis=1, keepdims=True)
    equal = (own * others).sum(axis=1)
    rows = np.arange(len(items))
    shape = (len(votes.annotators), len(items))
    of_annotator = csr_array((np.ones(len(items)), (people, rows)), shape=shape)
    n_votes = of_annotator.sum(axis=1)
    n_other_votes = np.maximum(n_votes - 1, 1)
    n_equal = of_annotator @ equal
    own_sum = of_annotator @ own
    others_sum = of_annotator @ others
    on_all_items = (own_sum * others_sum).sum(axis=1)
    by_chance = (on_all_items - n_equal) / n_other_votes  # on two different items
    several = n_votes > 1  # one vote shows nothing
    weight = several * (n_votes - by_chance)
    total = weight.sum()
    if not total > 0:
        problem = "The annotators have too few votes on the same items"
        raise TableError(f"{problem}, so their agreement is not defined.")
    excess = several * (n_equal - by_chance)
    # What each vote adds to excess − agreement · weight, if the agreement is that of all votes.
    expected = (others * own_sum[people] + own * others_sum[people]).sum(axis=1) / n_votes[people]
    added = equal - (1 - excess.sum() / total) * expected
    residual = added - (of_annotator @ added / np.maximum(n_votes, 1))[people]
    squares = residual**2
    shared = np.bincount(items, residual) ** 2
    return _Comparison(
        n_votes=n_votes.astype(np.intp),
        weight=weight,
        excess=excess,
        # One vote with variance 1 is added, so that full agreement on few items is not certain.
        variance=(squares @ (n_votes / n_other_votes)[people] + 1) / (total + 1),
        common_variance=max(0.0, shared.sum() - squares.sum()) / total**2,
    )


def _shrink(compared: _Comparison) -> tuple[float, Array, Array]:
    """Return the mean agreement, and the posterior mean and variance of each annotator's.

    The agreement of the annotators has a normal distribution with unknown mean and standard
    deviation. The posteriors given each of the `SPREADS` are averaged.
    """
    known = compared.weight > 0
    estimate = compared.excess[known] / compared.weight[known]
    noise = compared.variance / compared.weight[known]
    precision = 1 / (noise + SPREADS**2)
    variance_of_mean = 1 / precision.sum(axis=1, keepdims=True)
    mean = variance_of_mean * (precision * estimate).sum(axis=1, keepdims=True)
    misfit = precision * (estimate - mean) ** 2
    log_likelihood = (np.log(precision) - misfit).sum(axis=1) + np.log(variance_of_mean[:, 0])
    probability = softmax(log_likelihood / 2)
    prior_weight = compared.variance / SPREADS**2
    weight = compared.weight + prior_weight
    agreement = (compared.excess + prior_weight * mean) / weight
    variance = compared.variance / weight + (prior_weight / weight) ** 2 * variance_of_mean
    posterior_mean = probability @ agreement
    posterior_variance = probability @ (variance + (agreement - posterior_mean) ** 2)
    total_variance = posterior_variance + compared.common_variance
    return float(probability @ mean[:, 0]), posterior_mean, total_variance
