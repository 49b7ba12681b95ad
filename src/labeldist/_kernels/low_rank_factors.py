"""Low-rank factors of kernel matrices: greedy and randomly pivoted Cholesky decompositions."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._solvers.scaling import column_means
from labeldist._typing import EPSILON, Array
from labeldist.exceptions import SingularCoefficientError

Kernel = Callable[[Array, Array], Array]

FIRST_COLUMNS = 64  # initial capacity of a factor, which doubles when it is full

PIVOT_BLOCK = 64  # pivots drawn at a time; enough that matrix products dominate the cost
DIAGONAL_BLOCK = 256
REDUNDANT = 0.1  # a drawn row is dropped if the block leaves it less than this share of the mean residual
PIVOT_ROWS = 20_000  # pivots are chosen among at most this many rows, which represent larger tables
FREE_RANK = 500  # columns that are used even if fewer meet the tolerance, because they cost little
INDEFINITE = 1e-6  # a residual below minus this share of the diagonal is not rounding error
INDEFINITE_MESSAGE = (
    "The kernel matrix is not positive semidefinite, but solver='low_rank' requires it. Use solver='exact'."
)


def gaussian_factor(X: Array, gamma: float, tol: float, *, max_rank: int | None = None) -> tuple[Array, Array]:
    """Return Z and the pivots of the greedily pivoted Cholesky decomposition ZZᵀ ≈ K = exp(−γ‖x_i − x_j‖²).

    Every entry of K − ZZᵀ is at most `tol`, unless `max_rank` columns are reached first. The next pivot is the row with
    the largest residual. For a small tolerance this needs the fewest columns; for few columns `draw_pivots` is better.
    ``Z[pivots]`` is lower triangular. For any row x, k(x, X[pivots]) times its inverse transpose is the row of Z.
    """
    n = len(X)
    limit = n if max_rank is None else min(n, max_rank)
    X = X - column_means(X)
    norms = (X**2).sum(axis=1)
    residual = np.ones(n)
    Z = np.empty((n, min(limit, FIRST_COLUMNS)))
    pivots: list[int] = []
    while len(pivots) < limit and residual.max() > tol:
        # All residuals are equal at first. The outermost row is the first pivot, whatever the order of the rows.
        pivot = int((residual if pivots else norms).argmax())
        rank = len(pivots)
        if rank == Z.shape[1]:
            Z = np.hstack([Z, np.empty((n, min(rank, limit - rank)))])
        squared = np.maximum(norms + norms[pivot] - 2 * (X @ X[pivot]), 0)
        squared[pivot] = 0  # rounding of large numbers may give another value
        with np.errstate(over="ignore"):  # an infinite distance has weight 0
            column = np.exp(-gamma * squared)
        column -= Z[:, :rank] @ Z[pivot, :rank]
        column /= np.sqrt(residual[pivot])
        column[pivots] = 0  # exactly, not only up to rounding
        Z[:, rank] = column
        residual -= column**2
        residual[pivot] = 0
        pivots.append(pivot)
    return np.ascontiguousarray(Z[:, : len(pivots)]), np.array(pivots)


@dataclass(frozen=True)
class KernelPivots:
    """Result of `draw_pivots`: K ≈ ZZᵀ with Z = K_:P F⁻ᵀ."""

    rows: NDArray[np.intp]  # P, indices of the r pivots
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
    """Choose rows P such that ‖K − K_:P K_PP⁻¹ K_P:‖ ≤ tol·‖K‖, by randomly pivoted Cholesky in blocks.

    Each block of rows is drawn with probabilities proportional to the diagonal d of the residual E = K − ZZᵀ. Drawn
    rows that the others make redundant are dropped. With i and j drawn in this way, ‖E‖² = Σ d² + (Σd)² · mean over
    i ≠ j of E_ij² / (d_i d_j). The Frobenius norm gives little weight to a tail of many small eigenvalues, which the
    ridge of BD-LE shrinks anyway. The cost is about n·r² multiplications, with n at most `PIVOT_ROWS`.

    ``kernel(X, Y)`` returns kernel values; K must be positive semidefinite. Stop also if no entry of the difference is
    larger than `entry_tolerance`.
    """
    sample = np.arange(len(X)) if len(X) <= PIVOT_ROWS else np.sort(generator.choice(len(X), PIVOT_ROWS, False))
    X = X if len(sample) == len(X) else X[sample]
    residual = kernel_diagonal(kernel, X)
    diagonal = residual.max()
    # A residual that is rounding error must not become a pivot.
    negligible = max(entry_tolerance, 10 * len(X) * EPSILON * diagonal)
    Z = np.empty((min(max_rank, FIRST_COLUMNS), len(X)))  # Zᵀ, which doubles when it is full
    pivots: list[NDArray[np.intp]] = []
    rank, whole, error = 0, 0.0, 0.0
    while rank < max_rank and (candidates := np.flatnonzero(residual > negligible)).size:
        share = residual[candidates] / residual[candidates].sum()
        size = min(PIVOT_BLOCK, max_rank - rank, len(candidates))
        drawn = generator.choice(candidates, size, replace=False, p=share)
        part = kernel(X[drawn], X[drawn])
        part -= Z[:rank, drawn].T @ Z[:rank, drawn]
        squared = _squared_norm(part, residual, drawn)
        whole = whole or squared
        error = float(np.sqrt(squared / whole))
        if error <= tol and rank >= FREE_RANK:
            break
        kept, factor = _independent(part, max(REDUNDANT * min(residual.mean(), np.diagonal(part).max()), negligible))
        new = drawn[kept]
        columns = kernel(X, X[new]).T
        columns -= Z[:rank, new].T @ Z[:rank]
        columns = linalg.solve_triangular(factor, columns, lower=True, overwrite_b=True, check_finite=False)
        residual -= np.einsum("ij,ij->j", columns, columns)
        residual[new] = 0
        if residual.min() < -INDEFINITE * diagonal:
            raise SingularCoefficientError(INDEFINITE_MESSAGE, "A")
        while rank + len(new) > len(Z):
            Z = np.vstack([Z, np.empty((min(len(Z), max_rank - len(Z)), len(X)))])
        Z[rank : rank + len(new)] = columns
        pivots.append(new)
        rank += len(new)
    else:
        error = error if rank == max_rank else 0.0  # without candidates the remaining error is negligible
    if not pivots:
        return KernelPivots(np.empty(0, dtype=np.intp), np.empty((0, 0)), 0.0, Z[:0])
    chosen = np.concatenate(pivots)
    return KernelPivots(sample[chosen], np.tril(Z[:rank, chosen].T), error, Z[:rank])


def kernel_diagonal(kernel: Kernel, X: Array) -> Array:
    """Return k(x, x) for every row, from small square blocks."""
    blocks = (X[start : start + DIAGONAL_BLOCK] for start in range(0, len(X), DIAGONAL_BLOCK))
    return np.concatenate([np.diagonal(kernel(block, block)) for block in blocks])


def _squared_norm(part: Array, residual: Array, drawn: NDArray[np.intp]) -> float:
    """Estimate ‖E‖² from the block of rows drawn in proportion to the diagonal of E."""
    size, d = len(drawn), residual[drawn]
    diagonal = float(residual @ residual)
    if size == 1:
        return diagonal
    correlations = part**2 / np.outer(d, d)
    pairs = correlations.sum() - np.trace(correlations)
    return diagonal + float(residual.sum()) ** 2 * pairs / (size * (size - 1))


def _independent(part: Array, tol: float) -> tuple[NDArray[np.intp], Array]:
    """Return the rows of a positive semidefinite matrix that are independent of earlier ones, and their factor."""
    left = part.copy()
    kept = []
    for row in range(len(part)):  # in drawing order, so that rounding does not decide between equal pivots
        if left[row, row] > tol:
            kept.append(row)
            left -= np.outer(left[:, row], left[row] / left[row, row])
    if not kept:
        raise SingularCoefficientError(INDEFINITE_MESSAGE, "A")
    return np.array(kept), linalg.cholesky(part[np.ix_(kept, kept)], lower=True)
