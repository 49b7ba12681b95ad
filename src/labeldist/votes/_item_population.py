"""The population of items: their mean distribution, and how different they are.

The distribution of an item is Dirichlet(s·p), and its votes are drawn from that distribution. The
strength s, which is large if the items are alike, is uncertain. So it has a posterior on a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, softmax

from labeldist._typing import Array
from labeldist.exceptions import TableError

BOUNDS = (1e-4, 1e6)  # of the strength; items that are all alike have it at infinity
GRID = 61
NEGLIGIBLE = 20.0  # difference of log densities
# The variance of log d between items has a log-normal prior, whatever the number of labels. Its
# median is an empirical rule: the number that is the standard deviation of log p over the labels,
# where p are the overall shares. On the benchmark sets the variance is 0.5 to 8 times this number.
# The prior is weaker than that, for other sets.
DEVIATION = 1.75  # of the logarithm of the variance
ADDED = 0.5  # votes for each label in the mean, so that no label is impossible
ITERATIONS = 5  # The mean depends a little on the strength if the numbers of votes differ.
TOLERANCE = 0.01  # of log s


@dataclass(frozen=True)
class Strength:
    """The posterior of the strength of a Dirichlet prior, on a grid."""

    grid: Array
    probabilities: Array
    inverse: float  # mean of 1 / p over items and labels

    @classmethod
    def fit(cls, counts: Array, means: Array, weight: Array, n_free: int = 0) -> Strength:
        """Return the posterior given counts, (n, c), and means p, (n, c) or (c,).

        `weight` repeats items. `n_free` is the number of contrasts of the means that were fitted to
        the same counts. The posterior contains their uncertainty to first order.
        """
        density = _LogDensity(counts, means, weight, n_free)
        grid = np.geomspace(*BOUNDS, GRID)
        log_densities = density(grid)
        likely = np.flatnonzero(log_densities > log_densities.max() - NEGLIGIBLE)
        first = max(likely[0] - 1, 0)
        last = min(likely[-1] + 1, GRID - 1)
        grid = np.geomspace(grid[first], grid[last], GRID)
        return cls(grid, softmax(density(grid)), density.inverse)

    def quantiles(self, levels: Any) -> Array:
        """Return quantiles of the strength."""
        below = self.probabilities.cumsum() - self.probabilities / 2
        return np.exp(np.interp(levels, below, np.log(self.grid)))

    @property
    def median(self) -> float:
        """The posterior median, where one strength is needed."""
        return float(self.quantiles(0.5))

    def nodes(self, n: int) -> Array:
        """Return n strengths that represent the posterior with equal weights."""
        return self.quantiles((np.arange(n) + 0.5) / n)

    def variance(self, strengths: ArrayLike) -> Array:
        """Return the mean variance of log d for each strength."""
        return _variance(self.inverse, np.asarray(strengths))


@dataclass(frozen=True)
class Population:
    """The mean distribution of items, and how different they are."""

    mean: Array
    strength: Strength
    n_effective: float  # number of independent votes that determine the mean as well

    @property
    def prior_votes(self) -> Array:
        """The parameters s·p of the Dirichlet prior at the median of the strength."""
        return self.strength.median * self.mean


def fit_population(counts: Array, weight: Array | None = None) -> Population:
    """Fit the mean and the strength to counts of votes, (n, c). `weight` repeats items.

    In the mean, an item with N votes counts as N(1 + s) / (N + s) independent votes: as N votes if
    all items are alike, and as one vote if each item is unanimous.
    """
    weight = np.ones(len(counts)) if weight is None else weight
    rows, times = counted_rows(counts, weight)
    n_votes = rows.sum(axis=1)
    shares = rows / np.maximum(n_votes, 1)[:, None]
    n_free = max(0, int(np.count_nonzero(rows.any(axis=0))) - 1)
    median = 1.0
    for _ in range(ITERATIONS):
        effective = times * effective_votes(n_votes, median)
        votes = effective @ shares + ADDED
        mean = votes / votes.sum()
        strength = Strength.fit(rows, mean, times, n_free)
        previous, median = median, strength.median
        if abs(np.log(median / previous)) < TOLERANCE:
            break
    return Population(mean, strength, float(effective.sum()))


def fit_to_pairs(counts: Array, needed_by: str) -> Population:
    """Fit a population; raise an error if no item has two votes."""
    if counts.sum(axis=1).max() < 2:
        reason = "one vote per item does not show disagreement"
        raise TableError(f"No item has two votes, but {needed_by} needs some: {reason}.")
    return fit_population(counts)


def distinct_rows(counts: Array) -> tuple[Array, Any]:
    """Return the distinct rows of counts, and the position of each row in them."""
    short = counts.astype(np.min_scalar_type(int(counts.max(initial=0))))  # faster to sort
    rows, positions = np.unique(short, axis=0, return_inverse=True)
    return rows.astype(np.float64), positions.ravel()


def counted_rows(counts: Array, weight: Array) -> tuple[Array, Array]:
    """Return the distinct rows of counts, and the sums of their weights."""
    rows, positions = distinct_rows(counts)
    return rows, np.bincount(positions, weight).astype(np.float64)


def effective_votes(n_votes: Array, strength: float) -> Array:
    """Return the numbers of independent votes that show the mean as well as those of the items."""
    return n_votes * (1 + strength) / (n_votes + strength)


def _variance(inverse: float, strengths: Array) -> Array:
    """Return the variance of log d, if d were log-normal: d / p has the variance exp(σ²) − 1."""
    return np.log1p(inverse / (strengths + 1))


class _LogDensity:
    """The posterior density of log s, up to a constant: likelihood of the counts times prior."""

    def __init__(self, counts: Array, means: Array, weight: Array, n_free: int) -> None:
        means = np.broadcast_to(means, counts.shape)
        self.inverse = float(np.average((1 / means).mean(axis=1), weights=weight))
        rows, labels = counts.nonzero()
        self.cells = counts[rows, labels]
        self.means = means[rows, labels]
        self.cell_weight = weight[rows]
        self.n_votes, positions = np.unique(counts.sum(axis=1), return_inverse=True)
        self.weight = np.bincount(positions, weight)
        self.n_free = n_free
        shares = np.average(means, axis=0, weights=weight)
        # Shares that are equal by chance would give zero.
        standard_error = np.sqrt((1 / shares).mean() / (weight @ counts.sum(axis=1) + ADDED))
        deviation = float(np.std(np.log(shares), ddof=min(1, len(shares) - 1)))
        self.usual_variance = max(deviation, min(1.0, standard_error))

    def __call__(self, strengths: Array) -> Array:
        variance = _variance(self.inverse, strengths)
        standardised = np.log(variance / self.usual_variance) / DEVIATION
        # The prior is that of the log variance, and s is smaller if the variance is larger.
        slope = -np.gradient(np.log(variance), np.log(strengths))
        log_likelihood = np.array([self._log_likelihood(s) for s in strengths])
        return np.log(slope) - standardised**2 / 2 + log_likelihood

    def _log_likelihood(self, s: float) -> float:
        of_cells = self.cell_weight @ _log_rising(s * self.means, self.cells)
        of_totals = self.weight @ _log_rising(s, self.n_votes)
        # Each contrast of the mean is integrated over its normal posterior.
        n_effective = self.weight @ effective_votes(self.n_votes, s) + ADDED
        return float(of_cells - of_totals - self.n_free / 2 * np.log(n_effective))


def _log_rising(a: Array | float, counts: Array) -> Array:
    """Return log(Γ(a + counts) / Γ(a))."""
    return np.asarray(gammaln(a + counts) - gammaln(a))
