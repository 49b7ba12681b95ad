"""Likelihood of the number of tags per row, which identifies spread and noise.

The spread is the standard deviation of the scores around their mean, the noise the probability that
a tag is wrong.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from labeldist._typing import Array
from labeldist.enhancement._bayes_le.tag_rule import Rule

SPREADS = np.geomspace(0.03, 6, 36)
NOISES = np.array([1, 2, 4, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100, 120, 150, 190, 240, 300]) / 1000
NOISES_AND_ZERO = np.append(0.0, NOISES)
SMALLEST_NOISE = 2e-3  # smaller noise is set to zero: noisy chains are slower
LARGEST_NOISE = 0.4
SMOOTHING = 0.01  # added to the number of draws with each number of tags

# The prior of the noise is a point mass at 0 and the density (1 − ε)^b with b = 50 + n/10. b grows
# with the number of rows n, so that a small misfit of the model in every row is not mistaken for
# noise.
NOISE_PRIOR = 50
NOISE_PRIOR_PER_ROW = 0.1

# Powers of the posterior of the spread under which its mean is taken, without and with noise.
SHARPNESS = 4.0
NOISY_SHARPNESS = 2.0

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
THRESHOLD_DRAWS = 2_000
THRESHOLD_NOISES = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2])
WEAK_PRIOR = (0.3, 1.0)

# Log likelihood per row. On the benchmark sets the threshold 0.5 loses less than half of it where
# it is correct.
CLEAR_GAIN = 0.15


@dataclass(frozen=True)
class CountLikelihood:
    """The likelihood Π_k p_k(s, ε)^(n_k) of spread s and noise ε, where n_k rows have k tags.

    p_k is the frequency of k tags among draws of the scores, convolved with the noise. The draws
    are `shapes`: scores in units of the spread, sorted in descending order, (n_labels, n_draws).
    """

    histogram: Array  # n_k for k = 0, …, n_labels
    rule: Rule
    spread_prior: tuple[float, float]  # median, and standard deviation of the logarithm

    @property
    def _n(self) -> float:
        """Number of rows, at least 1 if they have small weights."""
        return max(self.histogram.sum(), 1.0)

    def log_likelihood(self, shapes: Array, spreads: Array, noises: Array) -> Array:
        """Return the log likelihood, one row per spread and one column per noise."""
        n_labels, n_draws = shapes.shape
        frequencies = np.array([self._frequencies(shapes, spread) for spread in spreads])
        seen = self.histogram > 0
        # Frequencies over n_draws draws are no more informative than as many rows.
        histogram = self.histogram[seen] * min(1.0, n_draws / self._n)
        result = np.empty((len(spreads), len(noises)))
        for column, noise in enumerate(noises):
            observed = frequencies @ flip_probabilities(n_labels, noise)
            observed /= 1 - observed[:, :1]  # rows without tags are not counted
            result[:, column] = np.log(observed[:, seen]) @ histogram
        return result

    def _frequencies(self, shapes: Array, spread: float) -> Array:
        """Return the smoothed frequencies of 0, …, n_labels tags."""
        n_labels, n_draws = shapes.shape
        weights = np.exp(spread * (shapes - shapes[0]))
        running = weights.cumsum(axis=0)
        is_within = running <= self.rule.threshold * running[-1]
        n_tags = is_within.sum(axis=0) + 1
        counts = np.bincount(n_tags, minlength=n_labels + 1)
        total = n_draws + SMOOTHING * (n_labels + 1)
        return (counts + SMOOTHING) / total

    def log_prior(self, spreads: Array) -> Array:
        """Return the log prior density of spreads, up to a constant."""
        median, deviation = self.spread_prior
        standardized = np.log(spreads / median) / deviation
        return -0.5 * standardized**2

    def log_posterior(self, shapes: Array, spreads: Array, noises: Array) -> Array:
        """Return the log posterior, up to a constant.

        Positive noise has a price if there are several noises.
        """
        posterior = self.log_likelihood(shapes, spreads, noises)
        posterior += self.log_prior(spreads)[:, None]
        if len(noises) > 1:
            exponent = NOISE_PRIOR + NOISE_PRIOR_PER_ROW * self._n
            price = exponent * np.log1p(-noises) - 0.5 * np.log(self._n)
            posterior += np.where(noises > 0, price, 0.0)
        return posterior

    def estimate(self, shapes: Array, spreads: Array, noises: Array) -> tuple[float, float]:
        """Return spread and noise: the smoothed joint mode on grids, which become finer.

        If `noises` is a single number, the noise is given. If it starts with 0, positive noise must
        have a larger posterior than none.
        """
        if self.rule.name == "order":  # the number of tags is not informative
            return self.spread_prior[0], 0.0
        noise_is_given = len(noises) == 1
        posterior = self.log_posterior(shapes, spreads, noises)
        if noises[0] == 0 and not noise_is_given:
            best = posterior.max(axis=0).argmax()
            chosen = slice(0, 1) if best == 0 else slice(1, None)
            noises = noises[chosen]
            posterior = posterior[:, chosen]
        spread, noise = _smoothed_mode(posterior, spreads, noises)
        for width in (0.2, 0.05):
            spreads = spread * _factors(width, 7)
            if len(noises) > 1:
                noises = np.minimum(noise * _factors(2 * width, 13), LARGEST_NOISE)
            posterior = self.log_posterior(shapes, spreads, noises)
            spread, noise = _smoothed_mode(posterior, spreads, noises)
        if noise < SMALLEST_NOISE and not noise_is_given:
            noise = 0.0
        return spread, noise


def _factors(width: float, n: int) -> Array:
    """Return n factors at equal logarithmic distances from exp(−width) to exp(width)."""
    return np.exp(np.linspace(-width, width, n))


def _smoothed_mode(posterior: Array, spreads: Array, noises: Array) -> tuple[float, float]:
    """Return the geometric means of spread and noise under a power of their posterior."""
    power = NOISY_SHARPNESS if noises.any() else SHARPNESS
    weight = np.exp(power * (posterior - posterior.max()))
    weight /= weight.sum()
    spread = np.exp(weight.sum(axis=1) @ np.log(spreads))
    noise = noises[0]
    if len(noises) > 1:
        noise = np.exp(weight.sum(axis=0) @ np.log(noises))
    return float(spread), float(noise)


@lru_cache(maxsize=64)
def flip_probabilities(n_labels: int, noise: float) -> Array:
    """Return P(l tags observed | k tags by the rule) at [k, l].

    Row k is the distribution of Bin(k, 1 − ε) + Bin(c − k, ε).
    """
    if noise == 0:
        return np.eye(n_labels + 1)
    kept = _powers(np.array([noise, 1 - noise]), n_labels)
    added = _powers(np.array([1 - noise, noise]), n_labels)
    rows = [np.convolve(kept[k], added[n_labels - k]) for k in range(n_labels + 1)]
    return np.array(rows)


def _powers(generating_function: Array, largest: int) -> list[Array]:
    """Return the powers 0, …, `largest`: the distributions of sums of so many variables."""
    factors = [generating_function] * largest
    return list(accumulate(factors, np.convolve, initial=np.ones(1)))


def descending(shapes: Array) -> Array:
    """Return the draws with the scores of each sorted in descending order."""
    return -np.sort(-shapes, axis=0)


def likely_threshold(histogram: Array, rule: Rule, random: np.random.Generator) -> float | None:
    """Return a threshold that explains the numbers of tags clearly better than the rule does.

    Return None if there is none. The labels are treated as exchangeable, which is rough. So a
    threshold must gain `CLEAR_GAIN` per row.
    """
    n_labels = len(histogram) - 1
    shapes = descending(random.standard_normal((n_labels, THRESHOLD_DRAWS)))
    best = {}
    for threshold in {*THRESHOLDS, rule.threshold}:
        likelihood = CountLikelihood(histogram, Rule("half", threshold), WEAK_PRIOR)
        posterior = likelihood.log_posterior(shapes, SPREADS, THRESHOLD_NOISES)
        best[threshold] = posterior.max()
    likely = max(best, key=best.__getitem__)
    n_rows = min(histogram.sum(), THRESHOLD_DRAWS)  # more rows count no more; see log_likelihood
    gain = (best[likely] - best[rule.threshold]) / n_rows
    return likely if gain > CLEAR_GAIN else None
