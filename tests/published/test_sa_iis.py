import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from labeldist.published import SAIIS
from labeldist.published.sa_iis import LONGEST_STEP, ScalingProblem, scale_iteratively
from labeldist.simplex import softmax
from tests.published.softmax_checks import check_minimum, cross_entropy


@pytest.fixture
def problem(rng):
    return ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), size=30))


def test_minimum(table):
    check_minimum(SAIIS(), lambda D, P, _: cross_entropy(D, P), *table)


def test_acceleration_saves_iterations_and_keeps_the_model(table):
    X, D = table
    plain, accelerated = (SAIIS(memory=m, tol=1e-6, max_iter=50_000).fit(X, D) for m in (0, 20))
    assert 3 * accelerated.n_iter_ < plain.n_iter_
    assert_allclose(plain.predict(X), accelerated.predict(X), atol=1e-4)


def test_update_is_root_of_its_equation(problem, rng):
    W = 0.1 * rng.normal(size=(4, 3))
    X = problem.X
    D = problem.D
    P = softmax(problem.X @ W)
    length = np.abs(X).sum(axis=1)
    _, _, update = problem.loss_and_update(W)
    for k, j in np.ndindex(4, 3):
        x, p, d = X[:, k], P[:, j], D[:, j]

        def violation(delta, x=x, p=p, d=d):
            return (x * (p * np.exp(delta * np.sign(x) * length) - d)).sum()

        root = brentq(violation, -5, 5)
        if abs(root) * length.max() < LONGEST_STEP:
            assert_allclose(update[k, j], root, rtol=5e-3)
        assert update[k, j] * root > 0


def test_update_is_limited(problem, rng):
    # Far from the solution both limits are reached.
    _, _, update = problem.loss_and_update(20 * rng.normal(size=(4, 3)))
    longest = LONGEST_STEP / np.abs(problem.X).sum(axis=1).max()
    assert_allclose([update.min(), update.max()], [-longest, longest])


def test_update_without_degrees_is_limited():
    # The predicted degree is exp(-715), a subnormal number, and the observed degree is zero or one.
    problem = ScalingProblem(np.ones((1, 1)), np.array([[1.0, 0.0, 0.0]]))
    _, _, update = problem.loss_and_update(np.array([[-715.0, -715.0, 0.0]]))
    assert_allclose(update[0, 0], LONGEST_STEP)
    assert np.isfinite(update).all()


@pytest.mark.parametrize("memory", [0, 10])
def test_loss_never_increases(rng, memory):
    # Distributions near the boundary, where a combined step would increase the loss.
    problem = ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.full(3, 0.3), size=30))
    losses = []
    for max_iter in range(1, 25):
        W = scale_iteratively(problem, tol=1e-12, max_iter=max_iter, memory=memory).W
        losses.append(problem.loss_and_update(W)[0])
    assert (np.diff(losses) <= 1e-13 * losses[0]).all()
