import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from labeldist._solvers.maximum_entropy import CrossEntropy
from labeldist._solvers.softmax_regression import SoftmaxPath
from labeldist.learning import SoftLabelClassifier, SoftmaxRegression, SoftmaxRegressionCV
from labeldist.metrics import clark, intersection, kl_divergence, top_label
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    X = rng.normal(size=(80, 4)) * [1, 30, 0.2, 1] + [0, 100, 0, 5]
    D = softmax((X - X.mean(axis=0)) / X.std(axis=0) @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)))
    return X, D


def penalised_gradient(X, D, coef, intercept, ridge, weight=None):
    loss = CrossEntropy(np.column_stack([X, np.ones(len(X))]), D, None if weight is None else weight[:, None])
    gradient = loss.value_and_gradient(np.column_stack([coef, intercept]).T)[1]
    gradient[:-1] += ridge * coef.T
    return gradient


@pytest.mark.parametrize("ridge", [0, 1e-3, 1, 1e3])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_vanishes_at_the_solution(table, rng, ridge, weighted):
    X, D = table
    weight = rng.uniform(0, 3, size=80) if weighted else None
    model = SoftmaxRegression(ridge, tol=1e-11).fit(X, D, weight)
    size = np.abs(penalised_gradient(X, D, 0 * model.coef_, 0 * model.intercept_, ridge, weight)).max()
    assert np.abs(penalised_gradient(X, D, model.coef_, model.intercept_, ridge, weight)).max() < 1e-8 * size


def test_more_features_than_rows(rng):
    X, D = rng.normal(size=(20, 50)), rng.dirichlet(np.ones(4), size=20)
    model = SoftmaxRegression(0.5, tol=1e-11).fit(X, D)
    size = np.abs(penalised_gradient(X, D, 0 * model.coef_, 0 * model.intercept_, 0.5)).max()
    assert np.abs(penalised_gradient(X, D, model.coef_, model.intercept_, 0.5)).max() < 1e-8 * size


@pytest.mark.parametrize("ridge", [0.1, 10])
def test_equals_logistic_regression_on_repeated_rows(table, ridge):
    X, D = table
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = SoftLabelClassifier(LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=10_000)).fit(X, D)
    model = SoftmaxRegression(ridge, tol=1e-10).fit(X, D)
    assert_allclose(model.coef_, expected.estimator_.coef_, atol=1e-6)
    assert_allclose(model.predict(X), expected.predict(X), atol=1e-7)
    two = D[:, :2] / D[:, :2].sum(axis=1, keepdims=True)
    expected = SoftLabelClassifier(LogisticRegression(C=2 / ridge, tol=1e-10, max_iter=10_000)).fit(X, two)
    assert_allclose(SoftmaxRegression(ridge, tol=1e-10).fit(X, two).predict(X), expected.predict(X), atol=1e-7)


def test_sparse_features_give_the_same_model(table, rng):
    X, D = table
    X = X * (rng.random(X.shape) < 0.5)
    for learner in (SoftmaxRegression(2, tol=1e-10), SoftmaxRegressionCV([1, 10], tol=1e-10)):
        dense = learner.fit(X, D).predict(X)
        assert_allclose(learner.fit(sparse.csr_array(X), D).predict(sparse.csc_matrix(X)), dense, atol=1e-6)


def test_weights_are_repetitions(table, rng):
    X, D = table
    weight = rng.integers(0, 4, size=80)
    repeated = SoftmaxRegression(tol=1e-10).fit(np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0))
    assert_allclose(SoftmaxRegression(tol=1e-10).fit(X, D, weight).coef_, repeated.coef_, atol=1e-6)


def test_start_has_no_effect_on_the_solution(table):
    path = SoftmaxPath.of(*table)
    far = path.solve(1e3, tol=1e-10, max_iter=1000)
    cold, warm = (path.solve(0.1, start=start, tol=1e-10, max_iter=1000) for start in (None, far.point))
    assert_allclose(warm.W, cold.W, atol=1e-7)
    assert_allclose(warm.b, cold.b, atol=1e-5)


