"""The Gaussian kernel and distances between rows, as matrices or block by block."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from labeldist._solvers.scaling import column_means
from labeldist._typing import Array

BLOCK = 64  # rows per block, whose distances to a few thousand rows stay in the cache
CENTER_ROWS = 64  # rows whose median is the common shift of all rows


def squared_distances(X: Array, Y: Array) -> Array:
    """Return ‖x − y‖² between the rows of `X` and the rows of `Y`."""
    # ‖x‖² + ‖y‖² − 2xᵀy loses digits if the rows have a large common shift. The median is robust
    # against outliers.
    center = np.median(Y[:CENTER_ROWS], axis=0)
    X = X - center
    Y = Y - center
    squared: Array = X @ (-2 * Y.T)
    squared += np.einsum("ij,ij->i", X, X)[:, None]
    squared += np.einsum("ij,ij->i", Y, Y)
    return np.maximum(squared, 0, out=squared)


def gaussian_kernel(X: Array, bandwidth: float | Literal["mean"]) -> tuple[Array, float]:
    """Return the kernel matrix of the rows and the bandwidth; "mean" is their mean distance."""
    squared = squared_distances(X, X)
    np.fill_diagonal(squared, 0)
    width = mean_distance(squared) if bandwidth == "mean" else float(bandwidth)
    return gaussian(squared, width), width


def gaussian_between(X: Array, Y: Array, width: float) -> Array:
    """Return the kernel values between the rows of `X` and the rows of `Y`."""
    return gaussian(squared_distances(X, Y), width)


def mean_distance(squared: Array) -> float:
    """Return the mean of ‖x_i − x_j‖ over all pairs, from a matrix of squared distances.

    The result is 1 for a single row and for equal rows, so that it can always serve as a bandwidth.
    """
    n = len(squared)
    # Row by row, because the roots of the whole matrix would need the memory of another matrix.
    total = sum(float(np.sqrt(row).sum()) for row in squared)
    return total / (n * (n - 1)) if total > 0 else 1.0


def gaussian(squared: Array, width: float) -> Array:
    """Replace squared distances by exp(−‖x − y‖² / (2 width²)), in place."""
    squared /= width
    squared /= -2 * width
    return np.exp(squared, out=squared)


def squared_distance_blocks(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of each block and their squared distances to these and all later rows.

    Each pair of rows occurs once, except for pairs within a block, which occur in both orders.
    """
    X = X - column_means(X)  # a large common shift would cost digits
    n = len(X)
    squares = np.einsum("ij,ij->i", X, X)
    # ‖x‖² + ‖y‖² − 2xᵀy as a single product.
    left = np.column_stack([-2 * X, squares, np.ones(n)])
    right = np.column_stack([X, np.ones(n), squares]).T.copy()
    for start in range(0, n, BLOCK):
        rows = slice(start, min(start + BLOCK, n))
        squared = left[rows] @ right[:, start:]
        np.maximum(squared, 0, out=squared)
        np.fill_diagonal(squared, 0)
        yield rows, squared


def mean_pairwise_distance(X: Array) -> float:
    """Return `mean_distance` of the rows, block by block."""
    n = len(X)
    total = 0.0
    for _, squared in squared_distance_blocks(X):
        distances = np.sqrt(squared, out=squared)
        total += 2 * distances.sum() - distances[:, : len(distances)].sum()
    return float(total) / (n * (n - 1)) if total > 0 else 1.0
