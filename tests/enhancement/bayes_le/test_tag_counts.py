"""The likelihood of the number of tags per row, on numbers drawn from the model."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.enhancement._bayes_le.tag_counts import (
    NOISES,
    NOISES_AND_ZERO,
    SPREADS,
    CountLikelihood,
    descending,
    flip_probabilities,
    likely_threshold,
)
from labeldist.enhancement._bayes_le.tag_rule import Rule

PRIOR = (0.3, 1.0)


def drawn_counts(n_labels, spread, *, n=20_000, noise=0.0, threshold=0.5, seed=0):
    """Numbers of tags of exchangeable labels, as a histogram."""
    random = np.random.default_rng(seed)
    tags = Rule("half", threshold).tags(np.exp(spread * random.normal(size=(n_labels, n))))
    tags ^= random.random(tags.shape) < noise
    histogram = np.bincount(tags.sum(axis=0), minlength=n_labels + 1).astype(float)
    histogram[0] = 0
    return histogram


def shapes(n_labels, n_draws=20_000, seed=1):
    return descending(np.random.default_rng(seed).normal(size=(n_labels, n_draws)))


def test_flip_probabilities_equal_enumeration():
    for k in range(5):
        expected = np.zeros(5)
        for flips in product([0, 1], repeat=4):
            tags = (np.arange(4) < k) ^ np.array(flips, dtype=bool)
            expected[tags.sum()] += 0.2 ** sum(flips) * 0.8 ** (4 - sum(flips))
        assert_allclose(flip_probabilities(4, 0.2)[k], expected)
    assert_array_equal(flip_probabilities(5, 0.0), np.eye(6))


def test_log_likelihood_equals_frequencies_of_draws():
    likelihood = CountLikelihood(np.array([0.0, 3, 5, 1, 0]), Rule("half", 0.6), PRIOR)
    draws = shapes(4, 50)
    for spread in (0.2, 2.0):
        # Each draw, by the rule itself.
        n_tags = Rule("half", 0.6).tags(np.exp(spread * draws)).sum(axis=0)
        frequency = (np.bincount(n_tags, minlength=5) + 0.01) / (50 + 0.05)
        for noise in (0.0, 0.1):
            observed = frequency @ flip_probabilities(4, noise)
            expected = np.log(observed[1:4] / (1 - observed[0])) @ [3, 5, 1]
            found = likelihood.log_likelihood(
                draws, np.array([9.0, spread]), np.array([0.3, noise])
            )
            assert_allclose(found[1, 1], expected)


def test_positive_noise_has_a_price():
    likelihood = CountLikelihood(np.array([0.0, 300, 600, 100]), Rule(), PRIOR)
    draws = shapes(3, 2_000)
    spreads = np.array([0.3, 0.9])
    noises = np.array([0.0, 0.1])
    found = likelihood.log_posterior(draws, spreads, noises)
    free = likelihood.log_likelihood(draws, spreads, noises)
    free += likelihood.log_prior(spreads)[:, None]
    price = (50 + 100) * np.log(0.9) - 0.5 * np.log(1000)
    assert_allclose(found, np.column_stack([free[:, 0], free[:, 1] + price]))
    assert_allclose(likelihood.log_posterior(draws, spreads, noises[1:]), free[:, 1:])


@pytest.mark.parametrize("spread", [0.25, 1.5])
@pytest.mark.parametrize("noises", [np.zeros(1), NOISES_AND_ZERO])
def test_spread_is_estimated_from_counts(spread, noises):
    likelihood = CountLikelihood(drawn_counts(6, spread), Rule(), PRIOR)
    found, noise = likelihood.estimate(shapes(6), SPREADS, noises)
    assert_allclose(found, spread, rtol=0.03)
    assert noise == 0


@pytest.mark.parametrize("noises", [NOISES, NOISES_AND_ZERO, np.array([0.06])])
def test_noise_is_estimated_from_counts(noises):
    likelihood = CountLikelihood(drawn_counts(8, 0.5, noise=0.06), Rule(), PRIOR)
    found = likelihood.estimate(shapes(8), SPREADS, noises)
    assert_allclose(found, [0.5, 0.06], rtol=0.15)


def test_negligible_noise_is_zero_only_if_estimated():
    likelihood = CountLikelihood(drawn_counts(6, 0.5), Rule(), PRIOR)
    assert likelihood.estimate(shapes(6), SPREADS, NOISES)[1] == 0
    assert likelihood.estimate(shapes(6), SPREADS, np.array([1e-3]))[1] == 1e-3


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7])
def test_likely_threshold_is_found_from_counts(threshold):
    histogram = drawn_counts(10, 0.3, n=2_000, threshold=threshold)
    found = likely_threshold(histogram, Rule(), np.random.default_rng(0))
    assert found == (None if threshold == 0.5 else threshold)
    assert likely_threshold(histogram, Rule("half", threshold), np.random.default_rng(0)) is None
