import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime

from labeldist._solvers import clustered_low_rank
from labeldist._solvers.clustered_low_rank import (
    ClusteredLowRank,
    SoftmaxLeastSquares,
    minimize_clustered_low_rank,
)
from labeldist._solvers.maximum_entropy import through_softmax
from labeldist.simplex import softmax


def problem(rng, low_rank=0.5, n=40):
    X = rng.normal(size=(n, 3))
    D = softmax(X @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(n, 4)))
    return ClusteredLowRank(X, D, np.arange(n) % 3, np.full((3, 1), 0.05), low_rank)


def test_gradient_equals_finite_differences(rng):
    X, T, W = rng.normal(size=(8, 3)), rng.dirichlet(np.ones(4), size=8), rng.normal(size=(3, 4))
    loss = SoftmaxLeastSquares(X, T, np.array([[0.3], [0.2], [0.0]]), 1.7)
    numeric = approx_fprime(W.ravel(), lambda w: loss.value_and_gradient(w.reshape(3, 4))[0], 1e-7)
    assert_allclose(loss.value_and_gradient(W)[1].ravel(), numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("low_rank", [0.01, 0.5])
def test_fixed_point_satisfies_conditions_for_a_minimum(rng, low_rank):
    objective = problem(rng, low_rank)
    solution = minimize_clustered_low_rank(objective, tol=1e-7, max_iter=3000)
    assert solution.converged
    P = softmax(objective.X @ solution.W)
    assert_allclose(solution.Z, P, atol=1e-6)
    for rows in objective.members():
        subgradient = solution.multiplier[rows] / low_rank
        assert np.linalg.norm(subgradient, 2) <= 1 + 1e-6
        assert np.vdot(subgradient, solution.Z[rows]) == pytest.approx(np.linalg.norm(solution.Z[rows], "nuc"))
    pull = through_softmax(P, P - objective.D + solution.multiplier)
    assert_allclose(objective.X.T @ pull + 2 * objective.ridge * solution.W, 0, atol=1e-5)
    assert np.ptp(solution.values[-5:]) < 1e-6 * solution.values[-1]
    best = objective.value(solution.W)
    assert best == solution.values[-1] < solution.values[0]
    assert all(objective.value(solution.W + 1e-2 * rng.normal(size=(3, 4))) >= best for _ in range(50))


def test_sparse_features_give_same_coefficients(rng):
    dense = problem(rng)
    alike = ClusteredLowRank(sparse.csr_array(dense.X), dense.D, dense.clusters, dense.ridge, dense.low_rank)
    expected, found = (minimize_clustered_low_rank(o, tol=1e-6, max_iter=20).W for o in (dense, alike))
    assert_allclose(found, expected, atol=1e-5)


def test_zero_low_rank_weight_needs_one_search(rng):
    objective = problem(rng, low_rank=0.0)
    solution = minimize_clustered_low_rank(objective, tol=1e-7, max_iter=9)
    assert solution.converged
    assert solution.values == [objective.value(solution.W)]
    assert_allclose(solution.Z, softmax(objective.X @ solution.W))
    assert not solution.multiplier.any()
    loss = SoftmaxLeastSquares(objective.X, objective.D, objective.ridge)
    assert_allclose(loss.value_and_gradient(solution.W)[1], 0, atol=1e-7)


def test_max_iter_ends_search_without_convergence(rng):
    objective = problem(rng)
    solution = minimize_clustered_low_rank(objective, tol=1e-7, max_iter=2)
    assert solution.converged is False
    assert len(solution.values) == 2
    assert objective.value(solution.W) == solution.values[-1]
    for rows in objective.members():
        # The multiplier is λ₂ times a subgradient of the cluster's nuclear norm.
        subgradient = solution.multiplier[rows] / objective.low_rank
        assert np.linalg.norm(subgradient, 2) <= 1 + 1e-9
        assert np.vdot(subgradient, solution.Z[rows]) == pytest.approx(np.linalg.norm(solution.Z[rows], "nuc"))


@pytest.mark.parametrize("times", [0.01, 100.0])
def test_penalty_is_adapted(rng, monkeypatch, times):
    objective = problem(rng)
    fitting = minimize_clustered_low_rank(objective, tol=1e-4, max_iter=1000)
    monkeypatch.setattr(clustered_low_rank, "START_PENALTY", times * clustered_low_rank.START_PENALTY)
    other = minimize_clustered_low_rank(objective, tol=1e-4, max_iter=1000)
    assert other.converged
    assert len(other.values) < 2 * len(fitting.values)
    assert_allclose(other.W, fitting.W, atol=1e-2)
