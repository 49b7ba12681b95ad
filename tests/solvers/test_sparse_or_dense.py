import numpy as np
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers.sparse_or_dense import (
    SPARSE_SHARE,
    append_ones,
    gram,
    hold_for_products,
)


def mostly_zero(rng, share):
    return rng.normal(size=(200, 50)) * (rng.uniform(size=(200, 50)) < share)


def test_mostly_zero_features_become_sparse(rng):
    X = mostly_zero(rng, SPARSE_SHARE / 3).astype(np.float32)
    held = hold_for_products(X)
    assert sparse.issparse(held)
    assert held.dtype == np.float64
    assert_allclose(held.toarray(), X)


def test_other_features_keep_their_storage(rng):
    X = mostly_zero(rng, 0.5)
    assert hold_for_products(X) is X
    assert sparse.issparse(hold_for_products(sparse.csr_matrix(X)))


def test_gram_and_column_of_ones(rng):
    X = mostly_zero(rng, 0.2)
    wide = np.column_stack([X, np.ones(200)])
    for form in (np.asarray, sparse.csr_array):
        assert_allclose(gram(append_ones(form(X))), wide.T @ wide)
