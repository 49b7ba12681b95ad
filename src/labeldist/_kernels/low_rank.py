"""A Gaussian kernel matrix as the product of a thin factor with itself."""

import numpy as np

from labeldist._kernels.scaling import column_means
from labeldist._typing import Array

FIRST_COLUMNS = 64
"""Room that the factor has at first; it doubles when it is full."""


def gaussian_factor(X: Array, gamma: float, tol: float, *, max_rank: int | None = None) -> tuple[Array, Array]:
    """Return Z and the pivots of the pivoted Cholesky decomposition of K = exp(−γ‖x_i − x_j‖²).

    Every entry of K − ZZᵀ is at most `tol`, unless `max_rank` ends it before: for that a rank far below n
    suffices where the kernel is smooth. K is never formed: each column of Z takes one column of K, so all takes time as
    n·rank·(rank + n_features). The largest residual is the next pivot, which needs the fewest columns for a small
    tolerance, and no dice; where columns are few, `random_pivots` spends them better.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    gamma : float
    tol : float
    max_rank : int, default=None
        How many columns Z has at most.

    Returns
    -------
    Z : ndarray of shape (n, rank)
    pivots : ndarray of int of shape (rank,)
        The rows whose kernel columns were taken. ``Z[pivots]`` is lower triangular, and for any row x,
        k(x, X[pivots]) times its inverse transposed is x's row of the factor.
    """
    n = len(X)
    limit = n if max_rank is None else min(n, max_rank)
    X = X - column_means(X)
    norms = (X**2).sum(axis=1)
    residual = np.ones(n)
    Z = np.empty((n, min(limit, FIRST_COLUMNS)))
    pivots: list[int] = []
    while len(pivots) < limit and residual.max() > tol:
        # All residuals begin equal. The outermost row goes first, so that the order of the rows does not decide.
        pivot = int((residual if pivots else norms).argmax())
        rank = len(pivots)
        if rank == Z.shape[1]:
            Z = np.hstack([Z, np.empty((n, min(rank, limit - rank)))])
        squared = np.maximum(norms + norms[pivot] - 2 * (X @ X[pivot]), 0)
        squared[pivot] = 0  # among large numbers rounding says otherwise
        with np.errstate(over="ignore"):  # what is infinitely far has no weight
            column = np.exp(-gamma * squared)
        column -= Z[:, :rank] @ Z[pivot, :rank]
        column /= np.sqrt(residual[pivot])
        column[pivots] = 0  # but for rounding it is
        Z[:, rank] = column
        residual -= column**2
        residual[pivot] = 0
        pivots.append(pivot)
    return np.ascontiguousarray(Z[:, : len(pivots)]), np.array(pivots)
