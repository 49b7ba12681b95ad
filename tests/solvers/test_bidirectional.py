from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers import bidirectional
from labeldist._solvers.bidirectional import EnhancementLoss, minimize_exactly
from labeldist._solvers.sylvester import solve_symmetric_sylvester

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


@settings
@pytest.mark.parametrize("p", [4, 13])
def test_the_exact_minimum_is_where_the_gradient_vanishes(rng, reconstruction, smoothness, p):
    loss = make_loss(rng, reconstruction, smoothness)
    loss = replace(loss, features=loss.features[:, -p:])
    found = minimize_exactly(loss)
    scale = np.abs(loss.value_and_gradient(np.zeros((p, 3)))[1]).max()
    assert_allclose(loss.value_and_gradient(found.W)[1], 0, atol=1e-11 * scale)
    assert found.residual < 1e-14
    expected = solve_symmetric_sylvester(*loss.normal_equations()).condition if reconstruction else None
    assert found.condition == expected


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_of_many_minima_the_shortest_is_taken(rng, smoothness):
    loss = make_loss(rng, 0.0, smoothness)
    scores = np.linalg.solve(np.eye(12) + smoothness * loss.laplacian.toarray(), loss.labels)
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(loss.features) @ scores, rtol=1e-9)


def test_what_is_singular_to_rounding_counts_as_singular(rng):
    features = rng.normal(size=(12, 3))
    features = np.column_stack([features, features.sum(axis=1) + 1e-15 * rng.normal(size=12)])
    loss = EnhancementLoss(features, rng.normal(size=(12, 2)), 0.0, 0.0)
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(features, rcond=1e-12) @ loss.labels, rtol=1e-9)


@pytest.fixture
def kernel(rng):
    root = rng.normal(size=(12, 12))
    return root @ root.T + 0.1 * np.eye(12)


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_over_a_kernel_and_a_constant_there_is_no_need_of_least_squares(rng, kernel, smoothness, monkeypatch):
    monkeypatch.delattr(bidirectional, "_least_squares")
    loss = replace(make_loss(rng, 0.0, smoothness), features=np.hstack([kernel, np.ones((12, 1))]))
    found = minimize_exactly(loss)
    scores = np.linalg.solve(np.eye(12) + smoothness * loss.laplacian.toarray(), loss.labels)
    assert_allclose(found.W, np.linalg.pinv(loss.features) @ scores, rtol=1e-7)
    assert found.residual < 1e-12


@pytest.mark.parametrize("last", [2 * np.ones((12, 1)), np.arange(12.0)[:, None], np.empty((12, 0))])
def test_other_columns_beside_a_kernel_are_features_like_all(rng, kernel, last):
    loss = replace(make_loss(rng, 0.0, 0.0), features=np.hstack([kernel, last]))
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(loss.features) @ loss.labels, rtol=1e-7)


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_the_residual_is_the_gradient_relative_to_its_terms(rng, smoothness, monkeypatch):
    loss = make_loss(rng, 0.0, smoothness)
    W = rng.normal(size=(13, 3))
    monkeypatch.setattr(bidirectional, "_least_squares", lambda _: W)
    norm, Phi, L = np.linalg.norm, loss.features, loss.labels
    pull = (np.eye(12) + smoothness * loss.laplacian.toarray()) @ Phi @ W
    expected = norm(Phi.T @ (pull - L)) / (norm(Phi) * (norm(pull) + norm(L)))
    assert minimize_exactly(loss).residual == pytest.approx(expected)


def test_nothing_is_fitted_to_nothing_without_a_residual():
    found = minimize_exactly(EnhancementLoss(np.zeros((4, 2)), np.zeros((4, 3)), 0.0, 0.0))
    assert_allclose(found.W, 0)
    assert found.residual == 0
