"""The bidirectional loss of BD-LE over a kernel matrix of low rank, in time and memory that grow with n alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist._typing import Array

BLOCK_ENTRIES = 1_000_000
"""How many kernel values are worked on at a time."""

SMALLEST_BLOCK = 64

PRODUCT_COLUMNS = 128

SINGLE_PRECISION_BYTES = 2**26
"""A factor Z that would take more is held in single precision, for the product ZᵀSZ alone."""


@dataclass(frozen=True)
class LowRankMinimum:
    """What `minimize_low_rank` returns.

    Attributes
    ----------
    dual : ndarray of shape (r, c)
        The weight of each pivot's kernel value: the scores are K_:P dual + intercept, of new rows too.
    intercept : ndarray of shape (c,)
    residual : float
        How well the equation of size r + 1 is solved, and
    condition : float
        its condition number; see `SylvesterSolution`.
    """

    dual: Array
    intercept: Array
    residual: float
    condition: float


def minimize_low_rank(
    kernel_rows: Callable[[slice], Array],
    factor: Array,
    labels: Array,
    reconstruction: float,
    smoothness: float,
    laplacian: Any = None,
) -> LowRankMinimum:
    """Minimise ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)) for Φ = [ZZᵀ, 1], Z = K_:P F⁻ᵀ, without forming ΦΦᵀ.

    The minimiser lies in the range of Φᵀ, so its scores depend on Φ through ΦΦᵀ = Z(ZᵀZ)Zᵀ + 11ᵀ alone, and any Y with
    YYᵀ = ΦΦᵀ gives the same. With ZᵀZ = RRᵀ, Y = [ZR, 1] is one of r + 1 columns, and the scores YV solve

        Yᵀ(I + λS)Y V + α V LᵀL = (1 + α) YᵀL.

    (The features [Z, 1] would be another model: its ridge sees the root of K.) All that it takes is ZᵀZ, ZᵀSZ, Zᵀ1 and
    ZᵀL, from one pass over the rows.

    Parameters
    ----------
    kernel_rows : callable
        Takes a slice of the rows and returns their kernel values with the pivots, an array that may be overwritten.
    factor : ndarray of shape (r, r)
        F, the lower triangular Cholesky factor of the kernel matrix of the pivots.
    labels : ndarray of shape (n, c)
        L.
    reconstruction, smoothness : float
        α and λ.
    laplacian : sparse array of shape (n, n) or None
        S, symmetric, with S1 = 0; needed unless `smoothness` is 0.
    """
    n, r = len(labels), len(factor)
    beside = np.column_stack([labels, np.ones(n)])
    gram, cross = np.zeros((r, r)), np.zeros((r, beside.shape[1]))
    single = 8 * n * r > SINGLE_PRECISION_BYTES
    held = np.empty((n, r), dtype=np.float32 if single else np.float64) if smoothness else None
    for rows in row_blocks(n, r, shortest=r):  # or adding up the products would take longer than computing them
        Z = linalg.solve_triangular(factor, kernel_rows(rows).T, lower=True, overwrite_b=True, check_finite=False).T
        gram += Z.T @ Z
        cross += Z.T @ beside[rows]
        if held is not None:
            held[rows] = Z
    R = _root(gram)
    inner = R.T @ R
    A = np.empty((R.shape[1] + 1, R.shape[1] + 1))
    A[:-1, :-1] = inner @ inner  # RᵀZᵀZR
    if held is not None:
        A[:-1, :-1] += smoothness * (R.T @ _graph_product(held, laplacian) @ R)
    A[:-1, -1] = A[-1, :-1] = R.T @ cross[:, -1]
    A[-1, -1] = n
    right = np.vstack([R.T @ cross[:, :-1], labels.sum(axis=0)])
    solution = solve_symmetric_sylvester(
        (A + A.T) / 2, reconstruction * (labels.T @ labels), (1 + reconstruction) * right
    )
    dual = linalg.solve_triangular(factor, R @ solution.X[:-1], lower=True, trans="T", check_finite=False)
    return LowRankMinimum(dual, solution.X[-1], solution.residual, solution.condition)


def row_blocks(n: int, columns: int, *, shortest: int = SMALLEST_BLOCK) -> Iterator[slice]:
    """Slices of n rows whose blocks of so many columns have about `BLOCK_ENTRIES` entries."""
    length = max(shortest, BLOCK_ENTRIES // max(columns, 1))
    return (slice(start, min(start + length, n)) for start in range(0, n, length))


def _root(gram: Array) -> Array:
    """R of full column rank with RRᵀ = ZᵀZ, by pivoted Cholesky: ZᵀZ may be singular to rounding."""
    if not len(gram):
        return gram
    factor, order, rank, _ = linalg.lapack.dpstrf(gram, lower=1)
    R = np.empty((len(gram), rank))
    R[order - 1] = np.tril(factor)[:, :rank]
    return R


def _graph_product(Z: Array, laplacian: Any) -> Array:
    """ZᵀSZ, its lower blocks computed and the upper ones copied; sums over many rows are kept in double precision."""
    n, r = Z.shape
    S = laplacian.astype(Z.dtype)
    product = np.zeros((r, r))
    for start in range(0, r, PRODUCT_COLUMNS):
        block = slice(start, min(start + PRODUCT_COLUMNS, r))
        smoothed = S @ np.ascontiguousarray(Z[:, block])
        for rows in row_blocks(n, r):
            product[start:, block] += Z[rows, start:].T @ smoothed[rows]
        product[block, block.stop :] = product[block.stop :, block].T
    return product
