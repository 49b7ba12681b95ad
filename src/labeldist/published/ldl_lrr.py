"""LDL-LRR, a softmax learner that keeps the ranking of the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeldist._constraints import NON_NEGATIVE, POSITIVE
from labeldist._solvers.softmax_loss import through_softmax
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import DivergenceTerm, Terms, sums_over_labels


class LDLLRR(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by maintaining label ranking relation (LDL-LRR).

    With P = softmax(Xθ), n rows, and the pairs of labels u, v with d_iu > d_iv, it minimises over θ

        −ΣD log P + (λ/n) Σ_i Σ_{u,v} (d_iu − d_iv)² log(1 + exp(−s(p_iu − p_iv))) + (β/2)‖θ‖².

    The second term favours predictions that rank the labels of a row as its distribution does.

    Parameters
    ----------
    ranking : float, default=1e-3
        Weight λ of the ranking term.
    ridge : float, default=1.0
        Weight β of the ridge penalty.
    sharpness : float, default=100.0
        s. Differences of degrees that are large compared with 1/s count by their order alone.
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
    LDLDPA : Ranks instead of pairs.

    Notes
    -----
    The formula and the defaults are from a co-author's code, whose intercept is penalised. The
    paper divides λ by the squared number of labels as well, and its gradient omits the cross-terms
    of the softmax. PyLDL averages the divergence over the rows and has no ridge. The default λ is
    small compared with a sum over rows and has hardly any effect; one that does is of the order of
    the number of rows.

    References
    ----------
    X. Jia, X. Shen, W. Li, Y. Lu, J. Zhu. Label distribution learning by maintaining label ranking
    relation. IEEE TKDE 35(2), 2023.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLLRR
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLLRR().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    _constraints = {"ranking": NON_NEGATIVE, "sharpness": POSITIVE}

    def __init__(
        self,
        ranking: float = 1e-3,
        ridge: float = 1.0,
        *,
        sharpness: float = 100.0,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ranking = ranking
        self.ridge = ridge
        self.sharpness = sharpness
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:
        strength = self.ranking / weight.sum()
        return [(1.0, DivergenceTerm(D_T)), (strength, RankingTerm(D_T, self.sharpness))]


@dataclass(frozen=True)
class RankingTerm:
    """Σ_{u,v: d_u > d_v} (d_u − d_v)² log(1 + exp(−s(p_u − p_v))), a logistic loss of each pair."""

    D_T: Array  # (c, n)
    sharpness: float  # s

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        value = np.zeros(P.shape[1])
        gradient = np.zeros_like(P)
        for u in range(len(P) - 1):  # all pairs at once would need c times the memory of P
            difference = self.D_T[u] - self.D_T[u + 1 :]
            weight = difference * difference
            sign = self.sharpness * np.sign(difference)
            wrong = sign * (P[u + 1 :] - P[u])  # positive if the order is wrong
            tail = np.exp(-np.abs(wrong))
            value += sums_over_labels(weight, np.maximum(wrong, 0) + np.log1p(tail))
            slope = weight * sign * np.where(wrong > 0, 1.0, tail) / (1 + tail)
            gradient[u] -= slope.sum(axis=0)
            gradient[u + 1 :] += slope
        return value, through_softmax(P, gradient, axis=0)
