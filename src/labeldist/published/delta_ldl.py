"""δ-LDL, a softmax learner with a bounded loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import entr, expit

from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import Terms, sums_over_labels


class DeltaLDL(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by the integral of a bounded loss over tolerances δ (δ-LDL).

    With P = softmax(Xθ), k_i = KL(D_i, P_i), the sigmoid σ, and b the mean of KL(D_i, uniform), it
    minimises over θ

        Σ_i ∫₀ᵇ σ(k_i − δ) dδ + (ridge / 2)‖θ‖²  =  Σ_i log(1 + exp(k_i)) − log(1 + exp(k_i − b)) +
        (ridge / 2)‖θ‖².

    The weight of a row, σ(k_i) − σ(k_i − b), is largest at k_i = b/2 and small for rows that fit
    badly.

    Parameters
    ----------
    ridge : float, default=0.0
        Weight of the ridge penalty, which the published model does not have.
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
    limit_ : float
        Largest tolerance b.

    See Also
    --------
    SABFGS : The cross-entropy itself.

    Notes
    -----
    The loss is from PyLDL and the paper's abstract; the paper's method section was not
    available. PyLDL computes the integral by Simpson's rule with 33 nodes and trains a network.
    Here the integral is exact and the model linear. The loss is not convex: the search starts from
    the solution with the cross-entropy as the loss. If all training distributions are uniform, b is
    zero, and so is the loss.

    References
    ----------
    Li et al. ICML 2025. https://icml.cc/virtual/2025/poster/46395

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import DeltaLDL
    >>> X, D = make_artificial(500, random_state=0)
    >>> DeltaLDL().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    def __init__(
        self,
        ridge: float = 0.0,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:
        entropy = entr(D_T).sum(axis=0)
        self.limit_ = float(np.average(np.log(len(D_T)) - entropy, weights=weight))
        return [(1.0, DeltaTerm(D_T, entropy, self.limit_))]


@dataclass(frozen=True)
class DeltaTerm:
    """∫₀ᵇ σ(k − δ) dδ = log(1 + eᵏ) − log(1 + eᵏ⁻ᵇ), with k = Σ_j d_j log(d_j / p_j)."""

    D_T: Array  # (c, n)
    entropy: Array  # of the distributions, (n,)
    limit: float  # b

    def value_and_gradient(self, P: Array, log_P: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        k = -self.entropy - sums_over_labels(self.D_T, log_P)
        value = np.logaddexp(0, k) - np.logaddexp(0, k - self.limit)
        slope = expit(k) - expit(k - self.limit)
        return value, slope * (P - self.D_T)
