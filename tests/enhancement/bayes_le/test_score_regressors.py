import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement._bayes_le.score_regressors import RIDGES, LeaveOneOutRidge


@pytest.fixture
def table(rng):
    return (
        rng.normal(2, 1, size=(25, 4)),
        rng.normal(-1, 1, size=(25, 3)),
        rng.integers(0, 4, size=25).astype(float),
    )


def ridge_by_hand(X, T, weight, ridge):
    """Solve the normal equations with an unpenalised intercept."""
    design = np.column_stack([X, np.ones(len(X))])
    penalty = ridge * np.diag([1.0, 1, 1, 1, 0])
    solution = np.linalg.solve(
        design.T @ (weight[:, None] * design) + penalty, design.T @ (weight[:, None] * T)
    )
    return solution[:-1], solution[-1]


@pytest.mark.parametrize("ridge", RIDGES[[0, 3]])
def test_fit_equals_normal_equations_with_and_without_each_row(table, ridge):
    X, T, weight = table
    fitted = LeaveOneOutRidge(X, weight).fit(T, ridge)
    coef, intercept = ridge_by_hand(X, T, weight, ridge)
    assert_allclose(fitted.coef, coef, atol=1e-12)
    assert_allclose(fitted.intercept, intercept, atol=1e-12)
    assert fitted.ridge == ridge
    for i in range(25):
        coef, intercept = ridge_by_hand(X, T, np.where(np.arange(25) == i, 0, weight), ridge)
        assert_allclose(fitted.left_out[i], X[i] @ coef + intercept, atol=1e-10)


def test_best_ridge_minimises_weighted_leave_one_out_error(table):
    X, T, weight = table
    solver = LeaveOneOutRidge(X / 3, weight)
    errors = [
        (weight[:, None] * (T - solver.fit(T, ridge).left_out) ** 2).sum() for ridge in RIDGES
    ]
    assert solver.fit_best(T).ridge == RIDGES[np.argmin(errors)]
    informative = solver.fit_best(X @ np.ones((4, 2)))
    assert informative.ridge == RIDGES[0]


def test_row_with_full_leverage_stays_finite():
    fitted = LeaveOneOutRidge(np.array([[0.0], [0.0], [1e9]]), np.ones(3)).fit(
        np.array([[0.0], [1.0], [5.0]]), 0.3
    )
    assert np.isfinite(fitted.left_out).all()
    assert_allclose(fitted.left_out[:2, 0], [1.0, 0.0], atol=1e-5)
