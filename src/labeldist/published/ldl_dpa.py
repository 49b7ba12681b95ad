"""LDL-DPA, a softmax learner with terms of the ranks and of the variance of the degrees."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import rankdata

from labeldist._constraints import NON_NEGATIVE
from labeldist._solvers.softmax_loss import through_softmax
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import DivergenceTerm, LinearTerm, Terms


class LDLDPA(SampleWeightMixin, PenalisedSoftmax):
    """Adaptive weighted ranking-oriented label distribution learning (LDL-DPA).

    With P = softmax(Xθ), c labels, r_ij the rank of d_ij within its row (1 is the lowest, ties have
    their mean rank) and var the variance over the labels of a row, it minimises over θ

        −ΣD log P − (α/c) Σ_ij r_ij p_ij + β Σ_i (var P_i − var D_i)² + (γ/2)‖θ‖².

    The second term favours large degrees of the labels that rank high, the third one keeps the
    spread of a row.

    Parameters
    ----------
    ranking : float, default=1e-3
        Weight α of the ranks.
    variance : float, default=1e-3
        Weight β of the errors of the variances.
    ridge : float, default=0.0
        Weight γ of the ridge penalty.
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
    LDLLRR : Pairs of labels instead of ranks.

    Notes
    -----
    Formula and defaults are from PyLDL, without the adaptive weights of the title. The paper
    was not available.

    References
    ----------
    X. Jia, T. Qin, Y. Lu, W. Li. Adaptive weighted ranking-oriented label distribution learning.
    IEEE TNNLS 35(8), 2024.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLDPA
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLDPA().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    _constraints = {"ranking": NON_NEGATIVE, "variance": NON_NEGATIVE}

    def __init__(
        self,
        ranking: float = 1e-3,
        variance: float = 1e-3,
        ridge: float = 0.0,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ranking = ranking
        self.variance = variance
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:  # noqa: ARG002  # a sum over samples
        ranks = rankdata(D_T, axis=0)  # ties have their mean rank
        return [
            (1.0, DivergenceTerm(D_T)),
            (self.ranking, LinearTerm(-ranks / len(D_T))),
            (self.variance, VarianceTerm(D_T.var(axis=0))),
        ]


@dataclass(frozen=True)
class VarianceTerm:
    """(var p − v)², with the variance over the labels, divided by their number."""

    variance: Array  # v, (n,)

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        n_labels = len(P)
        centred = P - 1 / n_labels
        error = (centred**2).mean(axis=0) - self.variance
        return error**2, through_softmax(P, 4 / n_labels * error * centred, axis=0)
