"""Agreement of annotators: Krippendorff's alpha and observed agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labeldist._typing import Array
from labeldist._validation import check_at_least, interval_levels, random_generator
from labeldist.votes._vote_distributions import (
    VoteDistributions,
    check_single_votes,
    check_vote_distributions,
    items_with_two_votes,
)

RESAMPLES_AT_ONCE = 100


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Result of `agreement`.

    Parameters
    ----------
    alpha : float
        Krippendorff's alpha: 1 is perfect agreement, 0 is the agreement of votes drawn at random.
    interval : tuple of float
        Bootstrap interval of alpha.
    level : {"nominal", "ordinal"}
        Whether the order of the labels counts.
    coverage : float
        Share of the resamples inside `interval`.
    observed : float
        Probability that two votes on an item by different annotators are for the same label,
        not corrected for chance.
    by_label : ndarray of shape (n_labels,)
        Probability that another vote on the item is for this label, given a vote for it, not
        corrected for chance. NaN without votes.
    by_annotator : ndarray of shape (n_annotators,) or None
        Probability that another vote on the item equals this annotator's. It is not corrected
        for chance: an annotator who always names the most frequent label can have a high value. NaN
        if all votes of the annotator are on items that nobody else voted on, None if the annotators
        are unknown.
    label_names, annotators : list
        Names for `by_label` and `by_annotator`.
    n_items, n_votes : int
        Number of items with at least two votes, and of votes on them. Other items are not used.

    See Also
    --------
    agreement : Create it from votes.

    Examples
    --------
    See `agreement`.
    """

    alpha: float
    interval: tuple[float, float]
    level: str
    coverage: float
    observed: float
    by_label: Array
    by_annotator: Array | None
    label_names: list[str]
    annotators: list[Any]
    n_items: int
    n_votes: int

    def __repr__(self) -> str:
        low, high = self.interval
        percent = 100 * self.coverage
        alpha = f"{self.level} alpha {self.alpha:.3f}"
        return f"Agreement({alpha}, {percent:g} % interval {low:.3f} to {high:.3f})"


def agreement(
    votes: VoteDistributions,
    *,
    level: Literal["nominal", "ordinal"] = "nominal",
    n_resamples: int = 1000,
    coverage: float = 0.95,
    random_state: Any = None,
) -> Agreement:
    """Compute Krippendorff's alpha with a bootstrap interval, and the observed agreement.

    Alpha is 1 − D_o/D_e: the observed disagreement of two votes on the same item, relative to that
    of two votes drawn from all votes [1]_. Items may have different numbers of votes; those with
    one vote are not used. The interval consists of quantiles over resamples of the items.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns. Counts are enough; agreement by annotator needs to know who
        voted.
    level : {"nominal", "ordinal"}, default="nominal"
        With ``"ordinal"``, the labels are in the order of `votes.label_names`, and neighbours
        disagree less.
    n_resamples : int, default=1000
        Number of resamples of the items.
    coverage : float, default=0.95
        Share of the resamples inside the interval.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples.

    Returns
    -------
    Agreement
        Alpha, its interval, and the observed agreement.

    See Also
    --------
    noise_ceiling : The skill that a model can reach at most with these votes.

    References
    ----------
    .. [1] K. Krippendorff. Computing Krippendorff's alpha-reliability. University of
       Pennsylvania, 2011.

    Examples
    --------
    >>> from labeldist.votes import agreement, from_votes
    >>> votes = from_votes([[3, 0], [2, 1], [0, 3], [0, 3]], label_names=["joy", "fear"])
    >>> result = agreement(votes, random_state=0)
    >>> round(result.alpha, 3), round(result.observed, 3)
    (0.686, 0.833)
    >>> result.by_label.round(2).tolist()
    [0.8, 0.86]
    """
    check_vote_distributions(votes, "agreement")
    check_level(level)
    check_single_votes(votes, "Agreement compares the votes of different annotators")
    check_at_least(1, n_resamples, "n_resamples")
    levels = interval_levels(coverage, "coverage")
    paired = items_with_two_votes(votes)
    counts = votes.counts[paired]
    n_items = len(counts)
    agreeing = _agreeing_pairs(counts).sum(axis=0)
    n_votes = counts.sum(axis=0)
    resampled = _resample(counts, level, n_resamples, random_generator(random_state))
    low, high = np.nanquantile(resampled, levels)
    with np.errstate(invalid="ignore"):  # 0/0 for labels without a second vote
        by_label = agreeing / n_votes
    return Agreement(
        alpha=float(_alpha(counts, np.ones((1, n_items)), level)[0]),
        interval=(float(low), float(high)),
        level=level,
        coverage=coverage,
        observed=float(agreeing.sum() / n_votes.sum()),
        by_label=by_label,
        by_annotator=_agreement_by_annotator(votes, paired),
        label_names=votes.label_names,
        annotators=votes.annotators,
        n_items=n_items,
        n_votes=int(n_votes.sum()),
    )


