import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.enhancement._bayes_le.posterior import (
    draw_degrees,
    posterior_moments,
    posterior_quantiles,
)
from labeldist.enhancement._bayes_le.tag_model import TagModel
from labeldist.enhancement._bayes_le.tag_rule import Rule

TAGS = np.array([[True, False, True], [False, True, True], [False, False, False]])


@pytest.fixture
def model():
    covariance = 0.2 * np.eye(3) + 0.1
    return TagModel(np.array([[0.3], [0.0], [-0.3]]), covariance, 0.5, 0.0, Rule())


def test_draws_are_degrees_that_satisfy_the_rule(model, rng):
    blocks = list(draw_degrees(model, TAGS, 3, 50, rng))
    assert len(blocks) == 3
    for columns, degrees in blocks:
        assert columns == slice(0, 3)
        assert degrees.shape == (3, 3, 50)
        assert_allclose(degrees.sum(axis=0), 1)
        assert_array_equal(Rule().tags(degrees.reshape(3, -1)), np.repeat(TAGS, 50, axis=1))


def test_blocks_cover_all_columns_with_their_means(rng):
    mean = np.array([[2.0, -2.0, 0.0], [0.0, 2.0, 2.0], [-2.0, 0.0, -2.0]])
    by_row = TagModel(mean, 0.01 * np.eye(3), 2.0, 0.0, Rule("order"))
    blocks = list(draw_degrees(by_row, TAGS, 2, 2_500, rng))
    assert [columns for columns, _ in blocks] == [slice(i, i + 1) for i in (0, 0, 1, 1, 2, 2)]
    for columns, degrees in blocks:
        log_degrees = np.log(degrees[:, 0]).mean(axis=1)
        assert_allclose(
            log_degrees - log_degrees.mean(),
            mean[:, columns][:, 0] - mean[:, columns].mean(),
            atol=0.2,
        )


def test_moments_and_quantiles_are_those_of_the_draws(model):
    draws = np.concatenate(
        [d for _, d in draw_degrees(model, TAGS, 20, 50, np.random.default_rng(0))], axis=2
    )
    mean, deviation = posterior_moments(model, TAGS, 20, 50, np.random.default_rng(0))
    assert_allclose(mean, draws.mean(axis=2))
    assert_allclose(mean.sum(axis=0), 1)
    assert_allclose(deviation, draws.std(axis=2))
    levels = np.array([0.05, 0.5, 0.95])
    quantiles = posterior_quantiles(model, TAGS, levels, 20, 50, np.random.default_rng(0))
    assert_allclose(quantiles, np.quantile(draws, levels, axis=2))
