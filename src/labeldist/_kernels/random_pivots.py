"""A low-rank approximation of a kernel matrix of which only a few columns are ever computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._typing import EPSILON, Array
from labeldist.exceptions import SingularCoefficientError

Kernel = Callable[[Array, Array], Array]

BLOCK = 64
"""How many pivots are drawn at a time: enough for products of matrices to do the work."""

REDUNDANT = 0.1
"""A drawn row is not taken if the others of its block leave it less than this share of the mean residual."""

SAMPLE_ROWS = 20_000
"""Pivots are chosen among at most so many rows: as many tell what the kernel matrix of a million looks like."""

FREE_RANK = 500
"""So many columns cost little and are taken even if fewer would do: the more rows, the more a small error counts."""

DIAGONAL_BLOCK = 64

INDEFINITE = 1e-6
"""A residual that is negative by more than this share of the diagonal is not rounding."""

INDEFINITE_MESSAGE = (
    "The kernel matrix is not positive semidefinite, and solver='low_rank' needs it so. Use solver='exact'."
)


@dataclass(frozen=True)
class KernelPivots:
    """K ≈ ZZᵀ with Z = K_:P F⁻ᵀ: what turns the kernel values with a few rows P into those with all rows.

    Attributes
    ----------
    rows : ndarray of int of shape (r,)
        P, the pivots, as numbers of rows.
    factor : ndarray of shape (r, r)
        F, the lower triangular Cholesky factor of K_PP.
    error : float
        An estimate of ‖K − ZZᵀ‖ / ‖K‖ in Frobenius norms, from the last rows drawn.
    """

    rows: NDArray[np.intp]
    factor: Array
    error: float


def draw_pivots(
    kernel: Kernel,
    X: Array,
    tol: float,
    max_rank: int,
    generator: np.random.RandomState,
    *,
    entry_tolerance: float = 0.0,
) -> KernelPivots:
    """Choose rows P such that ‖K − K_:P K_PP⁻¹ K_P:‖ ≤ tolerance·‖K‖, by randomly pivoted Cholesky in blocks.

    With `entry_tolerance` it is also enough that no entry of the difference is larger than that.

    Each block of rows is drawn with probabilities proportional to the diagonal d of the residual E = K − ZZᵀ; those
    that others drawn before them make redundant are dropped. What E is among them says how large it is: with i and j
    drawn so, ‖E‖² = Σ d² + (Σd)² · mean over i ≠ j of E_ij² / (d_i d_j). A tail of many small eigenvalues is what the
    ridge of BD-LE shrinks anyway; the Frobenius norm counts it for little, the trace would count it in full. Time grows
    as n·r², n being at most `SAMPLE_ROWS`.

    Parameters
    ----------
    kernel : callable
        Takes two arrays of rows and returns the matrix of their kernel values, which must be positive semidefinite.
    X : ndarray of shape (n, m)
    tol : float
    max_rank : int
    generator : RandomState
    """
    sample = np.arange(len(X)) if len(X) <= SAMPLE_ROWS else np.sort(generator.choice(len(X), SAMPLE_ROWS, False))
    X = X if len(sample) == len(X) else X[sample]
    residual = kernel_diagonal(kernel, X)
    diagonal = residual.max()
    # What rounding leaves of a residual must not become a pivot.
    negligible = max(entry_tolerance, 10 * len(X) * EPSILON * diagonal)
    blocks: list[Array] = []  # of Zᵀ
    pivots: list[NDArray[np.intp]] = []
    rank, whole, error = 0, 0.0, 0.0
    while rank < max_rank and (candidates := np.flatnonzero(residual > negligible)).size:
        share = residual[candidates] / residual[candidates].sum()
        size = min(BLOCK, max_rank - rank, len(candidates))
        drawn = generator.choice(candidates, size, replace=False, p=share)
        part = kernel(X[drawn], X[drawn])
        for block in blocks:
            part -= block[:, drawn].T @ block[:, drawn]
        squared = _squared_norm(part, residual, drawn)
        whole = whole or squared
        error = float(np.sqrt(squared / whole))
        if error <= tol and rank >= FREE_RANK:
            break
        kept, factor = _independent(part, max(REDUNDANT * min(residual.mean(), np.diagonal(part).max()), negligible))
        new = drawn[kept]
        columns = kernel(X, X[new]).T
        for block in blocks:
            columns -= block[:, new].T @ block
        columns = linalg.solve_triangular(factor, columns, lower=True, overwrite_b=True, check_finite=False)
        residual -= np.einsum("ij,ij->j", columns, columns)
        residual[new] = 0
        if residual.min() < -INDEFINITE * diagonal:
            raise SingularCoefficientError(INDEFINITE_MESSAGE, "A")
        blocks.append(columns)
        pivots.append(new)
        rank += len(new)
    else:
        error = error if rank == max_rank else 0.0  # nothing that counts is left
    if not pivots:
        return KernelPivots(np.empty(0, dtype=np.intp), np.empty((0, 0)), 0.0)
    chosen = np.concatenate(pivots)
    return KernelPivots(sample[chosen], np.tril(np.hstack([block[:, chosen].T for block in blocks])), error)


def kernel_diagonal(kernel: Kernel, X: Array) -> Array:
    """k(x, x) for every row, from small square blocks."""
    blocks = (X[start : start + DIAGONAL_BLOCK] for start in range(0, len(X), DIAGONAL_BLOCK))
    return np.concatenate([np.diagonal(kernel(block, block)) for block in blocks])


def _squared_norm(part: Array, residual: Array, drawn: NDArray[np.intp]) -> float:
    """Estimate ‖E‖² from the part of it that belongs to rows drawn in proportion to its diagonal."""
    size, d = len(drawn), residual[drawn]
    diagonal = float(residual @ residual)
    if size == 1:
        return diagonal
    correlations = part**2 / np.outer(d, d)
    pairs = correlations.sum() - np.trace(correlations)
    return diagonal + float(residual.sum()) ** 2 * pairs / (size * (size - 1))


def _independent(part: Array, tol: float) -> tuple[NDArray[np.intp], Array]:
    """Rows of a positive semidefinite matrix that those before them leave something of, and their Cholesky factor."""
    left = part.copy()
    kept = []
    for row in range(len(part)):  # in the order of drawing: rounding, which decides between equal pivots, does not here
        if left[row, row] > tol:
            kept.append(row)
            left -= np.outer(left[:, row], left[row] / left[row, row])
    if not kept:
        raise SingularCoefficientError(INDEFINITE_MESSAGE, "A")
    return np.array(kept), linalg.cholesky(part[np.ix_(kept, kept)], lower=True)
