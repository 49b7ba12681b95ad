import numpy as np
from numpy.testing import assert_allclose

from labeldist._solvers.lbfgs import minimize_lbfgs


def quadratic(target, curvature):
    def value_and_gradient(X):
        assert X.shape == target.shape
        error = X - target
        return float((curvature * error**2).sum()), 2 * curvature * error

    return value_and_gradient


def test_minimum_of_quadratic_is_found(rng):
    target, curvature = rng.normal(size=(6, 4)), rng.uniform(1e-3, 1, size=(6, 4))
    solution = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)))
    assert solution.converged
    assert solution.gradient <= 1e-7
    assert_allclose(solution.X, target, atol=1e-3)
    assert solution.X.shape == (6, 4)
    assert_allclose(solution.value, 0, atol=1e-8)
    assert solution.n_iter < 60  # steepest descent would take thousands


def test_tolerance_is_relative_to_gradient_at_zero(rng):
    target, curvature = rng.normal(size=(6, 4)), rng.uniform(1e-3, 1, size=(6, 4))
    coarse = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)), tol=1e-2)
    fine = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)), tol=1e-9)
    assert coarse.n_iter < fine.n_iter
    assert coarse.gradient <= 1e-2
    assert fine.gradient <= 1e-9
    for factor in (2.0**-20, 2.0**20):
        scaled = minimize_lbfgs(quadratic(target, factor * curvature), np.zeros((6, 4)), tol=1e-2)
        assert scaled.n_iter == coarse.n_iter
        assert_allclose(scaled.X, coarse.X)
        assert_allclose(scaled.gradient, coarse.gradient)


def test_max_iter_ends_search_without_convergence(rng):
    target, curvature = rng.normal(size=(20, 4)), 10.0 ** rng.uniform(-6, 0, size=(20, 4))
    solution = minimize_lbfgs(quadratic(target, curvature), np.zeros((20, 4)), max_iter=3)
    assert solution.n_iter == 3
    assert not solution.converged


def test_zero_gradient_at_zero_gives_absolute_gradient(rng):
    function = quadratic(np.zeros((3, 2)), rng.uniform(1, 9, size=(3, 2)))
    solution = minimize_lbfgs(function, rng.normal(size=(3, 2)), max_iter=1)
    assert_allclose(solution.gradient, np.abs(function(solution.X)[1]).max())
    assert not solution.converged


def test_zero_tolerance_converges_to_rounding(rng):
    target = rng.normal(size=(6, 4))
    function = quadratic(target, rng.uniform(0.01, 1, size=(6, 4)))

    def raised(X):  # by so much that the value loses its last digits
        value, gradient = function(X)
        return value + 1e3, gradient

    solution = minimize_lbfgs(raised, np.zeros((6, 4)), tol=0.0)
    assert solution.converged
    assert 0 < solution.gradient < 1e-4
    assert 10 < solution.n_iter < 100
    assert_allclose(solution.X, target, atol=1e-3)


def test_zero_is_evaluated_once(rng):
    function, calls = quadratic(rng.normal(size=(3, 2)), np.ones((3, 2))), []

    def counted(X):
        calls.append(X.any())
        return function(X)

    minimize_lbfgs(counted, np.zeros((3, 2)))
    assert calls.count(False) == 1


def test_empty_matrix_is_minimal():
    start = np.zeros((0, 3))
    solution = minimize_lbfgs(lambda X: (7.0, X), start)
    assert solution.X is start
    assert (solution.value, solution.gradient, solution.n_iter, solution.converged) == (7.0, 0.0, 0, True)
