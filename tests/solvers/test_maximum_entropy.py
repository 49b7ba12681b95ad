import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import approx_fprime, brentq

from labeldist._solvers.maximum_entropy import (
    LONGEST_STEP,
    CrossEntropy,
    Preconditioner,
    ScalingProblem,
    scale_iteratively,
    softmax_and_log,
    squared_norm,
)
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    return rng.normal(size=(20, 4)), rng.dirichlet(np.ones(3), size=20), rng.uniform(0, 2, size=(20, 1))


def assert_gradient(function, at):
    numeric = approx_fprime(at.ravel(), lambda w: function(w.reshape(at.shape))[0], 1e-7)
    assert_allclose(function(at)[1].ravel(), numeric, rtol=1e-4, atol=1e-4)


def test_softmax_and_log_accept_large_scores():
    P, log_p = softmax_and_log(np.array([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(P, softmax([[1000.0, 0.0], [1.0, 2.0]]))
    assert_allclose(log_p, [[0.0, -1000.0], np.log(P[1])])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_cross_entropy_and_its_gradient(table, rng, weighted, form):
    X, D, weight = table
    loss = CrossEntropy(form(X), D, weight if weighted else None)
    W = rng.normal(size=(4, 3))
    expected = -(D * np.log(softmax(X @ W)) * (weight if weighted else 1)).sum()
    assert_allclose(loss.value_and_gradient(W)[0], expected)
    assert_gradient(loss.value_and_gradient, W)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_curvature_bounds_hessian_of_loss(table, rng, weighted, form):
    X, D, weight = table
    loss = CrossEntropy(form(X), D, weight if weighted else None)
    W, step = rng.normal(size=(4, 3)), 1e-3 * rng.normal(size=(4, 3))
    change = loss.value_and_gradient(W + step)[1] - loss.value_and_gradient(W - step)[1]
    assert np.vdot(step, change) / 2 <= np.vdot(step, loss.curvature() @ step) * (1 + 1e-6)
    assert_allclose(loss.curvature(), 0.5 * X.T @ ((weight if weighted else 1) * X), atol=1e-13)


def test_squared_norm_and_its_gradient(rng):
    assert_gradient(squared_norm, rng.normal(size=(3, 2)))


def test_preconditioner_turns_curvature_into_identity(rng):
    factor = rng.normal(size=(9, 5)) * [1e-9, 1, 1e9, 1, 10]
    T = Preconditioner.of(factor.T @ factor).T
    assert_allclose(T.T @ factor.T @ factor @ T, np.eye(5), atol=1e-9)


def test_preconditioner_omits_directions_without_curvature(rng):
    factor = np.column_stack([rng.normal(size=(9, 2)), np.zeros(9)])
    factor = np.column_stack([factor, factor[:, 0]])
    curvature = factor.T @ factor
    T = Preconditioner.of(curvature).T
    assert_allclose(T.T @ curvature @ T, np.eye(2), atol=1e-12)
    assert not T[2].any()
    assert T.shape == Preconditioner.of(1e-20 * curvature).T.shape == (4, 2)


def test_preconditioner_composes_with_function(table, rng):
    X, D, _ = table
    precondition = Preconditioner.of(X.T @ X)
    assert_gradient(precondition.compose(CrossEntropy(X, D).value_and_gradient), rng.normal(size=(4, 3)))


@pytest.fixture
def problem(rng):
    return ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), size=30))


def test_scaling_update_is_root_of_its_equation(problem, rng):
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


def test_scaling_update_is_limited(problem, rng):
    # Far from the solution both limits are reached.
    _, _, update = problem.loss_and_update(20 * rng.normal(size=(4, 3)))
    longest = LONGEST_STEP / np.abs(problem.X).sum(axis=1).max()
    assert_allclose([update.min(), update.max()], [-longest, longest])


def test_scaling_update_without_degrees_is_limited():
    # The predicted degree is exp(-715), a subnormal number, and the observed degree is zero or one.
    problem = ScalingProblem(np.ones((1, 1)), np.array([[1.0, 0.0, 0.0]]))
    _, _, update = problem.loss_and_update(np.array([[-715.0, -715.0, 0.0]]))
    assert_allclose(update[0, 0], LONGEST_STEP)
    assert np.isfinite(update).all()


