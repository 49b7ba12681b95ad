"""Estimation of the distribution of scores from tags, on data drawn from the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.enhancement._bayes_le import tag_model
from labeldist.enhancement._bayes_le.logistic_normal import softmax_columns
from labeldist.enhancement._bayes_le.posterior import posterior_moments
from labeldist.enhancement._bayes_le.tag_model import (
    TagModel,
    count_tags,
    fit_joint_model,
    fit_tag_model,
    informative_counts,
)
from labeldist.enhancement._bayes_le.tag_rule import Rule
from labeldist.metrics import kl_divergence

PRIOR = (0.3, 1.0)
PATTERNS = np.array([[0, 1, 1, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 1, 0]], dtype=bool)


def drawn_tags(n, n_labels, spread, *, seed=0):
    random = np.random.default_rng(seed)
    scores = 0.5 * spread * random.normal(size=(n_labels, 1)) + spread * random.normal(
        size=(n_labels, n)
    )
    return Rule().tags(np.exp(scores))


def fit(tags, *, rule=None, noise=None, counts=None, seed=0):
    counts = np.ones(tags.shape[1]) if counts is None else counts
    return fit_tag_model(tags, counts, rule or Rule(), noise, PRIOR, np.random.default_rng(seed))


def test_model_and_degrees_of_correlated_scores_are_recovered_from_tags(rng):
    mean = np.array([[0.5], [0.2], [-0.2], [-0.5]])
    root = np.array([[0.5, 0, 0, 0], [0.4, 0.3, 0, 0], [0, 0, 0.5, 0], [0, 0, -0.2, 0.4]])
    scores = mean + root @ rng.normal(size=(4, 8_000))
    tags, row, counts = np.unique(
        Rule().tags(np.exp(scores)), axis=1, return_inverse=True, return_counts=True
    )
    found = fit(tags, counts=counts.astype(float))
    assert found.noise == 0
    # The tags determine the mean and the variance of a label better together than each of them:
    # with other seeds of EM the largest error of the mean is 0.03 to 0.1.
    assert_allclose(found.mean, mean, atol=0.1)
    assert_allclose(found.mean.mean(), 0, atol=1e-12)
    centre = np.eye(4) - 1 / 4
    centred = centre @ found.covariance @ centre
    assert_allclose(centred, centre @ root @ root.T @ centre, atol=0.08)
    assert_allclose(np.trace(centred) / 3, found.spread**2, rtol=0.01)
    truth = TagModel(mean, root @ root.T, found.spread, 0.0, Rule())
    D = softmax_columns(scores).T
    divergences = []
    for model in (found, truth):
        degrees, _ = posterior_moments(model, tags, 80, 100, rng)
        divergences.append(kl_divergence(D, degrees.T[row.ravel()]))
    assert divergences[0] < 1.05 * divergences[1]


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_label_of_every_row(weight):
    tags = drawn_tags(30, 3, 0.5)
    tags[0] = True
    found = fit(tags, counts=np.full(30, weight))  # sums of 0.1 are inexact
    assert found.mean.argmax() == 0


def test_uninformative_tags_give_prior():
    rule = Rule("half", 0.4)
    model = fit(np.array([[0, 1], [0, 1], [0, 1]], dtype=bool), rule=rule, noise=0.0)
    assert_array_equal(model.mean, np.zeros((3, 1)))
    assert_allclose(model.covariance, 0.09 * np.eye(3))
    assert (model.spread, model.noise, model.rule) == (0.3, 0.0, rule)


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


def test_joint_model_recovers_scores_that_depend_on_features(rng):
    x = rng.choice([-1.0, 1.0], size=1_000)
    mean = np.array([[0.8], [0.0], [-0.8]]) * x
    tags = Rule().tags(np.exp(mean + 0.4 * rng.normal(size=(3, 1_000))))
    weight = np.ones(1_000)
    iterations = []

    def regress(scores, iteration):
        iterations.append(iteration)
        return np.outer(scores @ x / 1_000, x) + 5.0  # a common level must not matter

    start = TagModel(np.zeros((3, 1)), np.eye(3), 1.0, 0.0, Rule())
    found = fit_joint_model(tags, weight, start, regress, (0.7, 0.3), np.random.default_rng(1))
    assert iterations == list(range(len(tag_model.JOINT_STEPS)))
    assert found.mean.shape == (3, 1_000)
    assert_allclose(found.mean.mean(axis=0), 0, atol=1e-12)
    assert_allclose(found.mean, mean, atol=0.25)
    assert_allclose(np.sqrt(np.trace(found.covariance) / 3), 0.4, rtol=0.3)
    assert_allclose(found.spread, np.sqrt(0.64 + 0.16), rtol=0.2)
    assert (found.noise, found.rule) == (0.0, Rule())


def test_spread_of_the_joint_model_does_not_include_differences_between_labels(rng):
    mean = np.array([[0.6], [0.2], [-0.2], [-0.6]])
    tags = Rule().tags(np.exp(mean + 0.4 * rng.normal(size=(4, 1_000))))
    start = fit(tags)

    def regress(scores, iteration):
        return np.tile(scores.mean(axis=1, keepdims=True), 1_000)

    found = fit_joint_model(tags, np.ones(1_000), start, regress, PRIOR, rng)
    assert_allclose([start.spread, found.spread], 0.4, rtol=0.1)


def test_counts_of_tags_and_informative_patterns():
    counts = np.array([7.0, 2, 3, 4, 1])
    assert_array_equal(count_tags(PATTERNS, counts), [7, 3, 3, 4])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule(), None), [0, 2, 3, 4, 1])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule(), 0.0), [0, 2, 3, 0, 1])
    assert_array_equal(informative_counts(PATTERNS, counts, Rule("order"), 0.0), [0, 2, 3, 4, 1])
