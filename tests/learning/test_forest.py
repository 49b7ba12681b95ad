import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import ExtraTreesRegressor

from labeldist.datasets import make_artificial
from labeldist.learning import DistributionForest
from labeldist.learning._tree_learner import n_features_considered
from tests.checks import example


def test_predictions_are_those_of_extra_trees(rng):
    X, D = make_artificial(100, random_state=0)
    options = {"min_samples_leaf": 4, "max_features": 2, "random_state": 1}
    reference = ExtraTreesRegressor(7, **options).fit(X, D)
    forest = DistributionForest(7, **options).fit(X, 5 * D)
    rows = np.vstack([X, rng.normal(size=(33, 3))])
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
        forest = DistributionForest(10, random_state=0).fit(table, y)
        assert_array_equal(forest.predict(thin), forest.predict(X))


def test_values_beyond_single_precision_are_clipped_in_a_copy():
    new = sparse.csr_array(1e300 * np.eye(4))
    forest = DistributionForest(3, min_samples_leaf=1).fit(sparse.csr_array(np.eye(4)), np.eye(4))
    assert np.isfinite(forest.predict(new)).all()
    assert_array_equal(new.data, 1e300)


@pytest.mark.parametrize(
    ("n_features", "max_features", "expected"),
    [(3, 1 / 3, 3), (6, "sqrt", 4), (30, "sqrt", 5), (30, 1 / 3, 10), (30, 0.1, 4), (30, 2, 2)],
)
def test_splits_consider_at_least_four_features(rng, n_features, max_features, expected):
    assert n_features_considered(max_features, n_features) == expected
    X = rng.normal(size=(50, n_features))
    D = rng.dirichlet(np.ones(3), size=50)
    predicted = [
        DistributionForest(5, max_features=some, random_state=0).fit(X, D).predict(X)
        for some in (max_features, expected)
    ]
    assert_array_equal(predicted[0], predicted[1])
