"""LDSVR and PLLE."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit, logit
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge

from labeldist._kernels.kernels import gaussian_kernel
from labeldist.enhancement import GLLE
from labeldist.exceptions import LabelWarning
from labeldist.learning import LDSVR, PLLE
from labeldist.models import load, save


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def ridge_scores(X, T, ridge):
    """Return the scores of kernel ridge regression with a free intercept, which is the limit of a constant kernel."""
    n, (K, _) = len(X), gaussian_kernel(X, "mean")
    system = np.block([[K + ridge * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([T, np.zeros(T.shape[1])]))
    return K @ solution[:-1] + solution[-1]


def test_reference_is_the_kernel_ridge_of_scikit_learn(table):
    X, D = table
    K, _ = gaussian_kernel(X, "mean")
    by_constant = KernelRidge(alpha=0.5, kernel="precomputed").fit(K + 1e6, D).predict(K + 1e6)
    assert_allclose(ridge_scores(X, D, 0.5), by_constant, atol=1e-5)


def test_epsilon_zero_is_kernel_ridge_on_the_log_odds(table):
    X, D = table
    model = LDSVR(C=3.0, epsilon=0, floor=0.02).fit(X, D)
    F = ridge_scores(standardised(X), logit(np.clip(D, 0.02, 0.98)), 8 / 3)
    assert_allclose(model.predict(X), expit(F) / expit(F).sum(axis=1, keepdims=True), atol=1e-10)
    assert model.n_iter_ == 1


def test_gradient_vanishes_at_the_solution(table):
    X, D = table
    C, epsilon = 5.0, 0.1
    model = LDSVR(C, epsilon, tol=1e-9, max_iter=500).fit(X, D)
    K, _ = gaussian_kernel(standardised(X), "mean")
    T = logit(np.clip(D, 0.01, 0.99))

    def objective(B, b):
        u = np.linalg.norm(T - K @ B - b, axis=1)
        return np.trace(B.T @ K @ B) / 2 + C * (np.maximum(0, u / 4 - epsilon) ** 2).sum()

    B, b, step = model.dual_coef_, model.intercept_, 1e-5
    assert (np.abs(B).max(axis=1) < 1e-12).any()
    for i in range(len(B)):
        for direction in np.eye(3):
            change = step * np.outer(np.eye(len(B))[i], direction)
            assert abs(objective(B + change, b) - objective(B - change, b)) / (2 * step) < 1e-6
    for direction in step * np.eye(3):
        assert abs(objective(B, b + direction) - objective(B, b - direction)) / (2 * step) < 1e-6


@pytest.mark.parametrize(
    "options",
    [{"C": 10}, {"epsilon": 0.3}, {"bandwidth": 0.5}, {"floor": 0.2}, {"scale": False}, {"tol": 0.5}],
    ids=str,
)
def test_every_option_has_an_effect(table, options):
    X, D = table[0] * [1, 2, 3, 4], table[1]
    plain, changed = LDSVR(1, 0.1).fit(X, D), LDSVR(**{"C": 1, "epsilon": 0.1, **options}).fit(X, D)
    assert np.abs(plain.predict(X) - changed.predict(X)).max() > 1e-5


def test_degrees_of_zero_and_one_are_clipped(table):
    X, D = table
    corners = np.eye(3)[D.argmax(axis=1)]
    model = LDSVR(1e4, 0, bandwidth=0.1, floor=0.05).fit(X, corners)
    row = np.where(corners > 0, 0.95, 0.05)
    assert_allclose(model.predict(X), row / row.sum(axis=1, keepdims=True), atol=0.01)


def test_too_few_iterations_warn(table):
    with pytest.warns(ConvergenceWarning, match="LDSVR stopped after 1 iterations"):
        LDSVR(10, 0.1, max_iter=1).fit(*table)
    with pytest.warns(ConvergenceWarning, match="PLLE stopped after 1 iterations"):
        PLLE(epsilon=0.5, max_iter=1).fit(table[0], table[1] > 0.3)


@pytest.fixture(scope="module")
def partial():
    """Return features, classes and candidate sets in which each wrong class occurs with probability 0.4."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-3 * rng.normal(size=X.shape)
    return X, y, np.maximum(np.eye(3)[y], rng.random((150, 3)) < 0.4)


