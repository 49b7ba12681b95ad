import numpy as np
from numpy.testing import assert_allclose

from labeldist.solvers.lbfgs import minimize_lbfgs


def quadratic(target, curvature):
    def value_and_gradient(X):
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


def test_the_tolerance_is_relative_to_the_gradient_at_zero(rng):
    target, curvature = rng.normal(size=(6, 4)), rng.uniform(1e-3, 1, size=(6, 4))
    coarse = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)), tolerance=1e-2)
    scaled = minimize_lbfgs(quadratic(target, 1e6 * curvature), np.zeros((6, 4)), tolerance=1e-2)
    fine = minimize_lbfgs(quadratic(target, curvature), np.zeros((6, 4)), tolerance=1e-9)
    assert coarse.n_iter < fine.n_iter
    assert coarse.gradient <= 1e-2
    assert scaled.gradient <= 1e-2
    assert fine.gradient <= 1e-9


def test_stopping_early_is_said(rng):
    target, curvature = rng.normal(size=(20, 4)), 10.0 ** rng.uniform(-6, 0, size=(20, 4))
    solution = minimize_lbfgs(quadratic(target, curvature), np.zeros((20, 4)), max_iter=3)
    assert solution.n_iter == 3
    assert not solution.converged


def test_a_start_at_the_minimum_ends_there():
    solution = minimize_lbfgs(quadratic(np.zeros((2, 2)), np.ones((2, 2))), np.zeros((2, 2)))
    assert solution.converged
    assert_allclose(solution.X, 0)
