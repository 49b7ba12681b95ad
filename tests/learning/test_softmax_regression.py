import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from labeldist._solvers.softmax_loss import CrossEntropy
from labeldist.learning import SoftLabelClassifier, SoftmaxRegression, SoftmaxRegressionCV
from labeldist.metrics import MEASURES, intersection, kl_divergence, top_label
from labeldist.simplex import softmax


@pytest.fixture
def standardised(rng):
    X = rng.normal(size=(80, 4))
    return X, softmax(X @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)))


@pytest.fixture
def table(standardised):
    X, D = standardised
    return X * [1, 30, 0.2, 1] + [0, 100, 0, 5], D


def assert_gradient_vanishes(ridge, X, D, weight=None):
    model = SoftmaxRegression(ridge, tol=1e-11).fit(X, D, weight)
    if sparse.issparse(X):
        X = X.toarray()
    loss = CrossEntropy(np.column_stack([X, np.ones(len(X))]), D, weight)
    W = np.column_stack([model.coef_, model.intercept_]).T
    gradient = loss.value_and_gradient(W)[1]
    gradient[:-1] += ridge * W[:-1]
    size = np.abs(loss.value_and_gradient(0 * W)[1]).max()
    # Values of the loss have 16 digits, so that a search by values finds half of them.
    assert np.abs(gradient).max() < 1e-7 * size


@pytest.mark.parametrize("ridge", [0, 1e-3, 1, 1e3])
def test_gradient_vanishes_at_the_solution(table, rng, ridge):
    assert_gradient_vanishes(ridge, *table)
    assert_gradient_vanishes(ridge, *table, rng.uniform(0, 3, size=80))


def test_more_features_than_rows(rng):
    assert_gradient_vanishes(0.5, rng.normal(size=(20, 50)), rng.dirichlet(np.ones(4), size=20))


@pytest.mark.parametrize("ridge", [0.1, 10])
def test_gradient_vanishes_for_sparse_features(rng, ridge):
    X = sparse.random_array((60, 200), density=0.1, rng=rng, format="csr") + sparse.csr_array(
        np.ones((60, 1)) * np.eye(1, 200)
    )
    D = rng.dirichlet(np.ones(3), size=60)
    assert_gradient_vanishes(ridge, X, D)
    assert_gradient_vanishes(ridge, X, D, rng.uniform(0, 3, size=60))


@pytest.mark.parametrize("n_labels", [2, 3])
def test_equals_logistic_regression_on_repeated_rows(standardised, n_labels):
    X, D = standardised
    D = D[:, :n_labels] / D[:, :n_labels].sum(axis=1, keepdims=True)
    C = 20 if n_labels == 2 else 10
    expected = SoftLabelClassifier(LogisticRegression(C=C, tol=1e-10, max_iter=10_000)).fit(X, D)
    model = SoftmaxRegression(0.1, tol=1e-10).fit(X, D)
    assert_allclose(model.predict(X), expected.predict(X), atol=1e-7)


@pytest.mark.parametrize("degree", [1e-6, 1e-12, 2.2e-16])
@pytest.mark.parametrize("tol", [1e-5, 1e-3])
def test_rare_labels_do_not_end_the_search_early(standardised, degree, tol):
    X, D = standardised
    wide = np.column_stack([D * (1 - degree), np.full(len(D), degree)])
    expected = SoftmaxRegression(0.1).fit(X, D).predict(X)
    found = SoftmaxRegression(0.1, tol=tol).fit(X, wide).predict(X)
    streamed = SoftmaxRegression(0.1, tol=tol).fit_stream([(X, wide)]).predict(X)
    assert_allclose(found[:, :3], expected, atol=20 * tol)
    assert_allclose(streamed[:, :3], expected, atol=20 * tol)
    assert found[:, 3].max() < 10 * degree


def test_ridge_shrinks_the_coefficients(table):
    norms = [np.linalg.norm(SoftmaxRegression(ridge).fit(*table).coef_) for ridge in (0.1, 1, 100)]
    assert norms[0] > norms[1] > norms[2]


@pytest.mark.parametrize(
    ("scoring", "score"),
    [("kl_divergence", lambda D, P: -kl_divergence(D, P)), ("intersection", intersection)],
)
def test_cv_scores_are_those_of_each_fold(table, scoring, score):
    X, D = table
    folds = KFold(3, shuffle=True, random_state=1)
    ridges = [10.0, 0.01, 1000.0]
    model = SoftmaxRegressionCV(ridges, folds, scoring, tol=1e-9).fit(X, D)
    for i, (train, test) in enumerate(folds.split(X)):
        fitted = [SoftmaxRegression(r, tol=1e-9).fit(X[train], D[train]) for r in ridges]
        expected = [score(D[test], one.predict(X[test])) for one in fitted]
        assert_allclose(model.cv_results_[f"split{i}_test_score"], expected, rtol=1e-5)
    mean = model.cv_results_["mean_test_score"]
    assert model.ridge_ == ridges[mean.argmax()]
    assert_allclose(model.coef_, SoftmaxRegression(model.ridge_, tol=1e-9).fit(X, D).coef_)
    custom = SoftmaxRegressionCV(ridges, folds, score, tol=1e-9).fit(X, D)
    assert_allclose(custom.cv_results_["mean_test_score"], mean)


