"""The logistic-normal prior of degrees: d = softmax(Qz), z ~ N(a + b·g, S).

Q, (c, c − 1), is an orthonormal basis of the contrasts between labels, and g = Qᵀlog p are the
contrasts of the mean p of the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import helmert
from scipy.special import softmax
from scipy.stats import norm, qmc

from labeldist._float_limits import EPSILON
from labeldist._solvers.row_blocks import row_blocks
from labeldist._typing import Array
from labeldist.enhancement._vote_le.posteriors import Posterior

LAPLACE_STEPS = 40
SAMPLING_STEPS = 12
NEWTON_STEPS = 50
NEWTON_TOLERANCE = 1e-6
LARGEST_STEP = 2.0  # of Newton's method, in units of the scores
N_DRAWS = 512  # a power of two, as Sobol points need
CACHED = 16  # Blocks of draws are smaller by this factor, so that they stay in the cache.
SEED = 0  # of the Sobol points


class Draws(NamedTuple):
    """Weighted draws from the posterior of z of some items."""

    rows: slice
    Z: Array  # (c − 1, n, n_draws)
    log_degrees: Array  # (c, n, n_draws)
    weights: Array  # (n, n_draws), with sum 1 over the draws
    log_evidence: Array  # (n,)


@dataclass(frozen=True)
class LogisticNormalPrior:
    """The prior softmax(Qz) with z ~ N(a + b·g, S)."""

    Q: Array
    a: Array
    b: float
    S: Array

    @classmethod
    def fit(
        cls, counts: Array, means: Array, weight: Array, variance: float
    ) -> LogisticNormalPrior:
        """Fit a, b and S to counts and means, both (n, c), by expectation maximisation.

        Laplace approximations bring the parameters near the maximum, and importance sampling
        reduces their bias. The first S is `variance` times the identity. It stays in the estimate
        with the weight of some items, more if there are many labels. `weight` repeats items.
        """
        Q = basis_for(counts, weight)
        c = len(Q)
        first = variance * np.eye(c - 1)
        n_first = 2 + c**2 / 40
        G = np.log(means) @ Q
        prior = cls(Q, np.zeros(c - 1), 1.0, first)
        U = prior.scores(means)
        for _ in range(LAPLACE_STEPS):
            U, V = prior._laplace_moments(counts, means, weight, U)
            prior = prior._update(G, U, V, weight, n_first * first, n_first)
        for _ in range(SAMPLING_STEPS):
            U, V = prior._sampled_moments(counts, means, weight, U)
            prior = prior._update(G, U, V, weight, n_first * first, n_first)
        return prior

    def _update(
        self, G: Array, U: Array, V: Array, weight: Array, added: Array, n_added: float
    ) -> LogisticNormalPrior:
        """Return the prior with the largest expected likelihood.

        G are the contrasts of the means, U are the posterior means of z, and V is the weighted sum
        of its posterior covariances. `added` is the sum of `n_added` further covariances.
        """
        mean_G = np.average(G, axis=0, weights=weight)
        # One more item with the mean contrasts keeps single items from moving a to infinity.
        mean_U = (weight @ U + mean_G) / (weight.sum() + 1)
        differences = G - mean_G
        weighted = (differences * weight[:, None]) @ self.precision
        length = max((weighted * differences).sum(), EPSILON)  # 0 if all means are equal
        b = max(0.0, float((weighted * (U - mean_U)).sum() / length))
        a = mean_U - b * mean_G
        R = U - a - b * G
        S = ((R * weight[:, None]).T @ R + V + added) / (weight.sum() + n_added)
        return replace(self, a=a, b=b, S=S)

    def scaled(self, factor: float) -> LogisticNormalPrior:
        """Return the prior with a multiple of S."""
        return replace(self, S=factor * self.S)

    @cached_property
    def precision(self) -> Any:
        """The inverse of S."""
        return np.linalg.inv(self.S)

    def scores(self, means: Array) -> Array:
        """Return the prior means of z of items with given means."""
        return self.a + self.b * (np.log(means) @ self.Q)

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of degrees given counts and means, both (n, c).

        The probability of a left-out vote is 1 / E[1/d]: the harmonic mean of the degree.
        """
        tables = np.empty((3, *counts.shape))
        log_evidence = np.empty(len(counts))
        for draws in self._draws(counts, means):
            D = np.exp(draws.log_degrees)
            inverse = 1 / np.maximum(D, 1e-12)
            of_rows = tables[:, draws.rows]
            of_rows[0] = _average(D, draws.weights)
            of_rows[1] = _average(D * D, draws.weights)
            of_rows[2] = 1 / _average(inverse, draws.weights)
            log_evidence[draws.rows] = draws.log_evidence
        mean, second, left_out = tables
        return Posterior(mean, second, left_out, log_evidence)

    def _laplace_moments(
        self, counts: Array, means: Array, weight: Array, start: Array
    ) -> tuple[Array, Array]:
        """Return the modes of z, and the weighted sum of its covariances there."""
        M = self.scores(means)
        U = np.empty(M.shape)
        V = np.zeros(self.S.shape)
        for rows in row_blocks(len(M), V.size):
            U[rows], W = modes(counts[rows], M[rows], self.precision, self.Q, start[rows])
            V += np.tensordot(weight[rows], np.linalg.inv(W), axes=1)
        return U, V

    def _sampled_moments(
        self, counts: Array, means: Array, weight: Array, start: Array
    ) -> tuple[Array, Array]:
        """Return the posterior means of z, and the weighted sum of its posterior covariances."""
        U = np.empty((len(counts), len(self.S)))
        V = np.zeros(self.S.shape)
        for draws in self._draws(counts, means, start):
            rows = draws.rows
            U[rows] = _average(draws.Z, draws.weights)
            R = draws.Z - U[rows].T[:, :, None]
            R *= np.sqrt(draws.weights * weight[rows, None])
            R = R.reshape(len(V), -1)
            V += R @ R.T
        return U, V

    def _draws(self, counts: Array, means: Array, start: Array | None = None) -> Iterator[Draws]:
        """Yield draws from the posterior, block by block.

        Proposals are Sobol points of a Gaussian at the mode of each item, and the weights are the
        ratio of the posterior density and that of the proposals. The modes are searched from
        `start`, by default the prior means.
        """
        c = counts.shape[1]
        widening = 1 + 1 / c  # of the covariance, so that the proposals cover the posterior
        points = norm.ppf(qmc.Sobol(c - 1, seed=SEED).random(N_DRAWS))
        log_det = _log_determinant(np.linalg.cholesky(self.S))
        log_points = -0.5 * (points**2).sum(axis=1)
        for rows, M, U, W in self._modes(counts, means, start):
            root = np.linalg.cholesky(np.linalg.inv(W) * widening)
            Z = root.transpose(1, 0, 2) @ points.T + U.T[:, :, None]
            log_degrees = _log_degrees(np.tensordot(self.Q, Z, axes=1))
            log_likelihood = _sum_of_products(counts[rows].T[:, :, None], log_degrees)
            log_proposal = log_points - _log_determinant(root)[:, None]
            R = Z - M.T[:, :, None]
            squares = _sum_of_products(R, np.tensordot(self.precision, R, axes=1))
            log_weights = log_likelihood - 0.5 * squares - log_det - log_proposal
            largest = log_weights.max(axis=1, keepdims=True)
            weights = np.exp(log_weights - largest)
            totals = weights.sum(axis=1, keepdims=True)
            log_evidence = (largest + np.log(totals))[:, 0] - np.log(N_DRAWS)
            yield Draws(rows, Z, log_degrees, weights / totals, log_evidence)

    def _modes(
        self, counts: Array, means: Array, start: Array | None
    ) -> Iterator[tuple[slice, Array, Array, Array]]:
        """Yield items whose draws stay in the cache, with the prior means, modes and Hessians of z.

        The modes are searched for many items at a time.
        """
        n, c = counts.shape
        for many in row_blocks(n, c * c):
            M = self.scores(means[many])
            U, W = modes(
                counts[many], M, self.precision, self.Q, M if start is None else start[many]
            )
            for part in row_blocks(len(M), CACHED * N_DRAWS * c, shortest=4):
                rows = slice(many.start + part.start, many.start + part.stop)
                yield rows, M[part], U[part], W[part]


