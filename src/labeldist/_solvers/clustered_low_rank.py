"""ADMM solver of EDL-LRL: softmax least squares with low rank in each cluster."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import Preconditioner, squared_norm, through_softmax
from labeldist._solvers.storage import gram
from labeldist._typing import Array
from labeldist.simplex import softmax

START_PENALTY = 10.0  # initial ρ / λ₂: singular values below its inverse vanish at first
IMBALANCE = 10.0  # ρ changes if one residual is this many times the other
PENALTY_FACTOR = 2.0


@dataclass(frozen=True)
class SoftmaxLeastSquares:
    """The loss ½s‖P − T‖² + Σ_j λ_j ‖W_j‖² with P = softmax(XW) and one λ_j per row of W."""

    X: Any  # (n, m), dense or sparse
    target: Array  # T, (n, c)
    ridge: Array  # λ, (m, 1)
    strength: float = 1.0  # s

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W and its gradient."""
        P = softmax(self.X @ W)
        error = P - self.target
        value = 0.5 * self.strength * squared_norm(error)[0] + float(np.vdot(W, self.ridge * W))
        return value, self.strength * (self.X.T @ through_softmax(P, error)) + 2 * self.ridge * W


@dataclass(frozen=True)
class ClusteredLowRank:
    """The objective ½‖P − D‖² + λ₁‖W‖² + λ₂ Σ_i ‖P_i‖_* with P = softmax(XW), where P_i are the rows of cluster i."""

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    clusters: NDArray[np.intp]  # (n,), cluster of each row, numbered from 0
    ridge: Array  # λ₁ for each row of W, (m, 1)
    low_rank: float  # λ₂

    def members(self) -> list[NDArray[np.intp]]:
        """Return the rows of each cluster."""
        return [np.flatnonzero(self.clusters == i) for i in range(self.clusters.max() + 1)]

    def value(self, W: Array) -> float:
        """Return the objective at W."""
        smooth, _ = SoftmaxLeastSquares(self.X, self.D, self.ridge).value_and_gradient(W)
        P = softmax(self.X @ W)
        return smooth + self.low_rank * sum(float(linalg.svdvals(P[rows]).sum()) for rows in self.members())


def shrink_singular_values(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·‖Z‖_*: A with its singular values lowered by the threshold."""
    U, sigma, Vt = linalg.svd(A, full_matrices=False)
    return (U * np.maximum(sigma - threshold, 0)) @ Vt


@dataclass(frozen=True)
class ClusteredLowRankSolution:
    """Result of `minimize_clustered_low_rank`."""

    W: Array  # (m, c)
    Z: Array  # (n, c), the copy of P with low rank in each cluster
    multiplier: Array  # (n, c), of Z = P: at the solution λ₂ times a subgradient of each cluster's nuclear norm
    values: list[float]  # objective after each iteration
    converged: bool


def minimize_clustered_low_rank(objective: ClusteredLowRank, *, tol: float, max_iter: int) -> ClusteredLowRankSolution:
    """Minimise a `ClusteredLowRank` objective by the alternating direction method of multipliers with a copy Z of P.

    Each iteration updates W by L-BFGS (least squares between P and a mean of D and Z − U), each cluster of Z by
    shrinking the singular values of P + U, and the scaled multiplier U by P − Z. The penalty ρ is doubled or halved if
    one residual outweighs the other. The L-BFGS search dominates the cost: about 4nmc multiplications per step. Stop if
    the primal residual ‖P − Z‖ is at most tol·‖P‖, and the dual residual ρ‖Z − Z_before‖ at most tol times the norm of
    the multiplier.
    """
    X, D = objective.X, objective.D
    members = objective.members()
    rho = START_PENALTY * objective.low_rank
    # At W = 0 the derivative of the softmax is 1/c, so the curvature of the loss is XᵀX / c².
    precondition = Preconditioner.of(gram(X) / D.shape[1] ** 2 + np.diag(2 * objective.ridge[:, 0]))
    V = np.zeros((precondition.T.shape[1], D.shape[1]))
    Z, U = D, np.zeros_like(D)
    values: list[float] = []
    while len(values) < max_iter:
        target = (D + rho * (Z - U)) / (1 + rho)
        fit = SoftmaxLeastSquares(X, target, objective.ridge, 1 + rho)
        search = minimize_lbfgs(precondition.compose(fit.value_and_gradient), V, tol=0.01 * tol, max_iter=1000)
        V = search.X
        W = precondition.T @ V
        values.append(objective.value(W))
        P = softmax(X @ W)
        if not objective.low_rank:
            return ClusteredLowRankSolution(W, P, U, values, search.converged)
        before, Z = Z, np.empty_like(P)
        for rows in members:
            Z[rows] = shrink_singular_values(P[rows] + U[rows], objective.low_rank / rho)
        U = U + P - Z
        primal = float(linalg.norm(P - Z) / linalg.norm(P))
        dual = float(linalg.norm(Z - before) / linalg.norm(U))
        if max(primal, dual) <= tol:
            return ClusteredLowRankSolution(W, Z, rho * U, values, True)
        factor = PENALTY_FACTOR if primal > IMBALANCE * dual else 1 / PENALTY_FACTOR if dual > IMBALANCE * primal else 1
        rho, U = rho * factor, U / factor
    return ClusteredLowRankSolution(W, Z, rho * U, values, False)
