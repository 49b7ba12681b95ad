"""The few nearest of many rows, by sweeping over their distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._solvers.scaling import column_means
from labeldist._solvers.storage import hold_for_products
from labeldist._typing import Array

BLOCK_DISTANCES = 500_000
"""How many distances are held at a time: few enough to stay in the cache while they are swept."""


SMALL_SPREAD = 1e-4
"""Rows whose spread is a smaller share of their size than this are taken about their mean, to keep their digits."""


@dataclass(frozen=True)
class SweepIndex:
    """Answers ``kneighbors`` as ``sklearn.neighbors.NearestNeighbors`` does, in Euclidean distance, for dense rows.

    One matrix product gives ½‖y‖² − xᵀy, which orders the rows y as ‖x − y‖ does; k sweeps for the smallest entry find
    the k nearest. A sweep runs at the speed of memory, so that for few neighbours this beats a heap or a partial sort.
    Mostly zero rows take part in the product as a sparse array.
    """

    rows: Array
    center: Array | None
    half_squares: Array
    factor: Any
    n_neighbors: int

    @classmethod
    def of(cls, X: Array, n_neighbors: int) -> SweepIndex:
        """Keep the rows as they are if their mean is not far larger than their spread, else less their mean."""
        X = X.astype(np.float64, copy=False)
        mean, half_squares = column_means(X), np.einsum("ij,ij->i", X, X) / 2
        size = 2 * half_squares.mean()
        if size - mean @ mean > SMALL_SPREAD * size:
            return cls(X, None, half_squares, hold_for_products(X), n_neighbors)
        X = X - mean
        return cls(X, mean, np.einsum("ij,ij->i", X, X) / 2, X, n_neighbors)

    def kneighbors(self, X: Array) -> tuple[Array, NDArray[np.intp]]:
        """Return distances and indices of the nearest rows, nearest first."""
        X = X.astype(np.float64, copy=False) if self.center is None else X - self.center
        nearest = self._sweep(X)
        # For the chosen ones the distances proper: the product has lost the digits of small ones.
        distances = np.column_stack([np.linalg.norm(X - self.rows[column], axis=1) for column in nearest.T])
        order = np.argsort(distances, axis=1, kind="stable")
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(nearest, order, axis=1)

    def _sweep(self, X: Array) -> NDArray[np.intp]:
        found = np.empty((len(X), self.n_neighbors), dtype=np.intp)
        length = max(1, BLOCK_DISTANCES // len(self.rows))
        memory = np.empty((min(length, len(X)), len(self.rows)))
        for start in range(0, len(X), length):
            block = X[start : start + length]
            order, each = memory[: len(block)], np.arange(len(block))
            if isinstance(self.factor, np.ndarray):
                np.matmul(block, self.factor.T, out=order)
            else:
                order[:] = (self.factor @ block.T).T
            np.subtract(self.half_squares, order, out=order)
            for k in range(self.n_neighbors):
                smallest = order.argmin(axis=1)
                found[start : start + length, k] = smallest
                order[each, smallest] = np.inf
        return found
