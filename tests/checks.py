"""Common checks of all estimators, in addition to those of scikit-learn.

The checks of scikit-learn use a single target column, which for distributions is the constant 1.
These use four labels."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from labeldist import BayesLE, VoteLE
from labeldist.exceptions import LabelWarning
from labeldist.learning import BlendedLearner, DistributionBoosting, DistributionForest
from labeldist.published import AABP, ALDL, CPNN, DLDL, EDL, GLLE, PLLE, LDLForest, LDLogitBoost
from labeldist.simplex import check_distributions
from tests.frames import MAKES, frame

N, M, C = 40, 5, 4
FEATURES = list("abcde")
LABELS = ["joy", "fear", "calm", "awe"]


def example(seed=0):
    """Return features, distributions that depend on them, and logical labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, M))
    scores = np.exp(X[:, :C] + 0.3 * rng.normal(size=(N, C)))
    D = scores / scores.sum(axis=1, keepdims=True)
    L = (D >= np.sort(D, axis=1)[:, [-2]]).astype(np.uint8)
    return X, D, L


def is_enhancer(estimator):
    return hasattr(estimator, "fit_transform")


def takes_logical_labels(estimator):
    return is_enhancer(estimator) or hasattr(estimator, "enhancer")


def training_data(estimator, seed=0):
    X, D, L = example(seed)
    if isinstance(estimator, ALDL | PLLE):  # they learn from one label per row
        return X, D.argmax(axis=1)
    return X, L if takes_logical_labels(estimator) else D


def answers(estimator, X):
    """Return the recovered or predicted distributions of the training rows."""
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.label_distributions_


def accuracy(estimator):
    """Return the accuracy of degrees: 1e-9 for exact solvers, 1e-5 for iterative ones."""
    searches = hasattr(estimator, "max_iter") or getattr(estimator, "solver", None) == "lbfgs"
    return 1e-5 if searches else 1e-9


def monte_carlo_accuracy(estimator):
    """Return the accuracy of degrees if the sampler draws other numbers."""
    return 0.02 if isinstance(estimator, BayesLE | VoteLE) else accuracy(estimator)


def check_output_is_distributions(estimator):
    X, y = training_data(estimator)
    rows = answers(estimator.fit(X, y), X)
    assert rows.shape == (N, C)
    assert rows.dtype == np.float64
    check_distributions(rows, tol=1e-12)


def check_input_is_not_changed(estimator):
    X, y = training_data(estimator)
    before = X.copy(), y.copy()
    X.setflags(write=False)
    y.setflags(write=False)
    answers(estimator.fit(X, y), X)
    assert_array_equal(X, before[0])
    assert_array_equal(y, before[1])


def check_row_order_has_no_effect(estimator):
    X, y = training_data(estimator)
    order = np.random.default_rng(3).permutation(N)
    expected = answers(clone(estimator).fit(X, y), X)[order]
    assert_allclose(
        answers(clone(estimator).fit(X[order], y[order]), X[order]),
        expected,
        atol=accuracy(estimator),
    )


def check_label_order_has_no_effect(estimator):
    X, y = training_data(estimator)
    order = [2, 0, 3, 1]
    expected = answers(clone(estimator).fit(X, y), X)[:, order]
    assert_allclose(
        answers(clone(estimator).fit(X, y[:, order]), X),
        expected,
        atol=monte_carlo_accuracy(estimator),
    )


def check_feature_order_has_no_effect(estimator):
    X, y = training_data(estimator)
    order = [4, 2, 0, 1, 3]
    expected = answers(clone(estimator).fit(X, y), X)
    assert_allclose(
        answers(clone(estimator).fit(X[:, order], y), X[:, order]),
        expected,
        atol=accuracy(estimator),
    )


def check_refit_forgets_the_first_fit(estimator):
    X, y = training_data(estimator)
    other_X, other_y = training_data(estimator, seed=1)
    expected = answers(clone(estimator).fit(X, y), X)
    refitted = clone(estimator).fit(other_X[:20], other_y[:20]).fit(X, y)
    assert_array_equal(answers(refitted, X), expected)


