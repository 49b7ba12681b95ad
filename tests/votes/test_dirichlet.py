"""The Dirichlet-multinomial model of counts, against Polya's urn and simulated items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from labeldist.exceptions import TableError
from labeldist.votes import from_votes
from labeldist.votes._dirichlet import DirichletMultinomial, fit_dirichlet
from tests.references import log_likelihood_by_urn


def draw(alpha, n_votes, rng):
    """Draw counts of items with the given numbers of votes."""
    return np.array([rng.multinomial(n, rng.dirichlet(alpha)) for n in n_votes], dtype=float)


def fit(counts):
    return fit_dirichlet(np.asarray(counts, dtype=float), "the test")


def test_likelihood_and_gradient(rng):
    counts = draw([0.5, 1.0, 2.0], rng.integers(1, 9, size=30), rng)
    model, alpha = DirichletMultinomial(counts), np.array([0.3, 1.5, 0.9])
    point = np.log(alpha)
    value, gradient = model.loss(point)
    assert value == pytest.approx(-log_likelihood_by_urn(counts, alpha) / 30, rel=1e-12)
    assert_allclose(gradient, approx_fprime(point, lambda x: model.loss(x)[0], 1e-7), atol=1e-6)


def test_fit_equals_a_slow_search(rng):
    counts = draw([0.4, 1.0, 0.7], rng.integers(1, 7, size=60), rng)
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    slow = minimize(
        lambda x: -log_likelihood_by_urn(counts, np.exp(x)),
        np.zeros(3),
        method="Nelder-Mead",
        options=options,
    )
    assert_allclose(fit(counts), np.exp(slow.x), rtol=1e-5)


def test_known_parameters_are_recovered(rng):
    alpha = np.array([0.3, 1.2, 0.6])
    assert_allclose(fit(draw(alpha, np.full(20_000, 5), rng)), alpha, rtol=0.05)


def test_strength_is_bounded():
    same = np.tile([3, 1], (50, 1))
    assert fit(same).sum() > 1e5
    unanimous = fit([[3, 0]] * 20 + [[0, 3]] * 20)
    assert unanimous.sum() < 1e-4
    assert_allclose(unanimous / unanimous.sum(), 0.5, rtol=1e-6)


def test_auto_smoothing_adds_the_fitted_votes(rng):
    counts = draw([0.5, 1.5, 0.8], np.append(rng.integers(1, 8, size=200), 0), rng)
    votes = from_votes(counts, smoothing="auto")
    alpha = fit(counts)
    assert_allclose(votes.smoothing * votes.prior, alpha, rtol=1e-6)
    assert_allclose(
        votes.distributions,
        (counts + alpha) / (counts + alpha).sum(axis=1, keepdims=True),
        rtol=1e-6,
    )


def test_auto_smoothing_of_items_that_are_alike_is_strong():
    alike = from_votes([[3, 1]] * 10 + [[2, 2]] * 10, smoothing="auto")
    assert alike.smoothing > 1e5
    assert_allclose(alike.distributions, [[0.625, 0.375]] * 20, atol=1e-4)


def test_labels_without_votes_get_no_prior_votes():
    votes = from_votes([[3, 0, 1], [1, 0, 3], [4, 0, 0]], smoothing="auto")
    assert (votes.prior[1], votes.distributions[:, 1].max()) == (0, 0)
    assert from_votes([[3, 0], [2, 0]], smoothing="auto").distributions.tolist() == [[1, 0], [1, 0]]


def test_auto_smoothing_needs_two_votes_on_an_item():
    with pytest.raises(TableError, match="smoothing='auto'"):
        from_votes([[1, 0], [0, 1]], smoothing="auto")
    with pytest.raises(ValueError, match="'auto' estimates it"):
        from_votes([[2, 1], [0, 3]], smoothing="auto", prior="overall")
