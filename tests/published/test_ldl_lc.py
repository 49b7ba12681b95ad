import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from labeldist.published import LDLLC, SABFGS
from labeldist.published.ldl_lc import correlated_distance
from labeldist.simplex import softmax


def penalty_by_hand(theta):
    total = 0.0
    for i in range(theta.shape[1]):
        for j in range(i):
            correlation = np.corrcoef(theta[:, i], theta[:, j])[0, 1]
            total += correlation * np.linalg.norm(theta[:, i] - theta[:, j])
    return total


def test_penalty_and_gradient_match_the_definition(rng):
    theta = rng.normal(size=(6, 4))
    value, gradient = correlated_distance(theta)
    assert_allclose(value, penalty_by_hand(theta))
    numeric = approx_fprime(theta.ravel(), lambda t: correlated_distance(t.reshape(6, 4))[0], 1e-7)
    assert_allclose(gradient.ravel(), numeric, atol=1e-5)


def test_penalty_of_equal_and_constant_columns_is_zero():
    value, gradient = correlated_distance(np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 2.0]]))
    assert value == 0
    assert np.isfinite(gradient).all()


def test_solution_is_a_minimum(table, rng):
    X, D = table

    def objective(t):
        theta = t.reshape(4, 3)
        cross_entropy = -(D * np.log(softmax(X @ theta))).sum()
        return cross_entropy + 0.5 * (theta**2).sum() + 0.3 * penalty_by_hand(theta)

    found = LDLLC(ridge=0.5, correlation=0.3, tol=1e-9).fit(X, D).coef_.T.ravel()
    searched = minimize(objective, found + 0.01 * rng.normal(size=12), method="BFGS")
    assert objective(found) <= searched.fun + 1e-6


def test_model_without_penalties_equals_sabfgs(table):
    X, D = table
    expected = SABFGS(tol=1e-9).fit(X, D).predict(X)
    assert_allclose(LDLLC(0, 0, tol=1e-9).fit(X, D).predict(X), expected, atol=1e-6)


def test_correlation_without_ridge_raises(table):
    with pytest.raises(ValueError, match="correlation without ridge"):
        LDLLC(ridge=0).fit(*table)
