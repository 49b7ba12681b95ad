"""`expected_error`: the error of degrees from a number of votes per item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeldist._typing import Array
from labeldist.votes._item_population import counted_rows, fit_to_pairs
from labeldist.votes._noise_ceiling import (
    NODES,
    check_independent_votes,
    check_n_votes,
    expected_log,
    expected_negentropy,
    skill_of_truth,
)
from labeldist.votes._vote_distributions import VoteDistributions


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

    A few votes do not show exactly how different the items are. So the errors are means over the
    posterior of the strength of the prior. If the items are nearly alike, the error of the
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
    ([0.196, 0.086, 0.031], [0.15, 0.076, 0.031])
    """
    numbers = check_n_votes(n_votes)
    check_independent_votes(votes, "expected_error")
    population = fit_to_pairs(votes.counts, "expected_error")
    rows, times = counted_rows(votes.counts, (votes.weights > 0).astype(np.float64))
    one_vote = np.full(len(population.mean), 1 / len(population.mean))
    tables = []
    for s in population.strength.nodes(NODES):
        a = rows + s * population.mean
        counting = [_divergence(a, times, n, one_vote) for n in numbers]
        dirichlet = [_divergence(a, times, n, population.prior_votes) for n in numbers]
        ceiling = [skill_of_truth(a, np.full(len(a), n), times) for n in numbers]
        tables.append([counting, dirichlet, ceiling])
    return ExpectedError(numbers, *np.mean(tables, axis=0))


def _divergence(a: Array, times: Array, n: int, added: Array) -> float:
    """Return the mean over rows, which occur several times, of E Σ θ log(θ / d).

    θ has the distribution Dirichlet(a_i), and d are the shares of n votes drawn from θ and of the
    `added` votes.
    """
    score = expected_log(a, n, added) - np.log(n + added.sum())
    return float(np.average(expected_negentropy(a) - score, weights=times))
