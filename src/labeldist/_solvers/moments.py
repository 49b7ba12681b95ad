"""All that least squares ever needs to know of a table: its weight, means and centred co-moments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labeldist._kernels.scaling import ROUNDING_SPREAD, safe_scale
from labeldist._typing import EPSILON, Array

BLOCK_ROWS = 2048
"""Dense rows are read in blocks about this long, so that what is done to a block finds it in the cache."""

SAMPLE_ROWS = 32
"""So many rows tell whether a feature's mean is large beside its spread."""

OFFSET, LARGE_OFFSET = 8.0, 16.0
"""A mean beyond so many deviations is subtracted first, and one beyond so many by all means: what its square cancels
is one to two digits of sixteen here, and grows with it."""


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

        Dense `X` is read once, in blocks; where no mean is large beside its spread, none of it is copied. Sparse `X` is
        never made dense; its co-moments are Σ w x xᵀ − W x̄ x̄ᵀ, which costs digits only where a column with hardly a
        zero has a mean far larger than its spread. No rows at all have the moments zero.
        """
        if sparse.issparse(X):
            return cls._of_sparse(X, D, sample_weight)
        return cls._of_dense(X, D, sample_weight)

    @classmethod
    def _of_dense(cls, X: Array, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        mean_d = share @ D
        blocks = _blocks(*X.shape)
        # A small table is sooner read twice than looked at first.
        shift = _likely_offset(X) if len(blocks) > 1 else None
        sums = _sums_about(X, D, shift, mean_d, sample_weight, blocks)
        mean = sums.z / (weight or 1.0)
        if _cancels(mean, np.diagonal(sums.zz) / (weight or 1.0), shift):
            shift = _exact_for_constants(mean if shift is None else shift + mean, X, sample_weight)
            sums = _sums_about(X, D, shift, mean_d, sample_weight, blocks)
            mean = sums.z / weight
        # The rows of D are centred, so the mean of x drops out of their product with it.
        xx = sums.zz - np.outer(sums.z, mean)
        return cls(weight, mean if shift is None else shift + mean, mean_d, xx, sums.ze, sums.ee)

    @classmethod
    def _of_sparse(cls, X: Any, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        X = sparse.csr_array(X, dtype=np.float64)
        if not X.has_canonical_format:  # entries stored in parts; adding them up in place would change the caller's
            X = X.copy()
            X.sum_duplicates()
        # Columns without a zero can be centred where they are; the others are not far from zero for their spread.
        full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
        shift = np.zeros(X.shape[1])
        if full.any() and X.shape[0]:
            low, high = (extreme.toarray().ravel() for extreme in (X.min(axis=0), X.max(axis=0)))
            shift[full] = np.clip(share @ X, low, high)[full]  # of equal numbers the mean is exact
            X = sparse.csr_array((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
        mean, mean_d = share @ X, share @ D
        D = D - mean_d
        weighted = X if sample_weight is None else sparse.diags_array(sample_weight) @ X
        xx = (X.T @ weighted).toarray()
        xx -= weight * np.outer(mean, mean)
        np.fill_diagonal(xx, _centred_squares(X, mean, share) * weight)
        # The rows of D are centred, so the mean of x drops out of their product with it.
        return cls(weight, shift + mean, mean_d, xx, weighted.T @ D, (D.T * (share * weight)) @ D)

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

    def __radd__(self, other: object) -> Moments:
        """Let ``sum`` begin with its zero."""
        return self if other == 0 else NotImplemented

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
        """Return what to divide each feature by: its standard deviation, if it is not constant but for rounding."""
        return safe_scale(np.sqrt(np.diagonal(self.xx) / self.weight), self.mean_x)


class _Sums(NamedTuple):
    """Σ w z, Σ w z zᵀ, Σ w z eᵀ and Σ w e eᵀ, for z = x − shift and e = d − d̄."""

    z: Array
    zz: Array
    ze: Array
    ee: Array


def _cancels(mean: Array, squares: Array, shift: Array | None) -> bool:
    """Whether subtracting the squares of means from mean squares costs more digits than can be spared."""
    large = mean**2 > squares / (1 + LARGE_OFFSET**-2)
    if shift is not None:  # of a constant feature its subtraction leaves rounding
        large &= np.abs(mean) > 2 * EPSILON * np.abs(shift)
    return bool(large.any())


def _likely_offset(table: Array) -> Array | None:
    """Means of a few rows where any is large beside the spread, and otherwise none: the table can be read as it is."""
    rows = table[:: max(1, len(table) // SAMPLE_ROWS)].astype(np.float64)
    mean = np.full(len(rows), 1 / max(len(rows), 1)) @ rows
    squares = np.einsum("ij,ij->j", rows, rows) / max(len(rows), 1)
    if not (mean**2 > squares / (1 + OFFSET**-2)).any():
        return None
    return _exact_for_constants(mean, rows)


def _exact_for_constants(mean: Array, table: Array, sample_weight: Array | None = None) -> Array:
    """Put the number of which a column consists in place of its mean, which is that but for rounding.

    Less a mean that rounding has moved, a constant would be a small feature, and without a ridge as good as any.
    """
    first = 0 if sample_weight is None else int(np.argmax(sample_weight > 0))
    near = np.flatnonzero(np.abs(table[first] - mean) <= ROUNDING_SPREAD * np.abs(mean))
    if near.size:
        equal = table[:, near] == table[first, near]
        if sample_weight is not None:
            equal |= (sample_weight == 0)[:, None]
        constant = near[equal.all(axis=0)]
        mean[constant] = table[first, constant]
    return mean


def _sums_about(
    X: Array, D: Array, shift: Array | None, mean_d: Array, sample_weight: Array | None, blocks: list[slice]
) -> _Sums:
    m, c = X.shape[1], D.shape[1]
    sums = _Sums(np.zeros(m), np.zeros((m, m)), np.zeros((m, c)), np.zeros((c, c)))
    for rows in blocks:
        Z = X[rows].astype(np.float64, copy=False) if shift is None else X[rows] - shift
        E = D[rows] - mean_d
        root = np.ones(len(E))
        if sample_weight is not None:
            root = np.sqrt(sample_weight[rows])
            Z = Z * root[:, None]
            E *= root[:, None]
        for total, part in zip(sums, (root @ Z, Z.T @ Z, Z.T @ E, E.T @ E), strict=True):
            total += part
    return sums


def _blocks(n: int, m: int) -> list[slice]:
    """Cut n rows of m columns into blocks whose products outweigh the sums of their results."""
    number = max(1, n // max(BLOCK_ROWS, 4 * m))
    edges = [n * k // number for k in range(number + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


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
