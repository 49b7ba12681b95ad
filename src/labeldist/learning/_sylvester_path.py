"""Solver of bidirectional least squares for many pairs of penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from labeldist._solvers.sylvester import SAFETY, solve_symmetric_sylvester
from labeldist._typing import EPSILON, Array

# If the ratio of diagonal entries of A + λ₂I is larger, orthogonal transformations lose the digits
# of small features in the rounding of large ones. Cholesky does not depend on units.
WIDE = 1e8


@dataclass(frozen=True)
class SylvesterPath:
    """The solutions of ``(A + λ₂I) X + X (λ₁B) = (1 + λ₁) C`` for any penalties λ₁ and λ₂.

    With B = V diag(b) Vᵀ the columns of XV separate: ``(A + (λ₂ + λ₁b_k) I) y_k = (1 + λ₁) C v_k``.
    All points of the path share the matrix A with different shifts of its diagonal. So the
    eigenvectors of A are computed once, and a system is one division. If the units of the features
    differ too much for eigenvectors, each point is solved separately.
    """

    A: Array  # (m, m), symmetric positive semidefinite
    B: Array  # (c, c), symmetric positive semidefinite
    C: Array  # (m, c)

    def solve(self, reconstruction: float, ridges: Array) -> Array:
        """Return X for λ₁ = `reconstruction` and each λ₂ in `ridges`, of shape (len(ridges), m, c).

        If A + λ₂I is singular up to rounding, X is the solution of minimum norm.
        """
        wide = self._spread(ridges) > WIDE
        X = np.empty((len(ridges), *self.C.shape))
        if not wide.all():
            X[~wide] = self._solve_by_eigenvectors(reconstruction, ridges[~wide])
        for i in np.flatnonzero(wide):
            shifted = self.A + ridges[i] * np.eye(len(self.A))
            right = (1 + reconstruction) * self.C
            X[i] = solve_symmetric_sylvester(shifted, reconstruction * self.B, right).X
        return X

    def _spread(self, ridges: Array) -> Array:
        """Return the ratio of extreme diagonal entries of A + λ₂I, without constant features."""
        diagonal = np.diagonal(self.A)
        varying = diagonal[diagonal > 0]
        if not varying.size:
            return np.ones_like(ridges)
        return (varying.max() + ridges) / (varying.min() + ridges)

    @cached_property
    def _label_side(self) -> tuple[Array, Array]:
        """Eigenvalues b and eigenvectors V of B."""
        b, V = linalg.eigh(self.B)
        b[b <= SAFETY * len(self.B) * EPSILON * b[-1]] = 0
        return b, V

    @cached_property
    def _feature_side(self) -> tuple[Array, Array, Array]:
        """Eigenvalues a and eigenvectors U of A, and UᵀCV."""
        _, V = self._label_side
        a, U = linalg.eigh(self.A, driver="evd")
        return a, U, U.T @ (self.C @ V)

    def _solve_by_eigenvectors(self, reconstruction: float, ridges: Array) -> Array:
        b, V = self._label_side
        a, U, right = self._feature_side
        sums = a[:, None] + ridges[:, None, None] + reconstruction * b
        rounding = SAFETY * max(sums.shape[1:]) * EPSILON * sums.max(axis=(1, 2), keepdims=True)
        # Directions without curvature get zero: the solution of minimum norm.
        right = (1 + reconstruction) * right
        inner = np.divide(right, sums, out=np.zeros_like(sums), where=sums > rounding)
        return U @ inner @ V.T
