"""`annotators`: agreement of each annotator beyond what the others have on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from labeldist._extras import require
from labeldist._text import counted
from labeldist._typing import Array
from labeldist._validation import interval_levels, random_generator
from labeldist.exceptions import LabelWarning, TableError, warn
from labeldist.votes._agreement import check_level, similarities_of_labels
from labeldist.votes._group_agreement import GroupAgreement, compare_groups
from labeldist.votes._vote_distributions import (
    VoteDistributions,
    check_single_votes,
    check_vote_distributions,
    items_with_two_votes,
)
from labeldist.votes._vote_tables import Codes


@dataclass(frozen=True, eq=False, repr=False)
class Annotators:
    """Result of `annotators`.

    Parameters
    ----------
    annotators : list
        Names of the annotators.
    n_votes : ndarray of shape (n_annotators,)
        Number of votes of each annotator on items with three votes or more. Other votes are not
        used.
    agreement : ndarray of shape (n_annotators,)
        Agreement with the others beyond chance, minus the agreement of the others with each other
        on the same items. It is negative for an annotator who agrees less than the others do. NaN
        with fewer than two votes.
    lower, upper : ndarray of shape (n_annotators,)
        Bounds of the intervals of the agreement. An interval without 0 shows that the annotator
        differs from the others. 5 % of the 95 % intervals do not contain 0 if nobody differs.
    groups : GroupAgreement or None
        Agreement within and across groups, None without groups.
    level : {"nominal", "ordinal"}
        Whether the order of the labels counts.

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
    groups: GroupAgreement | None
    level: str

    def __repr__(self) -> str:
        n_below = int(np.count_nonzero(self.upper < 0))
        n_above = np.count_nonzero(self.lower > 0)
        intervals = f"{counted(n_below, 'interval')} below 0, {n_above} above"
        return f"Annotators({len(self.annotators)} annotators, {intervals})"

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
    agreement: Array  # beyond the agreement of the others; NaN with fewer than two votes
    permuted_variance: Array  # of the agreement, if the votes on each item are permuted
    observed_variance: Array  # of the agreement, from the differences between items


def annotators(
    votes: VoteDistributions,
    groups: Any = None,
    *,
    level: Literal["nominal", "ordinal"] = "nominal",
    coverage: float = 0.95,
    n_permutations: int = 1000,
    random_state: Any = None,
) -> Annotators:
    """Compare the agreement of each annotator with the others on the same items.

    The agreement of an annotator is (o − e) − (o' − e'). o is the probability that another vote on
    the item equals the annotator's. e is the probability that it equals the annotator's vote
    on another item, so o − e is 0 for an annotator who always votes for the same label. o' and e'
    are the same probabilities for pairs of the other votes. So the expected agreement is 0 for all
    annotators, on easy and on difficult items, if the votes on each item are permuted.

    Items with one or two votes are not used: o' needs two other votes. The interval inverts a
    normal test. Its variance at 0 is the variance of permuted votes; from there to the estimate it
    rises to the variance over the items if that is larger.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns for votes of known annotators.
    groups : mapping or sequence or None, default=None
        Groups of the annotators, such as an age or a country: a mapping from annotators to groups,
        or a pandas Series with the annotators as its index, or a column of a long table, with one
        group per vote. An annotator has one group. Annotators without a group (None, NaN) are left
        out of the comparison of groups.
    level : {"nominal", "ordinal"}, default="nominal"
        With ``"ordinal"``, the labels are in the order of `votes.label_names`, and neighbours
        disagree less: with the distance of labels that `agreement` uses, divided by the largest
        one, the probability of equal votes becomes the mean of 1 − distance.
    coverage : float, default=0.95
        Probability of the intervals.
    n_permutations : int, default=1000
        Number of random assignments of a group to the annotators. If there are at most so many
        different assignments, the test is exact: all are used.
    random_state : int, RandomState instance or None, default=None
        Seed of the assignments.

    Returns
    -------
    Annotators
        Agreement of each annotator beyond the others', and agreement of the groups.

    See Also
    --------
    agreement : Agreement of all annotators as one number, Krippendorff's alpha.
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
    0       ann      6       0.24  -0.18   0.66
    1       bob      6       0.16  -0.24   0.55
    2        cy      6       0.12  -0.33   0.57
    3      zero      6      -0.35  -0.73   0.04
    >>> result.groups.within.round(2).tolist()
    [0.69, -0.38]
    """
    check_vote_distributions(votes, "annotators")
    check_level(level)
    if votes.votes is None:
        raise TableError("The annotators are unknown: name them when the votes are read.")
    check_single_votes(votes, "Agreement compares the votes of different annotators")
    _, upper_level = interval_levels(coverage, "coverage")
    items_with_two_votes(votes)
    similarities = similarities_of_labels(votes, level)
    compared = _compare_with_others(votes, votes.votes, similarities)
    if np.isnan(compared.agreement).all():
        problem = "No annotator has votes on two items with three votes or more"
        effect = "Their agreement cannot be compared with the others, and is NaN"
        warn(f"{problem}. {effect}.", LabelWarning)
    lower, upper = _interval(compared, ndtri(upper_level))
    found = None
    if groups is not None:
        generator = random_generator(random_state)
        found = compare_groups(votes, votes.votes, groups, similarities, n_permutations, generator)
    return Annotators(
        annotators=votes.annotators,
        n_votes=compared.n_votes,
        agreement=compared.agreement,
        lower=lower,
        upper=upper,
        groups=found,
        level=level,
    )


