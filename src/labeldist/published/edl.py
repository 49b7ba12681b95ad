"""EDL, a softmax learner with affinities of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from labeldist._solvers.softmax_loss import squared_norm, through_softmax
from labeldist._typing import Array
from labeldist._validation import check_label_names
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax, Penalties
from labeldist.published._softmax_terms import QuadraticTerm, Terms, sums_over_labels

FLOOR = 1e-6  # least degree, because the divergence is infinite for a degree of zero


class EDL(SampleWeightMixin, PenalisedSoftmax):
    """Emotion distribution learning (EDL).

    With P = softmax(Xθ), n rows, and affinities ω_rj of the labels, it minimises over θ

        Σ_ij (d_ij − p_ij) log(d_ij / p_ij) + (λ₁/n)‖θ‖² + (λ₂/n) Σ_i Σ_{r,j} ω_rj (p_ir − p_ij)².

    Labels of positive affinity get similar degrees, labels of negative affinity different ones.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight λ₁ of the ridge penalty.
    correlation : float, default=1.0
        Weight λ₂ of the affinities.
    affinity : array-like of shape (n_labels, n_labels) or None, default=None
        ω, symmetric. None is the cosine of the angle between two labels on a circle, on which the
        labels have equal distances in the order of their columns.
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

    See Also
    --------
    LDLLC : Correlations of the coefficients.

    Notes
    -----
    This is a reconstruction: neither the paper's method section nor its code was available. As far
    as known, ω follows the angles of emotions on Plutchik's wheel, with neighbours positive and
    opposites negative. Its numbers and the values of λ₁ and λ₂ are unknown; the cosine and the
    defaults were chosen here. Degrees below 1e-6 are raised to it, because the divergence is
    infinite for a degree of zero.

    References
    ----------
    Y. Zhou, H. Xue, X. Geng. Emotion distribution recognition from facial expressions. ACM
    Multimedia 2015.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import EDL
    >>> X, D = make_artificial(500, random_state=0)
    >>> EDL().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    _constraints = {"affinity": ["array-like", None]}

    def __init__(
        self,
        ridge: float = 1.0,
        correlation: float = 1.0,
        *,
        affinity: Any = None,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ridge = ridge
        self.correlation = correlation
        self.affinity = affinity
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _penalties(self, total: float) -> Penalties:
        return [(self.ridge / total, squared_norm)]

    def _terms(self, D_T: Array, weight: Array) -> Terms:
        affinity = self._affinity(len(D_T))
        # Half the sum over all pairs is the quadratic form of the Laplacian.
        laplacian = np.diag(affinity.sum(axis=0)) - affinity
        pairs = QuadraticTerm([2 * laplacian], [slice(None)])
        positive = np.maximum(D_T, FLOOR)
        positive /= positive.sum(axis=0)
        divergence = JeffreyTerm(positive, np.log(positive))
        return [(1.0, divergence), (self.correlation / weight.sum(), pairs)]

    def _affinity(self, n_labels: int) -> Array:
        """Return the given affinities, after checks, or the affinities of a circle."""
        if self.affinity is None:
            angles = 2 * np.pi * np.arange(n_labels) / n_labels
            return np.cos(angles - angles[:, None])
        check_label_names(self.affinity, self.label_names_, name="affinity")
        affinity: Array = check_array(self.affinity, dtype=np.float64, input_name="affinity")
        if affinity.shape != (n_labels, n_labels) or not np.allclose(affinity, affinity.T):
            raise ValueError("affinity must be a symmetric matrix with one row per label.")
        return affinity


@dataclass(frozen=True)
class JeffreyTerm:
    """Σ_j (d_j − p_j) log(d_j / p_j), Jeffrey's divergence, for positive d."""

    D_T: Array  # (c, n)
    log_degrees: Array  # (c, n)

    def value_and_gradient(self, P: Array, log_P: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        error = P - self.D_T
        log_ratio = log_P - self.log_degrees
        gradient = error + through_softmax(P, log_ratio, axis=0)
        return sums_over_labels(error, log_ratio), gradient
