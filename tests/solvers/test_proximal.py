"""Proximal operators, the ADMM loop, and the objectives of the proximal learners against independent solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from scipy.optimize import brentq, minimize

from labeldist._solvers.proximal import (
    ColumnSpace,
    CompletedTable,
    IncompleteDegrees,
    LabelCombinations,
    SparseCoefficients,
    minimize_split,
    shrink_rows,
    shrink_singular_values,
    soft_threshold,
    weighted_simplex,
)
from labeldist.simplex import project, softmax


def test_weighted_simplex_equals_bisection(rng):
    H, weight = rng.normal(size=(50, 6)), rng.uniform(0.1, 3, size=(50, 6))
    H[0] = 0.0  # ties
    for h, w, m in zip(H, weight, weighted_simplex(H, weight), strict=True):
        tau = brentq(lambda t: np.maximum((h - t) / w, 0).sum() - 1, h.min() - w.sum(), h.max(), xtol=1e-14)  # noqa: B023
        assert_allclose(m, np.maximum((h - tau) / w, 0), atol=1e-11)
    assert_allclose(weighted_simplex(H, np.ones_like(H)), project(H), atol=1e-12)


def test_soft_threshold_and_shrink_rows(rng):
    assert_allclose(soft_threshold(np.array([[-3.0, 0.5], [1.0, -1.0]]), 1.0), [[-2, 0], [0, 0]])
    assert_allclose(shrink_rows(np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]), 1.0), [[2.4, 3.2], [0, 0], [0, 0]])
    A = rng.normal(size=(5, 3))
    for shrink in (soft_threshold, shrink_rows, shrink_singular_values):
        assert_allclose(shrink(A, 0.0), A, atol=1e-14)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (4, 4)])
def test_singular_values_are_lowered(rng, shape):
    A = rng.normal(size=shape)
    U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
    assert_allclose(shrink_singular_values(A, sigma[2]), U * np.maximum(sigma - sigma[2], 0) @ Vt, atol=1e-12)


def test_shrinking_minimises_nuclear_norm_problem(rng):
    A = rng.normal(size=(6, 4))
    threshold = float(np.linalg.svd(A, compute_uv=False)[2])
    Z = shrink_singular_values(A, threshold)
    assert np.linalg.matrix_rank(Z, tol=1e-9) == 2
    # A − Z is the threshold times a subgradient: its spectral norm is at most one, and ⟨·, Z⟩ is the nuclear norm.
    subgradient = (A - Z) / threshold
    assert np.linalg.norm(subgradient, 2) <= 1 + 1e-12
    assert np.vdot(subgradient, Z) == pytest.approx(np.linalg.norm(Z, "nuc"))


@pytest.mark.parametrize("rho", [1e-3, 1.0, 1e3])
def test_split_reaches_the_minimum_from_any_penalty(rng, rho):
    A, b = rng.normal(size=(20, 4)), rng.normal(size=20)

    def first(T, rho, x):
        x = np.linalg.solve(A.T @ A + rho * np.eye(4), A.T @ b + rho * T)
        return x, x

    found = minimize_split(
        first, lambda T, rho: soft_threshold(T, 2.0 / rho), None, np.zeros(4), rho=rho, tol=1e-9, max_iter=500
    )
    assert found.converged
    gradient = A.T @ (A @ found.z - b)
    assert_allclose(found.multiplier, -gradient, atol=1e-6)
    assert (np.abs(gradient) <= 2 + 1e-6).all()
    assert_allclose(gradient[found.z != 0], -2 * np.sign(found.z[found.z != 0]), atol=1e-6)
    short = minimize_split(
        first, lambda T, rho: soft_threshold(T, 2.0 / rho), None, np.zeros(4), rho=rho, tol=1e-9, max_iter=3
    )
    assert not short.converged
    assert short.n_iter == 3


def test_column_space_projects_and_returns_coefficients(rng):
    X = rng.normal(size=(30, 4)) * [1e-6, 1, 1e6, 1] + 5
    X = np.column_stack([X, X[:, 1] + X[:, 3], np.full(30, 7.0)])  # a dependent and a constant feature
    space, T = ColumnSpace.of(X), rng.normal(size=(30, 3))
    assert space.basis.shape == (30, 5)
    scores = space.project(T)
    with_ones = np.column_stack([X / np.abs(X).max(axis=0), np.ones(30)])
    assert_allclose(scores, with_ones @ np.linalg.lstsq(with_ones, T, rcond=1e-12)[0], atol=1e-6)
    W = space.coefficients(scores)
    assert_allclose((X - space.mean) @ W[:-1] + W[-1], scores, atol=1e-9)


def incomplete(rng, low_rank, missing=0.3, n=9, base=1.0):
    X = rng.normal(size=(n, 2))
    D = softmax(3 * X @ rng.normal(size=(2, 3)) + rng.normal(size=(n, 3)))
    observed = rng.random(D.shape) >= missing
    weight = np.where(observed, base ** (2 - 2 * D), 0)
    return X, IncompleteDegrees(ColumnSpace.of(X), np.where(observed, D, 0), weight, low_rank)


def value(objective, Y):
    fit = 0.5 * (objective.weight * (Y - objective.target) ** 2).sum()
    return fit + objective.low_rank * np.linalg.norm(Y, "nuc")


def slow_minimum(X, objective):
    """Minimise over W by SciPy's SLSQP, with linear constraints and exact derivatives."""
    A, c = np.column_stack([X, np.ones(len(X))]), objective.target.shape[1]
    positive, sums = np.kron(A, np.eye(c)), np.kron(np.eye(A.shape[1]), np.ones(c))
    totals = np.eye(A.shape[1])[-1]  # the coefficients of the labels sum to zero, and their intercepts to one

    def value_and_gradient(w):
        Y = A @ w.reshape(-1, c)
        U, _, Vt = np.linalg.svd(Y, full_matrices=False)
        in_scores = objective.weight * (Y - objective.target) + objective.low_rank * (U @ Vt)
        return value(objective, Y), (A.T @ in_scores).ravel()

    start = np.zeros((A.shape[1], c))
    start[-1] = [0.3, 0.4, 0.3]
    start[0] = [0.01, -0.02, 0.01]  # the nuclear norm is smooth where the rank is full
    found = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        constraints=[
            {"type": "ineq", "fun": lambda w: positive @ w, "jac": lambda w: positive},
            {"type": "eq", "fun": lambda w: sums @ w - totals, "jac": lambda w: sums},
        ],
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return A @ found.x.reshape(-1, c)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("low_rank", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("base", [1.0, 2.0])
def test_incomplete_minimum_equals_slow_solution(rng, low_rank, base, missing):
    X, objective = incomplete(rng, low_rank, missing, base=base)
    solution = objective.minimize(tol=1e-10, max_iter=50_000)
    expected = slow_minimum(X, objective)
    assert solution.converged
    assert expected.min() < 1e-8 or low_rank == 0.2  # a bound is active
    assert value(objective, solution.x) <= value(objective, expected) + 1e-9
    assert_allclose(solution.x, expected, atol=1e-7)


def test_incomplete_minimum_of_low_rank_satisfies_its_conditions(rng):
    low_rank = 1.5
    _, objective = incomplete(rng, low_rank, n=30)
    solution = objective.minimize(tol=1e-10, max_iter=50_000)
    Y, (of_rows, of_norm) = solution.x, solution.multiplier
    assert np.linalg.matrix_rank(Y, tol=1e-6) < 3
    assert_allclose(solution.z[0], Y, atol=1e-8)
    # The multipliers are subgradients of both terms, and their sum is orthogonal to all possible scores.
    assert_allclose(objective.space.project(of_rows + of_norm), 0, atol=1e-7)
    assert np.linalg.norm(of_norm, 2) <= low_rank + 1e-7
    assert np.vdot(of_norm, Y) == pytest.approx(low_rank * np.linalg.norm(Y, "nuc"))
    normal = of_rows - objective.weight * (Y - objective.target)  # at most a constant of the row where a degree is zero
    constant = np.where(Y > 1e-6, normal, -np.inf).max(axis=1, keepdims=True)
    assert_allclose(np.where(Y > 1e-6, normal - constant, 0), 0, atol=1e-6)
    assert (normal <= constant + 1e-6).all()


def test_published_update_violates_the_constraints(rng):
    """W = X⁺M, least squares from the copy M on the simplex, is not a step of ADMM and may end at negative degrees."""
    _, objective = incomplete(rng, 0.3, n=20)
    Z = np.full_like(objective.target, 1 / 3)
    multiplier = np.zeros_like(Z)
    for _ in range(300):
        M = weighted_simplex(objective.weight * objective.target + Z - multiplier, objective.weight + 1)
        Y = objective.space.project(M)
        Z = shrink_singular_values(Y + multiplier, 0.3)
        multiplier = multiplier + Y - Z
    assert Y.min() < -0.01
    assert objective.minimize(tol=1e-9, max_iter=20_000).x.min() > -1e-8


def test_descent_equals_minimum_without_active_bounds(rng):
    X = rng.normal(size=(40, 3))
    D = softmax(0.2 * X @ rng.normal(size=(3, 4)))
    observed = rng.random(D.shape) > 0.3
    objective = IncompleteDegrees(ColumnSpace.of(X), np.where(observed, D, 0), observed * 1.0, 0.0)
    exact, descent = objective.minimize(tol=1e-10, max_iter=20_000), objective.descend(tol=1e-10, max_iter=20_000)
    assert exact.x.min() > 0.01
    assert exact.converged
    assert descent.converged
    assert_allclose(descent.x, exact.x, atol=1e-6)
    penalised = IncompleteDegrees(objective.space, objective.target, objective.weight, 0.1)
    best = value(penalised, penalised.minimize(tol=1e-9, max_iter=20_000).x)
    assert best - 1e-9 <= value(penalised, penalised.descend(tol=1e-9, max_iter=5000).x) < 1.01 * best


def test_sparse_coefficients_equal_slow_solution(rng):
    X = rng.normal(size=(25, 4))
    D = softmax(X[:, 1:] @ rng.normal(size=(3, 3)))
    X, D = X - X.mean(axis=0), D - D.mean(axis=0)
    R = np.corrcoef(D.T)
    L = np.diag(R.sum(axis=1)) - R
    objective = SparseCoefficients(X, D, 1.0, 1.5, 2 * 0.05 * L)
    solution = objective.minimize(tol=1e-10, max_iter=20_000)
    assert solution.converged
    assert_allclose(solution.x.sum(axis=1), 0, atol=1e-10)
    assert_allclose(solution.z.sum(axis=0), solution.x, atol=1e-8)
    assert (solution.z[:, 0] == 0).all()  # the labels do not depend on this feature
    assert solution.z[0].any()
    assert solution.z[1].any()

    # The multipliers are subgradients of both norms, and minus the gradient up to a constant per row.
    P = X @ solution.x
    gradient = X.T @ (P - D + P @ objective.attraction)
    for multiplier in solution.multiplier:
        sums = gradient + multiplier
        assert_allclose(sums, np.broadcast_to(sums.mean(axis=1, keepdims=True), sums.shape), atol=1e-8)
    of_entries, of_rows = solution.multiplier
    assert (np.abs(of_entries) <= 1.0 + 1e-8).all()
    assert_allclose(of_entries[solution.z[0] != 0], np.sign(solution.z[0][solution.z[0] != 0]), atol=1e-8)
    lengths, used = np.linalg.norm(solution.z[1], axis=1, keepdims=True), solution.z[1].any(axis=1)
    assert (np.linalg.norm(of_rows, axis=1) <= 1.5 + 1e-8).all()
    assert_allclose(of_rows[used], 1.5 * (solution.z[1] / np.maximum(lengths, 1e-300))[used], atol=1e-8)

    # With a sign split of W₁ and W₂ = 0 or not, the problem is smooth: W₁ = A − B with A, B ≥ 0.
    def smooth(v):
        A, B, W2 = v.reshape(3, 4, 3)
        W = A - B + W2
        P = X @ W
        rows = np.sqrt((W2**2).sum(axis=1) + 1e-16).sum()
        return 0.5 * ((P - D) ** 2).sum() + 0.05 * np.trace(P @ L @ P.T) + 1.0 * (A + B).sum() + 1.5 * rows

    sums = {
        "type": "eq",
        "fun": lambda v: (v.reshape(3, 4, 3)[0] - v.reshape(3, 4, 3)[1] + v.reshape(3, 4, 3)[2]).sum(axis=1),
    }
    start = np.concatenate([np.maximum(solution.z[0], 0), np.maximum(-solution.z[0], 0), solution.z[1]]).ravel()
    bounds = [(0, None)] * 24 + [(None, None)] * 12
    best = min(
        minimize(
            smooth,
            start + s * rng.uniform(0, 1, 36),
            bounds=bounds,
            constraints=[sums],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-14},
        ).fun
        for s in (0.0, 0.1)
    )
    assert smooth(start) == pytest.approx(best, abs=1e-6)


