import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from labeldist._kernels.kernels import gaussian, squared_distances
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers import bidirectional_enhancement as bidirectional
from labeldist._solvers.bidirectional_enhancement import (
    EnhancementLoss,
    minimize_exactly,
    minimize_over_kernel_range,
)
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist.datasets import make_artificial

settings = pytest.mark.parametrize(
    ("reconstruction", "smoothness"), [(0.3, 0.2), (0.0, 0.2), (0.3, 0.0), (0.0, 0.0), (1e-3, 1e-3)]
)


def make_loss(rng, reconstruction, smoothness, n=12, c=3):
    X = rng.normal(size=(n, 2))
    Phi = np.hstack([rng.normal(size=(n, n)), np.ones((n, 1))])
    L = (rng.random((n, c)) < 0.5).astype(float)
    return EnhancementLoss(Phi, L, reconstruction, smoothness, laplacian(neighbor_graph(X, 4)))


@settings
def test_value_gradient_and_normal_equations_of_published_objective(
    rng, reconstruction, smoothness
):
    loss = make_loss(rng, reconstruction, smoothness)
    Phi = loss.features
    L = loss.labels
    S = loss.laplacian.toarray()
    W = rng.normal(size=(13, 3))
    expected = ((Phi @ W - L) ** 2).sum() + reconstruction * ((Phi - L @ W.T) ** 2).sum()
    expected += smoothness * np.trace((Phi @ W).T @ S @ (Phi @ W))
    value, gradient = loss.value_and_gradient(W)
    assert_allclose(value, expected, rtol=1e-12)
    numeric = approx_fprime(W.ravel(), lambda w: loss.value_and_gradient(w.reshape(13, 3))[0], 1e-6)
    assert_allclose(gradient.ravel(), numeric, rtol=1e-4, atol=1e-3)
    A, B, C = loss.normal_equations()
    assert_allclose(2 * (A @ W + W @ B - C), gradient, atol=1e-10)


@settings
def test_gradient_vanishes_at_exact_minimum(rng, reconstruction, smoothness):
    loss = make_loss(rng, reconstruction, smoothness)
    found = minimize_exactly(loss)
    scale = np.abs(loss.value_and_gradient(np.zeros((13, 3)))[1]).max()
    assert_allclose(loss.value_and_gradient(found.W)[1], 0, atol=1e-11 * scale)
    assert found.residual < 1e-14
    expected = (
        solve_symmetric_sylvester(*loss.normal_equations()).condition if reconstruction else None
    )
    assert found.condition == expected


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_residual_is_relative_gradient(rng, smoothness, monkeypatch):
    loss = make_loss(rng, 0.0, smoothness)
    W = rng.normal(size=(13, 3))
    monkeypatch.setattr(bidirectional, "_least_squares", lambda _: W)
    norm, Phi, L = np.linalg.norm, loss.features, loss.labels
    pull = (np.eye(12) + smoothness * loss.laplacian.toarray()) @ Phi @ W
    expected = norm(Phi.T @ (pull - L)) / (norm(Phi) * (norm(pull) + norm(L)))
    assert minimize_exactly(loss).residual == pytest.approx(expected)


def problem(rng, repeated=0, width=0.4, n=50):
    X = make_artificial(n, random_state=0)[0]
    X[:repeated] = X[n - repeated :]
    L = (rng.random((n, 3)) < 0.5).astype(float)
    return X, gaussian(squared_distances(X, X), width), L, laplacian(neighbor_graph(X, 4))


def loss_of(K, L, smoothness, S):
    return EnhancementLoss(np.column_stack([K, np.ones(len(K))]), L, 0.0, smoothness, S)


@pytest.mark.parametrize("repeated", [0, 7])
@pytest.mark.parametrize("smoothness", [0, 0.01, 1.0])
def test_kernel_range_minimises_loss(rng, repeated, smoothness):
    _, K, L, S = problem(rng, repeated)
    loss = loss_of(K, L, smoothness, S)
    W = minimize_over_kernel_range(loss)
    value, gradient = loss.value_and_gradient(W)
    reference = bidirectional._least_squares(loss)
    assert value <= loss.value_and_gradient(reference)[0] * (1 + 1e-9) + 1e-12
    assert np.abs(gradient).max() < 1e-8
    assert_allclose(loss.features @ W, loss.features @ reference, atol=1e-7)
    if not repeated:
        assert_allclose(W, reference, rtol=1e-5, atol=1e-7 * np.abs(W).max())
    exact = minimize_exactly(loss)
    assert_array_equal(exact.W, W)
    assert exact.residual < 1e-12


@pytest.mark.parametrize(
    "K",
    [
        np.diag([1.0, -1.0, 1.0]),
        np.array([[1.0, 0.5], [0.0, 1.0]]),
        np.array([[1.0, -1.0], [-1.0, 1.0]]),
        np.zeros((2, 2)),
    ],
    ids=["indefinite", "not symmetric", "without the constant", "zero"],
)
def test_kernel_range_rejects_other_matrices(K):
    L = np.eye(len(K))[:, :2]
    loss = loss_of(K, L, 0, None)
    assert minimize_over_kernel_range(loss) is None
    assert np.abs(loss.value_and_gradient(minimize_exactly(loss).W)[1]).max() < 1e-10


def test_kernel_range_rejects_inaccurate_scores(rng, monkeypatch):
    _, K, L, S = problem(rng, width=1.5)
    loss = loss_of(K, L, 0.01, S)
    assert minimize_over_kernel_range(loss).shape == (51, 3)
    monkeypatch.setattr(bidirectional, "REPRODUCTION", 0.0)
    assert minimize_over_kernel_range(loss) is None
