import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
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


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["sqeuclidean", "nan_euclidean"])
def test_shift_has_no_effect_on_metrics_computed_from_products(table, metric, weights):
    X, D, new = table
    model = AAKNN(metric=metric, weights=weights)
    reference = KNeighborsRegressor(5, weights=weights, metric=metric).fit(X, D).predict(new)
    assert_allclose(model.fit(X, D).predict(new), reference, atol=1e-6)
    assert_allclose(model.fit(X + 1e8, D).predict(new + 1e8), reference, atol=1e-5)


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree"])
def test_sparse_queries_of_dense_rows(table, algorithm):
    X, D, new = table
    model = AAKNN(algorithm=algorithm).fit(X, D)
    assert_array_equal(model.predict(sparse.csr_array(new)), model.predict(new))


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree"])
def test_metric_without_triangle_inequality(algorithm):
    rng = np.random.default_rng(3)
    X, new, D = rng.gamma(0.1, size=(3000, 8)), rng.gamma(0.1, size=(200, 8)), rng.dirichlet(np.ones(3), size=3000)
    nearest = cdist(new, X, "braycurtis").argsort(axis=1)[:, :4]  # a tree misses some
    predicted = AAKNN(4, metric="braycurtis", algorithm=algorithm).fit(X, D).predict(new)
    assert_allclose(predicted, D[nearest].mean(axis=1), atol=1e-12)


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


@pytest.fixture
def grid(rng):
    """Rows on a grid, many of them equal, and points between them: most distances are tied."""
    X = rng.integers(0, 4, size=(80, 3)) / 10 + 0.3
    return X, rng.dirichlet(np.ones(3), size=80), rng.integers(0, 8, size=(30, 3)) / 20 + 0.3


def tied_by_hand(X, D, new, metric, weights, k=5):
    rows = []
    for distances in cdist(new, X, metric):
        near = distances <= np.sort(distances)[k - 1] + 1e-9
        with np.errstate(divide="ignore"):
            inverse = 1 / distances
        inverse = distances < 1e-12 if (distances < 1e-12).any() else inverse
        rows.append(np.average(D[near], axis=0, weights=inverse[near] if weights == "distance" else None))
    return np.array(rows)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "brute", "auto"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "l2", "minkowski"])
def test_rows_as_near_as_the_last_neighbor_count(grid, rng, metric, algorithm, weights):
    X, D, new = grid
    expected = tied_by_hand(X, D, new, {"manhattan": "cityblock", "l2": "euclidean"}.get(metric, metric), weights)
    model = AAKNN(metric=metric, algorithm=algorithm, weights=weights)
    for order in (np.arange(80), np.arange(80)[::-1], rng.permutation(80)):
        assert_allclose(model.fit(X[order], D[order]).predict(new), expected, atol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_ties_of_sparse_features(grid, rng, metric, weights):
    shift = np.array([0.2, 0.3, 0.3])  # rows of zeros would have no angle
    X, D, new = grid[0] - shift, grid[1], grid[2] - shift
    model = AAKNN(metric=metric, weights=weights)
    expected = model.fit(X, D).predict(new)
    for order in (np.arange(80), rng.permutation(80)):
        model.fit(sparse.csr_matrix(X[order]), D[order])
        for form in (sparse.csr_array, np.asarray):
            assert_allclose(model.predict(form(new)), expected, atol=1e-12)


def test_all_rows_tied(rng):
    D = rng.dirichlet(np.ones(3), size=500)
    corners = np.vstack([np.eye(500), -np.eye(500)])
    model = AAKNN(algorithm="brute").fit(corners, np.vstack([D, D]))
    assert_allclose(model.predict(np.zeros((2, 500))), [D.mean(axis=0)] * 2, atol=1e-12)
    model = AAKNN().fit(np.zeros((500, 2)), D)
    assert_allclose(model.predict(np.ones((2, 2))), [D.mean(axis=0)] * 2, atol=1e-12)
