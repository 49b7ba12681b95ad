import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from labeldist._kernels.kernels import gaussian_kernel
from labeldist.published._support_vector_regression import solve_multi_output_svr


def objective(K, T, B, b, weight, radius):
    u = np.linalg.norm(T - K @ B - b, axis=1)
    return np.trace(B.T @ K @ B) / 2 + weight / 2 * (np.maximum(u - radius, 0) ** 2).sum()


def solve(K, T, weight=1.0, radius=0.3, tol=1e-9, max_iter=300):
    return solve_multi_output_svr(K, T, weight=weight, radius=radius, tol=tol, max_iter=max_iter)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(30, 2))
    T = np.column_stack([np.sin(X[:, 0]), X[:, 1], X.sum(axis=1)])
    return gaussian_kernel(X, "mean")[0], T + 0.2 * rng.normal(size=(30, 3))


@pytest.mark.parametrize(("weight", "radius"), [(1.0, 0.3), (20.0, 0.1), (0.1, 1.0), (5.0, 0.0)])
def test_solution_is_the_minimum_of_a_general_search(problem, weight, radius):
    K, T = problem
    found = solve(K, T, weight, radius)
    assert found.converged
    assert_allclose(found.value, objective(K, T, found.B, found.b, weight, radius), rtol=1e-10)

    # With the coordinates θ = RᵀB, K = RRᵀ, the problem is well conditioned.
    eigenvalues, vectors = np.linalg.eigh(K)
    R = np.column_stack([vectors * np.sqrt(np.maximum(eigenvalues, 0)), np.ones(len(K))])

    def value_and_gradient(x):
        x = x.reshape(31, 3)
        E = T - R @ x
        u = np.linalg.norm(E, axis=1, keepdims=True)
        excess = np.maximum(u - radius, 0)
        penalised = x * np.append(np.ones(30), 0)[:, None]
        value = (penalised**2).sum() / 2 + weight / 2 * (excess**2).sum()
        return value, (penalised - R.T @ (weight * excess / u * E)).ravel()

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-9, "maxcor": 50}
    slow = minimize(value_and_gradient, np.zeros(93), jac=True, method="L-BFGS-B", options=options)
    assert_allclose(found.value, slow.fun, rtol=1e-8)
    assert_allclose(K @ found.B + found.b, R @ slow.x.reshape(31, 3), atol=1e-6)


def test_rows_within_the_tube_have_no_coefficients(problem):
    K, T = problem
    found = solve(K, T, radius=1.0)
    u = np.linalg.norm(T - K @ found.B - found.b, axis=1)
    assert 0 < np.count_nonzero(u < 1 - 1e-6) < len(T)
    assert_allclose(found.B[u < 1 - 1e-6], 0, atol=1e-12)
    assert_allclose(found.B.sum(axis=0), 0, atol=1e-9)
    wide = solve(K, T, radius=100.0)
    assert wide.n_iter == 0
    assert not wide.B.any()
    assert_allclose(wide.b, T.mean(axis=0))


def test_line_search_decreases_the_objective_in_each_iteration(problem):
    K, T = problem
    solutions = [solve(K, T, weight=100.0, radius=0.5, max_iter=k) for k in range(1, 12)]
    values = [solution.value for solution in solutions]
    assert (np.diff(values) <= 0).all()
    assert values[0] > values[-1]
    assert not solutions[1].converged


def test_equal_targets_and_a_single_row():
    assert_allclose(solve(np.ones((3, 3)), np.full((3, 2), 0.7)).b, 0.7)
    assert_allclose(solve(np.ones((1, 1)), np.array([[1.0, 2.0]]), radius=0.0).b, [1, 2])
