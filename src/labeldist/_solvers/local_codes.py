"""Gauss-Newton solver of LDL-SCL: the maximum entropy model with local codes, P = softmax(Xθ + Cw)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import xlogy

from labeldist._solvers.maximum_entropy import softmax_and_log, squared_norm, through_softmax
from labeldist._solvers.storage import gram
from labeldist._typing import EPSILON, TINY, Array

INNER_TOLERANCE = 0.1  # relative residual of the linear system of a step: early steps need no more digits
INNER_ITERATIONS = 200
SUFFICIENT_DECREASE = 1e-4
SHORTEST_STEP = 1e-8
PATIENCE = 5  # steps with hardly any progress after which the search ends


@dataclass(frozen=True)
class Point:
    """A point of the search and the objective there."""

    theta: Array  # (m, c)
    w: Array  # (k, c)
    C: Array  # (n, k), positive
    P: Array  # (n, c)
    squared_distances: Array  # ‖P_i − q_j‖², (n, k)
    value: float


@dataclass(frozen=True)
class LocalCodes:
    """The objective KL(D, P) + λ₁‖θ‖² + λ₂‖w‖² + λ₃ Σ c_ij ‖P_i − q_j‖² + μ Σ 1/c_ij with P = softmax(Xθ + Cw)."""

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    centres: Array  # (k, c), q_j is the mean distribution of cluster j
    ridge: float  # λ₁
    code_ridge: float  # λ₂
    local_correlation: float  # λ₃
    barrier: float  # μ

    def at(self, theta: Array, w: Array, C: Array) -> Point:
        """Evaluate the objective."""
        P, log_p = softmax_and_log(self.X @ theta + C @ w)
        gap = (P**2).sum(axis=1)[:, None] - 2 * P @ self.centres.T + (self.centres**2).sum(axis=1)
        squared_distances = np.maximum(gap, 0)
        divergence = float(xlogy(self.D, self.D).sum() - np.vdot(self.D, log_p))
        penalty = self.ridge * squared_norm(theta)[0] + self.code_ridge * squared_norm(w)[0]
        local = self.local_correlation * float(np.vdot(C, squared_distances)) + self.barrier * float((1 / C).sum())
        return Point(theta, w, C, P, squared_distances, divergence + penalty + local)

    def gradient(self, point: Point) -> tuple[Array, Array, Array]:
        """Return the gradients with respect to θ, w and C."""
        P, C = point.P, point.C
        pull = 2 * (C.sum(axis=1, keepdims=True) * P - C @ self.centres)
        error = P - self.D + self.local_correlation * through_softmax(P, pull)
        return (
            self.X.T @ error + 2 * self.ridge * point.theta,
            C.T @ error + 2 * self.code_ridge * point.w,
            error @ point.w.T + self.local_correlation * point.squared_distances - self.barrier / C**2,
        )


@dataclass(frozen=True)
class LocalCodesSolution:
    """Result of `minimize_local_codes`."""

    point: Point  # last point
    values: list[float]  # objective at the start and after each step
    converged: bool

    @property
    def n_iter(self) -> int:
        """Number of steps taken."""
        return len(self.values) - 1


def minimize_local_codes(objective: LocalCodes, C: Array, *, tol: float, max_iter: int) -> LocalCodesSolution:
    """Minimise a `LocalCodes` objective over θ, w and positive C together, from θ = 0, w = 0 and given codes.

    A step solves the Gauss-Newton equations in (θ, w, log C). The k codes of a row interact with no other row's codes,
    so they are eliminated row by row. The remaining (m + k)·c equations are solved by preconditioned conjugate
    gradients. The step is halved until the objective decreases. Stop if the predicted decrease of a step, or the actual
    decrease of several steps, is below the share `tol` of the initial objective. C has shape (n, k).
    """
    eigenvalues, vectors = linalg.eigh(gram(objective.X), driver="evd")
    shape = (objective.X.shape[1], objective.D.shape[1])
    point = objective.at(np.zeros(shape), np.zeros((C.shape[1], shape[1])), C)
    values = [point.value]
    while len(values) <= max_iter:
        try:
            with np.errstate(over="raise"):
                step = _gauss_newton_step(objective, point, np.maximum(eigenvalues, 0), vectors)
        except FloatingPointError:  # a step computed from overflowed numbers would be wrong
            return LocalCodesSolution(point, values, False)
        if -step.slope <= tol * values[0]:
            return LocalCodesSolution(point, values, True)
        lower = _search_line(objective, point, step)
        if lower is None:  # the remaining decrease is below rounding
            return LocalCodesSolution(point, values, True)
        point = lower
        values.append(point.value)
        # A row that equals its cluster's mean has no optimal code: its codes grow for ever with vanishing decrease.
        if len(values) > PATIENCE and values[-1 - PATIENCE] - values[-1] <= PATIENCE * tol * values[0]:
            return LocalCodesSolution(point, values, True)
    return LocalCodesSolution(point, values, False)


@dataclass(frozen=True)
class _Step:
    theta: Array
    w: Array
    log_codes: Array
    slope: float


def _gauss_newton_step(objective: LocalCodes, point: Point, eigenvalues: Array, vectors: Array) -> _Step:
    X, C, w, P = objective.X, point.C, point.w, point.P
    (m, c), k = point.theta.shape, len(w)
    by_theta, by_w, by_codes = objective.gradient(point)
    by_log_codes = C * by_codes

    # For each row: V is the derivative of the scores by the log codes, H the curvature in the scores, and E the mixed
    # term of c‖P − q‖², the square of √c (P − q). VH stands for V H + E.
    curve = _ScoreCurvature(P, 2 * objective.local_correlation * C.sum(axis=1, keepdims=True))
    V = C[:, :, None] * w
    E = objective.local_correlation * C[:, :, None] * _each_through_softmax(P, P[:, None] - objective.centres)
    VH = curve.times_each(V) + E
    code_curvature = VH @ V.transpose(0, 2, 1) + V @ E.transpose(0, 2, 1)
    own = 0.5 * objective.local_correlation * point.squared_distances * C + objective.barrier / C
    code_curvature[:, np.arange(k), np.arange(k)] += own
    inverse = inverses(code_curvature)
    shift = _rowwise(inverse, by_log_codes)
    correction = -_rowwise_transposed(VH, shift)
    right = -np.concatenate([by_theta + X.T @ correction, by_w + C.T @ correction])

    # The curvature in the scores after elimination of the codes, and its mean over the rows.
    def remaining(U: Array) -> Array:
        return curve.times(U) - _rowwise_transposed(VH, _rowwise(inverse, _rowwise(VH, U)))

    mean_remaining = curve.mean() - VH.reshape(-1, c).T @ (inverse @ VH).reshape(-1, c) / len(P)
    penalty = np.concatenate([np.full(m, 2 * objective.ridge), np.full(k, 2 * objective.code_ridge)])[:, None]
    precondition = _preconditioner(objective, C, mean_remaining, eigenvalues, vectors)

    def apply(v: Array) -> Array:
        u = v.reshape(-1, c)
        moved = remaining(X @ u[:m] + C @ u[m:])
        return (np.concatenate([X.T @ moved, C.T @ moved]) + penalty * u).ravel()

    size = ((m + k) * c, (m + k) * c)
    solution, _ = cg(
        LinearOperator(size, apply, dtype=np.float64),
        right.ravel(),
        rtol=INNER_TOLERANCE,
        maxiter=INNER_ITERATIONS,
        M=LinearOperator(size, lambda v: precondition(v.reshape(-1, c)).ravel(), dtype=np.float64),
    )
    d_theta, d_w = np.split(solution.reshape(-1, c), [m])
    d_codes = -shift - _rowwise(inverse, _rowwise(VH, X @ d_theta + C @ d_w))
    slope = np.vdot(by_theta, d_theta) + np.vdot(by_w, d_w) + np.vdot(by_log_codes, d_codes)
    if not np.isfinite(slope):  # matrix products overflow without raising
        raise FloatingPointError("The Gauss-Newton step overflowed.")
    return _Step(d_theta, d_w, d_codes, float(slope))


@dataclass(frozen=True)
class _ScoreCurvature:
    """Products with H_i = J_i + pull_i J_i² for each row i, where J = diag(p) − ppᵀ is the softmax's derivative."""

    P: Array
    pull: Array

    def times(self, U: Array) -> Array:
        """Return H_i u_i for each row."""
        moved = through_softmax(self.P, U)
        return moved + self.pull * through_softmax(self.P, moved)

    def times_each(self, V: Array) -> Array:
        """Return V_i H_i for each row."""
        moved = _each_through_softmax(self.P, V)
        return moved + self.pull[:, :, None] * _each_through_softmax(self.P, moved)

    def mean(self) -> Array:
        """Return the mean of H over the rows, using J² = diag(p²) − p²pᵀ − p(p²)ᵀ + ‖p‖² ppᵀ."""
        P, pulled = self.P, self.pull * self.P**2
        mixed = pulled.T @ P
        outer = (P * (pulled.sum(axis=1, keepdims=True) - 1)).T @ P
        return (np.diag((P + pulled).sum(axis=0)) - mixed - mixed.T + outer) / len(P)


