import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime

from labeldist._solvers.softmax_loss import (
    CrossEntropy,
    preconditioner,
    softmax_and_log,
    squared_norm,
    through_softmax,
)
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    return rng.normal(size=(20, 4)), rng.dirichlet(np.ones(3), size=20)


def assert_gradient(function, at):
    numeric = approx_fprime(at.ravel(), lambda w: function(w.reshape(at.shape))[0], 1e-7)
    assert_allclose(function(at)[1].ravel(), numeric, rtol=1e-4, atol=1e-4)


def test_softmax_and_log_accept_large_scores():
    P, log_P = softmax_and_log(np.array([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(P, softmax([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(log_P, [[0.0, -1000.0], np.log(P[1])])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_cross_entropy_its_gradient_and_curvature(table, rng, weighted, form):
    X, D = table
    counts = rng.uniform(0, 2, size=20) if weighted else np.ones(20)
    loss = CrossEntropy(form(X), D, counts if weighted else None)
    W = rng.normal(size=(4, 3))
    expected = -counts @ (D * np.log(softmax(X @ W))).sum(axis=1)
    assert_allclose(loss.value_and_gradient(W)[0], expected)
    assert_gradient(loss.value_and_gradient, W)
    assert_allclose(loss.curvature(), 0.5 * X.T @ (counts[:, None] * X), atol=1e-13)
    step = 1e-3 * rng.normal(size=(4, 3))
    change = loss.value_and_gradient(W + step)[1] - loss.value_and_gradient(W - step)[1]
    assert np.vdot(step, change) / 2 <= np.vdot(step, loss.curvature() @ step) * (1 + 1e-6)


def test_gradients_of_norm_and_softmax(rng):
    Z, target = rng.normal(size=(2, 3, 2))
    assert_gradient(squared_norm, Z)

    def error(Z):
        size, gradient = squared_norm(softmax(Z) - target)
        return size, through_softmax(softmax(Z), gradient)

    assert_gradient(error, Z)


def test_preconditioner_turns_curvature_into_identity(rng):
    factor = rng.normal(size=(9, 5)) * [1e-9, 1, 1e9, 1, 10]
    T = preconditioner(factor.T @ factor)
    assert_allclose(T.T @ factor.T @ factor @ T, np.eye(5), atol=1e-9)


def test_preconditioner_omits_directions_without_curvature(rng):
    factor = rng.normal(size=(9, 2)) @ np.array([[1, 0, 0, 1], [0, 1, 0, 0]])
    curvature = factor.T @ factor
    T = preconditioner(curvature)
    assert_allclose(T.T @ curvature @ T, np.eye(2), atol=1e-12)
    assert not T[2].any()
    assert T.shape == preconditioner(1e-20 * curvature).shape == (4, 2)
