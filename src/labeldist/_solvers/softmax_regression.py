"""Solver of softmax regression with a ridge penalty, for many penalties with one decomposition.

The loss is `cross_entropy` of `softmax_loss`. The coordinates suit this loss and a ridge only;
`PenalisedSoftmax` in `labeldist.published` has other terms and penalties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from labeldist._float_limits import EPSILON
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.moments import Moments
from labeldist._solvers.softmax_loss import cross_entropy, labels_first_scores
from labeldist._typing import Array

ABSENT = -1000.0  # intercept of a label without a positive degree: its softmax is zero
ALIKE = 30.0  # largest ratio of standard deviations of columns in similar units, such as TF-IDF


@dataclass(frozen=True)
class SoftmaxSolution:
    """Minimiser of the penalised cross-entropy: P = softmax(XW + 1bᵀ)."""

    W: Array  # (m, n_labels)
    b: Array  # (n_labels,)
    point: Array  # W and b in the coordinates of the path, where another search can start
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class LossAndGradient:
    """The cross-entropy of some rows and its gradient. Two of them can be added."""

    value: float
    gradient: Array

    def __add__(self, other: LossAndGradient) -> LossAndGradient:
        return LossAndGradient(self.value + other.value, self.gradient + other.gradient)


@dataclass(frozen=True)
class TableLoss:
    """The cross-entropy of a table, as a function of WV above (b − offset)ᵀV."""

    Z: Any  # (n, r)
    shift: Array  # (r,), subtracted from the rows of Z, which may be sparse
    D: Array  # (c, n), distributions, with one row per label
    weight: Array | None  # (n,)
    V: Array  # (c, c − 1)
    offset: Array  # (c,)

    def at(self, point: Array) -> LossAndGradient:
        """Return the loss and its gradient at a point, (r + 1, c − 1)."""
        W = point[:-1]
        products = self.Z @ W - self.shift @ W
        scores = self.V @ (products + point[-1]).T + self.offset[:, None]
        value, by_scores = cross_entropy(scores, self.D, self.weight)
        residuals = by_scores.T @ self.V
        totals = by_scores.sum(axis=1) @ self.V
        gradient = self.Z.T @ residuals - np.outer(self.shift, totals)
        return LossAndGradient(value, np.vstack([gradient, totals]))


def loss_of_block(X: Any, D: Array, weight: Array | None, coefficients: Array) -> LossAndGradient:
    """Return the cross-entropy of rows and its gradient in the coefficients, W above bᵀ."""
    scores = labels_first_scores(X, coefficients[:-1]) + coefficients[-1:].T
    value, by_scores = cross_entropy(scores, np.ascontiguousarray(D.T), weight)
    gradient = X.T @ by_scores.T
    return LossAndGradient(value, np.vstack([gradient, by_scores.sum(axis=1)]))


# A function that returns the sum of `loss_of_block` over a table for given coefficients and the
# columns of labels that are present.
BlockSum = Callable[[Array, Any], LossAndGradient]


@dataclass(frozen=True)
class BlockLoss:
    """The cross-entropy of a table in blocks, as a function of UᵀWV above (b − offset)ᵀV.

    The blocks are neither centred nor rotated. At zero, where all rows have the mean distribution,
    the moments of the table give the loss.
    """

    total: BlockSum
    moments: Moments
    U: Array  # (m, m)
    V: Array  # (c, c − 1)
    offset: Array  # (c,)
    present: NDArray[np.bool_]

    def at(self, point: Array) -> LossAndGradient:
        """Return the loss and its gradient at a point, (m + 1, c − 1)."""
        if not point.any():
            return self._at_zero()
        center = self.moments.mean_x
        W = self.U @ point[:-1]
        b = point[-1] - center @ W
        coefficients = np.vstack([W, b]) @ self.V.T
        coefficients[-1] += self.offset
        found = self.total(coefficients, self.present)
        by_point = found.gradient @ self.V
        *_, residuals = by_point
        gradient = self.U.T @ (by_point[:-1] - np.outer(center, residuals))
        return LossAndGradient(found.value, np.vstack([gradient, residuals]))

    def _at_zero(self) -> LossAndGradient:
        mean = self.moments.mean_d[self.present]
        value = -self.moments.weight * float(mean @ np.log(mean))
        gradient = -self.U.T @ self.moments.xd[:, self.present] @ self.V
        return LossAndGradient(value, np.vstack([gradient, np.zeros(len(mean) - 1)]))


@dataclass(frozen=True)
class SoftmaxPath:
    """The minimisers of −Σ_i w_i Σ_j d_ij log p_ij + (ridge / 2)‖W‖², for any ridge.

    Where P = softmax(XW + 1bᵀ) is the mean distribution p, the Hessian is
    XᵀX ⊗ (diag(p) − ppᵀ) + ridge·I, with centred X. With the eigenvectors U of XᵀX and V of
    diag(p) − ppᵀ it is diagonal, with the entries s_i q_k + ridge. L-BFGS starts there, with W = 0
    and b = log p. It searches in the coordinates UᵀWV and (b − log p)ᵀV, scaled by the roots of
    these entries. The features are rotated once; an iteration costs 4·n·m·c multiplications. If
    there are more features than rows, the search is in the span of the rows. Sparse features are
    neither rotated nor centred in memory; there s_i are the diagonal entries of XᵀX.
    """

    loss: TableLoss | BlockLoss  # of centred features, which are rotated if they are dense
    U: Any  # (m, r), orthonormal
    s: Array  # (r + 1,), squared lengths of the columns; the last is the total weight
    V: Array  # (c, c − 1)
    q: Array  # (c − 1,), positive
    offset: Array  # (c,), log p with mean zero
    center: Array  # (m,), subtracted from the features
    present: NDArray[np.bool_]  # which labels have positive degrees; c is their number

    @classmethod
    def of(cls, X: Any, D: Array, weight: Array | None = None) -> SoftmaxPath:
        """Decompose dense or sparse features X, (n, m), for the distributions D."""
        n, m = X.shape
        counts = np.ones(n) if weight is None else weight
        total = float(counts.sum())
        share = counts / total
        center = share @ X
        if not isinstance(X, np.ndarray):
            U: Any = sparse.eye_array(m)
            Z: Any = sparse.csr_array(X, dtype=np.float64)
            variances = np.maximum(share @ Z**2 - center**2, 0)
            shift = center
        else:
            U, Z = _rotate(X - center, counts)
            variances = share @ Z**2
            shift = np.zeros(len(variances))
        mean = share @ D
        present = mean > 0
        q, V, offset = _label_coordinates(mean[present])
        D = np.ascontiguousarray(D[:, present].T)
        loss = TableLoss(Z, shift, D, weight, V, offset)
        s = np.append(total * variances, total)
        return cls(loss, U, s, V, q, offset, center, present)

    @classmethod
    def of_blocks(cls, moments: Moments, total: BlockSum) -> SoftmaxPath:
        """Decompose features in blocks, of which the moments are known."""
        lengths, U = linalg.eigh(moments.xx)
        present = moments.mean_d > 0
        q, V, offset = _label_coordinates(moments.mean_d[present])
        loss = BlockLoss(total, moments, U, V, offset, present)
        s = np.append(np.maximum(lengths, 0), moments.weight)
        return cls(loss, U, s, V, q, offset, moments.mean_x, present)

    @property
    def has_sparse_columns_alike(self) -> bool:
        """Whether the features are sparse and their standard deviations are of the same order."""
        if not (isinstance(self.loss, TableLoss) and sparse.issparse(self.loss.Z)):
            return False
        lengths = self.s[:-1][self.s[:-1] > 0]
        return len(lengths) == 0 or lengths.max() <= ALIKE**2 * lengths.min()

    @cached_property
    def _at_zero(self) -> LossAndGradient:
        """The loss and its gradient at zero, which are the same for every ridge."""
        return self.loss.at(np.zeros((len(self.s), len(self.q))))

    def solve(
        self, ridge: float, *, start: Array | float = 0.0, tol: float, max_iter: int
    ) -> SoftmaxSolution:
        """Minimise for one ridge, from `start`, the `point` of another solution, or from zero.

        Stop if the largest entry of the gradient in scaled coordinates is at most `tol` times that
        at zero.
        """
        penalty = np.full((len(self.s), 1), float(ridge))
        penalty[-1] = 0  # of the intercept
        curvature = self.s[:, None] * self.q + penalty
        scale = 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0))

        def value_and_gradient(scaled: Array) -> tuple[float, Array]:
            point = scaled * scale
            shrunk = penalty * point
            loss = self.loss.at(point)
            value = loss.value + 0.5 * float(np.vdot(point, shrunk))
            return value, (loss.gradient + shrunk) * scale

        at_zero = self._at_zero.value, self._at_zero.gradient * scale
        # In these coordinates the gradient is as long as a Newton step.
        from_zero = not np.any(start)
        found = minimize_lbfgs(
            value_and_gradient,
            start / scale,
            tol=tol,
            max_iter=max_iter,
            at_zero=at_zero,
            first_step=float(linalg.norm(at_zero[1])) if from_zero else 1.0,
        )
        point = found.X * scale
        rotated = point @ self.V.T
        coefficients = self.U @ rotated[:-1]
        W = np.zeros((len(coefficients), len(self.present)))
        W[:, self.present] = coefficients
        b = np.full(len(self.present), ABSENT)
        b[self.present] = self.offset + rotated[-1] - self.center @ coefficients
        return SoftmaxSolution(W, b, point, found.n_iter, found.converged)


def _label_coordinates(mean: Array) -> tuple[Array, Array, Array]:
    """Return the positive eigenvalues and the eigenvectors of diag(p) − ppᵀ, and centred log p."""
    q, V = linalg.eigh(np.diag(mean) - np.outer(mean, mean))
    offset = np.log(mean)
    # The first eigenvector is constant: the softmax of scores that grow equally is the same.
    return q[1:], V[:, 1:], offset - offset.mean()


def _rotate(X: Array, weight: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis U of the row space, the eigenvectors of XᵀX, and XU.

    Rows of XᵀX are weighted, unless there are more features than rows.
    """
    n, m = X.shape
    if m <= n:
        _, U = linalg.eigh((X.T * weight) @ X)
        return U, X @ U
    s, Q = linalg.eigh(X @ X.T)
    kept = s > n * EPSILON * s[-1]
    length = np.sqrt(s[kept])
    Q = Q[:, kept]
    return X.T @ (Q / length), Q * length