@pytest.mark.parametrize("memory", [0, 10])
def test_scaling_never_increases_loss(rng, memory):
    # Distributions near the boundary, where a combined step would increase the loss.
    problem = ScalingProblem(rng.normal(size=(30, 4)), rng.dirichlet(np.full(3, 0.3), size=30))
    losses = []
    for max_iter in range(1, 25):
        W = scale_iteratively(problem, tol=1e-12, max_iter=max_iter, memory=memory).W
        losses.append(problem.loss_and_update(W)[0])
    assert (np.diff(losses) <= 1e-13 * losses[0]).all()


@pytest.mark.parametrize("memory", [0, np.int64(5), 20])
def test_scaling_satisfies_constraints(problem, memory):
    solution = scale_iteratively(problem, tol=1e-6, max_iter=20_000, memory=memory)
    assert solution.converged
    at_zero = np.abs(problem.X.T @ (1 / 3 - problem.D)).max()
    violation = problem.X.T @ (softmax(problem.X @ solution.W) - problem.D)
    assert np.abs(violation).max() <= 1e-6 * at_zero


def test_acceleration_reduces_updates(problem):
    plain, by_one, by_ten = (
        scale_iteratively(problem, tol=1e-5, max_iter=20_000, memory=memory).n_iter for memory in (0, 1, 10)
    )
    assert by_one < 0.8 * plain
    assert 3 * by_ten < plain


def test_scaling_accepts_sparse_features_and_weights(rng):
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    D, times = rng.dirichlet(np.ones(3), size=30), rng.integers(0, 3, size=30)
    options = {"tol": 1e-7, "max_iter": 5000, "memory": 10}
    repeated = scale_iteratively(ScalingProblem(np.repeat(X, times, axis=0), np.repeat(D, times, axis=0)), **options)
    for form in (np.asarray, sparse.csr_array, sparse.csr_matrix):
        weighted = scale_iteratively(ScalingProblem(form(X), D, times[:, None].astype(float)), **options)
        # W is unique up to a common shift of all labels.
        assert_allclose(softmax(X @ weighted.W), softmax(X @ repeated.W), atol=1e-5)


def test_scaling_reports_convergence(problem):
    solution = scale_iteratively(problem, tol=1e-9, max_iter=2, memory=0)
    assert solution.n_iter == 2
    assert not solution.converged
    enough = scale_iteratively(problem, tol=0.1, max_iter=1000, memory=0)
    at_the_last_update = scale_iteratively(problem, tol=0.1, max_iter=enough.n_iter, memory=0)
    assert at_the_last_update.converged is enough.converged is True


@pytest.mark.parametrize("max_iter", [0, 5])
def test_satisfied_constraints_need_no_update(rng, max_iter):
    uniform = ScalingProblem(rng.normal(size=(8, 3)), np.full((8, 4), 0.25))
    solution = scale_iteratively(uniform, tol=1e-6, max_iter=max_iter, memory=2)
    assert solution.n_iter == 0
    assert solution.converged
    assert not solution.W.any()


@pytest.mark.parametrize("exponent", [-20, 20])
def test_scaling_does_not_depend_on_unit_of_weights(problem, exponent):
    in_other_units = ScalingProblem(problem.X, problem.D, np.full((30, 1), 2.0**exponent))
    options = {"tol": 1e-3, "max_iter": 1000, "memory": 5}
    expected, found = (scale_iteratively(each, **options) for each in (problem, in_other_units))
    assert found.n_iter == expected.n_iter
    assert_array_equal(found.W, expected.W)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_zero_feature_does_not_change_scaling(problem, form):
    with_zeros = ScalingProblem(form(np.insert(problem.X, 2, 0.0, axis=1)), problem.D)
    expected, found = (scale_iteratively(each, tol=1e-3, max_iter=1000, memory=3).W for each in (problem, with_zeros))
    assert not found[2].any()
    assert_allclose(np.delete(found, 2, axis=0), expected, rtol=1e-9)
