import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from labeldist.exceptions import LabelWarning
from labeldist.published import GLLE, PLLE
from tests.references import kernel_ridge_scores

NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def partial():
    """Return features, classes and candidate sets with 40 % of the wrong classes."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-3 * rng.normal(size=X.shape)
    return X, y, np.maximum(np.eye(3)[y], rng.random((150, 3)) < 0.4)


def test_partial_labels_are_learned(partial):
    X, y, S = partial
    model = PLLE().fit(X[::2], S[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert_array_equal(model.classes_, [0, 1, 2])
    assert_array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))


def test_singleton_sets_without_tube_are_a_kernel_ridge_classifier(partial):
    X, y, _ = partial
    model = PLLE(0, C=2.0, epsilon=0)
    scores = model.fit(X, np.eye(3)[y]).decision_function(X)
    assert_allclose(scores, kernel_ridge_scores(X, np.eye(3)[y], 1 / 4), atol=1e-9)
    assert_array_equal(model.fit(X, y).decision_function(X), scores)


def test_degrees_are_those_of_glle_within_the_candidates(partial):
    X, _, S = partial
    model = PLLE(0.5, n_neighbors=7).fit(X, S)
    D = S * GLLE(0.5, n_neighbors=7, graph_width="mean", output="clip").fit_transform(X, S)
    assert_allclose(model.label_distributions_, D / D.sum(axis=1, keepdims=True), atol=1e-12)
    equal = PLLE(0, bandwidth=0.1).fit(X, S)  # the kernel matrix is well conditioned
    assert_allclose(equal.label_distributions_, S / S.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"smoothness": 0},
        {"C": 10},
        {"epsilon": 0.3},
        {"n_neighbors": 3},
        {"bandwidth": 1.0},
        {"scale": False},
    ],
    ids=str,
)
def test_every_option_has_an_effect(partial, options):
    X, _, S = partial
    plain = PLLE().fit(X, S)
    changed = PLLE(**options).fit(X, S)
    assert np.abs(plain.decision_function(X) - changed.decision_function(X)).max() > 1e-3


def test_classes_are_column_names(partial):
    X, y, S = partial
    features = pd.DataFrame(X, columns=list("abcd"))
    model = PLLE().fit(features, pd.DataFrame(S, columns=NAMES))
    assert_array_equal(model.classes_, NAMES)
    assert model.score(features, NAMES[y]) > 0.9
    with pytest.raises(ValueError, match="same order"):
        model.predict(features[list("bacd")])
    mixed = PLLE().fit(X, pd.DataFrame(S, columns=NAMES)[NAMES[[2, 0, 1]]])
    assert_array_equal(mixed.classes_, NAMES)
    assert_allclose(mixed.decision_function(X), PLLE().fit(X, S).decision_function(X), atol=1e-5)
    numbered = PLLE().fit(X, pd.DataFrame(S, columns=[10, 2, 30]))
    assert_array_equal(numbered.classes_, [2, 10, 30])
    assert numbered.score(X, np.array([10, 2, 30])[y]) > 0.9


def test_one_column_contains_known_classes(partial):
    X, y, _ = partial
    model = PLLE().fit(X, NAMES[y])
    assert_array_equal(model.classes_, NAMES)
    assert model.score(X, NAMES[y]) > 0.95


def test_two_classes_and_sparse_candidates(partial):
    X, _, S = partial
    two = PLLE().fit(X[:100], S[:100, :2])
    assert_array_equal(two.decision_function(X) > 0, two.predict(X) == 1)
    assert_array_equal(PLLE().fit(X, sparse.csr_array(S)).predict(X), PLLE().fit(X, S).predict(X))


def test_unfitted_model_and_empty_candidate_sets_raise(partial):
    X, _, S = partial
    with pytest.raises(NotFittedError):
        PLLE().decision_function(X)
    S = S.copy()
    S[[3, 5]] = 0
    with (
        pytest.warns(LabelWarning, match="2 of 150 rows"),
        pytest.raises(ValueError, match=r"2 row\(s\) .* all zero, first row 3"),
    ):
        PLLE().fit(X, S)


def test_too_few_iterations_warn(partial):
    X, _, S = partial
    with pytest.warns(ConvergenceWarning, match="PLLE stopped after 1 iterations"):
        PLLE(epsilon=0.5, max_iter=1).fit(X, S)
