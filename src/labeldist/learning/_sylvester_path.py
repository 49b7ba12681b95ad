"""Solver of bidirectional least squares for many pairs of penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from labeldist._solvers.sylvester import SAFETY, solve_symmetric_sylvester
from labeldist._typing import EPSILON, Array

LARGE = 400  # from this number of features, the eigenvectors of A cost more than they save

# If the ratio of diagonal entries of A + λ₂I is larger, orthogonal transformations lose the digits
# of small features in the rounding of large ones. Cholesky does not depend on units.
WIDE = 1e8


@dataclass(frozen=True)
class SylvesterPath:
    """The solutions of ``(A + λ₂I) X + X (λ₁B) = (1 + λ₁) C`` for any penalties λ₁ and λ₂.

    With B = V diag(b) Vᵀ the columns of XV separate: ``(A + (λ₂ + λ₁b_k) I) y_k = (1 + λ₁) C v_k``.
    All points of the path share the matrix A with different shifts of its diagonal. So A is
    decomposed once:

    - fewer than `LARGE` features: A = U diag(a) Uᵀ, about 9m³ multiplications; a system is one
      division;
    - more: A = QTQᵀ with T tridiagonal, a third of that cost; a system is one sweep over T;
    - if the units of the features differ too much for either, each point is solved separately.
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
            X[~wide] = self._decomposition.solve(reconstruction, ridges[~wide])
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
    def _decomposition(self) -> _Eigen | _Tridiagonal:
        b, V = linalg.eigh(self.B)
        b[b <= SAFETY * len(self.B) * EPSILON * b[-1]] = 0
        kind = _Tridiagonal if len(self.A) >= LARGE else _Eigen
        return kind.decompose(self.A, b, V, self.C @ V)


@dataclass(frozen=True)
class _Eigen:
    """A = U diag(a) Uᵀ."""

    a: Array
    U: Array
    b: Array
    V: Array
    right: Array  # UᵀCV

    @classmethod
    def decompose(cls, A: Array, b: Array, V: Array, right: Array) -> _Eigen:
        a, U = linalg.eigh(A, driver="evd")
        return cls(a, U, b, V, U.T @ right)

    def solve(self, reconstruction: float, ridges: Array) -> Array:
        sums = self.a[:, None] + ridges[:, None, None] + reconstruction * self.b
        rounding = SAFETY * max(sums.shape[1:]) * EPSILON * sums.max(axis=(1, 2), keepdims=True)
        right = (1 + reconstruction) * self.right
        inner = np.divide(right, sums, out=np.zeros_like(sums), where=sums > rounding)
        return self.U @ inner @ self.V.T


@dataclass(frozen=True)
class _Tridiagonal:
    """A = QTQᵀ with T tridiagonal.

    Q does not change the first coordinate; its reflections have the format of LAPACK's QR.
    """

    diagonal: Array
    beside: Array
    reflections: Array
    factors: Array
    A: Array
    b: Array
    V: Array
    right: Array  # QᵀCV

    @classmethod
    def decompose(cls, A: Array, b: Array, V: Array, right: Array) -> _Tridiagonal:
        lwork, _ = linalg.lapack.dsytrd_lwork(len(A), lower=1)
        packed, diagonal, beside, factors, _ = linalg.lapack.dsytrd(A, lower=1, lwork=int(lwork))
        reflections = np.asfortranarray(packed[1:, :-1])
        rotated = right.copy(order="F")
        rotated[1:] = _reflect(reflections, factors, rotated[1:], transposed=True)
        return cls(diagonal, beside, reflections, factors, A, b, V, rotated)

    def solve(self, reconstruction: float, ridges: Array) -> Array:
        m, c = self.right.shape
        size = np.abs(self.diagonal).max() + 2 * np.abs(self.beside).max(initial=0)
        if ridges.min() <= SAFETY * m * EPSILON * size:  # A may be singular up to rounding
            return self._eigen.solve(reconstruction, ridges)
        Y = np.empty((m, len(ridges), c), order="F")
        for i, ridge in enumerate(ridges):
            for k, b in enumerate(self.b):
                shifted = self.diagonal + (ridge + reconstruction * b)
                solved = linalg.lapack.dptsv(shifted, self.beside, self.right[:, k])
                _, _, Y[:, i, k], failed = solved
                if failed:  # not positive definite because of rounding
                    return self._eigen.solve(reconstruction, ridges)
        Y *= 1 + reconstruction
        X = self._rotate(Y.reshape(m, -1, order="F")).reshape(Y.shape, order="F")
        return np.ascontiguousarray(X.transpose(1, 0, 2)) @ self.V.T

    @cached_property
    def _eigen(self) -> _Eigen:
        return _Eigen.decompose(self.A, self.b, self.V, self._rotate(self.right))

    def _rotate(self, Y: Array) -> Array:
        """Return QY."""
        rest = _reflect(self.reflections, self.factors, Y[1:], transposed=False)
        return np.vstack([Y[:1], rest])


def _reflect(reflections: Array, factors: Array, Y: Array, *, transposed: bool) -> Array:
    """Multiply Y from the left by the product of the reflections, or by its transpose."""
    trans = "T" if transposed else "N"
    _, work, _ = linalg.lapack.dormqr("L", trans, reflections, factors, Y, lwork=-1)
    product, _, _ = linalg.lapack.dormqr("L", trans, reflections, factors, Y, lwork=int(work[0]))
    return np.asarray(product)
