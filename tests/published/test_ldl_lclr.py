import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist._solvers.softmax_loss import through_softmax
from labeldist.learning import SoftmaxRegression
from labeldist.published import LDLLCLR, SABFGS
from labeldist.published.ldl_lclr import minimize_combinations
from labeldist.simplex import softmax


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 4))
    return X, softmax(X @ rng.normal(size=(4, 4)) + 0.5 * rng.normal(size=(60, 4)))


def test_solution_satisfies_conditions_for_a_minimum(rng):
    X = rng.normal(size=(15, 2))
    D = softmax(X @ rng.normal(size=(2, 4)) + 0.5 * rng.normal(size=(15, 4)))
    ridge = np.array([[0.1], [0.2]])
    pull = 0.05 * (1 - np.eye(4))
    solution = minimize_combinations(
        X, D, ridge, pull, noise=0.3, low_rank=0.5, tol=1e-8, max_iter=20_000
    )
    _, W, S = solution.x
    assert solution.converged
    P = softmax(X @ W)
    error, copy = np.split(solution.z, [15])
    assert_allclose(error, D - P @ S, atol=1e-6)
    assert_allclose(copy, S, atol=1e-6)
    # The multipliers are subgradients, and the derivatives in S and W vanish.
    of_noise, of_rank = np.split(solution.multiplier, [15])
    assert (np.linalg.norm(of_noise, axis=1) <= 0.3 + 1e-6).all()
    assert_allclose(np.vdot(of_noise, error), 0.3 * np.linalg.norm(error, axis=1).sum(), rtol=1e-5)
    assert np.linalg.norm(of_rank, 2) <= 0.5 + 1e-6
    assert_allclose(np.vdot(of_rank, copy), 0.5 * np.linalg.norm(copy, "nuc"), rtol=1e-5)
    assert_allclose(of_rank - P.T @ of_noise - pull, 0, atol=1e-6)
    by_scores = P - D - through_softmax(P, of_noise @ S.T)
    assert_allclose(X.T @ by_scores + 2 * ridge * W, 0, atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_model_without_penalties_is_maximum_entropy(data, fit_intercept):
    X, D = data
    model = LDLLCLR(0, 0, 0, 0, fit_intercept=fit_intercept, tol=1e-8).fit(X, D)
    expected = SABFGS(fit_intercept=fit_intercept, tol=1e-10).fit(X, D).predict(X)
    assert_allclose(model.predict(X), expected, atol=1e-6)


def test_model_with_ridge_only_is_softmax_regression(data):
    X, D = data
    model = LDLLCLR(0.3, 0, 0, 0, fit_intercept=True, tol=1e-8).fit(X, D)
    expected = SoftmaxRegression(0.6, tol=1e-10).fit(X, D).predict(X)
    assert_allclose(model.predict(X), expected, atol=1e-6)


def test_penalties_have_effects(data):
    X, D = data

    def combinations(**options):
        return LDLLCLR(noise=0.5, **options).fit(X, D).combinations_

    ranks = [np.linalg.svd(combinations(low_rank=w), compute_uv=False)[-1] for w in (0.01, 5)]
    assert ranks[0] > 0.1
    assert ranks[1] < 1e-3
    N = ((D[:, :, None] - D[:, None]) ** 2).mean(axis=0)
    pulls = [np.vdot(combinations(low_rank=2, local_correlation=w), N) for w in (0, 2.5)]
    assert pulls[1] > pulls[0] + 0.01
    near, far = (
        D - model.predict(X) @ model.combinations_
        for model in (LDLLCLR(noise=5).fit(X, D), LDLLCLR(noise=0.01).fit(X, D))
    )
    assert np.linalg.norm(near, axis=1).sum() < np.linalg.norm(far, axis=1).sum()


def test_local_correlation_beyond_the_bound_raises(data):
    X, D = data
    differences = ((D[:, :, None] - D[:, None]) ** 2).mean(axis=0)
    bound = 1e-4 / np.linalg.norm(differences, 2)
    with pytest.raises(ValueError, match=f"here {bound:.3g}"):
        LDLLCLR(local_correlation=1.01 * bound).fit(X, D)
    assert LDLLCLR(local_correlation=0.99 * bound).fit(X, D).n_iter_ > 0
