"""The Gibbs sampler of scores given tags, compared with rejection and importance sampling."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import truncnorm

from labeldist.enhancement._bayes_le import sampler
from labeldist.enhancement._bayes_le.logistic_normal import precision_of
from labeldist.enhancement._bayes_le.posterior import posterior_moments
from labeldist.enhancement._bayes_le.sampler import Chains
from labeldist.enhancement._bayes_le.tag_model import TagModel
from labeldist.enhancement._bayes_le.tag_rule import Rule
from labeldist.simplex import softmax


def all_patterns(n_labels):
    return np.array(list(product([False, True], repeat=n_labels))).T


def example_model(n_labels, rule, *, noise=0.0, seed=0):
    random = np.random.default_rng(seed)
    root = 0.2 * random.normal(size=(n_labels, n_labels))
    mean = 0.2 * random.normal(size=(n_labels, 1))
    return TagModel(mean, root @ root.T + 0.2 * np.eye(n_labels), 0.5, noise, rule)


def draw_prior(model, n, seed=1):
    random = np.random.default_rng(seed)
    return softmax(random.multivariate_normal(model.mean[:, 0], model.covariance, size=n))


def sampled_mean(model, tags):
    return posterior_moments(model, tags, 150, 400, np.random.default_rng(2))


@pytest.mark.parametrize(
    "bounds", [(-np.inf, np.inf), (-1, 0.5), (2, 3), (-3, -2), (6, np.inf), (-np.inf, -9)]
)
def test_truncated_normal_draws_equal_quantiles(bounds, rng):
    a, b = (np.full(20_000, float(bound)) for bound in bounds)
    x = sampler._truncated_normal(a, b, rng)
    assert ((x >= a) & (x <= b)).all()
    assert_allclose(x.mean(), truncnorm(*bounds).mean(), atol=0.02)
    assert_allclose(x.std(), truncnorm(*bounds).std(), atol=0.02)


@pytest.mark.parametrize("rule", [Rule("half", 0.6), Rule("order")])
def test_every_draw_satisfies_the_rule(rule, rng):
    model = example_model(5, rule)
    tags = Rule("half", 0.6).tags(draw_prior(model, 300).T)
    chains = Chains(tags, rule, rng)
    for _ in range(20):
        chains.sweep(model.mean, precision_of(model.covariance), 0.0)
        if rule.name == "half":
            assert_array_equal(rule.tags(np.exp(chains.scores)), tags)
        lowest = np.where(tags, chains.scores, np.inf).min(axis=0)
        assert (lowest > np.where(tags, -np.inf, chains.scores).max(axis=0)).all()


def test_chains_satisfy_the_rule_again_when_noise_becomes_zero(rng):
    model = example_model(5, Rule())
    tags = Rule().tags(draw_prior(model, 300).T)
    chains = Chains(tags, Rule(), rng)
    chains.sweep(model.mean, precision_of(model.covariance), 0.3)
    assert (Rule().tags(np.exp(chains.scores)) != tags).any()
    chains.sweep(model.mean, precision_of(model.covariance), 0.0)
    assert_array_equal(Rule().tags(np.exp(chains.scores)), tags)


@pytest.mark.parametrize(
    ("n_labels", "rule"), [(3, Rule()), (4, Rule("half", 0.3))], ids=["0.5", "0.3"]
)
def test_posterior_equals_rejection_sampling(n_labels, rule):
    model = example_model(n_labels, rule)
    D = draw_prior(model, 700_000)
    drawn = rule.tags(D.T)
    tags = all_patterns(n_labels)
    code = 2 ** np.arange(n_labels)
    kept = [D[code @ drawn == code @ pattern] for pattern in tags.T]
    frequent = np.array([len(rows) > 10_000 for rows in kept])
    assert frequent.sum() >= n_labels
    mean, deviation = sampled_mean(model, tags[:, frequent])
    rows = [rows for rows, keep in zip(kept, frequent, strict=True) if keep]
    assert_allclose(mean.T, [row.mean(axis=0) for row in rows], atol=0.003)
    assert_allclose(deviation.T, [row.std(axis=0) for row in rows], atol=0.003)


def test_order_rule_equals_rejection_sampling():
    model = example_model(3, Rule("order"))
    D = draw_prior(model, 400_000)
    tags = all_patterns(3)[:, 1:-1]
    expected = []
    for pattern in tags.T:
        above = D[:, pattern].min(axis=1) > D[:, ~pattern].max(axis=1)
        expected.append(D[above].mean(axis=0))
    assert_allclose(sampled_mean(model, tags)[0].T, expected, atol=0.003)


def test_noisy_tags_equal_importance_sampling():
    noise = 0.1
    model = example_model(3, Rule(), noise=noise)
    D = draw_prior(model, 500_000)
    drawn = Rule().tags(D.T)
    tags = all_patterns(3)[:, 1:]
    expected = []
    for pattern in tags.T:
        weight = (noise / (1 - noise)) ** (drawn != pattern[:, None]).sum(axis=0)
        expected.append(weight @ D / weight.sum())
    assert_allclose(sampled_mean(model, tags)[0].T, expected, atol=0.004)


@pytest.mark.parametrize(("tag", "noise"), [(True, 0.0), (False, 0.0), (False, 0.05)])
def test_impossible_and_absent_tags_give_the_prior_mean(tag, noise):
    model = example_model(3, Rule(), noise=noise)
    mean, _ = sampled_mean(model, np.full((3, 1), tag))
    assert_allclose(mean[:, 0], draw_prior(model, 400_000).mean(axis=0), atol=0.003)