def test_partial_labels_are_learned(partial):
    X, y, S = partial
    train, test = np.arange(150) % 2 == 0, np.arange(150) % 2 == 1
    model = PLLE().fit(X[train], S[train])
    assert model.score(X[test], y[test]) > 0.9
    assert_array_equal(model.classes_, [0, 1, 2])
    assert_array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))


def test_singleton_sets_without_tube_are_a_kernel_ridge_classifier(partial):
    X, y, _ = partial
    model = PLLE(0, C=2.0, epsilon=0).fit(X, np.eye(3)[y])
    expected = ridge_scores(standardised(X), np.eye(3)[y], 1 / 4)
    assert_allclose(model.decision_function(X), expected, atol=1e-9)
    assert_array_equal(PLLE(0, C=2.0, epsilon=0).fit(X, y).decision_function(X), model.decision_function(X))


def test_degrees_are_those_of_glle_within_the_candidates(partial):
    X, _, S = partial
    model = PLLE(0.5, n_neighbors=7).fit(X, S)
    D = S * GLLE(0.5, n_neighbors=7, graph_width="mean", output="clip").fit_transform(X, S)
    assert_allclose(model.label_distributions_, D / D.sum(axis=1, keepdims=True), atol=1e-12)
    equal = PLLE(0, bandwidth=0.1).fit(X, S)  # the kernel matrix is well conditioned
    assert_allclose(equal.label_distributions_, S / S.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [{"smoothness": 0}, {"C": 10}, {"epsilon": 0.3}, {"n_neighbors": 3}, {"bandwidth": 1.0}, {"scale": False}],
)
def test_every_option_of_partial_labels_has_an_effect(partial, options):
    X, _, S = partial
    difference = PLLE(**options).fit(X, S).decision_function(X) - PLLE().fit(X, S).decision_function(X)
    assert np.abs(difference).max() > 1e-3


def test_classes_are_column_names_or_known_classes(partial):
    X, y, S = partial
    names = np.array(["setosa", "versicolor", "virginica"])
    model = PLLE().fit(pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(S, columns=names))
    assert_array_equal(model.classes_, names)
    assert model.score(pd.DataFrame(X, columns=list("abcd")), names[y]) > 0.9
    mixed = PLLE().fit(X, pd.DataFrame(S, columns=names)[names[[2, 0, 1]]])
    assert_array_equal(mixed.classes_, names)
    assert_allclose(mixed.decision_function(X), PLLE().fit(X, S).decision_function(X), atol=1e-5)
    with pytest.raises(ValueError, match="Column 0 is 'b' where fit had 'a'"):
        model.predict(pd.DataFrame(X, columns=list("bacd")))
    numbered = PLLE().fit(X, pd.DataFrame(S, columns=[10, 2, 30]))
    assert_array_equal(numbered.classes_, [2, 10, 30])
    assert numbered.score(X, np.array([10, 2, 30])[y]) > 0.9
    known = PLLE().fit(X, names[y])
    assert_array_equal(known.classes_, names)
    assert known.score(X, names[y]) > 0.95
    two = PLLE().fit(X[:100], S[:100, :2])
    assert_allclose(two.decision_function(X) > 0, two.predict(X) == 1)
    assert_array_equal(PLLE().fit(X, sparse.csr_array(S)).predict(X), PLLE().fit(X, S).predict(X))


def test_invalid_candidate_sets(partial):
    X, _, S = partial
    with pytest.raises(NotFittedError):
        PLLE().decision_function(X)
    S = S.copy()
    S[[3, 5]] = 0
    with (
        pytest.warns(LabelWarning, match="2 of 150 rows"),
        pytest.raises(ValueError, match=r"candidate sets.*2 row\(s\) .* all zero, first row 3"),
    ):
        PLLE().fit(X, S)


def test_models_are_saved_and_loaded(partial, table, tmp_path):
    X, _, S = partial
    classifier, learner = PLLE().fit(X, S), LDSVR().fit(*table)
    for model, rows in ((classifier, X), (learner, table[0])):
        save(model, tmp_path / "model.skops")
        assert_array_equal(load(tmp_path / "model.skops").predict(rows), model.predict(rows))
        (tmp_path / "model.skops").unlink()
