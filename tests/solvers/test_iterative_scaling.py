import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import brentq

from labeldist._solvers.maximum_entropy import LONGEST_STEP, ScalingProblem, scale_iteratively
from labeldist.simplex import softmax


@pytest.fixture
def problem(rng):
    return ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), size=30))


def test_an_update_is_the_root_of_its_equation(problem, rng):
    W = 0.1 * rng.normal(size=(4, 3))
    X, D, P = problem.X, problem.D, softmax(problem.X @ W)
    length = np.abs(X).sum(axis=1)
    _, _, update = problem.loss_and_update(W)
    for k in range(4):
        for j in range(3):

            def violation(delta, k=k, j=j):
                return (P[:, j] * X[:, k] * np.exp(delta * np.sign(X[:, k]) * length) - D[:, j] * X[:, k]).sum()

            root = brentq(violation, -5, 5)
            if abs(root) * length.max() < LONGEST_STEP:
                assert_allclose(update[k, j], root, rtol=5e-3)
            assert update[k, j] * root > 0


def test_no_update_is_longer_than_the_series_holds(problem, rng):
    # Far from the solution both ends are met.
    _, _, update = problem.loss_and_update(20 * rng.normal(size=(4, 3)))
    longest = LONGEST_STEP / np.abs(problem.X).sum(axis=1).max()
    assert_allclose([update.min(), update.max()], [-longest, longest])


@pytest.mark.parametrize("memory", [0, 10])
def test_the_loss_never_rises(rng, memory):
    # Distributions near the edges, where a combined step would raise it.
    problem = ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.full(3, 0.3), size=30))
    losses = []
    for max_iter in range(1, 25):
        W = scale_iteratively(problem, tol=1e-12, max_iter=max_iter, memory=memory).W
        losses.append(problem.loss_and_update(W)[0])
    assert (np.diff(losses) <= 1e-13 * losses[0]).all()


@pytest.mark.parametrize("memory", [0, 5, 20])
def test_the_constraints_hold_at_the_end(problem, memory):
    solution = scale_iteratively(problem, tol=1e-6, max_iter=20_000, memory=memory)
    assert solution.converged
    at_zero = np.abs(problem.X.T @ (1 / 3 - problem.D)).max()
    violation = problem.X.T @ (softmax(problem.X @ solution.W) - problem.D)
    assert np.abs(violation).max() <= 1e-6 * at_zero


def test_acceleration_saves_updates(problem):
    plain, by_one, by_ten = (
        scale_iteratively(problem, tol=1e-5, max_iter=20_000, memory=memory).n_iter for memory in (0, 1, 10)
    )
    assert by_one < 0.8 * plain
    assert 3 * by_ten < plain


def test_sparse_features_and_weights(rng):
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    D, times = rng.dirichlet(np.ones(3), size=30), rng.integers(0, 3, size=30)
    options = {"tol": 1e-7, "max_iter": 5000, "memory": 10}
    repeated = scale_iteratively(ScalingProblem(np.repeat(X, times, axis=0), np.repeat(D, times, axis=0)), **options)
    for form in (np.asarray, sparse.csr_array, sparse.csr_matrix):
        weighted = scale_iteratively(ScalingProblem(form(X), D, times[:, None].astype(float)), **options)
        # W is unique up to a shift of all labels alike.
        assert_allclose(softmax(X @ weighted.W), softmax(X @ repeated.W), atol=1e-5)


def test_stopping_early_is_said(problem):
    solution = scale_iteratively(problem, tol=1e-9, max_iter=2, memory=0)
    assert solution.n_iter == 2
    assert not solution.converged
    enough = scale_iteratively(problem, tol=0.1, max_iter=1000, memory=0)
    at_the_last_update = scale_iteratively(problem, tol=0.1, max_iter=enough.n_iter, memory=0)
    assert at_the_last_update.converged is enough.converged is True


@pytest.mark.parametrize("max_iter", [0, 5])
def test_constraints_that_hold_at_the_start_need_no_update(rng, max_iter):
    uniform = ScalingProblem(rng.normal(size=(8, 3)), np.full((8, 4), 0.25))
    solution = scale_iteratively(uniform, tol=1e-6, max_iter=max_iter, memory=2)
    assert solution.n_iter == 0
    assert solution.converged
    assert not solution.W.any()


@pytest.mark.parametrize("exponent", [-20, 20])
def test_the_unit_of_the_weights_does_not_matter(problem, exponent):
    in_other_units = ScalingProblem(problem.X, problem.D, np.full((30, 1), 2.0**exponent))
    options = {"tol": 1e-3, "max_iter": 1000, "memory": 5}
    expected, found = (scale_iteratively(each, **options) for each in (problem, in_other_units))
    assert found.n_iter == expected.n_iter
    assert_array_equal(found.W, expected.W)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_feature_that_is_always_zero_changes_nothing(problem, form):
    with_zeros = ScalingProblem(form(np.insert(problem.X, 2, 0.0, axis=1)), problem.D)
    expected, found = (scale_iteratively(each, tol=1e-3, max_iter=1000, memory=3).W for each in (problem, with_zeros))
    assert not found[2].any()
    assert_allclose(np.delete(found, 2, axis=0), expected, rtol=1e-9)
