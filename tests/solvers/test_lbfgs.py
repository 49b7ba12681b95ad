import numpy as np
from numpy.testing import assert_allclose

from labeldist._solvers.lbfgs import minimize_lbfgs


def quadratic(target, curvature):
    def value_and_gradient(X):
        assert X.shape == target.shape
        error = X - target
        return float((curvature * error**2).sum()), 2 * curvature * error

    return value_and_gradient


def test_the_minimum_of_a_quadratic_is_found(rng):
    target, curvature = rng.normal(size=(6, 4)), rng.uniform(1e-3, 1, size=(6, 4))
    solution = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)))
    assert solution.converged
    assert solution.gradient <= 1e-7
    assert_allclose(solution.X, target, atol=1e-3)
    assert solution.X.shape == (6, 4)
    assert_allclose(solution.value, 0, atol=1e-8)
    assert solution.n_iter < 60  # steepest descent would take thousands


def test_the_tolerance_is_relative_to_the_gradient_at_zero(rng):
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


def test_stopping_early_is_said(rng):
    target, curvature = rng.normal(size=(20, 4)), 10.0 ** rng.uniform(-6, 0, size=(20, 4))
    solution = minimize_lbfgs(quadratic(target, curvature), np.zeros((20, 4)), max_iter=3)
    assert solution.n_iter == 3
    assert not solution.converged


def test_a_start_at_the_minimum_ends_there():
    solution = minimize_lbfgs(quadratic(np.zeros((2, 2)), np.ones((2, 2))), np.zeros((2, 2)))
    assert solution.converged
    assert solution.n_iter == 0
    assert_allclose(solution.X, 0)


def test_where_the_gradient_at_zero_vanishes_it_is_not_divided_by(rng):
    function = quadratic(np.zeros((3, 2)), rng.uniform(1, 9, size=(3, 2)))
    solution = minimize_lbfgs(function, rng.normal(size=(3, 2)), max_iter=1)
    assert_allclose(solution.gradient, np.abs(function(solution.X)[1]).max())
    assert not solution.converged


def test_without_a_tolerance_it_ends_where_nothing_lower_is_found(rng):
    target = rng.normal(size=(6, 4))
    function = quadratic(target, rng.uniform(0.01, 1, size=(6, 4)))

    def raised(X):  # by so much that the last digits of its value are lost
        value, gradient = function(X)
        return value + 1e3, gradient

    solution = minimize_lbfgs(raised, np.zeros((6, 4)), tol=0.0)
    assert solution.converged
    assert 0 < solution.gradient < 1e-4
    assert 10 < solution.n_iter < 100
    assert_allclose(solution.X, target, atol=1e-3)


def test_zero_is_looked_at_once(rng):
    function, looks = quadratic(rng.normal(size=(3, 2)), np.ones((3, 2))), []

    def counted(X):
        looks.append(X.any())
        return function(X)

    minimize_lbfgs(counted, np.zeros((3, 2)))
    assert looks.count(False) == 1


def test_a_matrix_without_entries_is_minimal():
    start = np.zeros((0, 3))
    solution = minimize_lbfgs(lambda X: (7.0, X), start)
    assert solution.X is start
    assert (solution.value, solution.gradient, solution.n_iter, solution.converged) == (7.0, 0.0, 0, True)
