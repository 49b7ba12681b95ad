"""The Dirichlet prior of degrees: d ~ Dir(s·p), where p may differ between items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from labeldist._typing import Array
from labeldist.enhancement.vote_le.left_out_votes import Posterior
from labeldist.enhancement.vote_le.spread_prior import log_spread_prior

LOG_STRENGTHS = (-5.0, 12.0)  # bounds of log s; the upper one leaves the votes without effect


@dataclass(frozen=True)
class DirichletPrior:
    """The prior Dir(s·p) with a fitted strength s. The means p are passed to the methods."""

    strength: float

    @classmethod
    def fit(cls, counts: Array, means: Array, weight: Array) -> DirichletPrior:
        """Maximise the posterior density of the strength given counts, (n, c).

        `means`, (n, c) or (1, c), are the p of the items, and `weight` repeats items.
        """
        totals = counts.sum(axis=1)
        inverses = np.broadcast_to(1 / means, counts.shape).mean(axis=1)
        mean_inverse = float(np.average(inverses, weights=weight))

        def loss(log_strength: float) -> float:
            s = np.exp(log_strength)
            alpha = s * means
            by_label = (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=1)
            log_likelihood = weight @ (by_label - gammaln(s + totals) + gammaln(s))
            # The mean variance of the contrasts of d/p.
            variance = mean_inverse / (s + 1)
            return -float(log_likelihood + log_spread_prior(variance, counts.shape[1]))

        found: Any = minimize_scalar(loss, bounds=LOG_STRENGTHS, method="bounded")
        return cls(float(np.exp(found.x)))

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the moments of the degrees and the predictions of left-out votes."""
        s = self.strength
        totals = counts.sum(axis=1, keepdims=True)
        mean = (counts + s * means) / (totals + s)
        variance = mean * (1 - mean) / (totals + s + 1)
        others = np.maximum(counts - 1, 0) + s * means
        left_out = others / (np.maximum(totals - 1, 0) + s)
        return Posterior(mean, mean**2 + variance, left_out)

    def draw(
        self, counts: Array, means: Array, n_draws: int, random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return draws of the degrees, (n_draws, n, c), and their weights, (n_draws, n)."""
        alpha = counts + self.strength * means
        draws = random.standard_gamma(alpha, size=(n_draws, *alpha.shape))
        draws /= np.maximum(draws.sum(axis=2, keepdims=True), np.finfo(float).tiny)
        return draws, np.full(draws.shape[:2], 1 / n_draws)

    def expected(self, means: Array) -> Array:
        """Return the prior mean of the degrees."""
        return means
