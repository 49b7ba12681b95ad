"""Scores of the learners, and MeanDistribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.learning import MeanDistribution
from labeldist.metrics import kl_divergence


def test_mean_distribution_predicts_the_weighted_mean(rng):
    X = rng.normal(size=(20, 3))
    D = rng.dirichlet(np.ones(4), size=20)
    weight = rng.integers(0, 3, size=20)
    model = MeanDistribution().fit(X, D)
    assert_allclose(model.predict(rng.normal(size=(5, 3))), np.tile(D.mean(axis=0), (5, 1)))
    assert_allclose(model.predict(sparse.csr_array((2, 3))), np.tile(D.mean(axis=0), (2, 1)))
    assert_allclose(model.score(X, D), 0, atol=1e-12)
    assert_allclose(
        MeanDistribution().fit(X, D, sample_weight=weight).mean_,
        np.average(D, axis=0, weights=weight),
    )


def test_score_is_the_skill_over_the_mean():
    new, truth = make_artificial(200, random_state=1)
    model = BDLDL().fit(*make_artificial(300, random_state=0))
    mean = np.tile(truth.mean(axis=0), (200, 1))
    expected = 1 - kl_divergence(truth, model.predict(new)) / kl_divergence(truth, mean)
    assert 0.5 < expected < 1
    assert_allclose(model.score(new, truth), expected)
    assert_allclose(model.score(new, sparse.csr_array(7 * truth)), expected)
    weight = np.arange(200)
    repeated = model.score(np.repeat(new, weight, axis=0), np.repeat(truth, weight, axis=0))
    assert_allclose(model.score(new, truth, sample_weight=weight), repeated)
    for wrong in (weight[1:], np.where(weight == weight[0], np.nan, weight)):
        with pytest.raises(ValueError, match="sample_weight"):
            model.score(new, truth, sample_weight=wrong)


@pytest.mark.parametrize("row", [[0.25, 0.75], [0.3, 0.3, 0.4], [0.0, 1.0]])
@pytest.mark.parametrize("learner", [MeanDistribution(), BDLDL(floor=0)], ids=repr)
def test_score_of_equal_rows_is_one_or_zero(rng, row, learner):
    for n in (2, 7, 49):
        X = rng.normal(size=(n, 2))
        D = np.tile(row, (n, 1))
        assert learner.fit(X, D).score(X, D) == 1
        assert learner.fit(X, D[:, ::-1]).score(X, D) == 0


def test_score_of_a_single_row_is_not_defined():
    X, D = make_artificial(30, random_state=0)
    with pytest.warns(UndefinedMetricWarning, match="skill of one row"):
        assert np.isnan(BDLDL().fit(X, D).score(X[:1], D[:1]))
