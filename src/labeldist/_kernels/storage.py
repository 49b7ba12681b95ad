"""Features held dense or sparse, whichever multiplies faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

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


def to_arrays(X: Any) -> Any:
    """Return a sparse X as the arrays that it consists of, which any file can keep, and a dense one as it is."""
    if isinstance(X, np.ndarray):
        return X
    X = X.tocsr()
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}


def from_arrays(arrays: Any) -> Any:
    """Return what `to_arrays` was given; indices that lead out of a sparse X are refused."""
    if not isinstance(arrays, dict):
        return arrays
    X = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"])
    X.check_format(full_check=True)
    return X


@dataclass(frozen=True)
class StandardisedTable:
    """(X − 1meanᵀ) / deviation: mostly zero features are standardised within products only, and stay sparse."""

    held: Any
    mean: Array
    deviation: Array

    @classmethod
    def of(cls, X: Array, mean: Array, deviation: Array) -> StandardisedTable:
        """Hold X as it is best, dense rows standardised at once."""
        held = hold_for_products(X)
        if isinstance(held, np.ndarray):
            return cls((held - mean) / deviation, np.zeros_like(mean), np.ones_like(deviation))
        return cls(held, mean, deviation)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        n, m = self.held.shape
        return n, m

    def times(self, V: Array, out: Array) -> Array:
        """Multiply with V from the right, into `out`."""
        if isinstance(self.held, np.ndarray):
            return np.matmul(self.held, V, out=out)
        V = V / self.deviation[:, None]
        return np.subtract(self.held @ V, self.mean @ V, out=out)

    def transposed_times(self, G: Array) -> Array:
        """Multiply the transpose with G from the right."""
        product = self.held.T @ G
        if isinstance(self.held, np.ndarray):
            return np.asarray(product)
        return (product - np.outer(self.mean, G.sum(axis=0))) / self.deviation[:, None]


def gram(X: Any) -> Array:
    """Return XᵀX, dense."""
    product = X.T @ X
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray())
