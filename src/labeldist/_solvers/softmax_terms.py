"""Terms of the objectives of softmax learners: losses and penalties of P = softmax(Z), with their gradients.

Each term is a sum over the rows of the data. ``value_and_gradient(P, log_P)`` returns its value for each row, (n,), and
its gradient with respect to the scores Z, (c, n). All tables have one row per label and one column per row of the data,
as in `CrossEntropy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from labeldist._solvers.maximum_entropy import labels_first_scores, softmax_and_log
from labeldist._typing import Array

SMOOTHING = 1e-4
"""ε of √(t² + ε²), which replaces |t|. L-BFGS stops early at the kinks of |t|, of hinges and of maxima."""

ValuesAndGradient = tuple[Array, Array]


class Term(Protocol):
    """A function of each predicted distribution."""

    def value_and_gradient(self, P: Array, log_P: Array) -> ValuesAndGradient:
        """Return the value for each row, (n,), and the gradient in the scores, (c, n)."""


@dataclass(frozen=True)
class SoftmaxObjective:
    """The objective Σ_i w_i Σ_t s_t V_t(p_i) with P = softmax(XW), for terms V_t of strengths s_t."""

    X: Any  # (n, m), dense or sparse
    terms: Sequence[tuple[float, Term]]
    weight: Array | None = None  # (n,), weight of each row; None means 1

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the objective at W, of shape (m, c), and its gradient."""
        P, log_P = softmax_and_log(labels_first_scores(self.X, W), axis=0)
        total, gradient = np.zeros(P.shape[1]), np.zeros_like(P)
        for strength, term in self.terms:
            value, slope = term.value_and_gradient(P, log_P)
            total += strength * value
            gradient += strength * slope
        if self.weight is not None:
            total *= self.weight
            gradient *= self.weight
        return float(total.sum()), self.X.T @ gradient.T


@dataclass(frozen=True)
class DivergenceTerm:
    """−Σ_j d_j log p_j. Labels whose degree is not observed have d = 0, so that the sum of d is less than one."""

    D: Array

    def value_and_gradient(self, P: Array, log_P: Array) -> ValuesAndGradient:
        return -_row_sums(self.D, log_P), P * self.D.sum(axis=0) - self.D


@dataclass(frozen=True)
class JeffreyTerm:
    """Σ_j (d_j − p_j) log(d_j / p_j), Jeffrey's divergence, for positive d."""

    D: Array

    def value_and_gradient(self, P: Array, log_P: Array) -> ValuesAndGradient:
        error, log_ratio = P - self.D, log_P - self._log_degrees
        return _row_sums(error, log_ratio), error + _in_scores(P, log_ratio)

    @cached_property
    def _log_degrees(self) -> Array:
        return np.log(self.D)


@dataclass(frozen=True)
class AbsoluteTerm:
    """Σ_j w_j |p_j − d_j|, smoothed."""

    D: Array
    weight: Array  # (n,) or (c, n)

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        value, slope = smooth_absolute(P - self.D)
        return (self.weight * value).sum(axis=0), _in_scores(P, self.weight * slope)


@dataclass(frozen=True)
class LinearTerm:
    """Σ_j a_j p_j."""

    coefficients: Array  # a, (c, n)

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        return _row_sums(self.coefficients, P), _in_scores(P, self.coefficients)


