"""Solvers of PT-SVM: two-sided support vector machines, Platt's sigmoid and pairwise coupling."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from labeldist._typing import Array

STEP_SHARE = 0.995  # share of the way to the nearest bound that a step may take
LEAST_WEIGHT = 1e-10  # weights are raised to this share of the largest, so that every box has an interior
ROUNDING_SPREAD = 1e-6  # smaller differences of decision values are within the tolerance of the solver


@dataclass(frozen=True)
class SVMSolution:
    """Result of `solve_two_sided_svm`."""

    coef: Array  # w, (rank,)
    intercept: float  # b
    gap: float  # complementarity gap over the total weight; bounds the relative distance to the minimum
    n_iter: int
    converged: bool  # whether the gap and the residuals are within the tolerance


def solve_two_sided_svm(
    Z: Array, positive: Array, negative: Array, *, tol: float = 1e-9, max_iter: int = 200
) -> SVMSolution:
    """Minimise ½‖w‖² + Σ_i p_i (1 − f_i)₊ + q_i (1 + f_i)₊ over w and b, where f = Zw + b.

    This is C-SVC with every row i in both classes, with weights p_i and q_i. The dual has variables u_i in [0, p_i] and
    v_i in [0, q_i] with Σu = Σv and w = Zᵀ(u − v). It is solved by the primal-dual interior-point method with
    Mehrotra's corrector (Fine and Scheinberg 2001) in about twenty steps, until the relative gap and residuals are at
    most `tol`. Both examples of a row share its row of Z, so a step costs about n·rank² multiplications, while C-SVC on
    2n examples has a kernel matrix of 4n² entries.

    Z, of shape (n, rank), is a factor of the kernel matrix, K = ZZᵀ. p and q, of shape (n,), have a positive entry.
    """
    n, rank = Z.shape
    Z = np.column_stack([Z, np.ones(n)])  # the last coefficient is the intercept
    sign = np.array([[1.0], [-1.0]])
    # Division of the objective by the largest weight makes the upper bounds of the dual variables at most one.
    unit = max(positive.max(), negative.max())
    upper = np.maximum(np.stack([positive, negative]) / unit, LEAST_WEIGHT)
    penalty = np.append(np.full(rank, 1 / unit), 0.0)
    total = upper.sum()
    # x holds u and v, which start in the interior with equal sums; s and t are the multipliers of their bounds.
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
    """Return a function that computes the Newton step to s·x = lower, t·slack = upper and zero residuals.

    Elimination of all unknowns except dθ leaves the matrix diag(penalty) + ZᵀΩZ, where Ω sums the inverse curvatures of
    u and v of each row.
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
    """Return the longest step, at most 1, that keeps x, slack, s and t positive."""
    fastest = max((-d_x / x).max(), (d_x / slack).max(), (-d_s / s).max(), (-d_t / t).max())
    return float(min(1.0, 1 / fastest)) if fastest > 0 else 1.0


def fit_sigmoid(f: Array, positive: Array, negative: Array, *, max_iter: int = 100) -> tuple[float, float]:
    """Return A and B such that σ(Af + B) is the probability of the positive class (Platt 2000).

    They minimise the cross-entropy of rows that are positive with weight p_i and negative with weight q_i, by Newton's
    method. The targets are (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0, where N± are the total weights, so that
    A stays finite. A is 0 if the decision values f differ only by rounding. All arrays have shape (n,).
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
    """Minimise Σ_{j<k} (r_kj p_j − r_jk p_k)² over p on the simplex, for each row (Wu, Lin and Weng 2004, method 2).

    R has shape (n, c, c): r_jk is the probability of label j given j or k, and the diagonal is ignored. The minimiser
    solves a linear system of size c + 1.
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