def combinations(rng, **weights):
    X = rng.normal(size=(30, 3))
    D = softmax(X @ rng.normal(size=(3, 4)) + 0.5 * rng.normal(size=(30, 4)))
    options = {"noise": 0.3, "low_rank": 0.5, "pull": 0.05 * (1 - np.eye(4))} | weights
    return LabelCombinations(X, D, np.full((3, 1), 0.1), **options)


def test_gradient_of_label_combinations_equals_finite_differences(rng):
    objective = combinations(rng)
    W, S, target = rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.normal(size=(30, 4))
    _, gradient = objective.smooth(W, S, target, 0.7)
    for k in range(12):
        step = np.zeros(12)
        step[k] = 1e-5
        values = [objective.smooth(W + s * step.reshape(3, 4), S, target, 0.7)[0] for s in (1, -1)]
        assert_allclose(gradient.ravel()[k], (values[0] - values[1]) / 2e-5, rtol=1e-6, atol=1e-6)


def test_label_combinations_satisfy_conditions_for_a_minimum(rng):
    objective = combinations(rng)
    solution = objective.minimize(tol=1e-9, max_iter=20_000)
    W, S = solution.x
    assert solution.converged
    P = softmax(objective.X @ W)
    noise, low_rank = solution.multiplier[:30], solution.multiplier[30:]
    E, T = solution.z[:30], solution.z[30:]
    assert_allclose(E, objective.D - P @ S, atol=1e-6)
    assert_allclose(T, S, atol=1e-6)
    # The multipliers are subgradients, and the derivatives in S and W vanish.
    assert (np.linalg.norm(noise, axis=1) <= 0.3 + 1e-6).all()
    assert_allclose(np.vdot(noise, E), 0.3 * np.linalg.norm(E, axis=1).sum(), rtol=1e-5)
    assert np.linalg.norm(low_rank, 2) <= 0.5 + 1e-6
    assert_allclose(np.vdot(low_rank, T), 0.5 * np.linalg.norm(T, "nuc"), rtol=1e-5)
    assert_allclose(-P.T @ noise + low_rank - objective.pull, 0, atol=1e-6)
    _, gradient = objective.smooth(W, S, objective.D - P @ S - noise, 1.0)  # its error is the multiplier
    assert_allclose(gradient, 0, atol=1e-6)


