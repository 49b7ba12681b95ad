"""The Gaussian kernel, with a bandwidth taken from the data."""

from typing import Literal

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from labeldist._kernels.scaling import refuse_too_large, squarable_unit
from labeldist._typing import TINY, Array


def squared_distances(X: Array, Y: Array | None = None) -> Array:
    """‖x − y‖² between the rows of `X` and those of `Y` (default: of `X` itself)."""
    # Distances do not see a shift, but ‖x‖² + ‖y‖² − 2xᵀy, by which they are computed, loses digits to a large one. The
    # median lies among the rows even if some of them are far away.
    center = np.median(X if Y is None else Y, axis=0)
    return np.asarray(euclidean_distances(X - center, None if Y is None else Y - center, squared=True))


def gaussian_kernel(X: Array, bandwidth: float | Literal["mean"]) -> tuple[Array, float]:
    """Return the kernel matrix of the rows, and the bandwidth: the one given, or their mean distance."""
    X = X - np.median(X, axis=0)
    unit = squarable_unit(X)
    squared = squared_distances(X / unit)
    width = mean_distance(squared) if bandwidth == "mean" else max(float(bandwidth) / unit, TINY)
    return gaussian(squared, width), width * unit if bandwidth == "mean" else float(bandwidth)


def gaussian_between(X: Array, Y: Array, width: float) -> Array:
    """Return the kernel values between the rows of `X` and those of `Y`."""
    center = np.median(Y, axis=0)
    unit = squarable_unit(Y - center)
    with np.errstate(over="ignore"):  # what comes of it is refused
        X = (X - center) / unit
    refuse_too_large(X)
    return gaussian(squared_distances(X, (Y - center) / unit), max(width / unit, TINY))


def mean_distance(squared: Array) -> float:
    """Mean of ‖x_i − x_j‖ over the n(n−1)/2 distinct pairs, from a square matrix of squared distances.

    1 for a single row and for rows that are all equal, so that it can always serve as a width.
    """
    n = len(squared)
    # Row by row: the roots of the whole matrix would be another matrix of its size.
    total = sum(float(np.sqrt(row).sum()) for row in squared)
    return total / (n * (n - 1)) if total > 0 else 1.0


def gaussian(squared: Array, width: float) -> Array:
    """exp(−‖x − y‖² / (2 width²)), in place."""
    # Dividing by the width twice: its square alone leaves the number range long before the quotient does.
    with np.errstate(over="ignore"):  # what is infinitely far has no weight
        squared /= width
        squared /= -2 * width
    return np.exp(squared, out=squared)
