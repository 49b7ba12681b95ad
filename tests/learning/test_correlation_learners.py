import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime, minimize
from sklearn.exceptions import ConvergenceWarning

from labeldist._solvers.clustered_low_rank import SoftmaxLeastSquares
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy, squared_norm
from labeldist.datasets import make_artificial
from labeldist.learning import EDLLRL, LDLLC, LDLSCL, SABFGS
from labeldist.learning._correlation_learners import correlated_distance
from labeldist.simplex import softmax


@pytest.fixture(scope="module")
def artificial():
    return make_artificial(150, random_state=0)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 4))
    return X, softmax(X @ rng.normal(size=(4, 3)) + 0.5 * rng.normal(size=(60, 3)))


def reference_penalty(theta):
    total = 0.0
    for i in range(theta.shape[1]):
        for j in range(i):
            correlation = np.corrcoef(theta[:, i], theta[:, j])[0, 1]
            total += correlation * np.linalg.norm(theta[:, i] - theta[:, j])
    return total


def reference_objective(theta, X, D, ridge, correlation):
    cross_entropy = -(D * np.log(softmax(X @ theta))).sum()
    return cross_entropy + ridge * (theta**2).sum() + correlation * reference_penalty(theta)


@pytest.mark.parametrize("learner", [LDLSCL(tol=1e-10), EDLLRL(tol=1e-6)], ids=repr)
def test_sparse_features_give_the_same_predictions(artificial, learner):
    X, D = artificial
    X = np.where(X > 0, X, 0)
    expected = learner.fit(X, D).predict(X)
    assert_allclose(learner.fit(sparse.csr_array(X), D).predict(sparse.csr_array(X)), expected, atol=1e-5)


@pytest.mark.parametrize("learner", [LDLSCL(), EDLLRL()], ids=repr)
@pytest.mark.parametrize("n", [1, 3])
def test_fewer_rows_than_clusters(artificial, learner, n):
    X, D = artificial
    model = learner.fit(X[:n], D[:n])
    n_clusters = len(model.cluster_distributions_) if isinstance(model, LDLSCL) else model.clusters_.max() + 1
    assert n_clusters == n
    assert_allclose(model.predict(X[:n]).sum(axis=1), 1)


@pytest.mark.parametrize(
    "learner", [LDLLC(max_iter=2, tol=1e-9), LDLSCL(max_iter=2), EDLLRL(max_iter=2)], ids=lambda one: type(one).__name__
)
def test_max_iter_limits_the_search_and_warns(artificial, learner):
    name = type(learner).__name__
    with pytest.warns(ConvergenceWarning, match=f"{name} .*max_iter"):
        assert learner.fit(*artificial).n_iter_ in (2, 3)  # LDLLC searches twice, each time at least once


def test_ldllc_penalty_and_gradient_match_the_definition(rng):
    theta = rng.normal(size=(6, 4))
    value, gradient = correlated_distance(theta)
    assert_allclose(value, reference_penalty(theta))
    numeric = approx_fprime(theta.ravel(), lambda t: correlated_distance(t.reshape(6, 4))[0], 1e-7)
    assert_allclose(gradient.ravel(), numeric, atol=1e-5)
    value, gradient = correlated_distance(np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 2.0], [5.0, 5.0, 2.0]]))
    assert value == 0  # equal and constant columns
    assert np.isfinite(gradient).all()


def test_ldllc_solution_is_a_minimum(table, rng):
    X, D = table
    model = LDLLC(ridge=0.5, correlation=0.3, tol=1e-9).fit(X, D)
    searched = minimize(
        lambda t: reference_objective(t.reshape(4, 3), X, D, 0.5, 0.3),
        model.coef_.T.ravel() + 0.01 * rng.normal(size=12),
        method="BFGS",
    )
    assert reference_objective(model.coef_.T, X, D, 0.5, 0.3) <= searched.fun + 1e-6


def test_ldllc_without_penalties_equals_sabfgs(table):
    X, D = table
    assert_allclose(LDLLC(0, 0, tol=1e-9).fit(X, D).predict(X), SABFGS(tol=1e-9).fit(X, D).predict(X), atol=1e-6)


@pytest.mark.parametrize(
    "parameters", [{"ridge": 10}, {"correlation": 5}, {"fit_intercept": True}, {"tol": 0.3}], ids=str
)
def test_every_option_of_ldllc_has_an_effect(table, parameters):
    X, D = table
    assert np.abs(LDLLC(**parameters).fit(X, D).predict(X) - LDLLC().fit(X, D).predict(X)).max() > 1e-5


