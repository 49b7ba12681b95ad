"""Softmax learners that use correlations: LDLLC (labels), LDL-SCL (samples) and EDL-LRL (labels within clusters)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from labeldist._compat import NON_NEGATIVE, POSITIVE
from labeldist._solvers.clustered_low_rank import ClusteredLowRank, minimize_clustered_low_rank
from labeldist._solvers.clustering import cluster_means, cluster_rows
from labeldist._solvers.local_codes import LocalCodes, minimize_local_codes
from labeldist._solvers.maximum_entropy import ValueAndGradient, squared_norm
from labeldist._solvers.moments import Moments
from labeldist._solvers.storage import hold_for_products
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.learning._softmax_learners import PenalisedSoftmax, SoftmaxLearner

OWN_CODE = 10.0  # initial code of LDL-SCL for a row's own cluster, about the size of the final codes; the others are 1


class LDLLC(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by exploiting label correlations (LDLLC).

    With P = softmax(Xθ) and θ_j the coefficients of label j, it minimises over θ

        −ΣD log P + λ₁‖θ‖² + λ₂ Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖,

    where corr is Pearson's correlation. Positively correlated coefficients attract, negatively correlated ones repel.

    Parameters
    ----------
    ridge : float, default=0.1
        λ₁. It must be positive if `correlation` is: otherwise the objective is unbounded below.
    correlation : float, default=0.01
        λ₂.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    SABFGS : The same model without penalties.

    Notes
    -----
    The defaults of λ₁ and λ₂ are those of the authors' code. Its gradient does not match its objective; this one does.
    The search starts from the solution without the correlation penalty.

    References
    ----------
    X. Jia, W. Li, J. Liu, Y. Zhang. Label distribution learning by exploiting label correlations. AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLLC
    >>> LDLLC().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    def __init__(
        self,
        ridge: float = 0.1,
        correlation: float = 0.01,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ridge, self.correlation = ridge, correlation
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None = None) -> None:
        if self.correlation and not self.ridge:
            raise ValueError(f"correlation={self.correlation} and ridge=0 have no minimum. Use a positive ridge.")
        super()._fit(X, D, weight)

    def _penalties(self, total: float) -> list[tuple[float, ValueAndGradient]]:  # noqa: ARG002  # these are no means
        return [(self.ridge, squared_norm), (self.correlation, correlated_distance)]


def correlated_distance(theta: Array) -> tuple[float, Array]:
    """Return Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖, with 0 for equal or constant columns, and its gradient."""
    if not theta.size:
        return 0.0, theta
    centred = theta - theta.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    correlation = unit.T @ unit
    distance = cdist(theta.T, theta.T)
    pull = np.divide(correlation, distance, out=np.zeros_like(distance), where=distance > 0)
    along = unit @ distance - unit * (distance * correlation).sum(axis=0)
    gradient = np.divide(along, norms, out=np.zeros_like(along), where=norms > 0)
    gradient += theta * pull.sum(axis=0) - theta @ pull
    return float((correlation * distance).sum() / 2), gradient


class LDLSCL(SoftmaxLearner):
    """Label distribution learning by exploiting sample correlations locally (LDL-SCL).

    The training distributions are clustered, and each row i has a positive code c_ij for each cluster j. With
    P = softmax(Xθ + Cw) and q_j the mean distribution of cluster j, it minimises over θ, w and C > 0

        KL(D, P) + λ₁‖θ‖² + λ₂‖w‖² + λ₃ Σ_ij c_ij ‖P_i − q_j‖² + μ Σ_ij 1/c_ij.

    The codes of new rows are predicted by a linear regression of C on X.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of clusters of the training distributions (k-means), at most the number of distinct rows.
    ridge, code_ridge : float, default=1e-3
        λ₁ and λ₂.
    local_correlation : float, default=1e-3
        λ₃, positive: without it the codes are unbounded.
    barrier : float, default=1e-3
        μ, positive: it keeps the codes positive.
    tol : float, default=1e-8
        Stop when the predicted decrease of the objective is below this fraction of its initial value.
    max_iter : int, default=500
        Maximum number of iterations.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        Coefficients and intercepts of the scores: θᵀ plus the contribution of the codes, which are linear in X.
    codes_ : ndarray of shape (n_samples, n_clusters)
        C of the training rows.
    code_coef_ : ndarray of shape (n_labels, n_clusters)
        wᵀ.
    cluster_distributions_ : ndarray of shape (n_clusters, n_labels)
        Mean distributions q_j.
    objective_ : list of float
        Objective at the start and after each of the `n_iter_` iterations.

    See Also
    --------
    EDLLRL : Low-rank predictions within clusters.

    Notes
    -----
    In public code the gradient of the penalty keeps only p − p² of the derivative of the softmax; here it is exact.
    The objective is not convex. With at most ``n_clusters + 1`` labels the codes can reproduce the training
    distributions almost exactly.

    References
    ----------
    X. Zheng, X. Jia, W. Li. Label distribution learning by exploiting sample correlations locally. AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLSCL
    >>> LDLSCL().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"code_ridge": NON_NEGATIVE, "local_correlation": POSITIVE, "barrier": POSITIVE}

    def __init__(
        self,
        n_clusters: int = 5,
        *,
        ridge: float = 1e-3,
        code_ridge: float = 1e-3,
        local_correlation: float = 1e-3,
        barrier: float = 1e-3,
        tol: float = 1e-8,
        max_iter: int = 500,
    ) -> None:
        self.n_clusters, self.ridge, self.code_ridge = n_clusters, ridge, code_ridge
        self.local_correlation, self.barrier, self.tol, self.max_iter = local_correlation, barrier, tol, max_iter

    def _fit(self, X: Any, D: Array) -> None:
        X = hold_for_products(X)
        clusters = cluster_rows(D, self.n_clusters)
        self.cluster_distributions_ = cluster_means(D, clusters)
        strengths = self.ridge, self.code_ridge, self.local_correlation, self.barrier
        objective = LocalCodes(X, D, self.cluster_distributions_, *strengths)
        start = np.where(clusters[:, None] == np.arange(len(self.cluster_distributions_)), OWN_CODE, 1.0)
        solution = minimize_local_codes(objective, start, tol=self.tol, max_iter=self.max_iter)
        self.codes_ = solution.point.C
        self.code_coef_ = np.ascontiguousarray(solution.point.w.T)
        self.objective_ = solution.values

        moments = Moments.of(X, self.codes_)
        # For linearly dependent features this is the regression of minimum norm.
        regression = solve_symmetric_sylvester(moments.xx, np.zeros_like(moments.dd), moments.xd).X
        code_intercept = moments.mean_d - moments.mean_x @ regression
        theta, w = solution.point.theta, solution.point.w
        W = np.vstack([theta + regression @ w, code_intercept @ w])
        self._store(W, np.zeros(X.shape[1]), solution.n_iter, solution.converged)


