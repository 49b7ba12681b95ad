"""EDL-LRL: a softmax model with predictions of low rank within clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from labeldist._solvers.lbfgs import LBFGSSolution, minimize_lbfgs
from labeldist._solvers.softmax_loss import precondition, preconditioner, through_softmax
from labeldist._solvers.sparse_or_dense import gram
from labeldist._typing import Array
from labeldist.published._admm import INNER_TOLERANCE, START_PENALTY, minimize_by_admm
from labeldist.published._clustering import cluster_rows
from labeldist.published._proximal import shrink_singular_values
from labeldist.published._softmax_learners import IterativeSoftmax
from labeldist.simplex import softmax


class EDLLRL(IterativeSoftmax):
    """Emotion distribution learning by exploiting low-rank label correlations locally (EDL-LRL).

    With P = softmax(XW), and P_i the rows of P in cluster i, it minimises over W

        ½‖P − D‖² + λ₁‖W‖² + λ₂ Σ_i ‖P_i‖_*.

    The nuclear norm, the sum of the singular values, favours predictions of low rank within a
    cluster.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of clusters of the training distributions (k-means), at most the number of distinct
        rows.
    ridge : float, default=1e-3
        λ₁.
    low_rank : float, default=1e-2
        λ₂.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised. The published model has none.
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : int, default=500
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts (zero if ``fit_intercept=False``).
    clusters_ : ndarray of shape (n_samples,)
        Cluster of each training row.
    objective_ : list of float
        Objective after each iteration.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    LDLSCL : Local correlations of the samples.

    Notes
    -----
    Public code sets small singular values to zero, and clusters test rows as well. Here all
    singular values are reduced, as the nuclear norm requires, and only training rows are clustered.

    References
    ----------
    X. Jia et al. Facial emotion distribution learning by exploiting low-rank label correlations
    locally. CVPR 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import EDLLRL
    >>> X, D = make_artificial(500, random_state=0)
    >>> EDLLRL().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    def __init__(
        self,
        n_clusters: int = 5,
        *,
        ridge: float = 1e-3,
        low_rank: float = 1e-2,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 500,
    ) -> None:
        self.n_clusters = n_clusters
        self.ridge = ridge
        self.low_rank = low_rank
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, D: Array) -> None:
        self.clusters_ = cluster_rows(D, self.n_clusters)
        columns, center = self._with_intercept_column(X)
        ridge = self._ridge_by_column(columns, X)
        members = [np.flatnonzero(self.clusters_ == i) for i in np.unique(self.clusters_)]
        solution = minimize_clustered_low_rank(
            columns, D, members, ridge, self.low_rank, tol=self.tol, max_iter=self.max_iter
        )
        self.objective_ = solution.values
        self._store(solution.W, center, len(solution.values), solution.converged)


@dataclass(frozen=True)
class ClusteredLowRankSolution:
    """Result of `minimize_clustered_low_rank`."""

    W: Array  # (m, c)
    Z: Array  # (n, c), the copy of P with low rank in each cluster
    # (n, c), of Z = P: at the solution λ₂ times a subgradient of each cluster's nuclear norm.
    multiplier: Array
    values: list[float]  # objective after each iteration
    converged: bool


def minimize_clustered_low_rank(
    X: Any,
    D: Array,
    members: list[NDArray[np.intp]],
    ridge: Array,
    low_rank: float,
    *,
    tol: float,
    max_iter: int,
) -> ClusteredLowRankSolution:
    """Minimise ½‖P − D‖² + Σ_j λ_j ‖W_j‖² + λ₂ Σ_i ‖P_i‖_* over W, with P = softmax(XW).

    `members` lists the rows of each cluster, P_i are the rows of cluster i, and `ridge`, (m, 1),
    has one λ_j per row of W. ADMM has a copy Z of P. Each iteration updates W by L-BFGS, as least
    squares between P and a mean of D and Z − U, and each cluster of Z by shrinking the singular
    values of P + U, where U is the scaled multiplier. If λ₂ = 0, one search without a copy is
    enough.
    """
    c = D.shape[1]
    # At W = 0 the derivative of the softmax is 1/c, so the curvature of the loss is XᵀX / c².
    T = preconditioner(gram(X) / c**2 + np.diag(2 * ridge[:, 0]))
    values: list[float] = []

    def smooth(W: Array, target: Array, strength: float) -> tuple[float, Array]:
        """Return ½s‖P − target‖² + Σ_j λ_j ‖W_j‖² with s = `strength`, and its gradient."""
        P = softmax(X @ W)
        error = P - target
        value = 0.5 * strength * np.vdot(error, error) + np.vdot(W, ridge * W)
        by_scores = through_softmax(P, error)
        return float(value), strength * (X.T @ by_scores) + 2 * ridge * W

    def update_coefficients(target: Array, rho: float, before: Any) -> tuple[Any, Array]:
        mean = (D + rho * target) / (1 + rho)
        function = precondition(lambda W: smooth(W, mean, 1 + rho), T)
        found = minimize_lbfgs(function, before.X, tol=INNER_TOLERANCE * tol, max_iter=1000)
        W = T @ found.X
        P = softmax(X @ W)
        norms = [float(linalg.svdvals(P[rows]).sum()) for rows in members]
        values.append(smooth(W, D, 1.0)[0] + low_rank * sum(norms))
        return found, P

    def update_copy(target: Array, rho: float) -> Array:
        Z = np.empty_like(target)
        for rows in members:
            Z[rows] = shrink_singular_values(target[rows], low_rank / rho)
        return Z

    zeros = np.zeros((T.shape[1], c))
    start = LBFGSSolution(zeros, np.inf, np.inf, 0, converged=False)
    if not low_rank:
        found, P = update_coefficients(D, 0.0, start)
        W = T @ found.X
        return ClusteredLowRankSolution(W, P, np.zeros_like(P), values, found.converged)
    rho = START_PENALTY * low_rank
    split = minimize_by_admm(
        update_coefficients, update_copy, start, D, rho=rho, tol=tol, max_iter=max_iter
    )
    W = T @ split.x.X
    return ClusteredLowRankSolution(W, split.z, split.multiplier, values, split.converged)
