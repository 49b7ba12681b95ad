import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import entr

from labeldist._solvers.soft_trees import (
    SoftForest,
    fit_soft_forest,
    gate_gradients,
    leaf_probabilities,
    update_leaves,
)
from labeldist._solvers.storage import StandardisedTable
from labeldist.simplex import softmax

K, N, M, C, UNITS = 2, 30, 3, 4, 5


def central_differences(function, point, step=1e-5):
    gradient = np.empty_like(point)
    for index in np.ndindex(*point.shape):
        shift = np.zeros_like(point)
        shift[index] = step
        gradient[index] = (function(point + shift) - function(point - shift)) / (2 * step)
    return gradient


def loss(mu, q, D):
    """Return −Σ d log g of each tree."""
    return -(D * np.log(q.transpose(0, 2, 1) @ mu)).sum(axis=(1, 2))


@pytest.fixture
def forest(rng):
    X = rng.normal(size=(N, M))
    table = StandardisedTable.of(X, np.zeros(M), np.ones(M))
    D = np.ascontiguousarray(softmax(4 * X @ rng.normal(size=(M, C))).T)
    return SoftForest(table, D, rng.integers(0, UNITS, size=(K, 7)), ridge=0.3)


def test_leaf_probabilities_are_products_along_the_way(rng):
    S = rng.uniform(size=(K, 7, N))
    mu = leaf_probabilities(S)
    assert mu.shape == (K, 8, N)
    assert_allclose(mu.sum(axis=1), 1)
    assert_allclose(mu[:, 0], S[:, 0] * S[:, 1] * S[:, 3])
    assert_allclose(mu[:, 5], (1 - S[:, 0]) * S[:, 2] * (1 - S[:, 5]))
    assert_allclose(mu[:, 7], (1 - S[:, 0]) * (1 - S[:, 2]) * (1 - S[:, 6]))


def test_gate_gradients_match_finite_differences(rng):
    logits, slope = rng.normal(size=(K, 7, 2)), rng.normal(size=(K, 8, 2))

    def function(t):
        return (slope * leaf_probabilities(1 / (1 + np.exp(-t)))).sum()

    S = 1 / (1 + np.exp(-logits))
    gradient = gate_gradients(S, slope * leaf_probabilities(S))
    assert_allclose(gradient, central_differences(function, logits), atol=1e-8)


def test_objective_and_gradient_match_their_definitions(forest, rng):
    theta, q = rng.normal(size=(M + 1, UNITS)), rng.dirichlet(np.ones(C), size=(K, 8))
    value, gradient = forest.value_and_gradient(theta, q)
    scores = forest.X.held @ theta[:-1] + theta[-1]
    S = 1 / (1 + np.exp(-scores.T[forest.units]))
    entropy = entr(forest.D).sum()
    assert_allclose(value, loss(leaf_probabilities(S), q, forest.D).mean() - entropy + 0.15 * (theta[:-1] ** 2).sum())
    expected = central_differences(lambda t: forest.value_and_gradient(t, q)[0], theta)
    assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


def test_hard_gates_give_the_mean_of_each_leaf_in_one_step(rng):
    S = (rng.uniform(size=(K, 7, N)) > 0.5).astype(float)
    mu, D = leaf_probabilities(S), rng.dirichlet(np.ones(C), size=N).T
    start = np.full((K, 8, C), 1 / C)
    q = update_leaves(mu, start, D)
    for k, leaf in np.ndindex(K, 8):
        rows = mu[k, leaf] == 1
        assert_allclose(q[k, leaf], D[:, rows].mean(axis=1) if rows.any() else start[k, leaf], atol=1e-14)
    assert_allclose(update_leaves(mu, q, D), q, atol=1e-14)


def test_leaf_steps_lower_the_loss_to_its_minimum(rng):
    mu = leaf_probabilities(rng.uniform(size=(1, 3, N)))
    D = rng.dirichlet(np.ones(C), size=N).T
    q = np.full((1, 4, C), 1 / C)
    losses = []
    for _ in range(3000):
        q = update_leaves(mu, q, D)
        losses.append(loss(mu, q, D)[0])
    assert_allclose(q.sum(axis=2), 1)
    assert (np.diff(losses) <= 1e-12).all()

    def softmax_loss(scores):
        e = np.exp(scores.reshape(1, 4, C))
        return loss(mu, e / e.sum(axis=2, keepdims=True), D)[0]

    assert_allclose(losses[-1], minimize(softmax_loss, np.zeros(4 * C), method="BFGS").fun, rtol=1e-6)


def test_rounds_lower_the_objective_until_the_gain_is_small(forest, rng):
    theta = rng.normal(size=(M + 1, UNITS))
    solutions = [fit_soft_forest(forest, theta, leaf_steps=2, gate_steps=2, tol=0.02, max_iter=k) for k in range(1, 30)]
    values = np.array([solution.value for solution in solutions])
    last = solutions[-1]
    assert 2 < last.n_iter < 29
    assert [solution.converged for solution in solutions] == [k >= last.n_iter for k in range(1, 30)]
    gains = -np.diff(values[: last.n_iter]) / values[1 : last.n_iter]
    assert (gains[:-1] > 0.02).all()
    assert 0 <= gains[-1] <= 0.02
    assert_allclose(forest.value_and_gradient(last.theta, last.q)[0], last.value)
