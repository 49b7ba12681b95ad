"""The priors of degrees that are fitted to votes, and their posteriors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array
from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior
from labeldist.enhancement._vote_le.logistic_normal_prior import (
    LogisticNormalPrior,
    order_of_labels,
)
from labeldist.enhancement._vote_le.posteriors import Posterior, UncertainPrior
from labeldist.enhancement._vote_le.prior_means import Votes
from labeldist.votes._item_population import (
    ADDED,
    Strength,
    counted_rows,
    distinct_rows,
    fit_population,
)

NODES = 3  # values of the uncertain strength
KNOWN_STRENGTH = 1.2  # ratio of the nodes, below which one of them is enough
MAX_LABELS = 50  # of the logistic-normal prior: with more, its draws miss the posterior
N_FOLDS = 5
MAX_FITTED = 2500  # Of more items, a sample gives the priors of the folds, which score the others.
WEIGHT_OF_FLAT = 0.01  # share of items that may differ from all others


class MeanAndPrior(NamedTuple):
    """A prior and its mean, (c,), or None if it is the learned mean of each item."""

    mean: Array | None
    prior: Any


@dataclass(frozen=True)
class Priors:
    """Priors around the overall shares, and around learned means of the items.

    Under ``"mean"`` all items have the same distribution, which is known as well as from the
    effective number of votes. Under ``"flat"`` all distributions are equally likely, which
    describes single items that differ from all others.
    """

    by_name: Mapping[str, MeanAndPrior]

    @classmethod
    def fit(cls, votes: Votes, learned: Array | None, *, many: bool) -> Priors:
        """Fit the priors to items with votes. `learned` are their learned means, (n, c).

        With `many` votes per item, counting is one of the priors.
        """
        rows, times = counted_rows(votes.counts, votes.weight)
        population = fit_population(rows, times)
        overall = population.mean
        uniform = np.full(len(overall), 1 / len(overall))
        priors = {
            "flat": MeanAndPrior(uniform, DirichletPrior(len(uniform))),
            "mean": MeanAndPrior(overall, DirichletPrior(population.n_effective + ADDED)),
        }
        if many:
            priors["counting"] = MeanAndPrior(uniform, DirichletPrior(1.0))
        if len(overall) > 1:
            shared = np.broadcast_to(overall, rows.shape)
            around_shared = _fit_around(shared, Votes(rows, times), population.strength)
            for name, prior in around_shared.items():
                priors[name] = MeanAndPrior(overall, prior)
        if len(overall) > 1 and learned is not None:
            strength = Strength.fit(votes.counts, learned, votes.weight)
            for name, prior in _fit_around(learned, votes, strength).items():
                priors[f"learner_{name}"] = MeanAndPrior(None, prior)
        return cls(priors)

    def posteriors(self, counts: Array, learned: Array | None) -> list[Posterior]:
        """Return the posterior of each prior."""
        # Equal counts have equal posteriors under the priors that are common to all items.
        rows, positions = distinct_rows(counts)
        return [
            prior.posterior(counts, learned)
            if mean is None
            else prior.posterior(rows, np.broadcast_to(mean, rows.shape)).at(positions)
            for mean, prior in self.by_name.values()
        ]


def _fit_around(means: Array, votes: Votes, strength: Strength) -> dict[str, Any]:
    """Return the Dirichlet and the logistic-normal prior around means, (n, c)."""
    nodes = strength.nodes(NODES)
    is_known = nodes[-1] < KNOWN_STRENGTH * nodes[0]
    if is_known or votes.counts.sum(axis=1).max() == 1:  # Single votes do not show the strength.
        nodes = strength.nodes(1)
    priors = {"dirichlet": UncertainPrior([DirichletPrior(s) for s in nodes])}
    if means.shape[1] <= MAX_LABELS:
        variance = float(strength.variance(strength.median))
        normal = LogisticNormalPrior.fit(votes.counts, means, votes.weight, variance)
        factors = strength.variance(nodes) / variance
        priors["logistic_normal"] = UncertainPrior([normal.scaled(f) for f in factors])
    return priors


class Fold(NamedTuple):
    """Items that are left out, and the priors that are fitted to the others."""

    test: NDArray[np.intp]
    priors: Priors


def cross_fit_priors(
    votes: Votes, learned: Array | None, random: np.random.RandomState, *, many: bool
) -> list[Fold]:
    """Fit the priors without the items of each fold."""
    n = len(votes.counts)
    # The folds depend neither on the order of the rows nor on that of the labels.
    labels = order_of_labels(votes.counts, votes.weight)
    rows = np.lexsort([votes.weight, *votes.counts[:, labels].T])
    numbers = np.empty(n, dtype=np.intp)
    numbers[rows] = random.permutation(n)
    folds = numbers % min(N_FOLDS, n)
    fitted = []
    for fold in np.unique(folds):
        train = np.flatnonzero((folds != fold) & (numbers < MAX_FITTED))
        known = votes.at(train) if n > 1 else votes.without_counts()
        priors = Priors.fit(known, None if learned is None else learned[train], many=many)
        fitted.append(Fold(np.flatnonzero(folds == fold), priors))
    return fitted


def left_out_posteriors(folds: list[Fold], counts: Array, learned: Array | None) -> list[Posterior]:
    """Return the posterior of each item for each prior, which is fitted to other items."""
    by_fold = [
        _posteriors_and_scores(priors, counts[test], None if learned is None else learned[test])
        for test, priors in folds
    ]
    back = np.argsort(np.concatenate([fold.test for fold in folds]))
    return [
        Posterior(*(np.concatenate(tables) for tables in zip(*of_prior, strict=True))).at(back)
        for of_prior in zip(*by_fold, strict=True)
    ]


def _posteriors_and_scores(priors: Priors, counts: Array, learned: Array | None) -> list[Posterior]:
    """Return the posterior of each prior, and left out the single votes of labels.

    Their probability is computed from the counts without the vote. Draws from the posterior given
    the vote miss the small degrees that are likely without it.
    """
    posteriors = priors.posteriors(counts, learned)
    items, labels = np.nonzero(counts == 1)
    votes = np.arange(len(items))
    without = counts[items]
    without[votes, labels] = 0
    of_votes = priors.posteriors(without, None if learned is None else learned[items])
    for posterior, of_prior in zip(posteriors, of_votes, strict=True):
        posterior.left_out[items, labels] = of_prior.mean[votes, labels]
    return posteriors
