"""Features held dense or sparse, whichever multiplies faster."""

from typing import Any

import numpy as np
from scipy import sparse

from labeldist.simplex import Array

SPARSE_SHARE = 0.05
"""Share of nonzero entries below which sparse products are faster: an entry costs some ten times a dense one."""


def hold_for_products(X: Any) -> Any:
    """Return X in float64: a sparse array if it is one or is mostly zeros, else a dense array.

    What a search asks of X is the same few products again and again; a set like Movie, 1 % of it nonzero, answers them
    some twenty times faster from a sparse array.
    """
    if sparse.issparse(X) or np.count_nonzero(X) < SPARSE_SHARE * X.size:
        return sparse.csr_array(X, dtype=np.float64)
    return X.astype(np.float64, copy=False)


def gram(X: Any) -> Array:
    """Return XᵀX, dense."""
    product = X.T @ X
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray())
