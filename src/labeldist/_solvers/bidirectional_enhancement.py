"""Exact minimisers of the bidirectional loss of BD-LE."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._float_limits import EPSILON
from labeldist._solvers.conjugate_gradients import solve_conjugate_gradient
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.sylvester import SAFETY, solve_symmetric_sylvester
from labeldist._typing import Array

REPRODUCTION = 1e-3  # largest relative error of the scores; the loss grows by at most its square


@dataclass(frozen=True)
class EnhancementLoss:
    """The loss ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)) as a function of W, of shape (p, c).

    α = 0 gives the unidirectional loss, UD-LE.
    """

    features: Array  # Φ, (n, p), the kernel matrix with a column of ones appended
    labels: Array  # L, (n, c), logical labels
    reconstruction: float  # α, weight of the reconstruction of features from labels
    smoothness: float  # λ, weight of the neighbour graph
    laplacian: Any = None  # S, (n, n), sparse and symmetric; required if λ > 0

    @cached_property
    def cross(self) -> Array:
        """ΦᵀL."""
        return self.features.T @ self.labels

    @cached_property
    def label_gram(self) -> Array:
        """LᵀL."""
        return self.labels.T @ self.labels

    @cached_property
    def squared_features(self) -> float:
        """‖Φ‖²."""
        return float(np.vdot(self.features, self.features))

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W and its gradient, 2Φᵀ(ΦW − L + λSΦW) + 2α(W LᵀL − ΦᵀL)."""
        scores = self.features @ W
        error = scores - self.labels
        back = W @ self.label_gram
        loss_back = self.squared_features + np.vdot(W, back - 2 * self.cross)
        value = np.vdot(error, error) + self.reconstruction * loss_back
        pull = error
        if self.smoothness:
            smoothed = self.smoothness * (self.laplacian @ scores)
            value += np.vdot(scores, smoothed)
            pull = error + smoothed
        gradient = 2 * (self.features.T @ pull + self.reconstruction * (back - self.cross))
        return float(value), gradient

    def smooth(self, V: Array) -> Array:
        """Return (I + λS)V."""
        if not self.smoothness:
            return V
        return V + self.smoothness * (self.laplacian @ V)

    def normal_equations(self) -> tuple[Array, Array, Array]:
        """Return A, B and C such that the minimiser solves AW + WB = C.

        A = Φᵀ(I + λS)Φ, B = α LᵀL and C = (1 + α) ΦᵀL.
        """
        A = self.features.T @ self.smooth(self.features)
        return A, self.reconstruction * self.label_gram, (1 + self.reconstruction) * self.cross


@dataclass(frozen=True)
class ExactMinimum:
    """Result of `minimize_exactly`."""

    W: Array  # (p, c)
    residual: float  # relative residual of the equation that was solved
    condition: float | None  # its condition number; None if α = 0, where it is small


def minimize_exactly(loss: EnhancementLoss) -> ExactMinimum:
    """Minimise the bidirectional loss; return the minimiser of minimum norm if it is not unique.

    - α > 0: solve the Sylvester equation of the normal equations, `solve_symmetric_sylvester`.
    - α = 0: solve for the scores first, `minimize_over_kernel_range`.
    - If this fails: minimise ‖R(ΦW) − R⁻ᵀL‖² with RᵀR = I + λS by an orthogonal factorisation.
      Normal equations would square the condition number of Φ, which is already large for a kernel
      matrix.
    """
    if loss.reconstruction:
        solution = solve_symmetric_sylvester(*loss.normal_equations())
        return ExactMinimum(solution.X, solution.residual, solution.condition)
    W = minimize_over_kernel_range(loss)
    if W is None:
        W = _least_squares(loss)
    return ExactMinimum(W, _relative_gradient(loss, W), None)


def _least_squares(loss: EnhancementLoss) -> Array:
    features = loss.features
    labels = loss.labels
    if loss.smoothness:
        R = linalg.cholesky(loss.smooth(np.eye(len(features))))
        features = R @ features
        labels = linalg.solve_triangular(R, labels, trans="T")
    W, *_ = linalg.lstsq(features, labels, cond=len(features) * EPSILON, lapack_driver="gelsy")
    return W


