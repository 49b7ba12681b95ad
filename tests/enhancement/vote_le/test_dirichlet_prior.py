"""The Dirichlet prior of VoteLE."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from scipy.stats import dirichlet_multinomial, norm

from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior


def simulate(strength, n=2000, n_votes=4, seed=0):
    rng = np.random.default_rng(seed)
    means = rng.dirichlet([3, 2, 1], size=n) * 0.9 + 0.1 / 3
    draws = rng.standard_gamma(strength * means)
    D = draws / draws.sum(axis=1, keepdims=True)
    return rng.multinomial(n_votes, D).astype(float), means, D


def log_density(strength, counts, means, weight):
    likelihood = dirichlet_multinomial.logpmf(
        counts.astype(int), strength * means, counts.sum(axis=1).astype(int)
    )
    step = 1e-5  # of log s

    def log_variance(s):
        return np.log(np.log1p((1 / means).mean() / (s + 1)))

    slope = (log_variance(strength) - log_variance(strength * np.exp(step))) / step
    median = np.log(means.mean(axis=0)).std(ddof=1)
    density = norm.pdf((log_variance(strength) - np.log(median)) / 0.8) * slope
    return weight @ likelihood + np.log(density)


@pytest.mark.parametrize("strength", [0.5, 3.0, 30.0])
def test_strength_maximises_its_density_and_is_recovered(strength):
    counts, means, _ = simulate(strength)
    weight = np.ones(len(counts))
    found = DirichletPrior.fit(counts, means, weight).strength
    best = log_density(found, counts, means, weight)
    for factor in (0.99, 1.01):
        assert log_density(factor * found, counts, means, weight) < best
    assert found == pytest.approx(strength, rel=0.25)


@pytest.mark.parametrize(("strength", "n_votes"), [(3.0, 2), (10.0, 3)])
def test_deviation_is_that_of_the_posterior_of_the_strength(strength, n_votes):
    counts, means, _ = simulate(strength, n_votes=n_votes)
    weight = np.ones(len(counts))
    prior = DirichletPrior.fit(counts, means, weight)
    grid = np.log(prior.strength) + np.linspace(-3, 3, 121)
    log_densities = np.array([log_density(np.exp(x), counts, means, weight) for x in grid])
    share = softmax(log_densities)
    expected = np.sqrt(share @ (grid - share @ grid) ** 2)
    assert prior.deviation == pytest.approx(expected, rel=0.15)
    assert prior.shifted(2).strength == pytest.approx(prior.strength * np.exp(2 * prior.deviation))


@pytest.mark.parametrize("shares", [[0.8, 0.1, 0.1], [0.4, 0.3, 0.3]])
def test_items_of_single_votes_differ_as_much_as_the_shares_of_the_labels(shares, rng):
    means = np.tile(shares, (3000, 1))
    counts = rng.multinomial(1, means).astype(float)
    weight = np.ones(len(counts))
    found = DirichletPrior.fit(counts, means, weight).score_variance(means, weight)
    assert 0.5 < found / np.log(shares).std(ddof=1) < 1


def test_equal_shares_do_not_mean_equal_items():
    counts = 2 * np.eye(3)[np.arange(30) % 3]
    means = np.full((30, 3), 1 / 3)
    prior = DirichletPrior.fit(counts, means, np.ones(30))
    assert prior.strength < 1


def test_weights_repeat_items():
    counts, means, _ = simulate(3.0, n=50)
    weight = np.random.default_rng(1).integers(0, 3, size=50)
    weighted = DirichletPrior.fit(counts, means, weight.astype(float))
    repeated = DirichletPrior.fit(
        counts.repeat(weight, axis=0), means.repeat(weight, axis=0), np.ones(weight.sum())
    )
    assert weighted.strength == pytest.approx(repeated.strength, rel=1e-4)


def test_posterior_has_the_moments_of_its_draws(rng):
    counts, means, _ = simulate(3.0, n=5)
    posterior = DirichletPrior(2.5).posterior(counts, means)
    gammas = rng.standard_gamma(counts + 2.5 * means, size=(40_000, 5, 3))
    draws = gammas / gammas.sum(axis=2, keepdims=True)
    assert_allclose(posterior.mean, draws.mean(axis=0), atol=0.005)
    assert_allclose(posterior.second, (draws**2).mean(axis=0), atol=0.005)


def test_left_out_vote_is_predicted_by_the_posterior_without_it():
    counts, means, _ = simulate(3.0, n=20)
    prior = DirichletPrior(2.5)
    left_out = prior.posterior(counts, means).left_out
    for i, k in np.argwhere(counts > 0):
        without = counts.copy()
        without[i, k] -= 1
        assert left_out[i, k] == pytest.approx(prior.posterior(without, means).mean[i, k])
