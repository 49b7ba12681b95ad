import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from labeldist._solvers.maximum_entropy import CrossEntropy
from labeldist.learning import EDLLRL, LDLLC, SABFGS, SAIIS
from labeldist.simplex import softmax

LEARNERS = [SABFGS(tol=1e-9), SAIIS(tol=1e-9)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(80, 4)) * [1, 3, 0.2, 1]
    D = softmax(X @ rng.normal(size=(4, 3)) + 0.5 * rng.normal(size=(80, 3)))
    return X, D


@every_learner
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_gradient_vanishes_at_the_solution(table, learner, fit_intercept):
    X, D = table
    model = clone(learner).set_params(fit_intercept=fit_intercept).fit(X, D)
    wide = np.column_stack([X, np.ones(80)]) if fit_intercept else X
    W = np.column_stack([model.coef_, model.intercept_]).T if fit_intercept else model.coef_.T
    loss = CrossEntropy(wide, D)
    at_zero = np.abs(loss.value_and_gradient(np.zeros_like(W))[1]).max()
    assert np.abs(loss.value_and_gradient(W)[1]).max() <= 2e-6 * at_zero


def test_sabfgs_equals_weighted_logistic_regression(table):
    X, D = table
    single = LogisticRegression(C=np.inf, fit_intercept=True, tol=1e-10, max_iter=10_000)
    single.fit(np.repeat(X, 3, axis=0), np.tile([0, 1, 2], 80), sample_weight=D.ravel())
    model = SABFGS(fit_intercept=True, tol=1e-9).fit(X, D)
    assert_allclose(model.predict(X), single.predict_proba(X), atol=1e-5)


@every_learner
def test_sparse_features_give_the_same_model(table, rng, learner):
    X, D = table
    X = X * (rng.random(X.shape) < 0.5)
    dense = learner.fit(X, D).predict(X)
    for form in (sparse.csr_array, sparse.csc_matrix):
        assert_allclose(learner.fit(form(X), D).predict(form(X)), dense, atol=1e-5)
        weighted = learner.fit(form(X), D, sample_weight=np.full(80, 2.0)).predict(X)
        assert_allclose(weighted, dense, atol=1e-5)


@pytest.mark.parametrize("learner", [SABFGS(max_iter=1), SAIIS(max_iter=1)], ids=repr)
def test_max_iter_warns(table, learner):
    with pytest.warns(ConvergenceWarning, match="1 iterations.*max_iter"):
        learner.fit(*table)


def test_acceleration_saves_iterations_and_keeps_the_model(table):
    plain, accelerated = (SAIIS(memory=m, tol=1e-6, max_iter=50_000).fit(*table) for m in (0, 20))
    assert 3 * accelerated.n_iter_ < plain.n_iter_
    assert_allclose(plain.predict(table[0]), accelerated.predict(table[0]), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("learner", [SABFGS, SAIIS])
def test_units_of_a_feature_do_not_matter(table, learner, unit):
    X, D = table
    units = np.array([unit, 1, 1, 1])
    plain, scaled = learner(tol=1e-9).fit(X, D), learner(tol=1e-9).fit(X * units, D)
    assert_allclose(scaled.predict(X * units), plain.predict(X), atol=1e-6)
    assert scaled.n_iter_ <= 2 * plain.n_iter_ + 5


@pytest.mark.parametrize("learner", [SABFGS, SAIIS, LDLLC, EDLLRL])
def test_shift_of_the_features_does_not_matter_with_an_intercept(table, learner):
    X, D = table
    plain, shifted = (learner(fit_intercept=True, tol=1e-7).fit(X + shift, D) for shift in (0, 1e6))
    assert_allclose(shifted.predict(X + 1e6), plain.predict(X), atol=1e-6)


@pytest.mark.parametrize("learner", [SABFGS(), SAIIS(), LDLLC(0, 0), EDLLRL(ridge=0)], ids=repr)
def test_zero_features_give_uniform_distributions(learner):
    assert_allclose(learner.fit(np.zeros((6, 2)), np.eye(3)[[0, 0, 0, 1, 1, 2]]).predict([[0.0, 0.0]]), 1 / 3)
