"""Minimiser of the loss of BD-LE over a low-rank kernel matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist._typing import Array

KernelRows = Callable[[slice], Array]

PRODUCT_COLUMNS = 128

# A larger factor Z is stored in single precision; it is used for the product ZᵀSZ only.
SINGLE_PRECISION_BYTES = 2**26


@dataclass(frozen=True)
class LowRankMinimum:
    """Result of `minimize_low_rank`: the scores of all rows are K_:P dual + intercept."""

    dual: Array  # (r, c), weights of the kernel values of the pivots
    intercept: Array  # (c,)
    residual: float  # relative residual of the equation of size r + 1; see `SylvesterSolution`
    condition: float  # condition number of that equation


def minimize_low_rank(
    kernel_rows: KernelRows,
    factor: Array,
    labels: Array,
    reconstruction: float,
    smoothness: float,
    laplacian: Any,
) -> LowRankMinimum:
    """Minimise ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)) for Φ = [ZZᵀ, 1] and Z = K_:P F⁻ᵀ.

    The minimiser is in the range of Φᵀ. So its scores depend on Φ only through ΦΦᵀ = Z(ZᵀZ)Zᵀ +
    11ᵀ, and any Y with YYᵀ = ΦΦᵀ gives the same scores. With ZᵀZ = RRᵀ choose Y = [ZR, 1], which
    has r + 1 columns. The scores YV solve

        Yᵀ(I + λS)Y V + α V LᵀL = (1 + α) YᵀL.

    The features [Z, 1] would be another model, whose ridge applies to the root of K. One pass over
    the rows computes ZᵀZ, ZᵀSZ, Zᵀ1 and ZᵀL. The cost is about 3n·r² multiplications.

    ``kernel_rows(rows)`` returns the kernel values of a slice of rows with the pivots, which may be
    overwritten. `factor` is F, (r, r), the lower Cholesky factor of the kernel matrix of the
    pivots. `labels` is L, (n, c). `reconstruction` and `smoothness` are α and λ. `laplacian` is S,
    sparse and symmetric with S1 = 0, unused if λ = 0.
    """
    n = len(labels)
    r = len(factor)
    targets = np.column_stack([labels, np.ones(n)])
    gram = np.zeros((r, r))
    cross = np.zeros((r, targets.shape[1]))
    is_large = 8 * n * r > SINGLE_PRECISION_BYTES
    if smoothness:
        all_rows = np.empty((n, r), dtype=np.float32 if is_large else np.float64)
    # In shorter blocks, sums of r × r matrices would dominate the cost.
    for rows in row_blocks(n, r, shortest=r):
        Z = linalg.solve_triangular(
            factor, kernel_rows(rows).T, lower=True, overwrite_b=True, check_finite=False
        ).T
        gram += Z.T @ Z
        cross += Z.T @ targets[rows]
        if smoothness:
            all_rows[rows] = Z
    R = _root(gram)
    RZL = R.T @ cross[:, :-1]
    RZ1 = R.T @ cross[:, -1:]
    inner = R.T @ R
    A = inner @ inner  # RᵀZᵀZR
    if smoothness:
        A += smoothness * (R.T @ _graph_product(all_rows, laplacian) @ R)
    A = np.block([[A, RZ1], [RZ1.T, n]])
    right = np.vstack([RZL, labels.sum(axis=0)])
    solution = solve_symmetric_sylvester(
        (A + A.T) / 2, reconstruction * (labels.T @ labels), (1 + reconstruction) * right
    )
    dual = linalg.solve_triangular(
        factor, R @ solution.X[:-1], lower=True, trans="T", check_finite=False
    )
    return LowRankMinimum(dual, solution.X[-1], solution.residual, solution.condition)


def _root(gram: Array) -> Array:
    """Return R of full column rank with RRᵀ = ZᵀZ, by pivoted Cholesky.

    ZᵀZ may be singular up to rounding.
    """
    factor, order, rank, _ = linalg.lapack.dpstrf(gram, lower=1)
    R = np.empty((len(gram), rank))
    R[order - 1] = np.tril(factor)[:, :rank]
    return R


def _graph_product(Z: Array, laplacian: Any) -> Array:
    """Return ZᵀSZ: compute the lower blocks and copy the upper ones.

    Sums over rows are in double precision.
    """
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