def test_ldllc_without_ridge_raises(table):
    with pytest.raises(ValueError, match=r"correlation=0\.01 and ridge=0"):
        LDLLC(ridge=0).fit(*table)


def test_ldllc_weights_equal_repeated_rows_for_sparse_features(table, rng):
    X, D = table
    X = X * (rng.random(X.shape) < 0.5)
    weight = rng.integers(0, 3, size=60)
    model = LDLLC(tol=1e-9)
    expected = model.fit(np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0)).predict(X)
    assert_allclose(model.fit(sparse.csr_array(X), D, sample_weight=weight).predict(X), expected, atol=1e-6)


def test_ldlscl_objective_decreases_and_codes_stay_positive(artificial):
    model = LDLSCL().fit(*artificial)
    assert (np.diff(model.objective_) <= 0).all()
    assert (model.codes_ > 0).all()
    assert_allclose(LDLSCL(n_clusters=1).fit(*artificial).cluster_distributions_, [artificial[1].mean(axis=0)])


def test_ldlscl_without_codes_is_maximum_entropy_with_ridge(artificial):
    X, D = artificial
    loss = CrossEntropy(X, D)

    def objective(W):
        value, gradient = loss.value_and_gradient(W)
        norm, norm_gradient = squared_norm(W)
        return value + 0.5 * norm, gradient + 0.5 * norm_gradient

    expected = minimize_lbfgs(objective, np.zeros((3, 3))).X
    model = LDLSCL(ridge=0.5, code_ridge=1e12, local_correlation=1e-6, barrier=1e-6, tol=1e-10).fit(X, D)
    assert_allclose(model.coef_, expected.T, atol=1e-4)
    assert_allclose(model.intercept_, 0, atol=1e-6)


def test_ldlscl_scores_combine_features_and_regressed_codes(artificial):
    X, D = artificial
    model = LDLSCL().fit(X, D)
    columns = np.column_stack([X, np.ones(len(X))])
    regression = np.linalg.lstsq(columns, model.codes_, rcond=None)[0]
    theta = model.coef_.T - regression[:-1] @ model.code_coef_.T
    scores = np.exp(X @ theta + columns @ regression @ model.code_coef_.T)
    assert_allclose(model.predict(X), scores / scores.sum(axis=1, keepdims=True), atol=1e-10)


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
def test_every_option_of_ldlscl_has_an_effect(artificial, option, small, large, measure):
    others = {"code_ridge": 1e12} if option == "ridge" else {}
    fits = [LDLSCL(**{**others, option: strength}).fit(*artificial) for strength in (small, large)]
    assert measure(fits[1]) < 0.9 * measure(fits[0])


def test_ldlscl_codes_of_large_features_do_not_overflow():
    # A row equal to its cluster's mean has no finite optimal code.
    model = LDLSCL().fit([[1e150]], [[1.0, 0.0]])
    assert_allclose(model.predict([[1e150]]), [[1.0, 0.0]], atol=1e-6)
    X, D = np.full((6, 1), 6.68177811e150), np.full((6, 2), 0.5)
    with pytest.warns(ConvergenceWarning, match="LDLSCL"):
        model = LDLSCL(max_iter=30).fit(X, D)
    assert_allclose(model.predict(X), D)


def nuclear_norm(model, X):
    P = model.predict(X)
    return sum(np.linalg.norm(P[model.clusters_ == i], "nuc") for i in range(model.clusters_.max() + 1))


def test_edllrl_without_low_rank_is_least_squares(artificial):
    X, D = artificial
    expected = minimize_lbfgs(SoftmaxLeastSquares(X, D, np.full((3, 1), 0.1)).value_and_gradient, np.zeros((3, 3))).X
    assert_allclose(EDLLRL(ridge=0.1, low_rank=0, tol=1e-8).fit(X, D).coef_, expected.T, atol=1e-6)


def test_edllrl_low_rank_decreases_the_nuclear_norm(artificial):
    norms = [nuclear_norm(EDLLRL(low_rank=strength).fit(*artificial), artificial[0]) for strength in (0, 0.1, 1)]
    assert norms[0] > norms[1] > norms[2]


def test_edllrl_ridge_shrinks_all_but_the_intercept(artificial):
    X, D = artificial
    model = EDLLRL(ridge=1e6, low_rank=0, fit_intercept=True, tol=1e-8).fit(X, D)
    assert_allclose(model.coef_, 0, atol=1e-4)
    assert_allclose(model.predict(X[:1]), [D.mean(axis=0)], atol=1e-3)
    assert np.abs(EDLLRL().fit(X, D).coef_).max() > 0.1
