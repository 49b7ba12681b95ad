"""The likelihood of the number of tags per row, on numbers drawn from the model and on small cases."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers import tag_counts
from labeldist._solvers.tag_counts import NOISES, SPREADS, CountLikelihood, flip_probabilities, likely_threshold
from labeldist._solvers.tag_sampler import Rule

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
    return -np.sort(-np.random.default_rng(seed).normal(size=(n_labels, n_draws)), axis=0)


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
            found = likelihood.log_likelihood(draws, np.array([9.0, spread]), np.array([0.3, noise]))
            assert_allclose(found[1, 1], expected)


def test_few_draws_weigh_as_many_rows():
    few, many = (CountLikelihood(times * np.array([0.0, 3, 5, 1, 1]), Rule(), PRIOR) for times in (5, 500))
    spread, noise = np.array([0.5]), np.array([0.0])
    assert_allclose(few.log_likelihood(shapes(4, 50), spread, noise), many.log_likelihood(shapes(4, 50), spread, noise))


def test_log_prior_is_normal_in_logarithm():
    prior = CountLikelihood(np.ones(3), Rule(), (0.4, 0.5)).log_prior(np.array([0.4, 0.4 * np.exp(0.5), 0.4 / np.e]))
    assert_allclose(prior, [0, -0.5, -2])


def test_positive_noise_has_a_price():
    likelihood = CountLikelihood(np.array([0.0, 300, 600, 100]), Rule(), PRIOR)
    draws, spreads, noises = shapes(3, 2_000), np.array([0.3, 0.9]), np.array([0.0, 0.1])
    found = likelihood.log_posterior(draws, spreads, noises)
    expected = likelihood.log_likelihood(draws, spreads, noises) + likelihood.log_prior(spreads)[:, None]
    expected[:, 1] += (50 + 100) * np.log(0.9) - 0.5 * np.log(1000)
    assert_allclose(found, expected)
    alone = likelihood.log_posterior(draws, spreads, noises[1:])[:, 0]
    assert_allclose(alone, found[:, 1] - ((50 + 100) * np.log(0.9) - 0.5 * np.log(1000)))


@pytest.mark.parametrize(("noises", "power"), [([0.0], 4.0), ([0.1], 2.0), ([0.01, 0.1], 2.0)])
def test_smoothed_mode_is_geometric_mean_under_power_of_posterior(noises, power):
    spreads, noises = np.array([0.2, 0.8]), np.array(noises)
    posterior = np.log(np.array([[1.0, 3.0], [2.0, 0.5]]))[:, : len(noises)] + 700
    weight = np.exp(power * (posterior - 700))
    weight /= weight.sum()
    spread, noise = tag_counts._smoothed_mode(posterior, spreads, noises)
    assert_allclose(np.log(spread), (weight * np.log(spreads)[:, None]).sum())
    assert_allclose(noise, np.exp((weight * np.log(noises)).sum()) if len(noises) > 1 else noises[0])


@pytest.mark.parametrize("spread", [0.25, 0.5, 1.5])
def test_spread_is_estimated_from_counts(spread):
    likelihood = CountLikelihood(drawn_counts(6, spread), Rule(), PRIOR)
    for noise, estimated in ((0.0, False), (0.5, True)):
        found = likelihood.estimate(shapes(6), SPREADS, noise, estimate_noise=estimated, allow_zero=True)
        assert_allclose(found[0], spread, rtol=0.03)
        assert found[1] == 0


def test_noise_is_estimated_from_counts():
    likelihood = CountLikelihood(drawn_counts(8, 0.5, noise=0.06), Rule(), PRIOR)
    for allow_zero in (False, True):
        found = likelihood.estimate(shapes(8), SPREADS, 0.0, estimate_noise=True, allow_zero=allow_zero)
        assert_allclose(found, [0.5, 0.06], rtol=0.15)
    given = likelihood.estimate(shapes(8), SPREADS, 0.06, estimate_noise=False, allow_zero=False)
    assert given[1] == 0.06
    assert_allclose(given[0], 0.5, rtol=0.03)
    assert_allclose(found[0], given[0], rtol=0.05)


def test_negligible_noise_is_zero_only_if_estimated():
    likelihood = CountLikelihood(drawn_counts(6, 0.5), Rule(), PRIOR)
    assert likelihood.estimate(shapes(6), SPREADS, 0.0, estimate_noise=True, allow_zero=False)[1] == 0
    assert likelihood.estimate(shapes(6), SPREADS, 1e-3, estimate_noise=False, allow_zero=False)[1] == 1e-3
    assert NOISES[0] < tag_counts.SMALLEST_NOISE


def test_order_rule_gives_prior_spread_without_noise():
    likelihood = CountLikelihood(drawn_counts(6, 0.5), Rule("order"), (0.7, 1.0))
    assert likelihood.estimate(shapes(6), SPREADS, 0.1, estimate_noise=True, allow_zero=True) == (0.7, 0.0)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7])
def test_likely_threshold_is_found_from_counts(threshold):
    histogram = drawn_counts(10, 0.3, n=2_000, threshold=threshold)
    found = likely_threshold(histogram, Rule(), np.random.default_rng(0))
    assert found == (None if threshold == 0.5 else threshold)
    assert likely_threshold(histogram, Rule("half", threshold), np.random.default_rng(0)) is None
