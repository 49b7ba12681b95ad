"""Exact minimisers of the bidirectional loss of BD-LE."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labeldist._solvers.quadratic import solve_conjugate_gradient
from labeldist._solvers.sylvester import SAFETY, solve_symmetric_sylvester
from labeldist._typing import EPSILON, Array

PRODUCT_BLOCK = 1024
SYMMETRY_BLOCK = 512
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
        value = np.vdot(error, error) + self.reconstruction * (
            self.squared_features + np.vdot(W, back - 2 * self.cross)
        )
        pull = error
        if self.smoothness:
            smoothed = self.smoothness * (self.laplacian @ scores)
            value += np.vdot(scores, smoothed)
            pull = error + smoothed
        gradient = 2 * (self.features.T @ pull + self.reconstruction * (back - self.cross))
        return float(value), gradient

    def normal_equations(self) -> tuple[Array, Array, Array]:
        """Return A = Φᵀ(I + λS)Φ, B = α LᵀL and C = (1 + α) ΦᵀL; the minimiser solves AW + WB = C."""
        features = self.features
        if self.smoothness:
            A = _symmetric_product(features, features + self.smoothness * (self.laplacian @ features))
        else:
            A = features.T @ features
        return A, self.reconstruction * self.label_gram, (1 + self.reconstruction) * self.cross


@dataclass(frozen=True)
class ExactMinimum:
    """Result of `minimize_exactly`."""

    W: Array  # (p, c)
    residual: float  # relative residual of the equation that was solved
    condition: float | None  # its condition number; None if α = 0, where the system is always well conditioned


def minimize_exactly(loss: EnhancementLoss) -> ExactMinimum:
    """Minimise the bidirectional loss; return the minimiser of minimum norm if it is not unique.

    - α > 0: solve the Sylvester equation of the normal equations, `solve_symmetric_sylvester`.
    - α = 0 and Φ = [K, 1]: solve for the scores first, `minimize_over_kernel_range`.
    - Otherwise: minimise ‖R(ΦW) − R⁻ᵀL‖² with RᵀR = I + λS by an orthogonal factorisation. Normal equations would
      square the condition number of Φ, which is already large for a kernel matrix.
    """
    if loss.reconstruction:
        solution = solve_symmetric_sylvester(*loss.normal_equations())
        return ExactMinimum(solution.X, solution.residual, solution.condition)
    W = None
    n, p = loss.features.shape
    if p == n + 1 and (loss.features[:, -1] == 1).all():
        W = minimize_over_kernel_range(loss.features[:, :-1], loss.labels, loss.smoothness, loss.laplacian)
    if W is None:
        W = _least_squares(loss)
    return ExactMinimum(W, _relative_gradient(loss, W), None)


def _least_squares(loss: EnhancementLoss) -> Array:
    features, labels = loss.features, loss.labels
    if loss.smoothness:
        R = linalg.cholesky(np.eye(len(features)) + loss.smoothness * loss.laplacian.toarray())
        features, labels = R @ features, linalg.solve_triangular(R, labels, trans="T")
    W, *_ = linalg.lstsq(features, labels, cond=len(features) * EPSILON, lapack_driver="gelsy")
    return W


def _relative_gradient(loss: EnhancementLoss, W: Array) -> float:
    """Return ‖Φᵀ(ΦW − L + λSΦW)‖ / ‖Φ‖(‖ΦW + λSΦW‖ + ‖L‖), for α = 0, without forming ΦᵀΦ."""
    pull = loss.features @ W
    if loss.smoothness:
        pull = pull + loss.smoothness * (loss.laplacian @ pull)
    scale = math.sqrt(loss.squared_features) * (linalg.norm(pull) + linalg.norm(loss.labels))
    return float(linalg.norm(loss.features.T @ (pull - loss.labels)) / scale) if scale else 0.0


def _symmetric_product(P: Array, Q: Array) -> Array:
    """Return PᵀQ if it is known to be symmetric: compute the lower blocks and copy the upper ones."""
    size = P.shape[1]
    product = np.empty((size, size))
    for start in range(0, size, PRODUCT_BLOCK):
        block = slice(start, min(start + PRODUCT_BLOCK, size))
        np.matmul(P[:, start:].T, Q[:, block], out=product[start:, block])
        product[block, block.stop :] = product[block.stop :, block].T
    return product


@dataclass(frozen=True)
class KernelRange:
    """K_:R = E K_RR, where the columns R span the range of K up to rounding and E is the identity on R."""

    chosen: Array  # R
    others: Array  # the other rows: duplicates, and combinations of R up to rounding
    factor: Array  # (r, r), lower Cholesky factor of K_RR
    combinations: Array  # (n − r, r), the rows of E outside R

    @classmethod
    def of(cls, K: Array) -> KernelRange:
        """Factor a symmetric positive semidefinite K by pivoted Cholesky; n³/3 multiplications."""
        # The rounding error of a pivot is relative to the diagonal, whatever the largest eigenvalue is.
        tol = SAFETY * len(K) * EPSILON * float(np.diagonal(K).max())
        L, pivots, rank, _ = linalg.lapack.dpstrf(K.T, lower=1, tol=tol)
        order = pivots - 1
        factor = np.asfortranarray(L[:rank, :rank])
        combinations = linalg.solve_triangular(factor, L[rank:, :rank].T, trans="T", lower=True, check_finite=False).T
        return cls(order[:rank], order[rank:], factor, np.ascontiguousarray(combinations))

    def extend(self, F: Array) -> Array:
        """Return EF."""
        extended = np.empty((len(self.chosen) + len(self.others), F.shape[1]))
        extended[self.chosen], extended[self.others] = F, self.combinations @ F
        return extended

    def gather(self, V: Array) -> Array:
        """Return EᵀV."""
        return V[self.chosen] + self.combinations.T @ V[self.others]


def minimize_over_kernel_range(K: Array, labels: Array, smoothness: float, laplacian: Any) -> Array | None:
    """Minimise ‖F − L‖² + λ tr(FᵀSF) over F = [K, 1] W; return W, of shape (n + 1, c), or None if this method fails.

    The best scores Ef solve Eᵀ(I + λS)E f = EᵀL. The condition of this system does not depend on that of K: if K is
    invertible, E is the identity. Then W solves KW + 1bᵀ = Ef on the rows R and is zero on the others. The shortest
    such solution has b = vᵀu / (1 + vᵀv) with u = K_RR⁻¹f and v = K_RR⁻¹1.

    The method fails if the constant is not in the range of K, because then the column of ones matters, if K is not
    symmetric positive semidefinite, or if rounding prevents W from reproducing the scores.
    """
    if not _is_symmetric(K):
        return None
    span = KernelRange.of(K)
    ones = np.ones((len(K), 1))
    if linalg.norm(ones - span.extend(ones[: len(span.chosen)])) > REPRODUCTION * linalg.norm(ones):
        return None

    def system(F: Array) -> Array:
        scores = span.extend(F)
        return span.gather(scores + smoothness * (laplacian @ scores) if smoothness else scores)

    best = solve_conjugate_gradient(system, span.gather(labels)).X
    solved, _ = linalg.lapack.dpotrs(span.factor, np.column_stack([best, ones[: len(best)]]), lower=True)
    u, v = solved[:, :-1], solved[:, -1:]
    sought = span.extend(best)
    # If the constant is in the range only up to rounding, a large intercept reveals the error; then try without it.
    for intercept in (v.T @ u / (1 + v.T @ v), np.zeros((1, labels.shape[1]))):
        dual = np.zeros_like(labels)
        dual[span.chosen] = u - v @ intercept
        if linalg.norm(K @ dual + intercept - sought) <= REPRODUCTION * linalg.norm(sought):
            return np.vstack([dual, intercept])
    return None


def minimum_over_groups(labels: Array, group: Any, smoothness: float, laplacian: Any) -> float:
    """Return the minimum of ‖F − L‖² + λ tr(FᵀSF) over all scores F that are equal for all rows of a group.

    A kernel matrix that is invertible on distinct rows reaches it in exact arithmetic, with the duplicates as groups.
    """
    E = sparse.csr_array((np.ones(len(group)), group, np.arange(len(group) + 1)))

    def system(F: Array) -> Array:
        scores = E @ F
        return np.asarray(E.T @ (scores + smoothness * (laplacian @ scores) if smoothness else scores))

    sums = E.T @ labels
    best = solve_conjugate_gradient(system, sums).X
    return float(np.vdot(labels, labels) - np.vdot(sums, best))


def _is_symmetric(K: Array) -> bool:
    """Return whether K is symmetric up to rounding; block by block, because reading a whole transpose is slow."""
    blocks = [slice(start, start + SYMMETRY_BLOCK) for start in range(0, len(K), SYMMETRY_BLOCK)]
    pairs = ((K[a, b], K[b, a].T) for i, a in enumerate(blocks) for b in blocks[i:])
    return all(np.array_equal(A, B) or np.allclose(A, B, rtol=1e-12, atol=0) for A, B in pairs)