class EDLLRL(SoftmaxLearner):
    """Emotion distribution learning by exploiting low-rank label correlations locally (EDL-LRL).

    With P = softmax(XW), and P_i the rows of P in cluster i, it minimises over W

        ½‖P − D‖² + λ₁‖W‖² + λ₂ Σ_i ‖P_i‖_*.

    The nuclear norm, the sum of the singular values, favours predictions of low rank within a cluster.

    Parameters
    ----------
    n_clusters : as in `LDLSCL`
    ridge : float, default=1e-3
        λ₁.
    low_rank : float, default=1e-2
        λ₂.
    fit_intercept : as in `SABFGS`
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : as in `LDLSCL`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`
    clusters_ : as in `LDLLDM`
    objective_ : list of float
        Objective after each iteration.

    See Also
    --------
    LDLSCL : Local correlations of the samples.

    Notes
    -----
    Public code sets small singular values to zero, and clusters test rows as well. Here all singular values are
    reduced, as the nuclear norm requires, and only training rows are clustered.

    References
    ----------
    X. Jia et al. Facial emotion distribution learning by exploiting low-rank label correlations locally. CVPR 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import EDLLRL
    >>> EDLLRL().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
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
        self.n_clusters, self.ridge, self.low_rank, self.fit_intercept = n_clusters, ridge, low_rank, fit_intercept
        self.tol, self.max_iter = tol, max_iter

    def _fit(self, X: Any, D: Array) -> None:
        self.clusters_ = cluster_rows(D, self.n_clusters)
        columns, center = self._with_intercept_column(X)
        ridge = self._ridge_by_column(columns, X)
        objective = ClusteredLowRank(columns, D, self.clusters_, ridge, self.low_rank)
        solution = minimize_clustered_low_rank(objective, tol=self.tol, max_iter=self.max_iter)
        self.objective_ = solution.values
        self._store(solution.W, center, len(solution.values), solution.converged)
