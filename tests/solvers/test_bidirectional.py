from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from labeldist._kernels.kernels import gaussian, squared_distances
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers import bidirectional
from labeldist._solvers.bidirectional import EnhancementLoss, KernelRange, minimize_exactly, minimize_over_kernel_range
from labeldist._solvers.sylvester import SAFETY, solve_symmetric_sylvester
from labeldist._typing import EPSILON
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
def test_value_gradient_and_normal_equations_of_published_objective(rng, reconstruction, smoothness):
    loss = make_loss(rng, reconstruction, smoothness)
    Phi, L, S = loss.features, loss.labels, loss.laplacian.toarray()
    W = rng.normal(size=(13, 3))
    expected = ((Phi @ W - L) ** 2).sum() + reconstruction * ((Phi - L @ W.T) ** 2).sum()
    expected += smoothness * np.trace((Phi @ W).T @ S @ (Phi @ W))
    value, gradient = loss.value_and_gradient(W)
    assert_allclose(value, expected, rtol=1e-12)
    numeric = approx_fprime(W.ravel(), lambda w: loss.value_and_gradient(w.reshape(13, 3))[0], 1e-6)
    assert_allclose(gradient.ravel(), numeric, rtol=1e-4, atol=1e-3)
    A, B, C = loss.normal_equations()
    assert_allclose(2 * (A @ W + W @ B - C), gradient, atol=1e-10)


def test_normal_equations_do_not_depend_on_blocks(rng, monkeypatch):
    loss = make_loss(rng, 0.3, 0.2, n=20)
    whole = loss.normal_equations()[0]
    monkeypatch.setattr(bidirectional, "PRODUCT_BLOCK", 6)
    blocked = loss.normal_equations()[0]
    assert_allclose(blocked, whole, rtol=1e-12)
    assert_allclose(blocked, blocked.T, rtol=1e-12)


@settings
@pytest.mark.parametrize("p", [4, 13])
def test_gradient_vanishes_at_exact_minimum(rng, reconstruction, smoothness, p):
    loss = make_loss(rng, reconstruction, smoothness)
    loss = replace(loss, features=loss.features[:, -p:])
    found = minimize_exactly(loss)
    scale = np.abs(loss.value_and_gradient(np.zeros((p, 3)))[1]).max()
    assert_allclose(loss.value_and_gradient(found.W)[1], 0, atol=1e-11 * scale)
    assert found.residual < 1e-14
    expected = solve_symmetric_sylvester(*loss.normal_equations()).condition if reconstruction else None
    assert found.condition == expected


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_minimum_has_smallest_norm(rng, smoothness):
    loss = make_loss(rng, 0.0, smoothness)
    scores = np.linalg.solve(np.eye(12) + smoothness * loss.laplacian.toarray(), loss.labels)
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(loss.features) @ scores, rtol=1e-9)


def test_features_singular_up_to_rounding_count_as_singular(rng):
    features = rng.normal(size=(12, 3))
    features = np.column_stack([features, features.sum(axis=1) + 1e-15 * rng.normal(size=12)])
    loss = EnhancementLoss(features, rng.normal(size=(12, 2)), 0.0, 0.0)
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(features, rcond=1e-12) @ loss.labels, rtol=1e-9)


@pytest.fixture
def kernel(rng):
    root = rng.normal(size=(12, 12))
    return root @ root.T + 0.1 * np.eye(12)


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_kernel_with_constant_is_solved_without_least_squares(rng, kernel, smoothness, monkeypatch):
    monkeypatch.delattr(bidirectional, "_least_squares")
    loss = replace(make_loss(rng, 0.0, smoothness), features=np.hstack([kernel, np.ones((12, 1))]))
    found = minimize_exactly(loss)
    scores = np.linalg.solve(np.eye(12) + smoothness * loss.laplacian.toarray(), loss.labels)
    assert_allclose(found.W, np.linalg.pinv(loss.features) @ scores, rtol=1e-7)
    assert found.residual < 1e-12


@pytest.mark.parametrize("last", [2 * np.ones((12, 1)), np.arange(12.0)[:, None], np.empty((12, 0))])
def test_other_columns_beside_a_kernel_use_least_squares(rng, kernel, last):
    loss = replace(make_loss(rng, 0.0, 0.0), features=np.hstack([kernel, last]))
    assert_allclose(minimize_exactly(loss).W, np.linalg.pinv(loss.features) @ loss.labels, rtol=1e-7)


