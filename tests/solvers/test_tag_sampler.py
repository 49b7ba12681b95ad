"""The Gibbs sampler of scores given tags, compared with rejection sampling, importance sampling and integration."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from labeldist._solvers.tag_model import TagModel
from labeldist._solvers.tag_posterior import posterior_moments
from labeldist._solvers.tag_sampler import Chains, Rule
from labeldist.datasets import binarize
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
    return posterior_moments(model, tags, 300, 400, np.random.default_rng(2))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_rule_equals_binarize(threshold):
    D = np.random.default_rng(0).dirichlet(np.ones(5), size=500)
    assert_array_equal(Rule("half", threshold).tags(D.T), binarize(D, threshold).T > 0)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.75])
@pytest.mark.parametrize("n_labels", [2, 3, 4, 7])
def test_feasible_scores_give_their_tags(n_labels, threshold):
    rule, tags = Rule("half", threshold), all_patterns(n_labels)
    given = rule.tags(np.exp(rule.feasible_scores(tags)))
    possible = rule.is_possible(tags.sum(axis=0), n_labels)
    assert possible.sum() >= n_labels
    assert_array_equal(given[:, possible], tags[:, possible])


def test_every_draw_satisfies_the_rule():
    rule = Rule("half", 0.6)
    model = example_model(5, rule)
    tags = rule.tags(draw_prior(model, 300).T)
    chains = Chains(tags, rule, np.random.default_rng(0))
    for _ in range(20):
        chains.sweep(model.mean, model.precision, 0.0)
        assert_array_equal(rule.tags(np.exp(chains.scores)), tags)


@pytest.mark.parametrize("rule", [Rule(), Rule("half", 0.3)], ids=["0.5", "0.3"])
@pytest.mark.parametrize("n_labels", [3, 4])
def test_posterior_equals_rejection_sampling(n_labels, rule):
    model = example_model(n_labels, rule)
    D = draw_prior(model, 1_500_000)
    drawn = rule.tags(D.T)
    tags = all_patterns(n_labels)
    code = 2 ** np.arange(n_labels)
    kept = [D[code @ drawn == code @ pattern] for pattern in tags.T]
    frequent = np.array([len(rows) > 20_000 for rows in kept])
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


def test_two_labels_equal_numerical_integration():
    model = example_model(2, Rule())
    location = float(model.mean[0, 0] - model.mean[1, 0])
    scale = float(np.sqrt(np.array([1, -1]) @ model.covariance @ np.array([1, -1])))
    density = norm(location, scale).pdf
    mass = quad(density, 0, np.inf)[0]
    expected = quad(lambda u: expit(u) * density(u), 0, np.inf)[0] / mass
    mean, _ = sampled_mean(model, np.array([[True], [False]]))
    assert_allclose(mean[:, 0], [expected, 1 - expected], atol=0.002)


def test_three_labels_equal_numerical_integration():
    model = example_model(3, Rule())
    contrast = np.array([[1.0, 0, -1], [0, 1, -1]])
    center, precision = contrast @ model.mean, np.linalg.inv(contrast @ model.covariance @ contrast.T)
    axis = np.linspace(-8, 8, 1601)
    u = np.array(np.meshgrid(axis, axis)).reshape(2, -1)
    density = np.exp(-0.5 * np.einsum("in,ij,jn->n", u - center, precision, u - center))
    D = softmax(np.vstack([u, np.zeros(u.shape[1])]).T)
    drawn = Rule().tags(np.ascontiguousarray(D.T))
    tags = all_patterns(3)[:, 1:-1]
    expected = []
    for pattern in tags.T:
        weight = density * (drawn == pattern[:, None]).all(axis=0)
        expected.append(weight @ D / weight.sum())
    assert_allclose(sampled_mean(model, tags)[0].T, expected, atol=0.003)


@pytest.mark.parametrize("noise", [0.02, 0.15])
def test_noisy_tags_equal_importance_sampling(noise):
    model = example_model(3, Rule(), noise=noise)
    D = draw_prior(model, 1_000_000)
    drawn = Rule().tags(D.T)
    tags = all_patterns(3)[:, 1:]
    expected = []
    for pattern in tags.T:
        weight = (noise / (1 - noise)) ** (drawn != pattern[:, None]).sum(axis=0)
        expected.append(weight @ D / weight.sum())
    assert_allclose(sampled_mean(model, tags)[0].T, expected, atol=0.004)


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_items_without_tags_have_the_prior_mean(noise):
    model = example_model(4, Rule(), noise=noise)
    mean, _ = sampled_mean(model, np.zeros((4, 1), dtype=bool))
    assert_allclose(mean[:, 0], draw_prior(model, 400_000).mean(axis=0), atol=0.003)
