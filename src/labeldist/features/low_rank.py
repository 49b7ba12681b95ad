"""A Gaussian kernel matrix as the product of a thin factor with itself."""

import numpy as np

from labeldist.simplex import Array

FIRST_COLUMNS = 64
"""Room that the factor has at first; it doubles when it is full."""


def gaussian_factor(X: Array, gamma: float, tolerance: float) -> tuple[Array, Array]:
    """Return Z and the pivots of the pivoted Cholesky decomposition of K = exp(−γ‖x_i − x_j‖²).

    Every entry of K − ZZᵀ is at most `tolerance`, which suffices for a rank far below n where the kernel is smooth.
    K is never formed: each column of Z takes one column of K, so all takes time as n·rank·(rank + n_features).

    Parameters
    ----------
    X : ndarray of shape (n, m)
    gamma : float
    tolerance : float

    Returns
    -------
    Z : ndarray of shape (n, rank)
    pivots : ndarray of int of shape (rank,)
        The rows whose kernel columns were taken. ``Z[pivots]`` is lower triangular, and for any row x,
        k(x, X[pivots]) times its inverse transposed is x's row of the factor.
    """
    n = len(X)
    X = X - X.mean(axis=0)
    norms = (X**2).sum(axis=1)
    residual = np.ones(n)
    Z = np.empty((n, min(n, FIRST_COLUMNS)))
    pivots: list[int] = []
    # All residuals begin equal. The outermost row goes first, so that the order of the rows does not decide.
    pivot = int(norms.argmax())
    while residual[pivot] > tolerance and len(pivots) < n:
        rank = len(pivots)
        if rank == Z.shape[1]:
            Z = np.hstack([Z, np.empty((n, min(rank, n - rank)))])
        squared = np.maximum(norms + norms[pivot] - 2 * (X @ X[pivot]), 0)
        squared[pivot] = 0  # among large numbers rounding says otherwise
        column = np.exp(-gamma * squared)
        column -= Z[:, :rank] @ Z[pivot, :rank]
        column /= np.sqrt(residual[pivot])
        column[pivots] = 0  # but for rounding it is
        Z[:, rank] = column
        residual -= column**2
        residual[pivot] = 0
        pivots.append(pivot)
        pivot = int(residual.argmax())
    return np.ascontiguousarray(Z[:, : len(pivots)]), np.array(pivots)
