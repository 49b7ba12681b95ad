"""LDLLC: a softmax model whose coefficients of correlated labels attract each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from labeldist._solvers.softmax_loss import ValueAndGradient, squared_norm
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax


class LDLLC(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by exploiting label correlations (LDLLC).

    With P = softmax(Xθ) and θ_j the coefficients of label j, it minimises over θ

        −ΣD log P + λ₁‖θ‖² + λ₂ Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖,

    where corr is Pearson's correlation. Positively correlated coefficients attract, negatively
    correlated ones repel.

    Parameters
    ----------
    ridge : float, default=0.1
        λ₁. It must be positive if `correlation` is: otherwise the objective is unbounded below.
    correlation : float, default=0.01
        λ₂.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised. The published model has none.
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
        Number of iterations.

    See Also
    --------
    SABFGS : The same model without penalties.

    Notes
    -----
    The defaults of λ₁ and λ₂ are from the authors' code. Its gradient does not match its
    objective; this one does. The search starts from the solution without the correlation penalty.

    References
    ----------
    X. Jia, W. Li, J. Liu, Y. Zhang. Label distribution learning by exploiting label correlations.
    AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLLC
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLLC().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
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
        self.ridge = ridge
        self.correlation = correlation
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None = None) -> None:
        if self.correlation and not self.ridge:
            raise ValueError("correlation without ridge has no minimum. Use a positive ridge.")
        super()._fit(X, D, weight)

    def _penalties(self, total: float) -> list[tuple[float, ValueAndGradient]]:  # noqa: ARG002
        return [(self.ridge, squared_norm), (self.correlation, correlated_distance)]


def correlated_distance(theta: Array) -> tuple[float, Array]:
    """Return Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖ and its gradient.

    The terms of equal or constant columns are 0.
    """
    if not theta.size:
        return 0.0, theta
    centred = theta - theta.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    norms[norms == 0] = np.inf
    unit = centred / norms
    correlation = unit.T @ unit
    distance = cdist(theta.T, theta.T)
    pull = correlation / np.where(distance > 0, distance, np.inf)
    gradient = (unit @ distance - unit * (distance * correlation).sum(axis=0)) / norms
    gradient += theta * pull.sum(axis=0) - theta @ pull
    return (correlation * distance).sum() / 2, gradient
