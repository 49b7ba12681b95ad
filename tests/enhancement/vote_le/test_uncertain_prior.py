"""Priors of VoteLE with an uncertain spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from labeldist import VoteLE
from labeldist.enhancement._vote_le.dirichlet_prior import DEVIATION, DirichletPrior
from labeldist.enhancement._vote_le.uncertain_prior import UncertainPrior

COUNTS = np.array([[2.0, 1, 0], [0, 3, 0], [0, 0, 0]])
MEANS = np.array([[0.5, 0.3, 0.2]] * 3)


def test_variance_is_that_over_draws_of_the_strength(rng):
    fitted = DirichletPrior(4.0, deviation=0.4)
    found = UncertainPrior.of(fitted.shifted).posterior(COUNTS, MEANS)
    strengths = 4 * np.exp(0.4 * rng.standard_normal(20_000))
    drawn = [DirichletPrior(s).posterior(COUNTS, MEANS) for s in strengths]
    mean, second, _ = np.mean(drawn, axis=0)
    assert_allclose(found.second - found.mean**2, second - mean**2, rtol=0.02)


def test_means_and_left_out_votes_are_those_of_the_fitted_prior():
    fitted = DirichletPrior(4.0, deviation=0.4)
    found = UncertainPrior.of(fitted.shifted).posterior(COUNTS, MEANS)
    expected = fitted.posterior(COUNTS, MEANS)
    assert_allclose(found.mean, expected.mean)
    assert_allclose(found.left_out, expected.left_out)


@pytest.mark.parametrize(("n_items", "n_labels"), [(6, 2), (6, 3), (50, 2)])
def test_intervals_of_unanimous_items_contain_the_degrees(n_items, n_labels):
    counts = 3 * np.eye(n_labels)[np.arange(n_items) % n_labels]
    enhancer = VoteLE().fit(None, counts)
    lower, upper = enhancer.interval()
    assert (lower < enhancer.label_distributions_).all()
    assert (enhancer.label_distributions_ < upper).all()


def test_intervals_cover_degrees_whose_spread_is_drawn_from_its_prior():
    logarithms = np.log([0.4, 0.3, 0.2, 0.1])
    covered = []
    for seed in range(8):  # a single draw can make the items look more alike than they are
        rng = np.random.default_rng(seed)
        variance = logarithms.std(ddof=1) * np.exp(DEVIATION * rng.standard_normal())
        D = softmax(logarithms + np.sqrt(variance) * rng.standard_normal((500, 4)), axis=1)
        counts = rng.multinomial(3, D)
        lower, upper = VoteLE().fit(None, counts).interval(0.9)
        covered.append(((lower <= D) & (upper >= D)).mean())
    assert np.mean(covered) == pytest.approx(0.9, abs=0.02)
