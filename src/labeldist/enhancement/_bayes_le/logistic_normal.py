"""The logistic-normal distribution: degrees softmax(z) with scores z ~ N(mean, covariance).

Arrays of scores have one row per label and one column per item or draw.
"""

from typing import Any

import numpy as np

from labeldist._typing import Array

JITTER = 1e-9  # added to the variances before a covariance is inverted


def precision_of(covariance: Array) -> Array:
    """Return the inverse of the covariance."""
    precision: Any = np.linalg.inv(_jittered(covariance))
    return precision


def cholesky_root(covariance: Array) -> Array:
    """Return a lower triangular root of the covariance."""
    root: Any = np.linalg.cholesky(_jittered(covariance))
    return root


def _jittered(covariance: Array) -> Array:
    return covariance + JITTER * np.eye(len(covariance))


def regularised_covariance(second: Array, n: float) -> tuple[Array, float]:
    """Return a covariance and the spread s of the scores from a second moment C of n residuals.

    The covariance is (n·HCH + n(s²/c)·11ᵀ + ν₀s²I)/(n + ν₀) with H = I − 11ᵀ/c and s² = tr(HCH)/(c
    − 1). Degrees do not depend on the common level of the scores, so its variance is set to the
    variance of the other directions. The prior counts as ν₀ = c + 2 + √n/2 rows: tags determine
    some directions poorly, and EM would fit them to noise.
    """
    c = len(second)
    centered = second - second.mean(axis=0) - second.mean(axis=1)[:, None] + second.mean()
    variance = np.trace(centered) / (c - 1)
    strength = c + 2 + 0.5 * np.sqrt(n)
    moments = n * (centered + variance / c)
    prior = strength * variance * np.eye(c)
    return (moments + prior) / (n + strength), float(np.sqrt(variance))


def softmax_columns(scores: Array) -> Array:
    """Return the degrees of each column of scores."""
    degrees = np.exp(scores - scores.max(axis=0))
    degrees /= degrees.sum(axis=0)
    return degrees


def draw_level(scores: Array, pull: Array, precision: Array, random: np.random.Generator) -> None:
    """Add to each column its common level a ~ N(−1ᵀQ(z − μ)/1ᵀQ1, 1/1ᵀQ1), in place.

    Q is the precision, and `pull` is Q(z − μ). Degrees do not depend on the level.
    """
    total = precision.sum()
    noise = random.standard_normal(scores.shape[1]) / np.sqrt(total)
    scores += noise - pull.sum(axis=0) / total


def expected_degrees(mean: Array, covariance: Array, draws: Array) -> Array:
    """Return E[softmax(z)] for z ~ N(mean, covariance), one column per column of `mean`.

    All columns use the same standard normal draws, of shape (n_labels, n_draws), with both signs.
    """
    steps = cholesky_root(covariance) @ draws
    total = np.zeros(mean.shape)
    for step in np.hstack([steps, -steps]).T:
        total += softmax_columns(mean + step[:, None])
    return total / total.sum(axis=0)
