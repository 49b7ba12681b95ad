"""How well votes are predicted from the other votes, and weights of priors by these predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from labeldist._typing import Array

ITERATIONS = 200  # more would fit the weights to the noise of the scores


class Posterior(NamedTuple):
    """Posterior moments of the degrees of items, and predictions of left-out votes, all (n, c)."""

    mean: Array
    second: Array  # E d²
    left_out: Array  # probability of a vote for each label, given the item's other votes


def vote_score(counts: Array, left_out: Array) -> float:
    """Return the mean log probability of the votes, each predicted without it."""
    return float(xlogy(counts, left_out).sum() / counts.sum())


def mixture_weights(counts: Array, left_out: ArrayLike) -> Array:
    """Return weights of several predictions that maximise the score of their mixture.

    Expectation maximisation starts with equal weights and stops before it has converged, so that
    priors with almost the same score have about the same weight.
    """
    voted = counts > 0
    votes = counts[voted]
    shares = votes / votes.sum()
    predictions = np.asarray(left_out)[:, voted]
    weights = np.full(len(predictions), 1 / len(predictions))
    for _ in range(ITERATIONS):
        responsibility = weights[:, None] * predictions
        responsibility /= responsibility.sum(axis=0)
        weights = responsibility @ shares
    return weights
