import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import approx_fprime, minimize
from sklearn.exceptions import ConvergenceWarning

from labeldist.datasets import make_artificial
from labeldist.learning import LDLLC, SABFGS
from labeldist.learning._ldllc import correlated_distance
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 4))
    return X, softmax(X @ rng.normal(size=(4, 3)) + 0.5 * rng.normal(size=(60, 3)))


def penalty_by_hand(theta):
    total = 0.0
    for i in range(theta.shape[1]):
        for j in range(i):
            correlation = np.corrcoef(theta[:, i], theta[:, j])[0, 1]
            total += correlation * np.linalg.norm(theta[:, i] - theta[:, j])
    return total


def objective_by_hand(theta, X, D, ridge, correlation):
    cross_entropy = -(D * np.log(softmax(X @ theta))).sum()
    return cross_entropy + ridge * (theta**2).sum() + correlation * penalty_by_hand(theta)


def test_the_penalty_equals_its_definition_and_its_gradient(rng):
    theta = rng.normal(size=(6, 4))
    value, gradient = correlated_distance(theta)
    assert_allclose(value, penalty_by_hand(theta))
    numeric = approx_fprime(theta.ravel(), lambda t: correlated_distance(t.reshape(6, 4))[0], 1e-7)
    assert_allclose(gradient.ravel(), numeric, atol=1e-5)


def test_kinks_count_as_zero():
    theta = np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 2.0], [5.0, 5.0, 2.0]])
    value, gradient = correlated_distance(theta)
    assert value == 0
    assert np.isfinite(gradient).all()


def test_the_solution_is_a_minimum_of_the_objective(table, rng):
    X, D = table
    model = LDLLC(ridge=0.5, correlation=0.3, tol=1e-9).fit(X, D)
    ours = objective_by_hand(model.coef_.T, X, D, 0.5, 0.3)
    searched = minimize(
        lambda t: objective_by_hand(t.reshape(4, 3), X, D, 0.5, 0.3),
        model.coef_.T.ravel() + 0.01 * rng.normal(size=12),
        method="BFGS",
    )
    assert ours <= searched.fun + 1e-6


def test_without_penalties_it_is_maximum_entropy(table):
    X, D = table
    assert_allclose(LDLLC(0, 0, tol=1e-9).fit(X, D).predict(X), SABFGS(tol=1e-9).fit(X, D).predict(X), atol=1e-6)


@pytest.mark.parametrize(
    "parameters", [{"ridge": 10}, {"correlation": 5}, {"fit_intercept": True}, {"tol": 0.3}], ids=str
)
def test_every_option_has_an_effect(table, parameters):
    X, D = table
    assert np.abs(LDLLC(**parameters).fit(X, D).predict(X) - LDLLC().fit(X, D).predict(X)).max() > 1e-5


def test_correlated_labels_are_drawn_together(rng):
    X = rng.normal(size=(200, 5))
    theta = rng.normal(size=(5, 3))
    theta[:, 1] = theta[:, 0] + 0.3 * rng.normal(size=5)
    D = softmax(X @ theta)
    close, far = (LDLLC(0.1, strength).fit(X, D).coef_ for strength in (20, 0))
    assert np.linalg.norm(close[0] - close[1]) < np.linalg.norm(far[0] - far[1])


def test_without_a_ridge_there_is_no_minimum(table):
    with pytest.raises(ValueError, match="no lower bound unless ridge > 0"):
        LDLLC(ridge=0).fit(*table)


def test_sparse_features_and_weights(table, rng):
    X, D = table
    X = X * (rng.random(X.shape) < 0.5)
    weight = rng.integers(0, 3, size=60)
    model = LDLLC(tol=1e-9)
    expected = model.fit(np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0)).predict(X)
    assert_allclose(model.fit(sparse.csr_array(X), D, sample_weight=weight).predict(X), expected, atol=1e-6)


def test_it_learns_the_artificial_set():
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(300, random_state=1)
    assert LDLLC(fit_intercept=True).fit(X, D).score(new, truth) > 0.9


def test_stopping_early_is_told(table):
    with pytest.warns(ConvergenceWarning, match="LDLLC stopped after"):
        LDLLC(max_iter=1, tol=1e-9).fit(*table)


def test_an_intercept_is_free_of_both_penalties(rng):
    X, D = rng.normal(size=(50, 3)), np.tile([0.8, 0.1, 0.1], (50, 1))
    model = LDLLC(ridge=1e4, fit_intercept=True).fit(X, D)
    assert_allclose(model.predict(X), D, atol=1e-3)
    assert_array_equal(np.abs(model.coef_) < 1e-3, True)


def test_both_searches_share_the_iterations(rng):
    X, D = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(3), size=40)
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        assert LDLLC(max_iter=3, tol=1e-12).fit(X, D).n_iter_ <= 4
