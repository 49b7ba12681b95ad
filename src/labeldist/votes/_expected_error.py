"""`expected_error`: the error of degrees from a number of votes per item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from labeldist._typing import Array
from labeldist.votes._dirichlet import DirichletMultinomial, fit_dirichlet
from labeldist.votes._noise_ceiling import (
    check_independent_votes,
    check_n_votes,
    expected_log,
    expected_negentropy,
    skill_of_truth,
)
from labeldist.votes._vote_distributions import VoteDistributions

STRENGTHS = np.geomspace(1e-4, 1e5, 300)  # at which the likelihood of the votes is computed
# The prior of KL(item, overall shares), which is log-normal.
MEDIAN_DIVERGENCE = 0.05
DEVIATION = 2.0  # of the logarithm


@dataclass(frozen=True, eq=False)
class ExpectedError:
    """Result of `expected_error`.

    Parameters
    ----------
    n_votes : ndarray of shape (n_numbers,)
        Numbers of votes per item.
    counting : ndarray of shape (n_numbers,)
        Expected KL(truth, estimate) of the shares after one vote, divided equally between the
        labels, is added to each item (``smoothing=1``).
    dirichlet : ndarray of shape (n_numbers,)
        The same of the posterior mean with a Dirichlet prior (``smoothing="auto"``).
    ceiling : ndarray of shape (n_numbers,)
        `noise_ceiling` with this number of votes per item.

    See Also
    --------
    expected_error : Create it from votes.

    Examples
    --------
    See `expected_error`.
    """

    n_votes: NDArray[np.int64]
    counting: Array
    dirichlet: Array
    ceiling: Array


def expected_error(votes: VoteDistributions, n_votes: ArrayLike) -> ExpectedError:
    """Return the expected error of degrees from given numbers of votes per item.

    The error is KL(truth, estimate), averaged over the items. The distribution of an item is drawn
    from its posterior given the votes at hand, with a Dirichlet prior that is fitted to all of
    them, and new votes are drawn from that distribution. So the votes of a pilot study show how
    many votes per item are enough.

    If the items are nearly alike, a few votes do not show how much they differ: the
    maximum-likelihood strength is often infinite, so that no vote would be needed. So the strength
    s of the prior is taken at the posterior mean of the correlation 1 / (1 + s) of two votes on an
    item, where KL(item, overall shares) has a log-normal prior with median 0.05. The error of the
    Dirichlet estimate, which is small there, can still be wrong by a multiple.

    Parameters
    ----------
    votes : VoteDistributions
        What `from_votes` returns. Some items need two votes or more. Items without votes and
        smoothing have no effect on the result.
    n_votes : array-like of int
        Numbers of votes per item.

    Returns
    -------
    ExpectedError
        Arrays with one value per number of votes.

    See Also
    --------
    noise_ceiling : The skill that a model can reach at most with these votes.
    from_votes : Both estimates, with ``smoothing=1`` and ``smoothing="auto"``.

    Examples
    --------
    >>> from labeldist.votes import expected_error, from_votes
    >>> votes = from_votes([[3, 0, 0], [1, 2, 0], [0, 3, 0], [0, 1, 2], [2, 0, 1]])
    >>> result = expected_error(votes, [3, 10, 30])
    >>> result.counting.round(3).tolist(), result.dirichlet.round(3).tolist()
    ([0.196, 0.09, 0.033], [0.122, 0.065, 0.028])
    """
    numbers = check_n_votes(n_votes)
    check_independent_votes(votes, "expected_error")
    fitted = fit_dirichlet(votes.counts, "expected_error")
    mean = fitted / fitted.sum()
    prior_votes = _posterior_strength(votes.counts, mean) * mean
    one_vote = np.full(len(mean), 1 / len(mean))
    rows, n_rows = np.unique(votes.counts[votes.weights > 0], axis=0, return_counts=True)
    times = n_rows.astype(np.float64)
    a = rows + prior_votes
    counting = [_divergence(a, times, n, one_vote) for n in numbers]
    dirichlet = [_divergence(a, times, n, prior_votes) for n in numbers]
    judging = [np.full(len(rows), n) for n in numbers]
    ceiling = [skill_of_truth(rows + fitted, n, times) for n in judging]
    return ExpectedError(numbers, *np.array([counting, dirichlet, ceiling]))


def _posterior_strength(counts: Array, mean: Array) -> float:
    """Return the strength s at the posterior mean of the correlation 1 / (1 + s)."""
    voted = mean > 0
    model = DirichletMultinomial(counts[:, voted])
    p = mean[voted]
    losses = [model.loss(np.log(s * p))[0] for s in STRENGTHS]
    correlations = 1 / (1 + STRENGTHS)
    n_contrasts = max(1, len(p) - 1)
    divergences = correlations * n_contrasts / 2  # to second order
    standardised = np.log(divergences / MEDIAN_DIVERGENCE) / DEVIATION
    log_jacobian = np.log(STRENGTHS / (1 + STRENGTHS))  # of log KL, on a grid of log s
    weights = softmax(log_jacobian - 0.5 * standardised**2 - len(counts) * np.array(losses))
    return float(1 / (weights @ correlations) - 1)


def _divergence(a: Array, times: Array, n: int, added: Array) -> float:
    """Return the mean over rows, which occur several times, of E Σ θ log(θ / d).

    θ has the distribution Dirichlet(a_i), and d are the shares of n votes drawn from θ and of the
    `added` votes.
    """
    score = expected_log(a, n, added) - np.log(n + added.sum())
    return float(np.average(expected_negentropy(a) - score, weights=times))
