"""LDL-HR, a softmax learner for the degrees of the highest label and of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labeldist._constraints import NON_NEGATIVE, POSITIVE
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import (
    AbsoluteTerm,
    LinearTerm,
    Terms,
    margin_and_gradient,
    sums_over_labels,
)


class LDLHR(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by the degrees of the highest label and of the rest (LDL-HR).

    With P = softmax(Xθ) and t the label with the largest degree in row i, the first of equal ones,
    it minimises over θ

        2Σ_i (1 − p_it) + λ₂ Σ_i Σ_{j≠t} max(0, 1 − (p_it − p_ij) / ρ) + λ₃ Σ_i Σ_{j≠t} abs(p_ij −
        d_ij) + (λ₁/2)‖θ‖².

    It is made for the prediction of the largest label. The first term is the absolute error if the
    largest label had degree one.

    Parameters
    ----------
    margin : float, default=100.0
        Weight λ₂ of the margins.
    rest : float, default=1.0
        Weight λ₃ of the errors of the other labels.
    ridge : float, default=1e-4
        Weight λ₁ of the ridge penalty.
    margin_width : float, default=0.01
        Width ρ of the margins.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised.
    tol : float, default=1e-8
        Stop when the largest entry of the gradient is at most this fraction of its value at θ = 0,
        which the margins make large.
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
    LDL4C : Margin to the runner-up alone.
    labeldist.metrics.top_label : Share of rows whose largest label is predicted.

    Notes
    -----
    The formula is from the paper, the defaults are from the authors' code, whose λ₂ is 1e4 because
    it does not divide the margin by ρ. Its term of the rest also pulls p_it to zero. With λ₃ < 2
    the loss of a row is least at p_it = 1, which overestimates large degrees; with λ₃ > 2 it is
    least at the degrees themselves, if they satisfy the margin. Contrary to the paper, the
    objective is not convex. The search and the smoothing are as in `LDL4C`. PyLDL divides the
    absolute errors by numbers of labels.

    References
    ----------
    J. Wang, X. Geng. Learn the highest label and rest label description degrees. IJCAI 2021.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLHR
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLHR(1.0, margin_width=0.1).fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.93, 0.06, 0.01]])
    """

    _constraints = {"margin": NON_NEGATIVE, "rest": NON_NEGATIVE, "margin_width": POSITIVE}

    def __init__(
        self,
        margin: float = 100.0,
        rest: float = 1.0,
        ridge: float = 1e-4,
        *,
        margin_width: float = 0.01,
        fit_intercept: bool = False,
        tol: float = 1e-8,
        max_iter: int = 1000,
    ) -> None:
        self.margin = margin
        self.rest = rest
        self.ridge = ridge
        self.margin_width = margin_width
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:  # noqa: ARG002  # a sum over samples
        top = D_T.argmax(axis=0), np.arange(D_T.shape[1])
        others = np.ones_like(D_T)
        others[top] = 0
        return [
            (2.0, LinearTerm(others)),
            (self.margin, MarginTerm(top, others, self.margin_width)),
            (self.rest, AbsoluteTerm(D_T, others)),
        ]


@dataclass(frozen=True)
class MarginTerm:
    """Σ_{j≠top} max(0, 1 − (p_top − p_j) / ρ), smoothed."""

    top: tuple[Any, Any]  # positions (label, sample) of the degrees that should be the largest
    others: Array  # (c, n), 0 for these degrees and 1 for the others
    width: float  # ρ

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        margins, gradient = margin_and_gradient(P, self.top, P, self.others, self.width)
        return sums_over_labels(self.others, margins), gradient
