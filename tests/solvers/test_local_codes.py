from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import approx_fprime

from labeldist._solvers import local_codes
from labeldist._solvers.local_codes import LocalCodes, inverses, minimize_local_codes
from tests.references import gauss_newton_step_by_hand


def problem(rng, n=30, m=4, c=5, k=3, **strengths):
    defaults = {"ridge": 0.1, "code_ridge": 0.2, "local_correlation": 0.3, "barrier": 0.4}
    D = rng.dirichlet(np.ones(c), size=n)
    return LocalCodes(rng.normal(size=(n, m)), D, rng.dirichlet(np.ones(c), size=k), **defaults | strengths)


@pytest.mark.parametrize("block", [0, 1, 2], ids=["theta", "w", "C"])
def test_gradients_equal_finite_differences(rng, block):
    objective = problem(rng, n=8)
    blocks = [rng.normal(size=(4, 5)), rng.normal(size=(3, 5)), rng.uniform(0.5, 2, size=(8, 3))]

    def value(x):
        return objective.at(*blocks[:block], x.reshape(blocks[block].shape), *blocks[block + 1 :]).value

    numeric = approx_fprime(blocks[block].ravel(), value, 1e-7)
    assert_allclose(objective.gradient(objective.at(*blocks))[block].ravel(), numeric, rtol=1e-4, atol=1e-5)


def test_objective_equals_formula(rng):
    objective = problem(rng, n=6)
    theta, w, C = rng.normal(size=(4, 5)), rng.normal(size=(3, 5)), rng.uniform(0.5, 2, size=(6, 3))
    scores = np.exp(objective.X @ theta + C @ w)
    P = scores / scores.sum(axis=1, keepdims=True)
    expected = (objective.D * np.log(objective.D / P)).sum() + 0.1 * (theta**2).sum() + 0.2 * (w**2).sum()
    for i in range(6):
        for j in range(3):
            expected += 0.3 * C[i, j] * ((P[i] - objective.centres[j]) ** 2).sum() + 0.4 / C[i, j]
    assert objective.at(theta, w, C).value == pytest.approx(expected)


@pytest.mark.parametrize("strength", [1e-3, 0.1, 3.0])
def test_search_descends_to_stationary_point(rng, strength):
    objective = problem(rng, local_correlation=strength, barrier=strength)
    solution = minimize_local_codes(objective, np.ones((30, 3)), tol=1e-13, max_iter=2000)
    assert solution.converged
    assert (np.diff(solution.values) <= 0).all()
    assert (solution.point.C > 0).all()
    by_theta, by_w, by_codes = objective.gradient(solution.point)
    start = objective.at(np.zeros((4, 5)), np.zeros((3, 5)), np.ones((30, 3)))
    for found, first in zip((by_theta, by_w, by_codes), objective.gradient(start), strict=True):
        assert np.abs(found).max() < 1e-4 * np.abs(first).max()


def test_sparse_features_give_same_distributions(rng):
    dense = problem(rng)
    alike = LocalCodes(sparse.csr_array(dense.X), dense.D, dense.centres, 0.1, 0.2, 0.3, 0.4)
    expected, found = (minimize_local_codes(o, np.ones((30, 3)), tol=1e-12, max_iter=500) for o in (dense, alike))
    assert_allclose(found.point.P, expected.point.P, atol=1e-6)


def test_max_iter_ends_search_without_convergence(rng):
    solution = minimize_local_codes(problem(rng), np.ones((30, 3)), tol=1e-12, max_iter=1)
    assert solution.converged is False
    assert solution.n_iter == 1
    assert solution.point.value == solution.values[-1]


def test_search_without_lower_value_has_converged(rng, monkeypatch):
    monkeypatch.setattr(local_codes, "SHORTEST_STEP", 1.0)  # not even the full step is tried
    start = np.ones((30, 3))
    solution = minimize_local_codes(problem(rng), start, tol=1e-12, max_iter=5)
    assert solution.converged is True
    assert solution.n_iter == 0
    assert_array_equal(solution.point.C, start)
    assert solution.values == [solution.point.value]


@pytest.mark.parametrize(("strength", "tol"), [(0.3, 1e-3), (0.1, 1e-4), (1e-3, 1e-6)])
def test_steps_with_little_progress_end_search(rng, strength, tol):
    # Rows that equal their cluster's mean have no optimal code: their codes grow for ever.
    centres, patience = rng.dirichlet(np.ones(5), size=3), local_codes.PATIENCE
    objective = LocalCodes(rng.normal(size=(30, 4)), centres[np.arange(30) % 3], centres, 0.1, 0.2, strength, strength)
    solution = minimize_local_codes(objective, np.ones((30, 3)), tol=tol, max_iter=500)
    values = np.array(solution.values)
    gains = values[:-patience] - values[patience:]
    assert solution.converged
    assert (gains[:-1] > patience * tol * values[0]).all()
    assert gains[-1] <= patience * tol * values[0]
    assert solution.point.value == values[-1]


