"""The Dirichlet prior of degrees: d ~ Dir(s·p), where p may differ between items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import dirichlet_multinomial

from labeldist._precision import EPSILON
from labeldist._typing import Array
from labeldist.enhancement._vote_le.left_out_votes import Posterior

LOG_STRENGTHS = (-5.0, 12.0)  # bounds of log s; the upper one leaves the votes without effect
# The variance of log d between items has a log-normal prior, which matters only if the votes hardly
# determine it. Empirical rule for its median: std(log p) over the labels, p the overall shares. On
# the benchmark sets the variance is 0.5 to 8 times this number, and the logarithm of their ratio
# has the standard deviation `DEVIATION`.
DEVIATION = 0.8
STEP = 0.5  # of log s in the second difference that gives its uncertainty


@dataclass(frozen=True)
class DirichletPrior:
    """The prior Dir(s·p) with a fitted strength s. The means p are passed to the methods."""

    strength: float
    deviation: float = 0.0  # posterior standard deviation of log s

    @classmethod
    def fit(cls, counts: Array, means: Array, weight: Array) -> DirichletPrior:
        """Maximise the posterior density of the strength given counts, (n, c).

        `means`, (n, c), are the p of the items, and `weight` repeats items.
        """
        votes = counts.astype(np.int64)
        totals = votes.sum(axis=1)
        mean_inverse = _mean_inverse(means, weight)
        usual_variance = _usual_variance(counts, means, weight)

        def loss(log_strength: float) -> float:
            s = np.exp(log_strength)
            log_likelihood = dirichlet_multinomial.logpmf(votes, s * means, totals)
            log_prior = _log_prior(s, mean_inverse, usual_variance)
            return -float(weight @ log_likelihood + log_prior)

        found: Any = minimize_scalar(loss, bounds=LOG_STRENGTHS, method="bounded")
        sides = loss(found.x - STEP) + loss(found.x + STEP)
        curvature = max(sides - 2 * loss(found.x), EPSILON) / STEP**2
        return cls(float(np.exp(found.x)), float(1 / np.sqrt(curvature)))

    def shifted(self, deviations: float) -> DirichletPrior:
        """Return the prior whose log s is larger by a number of its deviations."""
        log_strength = np.log(self.strength) + deviations * self.deviation
        return DirichletPrior(float(np.exp(np.clip(log_strength, *LOG_STRENGTHS))))

    def score_variance(self, means: Array, weight: Array) -> float:
        """Return the mean variance of the contrasts of log d, if d were log-normal.

        The variance of d/p is exp(σ²) − 1 if log d has variance σ².
        """
        return float(np.log1p(_mean_inverse(means, weight) / (self.strength + 1)))

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the moments of the degrees and the predictions of left-out votes."""
        s = self.strength
        totals = counts.sum(axis=1, keepdims=True)
        mean = (counts + s * means) / (totals + s)
        variance = mean * (1 - mean) / (totals + s + 1)
        others = np.maximum(counts - 1, 0) + s * means
        left_out = others / (np.maximum(totals - 1, 0) + s)
        return Posterior(mean, mean**2 + variance, left_out)


def _mean_inverse(means: Array, weight: Array) -> float:
    inverses = np.average(1 / means, axis=0, weights=weight)
    return float(inverses.mean())


def _usual_variance(counts: Array, means: Array, weight: Array) -> float:
    """Return the median of the prior of the variance of log d between items.

    It is at least the standard error of log p, because shares that are equal by chance would give
    zero.
    """
    shares = np.average(means, axis=0, weights=weight)
    n_votes = weight @ counts.sum(axis=1)
    standard_error = np.sqrt((1 / shares).mean() / n_votes)
    return float(max(np.log(shares).std(ddof=1), standard_error))


def _log_prior(s: float, mean_inverse: float, usual_variance: float) -> float:
    """Return the logarithm of the prior density of log s, up to a constant."""
    variance = np.log1p(mean_inverse / (s + 1))
    standardised = np.log(variance / usual_variance) / DEVIATION
    slope = s * mean_inverse / ((s + 1) * (s + 1 + mean_inverse) * variance)  # −d log v / d log s
    return float(np.log(slope) - 0.5 * standardised**2)
