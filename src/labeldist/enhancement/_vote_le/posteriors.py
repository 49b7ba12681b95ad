"""Posteriors of degrees, their mixtures, and how well they predict left-out votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax, xlogy

from labeldist._typing import Array

ITEM_VOTES = 0.3  # The mean of an item's votes in their order counts as this number of votes.
ADDED_ITEMS = 0.2  # for each prior, so that chance does not decide between similar priors
LARGEST_SCORE = 14.0  # so that no weight is below 1e-12


class Posterior(NamedTuple):
    """Posterior of the degrees of items under a prior, and how likely their votes are under it."""

    mean: Array  # (n, c)
    second: Array  # E d², (n, c)
    left_out: Array  # probability of a vote for each label, given the item's other votes, (n, c)
    log_evidence: Array  # log probability of the votes of the item in their order, (n,)

    def at(self, rows: Any) -> Posterior:
        """Return the posterior of some items."""
        return Posterior(*(table[rows] for table in self))


def mix(posteriors: Sequence[Posterior], weights: ArrayLike) -> Posterior:
    """Return the posterior under a mixture of priors.

    The weight of a prior for an item is its weight times the probability of the item's votes. The
    probability of a left-out vote is 1 / E[1/d], as under a single prior.
    """
    log_joint = np.log(weights)[:, None] + np.array(
        [posterior.log_evidence for posterior in posteriors]
    )
    log_evidence = logsumexp(log_joint, axis=0)
    shares = np.exp(log_joint - log_evidence)[:, :, None]
    mean = sum(share * p.mean for share, p in zip(shares, posteriors, strict=True))
    second = sum(share * p.second for share, p in zip(shares, posteriors, strict=True))
    inverse = sum(share / p.left_out for share, p in zip(shares, posteriors, strict=True))
    return Posterior(mean, second, 1 / inverse, log_evidence)


class UncertainPrior(NamedTuple):
    """One of several priors, which are equally likely."""

    priors: Sequence[Any]

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of degrees given counts and means, both (n, c)."""
        n = len(self.priors)
        return mix([prior.posterior(counts, means) for prior in self.priors], np.full(n, 1 / n))


def vote_score(counts: Array, left_out: Array) -> float:
    """Return the mean log probability of the votes, each predicted without it."""
    return float(xlogy(counts, left_out).sum() / counts.sum())


def mixture_weights(
    counts: Array, weight: Array, posteriors: Sequence[Posterior], first: float
) -> Array:
    """Return the weights of priors with which their mixture predicts votes best.

    They maximise the log probability of each vote given the item's other votes, plus a part of the
    mean over all votes of each item in their order, which matters for items with few votes.
    Each prior gets `ADDED_ITEMS` of its own. The first prior keeps the weight `first`. `weight`
    repeats items.
    """
    items, labels = counts.nonzero()
    left_out = np.array([posterior.left_out[items, labels] for posterior in posteriors])
    log_evidence = np.array([posterior.log_evidence for posterior in posteriors])
    log_without = log_evidence[:, items] - np.log(left_out)
    evidence = np.exp(log_evidence - log_evidence.max(axis=0))
    evidence_without = np.exp(log_without - log_without.max(axis=0))
    n_votes = counts.sum(axis=1)
    of_items = weight * (n_votes + ITEM_VOTES / np.maximum(n_votes, 1))
    of_votes = (counts * weight[:, None])[items, labels]

    def loss(scores: Array) -> tuple[float, Array]:
        weights = _weights(first, scores)
        joint, shares = _joint(weights, evidence)
        joint_without, shares_without = _joint(weights, evidence_without)
        value = of_votes @ np.log(joint_without) - of_items @ np.log(joint)
        value -= ADDED_ITEMS * np.log(weights[1:]).sum()
        by_weight = (shares_without @ of_votes - shares @ of_items)[1:] - ADDED_ITEMS
        return value, by_weight - weights[1:] / (1 - first) * by_weight.sum()

    start = np.zeros(len(posteriors) - 1)
    bounds = [(-LARGEST_SCORE, LARGEST_SCORE)] * len(start)
    return _weights(first, minimize(loss, start, jac=True, bounds=bounds).x)


def _weights(first: float, scores: Array) -> Array:
    """Return the first weight, and the softmax of scores as the others."""
    return np.append(first, (1 - first) * softmax(scores))


def _joint(weights: Array, likelihoods: Array) -> tuple[Array, Array]:
    """Return the likelihood of each column under the mixture, and the share of each prior."""
    products = weights[:, None] * likelihoods
    joint = products.sum(axis=0)
    return joint, products / joint
