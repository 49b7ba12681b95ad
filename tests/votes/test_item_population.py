"""The population of items, against Polya's urn and simulated items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from scipy.stats import norm

from labeldist.exceptions import TableError
from labeldist.votes import from_votes
from labeldist.votes._item_population import DEVIATION, Strength, fit_population
from tests.references import log_likelihood_by_urn


def draw(alpha, n_votes, rng):
    """Draw counts of items with the given numbers of votes."""
    return np.array([rng.multinomial(n, rng.dirichlet(alpha)) for n in n_votes], dtype=float)


def log_density(s, counts, mean):
    """Return the log posterior density of log s with the urn and numerical derivatives."""

    def log_variance(log_strength):
        return np.log(np.log1p((1 / mean).mean() / (np.exp(log_strength) + 1)))

    usual_variance = np.log(mean).std(ddof=1)
    step = 1e-4
    slope = (log_variance(np.log(s) - step) - log_variance(np.log(s) + step)) / (2 * step)
    log_prior = norm.logpdf(log_variance(np.log(s)), np.log(usual_variance), DEVIATION)
    return log_likelihood_by_urn(counts, s * mean) + log_prior + np.log(slope)


def test_posterior_is_likelihood_times_prior(rng):
    counts = draw([0.5, 1.0, 2.0], rng.integers(1, 9, size=30), rng)
    mean = np.array([0.2, 0.3, 0.5])
    found = Strength.fit(counts, mean, np.ones(30))
    log_densities = np.array([log_density(s, counts, mean) for s in found.grid])
    assert_allclose(found.probabilities, softmax(log_densities), rtol=0.02, atol=1e-8)


def test_weights_of_items_repeat_them(rng):
    counts = draw([0.5, 1.0, 2.0], rng.integers(1, 9, size=30), rng)
    weight = rng.integers(0, 3, size=30)
    found = fit_population(counts, weight.astype(float))
    expected = fit_population(counts.repeat(weight, axis=0))
    assert_allclose(found.prior_votes, expected.prior_votes, rtol=1e-9)


def test_means_of_items_are_used(rng):
    means = rng.dirichlet([3, 2, 1], size=2000) * 0.9 + 0.1 / 3
    draws = rng.standard_gamma(4 * means)
    counts = rng.multinomial(4, draws / draws.sum(axis=1, keepdims=True)).astype(float)
    low, high = Strength.fit(counts, means, np.ones(2000)).quantiles([0.01, 0.99])
    assert low < 4 < high
    assert high / low < 2


def test_known_parameters_are_recovered(rng):
    alpha = np.array([0.3, 1.2, 0.6])
    found = fit_population(draw(alpha, np.full(20_000, 5), rng)).prior_votes
    assert_allclose(found, alpha, rtol=0.05)


def test_mean_of_many_labels_does_not_hide_that_items_differ():
    # The shares of 50 labels are fitted to 300 votes, which makes the items look more alike.
    medians = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        counts = draw(np.ones(50), np.full(100, 3), rng)
        medians.append(fit_population(counts).strength.median)
    assert 30 < np.exp(np.mean(np.log(medians))) < 150  # 50


def test_item_with_many_votes_does_not_determine_the_mean():
    counts = np.array([[3.0, 0], [0, 3], [2, 1], [1, 2]]).repeat(25, axis=0)
    counts[0] = [100_000, 0]
    assert fit_population(counts).mean[0] == pytest.approx(0.5, abs=0.05)


def test_strength_covers_the_truth_over_tables():
    covered = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        strength = fit_population(draw([2.0, 3, 4], np.full(60, 3), rng)).strength
        low, high = strength.quantiles([0.05, 0.95])
        covered.append(low <= 9 <= high)
    assert np.mean(covered) > 0.8


def test_auto_smoothing_adds_the_fitted_votes(rng):
    counts = draw([0.5, 1.5, 0.8], np.append(rng.integers(1, 8, size=200), 0), rng)
    votes = from_votes(counts, smoothing="auto")
    alpha = fit_population(counts).prior_votes
    assert_allclose(votes.smoothing * votes.prior, alpha)
    expected = (counts + alpha) / (counts + alpha).sum(axis=1, keepdims=True)
    assert_allclose(votes.distributions, expected)


def test_auto_smoothing_of_items_that_are_alike_is_strong():
    alike = from_votes([[3, 1]] * 100 + [[2, 2]] * 100, smoothing="auto")
    assert alike.smoothing > 50
    assert_allclose(alike.distributions, [[0.625, 0.375]] * 200, atol=0.01)


def test_auto_smoothing_makes_no_label_impossible():
    votes = from_votes([[3, 0, 1], [1, 0, 3], [4, 0, 0]], smoothing="auto")
    assert 0 < votes.distributions[:, 1].max() < 0.05
    assert from_votes([[3], [2]], smoothing="auto").distributions.tolist() == [[1], [1]]


def test_auto_smoothing_needs_two_votes_on_an_item():
    with pytest.raises(TableError, match="smoothing='auto'"):
        from_votes([[1, 0], [0, 1]], smoothing="auto")
    with pytest.raises(ValueError, match="'auto' estimates it"):
        from_votes([[2, 1], [0, 3]], smoothing="auto", prior="overall")