def test_overflow_ends_search(rng):
    objective = problem(rng, barrier=1e308)
    solution = minimize_local_codes(objective, np.full((30, 3), 1e-3), tol=1e-12, max_iter=5)
    assert solution.converged is False
    assert solution.n_iter == 0
    assert solution.values == [solution.point.value]


def test_overflow_in_products_raises(rng):
    objective = problem(rng, barrier=1e308)
    point = objective.at(np.zeros((4, 5)), np.zeros((3, 5)), np.full((30, 3), 1e-3))
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="overflow"):
        step_from(objective, point)


@pytest.mark.parametrize("times", [1.0, 40.0])
def test_step_is_halved_until_objective_decreases_enough(rng, times):
    objective = problem(rng)
    point = objective.at(np.zeros((4, 5)), np.zeros((3, 5)), np.ones((30, 3)))
    short = step_from(objective, point)
    step = replace(short, theta=times * short.theta, w=times * short.w, log_codes=0 * short.log_codes)
    lengths = 0.5 ** np.arange(10)
    values = [objective.at(length * step.theta, length * step.w, point.C).value for length in lengths]
    enough = values <= point.value + local_codes.SUFFICIENT_DECREASE * lengths * step.slope
    assert enough[0] == (times == 1)
    assert local_codes._search_line(objective, point, step).value == values[np.argmax(enough)]


def test_step_that_increases_objective_is_rejected(rng):
    objective = problem(rng)
    point = objective.at(np.zeros((4, 5)), np.zeros((3, 5)), np.ones((30, 3)))
    right = step_from(objective, point)
    wrong = replace(right, theta=-right.theta, w=-right.w, log_codes=-right.log_codes, slope=-1e9)
    assert local_codes._search_line(objective, point, wrong) is None


def test_search_ends_if_predicted_decrease_is_below_tolerance(rng):
    objective, C, tol = problem(rng, n=300), np.ones((300, 3)), 1e-3
    found = minimize_local_codes(objective, C, tol=tol, max_iter=50)
    before = minimize_local_codes(objective, C, tol=tol, max_iter=found.n_iter - 1)
    assert -step_from(objective, found.point).slope <= tol * found.values[0]
    assert -step_from(objective, before.point).slope > tol * found.values[0]


def test_mean_curvature_equals_mean_over_rows(rng):
    P, pull = rng.dirichlet(np.ones(4), size=7), rng.uniform(0, 3, size=(7, 1))
    derivatives = [np.diag(p) - np.outer(p, p) for p in P]
    expected = np.mean([J + weight * J @ J for J, weight in zip(derivatives, pull, strict=True)], axis=0)
    assert_allclose(local_codes._ScoreCurvature(P, pull).mean(), expected, atol=1e-15)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_inverses_are_accurate(rng, k):
    factors = rng.normal(size=(50, k, k + 2)) * 10 ** rng.uniform(-3, 3, size=(50, k, 1))  # rows with different units
    matrices = factors @ factors.transpose(0, 2, 1)
    units = np.sqrt(np.einsum("nii->ni", matrices))
    error = (inverses(matrices) @ matrices - np.eye(k)) * units[:, :, None] / units[:, None, :]
    assert np.abs(error).max() < 1e-9


def step_from(objective, point):
    eigenvalues, vectors = np.linalg.eigh(objective.X.T @ objective.X)
    return local_codes._gauss_newton_step(objective, point, eigenvalues, vectors)


def assert_is_the_step(found, objective, point):
    expected = gauss_newton_step_by_hand(objective, point)
    for block, reference in zip((found.theta, found.w, found.log_codes), expected, strict=True):
        assert_allclose(block, reference, atol=1e-8 * np.abs(reference).max())
    by_theta, by_w, by_codes = objective.gradient(point)
    slope = np.vdot(by_theta, expected[0]) + np.vdot(by_w, expected[1]) + np.vdot(point.C * by_codes, expected[2])
    assert found.slope == pytest.approx(slope)


def test_step_solves_gauss_newton_equations(rng, monkeypatch):
    monkeypatch.setattr(local_codes, "INNER_TOLERANCE", 1e-13)
    objective = problem(rng, n=6)
    point = objective.at(rng.normal(size=(4, 5)), rng.normal(size=(3, 5)), rng.uniform(0.5, 2, size=(6, 3)))
    assert_is_the_step(step_from(objective, point), objective, point)


def test_preconditioner_is_exact_for_equal_rows(rng, monkeypatch):
    monkeypatch.setattr(local_codes, "INNER_TOLERANCE", 1e-13)
    monkeypatch.setattr(local_codes, "INNER_ITERATIONS", 1)
    objective = problem(rng, n=6)
    point = objective.at(np.zeros((4, 5)), np.zeros((3, 5)), np.tile([0.5, 1.0, 2.0], (6, 1)))
    assert_is_the_step(step_from(objective, point), objective, point)
