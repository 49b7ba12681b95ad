"""Priors of degrees around a mean p: Dirichlet, d ~ Dir(s·p), and the same degrees for all items.

The mean p may differ between items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from labeldist._typing import Array
from labeldist.enhancement.vote_le.left_out_votes import Posterior, mix


@dataclass(frozen=True)
class CommonPrior:
    """All items have the degrees p. They are known as well as from `n_votes` votes."""

    n_votes: float

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of degrees given counts and p, both (n, c)."""
        second = means**2 + means * (1 - means) / (self.n_votes + 1)
        return Posterior(means, second, means, xlogy(counts, means).sum(axis=1))


@dataclass(frozen=True)
class DirichletPrior:
    """The prior Dir(s·p), where the strength s is one of several with equal probabilities."""

    strengths: Array

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of degrees given counts and p, both (n, c)."""
        posteriors = [self._posterior_at(s, counts, means) for s in self.strengths]
        return mix(posteriors, np.full(len(posteriors), 1 / len(posteriors)))

    def _posterior_at(self, s: float, counts: Array, means: Array) -> Posterior:
        n = counts.sum(axis=1, keepdims=True)
        mean = (counts + s * means) / (n + s)
        second = mean**2 + mean * (1 - mean) / (n + s + 1)
        left_out = (np.maximum(counts - 1, 0) + s * means) / (np.maximum(n - 1, 0) + s)
        rising = gammaln(s * means + counts) - gammaln(s * means)
        log_evidence = rising.sum(axis=1) - (gammaln(s + n) - gammaln(s))[:, 0]
        return Posterior(mean, second, left_out, log_evidence)
