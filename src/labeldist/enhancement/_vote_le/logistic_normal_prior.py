"""The logistic-normal prior of degrees: d = softmax(Qz), z ~ N(a + b·g, S).

Q, (c, c − 1), is an orthonormal basis of the contrasts between labels, and g = Qᵀlog p are the
contrasts of the mean p of the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import helmert
from scipy.special import log_softmax, softmax
from scipy.stats import norm, qmc

from labeldist._precision import EPSILON
from labeldist._solvers.row_blocks import row_blocks
from labeldist._typing import Array
from labeldist.enhancement._vote_le.left_out_votes import Posterior

LAPLACE_STEPS = 80
SAMPLING_STEPS = 6
NEWTON_STEPS = 50
NEWTON_TOLERANCE = 1e-6
LARGEST_STEP = 2.0  # of Newton's method, in units of the scores
N_DRAWS = 512  # a power of two, as Sobol points need
WIDENING = 1.3  # of the covariance of the proposals, so that they cover the posterior
SEED = 0  # of the Sobol points


@dataclass(frozen=True)
class LogisticNormalPrior:
    """The prior softmax(Qz) with z ~ N(a + b·g, S)."""

    a: Array
    b: float
    S: Array

    @classmethod
    def fit(
        cls, counts: Array, means: Array, weight: Array, variance: float
    ) -> LogisticNormalPrior:
        """Fit a, b and S by expectation maximisation.

        Laplace approximations bring the parameters near the maximum, and importance sampling
        reduces their bias. The first S is `variance` times the identity. It acts as a prior
        worth one item. Other parameters are as in `DirichletPrior.fit`.
        """
        G = np.log(means) @ contrasts(means.shape[1])
        first = variance * np.eye(G.shape[1])
        prior = cls(np.zeros(len(first)), 1.0, first)
        steps = [cls._laplace_moments] * LAPLACE_STEPS + [cls._sampled_moments] * SAMPLING_STEPS
        for moments in steps:
            U, V = moments(prior, counts, means, weight)
            prior = prior._update(G, U, V + first, weight)
        return prior

    def _update(self, G: Array, U: Array, V: Array, weight: Array) -> LogisticNormalPrior:
        """Return the prior with the largest expected likelihood.

        G are the contrasts of the means, U are the posterior means of z, and V is the weighted sum
        of its posterior covariances and of the first S.
        """
        mean_G = np.average(G, axis=0, weights=weight)
        mean_U = np.average(U, axis=0, weights=weight)
        differences = G - mean_G
        weighted = (differences * weight[:, None]) @ self.precision
        length = max((weighted * differences).sum(), EPSILON)  # 0 if all means are equal
        b = max(0.0, float((weighted * (U - mean_U)).sum() / length))
        a = mean_U - b * mean_G
        R = U - a - b * G
        S = ((R * weight[:, None]).T @ R + V) / (weight.sum() + 1)
        return LogisticNormalPrior(a, b, S)

    def scaled(self, factor: float) -> LogisticNormalPrior:
        """Return the prior with a multiple of S."""
        return LogisticNormalPrior(self.a, self.b, self.S * factor)

    @property
    def precision(self) -> Any:
        """The inverse of S."""
        return np.linalg.inv(self.S)

    def scores(self, means: Array) -> Array:
        """Return the prior means of z of items with given means."""
        return self.a + self.b * (np.log(means) @ contrasts(means.shape[1]))

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the moments of the degrees and the predictions of left-out votes.

        The probability of a left-out vote is 1 / E[1/d]: the harmonic mean of the degree.
        """
        Q = contrasts(counts.shape[1])
        moments = Posterior(*np.empty((3, *counts.shape)))
        for rows, Z, weights in self._draws(counts, means):
            D = softmax(Z @ Q.T, axis=2)
            moments.mean[rows] = _average(D, weights)
            moments.second[rows] = _average(D**2, weights)
            moments.left_out[rows] = 1 / _average(1 / np.maximum(D, 1e-12), weights)
        return moments

    def _laplace_moments(self, counts: Array, means: Array, weight: Array) -> tuple[Array, Array]:
        """Return the modes of z, and the weighted sum of its covariances there."""
        M = self.scores(means)
        precision = self.precision
        U = np.empty(M.shape)
        V = np.zeros(self.S.shape)
        for rows in row_blocks(len(M), V.size):
            U[rows], W = modes(counts[rows], M[rows], precision)
            V += np.tensordot(weight[rows], np.linalg.inv(W), axes=1)
        return U, V

    def _sampled_moments(self, counts: Array, means: Array, weight: Array) -> tuple[Array, Array]:
        """Return the posterior means of z, and the weighted sum of its posterior covariances."""
        U = np.empty((len(counts), len(self.S)))
        V = np.zeros(self.S.shape)
        for rows, Z, weights in self._draws(counts, means):
            U[rows] = _average(Z, weights)
            R = (Z - U[rows]) * np.sqrt(weights * weight[rows])[:, :, None]
            V += np.tensordot(R, R, axes=((0, 1), (0, 1)))
        return U, V

    def _draws(self, counts: Array, means: Array) -> Iterator[tuple[slice, Array, Array]]:
        """Yield rows, draws of z, (N_DRAWS, n_rows, c − 1), and their weights, block by block.

        Proposals are Sobol points of a Gaussian at the mode of each item, and the weights are the
        ratio of the posterior density and that of the proposals.
        """
        n, c = counts.shape
        Q = contrasts(c)
        precision = self.precision
        points = norm.ppf(qmc.Sobol(c - 1, seed=SEED).random(N_DRAWS))
        log_proposal = -0.5 * (points**2).sum(axis=1)
        for rows in row_blocks(n, N_DRAWS * c):
            M = self.scores(means[rows])
            U, W = modes(counts[rows], M, precision)
            root = np.linalg.cholesky(np.linalg.inv(W) * WIDENING)
            Z = U + np.einsum("nij,dj->dni", root, points)
            R = Z - M
            log_prior = -0.5 * np.einsum("dni,dni->dn", R @ precision, R)
            log_likelihood = np.einsum("nk,dnk->dn", counts[rows], log_softmax(Z @ Q.T, axis=2))
            yield rows, Z, softmax(log_likelihood + log_prior - log_proposal[:, None], axis=0)


def contrasts(c: int) -> Array:
    """Return an orthonormal basis, (c, c − 1), of the vectors whose sum is zero."""
    basis: Array = helmert(c).T
    return basis


def modes(counts: Array, M: Array, precision: Array) -> tuple[Array, Array]:
    """Maximise C·log softmax(Qz) − ½(z − m)ᵀS⁻¹(z − m) for each row by Newton's method.

    Return the maximisers and the negative Hessians, (n, c − 1, c − 1).
    """
    Q = contrasts(counts.shape[1])
    N = counts.sum(axis=1, keepdims=True)
    U = np.array(M)
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


def _average(draws: Array, weights: Array) -> Array:
    average: Array = np.einsum("dnk,dn->nk", draws, weights)
    return average
