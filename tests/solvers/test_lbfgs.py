import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist._solvers.lbfgs import minimize_lbfgs

ZERO = np.zeros((6, 4))


@pytest.fixture
def target(rng):
    return rng.normal(size=ZERO.shape)


@pytest.fixture
def curvature(rng):
    return rng.uniform(1e-3, 1, size=ZERO.shape)


def quadratic(target, curvature):
    def value_and_gradient(X):
        error = X - target
        return float((curvature * error**2).sum()), 2 * curvature * error

    return value_and_gradient


def test_minimum_of_quadratic_is_found(target, curvature):
    solution = minimize_lbfgs(quadratic(target, curvature), ZERO)
    assert solution.converged
    assert solution.gradient <= 1e-7
    assert_allclose(solution.X, target, atol=1e-3)
    assert_allclose(solution.value, 0, atol=1e-8)
    assert solution.n_iter < 60  # steepest descent would take thousands


def test_tolerance_is_relative_to_gradient_at_zero(target, curvature):
    coarse = minimize_lbfgs(quadratic(target, curvature), ZERO, tol=1e-2)
    fine = minimize_lbfgs(quadratic(target, curvature), ZERO, tol=1e-9)
    assert coarse.n_iter < fine.n_iter
    assert coarse.gradient <= 1e-2
    assert fine.gradient <= 1e-9
    scaled = minimize_lbfgs(quadratic(target, 2.0**20 * curvature), ZERO, tol=1e-2)
    assert scaled.n_iter == coarse.n_iter
    assert_allclose(scaled.X, coarse.X)
    assert_allclose(scaled.gradient, coarse.gradient)


def test_max_iter_ends_search_without_convergence(target, curvature):
    solution = minimize_lbfgs(quadratic(target, curvature), ZERO, max_iter=3)
    assert solution.n_iter == 3
    assert not solution.converged


def test_zero_gradient_at_zero_gives_absolute_gradient(target, curvature):
    function = quadratic(ZERO, curvature)
    solution = minimize_lbfgs(function, target, max_iter=1)
    assert_allclose(solution.gradient, np.abs(function(solution.X)[1]).max())
    assert not solution.converged


@pytest.mark.parametrize("raised_by", [1e3, 1e6, 1e9, 1e12])
def test_zero_tolerance_converges_to_rounding(target, curvature, raised_by):
    function = quadratic(target, np.maximum(curvature, 0.01))

    def raised(X):  # by so much that the value loses its last digits
        value, gradient = function(X)
        return value + raised_by, gradient

    solution = minimize_lbfgs(raised, ZERO, tol=0.0)
    assert solution.converged
    assert 0 < solution.gradient < 1e-4
    assert 10 < solution.n_iter < 100
    assert_allclose(solution.X, target, atol=1e-3)


def test_zero_is_evaluated_once_or_not_at_all(target, curvature):
    function = quadratic(target, curvature)
    calls = []

    def counted(X):
        calls.append(X.any())
        return function(X)

    first = minimize_lbfgs(counted, ZERO)
    assert calls.count(False) == 1
    second = minimize_lbfgs(counted, ZERO, at_zero=function(ZERO))
    assert calls.count(False) == 1
    assert_allclose(second.X, first.X)


def test_empty_matrix_is_minimal():
    start = np.zeros((0, 3))
    solution = minimize_lbfgs(lambda X: (7.0, X), start)
    assert solution.X is start
    assert solution.converged
    assert (solution.value, solution.gradient, solution.n_iter) == (7.0, 0.0, 0)


def test_first_step_saves_evaluations_and_leaves_the_minimum():
    center = np.array([[300.0, -400.0]])
    n_calls = {}
    for first_step in (1.0, 500.0):
        calls = []

        def function(X, calls=calls):
            calls.append(X)
            return 0.5 * float(np.sum((X - center) ** 2)), X - center

        found = minimize_lbfgs(function, np.zeros((1, 2)), tol=1e-8, first_step=first_step)
        assert_allclose(found.X, center)
        assert found.converged
        n_calls[first_step] = len(calls)
    assert n_calls[500.0] == 2  # at zero, and at the minimum
    assert n_calls[500.0] < n_calls[1.0]
