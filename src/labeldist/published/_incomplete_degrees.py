"""Linear scores that are distributions, fitted to incomplete degrees by ADMM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.softmax_loss import preconditioner
from labeldist._solvers.sparse_or_dense import gram
from labeldist._typing import Array
from labeldist.published._admm import ADMMSolution, minimize_by_admm
from labeldist.published._proximal import shrink_singular_values


@dataclass(frozen=True)
class ColumnSpace:
    """The scores XW + 1bᵀ that linear models of given features can have."""

    basis: Array  # (n, r), orthonormal columns; the last one is constant
    transform: Array  # (m, r − 1), with (X − mean) · transform equal to the other columns
    mean: Array  # (m,), of the features

    @classmethod
    def of(cls, X: Array) -> ColumnSpace:
        """Find the basis; constant or dependent directions of X are omitted."""
        mean, scale = mean_and_scale(X)
        standard = (X - mean) / scale
        T = preconditioner(gram(standard))
        # The columns of standard @ T are orthonormal up to rounding errors, which dependent
        # features magnify.
        Q, R = linalg.qr(standard @ T, mode="economic")
        if T.size:
            T = linalg.solve_triangular(R, T.T, trans="T").T
        constant = np.full(len(X), len(X) ** -0.5)
        return cls(np.column_stack([Q, constant]), T / scale[:, None], mean)

    def project(self, T: Array) -> Array:
        """Return the possible scores nearest to T, (n, c)."""
        return self.basis @ (self.basis.T @ T)

    def coefficients(self, scores: Array) -> tuple[Array, Array]:
        """Return W, (m, c), and b, (c,), for which (X − mean) W + 1bᵀ are the given scores."""
        inner = self.basis.T @ scores
        return self.transform @ inner[:-1], inner[-1] * self.basis[0, -1]


def minimize_incomplete(
    space: ColumnSpace, D: Array, weight: Array, low_rank: float, *, tol: float, max_iter: int
) -> ADMMSolution:
    """Minimise ½ Σ_ij w_ij (y_ij − d_ij)² + λ‖Y‖_* over scores Y whose rows are distributions.

    Y is in `space`. The weights are zero for missing degrees, where D may be any number. ADMM has
    copies of Y: one of distributions and, if λ > 0, one of low rank. x of the result is Y.
    """
    pull = weight * D

    def update_scores(T: Array, rho: float, Y: Array) -> tuple[Array, Array]:  # noqa: ARG001
        Y = space.project(T.mean(axis=0))
        return Y, np.broadcast_to(Y, T.shape)

    def update_copies(T: Array, rho: float) -> Array:
        copies = [weighted_simplex(pull + rho * T[0], weight + rho)]
        if low_rank:
            copies.append(shrink_singular_values(T[1], low_rank / rho))
        return np.stack(copies)

    start = np.full_like(D, 1 / D.shape[1])
    n_copies = 2 if low_rank else 1
    copies = np.stack([start] * n_copies)
    rho = weight[weight > 0].mean()
    return minimize_by_admm(
        update_scores, update_copies, start, copies, rho=rho, tol=tol, max_iter=max_iter
    )


def weighted_simplex(H: Array, weight: Array) -> Array:
    """Return for each row the distribution m that minimises ½ Σ_j w_j m_j² − Σ_j h_j m_j.

    It is m_j = max(0, (h_j − τ) / w_j) with the threshold τ for which it sums to one. If only the
    k largest entries of h are positive in m, τ is their quotient below; the largest one is right.
    """
    order = np.argsort(-H, axis=1)
    h = np.take_along_axis(H, order, axis=1)
    share = 1 / np.take_along_axis(weight, order, axis=1)
    thresholds = (np.cumsum(h * share, axis=1) - 1) / np.cumsum(share, axis=1)
    return np.maximum(H - thresholds.max(axis=1, keepdims=True), 0) / weight
