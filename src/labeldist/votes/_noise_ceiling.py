"""The skill that the true distributions reach when votes judge them."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln, psi, xlogy

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import check_rows
from labeldist.exceptions import LabelWarning, warn
from labeldist.metrics._measures import row_weights
from labeldist.metrics._skill import skill
from labeldist.votes._dirichlet import fit_dirichlet
from labeldist.votes._from_votes import VoteDistributions, check_vote_distributions, has_several_votes

MAX_STRENGTH = 1e6  # At this strength, items differ by 0.001, and the ceiling is 0 to two digits.
EXACT_VOTES = 300  # With more votes, the noise falls as 1/n to within 0.0001 of the ceiling.


def noise_ceiling(
    votes: VoteDistributions, n_votes: int | None = None, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return the expected skill of the true distributions when vote shares stand for the truth.

    The shares D of few votes differ from the true distributions θ by chance. So even a model that predicts θ has a
    skill 1 − KL(D, θ) / KL(D, mean) below 1. No model can be expected to exceed it. With the noise
    N = E KL(D, θ) and the differences between items V = E KL(θ, mean) it is V / (V + N). The expectations are over the
    posterior of θ given the votes, with a Dirichlet prior that is fitted to all votes by maximum likelihood.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns. Some items need two votes or more. Smoothing has no effect on the result.
    n_votes : int or None, default=None
        Number of votes per item that judge the model. None is each item's own number.
    sample_weight : array-like of shape (n_items,) or None, default=None
        Weights of the items in the skill, such as `votes.weights`. None weights them equally.

    Returns
    -------
    float
        The expected skill, between 0 (all items have the same distribution) and 1.

    See Also
    --------
    agreement : How much the annotators agree with each other.

    Examples
    --------
    >>> from labeldist.votes import from_votes, noise_ceiling
    >>> votes = from_votes([[3, 0, 0], [1, 2, 0], [0, 3, 0], [0, 1, 2], [2, 0, 1]])
    >>> round(noise_ceiling(votes), 2), round(noise_ceiling(votes, n_votes=20), 2)
    (0.6, 0.9)
    """
    check_vote_distributions(votes, "noise_ceiling")
    if n_votes is not None and (not isinstance(n_votes, Integral) or n_votes < 1):
        raise ValueError(f"n_votes must be a positive whole number or None; got {n_votes!r}.")
    if hasattr(sample_weight, "iloc"):
        items = require("pandas", "app").DataFrame(index=votes.items)
        check_rows(votes=items, sample_weight=sample_weight)
    if has_several_votes(votes):
        problem = "Annotators vote more than once on an item. The ceiling takes all votes as independent"
        warn(f"{problem}, and is too low if each annotator names several labels.", LabelWarning)
    own = votes.counts.sum(axis=1)
    judged = own > 0 if n_votes is None else np.full(len(own), True)
    n = own[judged] if n_votes is None else np.full(len(own), float(n_votes))
    weight = row_weights(sample_weight, judged)
    # The posterior of the distribution of item i is Dirichlet(a_i).
    a = votes.counts[judged] + fit_dirichlet(votes.counts, MAX_STRENGTH, "noise_ceiling")
    total = a.sum(axis=1, keepdims=True)
    negentropy = (a / total * (psi(a + 1) - psi(total + 1))).sum(axis=1)  # E Σ θ log θ
    mean = np.average(a / total, axis=0, weights=weight)
    exact = np.minimum(n, EXACT_VOTES)
    noise = np.average((_negentropy_of_shares(a, exact) - negentropy) * exact / n, weights=weight)
    differences = np.average(negentropy, weights=weight) - xlogy(mean, mean).sum()
    return skill(float(noise), float(noise + differences))


def _negentropy_of_shares(a: Array, n: Array) -> Array:
    """Return E Σ d log d of each row, where d are the shares of n_i votes on an item with the posterior Dirichlet(a_i).

    The number of votes for a label has a beta-binomial distribution.
    """
    result = np.zeros(a.shape)
    b = a.sum(axis=1, keepdims=True) - a
    for m in np.unique(n):
        cells = (n == m)[:, None] & (a > 0) & (b > 0)
        (x, y), inverse = np.unique([a[cells], b[cells]], axis=1, return_inverse=True)
        expected = np.zeros(x.shape)
        for v in range(1, int(m)):
            log_choose = gammaln(m + 1) - gammaln(v + 1) - gammaln(m - v + 1)
            probability = np.exp(log_choose + betaln(v + x, m - v + y) - betaln(x, y))
            expected += probability * (v / m * np.log(v / m))
        result[cells] = expected[inverse.ravel()]
    return result.sum(axis=1)
