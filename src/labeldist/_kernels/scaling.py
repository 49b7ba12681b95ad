"""Means that are exact for constants, deviations that are safe to divide by, and numbers that can be squared."""

from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

ROUNDING_SPREAD = 1e-12
"""A feature whose standard deviation is below this share of its mean is constant but for rounding."""

LEAST_SQUARABLE = 1e-100
"""Differences of numbers of this size, even small ones, have squares with all their digits."""

NEGLIGIBLE = 1e-290
"""The inverse of smaller numbers, times that of a spread, may be infinite."""


def column_means(X: Array, weights: Array | None = None) -> Array:
    """Return the mean of each column, which for a column of equal numbers is that number.

    A sum rounds, so that 0.1 less the computed mean of many 0.1 is not zero. Beside small features, or divided by its
    own size, what is left would pass for a feature.
    """
    unit = _units(X)
    mean = np.average(X / unit, axis=0, weights=weights) * unit  # the sum of large numbers stays within the range
    return np.clip(mean, X.min(axis=0), X.max(axis=0))


def safe_scale(deviation: Array, mean: Array) -> Array:
    """Return the standard deviations, with what makes constant features vanish in place of theirs.

    That is 1 for a feature without a spread that could be divided by, and the mean where the spread is rounding: it is
    then small beside that of the others, whatever its units.
    """
    size = np.abs(mean)
    scale = np.where(deviation > ROUNDING_SPREAD * size, deviation, size)
    return np.where((deviation > 0) & (scale > NEGLIGIBLE), scale, 1.0)


def mean_and_scale(X: Array) -> tuple[Array, Array]:
    """Return what standardises the columns of `X`: their means and sample (n − 1) standard deviations."""
    mean, unit = column_means(X), _units(X)
    gaps = X / unit - mean / unit  # so that squares stay within the number range
    with np.errstate(over="ignore"):
        deviation = unit * np.sqrt((gaps**2).sum(axis=0) / max(len(X) - 1, 1))
    # That of a few of the largest numbers can be larger than all; divided by infinity nothing would be left of them.
    return mean, safe_scale(np.minimum(deviation, np.finfo(np.float64).max), mean)


def _units(X: Array) -> Array:
    """Return the largest size of a number in each column, and 1 for columns of zeros."""
    largest = largest_by_column(X)
    return np.where(largest > 0, largest, 1.0)


def squarable_unit(X: Any) -> float:
    """Return by what to divide numbers whose squares would leave the number range or lose digits at its end; mostly 1.

    It is a power of two, so that dividing rounds nothing.
    """
    largest = float(max(X.max(), -X.min()))
    if largest == 0 or LEAST_SQUARABLE < largest < 1 / LEAST_SQUARABLE:
        return 1.0
    return float(np.ldexp(1.0, np.frexp(largest)[1] - 1))


def column_units(X: Any) -> Array:
    """Return a `squarable_unit` for each column of a table, dense or sparse.

    Infinity for a column smaller than `NEGLIGIBLE`, which leaves nothing of it: its coefficients would leave the range.
    """
    largest = largest_by_column(X)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - 1)
    ordinary = (largest == 0) | ((largest > LEAST_SQUARABLE) & (largest < 1 / LEAST_SQUARABLE))
    return np.where(ordinary, 1.0, np.where(largest < NEGLIGIBLE, np.inf, unit))


def divide_columns(X: Any, unit: Array) -> Any:
    """Return a table, dense or sparse, whose columns are divided by their units; itself where they are all 1."""
    if (unit == 1).all():
        return X
    if isinstance(X, np.ndarray):
        return X / unit
    return sparse.csr_array(X) @ sparse.diags_array(1 / unit)


def too_large(feature: int) -> str:
    """Say of a feature that its numbers cannot be squared, and what to do."""
    return (
        f"Feature {feature} has values too large to be squared. Divide it by its size first, as StandardScaler or "
        "RobustScaler does."
    )


def refuse_too_large(X: Any) -> None:
    """Refuse a table, dense or sparse, with numbers whose squares, added up, would leave the number range."""
    # A distance is a sum of squares of differences, of twice the size.
    limit = np.sqrt(np.finfo(np.float64).max / (4 * max(X.shape[0] * X.shape[1], 1)))
    if max(X.max(), -X.min()) > limit:
        raise ValueError(too_large(int(largest_by_column(X).argmax())))


def largest_by_column(X: Any) -> Array:
    """Return the largest size of a number in each column of a table, dense or sparse."""
    largest = abs(X).max(axis=0)
    return np.asarray(largest if isinstance(X, np.ndarray) else largest.toarray(), dtype=np.float64).ravel()