def completed(rng, **weights):
    X = rng.normal(size=(12, 2))
    D = rng.dirichlet(np.ones(3), size=12)
    observed = (rng.random(D.shape) < 0.8).astype(float)
    observed[10:] = 0
    A = rng.random((12, 12)) * (rng.random((12, 12)) < 0.4)
    A = A + A.T
    options = {"low_rank": 0.7, "fidelity": 0.6, "smoothness": 0.2} | weights
    return CompletedTable(X, D, observed, sparse.csr_array(np.diag(A.sum(axis=1)) - A), **options)


def smooth_part(table, A, Y):
    """Return the terms of the table without the nuclear norm, and their gradients in A and Y."""
    G, error, short = table.laplacian.toarray(), table.observed * (Y - table.D), Y.sum(axis=1) - 1
    value = 0.5 * ((A - table.X) ** 2).sum() + 0.6 * (error**2).sum() + 0.2 * np.vdot(Y, G @ Y) + 0.5 * short @ short
    return value, A - table.X, 1.2 * error + 0.4 * G @ Y + short[:, None]


def test_completed_table_equals_slow_solution(rng):
    table = completed(rng, low_rank=0.05)
    solution = table.minimize(tol=1e-10, max_iter=20_000)
    assert solution.converged

    def objective(z):
        A, Y = z[:24].reshape(12, 2), z[24:].reshape(12, 3)
        U, sigma, Vt = np.linalg.svd(np.hstack([A, np.ones((12, 1)), Y]), full_matrices=False)
        value, in_A, in_Y = smooth_part(table, A, Y)
        of_norm = 0.05 * U @ Vt
        gradients = [(in_A + of_norm[:, :2]).ravel(), (in_Y + of_norm[:, 3:]).ravel()]
        return value + 0.05 * sigma.sum(), np.concatenate(gradients)

    start = np.concatenate([table.X.ravel(), rng.random(36)])
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-10})
    A, Y = found.x[:24].reshape(12, 2), found.x[24:].reshape(12, 3)
    assert np.linalg.svd(np.hstack([A, np.ones((12, 1)), Y]), compute_uv=False)[-1] > 1e-2  # where the norm is smooth
    assert_allclose(solution.z[:, :2], A, atol=1e-6)
    assert_allclose(solution.x, Y, atol=1e-6)


