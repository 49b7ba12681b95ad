"""The maximum entropy model P = softmax(XW), its losses and its penalties, with their gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._kernels.storage import gram
from labeldist._typing import EPSILON, Array

ValueAndGradient = Callable[[Array], tuple[float, Array]]


def softmax_and_log(Z: Array, *, axis: int = 1) -> tuple[Array, Array]:
    """Return softmax(Z), over the labels along `axis`, and its logarithm, at the price of one exponential an entry."""
    log_p = Z - Z.max(axis=axis, keepdims=True)
    P = np.exp(log_p)
    total = P.sum(axis=axis, keepdims=True)
    P /= total
    log_p -= np.log(total)
    return P, log_p


def through_softmax(P: Array, gradient: Array) -> Array:
    """Turn a gradient with respect to P = softmax(Z) into one with respect to Z."""
    moved = gradient - np.einsum("ij,ij->i", P, gradient)[:, None]
    moved *= P
    return moved


@dataclass(frozen=True)
class CrossEntropy:
    """−Σ_i w_i Σ_j d_ij log p_ij with P = softmax(XW).

    Attributes
    ----------
    X : array or sparse array of shape (n, m)
    D : ndarray of shape (n, c)
        Distributions.
    weight : ndarray of shape (n, 1) or None
        What each row counts; None is one.
    """

    X: Any
    D: Array
    weight: Array | None = None

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W (m, c) and its gradient Xᵀ(P − D)."""
        # Labels come first, so that their few numbers are not what the innermost loops run over.
        D, scores = self._labels_first, W.T @ self.X.T if isinstance(self.X, np.ndarray) else (self.X @ W).T.copy()
        P, log_p = softmax_and_log(scores, axis=0)
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
        """Return ½XᵀX, which bounds the Hessian of the loss for every label."""
        return 0.5 * gram(self.X if self.weight is None else self.X * np.sqrt(self.weight))


def squared_norm(W: Array) -> tuple[float, Array]:
    """Return ‖W‖² and its gradient."""
    return float(np.vdot(W, W)), 2 * W


@dataclass(frozen=True)
class Preconditioner:
    """A change of variables W = TV in which a given curvature M becomes the identity, TᵀMT = I.

    The curvature of the cross-entropy is at most ½XᵀX. Where features are correlated or of different units, a search
    that crawls over W walks straight over V.
    """

    T: Array

    @classmethod
    def of(cls, curvature: Array) -> "Preconditioner":
        """Compute it from M, positive semidefinite; directions without any curvature are left out."""
        diagonal = np.diagonal(curvature)
        scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        eigenvalues, vectors = linalg.eigh(curvature / np.outer(scale, scale), driver="evd")
        vectors[diagonal == 0] = 0  # but for rounding they are, which a large constant feature would magnify
        kept = eigenvalues > len(curvature) * EPSILON * eigenvalues[-1]
        return cls(vectors[:, kept] / np.sqrt(eigenvalues[kept]) / scale[:, None])

    def compose(self, function: ValueAndGradient) -> ValueAndGradient:
        """Return the function of V that a function of W is."""

        def composed(V: Array) -> tuple[float, Array]:
            value, gradient = function(self.T @ V)
            return value, self.T.T @ gradient

        return composed
