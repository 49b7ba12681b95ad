"""The Gaussian kernel and distances between rows, as matrices or block by block."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from labeldist._solvers.scaling import check_squarable, column_means, squarable_unit
from labeldist._typing import TINY, Array

BLOCK = 64  # rows per block, whose distances to a few thousand rows stay in the cache
CENTER_ROWS = 64  # rows whose median is the common shift of all rows
SAMPLE_ROWS = 10_000  # sample size of the mean distance


def squared_distances(X: Array, Y: Array | None = None) -> Array:
    """Return ‖x − y‖² between the rows of `X` and those of `Y` (default: `X` itself)."""
    # ‖x‖² + ‖y‖² − 2xᵀy loses digits if the rows have a large common shift. The median is robust against outliers.
    center = np.median((X if Y is None else Y)[:CENTER_ROWS], axis=0)
    X = X - center
    Z = X if Y is None else Y - center
    squared: Array = X @ (-2 * Z.T)
    squared += np.einsum("ij,ij->i", X, X)[:, None]
    squared += np.einsum("ij,ij->i", Z, Z)
    np.maximum(squared, 0, out=squared)
    if Y is None:
        np.fill_diagonal(squared, 0)
    return squared


def gaussian_kernel(X: Array, bandwidth: float | Literal["mean"]) -> tuple[Array, float]:
    """Return the kernel matrix of the rows and the bandwidth; "mean" is their mean distance."""
    X = X - np.median(X, axis=0)
    unit = squarable_unit(X)
    squared = squared_distances(X / unit)
    width = mean_distance(squared) if bandwidth == "mean" else max(float(bandwidth) / unit, TINY)
    return gaussian(squared, width), width * unit if bandwidth == "mean" else float(bandwidth)


def gaussian_between(X: Array, Y: Array, width: float) -> Array:
    """Return the kernel values between the rows of `X` and those of `Y`."""
    center = np.median(Y, axis=0)
    unit = squarable_unit(Y - center)
    with np.errstate(over="ignore"):  # overflow is reported by `check_squarable`
        X = (X - center) / unit
    check_squarable(X)
    return gaussian(squared_distances(X, (Y - center) / unit), max(width / unit, TINY))


def mean_distance(squared: Array) -> float:
    """Return the mean of ‖x_i − x_j‖ over the n(n − 1)/2 pairs, from a square matrix of squared distances.

    The result is 1 for a single row and for equal rows, so that it can always serve as a bandwidth.
    """
    n = len(squared)
    # Row by row, because the roots of the whole matrix would need the memory of another matrix.
    total = sum(float(np.sqrt(row).sum()) for row in squared)
    return total / (n * (n - 1)) if total > 0 else 1.0


def gaussian(squared: Array, width: float) -> Array:
    """Replace squared distances by exp(−‖x − y‖² / (2 width²)), in place."""
    # Two divisions, because the square of the width may overflow or underflow where the quotient does not.
    with np.errstate(over="ignore"):  # an infinite distance has weight 0
        squared /= width
        squared /= -2 * width
    return np.exp(squared, out=squared)


def squared_distance_blocks(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of each block and their squared distances to these and all later rows, without an n × n matrix.

    Each pair of rows occurs once, except for pairs within a block, which occur in both orders. The next block
    overwrites the distances of the previous one.
    """
    X = X - column_means(X)  # a large common shift would cost digits
    n, squares = len(X), np.einsum("ij,ij->i", X, X)
    # ‖x‖² + ‖y‖² − 2xᵀy as a single product.
    left = np.column_stack([-2 * X, squares, np.ones(n)])
    right = np.column_stack([X, np.ones(n), squares]).T.copy()
    memory = np.empty(BLOCK * n)
    for start in range(0, n, BLOCK):
        rows = slice(start, min(start + BLOCK, n))
        shape = (rows.stop - start, n - start)
        squared = memory[: shape[0] * shape[1]].reshape(shape)
        np.matmul(left[rows], right[:, start:], out=squared)
        np.maximum(squared, 0, out=squared)
        np.fill_diagonal(squared, 0)
        yield rows, squared


def mean_pairwise_distance(X: Array) -> float:
    """Return `mean_distance` of the rows, block by block."""
    X = X - column_means(X)
    n, total, unit = len(X), 0.0, squarable_unit(X)
    for rows, squared in squared_distance_blocks(X / unit):
        distances = np.sqrt(squared, out=squared)
        total += 2 * distances.sum() - distances[:, : rows.stop - rows.start].sum()
    return unit * float(total) / (n * (n - 1)) if total > 0 else 1.0


def sampled_mean_distance(X: Array, generator: np.random.RandomState) -> float:
    """Return `mean_pairwise_distance` of at most `SAMPLE_ROWS` random rows; accurate to a few thousandths."""
    if len(X) > SAMPLE_ROWS:
        X = X[generator.choice(len(X), SAMPLE_ROWS, replace=False)]
    return mean_pairwise_distance(X)


def gaussian_product(X: Array, width: float, V: Array) -> Array:
    """Return KV for K_ij = exp(−‖x_i − x_j‖² / (2 width²)); half of K is computed, once, and not stored."""
    product = np.zeros(V.shape)
    unit = squarable_unit(X - column_means(X))
    for rows, squared in squared_distance_blocks(X / unit):
        K = gaussian(squared, max(width / unit, TINY))
        product[rows] += K @ V[rows.start :]
        product[rows.stop :] += K[:, rows.stop - rows.start :].T @ V[rows]
    return product
