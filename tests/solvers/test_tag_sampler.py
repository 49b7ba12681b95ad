"""The Gibbs sampler of scores given tags, compared with rejection sampling, importance sampling and integration."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import truncnorm

from labeldist._solvers import tag_sampler
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
    return posterior_moments(model, tags, 150, 400, np.random.default_rng(2))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_rule_equals_binarize(threshold):
    D = np.random.default_rng(0).dirichlet(np.ones(5), size=500)
    assert_array_equal(Rule("half", threshold).tags(D.T), binarize(D, threshold).T > 0)
    # Rounding may leave the sum of all but the smallest label below its share; some label is tagged in any case.
    assert Rule("half", 1 - 1e-17).tags(np.full((3, 1), 1 / 3)).any()


def test_possible_numbers_of_tags():
    assert_array_equal(Rule("half", 0.5).is_possible(np.arange(5), 4), [False, True, True, False, False])
    assert_array_equal(Rule("half", 0.51).is_possible(np.arange(5), 4), [False, True, True, True, False])
    assert_array_equal(Rule("order").is_possible(np.arange(5), 4), [False, True, True, True, True])


@pytest.mark.parametrize("rule", [Rule("half", 0.2), Rule("half", 0.5), Rule("half", 0.75), Rule("order")])
@pytest.mark.parametrize("n_labels", [2, 3, 4, 7])
def test_feasible_scores_give_their_tags(n_labels, rule):
    tags = all_patterns(n_labels)
    scores = rule.feasible_scores(tags)
    assert_allclose(scores.mean(axis=0), 0, atol=1e-12)
    n_tags = tags.sum(axis=0)
    partial = (n_tags > 0) & (n_tags < n_labels)
    lowest, highest = np.where(tags, scores, np.inf).min(axis=0), np.where(tags, -np.inf, scores).max(axis=0)
    assert (lowest[partial] > highest[partial]).all()
    if rule.name == "half":
        possible = rule.is_possible(n_tags, n_labels)
        assert possible.sum() >= n_labels
        assert_array_equal(rule.tags(np.exp(scores))[:, possible], tags[:, possible])


def test_half_interval_equals_search_over_weights():
    random = np.random.default_rng(0)
    grid = np.geomspace(1e-3, 1e3, 4_000)
    for threshold in (0.3, 0.5, 0.7):
        rule = Rule("half", threshold)
        weights = random.lognormal(size=(4, 60))
        tags = rule.tags(weights)
        for column in range(60):
            w, on = weights[:, column], tags[:, column]
            tried = np.repeat(w[:, None], len(grid), axis=1)
            tried[0] = grid
            inside = grid[(rule.tags(tried) == on[:, None]).all(axis=0)]
            others, other_on = w[1:], on[1:]
            interval = tag_sampler._half_interval(
                *(on[:1], others.sum(keepdims=True), others[other_on].sum(keepdims=True)),
                *(others[other_on].min(initial=np.inf, keepdims=True), others[~other_on].max(initial=0, keepdims=True)),
                threshold,
            )
            low, high = (float(bound[0]) for bound in interval)
            assert_allclose(inside.min(), max(low, grid[0]), rtol=4e-3)
            assert_allclose(inside.max(), min(high, grid[-1]), rtol=4e-3)


@pytest.mark.parametrize(
    "bounds", [(-np.inf, np.inf), (-1, 0.5), (2, 3), (-3, -2), (6, np.inf), (-np.inf, -9), (0.5, 0.5)]
)
def test_truncated_normal_draws_equal_quantiles(bounds):
    a, b = (np.full(20_000, float(bound)) for bound in bounds)
    x = tag_sampler._truncated_normal(a, b, np.random.default_rng(0))
    assert ((x >= a) & (x <= b)).all()
    assert_allclose(x.mean(), truncnorm(*bounds).mean() if bounds[0] < bounds[1] else 0.5, atol=0.02)
    if bounds[0] < bounds[1]:
        assert_allclose(x.std(), truncnorm(*bounds).std(), atol=0.02)


def test_common_level_is_drawn_from_its_conditional():
    model = example_model(3, Rule())
    start = np.random.default_rng(0).normal(size=(3, 1))
    scores = np.repeat(start, 50_000, axis=1)
    pull = model.precision @ (scores - model.mean)
    tag_sampler._draw_level(scores, pull, model.precision, np.random.default_rng(1))
    moves = scores - start
    assert_allclose(moves, moves[:1].repeat(3, axis=0), atol=1e-12)
    total = model.precision.sum()
    assert_allclose(moves[0].mean(), -pull[:, 0].sum() / total, atol=0.01)
    assert_allclose(moves[0].std(), 1 / np.sqrt(total), atol=0.01)


@pytest.mark.parametrize("rule", [Rule("half", 0.6), Rule("order")])
def test_every_draw_satisfies_the_rule(rule):
    model = example_model(5, rule)
    tags = Rule("half", 0.6).tags(draw_prior(model, 300).T)
    chains = Chains(tags, rule, np.random.default_rng(0))
    for _ in range(20):
        chains.sweep(model.mean, model.precision, 0.0)
        if rule.name == "half":
            assert_array_equal(rule.tags(np.exp(chains.scores)), tags)
        lowest = np.where(tags, chains.scores, np.inf).min(axis=0)
        assert (lowest > np.where(tags, -np.inf, chains.scores).max(axis=0)).all()


def test_chains_satisfy_the_rule_again_when_noise_becomes_zero():
    model = example_model(5, Rule())
    tags = Rule().tags(draw_prior(model, 300).T)
    chains = Chains(tags, Rule(), np.random.default_rng(0))
    chains.sweep(model.mean, model.precision, 0.3)
    assert (Rule().tags(np.exp(chains.scores)) != tags).any()
    chains.sweep(model.mean, model.precision, 0.0)
    assert_array_equal(Rule().tags(np.exp(chains.scores)), tags)


def test_impossible_tags_only_order_the_scores():
    tags = np.array([[True], [True], [True]])  # three of three tags exclude τ = 0.5
    model = example_model(3, Rule())
    found = sampled_mean(model, tags)[0]
    assert_allclose(found[:, 0], draw_prior(model, 400_000).mean(axis=0), atol=0.003)


@pytest.mark.parametrize(("n_labels", "rule"), [(3, Rule()), (4, Rule("half", 0.3))], ids=["0.5", "0.3"])
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


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_items_without_tags_have_the_prior_mean(noise):
    model = example_model(4, Rule(), noise=noise)
    mean, _ = sampled_mean(model, np.zeros((4, 1), dtype=bool))
    assert_allclose(mean[:, 0], draw_prior(model, 400_000).mean(axis=0), atol=0.003)
