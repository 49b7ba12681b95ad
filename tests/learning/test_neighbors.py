import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsRegressor

from labeldist.learning import AAKNN


@pytest.fixture
def table(rng):
    return rng.normal(size=(60, 4)), rng.dirichlet(np.ones(3), size=60), rng.normal(size=(20, 4))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_predictions_equal_scikit_learns_regressor(table, weights, metric):
    X, D, new = table
    rows = np.vstack([new, X[:5]])  # the last ones have distance zero
    reference = KNeighborsRegressor(5, weights=weights, metric=metric).fit(X, D).predict(rows)
    # The cosine distance of a row from itself is zero only up to rounding.
    assert_allclose(AAKNN(weights=weights, metric=metric).fit(X, D).predict(rows), reference, atol=1e-6)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_distance_weights_average_rows_at_distance_zero_alone(table, algorithm):
    X, D, _ = table
    assert_allclose(AAKNN(weights="distance", algorithm=algorithm).fit(X, D).predict(X), D, atol=1e-15)
    X[1] = X[0]
    model = AAKNN(weights="distance", algorithm=algorithm).fit(X, D)
    assert_allclose(model.predict(X[:1]), [(D[0] + D[1]) / 2], atol=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_shifted_features_keep_their_neighbors_with_many_features(rng, form):
    X, D = rng.normal(size=(60, 20)), rng.dirichlet(np.ones(3), size=60)
    model = AAKNN().fit(X + 1e9, D)
    assert_allclose(model.predict(form(X + 1e9)), AAKNN().fit(X, D).predict(X), atol=1e-14)


def test_metric_may_be_a_function(table):
    X, D, new = table

    def first_feature(a, b):
        return abs(a[0] - b[0])

    expected = AAKNN().fit(X[:, :1], D).predict(new[:, :1])
    assert_allclose(AAKNN(metric=first_feature).fit(X, D).predict(new), expected, atol=1e-14)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_sparse_features_give_the_same_predictions(table, rng, form, weights):
    X, D, new = (table[0] * (rng.random((60, 4)) < 0.6), table[1], table[2])
    model = AAKNN(weights=weights, algorithm="brute")
    assert_allclose(model.fit(form(X), D).predict(form(new)), model.fit(X, D).predict(new), atol=1e-12)


def test_too_few_rows_raise(table):
    X, D, _ = table
    with pytest.raises(ValueError, match=r"n_neighbors=5 .* n_samples=4"):
        AAKNN().fit(X[:4], D[:4])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_pickled_model_keeps_its_index(rng, metric, form):
    X, D = form(rng.normal(size=(60, 20))), rng.dirichlet(np.ones(3), size=60)
    model = AAKNN(3, metric=metric).fit(X, D)
    expected = model.predict(X)
    model.set_params(n_neighbors=7)  # takes effect at the next fit
    again = pickle.loads(pickle.dumps(model))
    assert again.neighbors_.get_params() == model.neighbors_.get_params()
    assert_array_equal(again.predict(X), expected)
