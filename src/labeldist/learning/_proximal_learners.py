"""Learners with sparse or low-rank penalties: LDLSF and LDL-LCLR."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from labeldist._compat import NON_NEGATIVE
from labeldist._solvers.proximal import LabelCombinations, SparseCoefficients
from labeldist._solvers.scaling import mean_and_scale
from labeldist._typing import Array
from labeldist.learning._incomplete import Floor, LinearLearner
from labeldist.learning._softmax_learners import SoftmaxLearner


class LDLSF(LinearLearner):
    """Label distribution learning by label-specific features (LDLSF).

    With P = XW + 1bᵀ and W = W₁ + W₂ it minimises over W₁, W₂ and b

        ½‖P − D‖² + λ₁ Σ|W₁| + λ₂ Σ_k ‖row k of W₂‖ + λ₃ tr(P(Δ − R)Pᵀ)  subject to P1 = 1,

    where R are the correlations of the label columns of D and Δ = diag(R1). W₁ selects features for each label, and W₂
    features for all labels.

    Parameters
    ----------
    sparsity : float, default=1e-4
        λ₁.
    row_sparsity : float, default=1e-2
        λ₂.
    correlation : float, default=1e-3
        λ₃. Beyond a bound that depends on R, the objective has no minimum. A ``ValueError`` then states the bound.
    scale : bool, default=False
        Whether to divide each feature by its standard deviation first. The penalties depend on the units.
    floor, tol, max_iter : as in `IncomLDL`

    Attributes
    ----------
    coef_, intercept_, floor_, n_iter_ : as in `IncomLDL`
    specific_coef_, common_coef_ : ndarray of shape (n_labels, n_features)
        W₁ᵀ and W₂ᵀ, with exact zeros.

    See Also
    --------
    IncomLDL : Predictions of low rank.

    Notes
    -----
    This rests on public code, python-ldl; the method section of the paper was not available. Δ − R is nearly negative
    semidefinite for distributions: the term λ₃ moves the predictions of correlated labels apart, and the objective is
    unbounded for λ₃ > 1 / (2|smallest eigenvalue|), about 0.2 on the benchmark sets. That code shrinks columns (labels)
    of W₂, and penalises violations of P1 = 1; here the rows (features) are shrunk and the condition holds exactly, for
    every row. The intercept is not penalised. Scores are projected on the simplex.

    References
    ----------
    T. Ren et al. Label distribution learning with label-specific features. IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLSF
    >>> LDLSF().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
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
        self.sparsity, self.row_sparsity, self.correlation = sparsity, row_sparsity, correlation
        self.scale, self.floor, self.tol, self.max_iter = scale, floor, tol, max_iter

    def _fit(self, X: Array, D: Array) -> None:
        center, unit = mean_and_scale(X)
        unit = unit if self.scale else np.ones_like(unit)
        mean = D.mean(axis=0)
        attraction = 2 * self.correlation * disagreement(D - mean)
        least = float(linalg.eigvalsh(attraction)[0])
        if least <= -1:
            bound = self.correlation / -least
            problem = f"correlation={self.correlation} has no minimum: for these labels it must be below {bound:.3g}"
            raise ValueError(f"{problem}. Use a smaller value.")
        objective = SparseCoefficients((X - center) / unit, D - mean, self.sparsity, self.row_sparsity, attraction)
        solution = objective.minimize(tol=self.tol, max_iter=self.max_iter)
        self.specific_coef_, self.common_coef_ = (part.T / unit for part in solution.z)
        intercept = linalg.solve(np.eye(len(mean)) + attraction, mean, assume_a="pos")
        self._store(np.vstack([solution.x, intercept]), center / unit, solution.n_iter, solution.converged)
        self.coef_ /= unit


def disagreement(centred: Array) -> Array:
    """Return Δ − R for the correlations R of centred columns, with R = 0 for constant ones, and Δ = diag(R1)."""
    norms = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > len(centred) * 1e-15)
    R = unit.T @ unit
    return np.diag(R.sum(axis=1)) - R


class LDLLCLR(SoftmaxLearner):
    """Label distribution learning with label correlations via low-rank approximation (LDL-LCLR).

    With P = softmax(XW), and S, which combines predicted degrees to reconstruct D, it minimises over W and S

        −ΣD log P + λ₁‖W‖² + λ₂ Σ_i ‖row i of D − PS‖ + λ₃‖S‖_* − λ₄⟨S, N⟩,

    where the entries of N are the mean squared differences between two label columns of D. P is predicted.

    Parameters
    ----------
    ridge, noise, low_rank : float, default=1e-4
        λ₁, λ₂ and λ₃.
    local_correlation : float, default=1e-5
        λ₄, at most λ₃ divided by the largest singular value of N. Beyond, the objective may have no minimum, since
        the term is linear in S. A ``ValueError`` then states the bound.
    fit_intercept, tol, max_iter : as in `EDLLRL`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`
    combinations_ : ndarray of shape (n_labels, n_labels)
        S.

    See Also
    --------
    SABFGS : The same model without penalties.
    EDLLRL : Predictions of low rank within clusters.

    Notes
    -----
    This is a reconstruction from public code, python-ldl; the method section of the paper was not available. The sign
    and the factor of the term λ₄ are not certain, nor is whether the noise D − PS is shrunk by rows, as here, or by
    columns, as in that code. That code adds up squared differences over clusters of rows. Their sum is that over all
    rows, so there are no clusters here. It is divided by the number of rows: otherwise λ₂ = λ₃ = λ₄ = 1e-4, as in that
    code, diverges on Yeast_cold. The objective is not convex; the search starts at the solution of λ₂ = λ₃ = λ₄ = 0 and
    S = I.

    References
    ----------
    T. Ren et al. Label distribution learning with label correlations via low-rank approximation. IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLLCLR
    >>> LDLLCLR().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
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
        self.ridge, self.noise, self.low_rank, self.local_correlation = ridge, noise, low_rank, local_correlation
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

    def _fit(self, X: Any, D: Array) -> None:
        columns, center = self._with_intercept_column(X)
        differences = cdist(D.T, D.T, "sqeuclidean") / len(D)
        largest = float(linalg.norm(differences, 2))
        if self.local_correlation * largest > self.low_rank:
            bound = f"low_rank={self.low_rank} divided by {largest:.3g}, which is {self.low_rank / largest:.3g}"
            problem = f"local_correlation={self.local_correlation} may have no minimum"
            raise ValueError(f"{problem}: for these labels it must be at most {bound}.")
        pull = self.local_correlation * differences
        objective = LabelCombinations(columns, D, self._ridge_by_column(columns, X), self.noise, self.low_rank, pull)
        solution = objective.minimize(tol=self.tol, max_iter=self.max_iter)
        W, self.combinations_ = solution.x
        self._store(W, center, solution.n_iter, solution.converged)
