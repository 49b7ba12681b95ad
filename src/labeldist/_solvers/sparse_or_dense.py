"""Dense or sparse storage of features, whichever makes matrix products faster."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

# Below this share of nonzeros sparse products are faster: an entry costs ten times a dense one.
SPARSE_SHARE = 0.05


def hold_for_products(X: Any) -> Any:
    """Return X in float64, as a CSR array if it is sparse or mostly zero, and otherwise dense.

    Iterative solvers repeat a few products with X. If 1 % of X is nonzero, sparse products are
    about 20 times faster.
    """
    if sparse.issparse(X) or np.count_nonzero(X) < SPARSE_SHARE * X.size:
        return sparse.csr_array(X, dtype=np.float64)
    return X.astype(np.float64, copy=False)


def append_ones(X: Any) -> Any:
    """Return dense or sparse X with a further column of ones."""
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.hstack([X, ones])
    return sparse.hstack([X, sparse.csr_array(ones)], "csr")


def gram(X: Any) -> Array:
    """Return XᵀX as a dense array."""
    product: Any = X.T @ X
    dense: Array = product if isinstance(product, np.ndarray) else product.toarray()
    return dense
