"""Multi-output support vector regression and its kernel scores, for LDSVR and PL-LE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg

from labeldist._constraints import NON_NEGATIVE
from labeldist._kernels.kernels import gaussian_between, gaussian_kernel
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.scaling import mean_and_scale, standardise
from labeldist._typing import Array
from labeldist.learning._learner import report_convergence

SUFFICIENT = 1e-4  # a step must decrease the objective by this share of what its slope promises
SHORTEST_STEP = 1e-8  # no shorter step is tried


class SupportVectorMixin:
    """Kernel scores KB + 1bᵀ by multi-output support vector regression on standardised features."""

    _constraints = {"epsilon": NON_NEGATIVE}

    bandwidth: float | Literal["mean"]
    scale: bool
    tol: float
    max_iter: int

    def _regress(self, X: Array, T: Array, *, weight: float, radius: float) -> None:
        """Fit the scores to the targets T, and set the attributes."""
        self.mean_, self.scale_ = mean_and_scale(X, scale=self.scale)
        self.X_fit_ = standardise(X, self.mean_, self.scale_)
        kernel, self.bandwidth_ = gaussian_kernel(self.X_fit_, self.bandwidth)
        solution = solve_multi_output_svr(
            kernel, T, weight=weight, radius=radius, tol=self.tol, max_iter=self.max_iter
        )
        self.dual_coef_ = solution.B
        self.intercept_ = solution.b
        report_convergence(self, solution.n_iter, solution.converged, "use a smaller C")

    def _scores(self, X: Array) -> Array:
        scores = np.empty((len(X), len(self.intercept_)))
        for rows in row_blocks(len(X), len(self.X_fit_)):
            Z = standardise(X[rows], self.mean_, self.scale_)
            K = gaussian_between(Z, self.X_fit_, self.bandwidth_)
            scores[rows] = K @ self.dual_coef_ + self.intercept_
        return scores


@dataclass(frozen=True)
class RegressionSolution:
    """Result of `solve_multi_output_svr`: the scores of the training rows are KB + 1bᵀ."""

    B: Array  # (n, c), dual coefficients, zero for rows within the tube
    b: Array  # (c,), intercepts
    value: float  # objective
    n_iter: int  # number of factorisations
    converged: bool


def solve_multi_output_svr(
    K: Array, T: Array, *, weight: float, radius: float, tol: float, max_iter: int
) -> RegressionSolution:
    """Minimise ½ tr(BᵀKB) + (w/2) Σ_i max(0, u_i − r)² with u_i = ‖t_i − f_i‖ and F = KB + 1bᵀ.

    K is the positive semidefinite kernel matrix, (n, n), and T are the targets, (n, c). w is
    `weight` and r is `radius`, the radius of the tube. The minimum is the solution of B = a∘(T − F)
    with 1ᵀB = 0 and the row weights a_i = w max(0, 1 − r/u_i).

    Each iteration solves a kernel ridge regression with row weights h, which determines the
    direction of a line search. Its targets F + (a/h)∘(T − F) have the gradient of the loss for
    every h > 0. h = a is iteratively reweighted least squares. But the curvature of the loss of a
    row outside the tube is w along its residual and a_i across it. Their mean h = (w + a)/2 reduces
    the error in both directions by (w − a)/(w + a), in about half of the iterations.

    Stop if no entry of B − a∘(T − F) exceeds `tol` times the largest of a∘(T − F), or no lower
    value can be found.
    """
    B = np.zeros_like(T)
    KB = np.zeros_like(T)
    b = T.mean(axis=0)
    quadratic = 0.0  # tr(BᵀKB)
    value, pull, a = _loss_and_pull(T - b, weight, radius)
    for n_iter in range(max_iter + 1):
        converged = np.abs(B - pull).max() <= tol * np.abs(pull).max()
        if converged or n_iter == max_iter:
            break
        next_B, next_b = _ridge_step(K, KB + b, b, pull, a, weight)
        dB = next_B - B
        db = next_b - b
        dKB = K @ next_B - KB
        mixed = float(np.vdot(dB, KB))
        curvature = float(np.vdot(dB, dKB))
        slope = mixed - float(np.vdot(pull, dKB + db))
        step = 1.0
        while True:
            residuals = T - (KB + step * dKB) - (b + step * db)
            loss, pull, a = _loss_and_pull(residuals, weight, radius)
            reached_quadratic = quadratic + 2 * step * mixed + step**2 * curvature
            reached = 0.5 * reached_quadratic + loss
            if reached <= value + SUFFICIENT * step * slope:
                break
            step /= 2
            if step < SHORTEST_STEP:  # the remaining distance is below rounding
                return RegressionSolution(B, b, value, n_iter + 1, converged=True)
        B = B + step * dB
        KB = KB + step * dKB
        b = b + step * db
        quadratic = reached_quadratic
        value = reached
    return RegressionSolution(B, b, value, n_iter, bool(converged))


def _loss_and_pull(E: Array, weight: float, radius: float) -> tuple[float, Array, Array]:
    """Return the loss of the residuals E = T − F, its negative gradient a∘E for F, and a."""
    u = np.sqrt(np.einsum("ij,ij->i", E, E))
    excess = np.maximum(u - radius, 0)
    a = weight * np.divide(excess, u, out=np.zeros_like(u), where=u > 0)
    return weight / 2 * float(excess @ excess), a[:, None] * E, a


def _ridge_step(
    K: Array, F: Array, b: Array, pull: Array, a: Array, weight: float
) -> tuple[Array, Array]:
    """Return the next B and b: the solution of the kernel ridge regression with row weights h.

    They solve (K + diag(1/h))B + 1bᵀ = F + pull / h and 1ᵀB = 0 in the rows outside the tube. B is
    zero in the others.
    """
    active = np.flatnonzero(a)
    next_B = np.zeros_like(F)
    if not active.size:
        return next_B, b
    h = (weight + a[active, None]) / 2
    targets = F[active] + pull[active] / h
    M = K[np.ix_(active, active)] if len(active) < len(a) else K.copy()
    # With the roots of the weights on both sides no eigenvalue is below 1, however small a weight
    # is.
    root = np.sqrt(h)
    M *= root
    M *= root.T
    M.flat[:: len(M) + 1] += 1
    factor = linalg.cho_factor(M.T, lower=True, overwrite_a=True, check_finite=False)
    right = root * np.column_stack([targets, np.ones_like(h)])
    solved = root * linalg.cho_solve(factor, right, check_finite=False)
    by_targets = solved[:, :-1]
    by_ones = solved[:, -1:]
    next_b = by_targets.sum(axis=0) / by_ones.sum()
    next_B[active] = by_targets - by_ones * next_b
    return next_B, next_b