def check_pickling_and_determinism(estimator):
    X, y = training_data(estimator)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(answers(again, X), answers(fitted, X))
    assert_array_equal(answers(clone(estimator).fit(X, y), X), answers(fitted, X))


def check_lists_and_float32(estimator):
    X, y = training_data(estimator)
    expected = answers(clone(estimator).fit(X, y), X)
    assert_allclose(
        answers(clone(estimator).fit(X.tolist(), y.tolist()), X.tolist()),
        expected,
        atol=accuracy(estimator),
    )
    single = X.astype(np.float32)
    rows = answers(clone(estimator).fit(single, y.astype(np.float32)), single)
    assert_allclose(rows, expected, atol=1e-4)
    assert rows.dtype == np.float64


def check_rows_are_predicted_independently(estimator):
    X, y = training_data(estimator)
    fitted = clone(estimator).fit(X, y)
    new = example(seed=7)[0]
    whole = predictions(fitted, new)
    single = [predictions(fitted, new[i : i + 1]) for i in range(N)]
    assert_allclose(np.vstack(single), whole, atol=1e-10)
    assert_allclose(predictions(fitted, new[::-1])[::-1], whole, atol=1e-10)


def check_fit_transform_equals_fit_and_transform(estimator):
    X, y = training_data(estimator)
    together = clone(estimator).fit_transform(X, y)
    fitted = clone(estimator).fit(X, y)
    assert_array_equal(together, fitted.label_distributions_)
    if hasattr(fitted, "transform"):
        assert_allclose(fitted.transform(X), together, atol=1e-9)


def check_weights_equal_repeated_rows(estimator):
    X, y = training_data(estimator)
    weight = np.random.default_rng(2).integers(0, 4, size=N)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight, axis=0))
    found = answers(weighted, X)
    if is_enhancer(estimator):  # its result has the rows of the training data
        found = np.repeat(found, weight, axis=0)
    assert_allclose(found, answers(repeated, X), atol=monte_carlo_accuracy(estimator))


def check_one_label(estimator):
    X, _ = training_data(estimator)
    with pytest.warns(LabelWarning, match="single label column"):
        fitted = clone(estimator).fit(X, np.ones((N, 1)))
    assert_array_equal(answers(fitted, X), np.ones((N, 1)))


def check_frames_and_their_names(estimator):
    X, y = training_data(estimator)
    without_names = clone(estimator).fit(X, y)
    assert without_names.label_names_ == ["label_0", "label_1", "label_2", "label_3"]
    assert not hasattr(without_names, "feature_names_in_")
    for make in MAKES.values():
        features = frame(make, X, FEATURES)
        labels = frame(make, y, LABELS)
        fitted = clone(estimator).fit(features, labels)
        assert fitted.label_names_ == LABELS
        assert list(fitted.feature_names_in_) == FEATURES
        assert_allclose(
            answers(fitted, features), answers(without_names, X), atol=accuracy(estimator)
        )
        if hasattr(fitted, "transform"):
            assert_allclose(
                fitted.transform(features), without_names.transform(X), atol=accuracy(estimator)
            )


def check_sparse_features_have_no_effect(estimator):
    X, y = training_data(estimator)
    X = np.maximum(X, 0)
    expected = answers(clone(estimator).fit(X, y), X)
    found = answers(clone(estimator).fit(sparse.csr_array(X), y), sparse.csc_matrix(X))
    assert_allclose(found, expected, atol=1e-8)


def check_max_iter_limits_the_search_and_warns(estimator):
    name = type(estimator).__name__
    hurried = clone(estimator).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match=f"{name} stopped|did not converge"):
        hurried.fit(*training_data(estimator))
    assert hurried.n_iter_ <= 2


def predictions(fitted, X):
    """Return the distributions of new rows, or None if the estimator has no rule for them."""
    predict = getattr(fitted, "transform", getattr(fitted, "predict", None))
    return None if predict is None else predict(X)