@pytest.mark.parametrize("smoothness", [0.0, 0.2])
def test_residual_is_relative_gradient(rng, smoothness, monkeypatch):
    loss = make_loss(rng, 0.0, smoothness)
    W = rng.normal(size=(13, 3))
    monkeypatch.setattr(bidirectional, "_least_squares", lambda _: W)
    norm, Phi, L = np.linalg.norm, loss.features, loss.labels
    pull = (np.eye(12) + smoothness * loss.laplacian.toarray()) @ Phi @ W
    expected = norm(Phi.T @ (pull - L)) / (norm(Phi) * (norm(pull) + norm(L)))
    assert minimize_exactly(loss).residual == pytest.approx(expected)


def test_zero_features_have_zero_residual():
    found = minimize_exactly(EnhancementLoss(np.zeros((4, 2)), np.zeros((4, 3)), 0.0, 0.0))
    assert_allclose(found.W, 0)
    assert found.residual == 0


def problem(rng, repeated=0, width=0.4, n=50):
    X = make_artificial(n, random_state=0)[0]
    X[:repeated] = X[n - repeated :]
    L = (rng.random((n, 3)) < 0.5).astype(float)
    return X, gaussian(squared_distances(X), width), L, laplacian(neighbor_graph(X, 4))


def loss_of(K, L, smoothness, S):
    return EnhancementLoss(np.column_stack([K, np.ones(len(K))]), L, 0.0, smoothness, S)


@pytest.mark.parametrize("repeated", [0, 7])
def test_kernel_range_reproduces_kernel(rng, repeated):
    _, K, _, _ = problem(rng, repeated)
    span = KernelRange.of(K)
    assert len(span.chosen) == 50 - repeated
    assert sorted([*span.chosen, *span.others]) == list(range(50))
    block = K[np.ix_(span.chosen, span.chosen)]
    assert_allclose(span.extend(block), K[:, span.chosen], atol=1e-10)
    V = rng.normal(size=(50, 2))
    assert_allclose(span.gather(V), span.extend(np.eye(len(span.chosen))).T @ V, atol=1e-10)


@pytest.mark.parametrize("repeated", [0, 7])
@pytest.mark.parametrize("smoothness", [0, 0.01, 1.0])
def test_kernel_range_minimises_loss(rng, repeated, smoothness):
    _, K, L, S = problem(rng, repeated)
    loss = loss_of(K, L, smoothness, S)
    W = minimize_over_kernel_range(K, L, smoothness, S)
    value, gradient = loss.value_and_gradient(W)
    reference = bidirectional._least_squares(loss)
    assert value <= loss.value_and_gradient(reference)[0] * (1 + 1e-9) + 1e-12
    assert np.abs(gradient).max() < 1e-8
    assert_allclose(loss.features @ W, loss.features @ reference, atol=1e-7)
    if not repeated:
        assert_allclose(W, reference, rtol=1e-5, atol=1e-7 * np.abs(W).max())
    assert minimize_exactly(loss).residual < 1e-12


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
    assert minimize_over_kernel_range(K, L, 0, None) is None
    loss = loss_of(K, L, 0, None)
    assert np.abs(loss.value_and_gradient(minimize_exactly(loss).W)[1]).max() < 1e-10


def test_kernel_range_rejects_inaccurate_scores(rng, monkeypatch):
    _, K, L, S = problem(rng, width=1.5)
    W = minimize_over_kernel_range(K, L, 0.01, S)
    assert W is not None
    assert W.shape == (51, 3)
    monkeypatch.setattr(bidirectional, "REPRODUCTION", 0.0)
    assert minimize_over_kernel_range(K, L, 0.01, S) is None


def test_symmetry_is_checked_in_blocks(rng, monkeypatch):
    monkeypatch.setattr(bidirectional, "SYMMETRY_BLOCK", 3)
    K = rng.normal(size=(8, 8))
    K = K + K.T
    assert bidirectional._is_symmetric(K)
    for row, column in ((1, 7), (0, 2), (4, 0)):
        skew = K.copy()
        skew[row, column] *= 1 + 1e-9
        assert not bidirectional._is_symmetric(skew)
    # Relative rounding is allowed, but not a small absolute difference of small numbers.
    K[1, 7] *= 1 + 1e-14
    assert bidirectional._is_symmetric(K)
    K[1, 7], K[7, 1] = 1e-20, 2e-20
    assert not bidirectional._is_symmetric(K)


def test_duplicate_rows_up_to_rounding_are_not_chosen():
    almost = 1 - SAFETY * EPSILON / 2  # the second pivot is half of the rounding threshold
    span = KernelRange.of(np.array([[1.0, almost], [almost, 1.0]]))
    assert len(span.chosen) == 1
    assert_allclose(span.combinations, 1)
