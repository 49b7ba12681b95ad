import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime

from labeldist._solvers.maximum_entropy import (
    CrossEntropy,
    Preconditioner,
    softmax_and_log,
    squared_norm,
    through_softmax,
)
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    return rng.normal(size=(20, 4)), rng.dirichlet(np.ones(3), size=20), rng.uniform(0, 2, size=(20, 1))


def assert_gradient(function, at):
    numeric = approx_fprime(at.ravel(), lambda w: function(w.reshape(at.shape))[0], 1e-7)
    assert_allclose(function(at)[1].ravel(), numeric, rtol=1e-4, atol=1e-4)


def test_softmax_and_its_logarithm_survive_large_scores():
    P, log_p = softmax_and_log(np.array([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(P, softmax([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(log_p, [[0.0, -1000.0], np.log(P[1])])


def test_gradients_pass_through_softmax(rng):
    Z, target = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))

    def function(scores):
        P = softmax(scores)
        return ((P - target) ** 2).sum(), through_softmax(P, 2 * (P - target))

    assert_gradient(function, Z)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_cross_entropy_and_its_gradient(table, rng, weighted, form):
    X, D, weight = table
    loss = CrossEntropy(form(X), D, weight if weighted else None)
    W = rng.normal(size=(4, 3))
    expected = -(D * np.log(softmax(X @ W)) * (weight if weighted else 1)).sum()
    assert_allclose(loss.value_and_gradient(W)[0], expected)
    assert_gradient(loss.value_and_gradient, W)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_curvature_bounds_that_of_the_loss(table, rng, weighted, form):
    X, D, weight = table
    loss = CrossEntropy(form(X), D, weight if weighted else None)
    W, step = rng.normal(size=(4, 3)), 1e-3 * rng.normal(size=(4, 3))
    change = loss.value_and_gradient(W + step)[1] - loss.value_and_gradient(W - step)[1]
    assert np.vdot(step, change) / 2 <= np.vdot(step, loss.curvature() @ step) * (1 + 1e-6)
    assert_allclose(loss.curvature(), 0.5 * X.T @ ((weight if weighted else 1) * X), atol=1e-13)


def test_the_squared_norm_and_its_gradient(rng):
    assert_gradient(squared_norm, rng.normal(size=(3, 2)))


def test_a_preconditioner_makes_the_curvature_the_identity(rng):
    factor = rng.normal(size=(9, 5)) * [1e-9, 1, 1e9, 1, 10]
    T = Preconditioner.of(factor.T @ factor).T
    assert_allclose(T.T @ factor.T @ factor @ T, np.eye(5), atol=1e-9)


def test_directions_without_curvature_are_left_out(rng):
    factor = np.column_stack([rng.normal(size=(9, 2)), np.zeros(9)])
    factor = np.column_stack([factor, factor[:, 0]])
    curvature = factor.T @ factor
    T = Preconditioner.of(curvature).T
    assert_allclose(T.T @ curvature @ T, np.eye(2), atol=1e-12)
    assert not T[2].any()
    assert T.shape == Preconditioner.of(1e-20 * curvature).T.shape == (4, 2)


def test_composition_with_the_change_of_variables(table, rng):
    X, D, _ = table
    precondition = Preconditioner.of(X.T @ X)
    assert_gradient(precondition.compose(CrossEntropy(X, D).value_and_gradient), rng.normal(size=(4, 3)))
