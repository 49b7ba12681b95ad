"""The Dirichlet prior of VoteLE."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior
from tests.references import log_likelihood_by_urn

MEANS = np.random.default_rng(0).dirichlet([3, 2, 1], size=20)
COUNTS = np.random.default_rng(1).multinomial(4, MEANS).astype(float)
PRIOR = DirichletPrior(2.5)


def test_posterior_has_the_moments_of_its_draws():
    posterior = PRIOR.posterior(COUNTS, MEANS)
    gammas = np.random.default_rng(0).standard_gamma(COUNTS + 2.5 * MEANS, size=(40_000, 20, 3))
    draws = gammas / gammas.sum(axis=2, keepdims=True)
    assert_allclose(posterior.mean, draws.mean(axis=0), atol=0.006)
    assert_allclose(posterior.second, (draws**2).mean(axis=0), atol=0.006)


def test_left_out_vote_is_predicted_by_the_posterior_without_it():
    left_out = PRIOR.posterior(COUNTS, MEANS).left_out
    for i, k in np.argwhere(COUNTS > 0):
        without = COUNTS.copy()
        without[i, k] -= 1
        assert left_out[i, k] == pytest.approx(PRIOR.posterior(without, MEANS).mean[i, k])


def test_evidence_is_the_probability_of_the_votes_in_their_order():
    found = PRIOR.posterior(COUNTS, MEANS).log_evidence
    expected = [
        log_likelihood_by_urn(row[None], 2.5 * mean)
        for row, mean in zip(COUNTS, MEANS, strict=True)
    ]
    assert_allclose(found, expected)