def test_cv_weights_count_in_the_scores(table):
    X, D = table
    weight = np.arange(80) % 3
    train, test = np.split(np.arange(80), 2)
    folds = [(train, test), (test, train)]
    model = SoftmaxRegressionCV([1.0], folds, tol=1e-8).fit(X, D, weight)
    P = SoftmaxRegression(1.0).fit(X[train], D[train], weight[train]).predict(X[test])
    expected = -kl_divergence(D[test], P, sample_weight=weight[test])
    assert_allclose(model.cv_results_["split0_test_score"], expected, rtol=1e-4)


def test_negative_ridges_raise(table):
    with pytest.raises(ValueError, match="'ridge' parameter"):
        SoftmaxRegressionCV([1, -1]).fit(*table)


@pytest.mark.parametrize("scoring", ["kl_divergence", "top_label", "spearman", top_label])
def test_all_ridges_are_scored(standardised, scoring):
    ridges = np.logspace(-3, 9, 13)
    model = SoftmaxRegressionCV(ridges, scoring=scoring).fit(*standardised)
    results = model.cv_results_
    scores = results["mean_test_score"]
    assert np.isfinite(scores).all()
    # Large ridges predict the mean.
    assert_allclose(scores[-3:], scores[-1], rtol=1e-5)
    assert scores[-1] < model.best_score_ - 0.1
    assert results["rank_test_score"][scores.argmax()] == 1
    assert results["params"][2] == {"ridge": results["param_ridge"][2]} == {"ridge": ridges[2]}


def test_the_search_finds_the_best_of_all_ridges(standardised):
    X, D = standardised
    ridges = np.logspace(-3, 3, 20)
    for scale in (1, 30, 1e-3):
        found = SoftmaxRegressionCV(ridges, 3).fit(scale * X, D)
        one_by_one = [SoftmaxRegressionCV([ridge], 3).fit(scale * X, D) for ridge in ridges]
        scores = [model.best_score_ for model in one_by_one]
        assert found.ridge_ == ridges[np.argmax(scores)]


def test_a_feature_of_small_units_can_decide(rng):
    noise = 3 * rng.normal(size=(300, 10))
    decisive = 0.01 * rng.normal(size=300)
    X = np.column_stack([noise, decisive])
    D = softmax(np.outer(decisive, [-100, 100]))
    model = SoftmaxRegressionCV().fit(X[:150], D[:150])
    assert model.ridge_ < 1e-4
    assert model.score(X[150:], D[150:]) > 0.99


SCORINGS = ("kl_divergence", "chebyshev", "clark", "canberra", "cosine", "intersection")


def excess_error(seed):
    """Return the relative excess of the error of the chosen ridge over that of the best one.

    The second figure is that of the score that is stated for it.
    """
    rng = np.random.default_rng(seed)
    spread = (2, 1, 0)[seed % 3]
    scoring = SCORINGS[0] if seed % 2 else SCORINGS[seed // 6 % 6]
    n, m, c = rng.integers([20, 1, 2], [300, 40, 8])
    X = rng.normal(size=(n, m))
    W = rng.normal(size=(m, c)) * rng.exponential(size=(m, 1)) ** 2 * rng.choice([0.1, 0.5, 2])
    D = softmax(X @ W + rng.choice([0.1, 0.5, 2]) * rng.normal(size=(n, c)))
    X *= 10 ** rng.uniform(-spread, spread, size=m)
    if spread == 0:
        X = sparse.csr_array(np.where(rng.random((n, m)) < 0.5, X, 0))
    model = SoftmaxRegressionCV(scoring=scoring).fit(X, D)
    measure = MEASURES[scoring]
    all_precise = SoftmaxRegressionCV(
        scoring=lambda D, P: measure.sign * float(measure.rows(D, P).mean())
    ).fit(X, D)
    perfect = 1 if measure.higher_is_better else 0
    errors = perfect - all_precise.cv_results_["mean_test_score"]
    chosen = errors[all_precise.ridges.index(model.ridge_)]
    stated = perfect - model.best_score_
    return chosen / errors.min() - 1, stated / errors.min() - 1


# The chosen ridge can be too small for the final fit to meet its tolerance.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "n_tables",
    [
        pytest.param(40, marks=pytest.mark.slow),
        pytest.param(200, marks=pytest.mark.soak),
    ],
)
def test_the_search_finds_the_best_ridge_of_features_in_different_units(n_tables):
    excess = np.array([excess_error(seed) for seed in range(n_tables)])
    print("largest excess of the error, in %:", 100 * excess.max(axis=0))
    assert excess.max() < 0.01
