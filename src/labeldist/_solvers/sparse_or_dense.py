"""Dense or sparse storage of features, whichever makes matrix products faster."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class StandardisedTable:
    """Products with (X − 1 meanᵀ) / deviation.

    Dense features are standardised once. Mostly zero features stay sparse and are standardised
    within the products.
    """

    held: Any
    mean: Array
    deviation: Array

    @classmethod
    def of(cls, X: Array, mean: Array, deviation: Array) -> StandardisedTable:
        """Choose the storage of X."""
        held = hold_for_products(X)
        if isinstance(held, np.ndarray):
            held = (held - mean) / deviation
        return cls(held, mean, deviation)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        shape: tuple[int, int] = self.held.shape
        return shape

    def times(self, V: Array, out: Array) -> Array:
        """Multiply by V from the right and write the product into `out`."""
        if isinstance(self.held, np.ndarray):
            return np.matmul(self.held, V, out=out)
        V = V / self.deviation[:, None]
        return np.subtract(self.held @ V, self.mean @ V, out=out)

    def transposed_times(self, G: Array) -> Array:
        """Multiply the transpose by G from the right."""
        product: Array = self.held.T @ G
        if isinstance(self.held, np.ndarray):
            return product
        return (product - np.outer(self.mean, G.sum(axis=0))) / self.deviation[:, None]
