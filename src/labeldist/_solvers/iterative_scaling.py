"""Improved iterative scaling of the maximum entropy model, by itself or accelerated."""

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.maximum_entropy import softmax_and_log
from labeldist._typing import Array

ORDER = 3
"""Terms of the exponential series in an update; with steps of at most `LONGEST_STEP` the rest is below 0.3 %."""

LONGEST_STEP = 0.5
NEWTON_STEPS = 4


@dataclass(frozen=True)
class ScalingSolution:
    """What `scale_iteratively` returns: W, the number of updates, and whether the tolerance was met."""

    W: Array
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class ScalingProblem:
    """The constraints Σ_i p_ij x_ik = Σ_i d_ij x_ik of the maximum entropy model, and how to come closer to them.

    With s_i = Σ_k |x_ik|, improved iterative scaling changes w_kj by the root δ of

        Σ_i p_ij x_ik exp(δ · sign(x_ik) · s_i) = Σ_i d_ij x_ik,

    which never lowers the likelihood, nor does any shorter step of that sign. For the small δ that matter the left side
    is its series in δ, whose coefficients are ORDER + 1 matrix products instead of n·m·c exponentials.
    """

    X: Any
    D: Array
    weight: Array | None = None

    @cached_property
    def longest_row(self) -> float:
        """The largest s_i."""
        return float(np.asarray(abs(self.X).sum(axis=1)).max(initial=0.0)) or 1.0

    @cached_property
    def powers(self) -> list[Any]:
        """x_ik · (sign(x_ik) · s_i / max s)^r for each r."""
        share = np.asarray(abs(self.X).sum(axis=1)).reshape(-1, 1) / self.longest_row
        scaled = [self.X]
        for r in range(1, ORDER + 1):
            base = abs(self.X) if r % 2 else self.X
            scaled.append(base.multiply(share**r).tocsr() if hasattr(base, "multiply") else base * share**r)
        return scaled

    @cached_property
    def target(self) -> Array:
        """XᵀD."""
        return self.X.T @ self._weighted(self.D)

    def loss_and_update(self, W: Array) -> tuple[float, float, Array]:
        """Return the cross-entropy at W, the largest violation of a constraint, and the change that scaling makes."""
        P, log_p = softmax_and_log(self.X @ W)
        P = self._weighted(P)
        coefficients = [power.T @ P for power in self.powers]
        violation = coefficients[0] - self.target
        step = np.zeros_like(W)
        for _ in range(NEWTON_STEPS):
            value, slope, term = violation.copy(), np.zeros_like(W), np.ones_like(W)
            for r in range(1, ORDER + 1):
                slope += term * coefficients[r]
                term = term * step / r
                value += term * coefficients[r]
            step -= np.divide(value, slope, out=np.zeros_like(step), where=slope > 0)
            np.clip(step, -LONGEST_STEP, LONGEST_STEP, out=step)
        loss = -float(np.vdot(self._weighted(self.D), log_p))
        return loss, float(np.abs(violation).max(initial=0.0)), step / self.longest_row

    def _weighted(self, rows: Array) -> Array:
        return rows if self.weight is None else rows * self.weight


def scale_iteratively(problem: ScalingProblem, *, tol: float, max_iter: int, memory: int) -> ScalingSolution:
    """Repeat the update of improved iterative scaling until the constraints hold.

    Parameters
    ----------
    problem : ScalingProblem
    tol : float
        Stop when the largest violation of a constraint is this share of what it is at W = 0.
    max_iter : int
    memory : int
        How many earlier updates Anderson's acceleration combines with the present one; 0 is plain scaling. A combined
        step that raises the loss is not taken.
    """
    W = np.zeros(problem.target.shape)
    loss, violation, update = problem.loss_and_update(W)
    enough = tol * violation
    history: deque[tuple[Array, Array]] = deque(maxlen=memory + 1)
    for n_iter in range(max_iter):
        if violation <= enough:
            return ScalingSolution(W, n_iter, converged=True)
        history.append((W, update))
        candidate = problem.loss_and_update(combined := _combine(history))
        if candidate[0] > loss and len(history) > 1:
            history.clear()
            candidate = problem.loss_and_update(combined := W + update)
        W, (loss, violation, update) = combined, candidate
    return ScalingSolution(W, max_iter, converged=violation <= enough)


def _combine(history: deque[tuple[Array, Array]]) -> Array:
    """Return the next W: the last one updated, corrected by the earlier changes that explain its update best."""
    points, updates = (np.array([entry[part].ravel() for entry in history]) for part in (0, 1))
    step = updates[-1]
    if len(history) > 1:
        changes = np.diff(updates, axis=0)
        share = linalg.lstsq(changes.T, step, cond=1e-10)[0]
        step = step - share @ (np.diff(points, axis=0) + changes)
    return history[-1][0] + step.reshape(history[-1][0].shape)
