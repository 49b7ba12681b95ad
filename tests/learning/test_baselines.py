import numpy as np
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist.learning import MeanDistribution


def test_the_mean_whatever_the_features(rng):
    X, D = rng.normal(size=(20, 3)), rng.dirichlet(np.ones(4), size=20)
    model = MeanDistribution().fit(X, D)
    assert_allclose(model.predict(rng.normal(size=(5, 3))), np.tile(D.mean(axis=0), (5, 1)))
    assert_allclose(model.predict(sparse.csr_array((2, 3))), np.tile(D.mean(axis=0), (2, 1)))


def test_the_weighted_mean(rng):
    X, D, weight = rng.normal(size=(20, 3)), rng.dirichlet(np.ones(4), size=20), rng.integers(0, 3, size=20)
    assert_allclose(MeanDistribution().fit(X, D, sample_weight=weight).mean_, np.average(D, axis=0, weights=weight))
