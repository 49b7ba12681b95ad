"""Two-class support vector machines whose rows belong to both classes, and probabilities from them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from labeldist._typing import Array

STEP_SHARE = 0.995
"""How much of the way to the next bound a step may go."""

LEAST_WEIGHT = 1e-10
"""Weights are raised to this share of the largest, so that the box of every dual variable has an inside."""

ROUNDING_SPREAD = 1e-6
"""Decision values that differ by no more than this differ by what the solver leaves undone."""


@dataclass(frozen=True)
class SVMSolution:
    """What `solve_two_sided_svm` returns.

    Attributes
    ----------
    coef : ndarray of shape (rank,)
    intercept : float
    gap : float
        Complementarity gap over the total weight: how far the objective may be from its minimum, relative.
    n_iter : int
    converged : bool
        Whether the gap and the residuals are within the tolerance.
    """

    coef: Array
    intercept: float
    gap: float
    n_iter: int
    converged: bool


def solve_two_sided_svm(
    Z: Array, positive: Array, negative: Array, *, tol: float = 1e-9, max_iter: int = 200
) -> SVMSolution:
    """Minimise ½‖w‖² + Σ_i p_i (1 − f_i)₊ + q_i (1 + f_i)₊ over w and b, where f = Zw + b.

    This is C-SVC with every row i in both classes, with weights p_i and q_i. As 2n examples it would have a kernel
    matrix of 4n² entries; here both examples of a row share its row of Z, so that a step takes time as n·rank².

    The dual has a variable u_i in [0, p_i] and v_i in [0, q_i] for each row, with Σu = Σv and w = Zᵀ(u − v). It is
    solved by the primal-dual interior point method with Mehrotra's corrector (Fine and Scheinberg 2001), in some twenty
    steps.

    Parameters
    ----------
    Z : ndarray of shape (n, rank)
        Factor of the kernel matrix.
    positive, negative : ndarray of shape (n,)
        The weights p and q; neither may be zero throughout.
    tol : float
        Stop when the relative gap and the relative residuals are below it.
    max_iter : int
    """
    n, rank = Z.shape
    Z = np.column_stack([Z, np.ones(n)])  # the last coefficient is the intercept
    sign = np.array([[1.0], [-1.0]])
    # The whole objective is divided by the largest weight, so that the boxes of the dual variables are near one.
    unit = max(positive.max(), negative.max())
    upper = np.maximum(np.stack([positive, negative]) / unit, LEAST_WEIGHT)
    penalty = np.append(np.full(rank, 1 / unit), 0.0)
    total = upper.sum()
    # u and v start inside, with equal sums; s and t are the multipliers of their lower and upper bounds.
    x = upper * (upper.sum(axis=1).min() / upper.sum(axis=1, keepdims=True) / 2)
    theta = np.zeros(rank + 1)
    s = t = np.ones_like(x)
    for n_iter in range(max_iter + 1):
        slack = upper - x
        margin = sign * (Z @ theta) - 1
        dual = margin - s + t
        primal = penalty * theta - Z.T @ (x[0] - x[1])
        gap = float((s * x).sum() + (t * slack).sum()) / total
        converged = max(gap, np.abs(dual).max(), np.abs(primal).max() / total) <= tol
        if converged or n_iter == max_iter:
            break
        step = _linearise(Z, sign, penalty, x, slack, s, t, dual, primal)
        zero = np.zeros_like(x)
        _, d_x, d_s, d_t = step(zero, zero)
        length = _longest(x, slack, s, t, d_x, d_s, d_t)
        ahead = ((s + length * d_s) * (x + length * d_x)).sum() + ((t + length * d_t) * (slack - length * d_x)).sum()
        center = (ahead / total / gap) ** 3 * gap * total / (2 * x.size)
        d_theta, d_x, d_s, d_t = step(center - d_s * d_x, center + d_t * d_x)
        length = STEP_SHARE * _longest(x, slack, s, t, d_x, d_s, d_t)
        theta, x, s, t = theta + length * d_theta, x + length * d_x, s + length * d_s, t + length * d_t
    return SVMSolution(theta[:-1], float(theta[-1]), gap, n_iter, bool(converged))


def _linearise(
    Z: Array, sign: Array, penalty: Array, x: Array, slack: Array, s: Array, t: Array, dual: Array, primal: Array
) -> Callable[[Array, Array], tuple[Array, Array, Array, Array]]:
    """Return the function that gives the Newton step to s·x = lower, t·slack = upper and zero residuals.

    Eliminating all but the change of θ leaves (diag(penalty) + ZᵀΩZ) dθ, where Ω adds up what u and v of a row allow.
    """
    curvature = s / x + t / slack
    normal = (Z.T * (1 / curvature).sum(axis=0)) @ Z
    normal[np.diag_indices_from(normal)] += penalty
    factor = cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)

    def step(lower: Array, upper: Array) -> tuple[Array, Array, Array, Array]:
        to_lower, to_upper = lower / x - s, upper / slack - t
        rho = to_lower - to_upper - dual
        d_theta = cho_solve(factor, Z.T @ (sign * rho / curvature).sum(axis=0) - primal, check_finite=False)
        d_x = (rho - sign * (Z @ d_theta)) / curvature
        return d_theta, d_x, to_lower - s / x * d_x, to_upper + t / slack * d_x

    return step


def _longest(x: Array, slack: Array, s: Array, t: Array, d_x: Array, d_s: Array, d_t: Array) -> float:
    """Return the longest step up to 1 that keeps all four positive."""
    fastest = max((-d_x / x).max(), (d_x / slack).max(), (-d_s / s).max(), (-d_t / t).max())
    return float(min(1.0, 1 / fastest)) if fastest > 0 else 1.0


def fit_sigmoid(f: Array, positive: Array, negative: Array, *, max_iter: int = 100) -> tuple[float, float]:
    """Return A and B with which σ(Af + B) is the probability of the positive class (Platt 2000).

    They minimise the cross-entropy of rows that count as positive with weight p_i and as negative with q_i. Targets are
    not 1 and 0 but (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), N± the total weights, so that A stays finite.

    Decision values that differ by rounding alone get A = 0.
    """
    n_positive, n_negative = positive.sum(), negative.sum()
    center = float(np.average(f, weights=positive + negative))
    spread = float(np.abs(f - center).max())
    start = float(np.log((n_positive + 1) / (n_negative + 1)))
    if spread <= ROUNDING_SPREAD:
        return 0.0, start
    design = np.column_stack([(f - center) / spread, np.ones_like(f)])
    weight = positive + negative
    target = positive * (n_positive + 1) / (n_positive + 2) + negative / (n_negative + 2)
    ab = np.array([0.0, start])

    def loss(ab: Array) -> float:
        scores = design @ ab
        return float(weight @ np.logaddexp(0, scores) - target @ scores)

    value = loss(ab)
    for _ in range(max_iter):
        probability = expit(design @ ab)
        gradient = design.T @ (weight * probability - target)
        hessian = (design.T * (weight * probability * (1 - probability))) @ design
        hessian[np.diag_indices(2)] += 1e-12 * weight.sum()
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while loss(ab - length * step) > value - 1e-4 * length * gradient @ step and length > 1e-10:
            length /= 2
        ab = ab - length * step
        value = loss(ab)
        if np.abs(gradient).max() <= 1e-12 * weight.sum():
            break
    return float(ab[0] / spread), float(ab[1] - ab[0] * center / spread)


def couple_pairwise(R: Array) -> Array:
    """Return the distributions that agree best with pairwise probabilities (Wu, Lin and Weng 2004, second method).

    For each row they minimise Σ_{j<k} (r_kj p_j − r_jk p_k)² over p on the simplex, a linear system.

    Parameters
    ----------
    R : ndarray of shape (n, c, c)
        r_jk is the probability of label j where it is j or k; the diagonal is not looked at.
    """
    n, c, _ = R.shape
    R = np.where(np.eye(c, dtype=bool), 0, R)
    Q = -R * R.transpose(0, 2, 1)
    Q[:, np.arange(c), np.arange(c)] = (R**2).sum(axis=1)
    system = np.ones((n, c + 1, c + 1))
    system[:, :c, :c] = Q
    system[:, c, c] = 0
    right = np.zeros((n, c + 1, 1))
    right[:, c] = 1
    return np.maximum(np.linalg.solve(system, right)[:, :c, 0], 0)
