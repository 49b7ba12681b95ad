"""The logistic-normal prior of degrees: d = softmax(Qz), z ~ N(a + b·g, S).

Q, (c, c − 1), is an orthonormal basis of the contrasts between labels, and g = Qᵀlog p are the
contrasts of the mean p of the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import helmert
from scipy.special import log_softmax, softmax
from scipy.stats import norm, qmc

from labeldist._solvers.row_blocks import row_blocks
from labeldist._typing import TINY, Array
from labeldist.enhancement.vote_le.left_out_votes import Posterior
from labeldist.enhancement.vote_le.spread_prior import log_spread_prior

LAPLACE_ITERATIONS = 60
SAMPLING_ITERATIONS = 6
EM_DRAWS = 128
NEWTON_ITERATIONS = 50
NEWTON_TOLERANCE = 1e-6
LARGEST_STEP = 2.0  # of Newton's method, in units of the scores
VARIANCES = np.geomspace(1e-4, 1e3, 400)  # grid of mean variances
MIN_SHARE = 0.05  # of the mean variance, in every direction of the first covariance
N_DRAWS = 512  # a power of two, as Sobol points need
WIDENING = 1.3  # of the covariance of the proposals, so that they cover the posterior
SEED = 0  # of the Sobol points


@dataclass(frozen=True)
class LogisticNormalPrior:
    """The prior softmax(Qz) with z ~ N(a + b·(g − center), S)."""

    a: Array
    b: float
    center: Array
    S: Array

    @classmethod
    def fit(cls, counts: Array, means: Array, weight: Array) -> LogisticNormalPrior:
        """Fit a, b and S by expectation maximisation.

        Laplace approximations bring the parameters near the maximum, and importance sampling
        removes their bias. Parameters are as in `DirichletPrior.fit`. With a single mean, b is 0.
        """
        n, c = counts.shape
        G = np.broadcast_to(np.log(means) @ contrasts(c), (n, c - 1))
        center = weight @ G / weight.sum()
        first = first_covariance(counts, means, weight)
        prior = cls(center, float(len(means) > 1), center, first)
        deviations = G - center
        U = np.array(center + prior.b * deviations)
        for _ in range(LAPLACE_ITERATIONS):
            M = prior.a + prior.b * deviations
            U, V = laplace(counts, M, prior.precision, U, weight)
            prior = prior._update(deviations, U, V, weight, first)
        for _ in range(SAMPLING_ITERATIONS):
            M = prior.a + prior.b * deviations
            U, V = sampled_moments(counts, M, prior.precision, weight)
            prior = prior._update(deviations, U, V, weight, first)
        return prior

    def _update(
        self, G: Array, U: Array, V: Array, weight: Array, first: Array
    ) -> LogisticNormalPrior:
        """Return the prior with the largest expected likelihood.

        U are the posterior means of z, V is the weighted sum of its posterior covariances, G are
        the centred contrasts of the means, and `first` is the centre of the prior of S.
        """
        total = weight.sum()
        a = weight @ (U - self.b * G) / total
        b = self.b
        if b:
            b = _slope(G, U - a, self.precision, weight)
        R = U - a - b * G
        second = (R * weight[:, None]).T @ R + V
        strength = len(first) + 2
        S = (second + strength * first) / (total + strength)
        return LogisticNormalPrior(a, b, self.center, S)

    @cached_property
    def precision(self) -> Any:
        """The inverse of S."""
        return np.linalg.inv(self.S)

    def scores(self, means: Array) -> Array:
        """Return the prior means of z of items with given means."""
        G = np.log(means) @ contrasts(means.shape[1])
        return self.a + self.b * (G - self.center)

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the moments of the degrees and the predictions of left-out votes.

        The probability of a left-out vote is 1 / E[1/d]: the harmonic mean of the degree.
        """
        mean = np.empty(counts.shape)
        second = np.empty(counts.shape)
        left_out = np.empty(counts.shape)
        for rows, draws, weights in self._draws(counts, means, N_DRAWS):
            mean[rows] = _average(draws, weights)
            second[rows] = _average(draws**2, weights)
            left_out[rows] = 1 / _average(1 / np.maximum(draws, 1e-12), weights)
        mean /= mean.sum(axis=1, keepdims=True)
        return Posterior(mean, second, left_out)

    def draw(
        self, counts: Array, means: Array, n_draws: int, random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return draws of the degrees, (n_draws, n, c), and their weights, (n_draws, n)."""
        del random
        blocks = list(self._draws(counts, means, n_draws))
        draws = np.concatenate([block[1] for block in blocks], axis=1)
        weights = np.concatenate([block[2] for block in blocks], axis=1)
        return draws, weights

    def expected(self, means: Array) -> Array:
        """Return the prior mean of the degrees."""
        no_votes = np.zeros((len(means), len(self.a) + 1))
        return self.posterior(no_votes, means).mean

    def _draws(
        self, counts: Array, means: Array, n_draws: int
    ) -> Iterator[tuple[slice, Array, Array]]:
        """Yield rows, draws of degrees and importance weights, block by block."""
        n, c = counts.shape
        M = np.broadcast_to(self.scores(means), (n, c - 1))
        for rows, Z, weights in draw_scores(counts, M, self.precision, n_draws):
            yield rows, softmax(Z @ contrasts(c).T, axis=2), weights


def contrasts(c: int) -> Array:
    """Return an orthonormal basis, (c, c − 1), of the vectors whose sum is zero."""
    basis: Array = helmert(c).T
    return basis


def first_covariance(counts: Array, means: Array, weight: Array) -> Array:
    """Estimate S from pairs of votes on the same item.

    Two votes are for labels j and k with probability E[d_j d_k], so the pairs give an unbiased
    estimate of the covariance of d/p, which is that of z for small variances. The mean variance is
    combined with its prior. Deviations from equal variances are multiplied by the share of their
    squares that is not noise.
    """
    c = counts.shape[1]
    Q = contrasts(c)
    totals = counts.sum(axis=1)
    pairs = totals * (totals - 1)
    n_pairs = weight @ pairs
    ratios = counts / means
    same_vote = counts / means**2  # the pairs of each vote with itself
    weighted = ratios * weight[:, None]
    second = (weighted.T @ ratios - np.diag(weight @ same_vote)) / n_pairs
    first = (weight * (totals - 1)) @ ratios / n_pairs
    covariance = Q.T @ (second - np.outer(first, first)) @ Q

    estimate = float(np.trace(covariance) / (c - 1))
    lengths = (ratios**2).sum(axis=1) - ratios.sum(axis=1) ** 2 / c
    by_item = lengths / (c - 1) - same_vote.mean(axis=1)
    error = float(np.sqrt(weight @ (by_item - estimate * pairs) ** 2) / n_pairs)
    variance = _posterior_variance(estimate, error, c)

    squares = (weighted * ratios).T @ ratios**2
    np.fill_diagonal(squares, weight @ (ratios**2 - same_vote) ** 2)
    noise = (squares / n_pairs**2 - second**2 / weight.sum()).sum()
    deviation = covariance - estimate * np.eye(c - 1)
    total_deviation = max(float((deviation**2).sum()), TINY)
    signal = max(0.0, 1 - noise / total_deviation)
    values, vectors = np.linalg.eigh(variance * np.eye(c - 1) + signal * deviation)
    values = np.maximum(values, MIN_SHARE * variance)
    # The variance of d/p is exp(σ²) − 1 if log d has variance σ².
    values *= np.log1p(variance) / values.mean()
    return (vectors * values) @ vectors.T


def _posterior_variance(estimate: float, error: float, n_labels: int) -> float:
    """Return the posterior mean of the mean variance, given an estimate and its error."""
    misfit = (estimate - VARIANCES) / max(error, TINY)
    log_density = log_spread_prior(VARIANCES, n_labels) - 0.5 * misfit**2
    density = np.exp(log_density - log_density.max())
    return float(density @ VARIANCES / density.sum())


def laplace(
    counts: Array, M: Array, precision: Array, start: Array, weight: Array
) -> tuple[Array, Array]:
    """Return the modes of z, (n, c − 1), and the weighted sum of its posterior covariances."""
    U = np.empty(M.shape)
    V = np.zeros(precision.shape)
    for rows in row_blocks(len(M), precision.size):
        U[rows], W = modes(counts[rows], M[rows], precision, start[rows])
        V += np.tensordot(weight[rows], np.linalg.inv(W), axes=1)
    return U, V


def draw_scores(
    counts: Array, M: Array, precision: Array, n_draws: int
) -> Iterator[tuple[slice, Array, Array]]:
    """Yield rows, draws of z, (n_draws, n_rows, c − 1), and their weights, block by block.

    Proposals are Sobol points of a Gaussian at the mode of each item, and the weights are the ratio
    of the posterior density and that of the proposals.
    """
    n, c = counts.shape
    Q = contrasts(c)
    points = norm.ppf(qmc.Sobol(c - 1, seed=SEED).random(n_draws))
    lengths = 0.5 * (points**2).sum(axis=1)
    for rows in row_blocks(n, n_draws * c):
        C = counts[rows]
        center = M[rows]
        U, W = modes(C, center, precision, center)
        root = np.linalg.cholesky(np.linalg.inv(W) * WIDENING)
        Z = U + np.einsum("nij,dj->dni", root, points)
        R = Z - center
        log_prior = -0.5 * np.einsum("dni,dni->dn", R @ precision, R)
        log_likelihood = np.einsum("nk,dnk->dn", C, log_softmax(Z @ Q.T, axis=2))
        yield rows, Z, softmax(log_likelihood + log_prior + lengths[:, None], axis=0)


def sampled_moments(
    counts: Array, M: Array, precision: Array, weight: Array
) -> tuple[Array, Array]:
    """Return the posterior means of z, and the weighted sum of its posterior covariances."""
    U = np.empty(M.shape)
    V = np.zeros(precision.shape)
    for rows, Z, weights in draw_scores(counts, M, precision, EM_DRAWS):
        U[rows] = _average(Z, weights)
        R = (Z - U[rows]) * np.sqrt(weights * weight[rows])[:, :, None]
        flat = R.reshape(-1, len(V))
        V += flat.T @ flat
    return U, V


def modes(counts: Array, M: Array, precision: Array, start: Array) -> tuple[Array, Array]:
    """Maximise C·log softmax(Qz) − ½(z − m)ᵀS⁻¹(z − m) for each row by Newton's method.

    Return the maximisers and the negative Hessians, (n, c − 1, c − 1).
    """
    n, c = counts.shape
    Q = contrasts(c)
    outer = (Q[:, :, None] * Q[:, None, :]).reshape(c, -1)
    N = counts.sum(axis=1, keepdims=True)
    U = np.array(start)
    for _ in range(NEWTON_ITERATIONS):
        P = softmax(U @ Q.T, axis=1)
        PQ = P @ Q
        spread = (P @ outer).reshape(n, c - 1, c - 1) - PQ[:, :, None] * PQ[:, None, :]
        W = N[:, :, None] * spread + precision
        gradient = (counts - N * P) @ Q - (U - M) @ precision
        step = np.linalg.solve(W, gradient[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1, keepdims=True)
        U += step * np.minimum(1, LARGEST_STEP / np.maximum(length, TINY))
        if length.max() < NEWTON_TOLERANCE:
            break
    return U, W


def _slope(G: Array, U: Array, precision: Array, weight: Array) -> float:
    """Return the b ≥ 0 that minimises the weighted squares of U − b·G in the metric S⁻¹."""
    weighted = (G * weight[:, None]) @ precision
    length = max(float((weighted * G).sum()), TINY)
    return max(0.0, float((weighted * U).sum() / length))


def _average(draws: Array, weights: Array) -> Array:
    average: Array = np.einsum("dnk,dn->nk", draws, weights)
    return average
