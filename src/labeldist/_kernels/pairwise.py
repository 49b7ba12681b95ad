"""Distances and kernel values between all pairs of many rows, met block by block: no n × n matrix is made."""

from collections.abc import Iterator

import numpy as np

from labeldist._kernels.kernel import gaussian
from labeldist._kernels.scaling import column_means, squarable_unit
from labeldist._typing import TINY, Array

BLOCK = 64
"""Rows of a block. Its distances to a few thousand rows stay in the cache while they are worked on."""

SAMPLE_ROWS = 10_000
"""How many rows tell the mean distance of more."""


def squared_distance_blocks(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of each block, and their squared distances to these rows and all later ones.

    So every pair of rows is met once, but for those within a block, which are met in both orders. The next block
    overwrites the distances of the last one.
    """
    X = X - column_means(X)  # a large shift would cost digits
    n, squares = len(X), np.einsum("ij,ij->i", X, X)
    # ‖x‖² + ‖y‖² − 2xᵀy as one product.
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
    """`labeldist._kernels.kernel.mean_distance` from the rows themselves."""
    X = X - column_means(X)
    n, total, unit = len(X), 0.0, squarable_unit(X)
    for rows, squared in squared_distance_blocks(X / unit):
        distances = np.sqrt(squared, out=squared)
        total += 2 * distances.sum() - distances[:, : rows.stop - rows.start].sum()
    return unit * float(total) / (n * (n - 1)) if total > 0 else 1.0


def sampled_mean_distance(X: Array, generator: np.random.RandomState) -> float:
    """`mean_pairwise_distance`, of a sample of `SAMPLE_ROWS` rows where there are more: right to a few thousandths."""
    if len(X) > SAMPLE_ROWS:
        X = X[generator.choice(len(X), SAMPLE_ROWS, replace=False)]
    return mean_pairwise_distance(X)


def gaussian_product(X: Array, width: float, V: Array) -> Array:
    """KV for K_ij = exp(−‖x_i − x_j‖² / (2 width²)); half of K is computed, once, and none of it kept."""
    product = np.zeros(V.shape)
    unit = squarable_unit(X - column_means(X))
    for rows, squared in squared_distance_blocks(X / unit):
        K = gaussian(squared, max(width / unit, TINY))
        product[rows] += K @ V[rows.start :]
        product[rows.stop :] += K[:, rows.stop - rows.start :].T @ V[rows]
    return product
