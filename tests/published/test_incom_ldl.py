import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.datasets import make_artificial
from labeldist.published import IncomLDL
from labeldist.published._incomplete_degrees import ColumnSpace, minimize_incomplete
from labeldist.published.incom_ldl import descend
from labeldist.simplex import softmax
from tests.references import incomplete_degrees_by_search

ACCURATE = {"tol": 1e-10, "max_iter": 50_000}


def data(rng, missing=0.3, n=9, m=2, c=3):
    X = rng.normal(size=(n, m))
    D = softmax(3 * X @ rng.normal(size=(m, c)) + rng.normal(size=(n, c)))
    return X, np.where(rng.random(D.shape) < missing, np.nan, D)


def scores(model, X):
    return X @ model.coef_.T + model.intercept_


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("low_rank", [0.0, 0.02, 0.2])
def test_scores_equal_slow_solution(rng, low_rank, missing):
    X, D = data(rng, missing)
    expected = incomplete_degrees_by_search(X, D, 1.0 - np.isnan(D), low_rank)
    assert expected.min() < 1e-8 or low_rank == 0.2  # a bound is active
    assert_allclose(scores(IncomLDL(low_rank, **ACCURATE).fit(X, D), X), expected, atol=1e-7)


def test_low_rank_lowers_the_rank(rng):
    X, D = data(rng, 0.0, 60, 4, 5)
    sizes = [np.linalg.svd(scores(IncomLDL(w).fit(X, D), X), compute_uv=False) for w in (0.0, 5.0)]
    assert sizes[0][2] > 0.1
    assert sizes[1][2] < 1e-3


@pytest.mark.parametrize("solver", ["admm", "apg"])
def test_large_low_rank_gives_uniform_rows(rng, solver):
    X, D = data(rng)
    model = IncomLDL(1e6, solver=solver, **ACCURATE).fit(X, D)
    assert_allclose(model.predict(X), 1 / 3, atol=1e-5)


def test_proximal_gradient_is_close_to_the_minimum(rng):
    X, D = make_artificial(300, random_state=0)
    D[rng.random(D.shape) < 0.5] = np.nan
    exact, fast = (IncomLDL(0.5, solver=solver).fit(X, D) for solver in ("admm", "apg"))
    assert_allclose(fast.predict(X), exact.predict(X), atol=0.02)
    assert fast.n_iter_ < exact.n_iter_


def test_proximal_gradient_finds_the_minimum_without_active_bounds(rng):
    X = rng.normal(size=(40, 3))
    D = softmax(0.2 * X @ rng.normal(size=(3, 4)))
    observed = np.where(rng.random(D.shape) > 0.3, 1.0, 0.0)
    problem = ColumnSpace.of(X), D, observed, 0.0
    exact = minimize_incomplete(*problem, tol=1e-10, max_iter=20_000)
    descent = descend(*problem, tol=1e-10, max_iter=20_000)
    assert exact.x.min() > 0.01
    assert descent.converged
    assert_allclose(descent.x, exact.x, atol=1e-6)