def test_completed_table_of_low_rank_satisfies_its_conditions(rng):
    table = completed(rng)
    solution = table.minimize(tol=1e-10, max_iter=20_000)
    assert solution.converged
    Z, multiplier = solution.z, solution.multiplier
    assert np.linalg.matrix_rank(Z, tol=1e-6) == 3
    # The multiplier is a subgradient of the norm, and minus the gradient of the other terms.
    assert np.linalg.norm(multiplier, 2) <= 0.7 + 1e-7
    assert np.vdot(multiplier, Z) == pytest.approx(0.7 * np.linalg.norm(Z, "nuc"))
    _, in_A, in_Y = smooth_part(table, Z[:, :2], solution.x)
    assert_allclose(in_A + multiplier[:, :2], 0, atol=1e-6)
    assert_allclose(in_Y + multiplier[:, 3:], 0, atol=1e-6)


def test_completed_table_without_norm_and_graph_keeps_degrees_and_fills_evenly(rng):
    table = completed(rng, low_rank=0.0, smoothness=0.0)
    Y = table.minimize(tol=1e-8, max_iter=2000).x
    observed = table.observed > 0
    assert_allclose(Y[observed], table.D[observed], atol=1e-6)
    rest = 1 - (table.observed * table.D).sum(axis=1, keepdims=True)
    count = np.maximum((~observed).sum(axis=1, keepdims=True), 1)
    assert_allclose(Y[~observed], np.broadcast_to(rest / count, Y.shape)[~observed], atol=1e-6)
    assert_allclose(Y[10:], 1 / 3, atol=1e-6)


def test_singular_values_are_shrunk_if_the_default_algorithm_fails(rng, monkeypatch):
    A, svd = rng.normal(size=(6, 3)), linalg.svd

    def fail_by_default(factor, lapack_driver="gesdd", **options):
        if lapack_driver == "gesdd":
            raise linalg.LinAlgError
        return svd(factor, lapack_driver=lapack_driver, **options)

    expected = shrink_singular_values(A, 0.5)
    monkeypatch.setattr(linalg, "svd", fail_by_default)
    assert_allclose(shrink_singular_values(A, 0.5), expected, atol=1e-12)
