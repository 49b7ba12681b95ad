"""Column means, standard deviations and units that are safe for numbers of any magnitude."""

from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

ROUNDING_SPREAD = 1e-12  # a feature with a smaller ratio of deviation to mean is constant up to rounding
LEAST_SQUARABLE = 1e-100  # differences of numbers of this magnitude can be squared without underflow
NEGLIGIBLE = 1e-290  # the inverse of a smaller number, divided by a standard deviation, may overflow


def column_means(X: Array, weights: Array | None = None) -> Array:
    """Return the mean of each column, exact for a constant column.

    A sum rounds: 0.1 minus the computed mean of many 0.1 is not zero. After division by its own size the remainder
    would look like a feature. So the means are clipped to the range of their column.
    """
    unit = _units(X)
    mean = np.average(X / unit, axis=0, weights=weights) * unit  # division by the unit prevents overflow of the sum
    return np.clip(mean, X.min(axis=0), X.max(axis=0))


def safe_scale(deviation: Array, mean: Array) -> Array:
    """Return divisors that standardise varying features and make constant ones vanish.

    The divisor is the standard deviation. It is the absolute mean if the deviation is rounding error, so that the
    quotient is small in any units, and 1 if the deviation is zero or too small to divide by.
    """
    size = np.abs(mean)
    scale = np.where(deviation > ROUNDING_SPREAD * size, deviation, size)
    return np.where((deviation > 0) & (scale > NEGLIGIBLE), scale, 1.0)


def mean_and_scale(X: Array, *, scale: bool = True) -> tuple[Array, Array]:
    """Return the column means of `X` and the safe sample (n − 1) standard deviations; 0 and 1 without `scale`."""
    if not scale:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    mean, unit = column_means(X), _units(X)
    gaps = X / unit - mean / unit  # in these units squares do not overflow
    with np.errstate(over="ignore"):
        deviation = unit * np.sqrt((gaps**2).sum(axis=0) / max(len(X) - 1, 1))
    # The deviation of the largest floating-point numbers may overflow. Division by infinity would erase the feature.
    return mean, safe_scale(np.minimum(deviation, np.finfo(np.float64).max), mean)


def standardise(X: Array, mean: Array, scale: Array) -> Array:
    """Return a standardised copy of the rows; raise an error if their squares overflow."""
    with np.errstate(over="ignore"):  # checked below
        X = (X - mean) / scale
    check_squarable(X)
    return X


def _units(X: Array) -> Array:
    """Return the largest absolute value of each column, and 1 for columns of zeros."""
    largest = largest_by_column(X)
    return np.where(largest > 0, largest, 1.0)


def squarable_unit(X: Any) -> float:
    """Return a power of two such that the entries of X / unit can be squared without overflow or underflow.

    The unit is 1 for ordinary numbers. Division by a power of two does not round.
    """
    largest = float(max(X.max(), -X.min()))
    if largest == 0 or LEAST_SQUARABLE < largest < 1 / LEAST_SQUARABLE:
        return 1.0
    return float(np.ldexp(1.0, np.frexp(largest)[1] - 1))


def column_units(X: Any) -> Array:
    """Return a `squarable_unit` for each column of a dense or sparse table.

    The unit of a column below `NEGLIGIBLE` is infinity, which sets it to zero: its coefficients would overflow.
    """
    largest = largest_by_column(X)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - 1)
    ordinary = (largest == 0) | ((largest > LEAST_SQUARABLE) & (largest < 1 / LEAST_SQUARABLE))
    return np.where(ordinary, 1.0, np.where(largest < NEGLIGIBLE, np.inf, unit))


def divide_columns(X: Any, unit: Array) -> Any:
    """Divide the columns of a dense or sparse table by their units; return `X` itself if all units are 1."""
    if (unit == 1).all():
        return X
    if isinstance(X, np.ndarray):
        return X / unit
    return sparse.csr_array(X) @ sparse.diags_array(1 / unit)


def too_large_message(feature: int) -> str:
    """Return the error message for a feature whose values cannot be squared."""
    return (
        f"Feature {feature} has values too large to be squared. Rescale it first, for example with StandardScaler or "
        "RobustScaler."
    )


def check_squarable(X: Any) -> None:
    """Raise a ValueError if a sum of squares of entries of a dense or sparse table may overflow."""
    # A squared distance is a sum of squares of differences, which are up to twice as large as the entries.
    limit = np.sqrt(np.finfo(np.float64).max / (4 * max(X.shape[0] * X.shape[1], 1)))
    if max(X.max(), -X.min()) > limit:
        raise ValueError(too_large_message(int(largest_by_column(X).argmax())))


def largest_by_column(X: Any) -> Array:
    """Return the largest absolute value of each column of a dense or sparse table."""
    largest = abs(X).max(axis=0)
    return np.asarray(largest if isinstance(X, np.ndarray) else largest.toarray(), dtype=np.float64).ravel()
