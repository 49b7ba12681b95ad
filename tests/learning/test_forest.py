import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor

from labeldist.datasets import make_artificial
from labeldist.learning import DistributionForest
from tests.checks import example

SMALL = DistributionForest(10, random_state=0)


def test_predictions_are_those_of_extra_trees():
    X, D = make_artificial(100, random_state=0)
    reference = ExtraTreesRegressor(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, D)
    forest = DistributionForest(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, 5 * D)
    new = np.random.default_rng(5).normal(size=(33, 3))
    for rows in (X, new):
        assert_allclose(forest.predict(rows), reference.predict(rows), atol=1e-12)


def test_leaves_as_large_as_the_table_give_the_weighted_mean(rng):
    X, D, _ = example()
    weight = rng.uniform(1, 2, size=len(X))
    forest = DistributionForest(3, min_samples_leaf=len(X)).fit(X, D, sample_weight=weight)
    assert_allclose(forest.predict(X[:1]), [np.average(D, axis=0, weights=weight)], atol=1e-12)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_sparse_rows_are_predicted_like_dense_rows(index_type):
    X, y, _ = example()
    X = np.where(X > 0, X + 5, 0)
    thin = sparse.csr_array(X)
    thin.indices, thin.indptr = thin.indices.astype(index_type), thin.indptr.astype(index_type)
    for table in (X, thin):
        forest = clone(SMALL).fit(table, y)
        assert_array_equal(forest.predict(thin), forest.predict(X))


def test_values_beyond_single_precision_are_clipped_in_a_copy():
    X, D = sparse.csr_array(np.eye(4)), np.eye(4)
    new = sparse.csr_array(1e300 * np.eye(4))
    forest = DistributionForest(3, min_samples_leaf=1, random_state=0).fit(X, D)
    assert np.isfinite(forest.predict(new)).all()
    assert_array_equal(new.data, 1e300)
