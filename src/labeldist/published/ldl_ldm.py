"""LDL-LDM, a softmax learner that reconstructs each label from the others."""

from __future__ import annotations

import numpy as np

from labeldist._constraints import NON_NEGATIVE
from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._typing import Array
from labeldist.published._clustering import cluster_rows
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import DivergenceTerm, QuadraticTerm, Terms


class LDLLDM(PenalisedSoftmax):
    """Label distribution learning by exploiting the label distribution manifold (LDL-LDM).

    Each label is reconstructed from the other labels: column j of Z holds the weights, with sum
    one, that best rebuild column j of D from its other columns. With P = softmax(Xθ), Z₀ from all
    rows, and P_k and Z_k from the rows of cluster k of D, it minimises over θ

        −ΣD log P + (λ₁/2)‖θ‖² + λ₂‖P(I − Z₀)‖² + λ₃ Σ_k ‖P_k(I − Z_k)‖².

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters of the training distributions (k-means), at most the number of distinct
        rows.
    ridge : float, default=1e-3
        Weight λ₁ of the ridge penalty.
    global_manifold : float, default=1.0
        Weight λ₂ of the reconstruction from all rows.
    local_manifold : float, default=1.0
        Weight λ₃ of the reconstruction within clusters.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is at most this fraction of its value at θ = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients θᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts (zero if ``fit_intercept=False``).
    n_iter_ : int
        Number of iterations, including those for the start.
    clusters_ : ndarray of shape (n_samples,)
        Cluster of each training row.

    See Also
    --------
    EDLLRL : Low rank of the predictions in each cluster.

    Notes
    -----
    The formula and the defaults are from the authors' code. As usual in locally linear
    embedding, 1e-3 of the trace is added to the diagonal of the Gram matrices. The variant for
    incomplete distributions is not implemented.

    References
    ----------
    J. Wang, X. Geng. Label distribution learning by exploiting label distribution manifold. IEEE
    TNNLS 34(2), 2023.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLLDM
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLLDM().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.35, 0.33, 0.32]])
    """

    _constraints = {"global_manifold": NON_NEGATIVE, "local_manifold": NON_NEGATIVE}

    def __init__(
        self,
        n_clusters: int = 10,
        *,
        ridge: float = 1e-3,
        global_manifold: float = 1.0,
        local_manifold: float = 1.0,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.n_clusters = n_clusters
        self.ridge = ridge
        self.global_manifold = global_manifold
        self.local_manifold = local_manifold
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:  # noqa: ARG002  # no weights
        self.clusters_ = cluster_rows(D_T.T, self.n_clusters)
        clusters = [np.flatnonzero(self.clusters_ == k) for k in np.unique(self.clusters_)]
        local_errors = [reconstruction_error(D_T[:, samples]) for samples in clusters]
        global_error = reconstruction_error(D_T)
        return [
            (1.0, DivergenceTerm(D_T)),
            (self.global_manifold, QuadraticTerm([global_error], [slice(None)])),
            (self.local_manifold, QuadraticTerm(local_errors, clusters)),
        ]


def reconstruction_error(D_T: Array) -> Array:
    """Return M with pᵀMp = ‖p(I − Z)‖², where Z reconstructs each label from the others.

    `D_T` are the distributions, (n_labels, n_samples).
    """
    n_labels = len(D_T)
    residual = np.eye(n_labels) - reconstruction_weights(D_T, n_labels - 1).toarray()  # (I − Z)ᵀ
    return residual.T @ residual
