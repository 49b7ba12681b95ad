import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labeldist._solvers.storage import SPARSE_SHARE, StandardisedTable, from_arrays, gram, hold_for_products, to_arrays


def mostly_zero(rng, share):
    return rng.normal(size=(200, 50)) * (rng.uniform(size=(200, 50)) < share)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mostly_zero_features_become_sparse(rng, dtype):
    X = mostly_zero(rng, SPARSE_SHARE / 3).astype(dtype)
    held = hold_for_products(X)
    assert sparse.issparse(held)
    assert held.dtype == np.float64
    assert_allclose(held.toarray(), X)


def test_other_features_keep_their_storage(rng):
    X = mostly_zero(rng, 0.5)
    assert hold_for_products(X) is X
    assert sparse.issparse(hold_for_products(sparse.csr_matrix(mostly_zero(rng, 0.5))))


def test_gram_is_dense(rng):
    X = mostly_zero(rng, 0.2)
    assert_allclose(gram(sparse.csr_array(X)), X.T @ X)
    assert_allclose(gram(X), X.T @ X)


@pytest.mark.parametrize("share", [SPARSE_SHARE / 3, 0.5])
def test_products_equal_those_of_standardised_features(rng, share):
    X, V, G = mostly_zero(rng, share), rng.normal(size=(50, 4)), rng.normal(size=(200, 4))
    mean, deviation = rng.normal(size=50), rng.uniform(0.5, 2, size=50)
    table = StandardisedTable.of(X, mean, deviation)
    dense = (X - mean) / deviation
    assert table.shape == (200, 50)
    assert_allclose(table.times(V, np.empty((200, 4))), dense @ V, atol=1e-12)
    assert_allclose(table.transposed_times(G), dense.T @ G, atol=1e-12)


def test_from_arrays_inverts_to_arrays():
    X = np.where(np.arange(12).reshape(3, 4) % 3 == 0, 1.5, 0)
    for kind in (sparse.csr_array, sparse.csc_matrix):
        arrays = to_arrays(kind(X))
        assert set(arrays) == {"data", "indices", "indptr", "shape"}
        assert_array_equal(from_arrays(arrays).toarray(), X)
    assert from_arrays(to_arrays(X)) is X
    with pytest.raises(ValueError, match="indices"):
        from_arrays({**arrays, "indices": arrays["indices"] + 4})