def _preconditioner(
    objective: LocalCodes, C: Array, curvature: Array, eigenvalues: Array, vectors: Array
) -> Callable[[Array], Array]:
    """Return the inverse of the Gauss-Newton matrix in which every row has the mean curvature.

    The labels separate in the eigenbasis of that curvature, the features in that of XᵀX. The codes are eliminated.
    """
    sigma, labels = linalg.eigh(curvature)
    sigma = np.maximum(sigma, 0)
    by_features = sigma * eigenvalues[:, None] + 2 * objective.ridge
    by_features += EPSILON * by_features.max() + TINY
    B = vectors.T @ (objective.X.T @ C)
    k = C.shape[1]
    own = sigma[:, None, None] * (C.T @ C) + 2 * objective.code_ridge * np.eye(k)
    # A square of quotients, because the square of large features alone would overflow.
    root = B.T[None] * (sigma / np.sqrt(by_features)).T[:, None]
    explained = root @ root.transpose(0, 2, 1)
    # The difference must not become negative by rounding.
    rounding = 1e-12 * np.trace(own, axis1=1, axis2=2).max() + TINY
    inverse = np.linalg.inv(own - explained + rounding * np.eye(k))

    def precondition(R: Array) -> Array:
        R = R @ labels
        features, codes = vectors.T @ R[: len(vectors)], R[len(vectors) :]
        solved = np.einsum("akl,la->ka", inverse, codes - sigma * (B.T @ (features / by_features)))
        features = (features - sigma * (B @ solved)) / by_features
        return np.concatenate([vectors @ features, solved]) @ labels.T

    return precondition


