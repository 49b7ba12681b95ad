"""LDLSF: linear predictions with label-specific and common features."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from labeldist._constraints import NON_NEGATIVE
from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.sparse_or_dense import gram
from labeldist._typing import Array
from labeldist.published._admm import ADMMSolution, minimize_by_admm
from labeldist.published._linear_learner import Floor, LinearLearner
from labeldist.published._proximal import shrink_rows


class LDLSF(LinearLearner):
    """Label distribution learning by label-specific features (LDLSF).

    With P = XW + 1bᵀ and W = W₁ + W₂ it minimises over W₁, W₂ and b

        ½‖P − D‖² + λ₁ Σ|W₁| + λ₂ Σ_k ‖row k of W₂‖ + λ₃ tr(P(Δ − R)Pᵀ)  subject to P1 = 1,

    where R are the correlations of the label columns of D and Δ = diag(R1). W₁ selects features for
    each label, and W₂ features for all labels.

    Parameters
    ----------
    sparsity : float, default=1e-4
        λ₁.
    row_sparsity : float, default=1e-2
        λ₂.
    correlation : float, default=1e-3
        λ₃. Above a bound that depends on R, the objective has no minimum. A ``ValueError`` then
        states the bound.
    scale : bool, default=False
        Whether to divide each feature by its standard deviation first. The penalties depend on the
        units.
    floor : float or "auto", default="auto"
        Predicted degrees below it are raised to it before a row is divided by its sum. ``"auto"``
        is a tenth of the uniform degree, 0.1 / n_labels.
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts b.
    specific_coef_, common_coef_ : ndarray of shape (n_labels, n_features)
        W₁ᵀ and W₂ᵀ, with exact zeros.
    floor_ : float
        Floor of `predict`.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    IncomLDL : Predictions of low rank.

    Notes
    -----
    This rests on public code, python-ldl; the method section of the paper was not available. Δ − R
    is nearly negative semidefinite for distributions: the term λ₃ moves the predictions of
    correlated labels apart, and the objective is unbounded for λ₃ > 1 / (2|smallest eigenvalue|),
    about 0.2 on the benchmark sets. That code shrinks columns (labels) of W₂, and penalises
    violations of P1 = 1; here the rows (features) are shrunk and the condition holds exactly, for
    every row. The intercept is not penalised. Scores are projected on the simplex.

    References
    ----------
    T. Ren et al. Label distribution learning with label-specific features. IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLSF
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLSF().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.35, 0.33, 0.32]])
    """

    _constraints = {"sparsity": NON_NEGATIVE, "row_sparsity": NON_NEGATIVE}

    def __init__(
        self,
        sparsity: float = 1e-4,
        row_sparsity: float = 1e-2,
        correlation: float = 1e-3,
        *,
        scale: bool = False,
        floor: Floor = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.sparsity = sparsity
        self.row_sparsity = row_sparsity
        self.correlation = correlation
        self.scale = scale
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Array, D: Array) -> None:
        center, unit = mean_and_scale(X)
        if not self.scale:
            unit = np.ones_like(unit)
        mean = D.mean(axis=0)
        repulsion = 2 * self.correlation * disagreement(D - mean)
        least = linalg.eigvalsh(repulsion)[0]
        if least <= -1:
            bound = -self.correlation / least
            raise ValueError(
                f"correlation must be below {bound:.3g} for these labels; "
                "above this bound the objective has no minimum."
            )
        solution = minimize_sparse(
            (X - center) / unit,
            D - mean,
            self.sparsity,
            self.row_sparsity,
            repulsion,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        specific, common = solution.z
        self.specific_coef_ = specific.T / unit
        self.common_coef_ = common.T / unit
        intercept = linalg.solve(np.eye(len(mean)) + repulsion, mean, assume_a="pos")
        self._store(solution.x / unit[:, None], intercept, center, solution)


def disagreement(centred: Array) -> Array:
    """Return Δ − R for the correlations R of centred columns, 0 for constant ones."""
    norms = np.sqrt((centred**2).sum(axis=0))
    norms[norms <= len(centred) * 1e-15] = np.inf
    unit = centred / norms
    R = unit.T @ unit
    return np.diag(R.sum(axis=1)) - R


def minimize_sparse(
    X: Array,
    D: Array,
    sparsity: float,
    row_sparsity: float,
    repulsion: Array,
    *,
    tol: float,
    max_iter: int,
) -> ADMMSolution:
    """Minimise the objective of LDLSF over W = W₁ + W₂ whose rows sum to zero.

    It is ½‖XW − D‖² + λ₁ Σ|W₁| + λ₂ Σ_i ‖row i of W₂‖ + ½ tr(XW M (XW)ᵀ) for centred X and D and
    the symmetric M = 2λ₃(Δ − R), `repulsion`, with M1 = 0 and eigenvalues above −1. ADMM has copies
    of W₁ and W₂. An update of W is closed in two eigenbases, 2m²c multiplications. Given the sum W
    of both parts, each takes half of the difference between W and the sum of its targets.
    """
    a, V = linalg.eigh(gram(X))
    b, N = linalg.eigh(repulsion)
    curvature = np.outer(a, 1 + b)
    right = X.T @ D

    def update_coefficients(T: Array, rho: float, W: Array) -> tuple[Array, Array]:
        total = T.sum(axis=0)
        G = right + rho / 2 * (total - total.mean(axis=1, keepdims=True))
        W = V @ (V.T @ G @ N / (curvature + rho / 2)) @ N.T
        return W, T + (W - total) / 2

    def update_copies(T: Array, rho: float) -> Array:
        specific, common = T
        specific = soft_threshold(specific, sparsity / rho)
        return np.stack([specific, shrink_rows(common, row_sparsity / rho)])

    start = np.zeros((2, *right.shape))
    return minimize_by_admm(
        update_coefficients, update_copies, start[0], start, rho=1.0, tol=tol, max_iter=max_iter
    )


def soft_threshold(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·Σ|z_ij|: entries moved towards zero."""
    return np.sign(A) * np.maximum(np.abs(A) - threshold, 0)
