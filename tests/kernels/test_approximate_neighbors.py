import builtins

import faiss
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

from labeldist._kernels import approximate_neighbors as module
from labeldist._kernels import graph as graph_module
from labeldist._kernels.neighbor_graph import approximate_neighbors, import_faiss
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist.exceptions import ApproximationWarning


@pytest.fixture
def X(rng):
    """Rows on a curved surface, with a little noise."""
    X = np.tanh(rng.normal(size=(3000, 4)) @ rng.normal(size=(4, 20))) + 0.05 * rng.normal(size=(3000, 20))
    return X - X.mean(axis=0)


def recall(found, true):
    return np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)])


def test_most_neighbours_are_the_true_ones_and_the_row_itself_is_none(X):
    distances, found = approximate_neighbors(faiss, X, 8)
    expected, true = NearestNeighbors(n_neighbors=8).fit(X).kneighbors()
    assert recall(found, true) > 0.93
    assert (found != np.arange(3000)[:, None]).all()
    assert (np.diff(distances, axis=1) >= 0).all()
    agree = (found == true).all(axis=1)
    assert_allclose(distances[agree], expected[agree], rtol=1e-4)


def test_more_cells_are_searched_until_the_share_is_found(X, monkeypatch):
    true = NearestNeighbors(n_neighbors=8).fit(X).kneighbors()[1]
    shares = []
    for share in (0.1, 0.999):
        monkeypatch.setattr(module, "RECALL", share)
        shares.append(recall(approximate_neighbors(faiss, X, 8)[1], true))
    assert shares[0] < shares[1]
    assert shares[1] > 0.99


def test_there_is_a_limit_to_what_is_visited(rng, monkeypatch):
    X = rng.normal(size=(3000, 20))  # no structure: the cells of a row's neighbours are everywhere
    true = NearestNeighbors(n_neighbors=8).fit(X).kneighbors()[1]
    monkeypatch.setattr(module, "MAX_VISITED", 200)
    with pytest.warns(ApproximationWarning, match="of the nearest rows"):
        found = approximate_neighbors(faiss, X, 8)[1]
    assert recall(found, true) < 0.8


def test_rows_in_small_cells_get_all_their_neighbours(rng):
    X = np.vstack([rng.normal(size=(500, 12)), 50 + rng.normal(size=(3, 12))])
    distances, found = approximate_neighbors(faiss, X - X.mean(axis=0), 100)
    assert (found >= 0).all()
    assert np.isfinite(distances).all()


def test_equal_rows_are_neighbours_at_distance_zero():
    distances, found = approximate_neighbors(faiss, np.zeros((50, 12)), 5)
    assert_array_equal(distances, 0)
    assert (found != np.arange(50)[:, None]).all()


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_units_change_nothing(X, unit):
    distances, found = approximate_neighbors(faiss, X, 4)
    others, same = approximate_neighbors(faiss, unit * X, 4)
    assert recall(same, found) > 0.99
    assert_allclose(others.mean() / unit, distances.mean(), rtol=1e-3)


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(graph_module, "EXACT_ROWS", 1000)
    monkeypatch.setattr(graph_module, "HOPELESS_ROWS", 2000)


def test_graphs_of_many_rows_are_close_to_exact_ones(X, few_rows_are_many, monkeypatch, rng):
    near = laplacian(neighbor_graph(X, 8, "mean"))
    monkeypatch.setattr(graph_module, "EXACT_ROWS", 10_000)
    exact = laplacian(neighbor_graph(X, 8, "mean"))
    F = np.column_stack([X[:, :3], rng.normal(size=3000)])
    assert abs(near - exact).max() > 0
    assert_allclose(np.diagonal(F.T @ (near @ F)), np.diagonal(F.T @ (exact @ F)), rtol=0.03)


def test_with_few_features_a_tree_is_exact(X, few_rows_are_many, monkeypatch):
    monkeypatch.setattr(graph_module, "approximate_neighbors", None)
    assert neighbor_graph(X[:, :10], 3).nnz == 9000


def without_faiss(name, *args, _import=builtins.__import__, **kwargs):
    if name == "faiss":
        raise ImportError(name)
    return _import(name, *args, **kwargs)


def test_without_faiss_neighbours_are_exact_until_that_is_hopeless(X, few_rows_are_many, monkeypatch):
    monkeypatch.setattr(builtins, "__import__", without_faiss)
    assert import_faiss() is None
    distances, _ = graph_module._nearest(X[:1500], 3)
    assert_allclose(distances, NearestNeighbors(n_neighbors=3).fit(X[:1500]).kneighbors()[0])
    with pytest.raises(ImportError, match=r"3000 rows.*labeldist\[neighbors\].*smoothness=0"):
        neighbor_graph(X, 3)
