"""Solver of softmax regression with a ridge penalty, for many penalties with one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy
from labeldist._typing import EPSILON, Array


@dataclass(frozen=True)
class SoftmaxSolution:
    """Minimiser of the penalised cross-entropy: P = softmax(XW + 1bᵀ)."""

    W: Array  # (m, c)
    b: Array  # (c,)
    point: Array  # the same in the coordinates of the path, where a search with another ridge can start
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class SoftmaxPath:
    """The minimisers of −Σ_i w_i Σ_j d_ij log p_ij + (ridge / 2)‖W‖² with P = softmax(XW + 1bᵀ), for any ridge.

    Where P is the mean distribution p, the Hessian is XᵀX ⊗ (diag(p) − ppᵀ) + ridge·I. With the eigenvectors U of XᵀX
    and V of diag(p) − ppᵀ it is diagonal, with the entries s_i q_k + ridge. L-BFGS searches in the coordinates UᵀWV,
    scaled by the roots of these entries. The features are rotated once; an iteration costs 4·n·m·c multiplications. If
    there are more features than rows, the search is in the span of the rows. Sparse features are not rotated; there
    s_i are the diagonal entries of XᵀX.
    """

    loss: CrossEntropy  # of the centred, rotated features with a column of ones
    U: Array | None  # (m, r), orthonormal; None stands for the identity
    s: Array  # (r + 1,), squared lengths of the columns; the last is the total weight
    V: Array  # (c, c − 1)
    q: Array  # (c − 1,), positive
    center: Array  # (m,), subtracted from the features

    @classmethod
    def of(cls, X: Any, D: Array, weight: Array | None = None) -> SoftmaxPath:
        """Decompose dense or sparse features `X`, (n, m). Every label of `D`, (n, c), has a positive mean."""
        share = np.full(len(D), 1 / len(D)) if weight is None else weight / weight.sum()
        total = float(len(D)) if weight is None else float(weight.sum())
        mean = share @ D
        q, V = linalg.eigh(np.diag(mean) - np.outer(mean, mean))
        q, V = q[1:], V[:, 1:]  # softmax does not change if all scores of a row change by the same amount
        if not isinstance(X, np.ndarray):
            U, center, s = None, np.zeros(X.shape[1]), total * (share @ X.multiply(X).tocsr())
            rotated = sparse.hstack([X, sparse.csr_array(np.ones((len(D), 1)))], "csr")
        else:
            center = share @ X
            U, Z = _rotate(X - center)
            s = total * (share @ Z**2)
            rotated = np.hstack([Z, np.ones((len(D), 1))])
        loss = CrossEntropy(rotated, D, None if weight is None else weight[:, None])
        return cls(loss, U, np.append(s, total), V, q, center)

    @cached_property
    def _at_zero(self) -> tuple[float, Array]:
        """The loss and its gradient at zero, which are the same for every ridge."""
        return self.loss.value_and_gradient(np.zeros((len(self.s), len(self.V))))

    def solve(self, ridge: float, *, start: Array | None = None, tol: float, max_iter: int) -> SoftmaxSolution:
        """Minimise for one ridge, from `start`, the `point` of another solution, or from zero.

        Stop if the largest entry of the gradient in scaled coordinates is at most `tol` times that at zero.
        """
        penalty = np.append(np.full(len(self.s) - 1, ridge), 0.0)[:, None]
        curvature = self.s[:, None] * self.q + penalty
        scale = 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0))

        def value_and_gradient(scaled: Array) -> tuple[float, Array]:
            point = scaled * scale
            value, gradient = self.loss.value_and_gradient(point @ self.V.T)
            shrunk = penalty * point
            return value + 0.5 * float(np.vdot(point, shrunk)), (gradient @ self.V + shrunk) * scale

        begin = np.zeros(scale.shape) if start is None else start / scale
        value, gradient = self._at_zero
        found = minimize_lbfgs(
            value_and_gradient, begin, tol=tol, max_iter=max_iter, at_zero=(value, gradient @ self.V * scale)
        )
        point = found.X * scale
        W = point @ self.V.T
        coefficients = W[:-1] if self.U is None else self.U @ W[:-1]
        return SoftmaxSolution(coefficients, W[-1] - self.center @ coefficients, point, found.n_iter, found.converged)


def _rotate(X: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis U of the space of the rows, the eigenvectors of XᵀX, and XU."""
    n, m = X.shape
    if m <= n:
        _, U = linalg.eigh(X.T @ X)
        return U, X @ U
    s, Q = linalg.eigh(X @ X.T)
    kept = s > n * EPSILON * s[-1]
    Z = Q[:, kept] * np.sqrt(s[kept])
    return X.T @ (Q[:, kept] / np.sqrt(s[kept])), Z
