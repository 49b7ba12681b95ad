"""Likelihood of the number of tags per row, which identifies the spread of the scores and the noise of the tags."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from labeldist._solvers.tag_sampler import Rule
from labeldist._typing import Array

SPREADS = np.geomspace(0.03, 6, 36)
NOISES = np.array([1, 2, 4, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100, 120, 150, 190, 240, 300]) / 1000
SMALLEST_NOISE = 2e-3  # smaller noise is set to zero: noisy chains are slower

# The prior of the noise is a point mass at 0 and the density (1 − ε)^b with b = 50 + n/10. b grows with the number of
# rows n, so that a small misfit of the model in every row is not mistaken for noise.
NOISE_PRIOR, NOISE_PRIOR_PER_ROW = 50, 0.1

# Powers of the posterior of the spread under which its mean is taken, without and with noise.
SHARPNESS, NOISY_SHARPNESS = 4.0, 2.0

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
THRESHOLD_DRAWS = 2_000
THRESHOLD_NOISES = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2])
WEAK_PRIOR = (0.3, 1.0)

# Log likelihood per row. On the benchmark sets the threshold 0.5 loses less than half of it where it is correct.
CLEAR_GAIN = 0.15


@dataclass(frozen=True)
class CountLikelihood:
    """The likelihood Π_k p_k(s, ε)^(n_k) of spread s and noise ε, where n_k rows have k tags.

    p_k is the frequency of k tags among draws of the scores, convolved with the noise.
    """

    histogram: Array  # n_k for k = 0, …, n_labels
    rule: Rule
    spread_prior: tuple[float, float]  # median of the spread and standard deviation of its logarithm

    def log_likelihood(self, shapes: Array, spreads: Array, noises: Array) -> Array:
        """Return the log likelihood, one row per spread and one column per noise.

        ``shapes`` are draws of scores in units of the spread, each sorted in descending order, (n_labels, n_draws).
        """
        n_labels, n_draws = shapes.shape
        frequencies = np.empty((len(spreads), n_labels + 1))
        for row, spread in enumerate(spreads):
            running = np.exp(spread * (shapes - shapes[0])).cumsum(axis=0)
            n_tags = np.minimum((running <= self.rule.threshold * running[-1]).sum(axis=0) + 1, n_labels)
            frequencies[row] = np.bincount(n_tags, minlength=n_labels + 1)
        frequencies = (frequencies + 0.01) / (n_draws + 0.01 * (n_labels + 1))
        seen = self.histogram > 0
        # Frequencies over n_draws draws are no more informative than as many rows.
        histogram = self.histogram[seen] * min(1.0, n_draws / max(self.histogram.sum(), 1.0))
        result = np.empty((len(spreads), len(noises)))
        for column, noise in enumerate(noises):
            observed = frequencies @ flip_probabilities(n_labels, noise)
            observed /= 1 - observed[:, :1]  # rows without tags are not counted
            result[:, column] = np.log(observed[:, seen]) @ histogram
        return result

    def log_prior(self, spreads: Array) -> Array:
        """Return the log prior density of spreads, up to a constant."""
        median, deviation = self.spread_prior
        return -0.5 * (np.log(spreads / median) / deviation) ** 2

    def estimate(
        self, shapes: Array, spreads: Array, noise: float, *, estimate_noise: bool, allow_zero: bool
    ) -> tuple[float, float]:
        """Return spread and noise: the smoothed joint mode on the given grid, then on two finer grids around it."""
        if self.rule.name == "order":  # the number of tags is not informative
            return self.spread_prior[0], 0.0
        noises = np.array([noise])
        if estimate_noise:
            noises = np.append(0.0, NOISES) if allow_zero else NOISES
        posterior = self.log_posterior(shapes, spreads, noises)
        if estimate_noise and allow_zero:
            is_zero = posterior[:, 0].max() >= posterior[:, 1:].max()
            noises, posterior = (noises[:1], posterior[:, :1]) if is_zero else (noises[1:], posterior[:, 1:])
        spread, noise = _smoothed_mode(posterior, spreads, noises)
        for width in (0.2, 0.05):
            spreads = spread * np.exp(np.linspace(-width, width, 7))
            if len(noises) > 1:
                noises = np.minimum(noise * np.exp(np.linspace(-2 * width, 2 * width, 13)), 0.4)
            spread, noise = _smoothed_mode(self.log_posterior(shapes, spreads, noises), spreads, noises)
        return spread, 0.0 if estimate_noise and noise < SMALLEST_NOISE else noise

    def log_posterior(self, shapes: Array, spreads: Array, noises: Array) -> Array:
        """Return the log posterior, up to a constant; positive noise has a price if there are several noises."""
        posterior = self.log_likelihood(shapes, spreads, noises) + self.log_prior(spreads)[:, None]
        if len(noises) > 1:
            n = max(self.histogram.sum(), 1.0)
            price = (NOISE_PRIOR + NOISE_PRIOR_PER_ROW * n) * np.log1p(-noises) - 0.5 * np.log(n)
            posterior += np.where(noises > 0, price, 0.0)
        return posterior


def _smoothed_mode(posterior: Array, spreads: Array, noises: Array) -> tuple[float, float]:
    """Return the geometric means of spread and noise under a power of their posterior."""
    power = SHARPNESS if len(noises) == 1 and noises[0] == 0 else NOISY_SHARPNESS
    weight = np.exp(power * (posterior - posterior.max()))
    weight /= weight.sum()
    spread = float(np.exp(weight.sum(axis=1) @ np.log(spreads)))
    noise = float(noises[0]) if len(noises) == 1 else float(np.exp(weight.sum(axis=0) @ np.log(noises)))
    return spread, noise


@lru_cache(maxsize=64)
def flip_probabilities(n_labels: int, noise: float) -> Array:
    """Return P(l tags observed | k tags by the rule) at [k, l]: the distribution of Bin(k, 1 − ε) + Bin(c − k, ε)."""
    if noise == 0:
        return np.eye(n_labels + 1)
    kept, added = [np.ones(1)], [np.ones(1)]
    for _ in range(n_labels):
        kept.append(np.convolve(kept[-1], [noise, 1 - noise]))
        added.append(np.convolve(added[-1], [1 - noise, noise]))
    return np.array([np.convolve(kept[k], added[n_labels - k]) for k in range(n_labels + 1)])


def likely_threshold(histogram: Array, rule: Rule, random: np.random.Generator) -> float | None:
    """Return a threshold that explains the numbers of tags clearly better than that of the rule, or None.

    The labels are treated as exchangeable, which is rough. So a threshold must gain `CLEAR_GAIN` per row.
    """
    shapes = -np.sort(-random.standard_normal((len(histogram) - 1, THRESHOLD_DRAWS)), axis=0)
    best = {}
    for threshold in {*THRESHOLDS, rule.threshold}:
        likelihood = CountLikelihood(histogram, Rule("half", threshold), WEAK_PRIOR)
        best[threshold] = likelihood.log_posterior(shapes, SPREADS, THRESHOLD_NOISES).max()
    likely = max(best, key=lambda threshold: best[threshold])
    gain = (best[likely] - best[rule.threshold]) / min(histogram.sum(), THRESHOLD_DRAWS)
    return likely if gain > CLEAR_GAIN else None
