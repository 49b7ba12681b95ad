import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from labeldist._solvers.softmax_loss import through_softmax
from labeldist.datasets import make_artificial
from labeldist.published import EDLLRL
from labeldist.published.edl_lrl import minimize_clustered_low_rank
from labeldist.simplex import softmax


@pytest.fixture(scope="module")
def artificial():
    return make_artificial(150, random_state=0)


def nuclear_norm(P, members):
    return sum(np.linalg.norm(P[rows], "nuc") for rows in members)


@pytest.mark.parametrize("low_rank", [0.0, 0.01, 0.5])
def test_solution_satisfies_conditions_for_a_minimum(rng, low_rank):
    X = rng.normal(size=(40, 3))
    D = softmax(X @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(40, 4)))
    members = [np.arange(i, 40, 3) for i in range(3)]
    ridge = np.array([[0.05], [0.1], [0.0]])

    def value(W):
        P = softmax(X @ W)
        smooth = 0.5 * ((P - D) ** 2).sum() + (ridge * W**2).sum()
        return smooth + low_rank * nuclear_norm(P, members)

    solution = minimize_clustered_low_rank(X, D, members, ridge, low_rank, tol=1e-7, max_iter=3000)
    W, Z = solution.W, solution.Z
    assert solution.converged
    assert solution.values[-1] == pytest.approx(value(W), rel=1e-12)
    assert all(value(W + 1e-2 * rng.normal(size=(3, 4))) >= value(W) for _ in range(20))
    P = softmax(X @ W)
    assert_allclose(Z, P, atol=1e-6)
    # The multiplier is λ₂ times a subgradient of the nuclear norms, and the gradient vanishes.
    for rows in members:
        assert np.linalg.norm(solution.multiplier[rows], 2) <= low_rank * (1 + 1e-6)
    expected = low_rank * nuclear_norm(Z, members)
    assert np.vdot(solution.multiplier, Z) == pytest.approx(expected)
    pull = through_softmax(P, P - D + solution.multiplier)
    assert_allclose(X.T @ pull + 2 * ridge * W, 0, atol=1e-5)


def test_least_squares_without_low_rank(artificial):
    X, D = artificial

    def value(w):
        W = w.reshape(3, 3)
        return 0.5 * ((softmax(X @ W) - D) ** 2).sum() + 0.1 * (W**2).sum()

    expected = minimize(value, np.zeros(9), tol=1e-8).x.reshape(3, 3)
    model = EDLLRL(ridge=0.1, low_rank=0, tol=1e-8).fit(X, D)
    assert model.n_iter_ == len(model.objective_) == 1
    assert_allclose(model.coef_, expected.T, atol=1e-6)


def test_low_rank_decreases_the_nuclear_norm(artificial):
    X, D = artificial
    norms = []
    for strength in (0, 0.1, 1):
        model = EDLLRL(low_rank=strength).fit(X, D)
        members = [model.clusters_ == i for i in range(5)]
        norms.append(nuclear_norm(model.predict(X), members))
    assert norms[0] > norms[1] > norms[2]


def test_ridge_shrinks_all_but_the_intercept(artificial):
    X, D = artificial
    model = EDLLRL(ridge=1e6, low_rank=0, fit_intercept=True, tol=1e-8).fit(X, D)
    assert_allclose(model.coef_, 0, atol=1e-4)
    assert_allclose(model.predict(X[:1]), [D.mean(axis=0)], atol=1e-3)
    assert np.abs(EDLLRL().fit(X, D).coef_).max() > 0.1
