"""Softmax least squares whose answers have low rank cluster by cluster, by the alternating directions of EDL-LRL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._kernels.storage import gram
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import Preconditioner, squared_norm, through_softmax
from labeldist._typing import Array
from labeldist.simplex import softmax

START_PENALTY = 10.0
"""ρ at the start over λ₂: singular values below its inverse vanish at first."""

IMBALANCE = 10.0
"""The penalty changes when one residual is this many times the other."""

PENALTY_FACTOR = 2.0


@dataclass(frozen=True)
class SoftmaxLeastSquares:
    """½s‖P − T‖² + Σ_j λ_j ‖W_j‖² with P = softmax(XW): a ridge λ_j of shape (m, 1) for each row of W."""

    X: Any
    target: Array
    ridge: Array
    strength: float = 1.0

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the objective at W and its gradient."""
        P = softmax(self.X @ W)
        error = P - self.target
        value = 0.5 * self.strength * squared_norm(error)[0] + float(np.vdot(W, self.ridge * W))
        return value, self.strength * (self.X.T @ through_softmax(P, error)) + 2 * self.ridge * W


@dataclass(frozen=True)
class ClusteredLowRank:
    """½‖P − D‖² + λ₁‖W‖² + λ₂ Σ_i ‖P_i‖_* with P = softmax(XW) and P_i its rows of cluster i.

    Attributes
    ----------
    X : array or sparse array of shape (n, m)
    D : ndarray of shape (n, c)
        Distributions.
    clusters : ndarray of shape (n,)
        The number of each row's cluster, 0, 1, ….
    ridge : ndarray of shape (m, 1)
        λ₁ for each row of W.
    low_rank : float
        λ₂.
    """

    X: Any
    D: Array
    clusters: NDArray[np.intp]
    ridge: Array
    low_rank: float

    def members(self) -> list[NDArray[np.intp]]:
        """Return the rows of each cluster."""
        return [np.flatnonzero(self.clusters == i) for i in range(self.clusters.max() + 1)]

    def value(self, W: Array) -> float:
        """Return the objective at W."""
        smooth, _ = SoftmaxLeastSquares(self.X, self.D, self.ridge).value_and_gradient(W)
        P = softmax(self.X @ W)
        return smooth + self.low_rank * sum(float(linalg.svdvals(P[rows]).sum()) for rows in self.members())


def shrink_singular_values(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·‖Z‖_*: A with its singular values lowered, none below zero."""
    U, sigma, Vt = linalg.svd(A, full_matrices=False)
    return (U * np.maximum(sigma - threshold, 0)) @ Vt


@dataclass(frozen=True)
class ClusteredLowRankSolution:
    """What `minimize_clustered_low_rank` returns.

    Attributes
    ----------
    W : ndarray of shape (m, c)
    Z : ndarray of shape (n, c)
        The copy of P whose clusters have low rank.
    multiplier : ndarray of shape (n, c)
        Of Z = P: at the solution λ₂ times a subgradient of the nuclear norm of each cluster.
    values : list of float
        The objective after each iteration.
    converged : bool
    """

    W: Array
    Z: Array
    multiplier: Array
    values: list[float]
    converged: bool


def minimize_clustered_low_rank(objective: ClusteredLowRank, *, tol: float, max_iter: int) -> ClusteredLowRankSolution:
    """Minimise by the alternating direction method of multipliers with a copy Z of P.

    In turn: W by L-BFGS, a least-squares fit of P to a mean of D and Z − U; each cluster of Z by lowering the singular
    values of P + U; the scaled multiplier U by what P and Z still differ. The penalty ρ is doubled or halved when one
    residual outweighs the other.

    Parameters
    ----------
    objective : ClusteredLowRank
    tol : float
        Stop when the primal residual ‖P − Z‖ is this share of ‖P‖, and the dual residual ρ‖Z − Z_before‖ this share of
        the multiplier's norm.
    max_iter : int
    """
    X, D = objective.X, objective.D
    members = objective.members()
    rho = START_PENALTY * objective.low_rank
    # At W = 0 the softmax has the derivative 1/c, and the loss the curvature XᵀX / c².
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
