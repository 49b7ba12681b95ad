"""The maximum entropy model P = softmax(XW): its cross-entropy and preconditioning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._float_limits import EPSILON
from labeldist._solvers.sparse_or_dense import gram
from labeldist._typing import Array

ValueAndGradient = Callable[[Array], tuple[float, Array]]


def softmax_and_log(Z: Array, *, axis: int = 1) -> tuple[Array, Array]:
    """Return softmax(Z) along `axis` and its logarithm, with one exponential per entry."""
    log_P = Z - Z.max(axis=axis, keepdims=True)
    P = np.exp(log_P)
    total = P.sum(axis=axis, keepdims=True)
    P /= total
    log_P -= np.log(total)
    return P, log_P


def labels_first_scores(X: Any, W: Array) -> Array:
    """Return (XW)ᵀ. With one row per label the innermost loops run over the many samples."""
    return np.ascontiguousarray(W.T @ X.T)


def through_softmax(P: Array, gradient: Array, *, axis: int = 1) -> Array:
    """Convert a gradient with respect to P = softmax(Z) into the gradient with respect to Z.

    Distributions lie along `axis`.
    """
    sums = "ij,ij->i" if axis == 1 else "ij,ij->j"
    means = np.einsum(sums, P, gradient)
    return P * (gradient - np.expand_dims(means, axis))


def squared_norm(W: Array) -> tuple[float, Array]:
    """Return ‖W‖² and its gradient."""
    return float(np.vdot(W, W)), 2 * W


def cross_entropy(scores: Array, D_T: Array, weight: Array | None) -> tuple[float, Array]:
    """Return −Σ_i w_i Σ_j d_ij log p_ij for scores (c, n), and its gradient in the scores."""
    P, log_P = softmax_and_log(scores, axis=0)
    P -= D_T
    if weight is None:
        return -float(np.vdot(D_T, log_P)), P
    P *= weight
    return -float(np.einsum("kn,kn,n->", D_T, log_P, weight)), P


@dataclass(frozen=True)
class CrossEntropy:
    """The loss −Σ_i w_i Σ_j d_ij log p_ij with P = softmax(XW)."""

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    weight: Array | None = None  # (n,), weight of each sample; None means 1

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W, of shape (m, c), and its gradient Xᵀ(P − D)."""
        scores = labels_first_scores(self.X, W)
        value, residuals = cross_entropy(scores, self._labels_first, self.weight)
        return value, self.X.T @ residuals.T

    @cached_property
    def _labels_first(self) -> Array:
        return np.ascontiguousarray(self.D.T)

    def curvature(self) -> Array:
        """Return ½XᵀX, with weighted rows; it bounds the Hessian of the loss for every label."""
        X = self.X if self.weight is None else self.X * np.sqrt(self.weight)[:, None]
        return 0.5 * gram(X)


def preconditioner(curvature: Array) -> Array:
    """Return T such that W = TV turns a given curvature M into the identity, TᵀMT = I.

    M is positive semidefinite. Directions without curvature are omitted. The search over V is
    faster if features are correlated or have different units.
    """
    diagonal = np.diagonal(curvature)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    eigenvalues, vectors = linalg.eigh(curvature / np.outer(scale, scale), driver="evd")
    # These rows are zero up to rounding, which a large constant feature would amplify.
    vectors[diagonal == 0] = 0
    kept = eigenvalues > len(curvature) * EPSILON * eigenvalues[-1]
    T: Array = vectors[:, kept] / np.sqrt(eigenvalues[kept]) / scale[:, None]
    return T


def precondition(function: ValueAndGradient, T: Array) -> ValueAndGradient:
    """Return V ↦ function(TV) with its gradient."""

    def composed(V: Array) -> tuple[float, Array]:
        value, gradient = function(T @ V)
        return value, T.T @ gradient

    return composed
