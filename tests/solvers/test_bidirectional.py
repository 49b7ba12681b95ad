import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from labeldist.features.graph import laplacian, neighbor_graph
from labeldist.solvers import bidirectional
from labeldist.solvers.bidirectional import EnhancementLoss

settings = pytest.mark.parametrize(
    ("reconstruction", "smoothness"), [(0.3, 0.2), (0.0, 0.2), (0.3, 0.0), (0.0, 0.0), (1e-3, 1e-3)]
)


def make_loss(rng, reconstruction, smoothness, n=12, c=3):
    X = rng.normal(size=(n, 2))
    Phi = np.hstack([rng.normal(size=(n, n)), np.ones((n, 1))])
    L = (rng.random((n, c)) < 0.5).astype(float)
    return EnhancementLoss(Phi, L, reconstruction, smoothness, laplacian(neighbor_graph(X, 4)))


@settings
def test_the_value_is_the_published_objective(rng, reconstruction, smoothness):
    loss = make_loss(rng, reconstruction, smoothness)
    Phi, L, S = loss.features, loss.labels, loss.laplacian.toarray()
    W = rng.normal(size=(13, 3))
    expected = ((Phi @ W - L) ** 2).sum() + reconstruction * ((Phi - L @ W.T) ** 2).sum()
    expected += smoothness * np.trace((Phi @ W).T @ S @ (Phi @ W))
    assert_allclose(loss.value_and_gradient(W)[0], expected, rtol=1e-12)


@settings
def test_the_gradient_is_that_of_finite_differences(rng, reconstruction, smoothness):
    loss = make_loss(rng, reconstruction, smoothness)
    W = rng.normal(size=(13, 3))
    numeric = approx_fprime(W.ravel(), lambda w: loss.value_and_gradient(w.reshape(13, 3))[0], 1e-6)
    assert_allclose(loss.value_and_gradient(W)[1].ravel(), numeric, rtol=1e-4, atol=1e-3)


@settings
def test_the_normal_equations_are_half_the_gradient(rng, reconstruction, smoothness):
    loss = make_loss(rng, reconstruction, smoothness)
    A, B, C = loss.normal_equations()
    W = rng.normal(size=(13, 3))
    assert_allclose(2 * (A @ W + W @ B - C), loss.value_and_gradient(W)[1], atol=1e-10)


def test_the_product_in_blocks_is_the_product(rng, monkeypatch):
    loss = make_loss(rng, 0.3, 0.2, n=20)
    whole = loss.normal_equations()[0]
    monkeypatch.setattr(bidirectional, "PRODUCT_BLOCK", 6)
    blocked = loss.normal_equations()[0]
    assert_allclose(blocked, whole, rtol=1e-12)
    assert_allclose(blocked, blocked.T, rtol=1e-12)
