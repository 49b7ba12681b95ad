import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from labeldist._kernels import graph as graph_module
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph, reconstruction_weights
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


@pytest.mark.parametrize("width", [0.5, 1.0, 3.0])
def test_weights_go_to_the_nearest_rows_but_not_to_itself(X, width):
    assert_allclose(neighbor_graph(X, 4, width).toarray(), dense_graph(X, 4, width), rtol=1e-12)


def test_the_mean_width_is_the_mean_distance_to_neighbours(X):
    distance = np.sort(cdist(X, X), axis=1)[:, 1:5]
    assert_allclose(neighbor_graph(X, 4, "mean").toarray(), dense_graph(X, 4, distance.mean()), rtol=1e-12)


def test_duplicates_are_neighbours_of_each_other_with_weight_one():
    graph = neighbor_graph(np.zeros((3, 2)), 2).toarray()
    assert_allclose(graph, 1 - np.eye(3))
    assert_allclose(neighbor_graph(np.zeros((3, 2)), 2, "mean").toarray(), 1 - np.eye(3))


@pytest.mark.parametrize(("n", "neighbours"), [(1, 0), (3, 2)])
def test_there_are_no_more_neighbours_than_other_rows(rng, n, neighbours):
    graph = neighbor_graph(rng.normal(size=(n, 2)), 10)
    assert graph.shape == (n, n)
    assert graph.nnz == n * neighbours


def test_only_the_symmetric_part_of_the_published_matrix_counts(X, rng):
    A = neighbor_graph(X, 4, 2.0).toarray()
    G = np.diag((A + A.T).sum(axis=1) / 2) - A
    S = laplacian(neighbor_graph(X, 4, 2.0)).toarray()
    assert not np.allclose(G, G.T)
    F = rng.normal(size=(25, 6))
    assert_allclose(np.trace(F.T @ G @ F), np.trace(F.T @ S @ F), rtol=1e-12)
    # The published gradient λ(G + Gᵀ)F is that of the symmetric part as well.
    assert_allclose((G + G.T) @ F, 2 * S @ F, atol=1e-12)
    # The pairwise sum that the paper equates with the trace is twice it.
    pairwise = sum(A[i, j] * ((F[i] - F[j]) ** 2).sum() for i in range(25) for j in range(25))
    assert_allclose(pairwise, 2 * np.trace(F.T @ S @ F), rtol=1e-12)


def test_the_laplacian_is_positive_semidefinite_and_blind_to_constants(X):
    S = laplacian(neighbor_graph(X, 4)).toarray()
    assert_allclose(S, S.T)
    assert_allclose(S @ np.ones(25), 0, atol=1e-14)
    assert np.linalg.eigvalsh(S).min() > -1e-12


@pytest.mark.parametrize("n_neighbors", [1, 3, 8])
def test_reconstruction_weights_are_those_of_the_constrained_problem(rng, n_neighbors):
    X = rng.normal(size=(20, 4))
    W = reconstruction_weights(X, n_neighbors).toarray()
    assert_allclose(W, reconstruction_weights_by_hand(X, n_neighbors), atol=1e-10)
    assert_allclose(W.sum(axis=1), 1)


def test_reconstruction_weights_in_blocks_are_the_same(rng, monkeypatch):
    X = rng.normal(size=(20, 4))
    whole = reconstruction_weights(X, 5).toarray()
    monkeypatch.setattr(graph_module, "DIFFERENCES", 60)
    assert_allclose(reconstruction_weights(X, 5).toarray(), whole, atol=1e-14)


def test_equal_rows_rebuild_each_other_evenly():
    assert_allclose(reconstruction_weights(np.ones((3, 2)), 5).toarray(), (np.ones((3, 3)) - np.eye(3)) / 2)
    assert reconstruction_weights(np.ones((1, 2)), 5).nnz == 0
