import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsRegressor

from labeldist._kernels.nearest import SweepIndex
from labeldist.datasets import make_artificial
from labeldist.learning import AAKNN


@pytest.fixture
def table(rng):
    return rng.normal(size=(60, 4)), rng.dirichlet(np.ones(3), size=60), rng.normal(size=(20, 4))


def test_it_is_the_mean_of_the_nearest_rows(table):
    X, D, new = table
    expected = [D[np.argsort(np.linalg.norm(X - x, axis=1))[:7]].mean(axis=0) for x in new]
    assert_allclose(AAKNN(7).fit(X, D).predict(new), expected, atol=1e-14)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_it_agrees_with_scikit_learns_regressor(table, weights, metric):
    X, D, new = table
    rows = np.vstack([new, X[:5]])  # the last ones lie at distance zero
    reference = KNeighborsRegressor(5, weights=weights, metric=metric).fit(X, D).predict(rows)
    # The cosine of a row with itself is 1 but for rounding: its inverse distance is a large number, not infinite.
    assert_allclose(AAKNN(weights=weights, metric=metric).fit(X, D).predict(rows), reference, atol=1e-6)


def test_weights_by_distance_take_rows_at_distance_zero_alone(table):
    X, D, _ = table
    assert_allclose(AAKNN(weights="distance").fit(X, D).predict(X), D, atol=1e-15)
    X[1] = X[0]
    model = AAKNN(weights="distance").fit(X, D)
    assert_allclose(model.predict(X[:1]), [(D[0] + D[1]) / 2], atol=1e-15)
    tiny = AAKNN(2, weights="distance", metric="manhattan").fit([[0.0], [1e-310], [1.0]], D[:3])
    assert_allclose(tiny.predict([[4e-310]]), [(3 * D[0] + 4 * D[1]) / 7], atol=1e-12)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_the_algorithm_changes_how_not_what(table, algorithm):
    X, D, new = table
    model = AAKNN(algorithm=algorithm).fit(X, D)
    assert model.neighbors_._fit_method == algorithm
    assert_allclose(model.predict(new), AAKNN().fit(X, D).predict(new), atol=1e-14)


def test_sweeps_are_taken_where_they_are_fastest(rng):
    X, D = rng.normal(size=(60, 20)), rng.dirichlet(np.ones(3), size=60)
    assert isinstance(AAKNN().fit(X, D).neighbors_, SweepIndex)
    others = [
        AAKNN(17).fit(X, D),
        AAKNN().fit(X[:, :4], D),
        AAKNN(metric="cosine").fit(X, D),
        AAKNN().fit(sparse.csr_array(X), D),
    ]
    assert not any(isinstance(model.neighbors_, SweepIndex) for model in others)
    with pytest.raises(ValueError, match="for dense features and metric='euclidean'"):
        AAKNN(metric="cosine", algorithm="sweeps").fit(X, D)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_sweeps_find_what_scikit_learn_finds(table, weights):
    X, D, new = table
    rows = np.vstack([new, X[:5]])
    reference = KNeighborsRegressor(5, weights=weights).fit(X, D).predict(rows)
    assert_allclose(AAKNN(weights=weights, algorithm="sweeps").fit(X, D).predict(rows), reference, atol=1e-12)


def test_the_metric_may_be_a_function(table):
    X, D, new = table

    def first_feature(a, b):
        return abs(a[0] - b[0])

    expected = AAKNN().fit(X[:, :1], D).predict(new[:, :1])
    assert_allclose(AAKNN(metric=first_feature).fit(X, D).predict(new), expected, atol=1e-14)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_sparse_features_give_the_same_answer(table, rng, form, weights):
    X, D, new = (table[0] * (rng.random((60, 4)) < 0.6), table[1], table[2])
    model = AAKNN(weights=weights, algorithm="brute")
    assert_allclose(model.fit(form(X), D).predict(form(new)), model.fit(X, D).predict(new), atol=1e-12)


def test_one_neighbour_recalls_the_training_rows(table):
    X, D, _ = table
    assert_allclose(AAKNN(1).fit(X, 3 * D).predict(X), D, atol=1e-15)


def test_it_learns_the_artificial_set():
    X, D = make_artificial(500, random_state=0)
    new, truth = make_artificial(300, random_state=1)
    uniform, distance = (AAKNN(weights=w).fit(X, D).score(new, truth) for w in ("uniform", "distance"))
    assert 0.95 < uniform < distance


def test_too_few_rows_are_refused_when_fitting(table):
    X, D, _ = table
    with pytest.raises(ValueError, match="n_neighbors=5 cannot be found among n_samples=4 training rows"):
        AAKNN().fit(X[:4], D[:4])


@pytest.mark.parametrize(
    "parameters",
    [{"n_neighbors": 0}, {"weights": "gaussian"}, {"metric": "precomputed"}, {"algorithm": "hash"}],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(table, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of AAKNN must be"):
        AAKNN(**parameters).fit(*table[:2])


def test_metrics_that_need_more_than_rows_are_refused(table):
    X, D, _ = table
    with pytest.raises(ValueError, match="metric"):
        AAKNN(metric="mahalanobis").fit(X, D)


def test_the_index_is_built_again_as_it_was_fitted(rng):
    X, D = rng.normal(size=(60, 20)), rng.dirichlet(np.ones(3), size=60)
    for model in (AAKNN(3).fit(X, D), AAKNN(3, metric="manhattan").fit(X, D)):
        expected = model.predict(X)
        model.set_params(n_neighbors=7)  # for the next fit
        again = pickle.loads(pickle.dumps(model))
        assert type(again.neighbors_) is type(model.neighbors_)
        assert_array_equal(again.predict(X), expected)
