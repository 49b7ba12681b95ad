import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy, squared_norm
from labeldist.datasets import make_artificial
from labeldist.learning import LDLSCL


@pytest.fixture(scope="module")
def artificial():
    return make_artificial(150, random_state=0)


def test_the_objective_falls_and_codes_stay_positive(artificial):
    model = LDLSCL().fit(*artificial)
    assert (np.diff(model.objective_) <= 0).all()
    assert (model.codes_ > 0).all()


def test_without_codes_it_is_maximum_entropy_with_a_ridge(artificial):
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


def test_scores_are_those_of_features_and_regressed_codes(artificial):
    X, D = artificial
    model = LDLSCL().fit(X, D)
    columns = np.column_stack([X, np.ones(len(X))])
    codes = columns @ np.linalg.lstsq(columns, model.codes_, rcond=None)[0]
    theta = model.coef_.T - np.linalg.lstsq(columns, model.codes_, rcond=None)[0][:-1] @ model.code_coef_.T
    scores = np.exp(X @ theta + codes @ model.code_coef_.T)
    assert_allclose(model.predict(X), scores / scores.sum(axis=1, keepdims=True), atol=1e-10)


def test_clusters_have_the_mean_distributions_of_their_rows(artificial):
    X, D = artificial
    assert_allclose(LDLSCL(n_clusters=1).fit(X, D).cluster_distributions_, [D.mean(axis=0)])
    assert LDLSCL(n_clusters=3).fit(X, D).codes_.shape == (150, 3)


@pytest.mark.parametrize(
    ("option", "small", "large", "measure"),
    [
        ("ridge", 1e-3, 100.0, lambda model: np.abs(model.coef_).max()),
        ("code_ridge", 1e-3, 1e3, lambda model: np.abs(model.code_coef_).max()),
        ("local_correlation", 1e-3, 1.0, lambda model: np.median(model.codes_)),
        ("barrier", 1.0, 1e-3, lambda model: np.median(model.codes_)),
    ],
)
def test_strengths_have_their_effect(artificial, option, small, large, measure):
    fits = [
        LDLSCL(**{"code_ridge": 1e12 if option == "ridge" else 1e-3, option: strength}).fit(*artificial)
        for strength in (small, large)
    ]
    assert measure(fits[1]) < 0.9 * measure(fits[0])


def test_tol_and_max_iter_end_the_search(artificial):
    loose, tight = (LDLSCL(tol=tol).fit(*artificial) for tol in (1e-2, 1e-9))
    assert loose.n_iter_ < tight.n_iter_
    assert tight.objective_[-1] < loose.objective_[-1]
    with pytest.warns(ConvergenceWarning, match="LDLSCL stopped after 2 iterations"):
        assert LDLSCL(max_iter=2).fit(*artificial).n_iter_ == 2


def test_sparse_features_are_learned_alike(artificial):
    X, D = artificial
    X = np.where(X > 0, X, 0)
    dense, alike = LDLSCL(tol=1e-10).fit(X, D), LDLSCL(tol=1e-10).fit(sparse.csr_array(X), D)
    assert_allclose(alike.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_few_rows(artificial, n):
    X, D = artificial
    model = LDLSCL().fit(X[:n], D[:n])
    assert len(model.cluster_distributions_) == n
    assert_allclose(model.predict(X[:n]).sum(axis=1), 1)


def test_equal_rows_are_answered_with_their_distribution():
    D = np.tile([0.2, 0.5, 0.3], (20, 1))
    model = LDLSCL().fit(np.ones((20, 2)), D)
    assert_allclose(model.predict(np.ones((1, 2))), D[:1], atol=0.02)


@pytest.mark.parametrize("option", ["local_correlation", "barrier"])
def test_strengths_that_must_be_positive(artificial, option):
    with pytest.raises(ValueError, match=f"'{option}' parameter of LDLSCL"):
        LDLSCL(**{option: 0}).fit(*artificial)


def test_no_penalty_on_the_codes_coefficients_is_the_limit_of_small_ones(artificial):
    free, nearly = (LDLSCL(code_ridge=code_ridge).fit(*artificial) for code_ridge in (0, 1e-7))
    assert free.objective_[-1] == pytest.approx(nearly.objective_[-1], rel=1e-3)


def test_codes_that_grow_beside_large_features_stay_within_the_number_range():
    # A row that is its cluster's mean has no best code, and the square of its product with the feature has no number.
    model = LDLSCL().fit([[1e150]], [[1.0, 0.0]])
    assert_allclose(model.predict([[1e150]]), [[1.0, 0.0]], atol=1e-6)


def test_codes_that_grow_until_the_features_leave_the_number_range_end_the_search_with_a_warning():
    X, D = np.full((6, 1), 6.68177811e150), np.full((6, 2), 0.5)
    with pytest.warns(ConvergenceWarning, match="standardise the features"):
        model = LDLSCL(max_iter=30).fit(X, D)
    assert_allclose(model.predict(X), D)
