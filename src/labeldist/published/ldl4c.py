"""LDL4C, a softmax learner for the prediction of the largest label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import entr

from labeldist._constraints import NON_NEGATIVE, POSITIVE
from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.published._softmax_terms import (
    SMOOTHING,
    AbsoluteTerm,
    Terms,
    margin_and_gradient,
)


class LDL4C(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning for classification (LDL4C).

    With P = softmax(Xθ), H the entropy, and t the label with the largest degree in row i, the first
    of equal ones, it minimises over θ

        Σ_i H(D_i) Σ_j abs(p_ij − d_ij) + C₁ Σ_i max(0, 1 − (p_it − max_{j≠t} p_ij) / ρ) +
        (C₂/2)‖θ‖².

    It is made for the prediction of the largest label. The entropy gives ambiguous rows more
    weight, and the margin separates the largest label from the predicted runner-up.

    Parameters
    ----------
    margin : float, default=1.0
        Weight C₁ of the margin.
    ridge : float, default=0.1
        Weight C₂ of the ridge penalty.
    margin_width : float, default=0.1
        Width ρ of the margin.
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
    LDLHR : Margins to all other labels.
    labeldist.metrics.top_label : Share of rows whose largest label is predicted.

    Notes
    -----
    The formula is the paper's, whose derivative of the softmax is misprinted. The defaults lie in
    the ranges that the paper searches. Absolute values, hinge and maximum are smoothed on a scale
    of 1e-4. The objective is not convex: the search starts from the solution with the cross-entropy
    as the loss. PyLDL divides the absolute errors by the number of labels and measures the margin
    to the second label of D.

    References
    ----------
    J. Wang, X. Geng. Classification with label distribution learning. IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDL4C
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDL4C().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.39, 0.33, 0.29]])
    """

    _constraints = {"margin": NON_NEGATIVE, "margin_width": POSITIVE}

    def __init__(
        self,
        margin: float = 1.0,
        ridge: float = 0.1,
        *,
        margin_width: float = 0.1,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.margin = margin
        self.ridge = ridge
        self.margin_width = margin_width
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _terms(self, D_T: Array, weight: Array) -> Terms:  # noqa: ARG002  # a sum over samples
        entropy = entr(D_T).sum(axis=0)
        top = D_T.argmax(axis=0), np.arange(D_T.shape[1])
        margin = RunnerUpMarginTerm(top, self.margin_width)
        return [(1.0, AbsoluteTerm(D_T, entropy)), (self.margin, margin)]


@dataclass(frozen=True)
class RunnerUpMarginTerm:
    """max(0, 1 − (p_top − max_{j≠top} p_j) / ρ), smoothed."""

    top: tuple[Any, Any]  # positions (label, sample) of the degrees that should be the largest
    width: float  # ρ

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores, (c, n)."""
        rivals = P.copy()
        rivals[self.top] = -1.0  # less than any degree
        # The smoothed maximum is ε log Σ exp(p / ε), and its gradient is softmax(p / ε).
        share, log_share = softmax_and_log(rivals / SMOOTHING, axis=0)
        largest = rivals[0] - SMOOTHING * log_share[0]
        return margin_and_gradient(P, self.top, largest, share, self.width)