def _relative_gradient(loss: EnhancementLoss, W: Array) -> float:
    """Return ‖Φᵀ(ΦW − L + λSΦW)‖ / ‖Φ‖(‖ΦW + λSΦW‖ + ‖L‖), for α = 0, without forming ΦᵀΦ."""
    pull = loss.smooth(loss.features @ W)
    scale = math.sqrt(loss.squared_features) * (linalg.norm(pull) + linalg.norm(loss.labels))
    if not scale:
        return 0.0
    return float(linalg.norm(loss.features.T @ (pull - loss.labels)) / scale)


@dataclass(frozen=True)
class KernelRange:
    """Columns R of K that span its range up to rounding: K_:R = E K_RR.

    E is the identity on the rows R.
    """

    chosen: Array  # R
    others: Array  # the other rows: duplicates, and combinations of R up to rounding
    factor: Array  # (r, r), lower Cholesky factor of K_RR
    combinations: Array  # (n − r, r), the rows of E outside R

    @classmethod
    def of(cls, K: Array) -> KernelRange:
        """Factor a symmetric positive semidefinite K by pivoted Cholesky; n³/3 multiplications."""
        # The rounding error of a pivot is relative to the diagonal, not to the largest
        # eigenvalue.
        tol = SAFETY * len(K) * EPSILON * np.diagonal(K).max()
        L, pivots, rank, _ = linalg.lapack.dpstrf(K.T, lower=1, tol=tol)
        order = pivots - 1
        factor = np.asfortranarray(L[:rank, :rank])
        combinations = linalg.solve_triangular(
            factor, L[rank:, :rank].T, trans="T", lower=True, check_finite=False
        )
        return cls(order[:rank], order[rank:], factor, np.ascontiguousarray(combinations.T))

    def extend(self, F: Array) -> Array:
        """Return EF."""
        extended = np.empty((len(self.chosen) + len(self.others), F.shape[1]))
        extended[self.chosen] = F
        extended[self.others] = self.combinations @ F
        return extended

    def gather(self, V: Array) -> Array:
        """Return EᵀV."""
        return V[self.chosen] + self.combinations.T @ V[self.others]


def minimize_over_kernel_range(loss: EnhancementLoss) -> Array | None:
    """Minimise ‖F − L‖² + λ tr(FᵀSF) over F = ΦW, Φ = [K, 1]; return W, or None if it fails.

    The best scores Ef solve Eᵀ(I + λS)E f = EᵀL. The condition of this system does not depend on
    the condition of K: if K is invertible, E is the identity. Then W solves KW + 1bᵀ = Ef on the
    rows R and is zero on the others. The shortest such solution has b = vᵀu / (1 + vᵀv) with u =
    K_RR⁻¹f and v = K_RR⁻¹1.

    The method fails if the constant is not in the range of K, because then the column of ones
    matters, if K is not symmetric positive semidefinite, or if rounding prevents W from reproducing
    the scores.
    """
    K = loss.features[:, :-1]
    if not _is_symmetric(K):
        return None
    span = KernelRange.of(K)
    ones = np.ones((len(K), 1))
    chosen_ones = ones[: len(span.chosen)]
    if not _is_reproduced(ones, span.extend(chosen_ones)):
        return None

    def system(F: Array) -> Array:
        return span.gather(loss.smooth(span.extend(F)))

    best = solve_conjugate_gradient(system, span.gather(loss.labels)).X
    right = np.column_stack([best, chosen_ones])
    solved, _ = linalg.lapack.dpotrs(span.factor, right, lower=True)
    u = solved[:, :-1]
    v = solved[:, -1:]
    scores = span.extend(best)
    # If the constant is in the range only up to rounding, a large intercept reveals the error; then
    # try without it.
    shortest = v.T @ u / (1 + v.T @ v)
    for intercept in (shortest, np.zeros_like(shortest)):
        dual = np.zeros_like(loss.labels)
        dual[span.chosen] = u - v @ intercept
        if _is_reproduced(scores, K @ dual + intercept):
            return np.vstack([dual, intercept])
    return None


def _is_reproduced(wanted: Array, found: Array) -> bool:
    return bool(linalg.norm(found - wanted) <= REPRODUCTION * linalg.norm(wanted))


def _is_symmetric(K: Array) -> bool:
    """Return whether K is symmetric up to rounding.

    Blocks are compared, because reading a whole transpose is slow.
    """
    return all(
        np.allclose(K[rows, rows.start :], K[rows.start :, rows].T, rtol=1e-12, atol=0)
        for rows in row_blocks(len(K), len(K))
    )
