"""Standard deviations that are safe to divide by."""

import numpy as np

from labeldist.simplex import Array

ROUNDING_SPREAD = 1e-12
"""A feature whose standard deviation is below this share of its mean is constant but for rounding."""


def safe_scale(deviation: Array, mean: Array) -> Array:
    """Return the standard deviations, with 1 in place of those of constant features."""
    return np.where(deviation > ROUNDING_SPREAD * np.abs(mean), deviation, 1.0)


def mean_and_scale(X: Array) -> tuple[Array, Array]:
    """Return what standardises the columns of `X`: their means and sample (n − 1) standard deviations."""
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    Z = X / unit  # so that squares stay within the number range
    mean = Z.mean(axis=0)
    deviation = Z.std(axis=0, ddof=1) if len(Z) > 1 else np.zeros_like(mean)
    return mean * unit, safe_scale(deviation * unit, mean * unit)
