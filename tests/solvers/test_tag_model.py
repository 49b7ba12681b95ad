"""Estimation of the distribution of scores from tags, on data drawn from the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers.leave_one_out import RIDGES, LeaveOneOutRidge
from labeldist._solvers.tag_counts import CountLikelihood, flip_probabilities, likely_threshold
from labeldist._solvers.tag_model import count_tags, fit_tag_model, n_chains
from labeldist._solvers.tag_posterior import expected_degrees
from labeldist._solvers.tag_sampler import Rule
from labeldist.simplex import softmax

PRIOR = (0.3, 1.0)


def drawn_tags(n, n_labels, spread, *, threshold=0.5, seed=0):
    random = np.random.default_rng(seed)
    scores = 0.5 * spread * random.normal(size=(n_labels, 1)) + spread * random.normal(size=(n_labels, n))
    return Rule("half", threshold).tags(np.exp(scores))


def fit(tags, *, noise=None, seed=0):
    return fit_tag_model(
        tags, np.ones(tags.shape[1]), Rule(), noise=noise, spread_prior=PRIOR, random=np.random.default_rng(seed)
    )


@pytest.mark.parametrize(("n_labels", "spread"), [(5, 0.6), (8, 0.3), (12, 1.0)])
def test_spread_is_recovered_from_tags(n_labels, spread):
    found = [fit(drawn_tags(2_000, n_labels, spread, seed=seed)).spread for seed in range(2)]
    assert_allclose(found, spread, rtol=0.1)


def test_noise_is_recovered_from_tags():
    tags = drawn_tags(2_000, 8, 0.5)
    assert fit(tags).noise == 0
    flips = np.random.default_rng(1).random(tags.shape) < 0.05
    model = fit(np.where(flips, ~tags, tags))
    assert 0.05 / 1.6 < model.noise < 0.05 * 1.6
    assert_allclose(model.spread, 0.5, rtol=0.25)


def test_given_noise_is_kept():
    assert fit(drawn_tags(300, 5, 0.5), noise=0.03).noise == 0.03


def test_flip_probabilities_equal_counting():
    random = np.random.default_rng(0)
    found = flip_probabilities(5, 0.2)
    assert_allclose(found.sum(axis=1), 1)
    tags = np.arange(5) < 3
    observed = (tags ^ (random.random((200_000, 5)) < 0.2)).sum(axis=1)
    assert_allclose(found[3], np.bincount(observed, minlength=6) / 200_000, atol=0.005)
    assert_array_equal(flip_probabilities(5, 0.0), np.eye(6))


def test_likelihood_of_counts_is_largest_at_the_true_spread():
    tags = drawn_tags(20_000, 6, 0.5)
    likelihood = CountLikelihood(count_tags(tags, np.ones(20_000)), Rule(), PRIOR)
    shapes = np.random.default_rng(0).normal(size=(6, 20_000)) + 0.5 * np.random.default_rng(0).normal(size=(6, 1))
    spreads = np.array([0.2, 0.35, 0.5, 0.7, 1.0])
    values = likelihood.log_likelihood(-np.sort(-shapes, axis=0), spreads, np.array([0.0]))[:, 0]
    assert spreads[values.argmax()] == 0.5


@pytest.mark.parametrize("threshold", [0.3, 0.7])
def test_likely_threshold_is_found(threshold):
    tags = drawn_tags(2_000, 10, 0.3, threshold=threshold)
    found = likely_threshold(count_tags(tags, np.ones(2_000)), Rule(), np.random.default_rng(0))
    assert found is not None
    assert abs(found - threshold) <= 0.1 + 1e-9


def test_right_threshold_is_not_doubted():
    tags = drawn_tags(2_000, 10, 0.3)
    assert likely_threshold(count_tags(tags, np.ones(2_000)), Rule(), np.random.default_rng(0)) is None


def test_number_of_chains_falls_with_labels_and_rises_with_rows():
    assert n_chains(5, 5_000) > n_chains(50, 5_000)
    assert n_chains(5, 5_000) > n_chains(5, 100)


def test_many_patterns_are_sampled_for_the_fit():
    tags = drawn_tags(12_000, 40, 1.0)
    assert len(np.unique(tags, axis=1).T) > 5_000
    assert_allclose(fit(tags, noise=0.0).spread, 1.0, rtol=0.1)


@pytest.mark.parametrize("ridge", RIDGES[[0, 3]])
def test_left_out_predictions_equal_refitting_without_each_row(ridge):
    random = np.random.default_rng(0)
    B, T = random.normal(size=(25, 4)), random.normal(size=(25, 3))
    weight = random.integers(0, 4, size=25).astype(float)
    fitted = LeaveOneOutRidge(B, weight).fit(T, ridge)
    for i in range(25):
        w = np.where(np.arange(25) == i, 0, weight)
        center, average = w @ B / w.sum(), w @ T / w.sum()
        A = (B - center).T @ (w[:, None] * (B - center)) + ridge * np.eye(4)
        coef = np.linalg.solve(A, (B - center).T @ (w[:, None] * (T - average)))
        assert_allclose(fitted.left_out[i], average + (B[i] - center) @ coef, atol=1e-10)


def test_best_ridge_predicts_left_out_rows_best():
    random = np.random.default_rng(0)
    B = random.normal(size=(60, 5)) / 3
    solver, T = LeaveOneOutRidge(B, np.ones(60)), random.normal(size=(60, 2))
    errors = [((T - solver.fit(T, ridge).left_out) ** 2).sum() for ridge in RIDGES]
    assert solver.fit_best(T).ridge == RIDGES[int(np.argmin(errors))]


def test_expected_degrees_equal_simulation():
    random = np.random.default_rng(0)
    mean, covariance = random.normal(size=(4, 3)), np.diag([0.5, 1.0, 0.2, 0.8])
    found = expected_degrees(mean, covariance, np.random.default_rng(1).standard_normal((4, 2_000)))
    for column in range(3):
        scores = random.multivariate_normal(mean[:, column], covariance, size=200_000)
        assert_allclose(found[:, column], softmax(scores).mean(axis=0), atol=0.006)