def test_labels_that_never_occur_have_degree_zero(table):
    X, D = table
    wide = np.insert(D, 1, 0, axis=1)
    for learner in (SoftmaxRegression(0.1), SoftmaxRegressionCV([0.1], 2)):
        P = learner.fit(X, wide).predict(X)
        assert_allclose(P, np.insert(learner.fit(X, D).predict(X), 1, 0, axis=1))


def test_ridge_and_max_iter(table):
    X, D = table
    norms = [np.linalg.norm(SoftmaxRegression(ridge).fit(X, D).coef_) for ridge in (0.1, 1, 100)]
    assert norms[0] > norms[1] > norms[2]
    with pytest.warns(ConvergenceWarning, match="1 iterations.*max_iter"):
        SoftmaxRegression(0.01, max_iter=1).fit(X, D)


@pytest.mark.parametrize(
    ("scoring", "score"),
    [("kl_divergence", lambda D, P: -kl_divergence(D, P)), ("intersection", intersection), ("clark", None)],
)
def test_cv_scores_are_those_of_each_fold(table, scoring, score):
    X, D = table
    folds, ridges = KFold(3, shuffle=True, random_state=1), [10.0, 0.01, 1000.0]
    score = score or (lambda D, P: -clark(D, P))
    model = SoftmaxRegressionCV(ridges, folds, scoring, tol=1e-9).fit(X, D)
    for i, (train, test) in enumerate(folds.split(X)):
        expected = [
            score(D[test], SoftmaxRegression(r, tol=1e-9).fit(X[train], D[train]).predict(X[test])) for r in ridges
        ]
        assert_allclose(model.cv_results_[f"split{i}_test_score"], expected, rtol=1e-5)
    assert model.ridge_ == ridges[model.cv_results_["mean_test_score"].argmax()]
    assert_allclose(model.coef_, SoftmaxRegression(model.ridge_, tol=1e-9).fit(X, D).coef_)
    custom = SoftmaxRegressionCV(ridges, folds, score, tol=1e-9).fit(X, D)
    assert_allclose(custom.cv_results_["mean_test_score"], model.cv_results_["mean_test_score"])


def test_cv_weights_count_in_the_scores(table):
    X, D = table
    weight = np.arange(80) % 3
    folds = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
    model = SoftmaxRegressionCV([1.0], folds).fit(X, D, weight)
    train, test = folds[0]
    P = SoftmaxRegression(1.0).fit(X[train], D[train], weight[train]).predict(X[test])
    expected = -kl_divergence(D[test], P, sample_weight=weight[test])
    assert_allclose(model.cv_results_["split0_test_score"], expected, rtol=1e-4)


def test_invalid_ridges_raise(table):
    with pytest.raises(ValueError, match="at least one"):
        SoftmaxRegressionCV([]).fit(*table)
    with pytest.raises(ValueError, match="'ridge' parameter"):
        SoftmaxRegressionCV([1, -1]).fit(*table)


@pytest.mark.parametrize("scoring", ["top_label", "spearman", "kendall", top_label])
def test_all_ridges_are_tried_if_scores_are_not_smooth(table, scoring):
    X, D = table
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ridges = np.logspace(-3, 9, 13)
    model = SoftmaxRegressionCV(ridges, scoring=scoring).fit(X, D)
    scores = model.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert scores[-1] == scores[-2] == scores[-3] < model.best_score_ - 0.1  # large ridges predict the mean
    smooth = SoftmaxRegressionCV(ridges).fit(X, D).cv_results_
    assert np.isnan(smooth["mean_test_score"]).any()
    assert smooth["params"][2] == {"ridge": smooth["param_ridge"][2]} == {"ridge": ridges[2]}
