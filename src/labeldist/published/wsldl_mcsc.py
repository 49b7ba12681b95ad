"""WSLDL-MCSC: completion of a table of features and degrees, with correlated samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from labeldist._constraints import POSITIVE
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.conjugate_gradients import solve_conjugate_gradient
from labeldist._solvers.scaling import mean_and_scale
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist._validation import validate_data
from labeldist.learning._learner import DistributionEstimator, report_convergence
from labeldist.published._admm import INNER_TOLERANCE, ADMMSolution, minimize_by_admm
from labeldist.published._proximal import shrink_singular_values
from labeldist.simplex import project


class WSLDLMCSC(DistributionEstimator):
    """Weakly supervised LDL by matrix completion and sample correlations (WSLDL-MCSC).

    The table of features and degrees of all rows is completed: Z = [A, Y], where A are features and
    a column of ones, minimises, with M = 1 for observed and 0 for missing degrees and the Laplacian
    G of a graph of neighbours,

        μ‖Z‖_* + ½‖A − [X, 1]‖² + γ‖M∘(Y − D)‖² + λ tr(YᵀGY) + ½‖Y1 − 1‖².

    The method is transductive: rows without degrees are passed to `fit` together with the others.
    There is no rule for further rows, and the degrees of a row depend on the rows it is passed
    with.

    Parameters
    ----------
    low_rank : float, default=0.01
        μ.
    fidelity : float, default=0.1
        γ, positive.
    smoothness : float, default=1.0
        λ.
    n_neighbors : int, default=5
        Number of neighbours of a row in the graph.
    scale : bool, default=True
        Whether to standardise the features. Neighbours, and the nuclear norm, depend on their
        units.
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : int, default=200
        Maximum number of iterations.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The rows of Y, projected on the simplex.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    IncomLDL : A linear model from incomplete distributions.
    labeldist.published.LP : Propagation of logical labels over a graph.

    Notes
    -----
    Missing degrees are NaN. Complete rows are divided by their sums; rows with NaN are not, and
    sum to at most one. An iteration takes about 4 n_samples (n_features + n_labels)²
    multiplications: reduce thousands of features first, for instance by ``PCA``.

    The objective is from the authors' code. Its edges are weighted by cosine distances; here
    their weights are exp(−‖x_i − x_j‖² / (2w²)), where w is the mean distance between neighbours.
    In that code a degree of zero counts as missing, and the answers may not be distributions.

    References
    ----------
    X. Jia et al. Weakly supervised label distribution learning based on transductive matrix
    completion with sample correlations. Pattern Recognition Letters 125, 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import WSLDLMCSC
    >>> X, D = make_artificial(500, random_state=0)
    >>> WSLDLMCSC().fit_predict(X[:499], D[:499], X[499:]).round(2)
    array([[0.29, 0.36, 0.35]])
    """

    _constraints = {"fidelity": POSITIVE}
    _accepts_sparse = False
    _accepts_missing = True

    def __init__(
        self,
        low_rank: float = 0.01,
        fidelity: float = 0.1,
        smoothness: float = 1.0,
        *,
        n_neighbors: int = 5,
        scale: bool = True,
        tol: float = 1e-4,
        max_iter: int = 200,
    ) -> None:
        self.low_rank = low_rank
        self.fidelity = fidelity
        self.smoothness = smoothness
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter

    def fit_predict(self, X: Any, y: Any, X_new: Any = None) -> Array:
        """Fit to rows with and without degrees, and return the distributions of the latter.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features of the rows with degrees.
        y : array-like of shape (n_samples, n_labels)
            Their degrees. Some may be NaN.
        X_new : array-like of shape (n_new, n_features), default=None
            The features of the rows without degrees, in the same columns.

        Returns
        -------
        ndarray of shape (n_new, n_labels)
            The last rows of `label_distributions_`. Without `X_new` all of them.
        """
        if X_new is None:
            return self.fit(X, y).label_distributions_
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y)
        new = validate_data(self, X_new, reset=False, **self._table_options(X_new))
        features = np.vstack([X, new])
        missing = np.full((len(new), D.shape[1]), np.nan)
        with threads_for(len(features), X.shape[1] + D.shape[1]):
            self._fit(features, np.vstack([D, missing]))
        return self.label_distributions_[len(X) :]

    def _fit(self, X: Array, D: Array) -> None:
        if self.scale:
            mean, scale = mean_and_scale(X)
            X = (X - mean) / scale
        graph = laplacian(neighbor_graph(X, self.n_neighbors, "mean"))
        solution = complete_table(
            X,
            D,
            graph,
            low_rank=self.low_rank,
            fidelity=self.fidelity,
            smoothness=self.smoothness,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.label_distributions_ = project(solution.x)
        report_convergence(self, solution.n_iter, solution.converged)


def complete_table(
    X: Array,
    D: Array,
    graph: Any,
    *,
    low_rank: float,
    fidelity: float,
    smoothness: float,
    tol: float,
    max_iter: int,
) -> ADMMSolution:
    """Minimise the objective of `WSLDLMCSC` over Z = [A, Y], where the last column of A is 1.

    X has shape (n, m), D, with NaN for missing degrees, (n, c), and the sparse Laplacian `graph`
    (n, n). ADMM has a copy of Z of low rank; x of the result is Y. An iteration takes about
    4n(m + c)² multiplications.
    """
    n, m = X.shape
    ones = np.ones((n, 1))
    weight = np.where(np.isnan(D), 0.0, 2 * fidelity)
    right = weight * np.nan_to_num(D) + 1

    def update_table(T: Array, rho: float, Y: Array) -> tuple[Array, Array]:
        def apply(v: Array) -> Array:
            V = v.reshape(D.shape)
            smooth = 2 * smoothness * (graph @ V)
            product = (weight + rho) * V + smooth + V.sum(axis=1, keepdims=True)
            return product.reshape(-1, 1)

        residual = (right + rho * T[:, m + 1 :]).reshape(-1, 1) - apply(Y)
        change = solve_conjugate_gradient(apply, residual, tol=INNER_TOLERANCE).X
        Y = Y + change.reshape(D.shape)
        A = (X + rho * T[:, :m]) / (1 + rho)
        return Y, np.hstack([A, ones, Y])

    def update_copy(T: Array, rho: float) -> Array:
        return shrink_singular_values(T, low_rank / rho)

    zeros = np.zeros_like(D)
    start = np.hstack([X, ones, zeros])
    return minimize_by_admm(
        update_table, update_copy, zeros, start, rho=1.0, tol=tol, max_iter=max_iter
    )
