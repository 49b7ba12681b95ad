"""Proximal operators, the alternating direction method of multipliers (ADMM), and objectives that it minimises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import Preconditioner, softmax_and_log, squared_norm, through_softmax
from labeldist._solvers.quadratic import solve_conjugate_gradient
from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.storage import gram
from labeldist._typing import TINY, Array
from labeldist.simplex import project, softmax

IMBALANCE = 10.0  # ρ changes if one residual is this many times the other
PENALTY_FACTOR = 2.0
ROUNDING = 1e-14  # a relative change that may be due to rounding
START_PENALTY = 10.0  # initial ρ, in units of the weight of a norm
INNER = 1e-2  # tolerance of searches within an iteration, as a fraction of that of the iterations


def soft_threshold(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·Σ|z_ij|: entries moved towards zero by the threshold."""
    return np.sign(A) * np.maximum(np.abs(A) - threshold, 0)


def shrink_rows(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·Σ_i ‖z_i‖: rows z_i shortened by the threshold."""
    return A * _kept_share(np.sqrt(np.einsum("ij,ij->i", A, A)), threshold)[:, None]


def shrink_singular_values(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·‖Z‖_*: A with its singular values lowered by the threshold."""
    # The triangular factor has the singular values and right vectors of A, and the left ones are not needed.
    factor = linalg.qr(A, mode="r", check_finite=False)[0] if A.shape[0] > A.shape[1] else A
    options: Any = {"full_matrices": False, "check_finite": False}
    try:
        _, sigma, Vt = linalg.svd(factor[: A.shape[1]], **options)
    except linalg.LinAlgError:  # the default algorithm fails on some matrices
        _, sigma, Vt = linalg.svd(factor[: A.shape[1]], **options, lapack_driver="gesvd")
    return A @ (Vt.T * _kept_share(sigma, threshold)) @ Vt


def _kept_share(sizes: Array, threshold: float) -> Array:
    """Return max(1 − threshold / size, 0), and 0 for a size of zero."""
    return np.maximum(1 - threshold / np.maximum(sizes, max(threshold, TINY)), 0)


def weighted_simplex(H: Array, weight: Array) -> Array:
    """Return for each row the distribution m that minimises ½ Σ_j w_j m_j² − Σ_j h_j m_j, with positive weights.

    It is m_j = max(0, (h_j − τ) / w_j), with the threshold τ for which it sums to one, found exactly by sorting.
    """
    order = np.argsort(-H, axis=1)
    h, share = np.take_along_axis(H, order, axis=1), 1 / np.take_along_axis(weight, order, axis=1)
    thresholds = (np.cumsum(h * share, axis=1) - 1) / np.cumsum(share, axis=1)
    support = np.count_nonzero(h > thresholds, axis=1)
    return np.maximum(H - np.take_along_axis(thresholds, support[:, None] - 1, axis=1), 0) / weight


@dataclass(frozen=True)
class SplitSolution:
    """Result of `minimize_split`."""

    x: Any
    z: Array
    multiplier: Array  # of a(x) = z: at the solution a subgradient of g at z
    n_iter: int
    converged: bool


def minimize_split(
    first: Callable[[Array, float, Any], tuple[Any, Array]],
    second: Callable[[Array, float], Array],
    x: Any,
    z: Array,
    *,
    rho: float,
    tol: float,
    max_iter: int,
) -> SplitSolution:
    """Minimise f(x) + g(z) subject to a(x) = z by the alternating direction method of multipliers.

    ``first(T, rho, x)`` returns the x that minimises f(x) + ½ρ‖a(x) − T‖², where the last argument is the previous x,
    and a(x). ``second(T, rho)`` returns the z that minimises g(z) + ½ρ‖z − T‖². With the scaled multiplier U, an
    iteration is x from T = z − U, z from T = a(x) + U, and U increased by a(x) − z. ρ is doubled or halved if one
    residual outweighs the other. Stop if the primal residual ‖a(x) − z‖ is at most tol·‖a(x)‖, and the dual residual
    ρ‖z − z_before‖ at most tol times the norm of the multiplier, or tol²·ρ‖z‖ if the multiplier vanishes.
    """
    U, least = np.zeros_like(z), max(tol, ROUNDING / tol)
    for n_iter in range(1, max_iter + 1):
        x, image = first(z - U, rho, x)
        before, z = z, second(image + U, rho)
        U = U + image - z
        primal = _norm(image - z) / (_norm(image) + TINY)
        dual = _norm(z - before) / (max(_norm(U), least * _norm(z)) + TINY)
        if max(primal, dual) <= tol:
            return SplitSolution(x, z, rho * U, n_iter, converged=True)
        if n_iter < max_iter:
            factor = PENALTY_FACTOR ** float((primal > IMBALANCE * dual) - (dual > IMBALANCE * primal))
            rho, U = rho * factor, U / factor
    return SplitSolution(x, z, rho * U, max_iter, converged=False)


def _norm(A: Array) -> float:
    return float(linalg.norm(A.ravel(), check_finite=False))


@dataclass(frozen=True)
class ColumnSpace:
    """The scores XW + 1bᵀ that linear models of given features can have, as combinations of orthonormal columns."""

    basis: Array  # (n, r), the last column is constant
    transform: Array  # (m, r), with X · transform equal to the basis up to a constant row
    mean: Array  # (m,), of the features

    @classmethod
    def of(cls, X: Array) -> ColumnSpace:
        """Find the columns; directions of X that are constant or dependent up to rounding are omitted."""
        mean, scale = mean_and_scale(X)
        standard = (X - mean) / scale
        T = Preconditioner.of(gram(standard)).T
        n, r = len(X), T.shape[1]
        # The columns of standard @ T are orthonormal up to rounding errors, which dependent features magnify.
        Q, R = linalg.qr(standard @ T, mode="economic")
        T = linalg.solve_triangular(R[:r], T.T, trans="T").T if r else T
        basis = np.column_stack([Q[:, :r], np.full(n, n**-0.5)])
        return cls(basis, np.column_stack([T / scale[:, None], np.zeros(len(mean))]), mean)

    def project(self, T: Array) -> Array:
        """Return the possible scores nearest to T, (n, c)."""
        return self.basis @ (self.basis.T @ T)

    def coefficients(self, scores: Array) -> Array:
        """Return W, and b as the last row, (m + 1, c), for which (X − mean) W + 1bᵀ are the given possible scores."""
        inner = self.basis.T @ scores
        return np.vstack([self.transform @ inner, inner[-1] * len(self.basis) ** -0.5])


@dataclass(frozen=True)
class IncompleteDegrees:
    """The objective ½‖Q∘(Y − D)‖² + λ‖Y‖_* over the possible scores Y whose rows are distributions."""

    space: ColumnSpace
    target: Array  # D, (n, c), any number where Q is zero
    weight: Array  # Q², (n, c), zero for missing degrees
    low_rank: float  # λ

    def minimize(self, *, tol: float, max_iter: int) -> SplitSolution:
        """Minimise by ADMM with copies of Y: one of distributions and, if λ > 0, one of low rank."""
        n_copies = 2 if self.low_rank else 1
        pull = self.weight * self.target

        def first(T: Array, rho: float, Y: Array) -> tuple[Array, Array]:  # noqa: ARG001  # no search needs a start
            Y = self.space.project(T.mean(axis=0))
            return Y, np.broadcast_to(Y, T.shape)

        def second(T: Array, rho: float) -> Array:
            copies = [weighted_simplex(pull + rho * T[0], self.weight + rho)]
            return np.stack(copies + [shrink_singular_values(part, self.low_rank / rho) for part in T[1:]])

        start = np.full((n_copies, *self.target.shape), 1 / self.target.shape[1])
        rho = float(self.weight[self.weight > 0].mean())
        return minimize_split(first, second, start[0], start, rho=rho, tol=tol, max_iter=max_iter)

    def descend(self, *, tol: float, max_iter: int) -> SplitSolution:
        """Approach the minimum by the accelerated proximal gradient method, with a projection after each step.

        In the orthonormal basis the curvature of the loss is at most the largest weight, which gives the step, and the
        nuclear norm of the coefficients is that of Y. Stop if a step changes Y by at most tol·‖Y‖.
        """
        basis, step = self.space.basis, 1 / self.weight.max()
        W = ahead = basis.T @ np.full_like(self.target, 1 / self.target.shape[1])
        momentum, change, n_iter = 1.0, np.inf, 0
        while change > tol and n_iter < max_iter:
            gradient = basis.T @ (self.weight * (basis @ ahead - self.target))
            shrunken = shrink_singular_values(ahead - step * gradient, step * self.low_rank)
            before, W = W, basis.T @ project(basis @ shrunken)
            previous, momentum = momentum, (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = W + (previous - 1) / momentum * (W - before)
            change = _norm(W - before) / _norm(W)
            n_iter += 1
        return SplitSolution(Y := basis @ W, Y, np.zeros_like(Y), n_iter, change <= tol)


@dataclass(frozen=True)
class SparseCoefficients:
    """The objective of LDLSF over W = W₁ + W₂ whose rows sum to zero.

    It is ½‖XW − D‖² + λ₁ Σ|W₁| + λ₂ Σ_i ‖row i of W₂‖ + λ₃ tr(XW L (XW)ᵀ), for centred X and D.
    """

    X: Array  # (n, m)
    D: Array  # (n, c)
    sparsity: float  # λ₁
    row_sparsity: float  # λ₂
    attraction: Array  # 2λ₃L, (c, c) symmetric with L1 = 0 and eigenvalues above −1

    def minimize(self, *, tol: float, max_iter: int) -> SplitSolution:
        """Minimise by ADMM with copies of W₁ and W₂. An update of W is closed in two eigenbases, 2m²c multiplications.

        Given the sum W of both parts, each takes half of the difference between W and the sum of its targets.
        """
        (a, V), (b, N) = linalg.eigh(gram(self.X)), linalg.eigh(self.attraction)
        curvature, right = np.outer(a, 1 + b), self.X.T @ self.D

        def first(T: Array, rho: float, W: Array) -> tuple[Array, Array]:  # no search needs a start
            total = T.sum(axis=0)
            G = right + rho / 2 * (total - total.mean(axis=1, keepdims=True))
            W = V @ (V.T @ G @ N / (curvature + rho / 2)) @ N.T
            return W, T + (W - total) / 2

        def second(T: Array, rho: float) -> Array:
            return np.stack([soft_threshold(T[0], self.sparsity / rho), shrink_rows(T[1], self.row_sparsity / rho)])

        start = np.zeros((2, *right.shape))
        return minimize_split(first, second, start[0], start, rho=1.0, tol=tol, max_iter=max_iter)


@dataclass(frozen=True)
class LabelCombinations:
    """The objective of LDL-LCLR over W and S, with P = softmax(XW).

    It is −ΣD log P + Σ_j λ_j ‖W_j‖² + λ₂ Σ_i ‖row i of D − PS‖ + λ₃‖S‖_* − ⟨S, N⟩, with one λ_j per row of W.
    """

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    ridge: Array  # λ, (m, 1)
    noise: float  # λ₂
    low_rank: float  # λ₃
    pull: Array  # N, (c, c)

    def smooth(self, W: Array, S: Array, target: Array, rho: float) -> tuple[float, Array]:
        """Return −ΣD log P + Σ_j λ_j ‖W_j‖² + ½ρ‖D − PS − target‖² and its gradient in W."""
        P, log_p = softmax_and_log(self.X @ W)
        error = self.D - P @ S - target
        value = -float(np.vdot(self.D, log_p)) + float(np.vdot(W, self.ridge * W)) + rho / 2 * squared_norm(error)[0]
        in_scores = P - self.D - through_softmax(P, rho * error @ S.T)
        return value, self.X.T @ in_scores + 2 * self.ridge * W

    def minimize(self, *, tol: float, max_iter: int) -> SplitSolution:
        """Approach a minimum by ADMM with copies of D − PS and S; x is (W, S).

        An update of x is a search for W by L-BFGS, then the exact S. It starts at S = I and the W without copies.
        """
        (n, c), D = self.D.shape, self.D
        precondition = Preconditioner.of(0.5 * gram(self.X) + np.diag(2 * self.ridge[:, 0]))

        def search(V: Array, S: Array, target: Array, rho: float) -> Array:
            function = precondition.compose(lambda W: self.smooth(W, S, target, rho))
            return minimize_lbfgs(function, V, tol=INNER * tol, max_iter=1000).X

        def first(T: Array, rho: float, x: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
            V = search(*x, T[:n], rho)
            P = softmax(self.X @ (precondition.T @ V))
            S = linalg.solve(P.T @ P + np.eye(c), P.T @ (D - T[:n]) + T[n:] + self.pull / rho, assume_a="pos")
            return (V, S), np.vstack([D - P @ S, S])

        def second(T: Array, rho: float) -> Array:
            return np.vstack([shrink_rows(T[:n], self.noise / rho), shrink_singular_values(T[n:], self.low_rank / rho)])

        S = np.eye(c)
        V = search(np.zeros((precondition.T.shape[1], c)), S, np.zeros_like(D), 0.0)
        start = np.vstack([D - softmax(self.X @ (precondition.T @ V)), S])
        rho = START_PENALTY * (max(self.noise, self.low_rank) or 1.0)
        found = minimize_split(first, second, (V, S), start, rho=rho, tol=tol, max_iter=max_iter)
        V, S = found.x
        return replace(found, x=(precondition.T @ V, S))


@dataclass(frozen=True)
class CompletedTable:
    """The objective of WSLDL-MCSC over a table Z = [A, Y] of features and degrees, where the last column of A is 1.

    It is μ‖Z‖_* + ½‖A − [X, 1]‖² + γ‖M∘(Y − D)‖² + λ tr(YᵀGY) + ½‖Y1 − 1‖².
    """

    X: Array  # (n, m)
    D: Array  # (n, c), any number where M is zero
    observed: Array  # M, (n, c), 0 or 1
    laplacian: Any  # G, (n, n), sparse
    low_rank: float  # μ
    fidelity: float  # γ
    smoothness: float  # λ

    def minimize(self, *, tol: float, max_iter: int) -> SplitSolution:
        """Minimise by ADMM with a copy of Z of low rank; x is Y. An iteration takes about 4n(m + c)² products."""
        (n, m), c = self.X.shape, self.D.shape[1]
        weight = 2 * self.fidelity * self.observed
        right = weight * self.D + 1

        def first(T: Array, rho: float, Y: Array) -> tuple[Array, Array]:
            def apply(v: Array) -> Array:
                V = v.reshape(n, c)
                V = (weight + rho) * V + 2 * self.smoothness * (self.laplacian @ V) + V.sum(axis=1, keepdims=True)
                return V.reshape(-1, 1)

            missing = (right + rho * T[:, m + 1 :]).reshape(-1, 1) - apply(Y)
            Y = Y + solve_conjugate_gradient(apply, missing, tol=INNER).X.reshape(n, c)
            return Y, np.hstack([(self.X + rho * T[:, :m]) / (1 + rho), np.ones((n, 1)), Y])

        def second(T: Array, rho: float) -> Array:
            return shrink_singular_values(T, self.low_rank / rho) if self.low_rank else T

        start = np.hstack([self.X, np.ones((n, 1)), np.zeros((n, c))])
        return minimize_split(first, second, start[:, m + 1 :], start, rho=1.0, tol=tol, max_iter=max_iter)
