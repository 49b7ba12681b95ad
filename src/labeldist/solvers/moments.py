"""All that least squares ever needs to know of a table: its weight, means and centred co-moments."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from labeldist.features.scaling import safe_scale
from labeldist.simplex import Array

BLOCK_ROWS = 4096
"""Dense rows are centred in blocks about this long: a copy of a block, not of the table, and warm in the cache."""


@dataclass(frozen=True)
class Moments:
    """Weight, means and centred co-moments of rows (x, d): the sufficient statistics of BD-LDL.

    Two of them add up to those of the two tables one below the other, so that tables can be read in chunks, on
    workers, in any order. Means and *centred* sums are kept, not raw sums: those lose half their digits on
    features whose spread is small beside their mean.

    Attributes
    ----------
    weight : float
        Σ w, the number of rows if they are not weighted.
    mean_x, mean_d : ndarray of shape (m,), (c,)
    xx, xd, dd : ndarray of shape (m, m), (m, c), (c, c)
        Σ w (x − x̄)(x − x̄)ᵀ, Σ w (x − x̄)(d − d̄)ᵀ, Σ w (d − d̄)(d − d̄)ᵀ.
    """

    weight: float
    mean_x: Array
    mean_d: Array
    xx: Array
    xd: Array
    dd: Array

    @classmethod
    def of(cls, X: Any, D: Array, sample_weight: Array | None = None) -> Moments:
        """Compute the moments of a dense or SciPy-sparse `X` and a dense `D`, optionally weighted.

        Sparse `X` is never made dense; its co-moments are Σ w x xᵀ − W x̄ x̄ᵀ, which costs digits only where a column
        with hardly a zero has a mean far larger than its spread. No rows at all have the moments zero.
        """
        if sparse.issparse(X):
            return cls._of_sparse(X, D, sample_weight)
        if not len(D):
            return cls._of_block(X, D, sample_weight)
        # A block is long enough for its product to outweigh the merge, which costs as much as a few rows would.
        length = max(BLOCK_ROWS, 4 * X.shape[1])
        blocks = (slice(start, start + length) for start in range(0, len(D), length))
        return reduce(
            operator.add,
            (cls._of_block(X[b], D[b], None if sample_weight is None else sample_weight[b]) for b in blocks),
        )

    @classmethod
    def _of_block(cls, X: Array, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        mean_x, mean_d = share @ X, share @ D
        X, D = X - mean_x, D - mean_d
        if sample_weight is not None:
            root = np.sqrt(sample_weight)[:, None]
            X *= root
            D *= root
        return cls(weight, mean_x, mean_d, X.T @ X, X.T @ D, D.T @ D)

    @classmethod
    def _of_sparse(cls, X: Any, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        X = sparse.csr_array(X, dtype=np.float64)
        if not X.has_canonical_format:  # entries stored in parts; adding them up in place would change the caller's
            X = X.copy()
            X.sum_duplicates()
        mean_x, mean_d = share @ X, share @ D
        D = D - mean_d
        weighted = X if sample_weight is None else sparse.diags_array(sample_weight) @ X
        xx = (X.T @ weighted).toarray()
        xx -= weight * np.outer(mean_x, mean_x)
        np.fill_diagonal(xx, _centred_squares(X, mean_x, share) * weight)
        # The rows of D are centred, so the mean of x drops out of their product with it.
        return cls(weight, mean_x, mean_d, xx, weighted.T @ D, (D.T * (share * weight)) @ D)

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both tables together (the pairwise update of Chan, Golub and LeVeque)."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        gap_x, gap_d = other.mean_x - self.mean_x, other.mean_d - self.mean_d
        share = other.weight / weight
        between = self.weight * share
        return Moments(
            weight,
            self.mean_x + share * gap_x,
            self.mean_d + share * gap_d,
            self.xx + other.xx + between * np.outer(gap_x, gap_x),
            self.xd + other.xd + between * np.outer(gap_x, gap_d),
            self.dd + other.dd + between * np.outer(gap_d, gap_d),
        )

    def about_origin(self) -> Moments:
        """Return the same table's moments about zero: means 0, and Σ w x xᵀ in place of the centred sums."""
        x, d = self.mean_x, self.mean_d
        return Moments(
            self.weight,
            np.zeros_like(x),
            np.zeros_like(d),
            self.xx + self.weight * np.outer(x, x),
            self.xd + self.weight * np.outer(x, d),
            self.dd + self.weight * np.outer(d, d),
        )

    def divide_features(self, scale: Array) -> Moments:
        """Return the moments of the table whose features are divided by `scale`."""
        return Moments(
            self.weight,
            self.mean_x / scale,
            self.mean_d,
            self.xx / np.outer(scale, scale),
            self.xd / scale[:, None],
            self.dd,
        )

    def feature_scale(self) -> Array:
        """Return each feature's standard deviation, and 1 for a feature that is constant but for rounding."""
        return safe_scale(np.sqrt(np.diagonal(self.xx) / self.weight), self.mean_x)


def _centred_squares(X: Any, mean: Array, share: Array) -> Array:
    """Weighted mean of (x − x̄)² for each column of a sparse `X`, without the cancellation of x² − x̄²."""
    deviations, stored = X.copy(), X.copy()
    deviations.data = (X.data - mean[X.indices]) ** 2
    stored.data = np.ones_like(X.data)
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    # A full column has no zeros at all: what the difference of sums leaves there is rounding.
    zeros = np.where(full, 0.0, share.sum() - share @ stored)
    return np.asarray(share @ deviations + zeros * mean**2)


def _total_and_shares(n: int, sample_weight: Array | None) -> tuple[float, Array]:
    """Return the total weight and the share of it that each row has."""
    if sample_weight is None:
        return float(n), np.full(n, 1 / max(n, 1))
    total = float(sample_weight.sum())
    return total, sample_weight / total if total else np.zeros(n)
