"""Posteriors of degrees, their mixtures, and how well they predict left-out votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, xlogy

from labeldist._typing import Array

ITERATIONS = 1000
ITEM_VOTES = 0.1  # All votes of an item together count as this number of left-out votes.
SMALLEST_WEIGHT = 1e-12


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

    They maximise the log probability of each vote given the item's other votes, plus a part of that
    of all votes of each item, which matters for items with few votes. The weight of a prior grows
    if its share in the items, given all their votes, is larger than without the predicted votes.
    The first prior keeps the weight `first`. `weight` repeats items.
    """
    items, labels = counts.nonzero()
    left_out = np.array([posterior.left_out[items, labels] for posterior in posteriors])
    log_evidence = np.array([posterior.log_evidence for posterior in posteriors])
    log_without = log_evidence[:, items] - np.log(left_out)
    evidence = np.exp(log_evidence - log_evidence.max(axis=0))
    evidence_without = np.exp(log_without - log_without.max(axis=0))
    of_items = weight * (counts.sum(axis=1) + ITEM_VOTES)
    of_votes = (counts * weight[:, None])[items, labels]
    n = len(posteriors) - 1
    weights = np.append(first, np.full(n, (1 - first) / n))
    for _ in range(ITERATIONS):
        gain = _shares(weights, evidence) @ of_items
        loss = _shares(weights, evidence_without) @ of_votes + weights * ITEM_VOTES * weight.sum()
        others = np.maximum((weights * gain / loss)[1:], SMALLEST_WEIGHT)
        weights = np.append(first, (1 - first) * others / others.sum())
    return weights


def _shares(weights: Array, likelihoods: Array) -> Array:
    """Return the share of each prior in each column."""
    products = weights[:, None] * likelihoods
    return np.asarray(products / products.sum(axis=0))
