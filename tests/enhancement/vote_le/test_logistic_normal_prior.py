"""The logistic-normal prior of VoteLE."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from labeldist.enhancement._vote_le.logistic_normal_prior import (
    LogisticNormalPrior,
    contrasts,
    modes,
)

S = np.array([[0.8, 0.3, 0.0], [0.3, 0.5, 0.1], [0.0, 0.1, 0.3]])
A = np.array([0.5, -0.3, 0.2])


def simulate(n=1500, n_votes=5, seed=0):
    """Return counts, the common mean of the items and the degrees of the model."""
    rng = np.random.default_rng(seed)
    Z = A + rng.standard_normal((n, 3)) @ np.linalg.cholesky(S).T
    D = softmax(Z @ contrasts(4).T, axis=1)
    counts = rng.multinomial(n_votes, D).astype(float)
    shares = counts.sum(axis=0) / counts.sum()
    return counts, np.broadcast_to(shares, counts.shape), D


def true_prior():
    return LogisticNormalPrior(contrasts(4), A, 0.0, S)


def sample_slowly(counts, n_draws=400_000):
    """Return posterior means by weights of draws from the prior, independent of Laplace."""
    rng = np.random.default_rng(7)
    Z = A + rng.standard_normal((n_draws, 3)) @ np.linalg.cholesky(S).T
    log_degrees = log_softmax(Z @ contrasts(4).T, axis=1)
    means = np.empty(counts.shape)
    for i, row in enumerate(counts):
        weights = softmax(log_degrees @ row)
        means[i] = weights @ np.exp(log_degrees)
    return means


def test_contrasts_are_orthonormal_and_sum_to_zero():
    Q = contrasts(5)
    assert_allclose(Q.T @ Q, np.eye(4), atol=1e-14)
    assert_allclose(Q.sum(axis=0), 0, atol=1e-14)


def test_gradient_vanishes_at_the_modes():
    counts, _, _ = simulate(n=30)
    counts[0] = 0
    counts[1] = [400, 0, 0, 0]
    Q = contrasts(4)
    precision = np.linalg.inv(S)
    M = np.broadcast_to(A, (30, 3))
    U, W = modes(counts, M, precision, Q, M)

    def objective(u, i):
        difference = u - A
        return counts[i] @ log_softmax(Q @ u) - 0.5 * difference @ precision @ difference

    P = softmax(U @ Q.T, axis=1)
    gradient = (counts - counts.sum(axis=1, keepdims=True) * P) @ Q - (U - M) @ precision
    assert_allclose(gradient, 0, atol=1e-5)
    step = 1e-4 * np.eye(3)
    for i in (0, 1, 2):
        for j in range(3):
            sides = objective(U[i] + step[j], i) + objective(U[i] - step[j], i)
            curvature = (sides - 2 * objective(U[i], i)) / 1e-8
            assert -curvature == pytest.approx(W[i, j, j], rel=1e-3)


def test_posterior_mean_agrees_with_slow_sampling():
    counts = np.vstack([simulate(n=40, n_votes=v, seed=v)[0] for v in (1, 3, 10)])
    found = true_prior().posterior(counts, np.full(counts.shape, 0.25)).mean
    difference = np.abs(found - sample_slowly(counts))
    assert difference.mean() < 0.005
    assert difference.max() < 0.03


def test_left_out_vote_is_predicted_by_the_posterior_without_it():
    counts, means, _ = simulate(n=15, n_votes=4)
    left_out = true_prior().posterior(counts, means).left_out
    for i, k in np.argwhere(counts > 0):
        without = counts[[i]].copy()
        without[0, k] -= 1
        expected = true_prior().posterior(without, means[[i]]).mean[0, k]
        assert left_out[i, k] == pytest.approx(expected, abs=0.01)


def test_parameters_of_the_model_are_recovered():
    counts, means, _ = simulate(n=4000, n_votes=20)
    prior = LogisticNormalPrior.fit(counts, means, np.ones(len(counts)), 1.0)
    assert prior.b == pytest.approx(0, abs=1e-9)
    to_labels = prior.Q.T @ contrasts(4)  # the basis depends on the frequencies of the labels
    assert_allclose(to_labels.T @ prior.a, A, atol=0.05)
    assert_allclose(to_labels.T @ prior.S @ to_labels, S, atol=0.08)


def test_slope_of_useless_means_is_small_and_of_true_means_is_one():
    counts, _, D = simulate(n=800, n_votes=10)
    weight = np.ones(len(counts))
    useful = LogisticNormalPrior.fit(counts, D, weight, 1.0)
    useless = LogisticNormalPrior.fit(counts, D[::-1], weight, 1.0)
    assert useful.b == pytest.approx(1, abs=0.1)
    assert useless.b < 0.1
    assert np.trace(useful.S) < 0.2 * np.trace(useless.S)


def test_posterior_mean_without_votes_is_the_mean_of_the_prior():
    _, means, D = simulate(n=200_000)
    found = true_prior().posterior(np.zeros((1, 4)), means[:1]).mean
    assert_allclose(found[0], D.mean(axis=0), atol=0.003)


def test_evidence_agrees_with_slow_sampling():
    counts = np.vstack([simulate(n=10, n_votes=v, seed=v)[0] for v in (1, 3, 10)])
    rng = np.random.default_rng(7)
    Z = A + rng.standard_normal((400_000, 3)) @ np.linalg.cholesky(S).T
    log_degrees = log_softmax(Z @ contrasts(4).T, axis=1)
    expected = np.log(np.exp(log_degrees @ counts.T).mean(axis=0))
    found = true_prior().posterior(counts, np.full(counts.shape, 0.25)).log_evidence
    assert_allclose(found, expected, atol=0.03)


def test_evidence_of_many_labels_is_not_above_that_of_the_truth():
    # 18 labels and items that are alike: no prior can predict votes better than the shares.
    p = np.random.default_rng(0).dirichlet(np.full(18, 20.0))
    counts = np.random.default_rng(1).multinomial(3, p, size=200).astype(float)
    means = np.broadcast_to(p, counts.shape)
    prior = LogisticNormalPrior.fit(counts, means, np.ones(200), 0.05)
    for factor in (0.3, 1.0, 2.5):
        evidence = prior.scaled(factor).posterior(counts, means).log_evidence
        assert evidence.mean() < (counts @ np.log(p)).mean() + 0.05


@pytest.mark.parametrize("c", [20, 50])
def test_effective_number_of_draws_is_at_least_50(c):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(5, rng.dirichlet(np.full(c, 0.5), size=30)).astype(float)
    prior = LogisticNormalPrior(contrasts(c), np.zeros(c - 1), 0.0, np.eye(c - 1))
    for draws in prior._draws(counts, np.full(counts.shape, 1 / c)):
        effective = 1 / (draws.weights**2).sum(axis=1)
        assert np.median(effective) > 50
