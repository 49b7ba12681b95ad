"""Solver of softmax regression with a ridge penalty, for many penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import softmax_and_log
from labeldist._solvers.sparse_or_dense import StandardisedTable
from labeldist._typing import EPSILON, Array

ABSENT = -1000.0  # intercept of a label without a positive degree: its softmax is zero


@dataclass(frozen=True)
class SoftmaxSolution:
    """Minimiser of the penalised cross-entropy: P = softmax(XW + 1bᵀ)."""

    W: Array  # (m, n_labels)
    b: Array  # (n_labels,)
    point: Array  # W and b in the coordinates of the path, where another search can start
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class SoftmaxPath:
    """The minimisers of −Σ_i w_i Σ_j d_ij log p_ij + (ridge / 2)‖W‖², for any ridge.

    Where P = softmax(XW + 1bᵀ) is the mean distribution p, the Hessian is
    XᵀX ⊗ (diag(p) − ppᵀ) + ridge·I, with centred X. With the eigenvectors U of XᵀX and V of
    diag(p) − ppᵀ it is diagonal, with the entries s_i q_k + ridge. L-BFGS searches in the
    coordinates UᵀWV, scaled by the roots of these entries. The features are rotated once; an
    iteration costs 4·n·m·c multiplications. If there are more features than rows, the search is in
    the span of the rows. Sparse features are neither rotated nor centred in memory; there s_i are
    the diagonal entries of XᵀX.
    """

    features: StandardisedTable  # (n, r), centred, and rotated if they are dense
    D: Array  # (c, n), distributions, with one row per label
    weight: Array | None  # (n,)
    U: Any  # (m, r), orthonormal
    s: Array  # (r + 1,), squared lengths of the columns; the last is the total weight
    V: Array  # (c, c − 1)
    q: Array  # (c − 1,), positive
    center: Array  # (m,), subtracted from the features
    present: NDArray[np.bool_]  # which labels have positive degrees; c is their number

    @classmethod
    def of(cls, X: Any, D: Array, weight: Array | None = None) -> SoftmaxPath:
        """Decompose dense or sparse features X, (n, m), for the distributions D."""
        n, m = X.shape
        counts = np.ones(n) if weight is None else weight
        total = float(counts.sum())
        share = counts / total
        center = share @ X
        if not isinstance(X, np.ndarray):
            U: Any = sparse.eye_array(m)
            Z: Any = sparse.csr_array(X, dtype=np.float64)
            variances = np.maximum(share @ Z**2 - center**2, 0)
        else:
            U, Z = _rotate(X - center)
            variances = share @ Z**2
        present = share @ D > 0
        D = D[:, present]
        mean = share @ D
        q, V = linalg.eigh(np.diag(mean) - np.outer(mean, mean))
        # The first eigenvector is constant: the softmax of scores that grow equally is the same.
        return cls(
            features=StandardisedTable(Z, center, np.ones(m)),
            D=np.ascontiguousarray(D.T),
            weight=weight,
            U=U,
            s=np.append(total * variances, total),
            V=V[:, 1:],
            q=q[1:],
            center=center,
            present=present,
        )

    def _loss(self, point: Array) -> tuple[float, Array]:
        """Return the cross-entropy, and its gradient, at UᵀWV above bᵀV."""
        products = self.features.times(point[:-1], out=np.empty((self.D.shape[1], len(self.q))))
        scores = self.V @ (products + point[-1]).T
        P, log_P = softmax_and_log(scores, axis=0)
        P -= self.D
        if self.weight is None:
            likelihood = np.vdot(self.D, log_P)
        else:
            likelihood = np.einsum("kn,kn,n->", self.D, log_P, self.weight)
            P *= self.weight
        residuals = P.T @ self.V
        gradient = self.features.transposed_times(residuals)
        return -float(likelihood), np.vstack([gradient, residuals.sum(axis=0)])

    @cached_property
    def _at_zero(self) -> tuple[float, Array]:
        """The loss and its gradient at zero, which are the same for every ridge."""
        return self._loss(np.zeros((len(self.s), len(self.q))))

    def solve(
        self, ridge: float, *, start: Array | float = 0.0, tol: float, max_iter: int
    ) -> SoftmaxSolution:
        """Minimise for one ridge, from `start`, the `point` of another solution, or from zero.

        Stop if the largest entry of the gradient in scaled coordinates is at most `tol` times that
        at zero.
        """
        penalty = np.full((len(self.s), 1), float(ridge))
        penalty[-1] = 0  # of the intercept
        curvature = self.s[:, None] * self.q + penalty
        scale = 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0))

        def value_and_gradient(scaled: Array) -> tuple[float, Array]:
            point = scaled * scale
            shrunk = penalty * point
            value, gradient = self._loss(point)
            value += 0.5 * float(np.vdot(point, shrunk))
            return value, (gradient + shrunk) * scale

        value, gradient = self._at_zero
        at_zero = value, gradient * scale
        found = minimize_lbfgs(
            value_and_gradient, start / scale, tol=tol, max_iter=max_iter, at_zero=at_zero
        )
        point = found.X * scale
        rotated = point @ self.V.T
        coefficients = self.U @ rotated[:-1]
        W = np.zeros((len(coefficients), len(self.present)))
        W[:, self.present] = coefficients
        b = np.full(len(self.present), ABSENT)
        b[self.present] = rotated[-1] - self.center @ coefficients
        return SoftmaxSolution(W, b, point, found.n_iter, found.converged)


def _rotate(X: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis U of the row space, the eigenvectors of XᵀX, and XU."""
    n, m = X.shape
    if m <= n:
        _, U = linalg.eigh(X.T @ X)
        return U, X @ U
    s, Q = linalg.eigh(X @ X.T)
    kept = s > n * EPSILON * s[-1]
    length = np.sqrt(s[kept])
    Q = Q[:, kept]
    return X.T @ (Q / length), Q * length
