"""ADMM solver of EDL-LRL: softmax least squares with low rank in each cluster."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._solvers.lbfgs import LBFGSSolution, minimize_lbfgs
from labeldist._solvers.maximum_entropy import Preconditioner, squared_norm, through_softmax
from labeldist._solvers.proximal import START_PENALTY, minimize_split, shrink_singular_values
from labeldist._solvers.storage import gram
from labeldist._typing import Array
from labeldist.simplex import softmax


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

    Each iteration (`minimize_split`) updates W by L-BFGS, as least squares between P and a mean of D and Z − U, and
    each cluster of Z by shrinking the singular values of P + U, where U is the scaled multiplier.
    """
    X, D = objective.X, objective.D
    members = objective.members()
    # At W = 0 the derivative of the softmax is 1/c, so the curvature of the loss is XᵀX / c².
    precondition = Preconditioner.of(gram(X) / D.shape[1] ** 2 + np.diag(2 * objective.ridge[:, 0]))
    values: list[float] = []

    def search(target: Array, rho: float, before: LBFGSSolution) -> tuple[LBFGSSolution, Array]:
        fit = SoftmaxLeastSquares(X, (D + rho * target) / (1 + rho), objective.ridge, 1 + rho)
        found = minimize_lbfgs(precondition.compose(fit.value_and_gradient), before.X, tol=0.01 * tol, max_iter=1000)
        values.append(objective.value(precondition.T @ found.X))
        return found, softmax(X @ (precondition.T @ found.X))

    def shrink(target: Array, rho: float) -> Array:
        Z = np.empty_like(target)
        for rows in members:
            Z[rows] = shrink_singular_values(target[rows], objective.low_rank / rho)
        return Z

    start = LBFGSSolution(np.zeros((precondition.T.shape[1], D.shape[1])), np.inf, np.inf, 0, converged=False)
    if not objective.low_rank:
        found, P = search(D, 0.0, start)
        return ClusteredLowRankSolution(precondition.T @ found.X, P, np.zeros_like(P), values, found.converged)
    rho = START_PENALTY * objective.low_rank
    split = minimize_split(search, shrink, start, D, rho=rho, tol=tol, max_iter=max_iter)
    return ClusteredLowRankSolution(precondition.T @ split.x.X, split.z, split.multiplier, values, split.converged)