@dataclass(frozen=True)
class MarginTerm:
    """Σ_{j≠top} max(0, 1 − (p_top − p_j) / ρ), smoothed, or the same for the largest p_j alone."""

    top: NDArray[np.intp]  # (n,), the label that should be the largest
    width: float  # ρ
    runner_up: bool = False  # whether only the largest of the other labels counts

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        top = self.top, np.arange(P.shape[1])
        rivals = P.copy()
        rivals[top] = -1.0  # less than any degree
        share = np.ones_like(P)
        if self.runner_up:  # the maximum is ε log Σ exp(p / ε), and its gradient softmax(p / ε)
            share, log_share = softmax_and_log(rivals / SMOOTHING, axis=0)
            rivals = rivals[:1] - SMOOTHING * log_share[:1]
        gap = 1 - (P[top] - rivals) / self.width
        size, slope = smooth_absolute(gap)
        share[top] = 0
        gradient = share * (0.5 + 0.5 * slope)
        gradient[top] = -gradient.sum(axis=0)
        hinge = 0.5 * (gap + size)
        value = hinge[0] if self.runner_up else _row_sums(share, hinge)
        return value, _in_scores(P, gradient / self.width)


@dataclass(frozen=True)
class QuadraticTerm:
    """pᵀ M_k p, with one symmetric matrix M_k for each group k of rows."""

    matrices: Sequence[Array]  # (c, c) each
    groups: Sequence[Any]  # the rows of each group, as slices or positions

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        product = np.empty_like(P)
        for matrix, rows in zip(self.matrices, self.groups, strict=True):
            product[:, rows] = matrix @ P[:, rows]
        return _row_sums(P, product), _in_scores(P, 2 * product)


@dataclass(frozen=True)
class RankingTerm:
    """Σ_{u,v: d_u > d_v} (d_u − d_v)² log(1 + exp(−s(p_u − p_v))): each pair of labels by logistic regression."""

    D: Array
    sharpness: float  # s

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        value, gradient = np.zeros(P.shape[1]), np.zeros_like(P)
        for u in range(len(P) - 1):  # all pairs at once would need c times the memory of P
            difference = self.D[u] - self.D[u + 1 :]
            sign = self.sharpness * np.sign(difference)
            wrong = sign * (P[u + 1 :] - P[u])  # positive if the order is wrong
            tail = np.exp(-np.abs(wrong))
            weight = difference * difference
            value += _row_sums(weight, np.maximum(wrong, 0) + np.log1p(tail))
            slope = weight * sign * np.where(wrong > 0, 1.0, tail) / (1 + tail)
            gradient[u] -= slope.sum(axis=0)
            gradient[u + 1 :] += slope
        return value, _in_scores(P, gradient)


@dataclass(frozen=True)
class VarianceTerm:
    """(var p − var d)², with the variance over the labels, divided by their number."""

    D: Array

    def value_and_gradient(self, P: Array, _: Array) -> ValuesAndGradient:
        centred = P - 1 / len(P)
        error = (centred**2).mean(axis=0) - self.D.var(axis=0)
        return error**2, _in_scores(P, 4 / len(P) * error * centred)


@dataclass(frozen=True)
class DeltaTerm:
    """∫₀ᵇ σ(k − δ) dδ = log(1 + eᵏ) − log(1 + eᵏ⁻ᵇ), with k = Σ_j d_j log(d_j / p_j) and the logistic function σ."""

    D: Array
    limit: float  # b

    def value_and_gradient(self, P: Array, log_P: Array) -> ValuesAndGradient:
        k = self._negative_entropy - _row_sums(self.D, log_P)
        value = np.logaddexp(0, k) - np.logaddexp(0, k - self.limit)
        return value, (expit(k) - expit(k - self.limit)) * (P - self.D)

    @cached_property
    def _negative_entropy(self) -> Array:
        return xlogy(self.D, self.D).sum(axis=0)


def smooth_absolute(t: Array) -> tuple[Array, Array]:
    """Return √(t² + ε²) and its derivative."""
    root = np.sqrt(t * t + SMOOTHING**2)
    return root, t / root


def _row_sums(A: Array, B: Array) -> Array:
    """Return Σ_j a_j b_j for each row of the data."""
    return np.einsum("kn,kn->n", A, B)


def _in_scores(P: Array, gradient: Array) -> Array:
    """Convert a gradient with respect to P into the gradient with respect to Z, as `through_softmax` does."""
    return P * (gradient - _row_sums(P, gradient))
