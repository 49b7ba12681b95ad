"""Column means, standard deviations and units that are safe for numbers of any magnitude."""

from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

# A feature with a smaller ratio of deviation to mean is constant up to rounding.
ROUNDING_SPREAD = 1e-12
# The inverse of a smaller number, divided by a standard deviation, may overflow.
NEGLIGIBLE = 1e-290


def column_means(X: Array, weights: Array | None = None) -> Array:
    """Return the mean of each column, exact for a constant column.

    A sum rounds: 0.1 minus the computed mean of many 0.1 is not zero. After division by its own
    size the remainder would look like a feature. So the means are clipped to the range of their
    column.
    """
    unit = largest_or_one(X)
    mean = unit * np.average(X / unit, axis=0, weights=weights)  # the sum cannot overflow
    return np.clip(mean, X.min(axis=0), X.max(axis=0))


def safe_scale(deviation: Array, mean: Array) -> Array:
    """Return divisors that standardise varying features and make constant ones vanish.

    The divisor is the standard deviation. It is the absolute mean if the deviation is rounding
    error, so that the quotient is small in any units, and 1 if the deviation is zero or too small
    to divide by.
    """
    size = np.abs(mean)
    scale = np.where(deviation > ROUNDING_SPREAD * size, deviation, size)
    return np.where((deviation > 0) & (scale > NEGLIGIBLE), scale, 1.0)


def mean_and_scale(X: Array, *, scale: bool = True) -> tuple[Array, Array]:
    """Return the column means of `X` and the safe sample (n − 1) standard deviations.

    If `scale` is False, return 0 and 1.
    """
    n, m = X.shape
    if not scale:
        return np.zeros(m), np.ones(m)
    mean = column_means(X)
    unit = largest_or_one(X)
    gaps = X / unit - mean / unit  # in these units squares do not overflow
    with np.errstate(over="ignore"):
        deviation = unit * np.sqrt((gaps**2).sum(axis=0) / max(n - 1, 1))
    # The deviation of the largest floating-point numbers may overflow. Division by infinity would
    # erase the feature.
    return mean, safe_scale(np.minimum(deviation, np.finfo(np.float64).max), mean)


def standardise(X: Array, mean: Array, scale: Array) -> Array:
    """Return a standardised copy of the rows; raise a ValueError if their squares overflow."""
    with np.errstate(over="ignore"):  # checked below
        X = (X - mean) / scale
    check_squarable(X)
    return X


def divide_columns(X: Any, unit: Array) -> Any:
    """Divide the columns of a dense or sparse table by their units.

    If all units are 1, return `X` itself.
    """
    if (unit == 1).all():
        return X
    if isinstance(X, np.ndarray):
        return X / unit
    return sparse.csr_array(X) @ sparse.diags_array(1 / unit)


def too_large_message(feature: int) -> str:
    """Return the error message for a feature whose values cannot be squared."""
    return (
        f"Feature {feature} has values too large to be squared. "
        "Rescale it first, for example with StandardScaler or RobustScaler."
    )


def check_squarable(X: Any) -> None:
    """Raise a ValueError if a sum of squares of entries of a dense or sparse table may overflow."""
    # A squared distance is a sum of squares of differences, which are up to twice as large as the
    # entries.
    n, m = X.shape
    limit = np.sqrt(np.finfo(np.float64).max / (4 * max(n * m, 1)))
    if max(X.max(), -X.min()) > limit:
        raise ValueError(too_large_message(int(largest_by_column(X).argmax())))


def largest_by_column(X: Any) -> Array:
    """Return the largest absolute value of each column of a dense or sparse table."""
    largest = abs(X).max(axis=0)
    if not isinstance(largest, np.ndarray):
        largest = largest.toarray().ravel()
    return np.asarray(largest, dtype=np.float64)


def largest_or_one(X: Any) -> Array:
    """Return the largest absolute value of each column, and 1 for columns of zeros."""
    largest = largest_by_column(X)
    return np.where(largest > 0, largest, 1.0)
