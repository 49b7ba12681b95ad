import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor

from labeldist.datasets import make_artificial
from labeldist.learning import DistributionBoosting, DistributionForest
from labeldist.simplex import softmax
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


def test_boosting_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    weight = rng.uniform(0.5, 2, size=60)
    model = DistributionBoosting(3, learning_rate=0.3, random_state=0).fit(X, D, weight)
    Z = ((X - model.mean_) / model.scale_).astype(np.float32)
    F = np.tile(np.log(np.average(D, axis=0, weights=weight)), (60, 1))
    for tree in model.trees_:
        P = softmax(F)
        leaves = tree.apply(Z)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            gradient = weight[rows] @ (D - P)[rows]
            F[rows] += 0.3 * (2 / 3) * gradient / (weight[rows] @ (P * (1 - P))[rows] + 1)
    assert_allclose(model.predict(X), softmax(F), atol=1e-12)


def test_boosting_without_splits_predicts_the_mean():
    X, D = make_artificial(50, random_state=0)
    model = DistributionBoosting(20, min_samples_leaf=50).fit(X, D)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-12)


def test_options_of_boosting():
    X, D = make_artificial(300, random_state=0)

    def fit(**options):
        return DistributionBoosting(**{"n_estimators": 20, "random_state": 0} | options).fit(X, D)

    base = fit()
    assert fit(n_estimators=60).score(X, D) > base.score(X, D) > fit(learning_rate=0.02).score(X, D)
    assert max(tree.n_leaves for tree in fit(max_leaf_nodes=4).trees_) == 4
    assert max(tree.n_leaves for tree in base.trees_) == 32
    assert min(tree.n_node_samples.min() for tree in fit(min_samples_leaf=9).trees_) == 9
    assert len(fit(max_features=1).trees_) == 20
    assert not np.allclose(fit(max_features=1).predict(X), fit(max_features=1.0).predict(X))
    assert not np.allclose(fit(random_state=1).predict(X), base.predict(X))


def test_boosting_learns_the_artificial_set():
    model = DistributionBoosting(random_state=0).fit(*make_artificial(500, random_state=0))
    assert model.score(*make_artificial(200, random_state=1)) > 0.9