def check_rows_with_other_names_are_paired_by_position(estimator):
    X, y = map(pd.DataFrame, training_data(estimator))
    fitted = clone(estimator).fit(X, y)
    renamed = clone(estimator).fit(X, y.set_axis([f"row {row}" for row in range(N)]))
    assert_allclose(answers(renamed, X), answers(fitted, X), atol=accuracy(estimator))


def check_later_changes_of_the_data_have_no_effect(estimator):
    X, y = training_data(estimator)
    new = example(seed=7)[0]
    for options in ({"scale": True}, {"scale": False}) if hasattr(estimator, "scale") else ({},):
        # Estimators use arrays of these types without a copy.
        features, labels = X.copy(), y.astype(np.float64)
        fitted = clone(estimator).set_params(**options).fit(features, labels)
        expected = predictions(fitted, new), answers(fitted, X).copy()
        features[:], labels[:] = 3.0, 0.5
        assert_array_equal(predictions(fitted, new), expected[0])
        assert_array_equal(answers(fitted, X), expected[1])


NEXT_VALUES = {
    "output": "project",
    "sharpness": 3.0,
    "floor": 0.1,
    "scale": False,
    "kernel": "linear",
    "weights": "distance",
}


def check_set_params_applies_at_the_next_fit(estimator):
    X, y = training_data(estimator)
    fitted = clone(estimator).fit(X, y)
    expected = predictions(fitted, X)
    fitted.set_params(
        **{name: value for name, value in NEXT_VALUES.items() if name in fitted.get_params()}
    )
    assert_array_equal(predictions(fitted, X), expected)


def has_rule_for_new_rows(estimator):
    return hasattr(estimator, "transform") or hasattr(estimator, "predict")


def takes_sparse_features(estimator):
    return get_tags(estimator).input_tags.sparse


def searches_to_a_tolerance(estimator):
    """Return whether the end of the iterations is neither planned nor the exact solution."""
    ends = isinstance(estimator, AABP | CPNN | DLDL | GLLE | LDLForest)
    return hasattr(estimator, "max_iter") and not ends


def takes_weights(estimator):
    return has_fit_parameter(estimator, "sample_weight")


ALWAYS = [
    check_output_is_distributions,
    check_input_is_not_changed,
    check_row_order_has_no_effect,
    check_label_order_has_no_effect,
    check_feature_order_has_no_effect,
    check_refit_forgets_the_first_fit,
    check_pickling_and_determinism,
    check_lists_and_float32,
    check_one_label,
    check_frames_and_their_names,
    check_rows_with_other_names_are_paired_by_position,
    check_later_changes_of_the_data_have_no_effect,
]
IF = {
    check_rows_are_predicted_independently: has_rule_for_new_rows,
    check_set_params_applies_at_the_next_fit: has_rule_for_new_rows,
    check_fit_transform_equals_fit_and_transform: is_enhancer,
    check_max_iter_limits_the_search_and_warns: searches_to_a_tolerance,
    check_sparse_features_have_no_effect: takes_sparse_features,
    check_weights_equal_repeated_rows: takes_weights,
}
# Splits of trees draw features by their position, and `min_samples_leaf` counts rows, not weights.
NOT_FOR_TREES = [check_feature_order_has_no_effect, check_weights_equal_repeated_rows]
EXCEPT = {
    CPNN: [check_label_order_has_no_effect],  # its labels are ordered
    EDL: [check_label_order_has_no_effect],  # by default its labels lie on a circle
    # The degrees of the training rows depend on their tags or votes.
    DLDL: [check_fit_transform_equals_fit_and_transform],
    VoteLE: [check_fit_transform_equals_fit_and_transform],
    # The folds of its weights depend on the order of the rows.
    BlendedLearner: [check_row_order_has_no_effect, check_weights_equal_repeated_rows],
    DistributionForest: NOT_FOR_TREES,
    DistributionBoosting: NOT_FOR_TREES,
    LDLogitBoost: NOT_FOR_TREES,
}


def checks_of(estimator):
    """Return the checks that apply to an estimator."""
    checks = ALWAYS + [check for check, applies in IF.items() if applies(estimator)]
    return [check for check in checks if check not in EXCEPT.get(type(estimator), [])]
