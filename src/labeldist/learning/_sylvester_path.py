"""Solver of bidirectional least squares for many pairs of penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labeldist._solvers.sylvester import SAFETY, Eigenbases, eigh, solve_symmetric_sylvester
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
        right = (1 + reconstruction) * self.C
        X = np.empty((len(ridges), *self.C.shape))
        for i, (ridge, spread) in enumerate(zip(ridges, self._spread(ridges), strict=True)):
            if spread > WIDE:
                shifted = self.A + ridge * np.eye(len(self.A))
                X[i] = solve_symmetric_sylvester(shifted, reconstruction * self.B, right).X
            else:
                a, U, b, V = self._eigenvectors
                X[i], _ = Eigenbases(a + ridge, U, reconstruction * b, V).solve(right)
        return X

    def _spread(self, ridges: Array) -> Array:
        """Return the ratio of extreme diagonal entries of A + λ₂I, without constant features."""
        diagonal = np.diagonal(self.A)
        varying = diagonal[diagonal > 0]
        if not varying.size:
            return np.ones_like(ridges)
        return (varying.max() + ridges) / (varying.min() + ridges)

    @cached_property
    def _eigenvectors(self) -> tuple[Array, Array, Array, Array]:
        """Eigenvalues and eigenvectors of A and B."""
        b, V = eigh(self.B)
        b[b <= SAFETY * len(self.B) * EPSILON * b[-1]] = 0
        return *eigh(self.A), b, V
