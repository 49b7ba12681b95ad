import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from labeldist.published import AAKNN
from labeldist.published.aa_knn import from_arrays, to_arrays


@pytest.fixture
def tables(table, rng):
    return *table, rng.normal(1, 2, size=(20, 4))


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree", "kd_tree", "brute"])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_predictions_are_means_of_the_nearest_rows(tables, metric, algorithm):
    X, D, new = tables
    nearest = cdist(new, X, metric).argsort(axis=1)[:, :3]
    model = AAKNN(3, metric=metric, algorithm=algorithm).fit(X, D)
    assert_allclose(model.predict(new), D[nearest].mean(axis=1), atol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_distance_weights_are_inverse_distances(tables, metric):
    X, D, new = tables
    expected = []
    for distances in cdist(new, X, metric):
        nearest = distances.argsort()[:5]
        expected.append(np.average(D[nearest], axis=0, weights=1 / distances[nearest]))
    model = AAKNN(weights="distance", metric=metric).fit(X, D)
    assert_allclose(model.predict(new), expected, atol=1e-12)


def test_distance_weights_average_rows_at_distance_zero_alone(tables):
    X, D, _ = tables
    X[1] = X[0]
    predicted = AAKNN(weights="distance").fit(X, D).predict(X)
    assert_allclose(predicted[:2], [(D[0] + D[1]) / 2] * 2, atol=1e-15)
    assert_allclose(predicted[2:], D[2:], atol=1e-15)


def test_metric_may_be_a_function(tables):
    X, D, new = tables

    def first_feature(a, b):
        return abs(a[0] - b[0])

    expected = AAKNN().fit(X[:, :1], D).predict(new[:, :1])
    assert_allclose(AAKNN(metric=first_feature).fit(X, D).predict(new), expected, atol=1e-14)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_sparse_features_give_the_same_predictions(tables, form, weights):
    X = np.maximum(tables[0], 0)
    D = tables[1]
    new = tables[2]
    model = AAKNN(weights=weights)
    expected = model.fit(X, D).predict(new)
    assert_allclose(model.fit(form(X), D).predict(form(new)), expected, atol=1e-12)
    assert_allclose(model.predict(new), expected, atol=1e-12)


def test_too_few_rows_raise(tables):
    X, D, _ = tables
    with pytest.raises(ValueError, match=r"n_neighbors=5 .* n_samples=4"):
        AAKNN().fit(X[:4], D[:4])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_pickled_model_keeps_its_parameters(tables, form):
    X = form(tables[0])
    D = tables[1]
    new = form(tables[2])
    model = AAKNN(3, metric="manhattan").fit(X, D)
    expected = model.predict(new)
    model.set_params(n_neighbors=7)  # takes effect at the next fit
    again = pickle.loads(pickle.dumps(model))
    assert again.neighbors_.get_params() == model.neighbors_.get_params()
    assert_array_equal(again.predict(new), expected)


def test_from_arrays_inverts_to_arrays():
    X = np.eye(3, 4)
    arrays = to_arrays(sparse.csr_array(X))
    assert set(arrays) == {"data", "indices", "indptr", "shape"}
    assert_array_equal(from_arrays(arrays).toarray(), X)
    assert from_arrays(to_arrays(X)) is X
    with pytest.raises(ValueError, match="indices"):
        from_arrays({**arrays, "indices": arrays["indices"] + 4})
