import builtins

import faiss
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from labeldist._kernels import neighbor_graph as module
from labeldist._kernels.neighbor_graph import (
    approximate_neighbors,
    import_faiss,
    laplacian,
    neighbor_graph,
    reconstruction_weights,
)
from labeldist._solvers import row_blocks
from labeldist.exceptions import AccuracyWarning
from tests.references import reconstruction_weights_by_hand


@pytest.fixture
def X(rng):
    return rng.normal(size=(25, 3))


def dense_graph(X, k, width):
    distance = cdist(X, X)
    graph = np.zeros_like(distance)
    for i, row in enumerate(distance):
        for j in [j for j in np.argsort(row) if j != i][:k]:
            graph[i, j] = np.exp(-(row[j] ** 2) / (2 * width**2))
    return graph


def test_graph_equals_definition(X):
    assert_allclose(neighbor_graph(X, 4, 0.5).toarray(), dense_graph(X, 4, 0.5), rtol=1e-12)
    mean = np.sort(cdist(X, X), axis=1)[:, 1:5].mean()
    assert_allclose(neighbor_graph(X, 4, "mean").toarray(), dense_graph(X, 4, mean), rtol=1e-12)


@pytest.mark.parametrize("width", [1.0, "mean"])
def test_equal_rows_are_neighbours_with_weight_one(width):
    assert_allclose(neighbor_graph(np.zeros((3, 2)), 2, width).toarray(), 1 - np.eye(3))


@pytest.mark.parametrize(("n", "neighbours"), [(1, 0), (3, 2)])
def test_number_of_neighbours_is_limited_by_rows(rng, n, neighbours):
    graph = neighbor_graph(rng.normal(size=(n, 2)), 10)
    assert graph.shape == (n, n)
    assert graph.nnz == n * neighbours


def test_laplacian_is_positive_semidefinite_with_constant_null_vector(X):
    S = laplacian(neighbor_graph(X, 4)).toarray()
    assert_allclose(S, S.T)
    assert_allclose(S @ np.ones(25), 0, atol=1e-14)
    assert np.linalg.eigvalsh(S).min() > -1e-12


@pytest.mark.parametrize("n_neighbors", [1, 3, 8])
def test_reconstruction_weights_solve_constrained_problem(rng, n_neighbors, monkeypatch):
    X = rng.normal(size=(20, 4))
    W = reconstruction_weights(X, n_neighbors).toarray()
    assert_allclose(W, reconstruction_weights_by_hand(X, n_neighbors), atol=1e-10)
    assert_allclose(W.sum(axis=1), 1)
    monkeypatch.setattr(row_blocks, "BLOCK_ENTRIES", 1)
    monkeypatch.setattr(row_blocks, "SMALLEST_BLOCK", 1)
    assert_allclose(reconstruction_weights(X, n_neighbors).toarray(), W, atol=1e-13)


def test_reconstruction_weights_of_equal_rows_are_equal():
    assert_allclose(
        reconstruction_weights(np.ones((3, 2)), 5).toarray(), (np.ones((3, 3)) - np.eye(3)) / 2
    )
    assert reconstruction_weights(np.ones((1, 2)), 5).nnz == 0


@pytest.fixture(scope="module")
def surface():
    """Rows on a curved surface with a little noise."""
    rng = np.random.default_rng(0)
    X = np.tanh(rng.normal(size=(3000, 4)) @ rng.normal(size=(4, 20))) + 0.05 * rng.normal(
        size=(3000, 20)
    )
    return X - X.mean(axis=0)


@pytest.fixture
def low_limits(monkeypatch):
    monkeypatch.setattr(module, "EXACT_ROWS", 1000)
    monkeypatch.setattr(module, "HOPELESS_ROWS", 2000)


def recall(found, true):
    return np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)])


def test_most_approximate_neighbours_are_exact(surface, monkeypatch):
    distances, found = approximate_neighbors(faiss, surface, 8)
    expected, true = NearestNeighbors(n_neighbors=8).fit(surface).kneighbors()
    assert recall(found, true) > 0.93
    assert (found != np.arange(3000)[:, None]).all()
    assert (np.diff(distances, axis=1) >= 0).all()
    agree = (found == true).all(axis=1)
    assert_allclose(distances[agree], expected[agree], rtol=1e-4)
    assert recall(found, true) < 0.99
    monkeypatch.setattr(module, "RECALL", 0.999)
    assert recall(approximate_neighbors(faiss, surface, 8)[1], true) > 0.99


def test_unstructured_rows_reach_limit_with_warning(rng, monkeypatch):
    X = rng.normal(size=(3000, 20))
    true = NearestNeighbors(n_neighbors=8).fit(X).kneighbors()[1]
    monkeypatch.setattr(module, "MAX_VISITED", 200)
    with pytest.warns(AccuracyWarning, match=r"\d+%"):
        found = approximate_neighbors(faiss, X, 8)[1]
    assert recall(found, true) < 0.8


def test_rows_in_small_cells_have_all_neighbours(rng):
    X = np.vstack([rng.normal(size=(500, 12)), 50 + rng.normal(size=(3, 12))])
    distances, found = approximate_neighbors(faiss, X - X.mean(axis=0), 100)
    assert (found >= 0).all()
    assert np.isfinite(distances).all()


def test_approximate_neighbours_of_equal_rows_have_distance_zero():
    distances, found = approximate_neighbors(faiss, np.zeros((50, 12)), 5)
    assert_array_equal(distances, 0)
    assert (found != np.arange(50)[:, None]).all()


def test_approximate_laplacian_is_close_to_exact(surface, low_limits, monkeypatch, rng):
    near = laplacian(neighbor_graph(surface, 8, "mean"))
    monkeypatch.setattr(module, "EXACT_ROWS", 10_000)
    exact = laplacian(neighbor_graph(surface, 8, "mean"))
    F = np.column_stack([surface[:, :3], rng.normal(size=3000)])
    assert abs(near - exact).max() > 0
    assert_allclose(np.diagonal(F.T @ (near @ F)), np.diagonal(F.T @ (exact @ F)), rtol=0.03)


def test_neighbours_without_faiss_are_exact_up_to_limit(surface, low_limits, monkeypatch):
    original = builtins.__import__

    def without_faiss(name, *args, **kwargs):
        if name == "faiss":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_faiss)
    assert import_faiss() is None
    distances, _ = module._nearest(surface[:1500], 3)
    assert_allclose(distances, NearestNeighbors(n_neighbors=3).fit(surface[:1500]).kneighbors()[0])
    with pytest.raises(ImportError, match="3000 rows"):
        neighbor_graph(surface, 3)