def basis_for(counts: Array, weight: Array) -> Array:
    """Return contrasts of labels from the rarest to the most frequent.

    So the result does not depend on the order of the labels.
    """
    order = order_of_labels(counts, weight)
    Q = np.empty((len(order), len(order) - 1))
    Q[order] = contrasts(len(order))
    return Q


def order_of_labels(counts: Array, weight: Array) -> Any:
    """Return the positions of the labels from the rarest to the most frequent."""
    return np.lexsort([weight @ counts**2, weight @ counts])


def contrasts(c: int) -> Array:
    """Return an orthonormal basis, (c, c − 1), of the vectors whose sum is zero."""
    basis: Array = helmert(c).T
    return basis


def modes(counts: Array, M: Array, precision: Array, Q: Array, start: Array) -> tuple[Array, Array]:
    """Maximise C·log softmax(Qz) − ½(z − m)ᵀS⁻¹(z − m) for each row by Newton's method.

    Return the maximisers and the negative Hessians, (n, c − 1, c − 1).
    """
    N = counts.sum(axis=1, keepdims=True)
    U = np.array(start)
    for _ in range(NEWTON_STEPS):
        P = softmax(U @ Q.T, axis=1)
        PQ = P @ Q
        spread = Q.T @ (P[:, :, None] * Q) - PQ[:, :, None] * PQ[:, None, :]
        W = N[:, :, None] * spread + precision
        gradient = (counts - N * P) @ Q - (U - M) @ precision
        step = np.linalg.solve(W, gradient[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1, keepdims=True)
        U += step * np.minimum(1, LARGEST_STEP / np.maximum(length, EPSILON))
        if length.max() < NEWTON_TOLERANCE:
            break
    return U, W


def _log_degrees(scores: Array) -> Array:
    """Return the logarithms of the softmax of scores, labels first. They take their place."""
    scores -= scores.max(axis=0)
    scores -= np.log(np.exp(scores).sum(axis=0))
    return scores


def _sum_of_products(left: Array, right: Array) -> Array:
    """Return the sum over the first axis."""
    products: Array = (left * right).sum(axis=0)
    return products


def _average(draws: Array, weights: Array) -> Array:
    average: Array = np.einsum("knd,nd->nk", draws, weights)
    return average


def _log_determinant(root: Any) -> Any:
    """Return the log determinants of triangular matrices."""
    return np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
