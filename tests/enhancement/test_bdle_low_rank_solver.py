import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers import row_blocks as blocks
from labeldist._solvers.bidirectional_enhancement import EnhancementLoss, minimize_exactly
from labeldist.enhancement import _bdle_low_rank as low_rank
from labeldist.enhancement._bdle_low_rank import minimize_low_rank

N = 150  # more rows than the smallest block has


@pytest.fixture
def problem(rng):
    """Return a matrix of rank 12, the factor of its first 12 rows, labels and a Laplacian."""
    Z = rng.normal(size=(N, 12))
    L = (rng.random((N, 4)) < 0.5).astype(float)
    K = Z @ Z.T
    return K, np.linalg.cholesky(K[:12, :12]), L, laplacian(neighbor_graph(Z, 5, "mean"))


def solved(K, F, L, S, reconstruction=0.3, smoothness=0.5):
    minimum = minimize_low_rank(
        lambda rows: K[rows, : len(F)].copy(), F, L, reconstruction, smoothness, S
    )
    return minimum, K[:, : len(F)] @ minimum.dual + minimum.intercept


def test_minimum_does_not_depend_on_blocks(problem, monkeypatch):
    _, whole = solved(*problem)
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 1)
    monkeypatch.setattr(low_rank, "PRODUCT_COLUMNS", 5)
    assert_allclose(solved(*problem)[1], whole, atol=1e-12)


def test_single_precision_graph_product_is_accurate(problem, monkeypatch):
    _, double = solved(*problem)
    factor_bytes = 8 * N * 12
    monkeypatch.setattr(low_rank, "SINGLE_PRECISION_BYTES", factor_bytes - 1)
    _, single = solved(*problem)
    assert 0 < np.abs(single - double).max() < 1e-5
    monkeypatch.setattr(low_rank, "SINGLE_PRECISION_BYTES", factor_bytes)
    assert_array_equal(solved(*problem)[1], double)


def test_singular_gram_matrix_is_solved(rng):
    L = (rng.random((30, 2)) < 0.5).astype(float)
    K = np.zeros((30, 30))  # a row that is orthogonal to all others
    K[0, 0] = 1
    F = np.linalg.cholesky(np.eye(1))
    _, scores = solved(K, F, L, None, 0.3, 0)
    Phi = np.column_stack([K, np.ones(30)])
    assert_allclose(scores, Phi @ minimize_exactly(EnhancementLoss(Phi, L, 0.3, 0)).W, atol=1e-10)
