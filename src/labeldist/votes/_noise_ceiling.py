"""The skill that the true distributions reach when votes judge them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import psi, xlogy

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist._validation import check_rows, interval_levels
from labeldist.exceptions import LabelWarning, warn
from labeldist.metrics._measures import row_weights
from labeldist.metrics._skill import relative_reduction
from labeldist.simplex import normalize
from labeldist.votes._item_population import counted_rows, fit_to_pairs
from labeldist.votes._vote_distributions import (
    VoteDistributions,
    check_vote_distributions,
    has_several_votes,
)

ONLY_LABEL = 1e-12  # Beta distributions need two positive parameters.
NODES = 7  # strengths that represent their posterior
LARGEST_TOTAL = 1e9  # of the parameters of a posterior
EXACT_VOTES = 300  # With more votes, the noise falls as 1/n to within 0.0001 of the ceiling.


def noise_ceiling(
    votes: VoteDistributions,
    n_votes: int | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    estimate: Any = None,
    coverage: float | None = None,
) -> Any:
    """Return the expected skill of a perfect model that is scored against vote shares.

    The shares D of few votes differ from the true distributions θ by chance. So even a model that
    predicts θ has a skill 1 − KL(D, θ) / KL(D, mean) below 1. No model can be expected to exceed
    it. With the noise N = E KL(D, θ) and the differences between items V = E KL(θ, mean) it is V /
    (V + N). The expectations are over the posterior of θ given the votes. Its prior is Dirichlet,
    as in ``from_votes(smoothing="auto")``, but with an uncertain strength: few votes on few items
    hardly show how different the items are.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns. Some items need two votes or more. Items without votes and
        smoothing have no effect on the result.
    n_votes : int or None, default=None
        Number of votes per item that judge the model. None is each item's own number.
    sample_weight : array-like of shape (n_items,) or None, default=None
        Weights of the items in the skill, such as `votes.weights`. None weights them equally. A
        Series whose index names the items in another order raises an error.
    estimate : VoteLE or None, default=None
        `VoteLE` that is fitted to the same votes. Its posterior replaces that of the Dirichlet
        prior, which fits worse if labels are correlated or features say much.
    coverage : float or None, default=None
        Posterior probability of an interval that is also returned.

    Returns
    -------
    ceiling : float
        The expected skill, between 0 (all items have the same distribution) and 1.
    interval : tuple of float
        Lower and upper bound of the skill. Only with `coverage`.

    See Also
    --------
    agreement : How much the annotators agree with each other.
    expected_error : The error of degrees from other numbers of votes.

    Examples
    --------
    >>> from labeldist.votes import from_votes, noise_ceiling
    >>> votes = from_votes([[3, 0, 0], [1, 2, 0], [0, 3, 0], [0, 1, 2], [2, 0, 1]])
    >>> round(noise_ceiling(votes), 2), round(noise_ceiling(votes, n_votes=20), 2)
    (0.42, 0.75)
    >>> ceiling, (lower, upper) = noise_ceiling(votes, coverage=0.9)
    >>> round(lower, 2), round(upper, 2)
    (0.04, 0.75)
    """
    check_independent_votes(votes, "noise_ceiling")
    check_rows(votes=votes, sample_weight=sample_weight)
    population = fit_to_pairs(votes.counts, "noise_ceiling")
    judged = votes.counts.any(axis=1)
    weight = row_weights(sample_weight, judged)
    weight = np.ones(np.count_nonzero(judged)) if weight is None else weight
    if estimate is not None:
        return _ceiling_of_estimate(estimate, votes, n_votes, weight, coverage)
    rows, times = counted_rows(votes.counts[judged], weight)
    n = _judging_votes(rows, n_votes)

    def skills(strengths: Array) -> list[float]:
        return [skill_of_truth(rows + s * population.mean, n, times) for s in strengths]

    ceiling = float(np.mean(skills(population.strength.nodes(NODES))))
    if coverage is None:
        return ceiling
    levels = interval_levels(coverage, "coverage")
    upper, lower = skills(population.strength.quantiles(levels))
    return ceiling, (lower, upper)


def _ceiling_of_estimate(
    estimate: Any, votes: VoteDistributions, n_votes: int | None, weight: Array, coverage: Any
) -> float:
    """Return the skill of the truth under the posterior of a `VoteLE`.

    The posterior of an item is taken as the Dirichlet distribution with the same means and the same
    sum of variances.
    """
    if coverage is not None:
        raise ValueError("coverage needs the Dirichlet prior: pass no estimate.")
    mean = estimate.label_distributions_
    if mean.shape != votes.counts.shape:
        raise ValueError(
            f"estimate has {mean.shape[0]} items and {mean.shape[1]} labels, but votes have "
            f"{votes.counts.shape[0]} and {votes.counts.shape[1]}."
        )
    judged = votes.counts.any(axis=1)
    mean = mean[judged]
    variance = (estimate.label_std_[judged] ** 2).sum(axis=1, keepdims=True)
    total = (mean * (1 - mean)).sum(axis=1, keepdims=True) / np.maximum(variance, EPSILON) - 1
    a = mean * np.clip(total, EPSILON, LARGEST_TOTAL)
    return skill_of_truth(a, _judging_votes(votes.counts[judged], n_votes), weight)


def _judging_votes(counts: Array, n_votes: int | None) -> Array:
    if n_votes is None:
        return counts.sum(axis=1)
    return np.full(len(counts), *check_n_votes(n_votes))


def check_n_votes(n_votes: ArrayLike) -> NDArray[np.int64]:
    """Return numbers of votes as an array; raise an error if they are not positive integers."""
    numbers = np.atleast_1d(n_votes)
    if numbers.dtype.kind not in "iu" or not (numbers > 0).all():
        raise ValueError(f"n_votes must be positive whole numbers; got {n_votes!r}.")
    return numbers.astype(np.int64)


def check_independent_votes(votes: VoteDistributions, function: str) -> None:
    """Raise an error if votes have not been read; warn if annotators have several on an item."""
    check_vote_distributions(votes, function)
    if has_several_votes(votes):
        warn(
            "Annotators vote more than once on an item. The ceiling takes all votes as "
            "independent, and is too low if each annotator names several labels.",
            LabelWarning,
        )


def skill_of_truth(a: Array, n: Array, weight: Array | None = None) -> float:
    """Return the skill of the true distributions when the shares of n_i votes judge them.

    The posterior of the distribution of item i is Dirichlet(a_i).
    """
    negentropy = expected_negentropy(a)
    mean = np.average(normalize(a), axis=0, weights=weight)
    exact = np.minimum(n, EXACT_VOTES)
    noise_by_item = (_negentropy_of_shares(a, exact) - negentropy) * exact / n
    noise = np.average(noise_by_item, weights=weight)
    differences = np.average(negentropy, weights=weight) - xlogy(mean, mean).sum()
    return relative_reduction(float(noise), float(noise + differences))


def expected_negentropy(a: Array) -> Array:
    """Return E Σ θ log θ of each row, where θ has the distribution Dirichlet(a_i)."""
    total = a.sum(axis=1, keepdims=True)
    return np.asarray((a / total * (psi(a + 1) - psi(total + 1))).sum(axis=1))


def _negentropy_of_shares(a: Array, n: Array) -> Array:
    """Return E Σ d log d of each row, where d are the shares of n_i votes on an item.

    The posterior of its distribution is Dirichlet(a_i). Each of its votes is for label k with
    probability θ_k, and d_k n is one plus the number of equal votes among the others.
    """
    result = np.empty(len(a))
    for m in np.unique(n):
        rows = n == m
        result[rows] = expected_log(a[rows], int(m) - 1, np.ones(a.shape[1])) - np.log(m)
    return result


def expected_log(a: Array, n: int, added: Array) -> Array:
    """Return E Σ θ_k log(v_k + added_k) of each row, where v are the counts of n votes.

    θ has the distribution Dirichlet(a_i), and the votes are drawn from it. E θ_k f(v_k) is E θ_k
    times the expectation of f under the beta-binomial distribution in which a_ik is larger by one.
    """
    from scipy.stats import betabinom  # slow to import

    total = a.sum(axis=1)
    v = np.arange(n + 1)[:, None]
    result = np.zeros(len(a))
    for k in np.flatnonzero(a.any(axis=0)):
        others = np.maximum(total - a[:, k], ONLY_LABEL)
        (x, y), inverse = np.unique([a[:, k], others], axis=1, return_inverse=True)
        expected = (betabinom.pmf(v, n, x + 1, y) * np.log(v + added[k])).sum(axis=0)
        result += a[:, k] / total * expected[inverse.ravel()]
    return result
