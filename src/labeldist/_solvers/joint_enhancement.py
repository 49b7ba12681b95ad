"""Joint estimation of label distributions within tags and of a softmax model of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy, Preconditioner, softmax_and_log
from labeldist._typing import Array

MAX_STEPS = 1000  # iterations of L-BFGS, and steps of the exponentiated gradient, in a round
SHORTEST_STEP = 1e-10  # no shorter step is tried; rounding prevents a decrease
ROUNDING = 1e-12


@dataclass(frozen=True)
class JointLoss:
    """The loss KL(D‖P) + α tr(DᵀSD) + β‖D‖² + γ‖W‖² with P = softmax(XW), over W and distributions D within tags."""

    X: Array  # (n, m), the last column is 1 and has no penalty
    tags: Any  # (n, c), bool, at least one per row; D is zero elsewhere
    laplacian: Any  # S, (n, n), sparse and symmetric; None if α = 0
    smoothness: float  # α
    flatness: float  # β
    ridge: float  # γ

    def penalty_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return γ‖W‖² without the intercept, and its gradient."""
        shrunk = self.ridge * W
        shrunk[-1] = 0
        return float(np.vdot(W, shrunk)), 2 * shrunk

    def value_and_gradient(self, D: Array, log_d: Array, log_p: Array) -> tuple[float, Array]:
        """Return the terms that depend on D, and their gradient without the constant 1, at log D where D > 0."""
        pull = self.flatness * D
        if self.smoothness:
            pull += self.smoothness * (self.laplacian @ D)
        gap = log_d - log_p
        return float(np.vdot(D, gap + pull)), gap + 2 * pull


@dataclass(frozen=True)
class JointSolution:
    """Result of `enhance_jointly`."""

    D: Array  # (n, c)
    W: Array  # (m, c)
    values: list[float]  # loss after each round; it never increases
    converged: bool


def enhance_jointly(loss: JointLoss, *, tol: float, max_iter: int) -> JointSolution:
    """Alternate between W, by L-BFGS, and D, by the exponentiated gradient, until the loss is stationary.

    Stop if a round decreases the loss by at most `tol` times its value at the start, where W = 0 and the degrees of the
    tags are equal. The loss is convex in W and in D, but not in both. A step for D is D ← D∘exp(−η∇), divided by the
    row sums. For α = β = 0 the step η = 1 is the minimum, D = P within the tags, and the rounds are those of the EM
    algorithm for −Σ_i log Σ_j l_ij p_ij + γ‖W‖².
    """
    c = loss.tags.shape[1]
    D = loss.tags / loss.tags.sum(axis=1, keepdims=True)
    log_d = np.log(D, out=np.zeros_like(D), where=loss.tags)
    curvature = CrossEntropy(loss.X, D).curvature()
    curvature.flat[: -1 : len(curvature) + 1] += 2 * loss.ridge
    precondition = Preconditioner.of(curvature)
    V, W = np.zeros((precondition.T.shape[1], c)), np.zeros((loss.X.shape[1], c))
    log_p = np.full(D.shape, -np.log(c))
    values = [loss.value_and_gradient(D, log_d, log_p)[0]]
    scale = abs(values[0]) or 1.0
    for _ in range(max_iter):
        entropy = CrossEntropy(loss.X, D)

        def penalised(W: Array, entropy: CrossEntropy = entropy) -> tuple[float, Array]:
            value, gradient = entropy.value_and_gradient(W)
            penalty, shrink = loss.penalty_and_gradient(W)
            return value + penalty, gradient + shrink

        V = minimize_lbfgs(precondition.compose(penalised), V, tol=tol, max_iter=MAX_STEPS).X
        W = precondition.T @ V
        log_p = softmax_and_log(loss.X @ W)[1]
        D, log_d, value = _improve_degrees(loss, D, log_d, log_p, tol * scale)
        values.append(value + loss.penalty_and_gradient(W)[0])
        if values[-2] - values[-1] <= tol * scale:
            return JointSolution(D, W, values, converged=True)
    return JointSolution(D, W, values, converged=False)


def _improve_degrees(
    loss: JointLoss, D: Array, log_d: Array, log_p: Array, enough: float
) -> tuple[Array, Array, float]:
    """Take steps until one decreases the loss by at most `enough`; return D, log D and the loss."""
    value, gradient = loss.value_and_gradient(D, log_d, log_p)
    step = 1.0
    for _ in range(MAX_STEPS):
        while step > SHORTEST_STEP:
            next_d, next_log = softmax_and_log(np.where(loss.tags, log_d - step * gradient, -np.inf))
            next_log[~loss.tags] = 0
            reached, next_gradient = loss.value_and_gradient(next_d, next_log, log_p)
            # The sufficient decrease of mirror descent. It is an equality for α = β = 0, up to rounding.
            decrease = -float(np.vdot(gradient, next_d - D) + np.vdot(next_d, next_log - log_d) / step)
            if reached <= value and reached <= value - decrease + ROUNDING * abs(value):
                break
            step /= 2
        else:
            break
        decrease, D, log_d, value, gradient = value - reached, next_d, next_log, reached, next_gradient
        if decrease <= enough:
            break
        step = min(1.0, 2 * step)
    return D, log_d, value
