"""The maximum entropy model P = softmax(XW): cross-entropy, preconditioning and improved iterative scaling."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.storage import gram
from labeldist._typing import EPSILON, Array

ValueAndGradient = Callable[[Array], tuple[float, Array]]

# Iterative scaling uses this many terms of the exponential series. For steps of at most LONGEST_STEP the remainder is
# below 0.3 %.
ORDER = 3
LONGEST_STEP = 0.5
NEWTON_STEPS = 4


def softmax_and_log(Z: Array, *, axis: int = 1) -> tuple[Array, Array]:
    """Return softmax(Z) along `axis` and its logarithm, with one exponential per entry."""
    log_p = Z - Z.max(axis=axis, keepdims=True)
    P = np.exp(log_p)
    total = P.sum(axis=axis, keepdims=True)
    P /= total
    log_p -= np.log(total)
    return P, log_p


def labels_first_scores(X: Any, W: Array) -> Array:
    """Return (XW)ᵀ. With one row per label the innermost loops run over the many rows of the data."""
    return W.T @ X.T if isinstance(X, np.ndarray) else (X @ W).T.copy()


def through_softmax(P: Array, gradient: Array) -> Array:
    """Convert a gradient with respect to P = softmax(Z) into the gradient with respect to Z."""
    moved = gradient - np.einsum("ij,ij->i", P, gradient)[:, None]
    moved *= P
    return moved


def squared_norm(W: Array) -> tuple[float, Array]:
    """Return ‖W‖² and its gradient."""
    return float(np.vdot(W, W)), 2 * W


@dataclass(frozen=True)
class CrossEntropy:
    """The loss −Σ_i w_i Σ_j d_ij log p_ij with P = softmax(XW)."""

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    weight: Array | None = None  # (n, 1), weight of each row; None means 1

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W, of shape (m, c), and its gradient Xᵀ(P − D)."""
        D = self._labels_first
        P, log_p = softmax_and_log(labels_first_scores(self.X, W), axis=0)
        loss = -float(np.vdot(D, log_p))
        P -= D
        if self.weight is not None:
            loss = -float(np.einsum("kn,kn,n->", D, log_p, self.weight[:, 0]))
            P *= self.weight.T
        return loss, self.X.T @ P.T

    @cached_property
    def _labels_first(self) -> Array:
        return np.ascontiguousarray(self.D.T)

    def curvature(self) -> Array:
        """Return ½XᵀX, with weighted rows; it bounds the Hessian of the loss for every label."""
        return 0.5 * gram(self.X if self.weight is None else self.X * np.sqrt(self.weight))


@dataclass(frozen=True)
class Preconditioner:
    """A change of variables W = TV that turns a given curvature M into the identity, TᵀMT = I.

    It speeds up the search if features are correlated or have different units.
    """

    T: Array

    @classmethod
    def of(cls, curvature: Array) -> Preconditioner:
        """Compute T from a positive semidefinite M; directions without curvature are omitted."""
        diagonal = np.diagonal(curvature)
        scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        eigenvalues, vectors = linalg.eigh(curvature / np.outer(scale, scale), driver="evd")
        vectors[diagonal == 0] = 0  # they are zero up to rounding, which a large constant feature would amplify
        kept = eigenvalues > len(curvature) * EPSILON * eigenvalues[-1]
        return cls(vectors[:, kept] / np.sqrt(eigenvalues[kept]) / scale[:, None])

    def compose(self, function: ValueAndGradient) -> ValueAndGradient:
        """Return V ↦ function(TV) with its gradient."""

        def composed(V: Array) -> tuple[float, Array]:
            value, gradient = function(self.T @ V)
            return value, self.T.T @ gradient

        return composed


@dataclass(frozen=True)
class ScalingProblem:
    """The constraints Σ_i p_ij x_ik = Σ_i d_ij x_ik of the maximum entropy model.

    With s_i = Σ_k |x_ik|, improved iterative scaling changes w_kj by the root δ of

        Σ_i p_ij x_ik exp(δ · sign(x_ik) · s_i) = Σ_i d_ij x_ik.

    Neither this step nor a shorter one of the same sign lowers the likelihood. The left side is replaced by its series
    in δ. Its coefficients are ORDER + 1 matrix products, instead of n·m·c exponentials.
    """

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    weight: Array | None = None  # (n, 1)

    @cached_property
    def longest_row(self) -> float:
        """The largest s_i."""
        return float(np.asarray(abs(self.X).sum(axis=1)).max(initial=0.0)) or 1.0

    @cached_property
    def powers(self) -> list[Any]:
        """x_ik · (sign(x_ik) · s_i / max s)^r for r = 0, …, ORDER."""
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
        """Return the cross-entropy at W, the largest violation of a constraint, and the scaling step."""
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
            with np.errstate(over="ignore"):  # the slope of a label without degrees is near zero
                step -= np.divide(value, slope, out=np.zeros_like(step), where=slope > 0)
            np.clip(step, -LONGEST_STEP, LONGEST_STEP, out=step)
        loss = -float(np.vdot(self._weighted(self.D), log_p))
        return loss, float(np.abs(violation).max(initial=0.0)), step / self.longest_row

    def _weighted(self, rows: Array) -> Array:
        return rows if self.weight is None else rows * self.weight


@dataclass(frozen=True)
class ScalingSolution:
    """Result of `scale_iteratively`."""

    W: Array  # (m, c)
    n_iter: int
    converged: bool


def scale_iteratively(problem: ScalingProblem, *, tol: float, max_iter: int, memory: int) -> ScalingSolution:
    """Repeat the update of improved iterative scaling, with Anderson acceleration, until the constraints hold.

    Stop if the largest violation of a constraint is at most `tol` times that at W = 0. Acceleration combines an update
    with at most `memory` earlier ones; a combined step that increases the loss is rejected.
    """
    W = np.zeros(problem.target.shape)
    loss, violation, update = problem.loss_and_update(W)
    enough = tol * violation
    history: deque[tuple[Array, Array]] = deque(maxlen=int(memory) + 1)
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
    """Return the next W: the last update, corrected by the earlier changes that explain it best in least squares."""
    points, updates = (np.array([entry[part].ravel() for entry in history]) for part in (0, 1))
    step = updates[-1]
    if len(history) > 1:
        changes = np.diff(updates, axis=0)
        share = linalg.lstsq(changes.T, step, cond=1e-10)[0]
        step = step - share @ (np.diff(points, axis=0) + changes)
    return history[-1][0] + step.reshape(history[-1][0].shape)