def _compare_with_others(
    votes: VoteDistributions, codes: Codes, similarities: Array
) -> _Comparison:
    """Compare the votes of each annotator with the others on the same items."""
    n_annotators = len(votes.annotators)
    n_labels = len(votes.label_names)
    has_three_votes = votes.counts.sum(axis=1) > 2
    codes = codes[has_three_votes[codes[:, 0]]]
    n_votes = np.bincount(codes[:, 1], minlength=n_annotators)
    items, people, labels = codes[n_votes[codes[:, 1]] > 1].T
    rows = np.arange(len(items))
    shape = (n_annotators, len(items))
    of_annotator = csr_array((np.ones(len(items)), (people, rows)), shape=shape)
    n_on_other_items = n_votes[people, None] - 1

    def on_other_items(shares: Array) -> Array:
        """Return the mean shares on the annotator's other items."""
        return np.asarray(((of_annotator @ shares)[people] - shares) / n_on_other_items)

    counts = votes.counts[items]
    n = counts.sum(axis=1, keepdims=True)
    own = np.eye(n_labels)[labels]
    others = (counts - own) / (n - 1)
    gains = _gains(counts, on_other_items(others), similarities)
    gain = gains[rows, labels]
    permuted = (counts / n * gains**2).sum(axis=1)
    # The chance term contains each item twice: with the annotator's vote, and with the others'.
    beyond_others = on_other_items(own - others) @ similarities
    influence = gain - (beyond_others * others).sum(axis=1)
    average = (permuted.sum() + 1) / (len(permuted) + 1)
    with np.errstate(invalid="ignore", divide="ignore"):  # annotators without two votes
        several = np.where(n_votes > 1, n_votes, np.nan)
        deviation = influence - ((of_annotator @ influence) / several)[people]
        squares = of_annotator @ deviation**2
        return _Comparison(
            n_votes=n_votes,
            agreement=(of_annotator @ gain) / several,
            permuted_variance=(of_annotator @ permuted + average) / (several + 1) / several,
            # At least as for one vote that differs: full agreement on few items is not certain.
            observed_variance=np.fmax(squares, 1) / (several - 1) / several,
        )


def _gains(counts: Array, usual: Array, similarities: Array) -> Array:
    """Return (o − o') − (e − e') for each label that the annotator may vote for on an item.

    The others have the remaining votes in `counts`, so the mean over the votes in a row is 0.
    `usual` are the shares of the labels in the others' votes on other items.
    """
    n = counts.sum(axis=1, keepdims=True)
    with_others = counts @ similarities - 1  # of each vote, without itself
    of_pairs = (counts * with_others).sum(axis=1, keepdims=True)
    on_item = (n * with_others - of_pairs) / ((n - 1) * (n - 2))
    expected = usual @ similarities
    by_chance = (n * expected - (counts * expected).sum(axis=1, keepdims=True)) / (n - 1)
    return np.asarray(on_item - by_chance)


def _interval(compared: _Comparison, quantile: float) -> tuple[Array, Array]:
    """Return the bounds of the intervals: the values that a normal test does not reject.

    At 0 the variance of the test is the variance of permuted votes. It rises linearly to the
    observed variance at the estimate, unless that is smaller.
    """
    estimate = compared.agreement
    at_zero = compared.permuted_variance
    at_estimate = np.fmax(at_zero, compared.observed_variance)
    beyond = quantile * np.sqrt(at_estimate)
    # The bound on the side of 0 is (1 − t) · estimate for the positive root t of
    # (t · estimate)² = quantile² · ((1 − t) · at_estimate + t · at_zero), if t < 1.
    rise = quantile**2 * (at_estimate - at_zero)
    distance = np.abs(estimate)
    with np.errstate(divide="ignore", invalid="ignore"):  # the estimate is 0
        root = 2 * beyond**2 / (rise + np.sqrt(rise**2 + (2 * estimate * beyond) ** 2))
        inwards = np.where(root < 1, root * distance, quantile * np.sqrt(at_zero))
    is_positive = estimate > 0
    lower = estimate - np.where(is_positive, inwards, beyond)
    upper = estimate + np.where(is_positive, beyond, inwards)
    return lower, upper
