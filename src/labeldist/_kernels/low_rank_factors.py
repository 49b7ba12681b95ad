"""Low-rank factors of kernel matrices by randomly pivoted Cholesky decomposition."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._float_limits import EPSILON
from labeldist._solvers.sylvester import SingularCoefficientError
from labeldist._typing import Array

Kernel = Callable[[Array, Array], Array]
Rows = NDArray[np.intp]

PIVOT_BLOCK = 64  # pivots drawn at a time; enough that matrix products dominate the cost
DIAGONAL_BLOCK = 256
# A drawn row is dropped if the block leaves it less than this share of the mean residual.
REDUNDANT = 0.1
PIVOT_ROWS = 20_000  # pivots are chosen among at most this many rows, which represent larger tables
FREE_RANK = 500  # columns that are used even if fewer meet the tolerance, because they cost little
INDEFINITE = 1e-6  # a residual below minus this share of the diagonal is not rounding error


@dataclass(frozen=True)
class KernelPivots:
    """Result of `draw_pivots`: K ≈ ZZᵀ with Z = K_:P F⁻ᵀ."""

    rows: Rows  # P, indices of the r pivots
    factor: Array  # F, (r, r), lower Cholesky factor of K_PP
    error: float  # estimate of ‖K − ZZᵀ‖ / ‖K‖ in Frobenius norms, from the last rows drawn
    features: Array  # Zᵀ, (r, n), of at most PIVOT_ROWS rows


def draw_pivots(
    kernel: Kernel,
    X: Array,
    tol: float,
    max_rank: int,
    generator: np.random.RandomState,
    *,
    entry_tolerance: float = 0.0,
) -> KernelPivots:
    """Choose rows P such that ‖K − K_:P K_PP⁻¹ K_P:‖ ≤ tol·‖K‖, by randomly pivoted Cholesky.

    Each block of rows is drawn with probabilities proportional to the diagonal d of the residual E
    = K − ZZᵀ. Drawn rows that the others make redundant are dropped. With i and j drawn in this
    way, ‖E‖² = Σ d² + (Σd)² · mean over i ≠ j of E_ij² / (d_i d_j). The Frobenius norm gives little
    weight to a tail of many small eigenvalues, which the ridge of BD-LE shrinks anyway. The cost is
    about n·r² multiplications, with n at most `PIVOT_ROWS`.

    ``kernel(X, Y)`` returns kernel values; K must be positive semidefinite. Stop also if no entry
    of the difference is larger than `entry_tolerance`.
    """
    sample = np.arange(len(X))
    if len(X) > PIVOT_ROWS:
        sample = np.sort(generator.choice(len(X), PIVOT_ROWS, replace=False))
        X = X[sample]
    residual = kernel_diagonal(kernel, X)
    diagonal = residual.max()
    # A residual that is rounding error must not become a pivot.
    negligible = max(entry_tolerance, 10 * len(X) * EPSILON * diagonal)
    Z = np.empty((min(max_rank, len(X)), len(X)))  # Zᵀ
    pivots: list[Rows] = []
    rank = 0
    error = 0.0
    first_norm = 0.0
    while rank < max_rank:
        candidates = np.flatnonzero(residual > negligible)
        if not candidates.size:
            error = 0.0  # the remaining error is negligible
            break
        share = residual[candidates] / residual[candidates].sum()
        size = min(PIVOT_BLOCK, max_rank - rank, len(candidates))
        drawn = generator.choice(candidates, size, replace=False, p=share)
        part = kernel(X[drawn], X[drawn])
        part -= Z[:rank, drawn].T @ Z[:rank, drawn]
        squared_norm = _squared_norm(part, residual, drawn)
        first_norm = first_norm or squared_norm
        error = float(np.sqrt(squared_norm / first_norm))
        if error <= tol and rank >= FREE_RANK:
            break
        smallest = REDUNDANT * min(residual.mean(), np.diagonal(part).max())
        kept, factor = _independent(part, max(smallest, negligible))
        new = drawn[kept]
        columns = kernel(X, X[new]).T
        columns -= Z[:rank, new].T @ Z[:rank]
        columns = linalg.solve_triangular(
            factor, columns, lower=True, overwrite_b=True, check_finite=False
        )
        residual -= np.einsum("ij,ij->j", columns, columns)
        residual[new] = 0
        if residual.min() < -INDEFINITE * diagonal:
            message = "The kernel matrix is not positive semidefinite. Use solver='exact'."
            raise SingularCoefficientError(message, "A")
        Z[rank : rank + len(new)] = columns
        pivots.append(new)
        rank += len(new)
    chosen = np.concatenate(pivots)
    return KernelPivots(sample[chosen], np.tril(Z[:rank, chosen].T), error, Z[:rank])


def kernel_diagonal(kernel: Kernel, X: Array) -> Array:
    """Return k(x, x) for every row, from small square blocks."""
    blocks = (X[start : start + DIAGONAL_BLOCK] for start in range(0, len(X), DIAGONAL_BLOCK))
    return np.concatenate([np.diagonal(kernel(block, block)) for block in blocks])


def _squared_norm(part: Array, residual: Array, drawn: Rows) -> float:
    """Estimate ‖E‖² from the block of rows drawn in proportion to the diagonal of E."""
    size = len(drawn)
    diagonal = residual @ residual
    if size == 1:
        return float(diagonal)
    correlations = part**2 / np.outer(residual[drawn], residual[drawn])
    pairs = correlations.sum() - np.trace(correlations)
    return float(diagonal + residual.sum() ** 2 * pairs / (size * (size - 1)))


def _independent(part: Array, tol: float) -> tuple[list[int], Array]:
    """Return the rows of a matrix that are independent of earlier ones, and their factor.

    The matrix is positive semidefinite.
    """
    left = part.copy()
    kept = []
    # In drawing order, so that rounding does not decide between equal pivots.
    for row in range(len(part)):
        if left[row, row] > tol:
            kept.append(row)
            left -= np.outer(left[:, row], left[row] / left[row, row])
    return kept, linalg.cholesky(part[np.ix_(kept, kept)], lower=True)
