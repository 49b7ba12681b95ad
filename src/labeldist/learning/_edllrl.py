"""EDL-LRL: softmax least squares whose answers have low rank within groups of alike rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from labeldist._compat import Interval
from labeldist._solvers.clustered_low_rank import ClusteredLowRank, minimize_clustered_low_rank
from labeldist._solvers.clustering import cluster_rows
from labeldist._solvers.scaling import largest_by_column
from labeldist.learning._softmax_learners import SoftmaxLearner


class EDLLRL(SoftmaxLearner):
    """Emotion distribution learning by exploiting low-rank label correlations locally (EDL-LRL).

    With P = softmax(XW) and P_i its rows of cluster i,

        min over W of  ½‖P − D‖² + λ₁‖W‖² + λ₂ Σ_i ‖P_i‖_*,

    where the nuclear norm, the sum of the singular values, favours answers of few dimensions within a cluster.

    Parameters
    ----------
    n_clusters : int, default=5
        Clusters of the training rows by their distributions, by k-means; fewer if fewer rows are distinct.
    ridge : float, default=1e-3
        λ₁.
    low_rank : float, default=1e-2
        λ₂.
    fit_intercept : bool, default=False
        The published model has none. An intercept is not penalised.
    tol : float, default=1e-4
        Stop when the residuals of the alternating directions are this share of what they are residuals of.
    max_iter : int, default=500

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    clusters_ : ndarray of shape (n_samples,)
        The number of each training row's cluster.
    objective_ : list of float
        The objective after each iteration.
    n_iter_ : int
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Clusters are of distributions, since what is to have low rank are the distributions of a cluster, and since they do
    not change with the units of the features. Clusters serve the fit alone; new rows need none.

    Public code drops singular values below the threshold and keeps the others as they are, which belongs to a penalty
    on the rank, not to the nuclear norm; here all of them are lowered by the threshold. Public code also clusters
    training and test rows together, so that its answers depend on which rows are asked about at once.

    References
    ----------
    X. Jia, X. Zheng, W. Li, C. Zhang, Z. Li. Facial emotion distribution learning by exploiting low-rank label
    correlations locally. CVPR 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import EDLLRL
    >>> X, D = make_artificial(500, random_state=0)
    >>> EDLLRL().fit(X, D).predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "low_rank": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

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

    def fit(self, X: Any, y: Any) -> EDLLRL:
        """Learn from features and distributions."""
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        self.clusters_ = cluster_rows(D, self.n_clusters)
        columns, center = self._with_intercept_column(X)
        # Neither an intercept is penalised nor, for it has none, the coefficient of a feature of zeros.
        ridge = np.where(largest_by_column(columns) > 0, self.ridge, 0.0)[:, None]
        ridge[X.shape[1] :] = 0
        objective = ClusteredLowRank(columns, D, self.clusters_, ridge, self.low_rank)
        solution = minimize_clustered_low_rank(objective, tol=self.tol, max_iter=self.max_iter)
        self.objective_ = solution.values
        self._keep(solution.W, center, len(solution.values), solution.converged)
        return self
