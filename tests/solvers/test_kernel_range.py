import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._kernels.kernels import gaussian, squared_distances
from labeldist._solvers import bidirectional, kernel_range, sylvester
from labeldist._solvers.bidirectional import EnhancementLoss, minimize_exactly
from labeldist._solvers.bidirectional import KernelRange, minimize_over_kernel_range
from labeldist.datasets import make_artificial


def problem(rng, repeated=0, width=0.4, n=50):
    X = make_artificial(n, random_state=0)[0]
    X[:repeated] = X[n - repeated :]
    L = (rng.random((n, 3)) < 0.5).astype(float)
    return X, gaussian(squared_distances(X), width), L, laplacian(neighbor_graph(X, 4))


def loss_of(K, L, smoothness, S):
    return EnhancementLoss(np.column_stack([K, np.ones(len(K))]), L, 0.0, smoothness, S)


@pytest.mark.parametrize("repeated", [0, 7])
def test_the_columns_of_the_chosen_rows_are_extended_to_all(rng, repeated):
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
def test_no_coefficients_have_a_smaller_loss(rng, repeated, smoothness):
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


def test_equal_rows_with_different_labels_meet_in_the_middle():
    K = np.ones((2, 2))
    W = minimize_over_kernel_range(K, np.array([[1.0], [0.0]]), 0, None)
    assert_allclose(K @ W[:2] + W[2], 0.5)


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
def test_other_matrices_are_left_to_least_squares(K):
    L = np.eye(len(K))[:, :2]
    assert minimize_over_kernel_range(K, L, 0, None) is None
    loss = loss_of(K, L, 0, None)
    assert np.abs(loss.value_and_gradient(minimize_exactly(loss).W)[1]).max() < 1e-10


def test_an_intercept_that_rounding_would_show_is_left_out(rng, monkeypatch):
    _, K, L, S = problem(rng, width=1.5)
    W = minimize_over_kernel_range(K, L, 0.01, S)
    assert W is not None
    assert W.shape == (51, 3)
    monkeypatch.setattr(kernel_range, "REPRODUCTION", 0.0)
    assert minimize_over_kernel_range(K, L, 0.01, S) is None


def test_symmetry_is_judged_in_blocks(rng, monkeypatch):
    monkeypatch.setattr(kernel_range, "BLOCK", 3)
    K = rng.normal(size=(8, 8))
    K = K + K.T
    assert kernel_range._is_symmetric(K)
    for row, column in ((1, 7), (0, 2), (4, 0)):
        skew = K.copy()
        skew[row, column] *= 1 + 1e-9
        assert not kernel_range._is_symmetric(skew)
    # Rounding is forgiven, but not a difference that is small beside other numbers alone.
    K[1, 7] *= 1 + 1e-14
    assert kernel_range._is_symmetric(K)
    K[1, 7], K[7, 1] = 1e-20, 2e-20
    assert not kernel_range._is_symmetric(K)


@pytest.mark.parametrize("exponent", [-40, 40])
def test_the_unit_of_the_labels_does_not_matter(rng, exponent):
    _, K, L, S = problem(rng, width=1.5)
    in_other_units = minimize_over_kernel_range(K, L * 2.0**exponent, 0.01, S)
    assert_allclose(in_other_units, minimize_over_kernel_range(K, L, 0.01, S) * 2.0**exponent, rtol=1e-12)


def test_what_rounding_cannot_tell_from_a_repetition_is_one():
    almost = 1 - sylvester.SAFETY * kernel_range.EPSILON / 2  # the second pivot is half of what counts as rounding
    span = KernelRange.of(np.array([[1.0, almost], [almost, 1.0]]))
    assert len(span.chosen) == 1
    assert_allclose(span.combinations, 1)
