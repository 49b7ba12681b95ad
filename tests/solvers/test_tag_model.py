"""Estimation of the distribution of scores from tags, on data drawn from the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers import tag_model
from labeldist._solvers.tag_model import (
    TagModel,
    balanced_draws,
    cholesky_root,
    count_tags,
    fit_joint_model,
    fit_tag_model,
    informative_counts,
    n_chains,
    n_draws,
)
from labeldist._solvers.tag_sampler import Rule

PRIOR = (0.3, 1.0)
PATTERNS = np.array([[0, 1, 1, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 1, 0]], dtype=bool)


def drawn_tags(n, n_labels, spread, *, seed=0):
    random = np.random.default_rng(seed)
    scores = 0.5 * spread * random.normal(size=(n_labels, 1)) + spread * random.normal(size=(n_labels, n))
    return Rule().tags(np.exp(scores))


def fit(tags, *, rule=None, noise=None, counts=None, seed=0):
    counts = np.ones(tags.shape[1]) if counts is None else counts
    return fit_tag_model(tags, counts, rule or Rule(), noise, PRIOR, np.random.default_rng(seed))


def test_mean_covariance_and_absent_noise_are_recovered_from_tags():
    random = np.random.default_rng(0)
    mean = np.array([[0.5], [0.2], [-0.2], [-0.5]])
    root = np.array([[0.5, 0, 0, 0], [0.4, 0.3, 0, 0], [0, 0, 0.5, 0], [0, 0, -0.2, 0.4]])
    tags, counts = np.unique(
        Rule().tags(np.exp(mean + root @ random.normal(size=(4, 8_000)))), axis=1, return_counts=True
    )
    found = fit(tags, counts=counts.astype(float))
    assert found.noise == 0
    assert_allclose(found.mean, mean, atol=0.06)
    assert_allclose(found.mean.mean(), 0, atol=1e-12)
    centre = np.eye(4) - 1 / 4
    assert_allclose(centre @ found.covariance @ centre, centre @ root @ root.T @ centre, atol=0.06)
    centred = centre @ found.covariance @ centre
    assert_allclose(np.trace(centred) / 3, found.spread**2, rtol=1e-6)


@pytest.mark.slow
def test_spread_and_noise_are_recovered_from_tags():
    tags = drawn_tags(1_500, 8, 0.5)
    flips = np.random.default_rng(1).random(tags.shape) < 0.05
    model = fit(np.where(flips, ~tags, tags))
    assert 0.05 / 1.6 < model.noise < 0.05 * 1.6
    assert_allclose(model.spread, 0.5, rtol=0.25)
    assert fit(tags[:, :100], noise=0.03).noise == 0.03


def test_uninformative_tags_give_prior():
    rule = Rule("half", 0.4)
    model = fit(np.array([[0, 1], [0, 1], [0, 1]], dtype=bool), rule=rule, noise=0.0)
    assert_array_equal(model.mean, np.zeros((3, 1)))
    assert_allclose(model.covariance, 0.09 * np.eye(3))
    assert (model.spread, model.noise, model.rule) == (0.3, 0.0, rule)


def test_order_rule_keeps_prior_spread():
    tags = drawn_tags(400, 4, 0.5)
    model = fit(tags, rule=Rule("order"))
    assert (model.spread, model.noise) == (0.3, 0.0)
    assert model.mean.argmax() == tags.sum(axis=1).argmax()


def test_sampled_patterns_keep_frequencies():
    counts = np.array([0.0, 1.0, 5000.0, 0.0, 2.0, *np.ones(9_000)])
    tags = np.tile(np.arange(40)[:, None] < 20, len(counts))
    kept_tags, kept = tag_model._sample_patterns(tags, counts, np.random.default_rng(0))
    assert kept_tags.shape == (40, len(kept))
    assert_allclose(kept.sum(), counts.sum())
    assert_allclose(kept.max(), 5000, atol=4)
    assert len(kept) <= 5_000
    few_tags, few = tag_model._sample_patterns(tags[:, :5], counts[:5], np.random.default_rng(0))
    assert_array_equal(few, [1, 5000, 2])
    assert few_tags.shape == (40, 3)


def test_joint_model_recovers_scores_that_depend_on_features():
    random = np.random.default_rng(0)
    x = random.choice([-1.0, 1.0], size=1_000)
    mean = np.array([[0.8], [0.0], [-0.8]]) * x
    tags = Rule().tags(np.exp(mean + 0.4 * random.normal(size=(3, 1_000))))
    weight, iterations = np.ones(1_000), []

    def regress(scores, iteration):
        iterations.append(iteration)
        return np.outer(scores @ x / 1_000, x) + 5.0  # a common level must not matter

    start = TagModel(np.zeros((3, 1)), np.eye(3), 1.0, 0.0, Rule())
    found = fit_joint_model(tags, weight, start, regress, (0.7, 0.3), np.random.default_rng(1))
    assert iterations == list(range(tag_model.ITERATIONS))
    assert found.mean.shape == (3, 1_000)
    assert_allclose(found.mean.mean(axis=0), 0, atol=1e-12)
    assert_allclose(found.mean, mean, atol=0.25)
    assert_allclose(np.sqrt(np.trace(found.covariance) / 3), 0.4, rtol=0.3)
    assert_allclose(found.spread, np.sqrt(0.64 + 0.16), rtol=0.2)
    assert (found.noise, found.rule) == (0.0, Rule())


def test_counts_of_tags_and_informative_patterns():
    counts = np.array([7.0, 2, 3, 4, 1])
    assert_array_equal(count_tags(PATTERNS, counts), [7, 3, 3, 4])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule(), None), [0, 2, 3, 4, 1])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule(), 0.0), [0, 2, 3, 0, 1])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule("order"), 0.0), [0, 2, 3, 4, 1])


def test_numbers_of_chains_and_draws():
    assert [n_chains(c, n) for c, n in ((5, 10), (5, 1_500), (5, 1e6), (50, 1e6), (500, 1e6))] == [
        *(1_000, 6_000, 8_000, 900, 300)
    ]
    assert [n_draws(c, n) for c, n in ((5, 10), (5, 1_500), (5, 1e6), (50, 1e6))] == [2_000, 15_000, 20_000, 4_000]


def test_step_sizes_decrease_after_settling():
    iterations, steps = zip(*tag_model._steps(), strict=True)
    assert iterations == tuple(range(70))
    assert steps[:31] == (1.0,) * 31
    assert_allclose(steps[31:33], [2**-0.7, 3**-0.7])


def test_balanced_draws_treat_labels_equally():
    draws = balanced_draws(4, 10, np.random.default_rng(0))
    assert draws.shape == (4, 12)
    assert_allclose(np.sort(draws, axis=1), np.sort(draws[:1], axis=1).repeat(4, axis=0))
    assert_array_equal(draws[1:, 3:6], draws[:-1, :3])


def test_regularised_covariance_equals_formula(rng):
    root = rng.normal(size=(4, 4))
    C, n = root @ root.T, 30.0
    H = np.eye(4) - 1 / 4
    s2 = np.trace(H @ C @ H) / 3
    found, spread = tag_model._regularised_covariance(C, n)
    assert_allclose(found, (n * H @ C @ H + n * s2 / 4 * np.ones((4, 4)) + 6 * s2 * np.eye(4)) / (n + 6))
    assert_allclose(spread, np.sqrt(s2))
    assert_allclose(cholesky_root(found) @ cholesky_root(found).T, found, atol=1e-8)
    model = TagModel(np.zeros((4, 1)), found, spread, 0.0, Rule())
    assert_allclose(model.precision @ found, np.eye(4), atol=1e-7)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_matching_mean_gives_observed_frequencies(noise):
    true, spread = np.array([0.6, 0.0, -0.6]), 0.8
    scores = np.exp(spread * (true[:, None] + np.random.default_rng(0).normal(size=(3, 100_000))))
    frequency = Rule().tags(scores).mean(axis=1) * (1 - 2 * noise) + noise
    found = tag_model._matching_mean(frequency, spread, noise, Rule(), 1e4, np.random.default_rng(1))
    assert_allclose(found, true, atol=0.02)
    order = tag_model._matching_mean(frequency, spread, noise, Rule("order"), 1e4, np.random.default_rng(1))
    assert_array_equal(order, 0)
    never = tag_model._matching_mean(np.array([1.0, 0.3, 0.0]), spread, 0.0, Rule(), 50, np.random.default_rng(1))
    assert np.isfinite(never).all()
    assert (np.diff(never) < -1).all()
