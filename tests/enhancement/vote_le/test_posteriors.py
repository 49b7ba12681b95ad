"""Scores of left-out votes, mixtures of posteriors, and weights of priors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior
from labeldist.enhancement._vote_le.posteriors import (
    UncertainPrior,
    mix,
    mixture_weights,
    vote_score,
)

COUNTS = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 0.0]])
MEANS = np.full((3, 2), 0.5)
PRIORS = [DirichletPrior(0.5), DirichletPrior(20.0)]


def posteriors(counts):
    means = np.full(counts.shape, 1 / counts.shape[1])
    return [prior.posterior(counts, means) for prior in PRIORS]


def test_score_is_the_mean_log_probability_of_the_votes():
    P = np.array([[0.5, 0.2], [0.0, 0.4], [0.1, 0.9]])
    expected = (2 * np.log(0.5) + np.log(0.2) + 3 * np.log(0.4) + np.log(0.1)) / 7
    assert vote_score(COUNTS, P) == pytest.approx(expected)


def test_left_out_vote_of_a_mixture_is_predicted_by_the_mixture_without_it():
    weights = [0.3, 0.7]
    left_out = mix(posteriors(COUNTS), weights).left_out
    for i, k in np.argwhere(COUNTS > 0):
        without = COUNTS.copy()
        without[i, k] -= 1
        assert left_out[i, k] == pytest.approx(mix(posteriors(without), weights).mean[i, k])


def test_moments_of_a_mixture_are_those_of_its_draws():
    mixed = mix(posteriors(COUNTS), [0.3, 0.7])
    rng = np.random.default_rng(0)
    strengths = np.where(rng.random(400_000) < 0.3, 0.5, 20)
    first = np.clip(rng.beta(strengths / 2, strengths / 2), 1e-12, 1 - 1e-12)
    for i, (n, m) in enumerate(COUNTS):
        weights = first**n * (1 - first) ** m
        assert mixed.log_evidence[i] == pytest.approx(np.log(weights.mean()), abs=0.01)
        weights /= weights.sum()
        assert mixed.mean[i, 0] == pytest.approx(weights @ first, abs=0.005)
        assert mixed.second[i, 0] == pytest.approx(weights @ first**2, abs=0.005)


def test_uncertain_prior_is_a_mixture_with_equal_weights():
    found = UncertainPrior(PRIORS).posterior(COUNTS, MEANS)
    expected = mix(posteriors(COUNTS), [0.5, 0.5])
    for table, other in zip(found, expected, strict=True):
        assert_allclose(table, other)


@pytest.mark.parametrize(("strength", "better"), [(0.5, 0), (20.0, 1)])
def test_weights_prefer_the_prior_of_the_items(strength, better):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(4, rng.dirichlet([strength / 2] * 2, size=300)).astype(float)
    flat = DirichletPrior(2.0).posterior(counts, np.full(counts.shape, 0.5))
    weights = mixture_weights(counts, np.ones(300), [flat, *posteriors(counts)], 0.01)
    assert weights[0] == 0.01
    assert weights.sum() == pytest.approx(1)
    assert weights[1 + better] > 0.7


def test_weights_maximise_the_score_of_the_mixture():
    rng = np.random.default_rng(0)
    first = rng.random(400) < 0.5  # items of two kinds
    D = np.where(first[:, None], [0.5, 0.5], rng.dirichlet([0.2, 0.2], size=400))
    counts = rng.multinomial(10, D).astype(float)
    candidates = [DirichletPrior(2.0).posterior(counts, np.full(counts.shape, 0.5))]
    candidates += posteriors(counts)
    found = mixture_weights(counts, np.ones(400), candidates, 0.01)
    best = vote_score(counts, mix(candidates, found).left_out)
    for share in np.linspace(0.01, 0.98, 20):
        other = mix(candidates, [0.01, share, 0.99 - share])
        assert vote_score(counts, other.left_out) < best + 1e-4


def test_weights_of_items_repeat_them():
    weight = np.array([2.0, 1.0, 3.0])
    found = mixture_weights(COUNTS, weight, posteriors(COUNTS) * 2, 0.01)
    rows = COUNTS.repeat([2, 1, 3], axis=0)
    assert_allclose(found, mixture_weights(rows, np.ones(6), posteriors(rows) * 2, 0.01))
