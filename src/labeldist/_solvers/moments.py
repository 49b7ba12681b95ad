"""Sufficient statistics of least squares: weight, means and centred co-moments of a table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.scaling import ROUNDING_SPREAD, safe_scale
from labeldist._typing import Array

BLOCK_ROWS = 2048  # dense rows are read in blocks of about this length, which stay in the cache
# A mean beyond so many deviations is subtracted first, because subtracting its square costs more
# than one to two of sixteen digits.
LARGE_OFFSET = 16.0


@dataclass(frozen=True)
class Moments:
    """Weight, means and centred co-moments of rows (x, d): the sufficient statistics of BD-LDL.

    The sum of two Moments describes the two tables stacked, so tables can be read in chunks, by
    several workers and in any order. Sums are centred because raw sums lose half of the digits if
    the spread of a feature is small compared with its mean.
    """

    weight: float  # Σ w, the number of rows if there are no weights
    mean_x: Array  # x̄, (m,)
    mean_d: Array  # d̄, (c,)
    xx: Array  # Σ w (x − x̄)(x − x̄)ᵀ, (m, m)
    xd: Array  # Σ w (x − x̄)(d − d̄)ᵀ, (m, c)
    dd: Array  # Σ w (d − d̄)(d − d̄)ᵀ, (c, c)

    @classmethod
    def of(cls, X: Any, D: Array, sample_weight: Array | None = None) -> Moments:
        """Compute the moments of a dense or sparse `X` and a dense `D`.

        Dense `X` is read once, in blocks, with n·m² multiplications. It is read twice, and copied
        block by block, if a mean is large compared with its spread. Sparse `X` stays sparse. Its
        co-moments are Σ w x xᵀ − W x̄ x̄ᵀ, which loses digits only in a column with hardly any
        zeros and a mean far larger than its spread. The moments of an empty table are zero.

        NaN and infinity raise an error. They are found in the means, because a check of `X` would
        read it once more.
        """
        compute = cls._of_sparse if sparse.issparse(X) else cls._of_dense
        with np.errstate(invalid="ignore", over="ignore"):
            moments = compute(X, D, sample_weight)
        if not np.isfinite(moments.mean_x).all():  # also if finite values are too large
            assert_all_finite(X, input_name="X")
        return moments

    @classmethod
    def _of_dense(cls, X: Array, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        mean_d = share @ D
        blocks = _blocks(*X.shape)
        sums = _sums_about(X, D, None, mean_d, sample_weight, blocks)
        mean_x = remainder = sums.z / (weight or 1.0)
        squares = np.diagonal(sums.zz) / (weight or 1.0)
        if (mean_x**2 > squares / (1 + LARGE_OFFSET**-2)).any():
            shift = _exact_for_constants(mean_x, X, sample_weight)
            sums = _sums_about(X, D, shift, mean_d, sample_weight, blocks)
            remainder = sums.z / weight
            mean_x = shift + remainder
        xx = sums.zz
        for rows in row_blocks(len(xx), len(xx)):  # a whole outer product needs more memory
            xx[rows] -= np.outer(sums.z[rows], remainder)
        # The rows of D are centred, so the mean of x cancels in xd.
        return cls(weight, mean_x, mean_d, xx, sums.ze, sums.ee)

    @classmethod
    def _of_sparse(cls, X: Any, D: Array, sample_weight: Array | None) -> Moments:
        weight, share = _total_and_shares(len(D), sample_weight)
        X = sparse.csr_array(X, dtype=np.float64)
        if not X.has_canonical_format:  # sum duplicate entries in a copy, not in the caller's array
            X = X.copy()
            X.sum_duplicates()
        shift = np.zeros(X.shape[1])
        # Columns without zeros can be centred. The mean of the others is not large compared with
        # their spread.
        full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
        if full.any() and X.shape[0]:
            low, high = min_max_axis(X, axis=0)
            mean = np.clip(share @ X, low, high)  # clipping makes the mean of a constant exact
            shift[full] = mean[full]
            centred = X.data - shift[X.indices]
            X = sparse.csr_array((centred, X.indices, X.indptr), shape=X.shape)
        mean = share @ X
        mean_d = share @ D
        E = D - mean_d
        weighted = X if sample_weight is None else sparse.diags_array(sample_weight) @ X
        xx = (X.T @ weighted).toarray()
        xx -= weight * np.outer(mean, mean)
        if weight:  # the diagonal without cancellation
            _, variances = mean_variance_axis(X, axis=0, weights=share)
            np.fill_diagonal(xx, weight * variances)
        # The rows of D are centred, so the mean of x cancels in xd.
        xd = weighted.T @ E
        dd = (E.T * (share * weight)) @ E
        return cls(weight, shift + mean, mean_d, xx, xd, dd)

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both tables together, by the update of Chan, Golub and LeVeque."""
        if self.xd.shape != other.xd.shape:
            raise ValueError(
                f"The tables have {self.xd.shape} and {other.xd.shape} features and labels."
            )
        weight = self.weight + other.weight
        if weight == 0:
            return self
        gap_x = other.mean_x - self.mean_x
        gap_d = other.mean_d - self.mean_d
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
        """Return the moments about zero: means 0, and Σ w x xᵀ instead of the centred sums."""
        x = self.mean_x
        d = self.mean_d
        return Moments(
            self.weight,
            np.zeros_like(x),
            np.zeros_like(d),
            self.xx + self.weight * np.outer(x, x),
            self.xd + self.weight * np.outer(x, d),
            self.dd + self.weight * np.outer(d, d),
        )

    def divide_features(self, scale: Array) -> Moments:
        """Return the moments after division of the features by `scale`."""
        xx = self.xx / np.outer(scale, scale)
        xd = self.xd / scale[:, None]
        return Moments(self.weight, self.mean_x / scale, self.mean_d, xx, xd, self.dd)

    def feature_scale(self) -> Array:
        """Return the standard deviation of each feature; see `safe_scale` for constant ones."""
        deviation = np.sqrt(np.diagonal(self.xx) / self.weight)
        return safe_scale(deviation, self.mean_x)


