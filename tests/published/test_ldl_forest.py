import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import entr, expit

from labeldist.metrics import kl_divergence
from labeldist.published import LDLForest, ldl_forest
from labeldist.published.ldl_forest import (
    SoftForest,
    fit_soft_forest,
    leaf_probabilities,
    update_leaves,
)
from labeldist.simplex import softmax

SMALL = {"n_estimators": 2, "max_depth": 3, "n_units": 6, "random_state": 0}
K, N, M, C, UNITS = 2, 30, 3, 4, 5


def test_predictions_equal_a_walk_through_the_trees(table, monkeypatch):
    X, D = table
    model = LDLForest(**SMALL, max_iter=3).fit(X, D)
    monkeypatch.setattr(ldl_forest, "BLOCK_ROWS", 7)

    def walk(tree, node, x):
        if node >= 7:
            return model.leaves_[tree, node - 7]
        unit = model.units_[tree, node]
        left = expit(model.unit_coef_[unit] @ x + model.unit_intercept_[unit])
        return left * walk(tree, 2 * node + 1, x) + (1 - left) * walk(tree, 2 * node + 2, x)

    expected = [(walk(0, 0, x) + walk(1, 0, x)) / 2 for x in X[:20]]
    assert_allclose(model.predict(X[:20]), expected, atol=1e-12)


def test_loss_is_the_objective_of_the_trees(table):
    X, D = table
    model = LDLForest(**SMALL | {"n_estimators": 1}, ridge=0.7, max_iter=2).fit(X, D)
    V = model.unit_coef_ * X.std(axis=0, ddof=1)
    assert_allclose(model.loss_, 50 * kl_divergence(D, model.predict(X)) + 0.35 * (V**2).sum())


def test_large_penalty_predicts_the_mean(table):
    X, D = table
    model = LDLForest(**SMALL, ridge=1e9, max_iter=50).fit(X, D)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-4)


def test_options(table):
    X, D = table

    def fit(**options):
        return LDLForest(**SMALL | options).fit(X, D)

    base = fit()
    deep = fit(max_depth=5)
    assert deep.leaves_.shape == (2, 32, 3)
    assert deep.units_.shape == (2, 31)  # more nodes than units
    assert fit(n_estimators=3).leaves_.shape == (3, 8, 3)
    wide = fit(n_units=9)
    assert wide.unit_coef_.shape == (9, 4)
    assert all(len(set(units)) == 7 for units in wide.units_)
    assert fit(ridge=0.01).score(X, D) > base.score(X, D)
    short, long = (fit(max_iter=k, tol=0) for k in (2, 6))
    assert (short.n_iter_, long.n_iter_) == (2, 6)
    assert long.loss_ < short.loss_
    assert fit(tol=0.5).n_iter_ < base.n_iter_
    assert not np.allclose(fit(random_state=1).predict(X), base.predict(X))


def test_a_label_that_never_occurs_has_no_degree(table):
    X, D = table
    predicted = LDLForest(**SMALL).fit(X, np.insert(D, 3, 0, axis=1)).predict(X)
    assert_allclose(predicted[:, 3], 0, atol=1e-12)


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
    D = np.ascontiguousarray(softmax(4 * X @ rng.normal(size=(M, C))).T)
    return SoftForest(X, D, rng.integers(0, UNITS, size=(K, 7)), ridge=0.3)


def test_objective_and_gradient_match_their_definitions(forest, rng):
    theta = rng.normal(size=(M + 1, UNITS))
    q = rng.dirichlet(np.ones(C), size=(K, 8))
    value, gradient = forest.value_and_gradient(theta, q)
    scores = forest.X @ theta[:-1] + theta[-1]
    mu = leaf_probabilities(expit(scores.T[forest.units]))
    divergence = loss(mu, q, forest.D).mean() - entr(forest.D).sum()
    assert_allclose(value, divergence + 0.15 * (theta[:-1] ** 2).sum())
    expected = central_differences(lambda t: forest.value_and_gradient(t, q)[0], theta)
    assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


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
    searched = minimize(lambda z: loss(mu, softmax(z.reshape(4, C))[None], D)[0], np.zeros(4 * C))
    assert_allclose(losses[-1], searched.fun, rtol=1e-6)


def test_rounds_lower_the_objective_until_the_gain_is_small(forest, rng, monkeypatch):
    monkeypatch.setattr(ldl_forest, "LEAF_STEPS", 2)
    monkeypatch.setattr(ldl_forest, "GATE_STEPS", 2)
    theta = rng.normal(size=(M + 1, UNITS))
    solutions = [fit_soft_forest(forest, theta, tol=0.02, max_iter=k) for k in range(1, 30)]
    last = solutions[-1]
    assert 2 < last.n_iter < 29
    assert [solution.n_iter for solution in solutions] == [
        min(k, last.n_iter) for k in range(1, 30)
    ]
    values = np.array([solution.value for solution in solutions[: last.n_iter]])
    gains = -np.diff(values) / values[1:]
    assert (gains[:-1] > 0.02).all()
    assert 0 <= gains[-1] <= 0.02
    assert_allclose(forest.value_and_gradient(last.theta, last.q)[0], last.value)
