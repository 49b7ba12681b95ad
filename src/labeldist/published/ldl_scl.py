"""LDL-SCL: a softmax model with local codes, and its Gauss-Newton solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import xlogy

from labeldist._constraints import NON_NEGATIVE, POSITIVE
from labeldist._float_limits import EPSILON, TINY
from labeldist._solvers.moments import Moments
from labeldist._solvers.softmax_loss import softmax_and_log, through_softmax
from labeldist._solvers.sparse_or_dense import gram, hold_for_products
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist._typing import Array
from labeldist.published._clustering import cluster_rows
from labeldist.published._softmax_learners import IterativeSoftmax

OWN_CODE = 10.0  # initial code of a row's own cluster, about the size of final codes; others are 1
INNER_TOLERANCE = 0.1  # relative residual of the linear system; early steps need no more digits
INNER_ITERATIONS = 200
SUFFICIENT_DECREASE = 1e-4
SHORTEST_STEP = 1e-8
PATIENCE = 5  # steps with hardly any progress after which the search ends


class LDLSCL(IterativeSoftmax):
    """Label distribution learning by exploiting sample correlations locally (LDL-SCL).

    The training distributions are clustered, and each row i has a positive code c_ij for each
    cluster j. With P = softmax(Xθ + Cw) and q_j the mean distribution of cluster j, it minimises
    over θ, w and C > 0

        KL(D, P) + λ₁‖θ‖² + λ₂‖w‖² + λ₃ Σ_ij c_ij ‖P_i − q_j‖² + μ Σ_ij 1/c_ij.

    The codes of new rows are predicted by a linear regression of C on X.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of clusters of the training distributions (k-means), at most the number of distinct
        rows.
    ridge : float, default=1e-3
        λ₁.
    code_ridge : float, default=1e-3
        λ₂.
    local_correlation : float, default=1e-3
        λ₃, positive: without it the codes are unbounded.
    barrier : float, default=1e-3
        μ, positive: it keeps the codes positive.
    tol : float, default=1e-8
        Stop when the predicted decrease of the objective is below this fraction of its initial
        value.
    max_iter : int, default=500
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the scores: θᵀ plus a part for the codes, which are linear in X.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the scores, which come from the codes.
    codes_ : ndarray of shape (n_samples, n_clusters)
        C of the training rows.
    code_coef_ : ndarray of shape (n_labels, n_clusters)
        wᵀ.
    cluster_distributions_ : ndarray of shape (n_clusters, n_labels)
        Mean distributions q_j.
    objective_ : list of float
        Objective at the start and after each of the `n_iter_` iterations.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    EDLLRL : Low-rank predictions within clusters.

    Notes
    -----
    In public code the gradient of the penalty keeps only p − p² of the derivative of the softmax;
    here it is exact. The objective is not convex. With at most ``n_clusters + 1`` labels the codes
    can reproduce the training distributions almost exactly.

    References
    ----------
    X. Zheng, X. Jia, W. Li. Label distribution learning by exploiting sample correlations locally.
    AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLSCL
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLSCL().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.34, 0.34, 0.32]])
    """

    _constraints = {"code_ridge": NON_NEGATIVE, "local_correlation": POSITIVE, "barrier": POSITIVE}

    def __init__(
        self,
        n_clusters: int = 5,
        *,
        ridge: float = 1e-3,
        code_ridge: float = 1e-3,
        local_correlation: float = 1e-3,
        barrier: float = 1e-3,
        tol: float = 1e-8,
        max_iter: int = 500,
    ) -> None:
        self.n_clusters = n_clusters
        self.ridge = ridge
        self.code_ridge = code_ridge
        self.local_correlation = local_correlation
        self.barrier = barrier
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, D: Array) -> None:
        X = hold_for_products(X)
        n_features = X.shape[1]
        clusters = cluster_rows(D, self.n_clusters)
        own = clusters[:, None] == np.arange(clusters.max() + 1)
        self.cluster_distributions_ = np.array([D[rows].mean(axis=0) for rows in own.T])
        ridge = np.repeat([self.ridge, self.code_ridge], [n_features, own.shape[1]])[:, None]
        objective = LocalCodes(
            X, D, self.cluster_distributions_, ridge, self.local_correlation, self.barrier
        )
        start = np.where(own, OWN_CODE, 1.0)
        solution = minimize_local_codes(objective, start, tol=self.tol, max_iter=self.max_iter)
        self.objective_ = solution.values
        self.codes_ = solution.point.C
        w = solution.point.w
        self.code_coef_ = w.T.copy()

        moments = Moments.of(X, self.codes_)
        # For linearly dependent features this is the regression of minimum norm.
        regression = solve_symmetric_sylvester(moments.xx, np.zeros_like(moments.dd), moments.xd).X
        code_intercept = moments.mean_d - moments.mean_x @ regression
        theta = solution.point.coef[:n_features]
        W = np.vstack([theta + regression @ w, code_intercept @ w])
        self._store(W, np.zeros(n_features), len(solution.values) - 1, solution.converged)


@dataclass(frozen=True)
class Point:
    """A point of the search and the objective there."""

    coef: Array  # θ, and w below it, (m + k, c)
    C: Array  # (n, k), positive
    P: Array  # (n, c)
    squared_distances: Array  # ‖P_i − q_j‖², (n, k)
    value: float

    @property
    def w(self) -> Array:
        """Coefficients of the codes, (k, c)."""
        return self.coef[-self.C.shape[1] :]


@dataclass(frozen=True)
class LocalCodes:
    """The objective of LDL-SCL with P = softmax(Xθ + Cw).

    It is KL(D, P) + λ₁‖θ‖² + λ₂‖w‖² + λ₃ Σ c_ij ‖P_i − q_j‖² + μ Σ 1/c_ij.
    """

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    centres: Array  # (k, c), q_j is the mean distribution of cluster j
    ridge: Array  # λ₁ of each row of θ, and λ₂ of each row of w, (m + k, 1)
    local_correlation: float  # λ₃
    barrier: float  # μ

    def scores(self, coef: Array, C: Array) -> Array:
        """Return Xθ + Cw."""
        m = self.X.shape[1]
        return self.X @ coef[:m] + C @ coef[m:]

    def by_coef(self, error: Array, C: Array) -> Array:
        """Return Xᵀerror, and Cᵀerror below it: the adjoint of `scores`."""
        return np.concatenate([self.X.T @ error, C.T @ error])

    def at(self, coef: Array, C: Array) -> Point:
        """Evaluate the objective."""
        P, log_p = softmax_and_log(self.scores(coef, C))
        squares = (self.centres**2).sum(axis=1)
        gaps = (P**2).sum(axis=1)[:, None] - 2 * P @ self.centres.T + squares
        squared_distances = np.maximum(gaps, 0)
        divergence = xlogy(self.D, self.D).sum() - np.vdot(self.D, log_p)
        local = self.local_correlation * np.vdot(C, squared_distances)
        penalty = np.vdot(coef, self.ridge * coef) + self.barrier * (1 / C).sum()
        return Point(coef, C, P, squared_distances, float(divergence + local + penalty))

    def gradient(self, point: Point) -> tuple[Array, Array]:
        """Return the gradients with respect to `Point.coef` and C."""
        P = point.P
        C = point.C
        pull = 2 * (C.sum(axis=1, keepdims=True) * P - C @ self.centres)
        error = P - self.D + self.local_correlation * through_softmax(P, pull)
        by_coef = self.by_coef(error, C) + 2 * self.ridge * point.coef
        local = self.local_correlation * point.squared_distances
        return by_coef, error @ point.w.T + local - self.barrier / C**2


@dataclass(frozen=True)
class LocalCodesSolution:
    """Result of `minimize_local_codes`."""

    point: Point  # last point
    values: list[float]  # objective at the start and after each step
    converged: bool


def minimize_local_codes(
    objective: LocalCodes, C: Array, *, tol: float, max_iter: int
) -> LocalCodesSolution:
    """Minimise a `LocalCodes` objective over θ, w and positive C, from θ = 0, w = 0 and given C.

    A step solves the Gauss-Newton equations in (θ, w, log C). The k codes of a row interact with no
    other row's codes, so they are eliminated row by row. The remaining (m + k)·c equations are
    solved by preconditioned conjugate gradients. The step is halved until the objective decreases.
    Stop if the predicted decrease of a step, or the actual decrease of several steps, is below the
    share `tol` of the initial objective. C has shape (n, k).
    """
    features = linalg.eigh(gram(objective.X), driver="evd")
    start = np.zeros((len(objective.ridge), objective.D.shape[1]))
    point = objective.at(start, C)
    values = [point.value]
    enough = tol * point.value
    converged = False
    while not converged and len(values) <= max_iter:
        step = gauss_newton_step(objective, point, *features)
        lower = None if -step.slope <= enough else search_line(objective, point, step)
        if lower is None:  # the remaining decrease is below the tolerance or below rounding
            converged = True
            break
        point = lower
        values.append(point.value)
        # A row that equals its cluster's mean has no optimal code: its codes grow without bound,
        # while the decrease vanishes.
        recent = values[-1 - PATIENCE :]
        converged = len(recent) > PATIENCE and recent[0] - recent[-1] <= PATIENCE * enough
    return LocalCodesSolution(point, values, converged)


@dataclass(frozen=True)
class Step:
    """A change of `Point.coef` and of log C, and the derivative of the objective along it."""

    coef: Array
    log_codes: Array
    slope: float


def gauss_newton_step(
    objective: LocalCodes, point: Point, eigenvalues: Array, vectors: Array
) -> Step:
    """Solve the Gauss-Newton equations; `eigenvalues` and `vectors` belong to XᵀX."""
    C = point.C
    by_coef, by_codes = objective.gradient(point)
    by_log_codes = C * by_codes
    curvature = RowCurvature.of(objective, point)
    shift = np.matvec(curvature.inverse, by_log_codes)
    right = objective.by_coef(np.vecmat(shift, curvature.mixed), C) - by_coef

    def apply(v: Array) -> Array:
        coef = v.reshape(right.shape)
        moved = curvature.times(objective.scores(coef, C))
        return objective.by_coef(moved, C) + 2 * objective.ridge * coef

    precondition = preconditioner(objective, C, curvature.mean(), eigenvalues, vectors)
    size = (right.size, right.size)
    solution, _ = cg(
        LinearOperator(size, apply, dtype=float),
        right.ravel(),
        rtol=INNER_TOLERANCE,
        maxiter=INNER_ITERATIONS,
        M=LinearOperator(size, precondition, dtype=float),
    )
    coef = solution.reshape(right.shape)
    log_codes = -shift - curvature.codes_by_scores(objective.scores(coef, C))
    slope = np.vdot(by_coef, coef) + np.vdot(by_log_codes, log_codes)
    return Step(coef, log_codes, float(slope))


@dataclass(frozen=True)
class RowCurvature:
    """The Gauss-Newton curvature of each row in its scores, (c,), and in its log codes, (k,).

    With J = diag(p) − ppᵀ, the derivative of the softmax, and s = 2λ₃ Σ_j c_ij, the curvature in
    the scores is H = J + sJ². After elimination of the codes it is H − MᵀK⁻¹M.
    """

    P: Array  # (n, c)
    strength: Array  # s, (n, 1)
    mixed: Array  # M, (n, k, c)
    inverse: Array  # K⁻¹, (n, k, k)

    @classmethod
    def of(cls, objective: LocalCodes, point: Point) -> RowCurvature:
        """Compute the curvature at a point."""
        P = point.P
        C = point.C
        strength = 2 * objective.local_correlation * C.sum(axis=1, keepdims=True)
        # V is the derivative of the scores by the log codes, and E the mixed term of c‖P − q‖², the
        # square of √c (P − q).
        codes = C[:, :, None]
        V = codes * point.w
        gaps = _each_through_softmax(P, P[:, None] - objective.centres)
        E = objective.local_correlation * codes * gaps
        moved = _each_through_softmax(P, V)
        mixed = moved + strength[:, :, None] * _each_through_softmax(P, moved) + E
        K = mixed @ V.mT + V @ E.mT
        local = 0.5 * objective.local_correlation * point.squared_distances * C
        diagonals = np.einsum("nkk->nk", K)  # a view
        diagonals += local + objective.barrier / C
        return cls(P, strength, mixed, np.linalg.inv(K))

    def codes_by_scores(self, U: Array) -> Array:
        """Return K⁻¹M u for the scores u of each row."""
        return np.matvec(self.inverse, np.matvec(self.mixed, U))

    def times(self, U: Array) -> Array:
        """Return (H − MᵀK⁻¹M) u for the scores u of each row."""
        moved = through_softmax(self.P, U)
        own = moved + self.strength * through_softmax(self.P, moved)
        return own - np.vecmat(self.codes_by_scores(U), self.mixed)

    def mean(self) -> Array:
        """Return the mean of H − MᵀK⁻¹M, using J² = diag(p²) − p²pᵀ − p(p²)ᵀ + ‖p‖² ppᵀ."""
        P = self.P
        n, c = P.shape
        squares = self.strength * P**2
        product = squares.T @ P
        outer = (P * (squares.sum(axis=1, keepdims=True) - 1)).T @ P
        own = np.diag((P + squares).sum(axis=0)) - product - product.T + outer
        solved = self.inverse @ self.mixed
        return own / n - self.mixed.reshape(-1, c).T @ solved.reshape(-1, c) / n


def _each_through_softmax(P: Array, matrices: Array) -> Array:
    """Apply `through_softmax` to k gradients per row, (n, k, c)."""
    moved = matrices - np.matvec(matrices, P)[:, :, None]
    moved *= P[:, None]
    return moved


def preconditioner(
    objective: LocalCodes, C: Array, curvature: Array, eigenvalues: Array, vectors: Array
) -> Callable[[Array], Array]:
    """Return the inverse of the Gauss-Newton matrix in which every row has the mean curvature.

    The labels separate in the eigenbasis of this curvature, the features in the eigenbasis of XᵀX.
    The codes are eliminated.
    """
    m = len(vectors)
    penalty = 2 * objective.ridge
    sigma, labels = linalg.eigh(curvature)
    sigma = np.maximum(sigma, 0)
    by_features = sigma * np.maximum(eigenvalues, 0)[:, None] + penalty[:m]
    by_features += EPSILON * by_features.max() + TINY
    B = vectors.T @ (objective.X.T @ C)
    own = sigma[:, None, None] * (C.T @ C) + np.diag(penalty[m:, 0])
    # A square of quotients, because the square of large features alone would overflow.
    root = B.T * (sigma / np.sqrt(by_features)).T[:, None]
    # The difference must not become negative by rounding.
    rounding = 1e-12 * np.trace(own, axis1=1, axis2=2).max() + TINY
    inverse = np.linalg.inv(own - root @ root.mT + rounding * np.eye(len(B.T)))

    def precondition(v: Array) -> Array:
        R = v.reshape(-1, len(labels)) @ labels
        features = vectors.T @ R[:m]
        codes = R[m:] - sigma * (B.T @ (features / by_features))
        codes = np.einsum("akl,la->ka", inverse, codes)
        features = (features - sigma * (B @ codes)) / by_features
        return np.concatenate([vectors @ features, codes]) @ labels.T

    return precondition


def search_line(objective: LocalCodes, point: Point, step: Step) -> Point | None:
    """Return a point along the step with a lower objective, or None."""
    length = 1.0
    while length > SHORTEST_STEP:
        d = length * step.log_codes
        # To first order C·exp(d), but linear for d > 0 and reciprocal for d < 0: positive, and
        # never far away.
        C = point.C * np.where(d > 0, 1 + d, 1 / (1 - np.minimum(d, 0)))
        candidate = objective.at(point.coef + length * step.coef, C)
        if candidate.value <= point.value + SUFFICIENT_DECREASE * length * step.slope:
            return candidate
        length /= 2
    return None