class _Sums(NamedTuple):
    """Sums over rows with z = x − shift and e = d − d̄."""

    z: Array  # Σ w z
    zz: Array  # Σ w z zᵀ
    ze: Array  # Σ w z eᵀ
    ee: Array  # Σ w e eᵀ


def _exact_for_constants(mean: Array, table: Array, sample_weight: Array | None) -> Array:
    """Replace the mean of a constant column, which rounds, by its value.

    Otherwise the centred constant would be a small feature, which counts like any other if there is
    no ridge.
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
    X: Array,
    D: Array,
    shift: Array | None,
    mean_d: Array,
    sample_weight: Array | None,
    blocks: list[slice],
) -> _Sums:
    def sums_of(rows: slice) -> _Sums:
        Z = X[rows].astype(np.float64, copy=False) if shift is None else X[rows] - shift
        E = D[rows] - mean_d
        root = np.ones(len(E))
        if sample_weight is not None:
            root = np.sqrt(sample_weight[rows])
            Z = Z * root[:, None]
            E *= root[:, None]
        ze = np.ascontiguousarray((E.T @ Z).T)  # twice as fast as Z.T @ E
        return _Sums(root @ Z, Z.T @ Z, ze, E.T @ E)

    total = sums_of(blocks[0])
    for rows in blocks[1:]:
        for whole, part in zip(total, sums_of(rows), strict=True):
            whole += part
    return total


def _blocks(n: int, m: int) -> list[slice]:
    """Divide n rows of m columns into blocks.

    They are so long that their products cost more than the sums of the results.
    """
    number = max(1, n // max(BLOCK_ROWS, 4 * m))
    edges = [n * k // number for k in range(number + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


def _total_and_shares(n: int, sample_weight: Array | None) -> tuple[float, Array]:
    """Return the total weight and the share of each row in it."""
    if sample_weight is None:
        return float(n), np.full(n, 1 / max(n, 1))
    total = float(sample_weight.sum())
    if total == 0:
        return total, np.zeros(n)
    return total, sample_weight / total
