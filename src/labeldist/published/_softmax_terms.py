"""Terms of the objectives of softmax learners: functions of P = softmax(Z), with their gradients.

Each term is a sum over the samples. Its tables P, log P and D_T, the transpose of the
degrees D, have one row per label and one column per sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from labeldist._solvers.softmax_loss import labels_first_scores, softmax_and_log, through_softmax
from labeldist._typing import Array

# ε of √(t² + ε²), which replaces |t|. L-BFGS stops early at the kinks of |t|, hinges and maxima.
SMOOTHING = 1e-4


class Term(Protocol):
    """A function of each predicted distribution."""

    def value_and_gradient(self, P: Array, log_P: Array) -> tuple[Array, Array]:
        """Return the value for each sample, (n,), and the gradient in the scores Z, (c, n)."""


Terms = list[tuple[float, Term]]  # each term with its strength


@dataclass(frozen=True)
class SoftmaxObjective:
    """The objective Σ_i w_i Σ_t s_t V_t(p_i), P = softmax(XW), for terms V_t of strengths s_t."""

    X: Any  # (n, m), dense or sparse
    terms: Terms
    weight: Array  # (n,), of each sample

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the objective at W, of shape (m, c), and its gradient."""
        P, log_P = softmax_and_log(labels_first_scores(self.X, W), axis=0)
        total: Any = 0.0
        gradient: Any = 0.0
        for strength, term in self.terms:
            value, slope = term.value_and_gradient(P, log_P)
            total += strength * value
            gradient += strength * slope
        gradient *= self.weight
        return float((total * self.weight).sum()), self.X.T @ gradient.T


@dataclass(frozen=True)
class DivergenceTerm:
    """−Σ_j d_j log p_j."""

    D_T: Array  # (c, n)

    def value_and_gradient(self, P: Array, log_P: Array) -> tuple[Array, Array]:
        return -sums_over_labels(self.D_T, log_P), P * self.D_T.sum(axis=0) - self.D_T


@dataclass(frozen=True)
class AbsoluteTerm:
    """Σ_j w_j |p_j − d_j|, smoothed."""

    D_T: Array  # (c, n)
    weight: Array  # (n,) or (c, n)

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        value, slope = smooth_absolute(P - self.D_T)
        return (self.weight * value).sum(axis=0), through_softmax(P, self.weight * slope, axis=0)


@dataclass(frozen=True)
class LinearTerm:
    """Σ_j a_j p_j."""

    coefficients: Array  # a, (c, n)

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        return sums_over_labels(self.coefficients, P), through_softmax(P, self.coefficients, axis=0)


@dataclass(frozen=True)
class QuadraticTerm:
    """pᵀ M_k p, with one symmetric matrix M_k for each group k of samples."""

    matrices: Sequence[Array]  # (c, c) each
    groups: Sequence[Any]  # the samples of each group, as slices or positions

    def value_and_gradient(self, P: Array, _: Array) -> tuple[Array, Array]:
        product = np.empty_like(P)
        for matrix, samples in zip(self.matrices, self.groups, strict=True):
            product[:, samples] = matrix @ P[:, samples]
        return sums_over_labels(P, product), through_softmax(P, 2 * product, axis=0)


def smooth_absolute(t: Array) -> tuple[Array, Array]:
    """Return √(t² + ε²) and its derivative."""
    root = np.sqrt(t * t + SMOOTHING**2)
    return root, t / root


def margin_and_gradient(
    P: Array, top: Any, rivals: Array, share: Array, width: float
) -> tuple[Array, Array]:
    """Return max(0, 1 − (p_top − rivals) / width), smoothed, and the gradient in the scores.

    `top` are the positions of p_top in P, and `share` is the gradient of the rivals in P. The
    smoothed max(0, t) is (t + √(t² + ε²)) / 2.
    """
    gap = 1 - (P[top] - rivals) / width
    size, slope = smooth_absolute(gap)
    gradient = share * (0.5 + 0.5 * slope)
    gradient[top] = -gradient.sum(axis=0)
    return 0.5 * (gap + size), through_softmax(P, gradient / width, axis=0)


def sums_over_labels(A: Array, B: Array) -> Array:
    """Return Σ_j a_j b_j for each sample, (n,)."""
    return np.einsum("kn,kn->n", A, B)