def _each_through_softmax(P: Array, matrices: Array) -> Array:
    """Apply `through_softmax` to k gradients per row, (n, k, c)."""
    moved = matrices - matrices @ P[:, :, None]
    moved *= P[:, None]
    return moved


def inverses(matrices: Array) -> Array:
    """Invert many small positive definite matrices, (n, k, k), by simultaneous Gauss-Jordan elimination.

    One LAPACK call per matrix would take longer, and positive definite matrices do not need its row exchanges.
    """
    A = np.moveaxis(matrices, 0, -1).copy()
    for p in range(len(A)):
        pivot = 1 / A[p, p]
        row, column = A[p] * pivot, A[:, p].copy()
        A -= column[:, None] * row
        A[p], A[:, p], A[p, p] = row, -column * pivot, pivot
    return np.ascontiguousarray(np.moveaxis(A, -1, 0))


def _rowwise(matrices: Array, rows: Array) -> Array:
    """Return the product of each row's matrix and the row."""
    return (matrices @ rows[:, :, None])[:, :, 0]


def _rowwise_transposed(matrices: Array, rows: Array) -> Array:
    """Return the product of each row and the row's matrix."""
    return (rows[:, None, :] @ matrices)[:, 0]


def _search_line(objective: LocalCodes, point: Point, step: _Step) -> Point | None:
    """Return a point along the step with a lower objective, or None."""
    length = 1.0
    while length > SHORTEST_STEP:
        d = length * step.log_codes
        # To first order C·exp(d), but linear for d > 0 and reciprocal for d < 0: positive, and never far away.
        C = point.C * np.where(d > 0, 1 + d, 1 / (1 - np.minimum(d, 0)))
        candidate = objective.at(point.theta + length * step.theta, point.w + length * step.w, C)
        if candidate.value <= point.value + SUFFICIENT_DECREASE * length * step.slope:
            return candidate
        length /= 2
    return None
