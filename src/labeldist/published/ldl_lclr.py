"""LDL-LCLR: a softmax model with label correlations of low rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from labeldist._constraints import NON_NEGATIVE
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.softmax_loss import (
    precondition,
    preconditioner,
    softmax_and_log,
    through_softmax,
)
from labeldist._solvers.sparse_or_dense import gram
from labeldist._typing import Array
from labeldist.published._admm import (
    INNER_TOLERANCE,
    START_PENALTY,
    ADMMSolution,
    minimize_by_admm,
)
from labeldist.published._proximal import shrink_rows, shrink_singular_values
from labeldist.published._softmax_learners import IterativeSoftmax
from labeldist.simplex import softmax


class LDLLCLR(IterativeSoftmax):
    """Label distribution learning with label correlations via low-rank approximation (LDL-LCLR).

    With P = softmax(XW), and S, which combines predicted degrees to reconstruct D, it minimises
    over W and S

        −ΣD log P + λ₁‖W‖² + λ₂ Σ_i ‖row i of D − PS‖ + λ₃‖S‖_* − λ₄⟨S, N⟩,

    where the entries of N are the mean squared differences between two label columns of D. P is
    predicted.

    Parameters
    ----------
    ridge : float, default=1e-4
        λ₁.
    noise : float, default=1e-4
        λ₂.
    low_rank : float, default=1e-4
        λ₃.
    local_correlation : float, default=1e-5
        λ₄, at most λ₃ divided by the largest singular value of N. Above, the objective may have no
        minimum, since the term is linear in S. A ``ValueError`` then states the bound.
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
    combinations_ : ndarray of shape (n_labels, n_labels)
        S.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SABFGS : The same model without penalties.
    EDLLRL : Predictions of low rank within clusters.

    Notes
    -----
    This is a reconstruction from public code, python-ldl; the method section of the paper was not
    available. The sign and the factor of the term λ₄ are not certain, nor is whether the noise D −
    PS is shrunk by rows (here) or by columns (in that code). That code adds up squared
    differences over clusters of rows. Their sum is that over all rows, so there are no clusters
    here. It is divided by the number of rows: otherwise λ₂ = λ₃ = λ₄ = 1e-4, the values of that
    code, diverge on Yeast_cold. The objective is not convex; the search starts at the solution of
    λ₂ = λ₃ = λ₄ = 0 and S = I.

    References
    ----------
    T. Ren et al. Label distribution learning with label correlations via low-rank approximation.
    IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLLCLR
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLLCLR().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    _constraints = {"noise": NON_NEGATIVE, "local_correlation": NON_NEGATIVE}

    def __init__(
        self,
        ridge: float = 1e-4,
        noise: float = 1e-4,
        low_rank: float = 1e-4,
        local_correlation: float = 1e-5,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 500,
    ) -> None:
        self.ridge = ridge
        self.noise = noise
        self.low_rank = low_rank
        self.local_correlation = local_correlation
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, D: Array) -> None:
        columns, center = self._with_intercept_column(X)
        differences = cdist(D.T, D.T, "sqeuclidean") / len(D)
        largest = linalg.norm(differences, 2)
        if self.local_correlation * largest > self.low_rank:
            bound = self.low_rank / largest
            raise ValueError(
                f"local_correlation must be at most low_rank / {largest:.3g}, here {bound:.3g}; "
                "above this bound the objective may have no minimum."
            )
        solution = minimize_combinations(
            columns,
            D,
            self._ridge_by_column(columns, X),
            self.local_correlation * differences,
            noise=self.noise,
            low_rank=self.low_rank,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        _, W, self.combinations_ = solution.x
        self._store(W, center, solution.n_iter, solution.converged)


def minimize_combinations(
    X: Any,
    D: Array,
    ridge: Array,
    pull: Array,
    *,
    noise: float,
    low_rank: float,
    tol: float,
    max_iter: int,
) -> ADMMSolution:
    """Approach a minimum of the objective of `LDLLCLR` over W and S, with P = softmax(XW).

    It is −ΣD log P + Σ_j λ_j ‖W_j‖² + λ₂ Σ_i ‖row i of D − PS‖ + λ₃‖S‖_* − ⟨S, N⟩. `ridge`, (m, 1),
    has one λ_j per row of W, and `pull` is N, (c, c). ADMM has copies of D − PS and S. An update is
    a search for V by L-BFGS, where W = TV, then the exact S. It starts at S = I and the W without
    copies. x of the result is (V, W, S).
    """
    n, c = D.shape
    identity = np.eye(c)
    Q = preconditioner(0.5 * gram(X) + np.diag(2 * ridge[:, 0]))

    def smooth(W: Array, S: Array, target: Array, rho: float) -> tuple[float, Array]:
        """Return −ΣD log P + Σ_j λ_j ‖W_j‖² + ½ρ‖D − PS − target‖² and its gradient in W."""
        P, log_p = softmax_and_log(X @ W)
        error = D - P @ S - target
        value = np.vdot(W, ridge * W) - np.vdot(D, log_p) + rho / 2 * np.vdot(error, error)
        by_scores = P - D - through_softmax(P, rho * error @ S.T)
        return float(value), X.T @ by_scores + 2 * ridge * W

    def search(V: Array, S: Array, target: Array, rho: float) -> tuple[Array, Array, Array]:
        """Return the best V for given S, with W and P."""
        function = precondition(lambda W: smooth(W, S, target, rho), Q)
        V = minimize_lbfgs(function, V, tol=INNER_TOLERANCE * tol, max_iter=1000).X
        W = Q @ V
        return V, W, softmax(X @ W)

    def update_model(T: Array, rho: float, x: Any) -> tuple[Any, Array]:
        V, _, S = x
        target = T[:n]
        V, W, P = search(V, S, target, rho)
        right = P.T @ (D - target) + T[n:] + pull / rho
        S = linalg.solve(P.T @ P + identity, right, assume_a="pos")
        return (V, W, S), np.vstack([D - P @ S, S])

    def update_copies(T: Array, rho: float) -> Array:
        errors = shrink_rows(T[:n], noise / rho)
        return np.vstack([errors, shrink_singular_values(T[n:], low_rank / rho)])

    zeros = np.zeros((Q.shape[1], c))
    V, W, P = search(zeros, identity, np.zeros_like(D), 0.0)
    start = np.vstack([D - P, identity])
    rho = START_PENALTY * (max(noise, low_rank) or 1.0)
    return minimize_by_admm(
        update_model, update_copies, (V, W, identity), start, rho=rho, tol=tol, max_iter=max_iter
    )