def check_level(level: Any) -> None:
    """Raise an error about another level than nominal and ordinal."""
    if level not in ("nominal", "ordinal"):
        raise ValueError(f"level must be 'nominal' or 'ordinal'; got {level!r}.")


def similarities_of_labels(votes: VoteDistributions, level: str) -> Array:
    """Return the agreement of a vote for each label with a vote for each other label.

    It is 1 for equal labels. With the level nominal it is 0 for all others. With ordinal it
    decreases with Krippendorff's distance, and is 0 for the two most distant labels that have
    votes.
    """
    if level == "nominal":
        return np.eye(len(votes.label_names))
    n_of_label = votes.counts[items_with_two_votes(votes)].sum(axis=0)
    ranks = _mean_ranks(n_of_label[None])[0]
    distances = np.subtract.outer(ranks, ranks) ** 2
    return np.asarray(1 - distances / np.ptp(ranks[n_of_label > 0]) ** 2)


def _agreeing_pairs(counts: Array) -> Array:
    """Return the number of other votes for the same label, divided by all others on the item."""
    pairs = counts * (counts - 1) / (counts.sum(axis=1, keepdims=True) - 1)
    return np.asarray(pairs)


def _resample(counts: Array, level: str, n_resamples: int, generator: Any) -> Array:
    """Return alpha of resamples of the items."""
    n_items = len(counts)
    alphas = []
    for start in range(0, n_resamples, RESAMPLES_AT_ONCE):
        size = min(RESAMPLES_AT_ONCE, n_resamples - start)
        drawn = [generator.randint(n_items, size=n_items) for _ in range(size)]
        times = [np.bincount(items, minlength=n_items) for items in drawn]
        alphas.append(_alpha(counts, np.array(times, dtype=np.float64), level))
    return np.concatenate(alphas)


def _agreement_by_annotator(votes: VoteDistributions, paired: Any) -> Array | None:
    """Return the probability that another vote on the item equals the vote of each annotator."""
    if votes.votes is None:
        return None
    items, people, labels = votes.votes[paired[votes.votes[:, 0]]].T
    equal = (votes.counts[items, labels] - 1) / (votes.counts[items].sum(axis=1) - 1)
    n_annotators = len(votes.annotators)
    n_votes = np.bincount(people, minlength=n_annotators)
    with np.errstate(invalid="ignore"):  # 0/0 for annotators without a second vote
        return np.bincount(people, equal, n_annotators) / n_votes


def _alpha(counts: Array, times: Array, level: str) -> Array:
    """Return alpha of samples of the items; NaN if all votes of a sample are for one label.

    Each row of `times` is a sample: how often it contains each item.
    """
    n_of_label = times @ counts
    n = n_of_label.sum(axis=1)
    if level == "nominal":
        observed = n - times @ _agreeing_pairs(counts).sum(axis=1)
        expected = n**2 - (n_of_label**2).sum(axis=1)
    else:
        ranks = _mean_ranks(n_of_label)
        observed = (times * _squared_differences(counts, ranks)).sum(axis=1)
        expected = 2 * n * (n_of_label * ranks**2).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - observed / expected * (n - 1))


def _mean_ranks(n_of_label: Array) -> Array:
    """Return the mean rank of the votes for each label, minus the mean rank of all votes."""
    n = n_of_label.sum(axis=1, keepdims=True)
    return np.asarray(n_of_label.cumsum(axis=1) - (n_of_label + n) / 2)


def _squared_differences(counts: Array, ranks: Array) -> Array:
    """Return the sum of squared differences of the ranks of two votes on each item.

    It is divided by the number of other votes on the item. Each row of `ranks` is a sample.
    """
    n = counts.sum(axis=1)
    squares = n * (ranks**2 @ counts.T) - (ranks @ counts.T) ** 2
    return np.asarray(2 * squares / (n - 1))
