from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from labeldist.datasets import make_artificial
from labeldist.published import LDLSCL, SABFGS, ldl_scl
from labeldist.published.ldl_scl import (
    LocalCodes,
    gauss_newton_step,
    minimize_local_codes,
    search_line,
)
from labeldist.simplex import softmax
from tests.references import gauss_newton_step_by_hand


def problem(rng, n=30, strength=0.3):
    X = rng.normal(size=(n, 4))
    D, centres = (rng.dirichlet(np.ones(5), size=size) for size in (n, 3))
    ridge = np.repeat([0.1, 0.2], [4, 3])[:, None]
    return LocalCodes(X, D, centres, ridge, strength, strength)


def start_of(objective):
    return objective.at(np.zeros((7, 5)), np.ones((len(objective.X), 3)))


def random_point(objective, rng):
    return objective.at(rng.normal(size=(7, 5)), rng.uniform(0.5, 2, size=(len(objective.X), 3)))


def step_from(objective, point):
    return gauss_newton_step(objective, point, *np.linalg.eigh(objective.X.T @ objective.X))


def test_objective_equals_formula(rng):
    objective = replace(problem(rng, n=6), barrier=0.6)
    point = random_point(objective, rng)
    theta, w = np.split(point.coef, [4])
    P = softmax(objective.X @ theta + point.C @ w)
    expected = (objective.D * np.log(objective.D / P)).sum()
    expected += 0.1 * (theta**2).sum() + 0.2 * (w**2).sum()
    for p, codes in zip(P, point.C, strict=True):
        for code, centre in zip(codes, objective.centres, strict=True):
            expected += 0.3 * code * ((p - centre) ** 2).sum() + 0.6 / code
    assert point.value == pytest.approx(expected)


def test_gradients_equal_finite_differences(rng):
    objective = replace(problem(rng, n=8), barrier=0.6)
    point = random_point(objective, rng)
    by_coef, by_codes = objective.gradient(point)

    def value(x):
        return objective.at(x[:35].reshape(7, 5), x[35:].reshape(8, 3)).value

    numeric = approx_fprime(np.concatenate([point.coef.ravel(), point.C.ravel()]), value, 1e-7)
    gradient = np.concatenate([by_coef.ravel(), by_codes.ravel()])
    assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("strength", [1e-3, 0.1, 3.0])
def test_search_descends_to_stationary_point(rng, strength):
    objective = problem(rng, strength=strength)
    solution = minimize_local_codes(objective, np.ones((30, 3)), tol=1e-13, max_iter=2000)
    assert solution.converged
    assert (np.diff(solution.values) <= 0).all()
    assert (solution.point.C > 0).all()
    start = objective.gradient(start_of(objective))
    for found, first in zip(objective.gradient(solution.point), start, strict=True):
        assert np.abs(found).max() < 1e-4 * np.abs(first).max()


def test_steps_with_little_progress_end_search(rng):
    # Rows that equal their cluster's mean have no optimal code: their codes grow for ever.
    objective = problem(rng, strength=0.01)
    objective = replace(objective, D=objective.centres[np.arange(30) % 3])
    solution = minimize_local_codes(objective, np.ones((30, 3)), tol=1e-4, max_iter=500)
    values = np.array(solution.values)
    gains = values[: -ldl_scl.PATIENCE] - values[ldl_scl.PATIENCE :]
    enough = ldl_scl.PATIENCE * 1e-4 * values[0]
    assert solution.converged
    assert (gains[:-1] > enough).all()
    assert gains[-1] <= enough


def test_step_that_increases_objective_is_rejected(rng):
    objective = problem(rng)
    point = start_of(objective)
    right = step_from(objective, point)
    wrong = replace(right, coef=-right.coef, log_codes=-right.log_codes, slope=-1e9)
    assert search_line(objective, point, wrong) is None


@pytest.mark.parametrize("equal_rows", [False, True])
def test_step_solves_gauss_newton_equations(rng, monkeypatch, equal_rows):
    monkeypatch.setattr(ldl_scl, "INNER_TOLERANCE", 1e-13)
    objective = problem(rng, n=6)
    point = random_point(objective, rng)
    if equal_rows:  # the preconditioner is exact
        monkeypatch.setattr(ldl_scl, "INNER_ITERATIONS", 1)
        coef = np.vstack([np.zeros((4, 5)), rng.normal(size=(3, 5))])
        point = objective.at(coef, np.tile([0.5, 1.0, 2.0], (6, 1)))
    step = step_from(objective, point)
    coef, log_codes = gauss_newton_step_by_hand(objective, point)
    assert_allclose(step.coef, coef, atol=1e-8 * np.abs(coef).max())
    assert_allclose(step.log_codes, log_codes, atol=1e-8 * np.abs(log_codes).max())
    by_coef, by_codes = objective.gradient(point)
    slope = np.vdot(by_coef, coef) + np.vdot(point.C * by_codes, log_codes)
    assert step.slope == pytest.approx(slope)


@pytest.fixture(scope="module")
def artificial():
    return make_artificial(150, random_state=0)


def test_one_cluster_has_the_mean_distribution(artificial):
    model = LDLSCL(n_clusters=1).fit(*artificial)
    assert_allclose(model.cluster_distributions_, [artificial[1].mean(axis=0)])


def test_model_without_codes_is_maximum_entropy(artificial):
    X, D = artificial
    expected = SABFGS(tol=1e-8).fit(X, D).coef_
    learner = LDLSCL(ridge=0, code_ridge=1e12, local_correlation=1e-6, barrier=1e-6, tol=1e-10)
    model = learner.fit(X, D)
    centred = model.coef_ - model.coef_.mean(axis=0)
    assert_allclose(centred, expected - expected.mean(axis=0), atol=1e-4)
    assert_allclose(model.intercept_, 0, atol=1e-6)


def test_scores_combine_features_and_regressed_codes(artificial):
    X, D = artificial
    model = LDLSCL().fit(X, D)
    columns = np.column_stack([X, np.ones(len(X))])
    regression = np.linalg.lstsq(columns, model.codes_, rcond=None)[0]
    of_codes = regression @ model.code_coef_.T
    theta = model.coef_.T - of_codes[:-1]
    assert_allclose(model.predict(X), softmax(X @ theta + columns @ of_codes), atol=1e-10)


@pytest.mark.parametrize(
    ("option", "small", "large", "measure"),
    [
        ("ridge", 1e-3, 100.0, lambda model: np.abs(model.coef_).max()),
        ("code_ridge", 1e-3, 1e3, lambda model: np.abs(model.code_coef_).max()),
        ("local_correlation", 1e-3, 1.0, lambda model: np.median(model.codes_)),
        ("barrier", 1.0, 1e-3, lambda model: np.median(model.codes_)),
        ("tol", 1e-9, 1e-2, lambda model: model.n_iter_),
    ],
)
def test_every_option_has_an_effect(artificial, option, small, large, measure):
    others = {"code_ridge": 1e12} if option == "ridge" else {}
    fits = [LDLSCL(**{**others, option: strength}).fit(*artificial) for strength in (small, large)]
    assert measure(fits[1]) < 0.9 * measure(fits[0])
