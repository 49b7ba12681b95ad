"""Solver of bidirectional least squares for many pairs of penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._float_limits import EPSILON
from labeldist._solvers.sylvester import SAFETY, eigh, solve_symmetric_sylvester
from labeldist._typing import Array

# If the ratio of diagonal entries of A + λ₂I is larger, orthogonal transformations lose the digits
# of small features in the rounding of large ones. Cholesky does not depend on units.
WIDE = 1e8
# If the rank of A is at most this share of its size, it is faster to solve in its range.
LOW_RANK = 0.7


@dataclass(frozen=True)
class SylvesterPath:
    """The solutions of ``(A + λ₂I) X + X (λ₁B) = (1 + λ₁) C`` for any penalties λ₁ and λ₂.

    With B = V diag(b) Vᵀ the columns of XV separate: ``(A + (λ₂ + λ₁b_k) I) y_k = (1 + λ₁) C v_k``.
    All points of the path share the matrix A with different shifts of its diagonal. So A = QTQᵀ
    with T tridiagonal is computed once (4m³/3 multiplications), and all systems are solved by one
    sweep over T. Points where A + λ₂I is singular up to rounding, or where the units of the
    features differ too much, are solved separately.

    The columns of X are in the range of A, as the columns of C are. So if there are fewer rows than
    features, the systems are solved in an orthonormal basis of it.
    """

    A: Array  # (m, m), symmetric positive semidefinite
    B: Array  # (c, c), symmetric positive semidefinite
    C: Array  # (m, c), in the range of A
    max_rank: float = np.inf  # upper bound of the rank of A, such as the number of rows

    def solve(self, reconstructions: Array, ridges: Array) -> Array:
        """Return X for all pairs of λ₁ and λ₂; its shape is (λ₁, λ₂, m, c).

        If A + λ₂I is singular up to rounding, X is the solution of minimum norm.
        """
        X = np.empty((len(reconstructions), len(ridges), *self.C.shape))
        apart = self._must_be_solved_apart(ridges)
        together = np.flatnonzero(~apart)
        if together.size:
            is_low = self.max_rank <= LOW_RANK * len(self.A)
            solve = self._solve_in_range if is_low else self._solve_together
            X[:, together] = solve(reconstructions, ridges[together])
        for j in np.flatnonzero(apart):
            shifted = self.A + ridges[j] * np.eye(len(self.A))
            for i, weight in enumerate(reconstructions):
                right = (1 + weight) * self.C
                X[i, j] = solve_symmetric_sylvester(shifted, weight * self.B, right).X
        return X

    def _must_be_solved_apart(self, ridges: Array) -> NDArray[np.bool_]:
        diagonal = np.diagonal(self.A)
        largest = diagonal.max()
        smallest = diagonal[diagonal > 0].min(initial=largest)  # constant features do not count
        rounding = SAFETY * len(diagonal) * EPSILON * diagonal.sum()
        is_wide = (largest + ridges) / WIDE > smallest + ridges
        return is_wide | (ridges <= rounding)

    def _solve_in_range(self, reconstructions: Array, ridges: Array) -> Array:
        pivoted, pivots, rank, _ = linalg.lapack.dpstrf(self.A, lower=1)
        rank = max(rank, 1)  # 0 if all features are constant
        factor = np.empty((len(pivoted), rank))  # A is the product of it and its transpose
        factor[pivots - 1] = np.tril(pivoted[:, :rank])
        basis, R = linalg.qr(factor, mode="economic")
        inside = SylvesterPath(R @ R.T, self.B, basis.T @ self.C)
        return np.asarray(basis @ inside._solve_together(reconstructions, ridges))

    def _solve_together(self, reconstructions: Array, ridges: Array) -> Array:
        b, V = eigh(self.B)
        b[b <= SAFETY * len(self.B) * EPSILON * b[-1]] = 0
        lwork, _ = linalg.lapack.dsytrd_lwork(len(self.A), lower=1)
        reduced = linalg.lapack.dsytrd(self.A, lower=1, lwork=int(lwork))
        packed, diagonal, beside, factors, _ = reduced
        # Q does not change the first coordinate; its reflections have the format of LAPACK's QR.
        reflections = np.asfortranarray(packed[1:, :-1])
        right = self.C @ V
        right[1:] = _reflect(reflections, factors, right[1:], "T")
        weights = reconstructions[:, None, None]
        Y = _solve_tridiagonal(diagonal, beside, ridges[:, None] + weights * b, right)
        flat = Y.reshape(len(Y), -1)
        flat[1:] = _reflect(reflections, factors, flat[1:], "N")
        Y *= 1 + weights
        return np.moveaxis(Y, 0, 2) @ V.T


def _solve_tridiagonal(diagonal: Array, beside: Array, shifts: Array, right: Array) -> Array:
    """Solve (T + shift I) y = r for all shifts at once, by Gaussian elimination.

    T is positive definite with the given diagonal (m,) and off-diagonal (m − 1,). `shifts` has
    shape (..., c), `right` (m, c) and the result (m, ..., c).
    """
    pivots = np.add.outer(diagonal, shifts)
    y = np.empty_like(pivots)
    y[0] = right[0]
    for i, e in enumerate(beside):
        ratio = e / pivots[i]
        pivots[i + 1] -= e * ratio
        np.subtract(right[i + 1], ratio * y[i], out=y[i + 1])
    y[-1] /= pivots[-1]
    for i, e in reversed(list(enumerate(beside))):
        y[i] -= e * y[i + 1]
        y[i] /= pivots[i]
    return y


def _reflect(reflections: Array, factors: Array, Y: Array, trans: str) -> Array:
    """Multiply Y from the left by the product of the reflections, or by its transpose ("T")."""
    if not factors.size:  # a single feature
        return Y
    _, work, _ = linalg.lapack.dormqr("L", trans, reflections, factors, Y, lwork=-1)
    product, _, _ = linalg.lapack.dormqr("L", trans, reflections, factors, Y, lwork=int(work[0]))
    return np.asarray(product)
