"""Dense or sparse storage of features, whichever makes matrix products faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labeldist._typing import Array

SPARSE_SHARE = 0.05  # below this share of nonzeros sparse products are faster: an entry costs ten times a dense one


def hold_for_products(X: Any) -> Any:
    """Return X in float64, as a sparse array if it is sparse or mostly zero, and otherwise as a dense array.

    Iterative solvers repeat a few products with X. If 1 % of X is nonzero, sparse products are about 20 times faster.
    """
    if sparse.issparse(X) or np.count_nonzero(X) < SPARSE_SHARE * X.size:
        return sparse.csr_array(X, dtype=np.float64)
    return X.astype(np.float64, copy=False)


def to_arrays(X: Any) -> Any:
    """Return a dense X unchanged and a sparse X as a dictionary of its arrays, which model files can store."""
    if isinstance(X, np.ndarray):
        return X
    X = X.tocsr()
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}


def from_arrays(arrays: Any) -> Any:
    """Invert `to_arrays`; raise a ValueError if the indices do not fit the shape."""
    if not isinstance(arrays, dict):
        return arrays
    X = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"])
    X.check_format(full_check=True)
    return X


@dataclass(frozen=True)
class StandardisedTable:
    """Products with (X − 1 meanᵀ) / deviation.

    Dense features are standardised once. Mostly zero features stay sparse and are standardised within the products.
    """

    held: Any
    mean: Array
    deviation: Array

    @classmethod
    def of(cls, X: Array, mean: Array, deviation: Array) -> StandardisedTable:
        """Choose the storage of X."""
        held = hold_for_products(X)
        if isinstance(held, np.ndarray):
            return cls((held - mean) / deviation, np.zeros_like(mean), np.ones_like(deviation))
        return cls(held, mean, deviation)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        n, m = self.held.shape
        return n, m

    def times(self, V: Array, out: Array) -> Array:
        """Multiply by V from the right and write the product into `out`."""
        if isinstance(self.held, np.ndarray):
            return np.matmul(self.held, V, out=out)
        V = V / self.deviation[:, None]
        return np.subtract(self.held @ V, self.mean @ V, out=out)

    def transposed_times(self, G: Array) -> Array:
        """Multiply the transpose by G from the right."""
        product = self.held.T @ G
        if isinstance(self.held, np.ndarray):
            return np.asarray(product)
        return (product - np.outer(self.mean, G.sum(axis=0))) / self.deviation[:, None]


def gram(X: Any) -> Array:
    """Return XᵀX as a dense array."""
    product = X.T @ X
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray())
