"""LDL-SCL: the maximum entropy model with codes that say which group of alike rows a row belongs to."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from labeldist._compat import Interval
from labeldist._solvers.clustering import cluster_means, cluster_rows
from labeldist._solvers.local_codes import LocalCodes, minimize_local_codes
from labeldist._solvers.moments import Moments
from labeldist._solvers.storage import hold_for_products
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist.learning._softmax_learners import SoftmaxLearner

OWN_CODE = 10.0
"""The code of a row for its own cluster at the start; 1 for the others. About the size that codes end at."""


class LDLSCL(SoftmaxLearner):
    """Label distribution learning by exploiting sample correlations locally (LDL-SCL).

    Rows with alike distributions form clusters. Each row has a positive code c_ij for each cluster j, and

        min over θ, w, C > 0 of  KL(D, P) + λ₁‖θ‖² + λ₂‖w‖² + λ₃ Σ_ij c_ij ‖P_i − q_j‖² + μ Σ_ij 1/c_ij

    with P = softmax(Xθ + Cw) and q_j the mean distribution of cluster j: a row with a large code for a cluster is drawn
    towards it. The codes of new rows come from a linear regression of C on X.

    Parameters
    ----------
    n_clusters : int, default=5
        Clusters of the training distributions, by k-means; fewer if fewer rows are distinct.
    ridge : float, default=1e-3
        λ₁.
    code_ridge : float, default=1e-3
        λ₂. Large, it leaves no influence to the codes.
    local_correlation : float, default=1e-3
        λ₃, positive: without it codes could grow for ever at no cost.
    barrier : float, default=1e-3
        μ, positive: it keeps the codes so.
    tol : float, default=1e-8
        Stop when a step promises to lower the objective by less than this share of its value at the start.
    max_iter : int, default=500

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        θᵀ and the share of the codes: with codes linear in X, the scores are linear in X, too.
    intercept_ : ndarray of shape (n_labels,)
        It stems from the intercept of the codes' regression; Xθ has none.
    codes_ : ndarray of shape (n_samples, n_clusters)
        C of the training rows.
    code_coef_ : ndarray of shape (n_labels, n_clusters)
        wᵀ.
    cluster_distributions_ : ndarray of shape (n_clusters, n_labels)
        q_j.
    objective_ : list of float
        The objective at the start and after each iteration.
    n_iter_ : int
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Public code keeps only p − p² of the derivative of the softmax in the gradients of the penalty, gives it a factor n
    too many, and so minimises no function; here the gradient is that of the objective. k-means starts from rows far
    apart, not at random, so that a fit does not depend on chance.

    With the published parameters and no more than ``n_clusters + 1`` labels the codes can reproduce the training
    distributions nearly exactly. What then decides is how well the codes follow from X.

    The objective is not convex. Other starts end in other codes, on Yeast_spoem and SBU_3DFE within 1 % of the same
    value; predictions may differ.

    Memory is a few times n_samples · n_labels · n_clusters numbers.

    References
    ----------
    X. Zheng, X. Jia, W. Li. Label distribution learning by exploiting sample correlations locally. AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLSCL
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLSCL().fit(X, D).predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "code_ridge": [Interval(Real, 0, None, closed="left")],
        "local_correlation": [Interval(Real, 0, None, closed="neither")],
        "barrier": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    fit_intercept = True  # that of the codes

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
        self.n_clusters = n_clusters
        self.ridge = ridge
        self.code_ridge = code_ridge
        self.local_correlation = local_correlation
        self.barrier = barrier
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> LDLSCL:
        """Learn from features and distributions."""
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        X = hold_for_products(X)
        numbers = cluster_rows(D, self.n_clusters)
        self.cluster_distributions_ = cluster_means(D, numbers)
        objective = LocalCodes(
            X,
            D,
            self.cluster_distributions_,
            self.ridge,
            self.code_ridge,
            self.local_correlation,
            self.barrier,
        )
        start = np.where(numbers[:, None] == np.arange(len(self.cluster_distributions_)), OWN_CODE, 1.0)
        solution = minimize_local_codes(objective, start, tol=self.tol, max_iter=self.max_iter)
        self.codes_ = solution.point.C
        self.code_coef_ = np.ascontiguousarray(solution.point.w.T)
        self.objective_ = solution.values

        moments = Moments.of(X, self.codes_)
        # Where features depend on one another this is the regression of minimum norm.
        regression = solve_symmetric_sylvester(moments.xx, np.zeros_like(moments.dd), moments.xd).X
        code_intercept = moments.mean_d - moments.mean_x @ regression
        theta, w = solution.point.theta, solution.point.w
        W = np.vstack([theta + regression @ w, code_intercept @ w])
        self._keep(W, np.zeros(X.shape[1]), solution.n_iter, solution.converged)
        return self
