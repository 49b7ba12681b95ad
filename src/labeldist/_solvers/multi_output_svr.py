"""Multi-output support vector regression by iteratively reweighted least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from labeldist._typing import Array

SUFFICIENT = 1e-4  # a step must decrease the objective by this share of what its slope promises
SHORTEST_STEP = 1e-8  # no shorter step is tried


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

    K is the positive semidefinite kernel matrix, (n, n), and T are the targets, (n, c). w is `weight` and r is
    `radius`, the radius of the tube. The minimum is the solution of B = a∘(T − F) with 1ᵀB = 0 and the row weights
    a_i = w max(0, 1 − r/u_i).

    Each iteration solves a kernel ridge regression with row weights h, which determines the direction of a line search.
    Its targets F + (a/h)∘(T − F) have the gradient of the loss for every h > 0. h = a is iteratively reweighted least
    squares. But the curvature of the loss of a row outside the tube is w along its residual and a_i across it. Their
    mean h = (w + a)/2 reduces the error in both directions by (w − a)/(w + a), in about half of the iterations.

    Stop if no entry of B − a∘(T − F) exceeds `tol` times the largest of a∘(T − F), or no lower value can be found.
    """
    B, KB, b = np.zeros_like(T), np.zeros_like(T), T.mean(axis=0)
    quadratic = 0.0  # tr(BᵀKB)
    value, pull, a = _loss_and_pull(T - b, weight, radius)
    for n_iter in range(max_iter + 1):
        if np.abs(B - pull).max() <= tol * np.abs(pull).max():
            return RegressionSolution(B, b, value, n_iter, converged=True)
        if n_iter == max_iter:
            break
        next_B, next_b = np.zeros_like(B), b  # if no row is outside the tube
        if a.any():
            h = np.where(a > 0, (weight + a) / 2, 0)
            targets = KB + b + np.divide(pull, h[:, None], out=np.zeros_like(T), where=h[:, None] > 0)
            next_B, next_b = _weighted_ridge(K, targets, h)
        dB, db, dKB = next_B - B, next_b - b, K @ next_B - KB
        mixed, curvature = float(np.vdot(dB, KB)), float(np.vdot(dB, dKB))
        slope = mixed - float(np.vdot(pull, dKB + db))
        step = 1.0
        while True:
            loss, pull, a = _loss_and_pull(T - (KB + step * dKB) - (b + step * db), weight, radius)
            reached = 0.5 * (quadratic + 2 * step * mixed + step**2 * curvature) + loss
            if reached <= value + SUFFICIENT * step * slope:
                break
            step /= 2
            if step < SHORTEST_STEP:  # the remaining distance is below rounding
                return RegressionSolution(B, b, value, n_iter + 1, converged=True)
        quadratic += 2 * step * mixed + step**2 * curvature
        B, KB, b, value = B + step * dB, KB + step * dKB, b + step * db, reached
    return RegressionSolution(B, b, value, max_iter, converged=False)


def _loss_and_pull(E: Array, weight: float, radius: float) -> tuple[float, Array, Array]:
    """Return the loss of the residuals E = T − F, its negative gradient a∘E with respect to F, and a."""
    u = np.sqrt(np.einsum("ij,ij->i", E, E))
    excess = np.maximum(u - radius, 0)
    a = weight * np.divide(excess, u, out=np.zeros_like(u), where=u > 0) if radius else np.full_like(u, weight)
    return weight / 2 * float(excess @ excess), a[:, None] * E, a


def _weighted_ridge(K: Array, T: Array, a: Array) -> tuple[Array, Array]:
    """Return the B and b that solve (K + diag(1/a))B + 1bᵀ = T and 1ᵀB = 0 in the rows with a > 0; B is 0 elsewhere."""
    active = np.flatnonzero(a)
    root = np.sqrt(a[active])[:, None]
    M = K[np.ix_(active, active)] if len(active) < len(a) else K.copy()
    # With the roots of the weights on both sides no eigenvalue is below 1, however small a weight is.
    M *= root
    M *= root.T
    M.flat[:: len(M) + 1] += 1
    factor = linalg.cho_factor(M.T, lower=True, overwrite_a=True, check_finite=False)
    solved = linalg.cho_solve(factor, root * np.column_stack([T[active], np.ones(len(active))]), check_finite=False)
    solved *= root
    b = solved[:, :-1].sum(axis=0) / solved[:, -1].sum()
    B = np.zeros_like(T)
    B[active] = solved[:, :-1] - solved[:, -1:] * b
    return B, b
