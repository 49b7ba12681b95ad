"""Common checks of scikit-learn and of labeldist, and checks of inputs, for every estimator."""

from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import generate_invalid_param_val, make_constraint
from sklearn.utils.estimator_checks import parametrize_with_checks

from labeldist import BDLDL, BDLE, BayesLE, EnhancedLearner, VoteLE
from labeldist.datasets import make_artificial
from labeldist.exceptions import LabelWarning, VanishingGraphWarning
from labeldist.features import KernelFeatures
from labeldist.learning import BlendedLearner, MeanDistribution
from labeldist.metrics import kl_divergence
from labeldist.published import ALDL, KM, PLLE, WSLDLMCSC
from tests.cases import named
from tests.checks import (
    FEATURES,
    LABELS,
    accuracy,
    answers,
    checks_of,
    example,
    is_enhancer,
    takes_logical_labels,
    training_data,
)
from tests.estimators import ENHANCERS, ESTIMATORS, IGNORE_TAG_WARNINGS, LEARNERS, SPECIAL
from tests.frames import any_make, frame

ONE_COLUMN_OF_CLASSES = "passes one class per row; an enhancer needs one column per label"
EXPECTED_FAILURES = {
    "check_regressor_multioutput": "its targets are negative",
    "check_transformer_general": ONE_COLUMN_OF_CLASSES,
    "check_transformer_data_not_an_array": ONE_COLUMN_OF_CLASSES,
    "check_transformer_n_iter": ONE_COLUMN_OF_CLASSES,
    **dict.fromkeys(
        ["check_regressors_train", "check_estimator_sparse_array", "check_estimator_sparse_matrix"],
        "expects one number per row; ALDL learns from numbers, but predicts distributions",
    ),
    "check_complex_data": "the labels are checked before the learners check the features",
    "check_estimators_empty_data_messages": "X may have no columns, since features are optional",
}

pytestmark = IGNORE_TAG_WARNINGS

ignore_label_warnings = pytest.mark.filterwarnings(
    f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}"
)


def expected_failures(estimator):
    if isinstance(estimator, ALDL):
        names = [
            "check_regressors_train",
            "check_estimator_sparse_array",
            "check_estimator_sparse_matrix",
        ]
    elif isinstance(estimator, PLLE | WSLDLMCSC):
        names = []
    elif not is_enhancer(estimator):
        names = ["check_regressor_multioutput"]
        names += ["check_complex_data"] * isinstance(estimator, BlendedLearner)
    elif hasattr(estimator, "transform"):
        names = ["check_transformer_general", "check_transformer_data_not_an_array"]
        names += ["check_transformer_n_iter"] * hasattr(estimator, "max_iter")
    else:
        names = ["check_estimators_empty_data_messages"] * isinstance(estimator, BayesLE)
    return {name: EXPECTED_FAILURES[name] for name in names}


@ignore_label_warnings  # the single target column of these checks
@pytest.mark.filterwarnings(
    f"ignore::{VanishingGraphWarning.__module__}.{VanishingGraphWarning.__name__}"
)
@parametrize_with_checks(ESTIMATORS + SPECIAL, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
every_learner = pytest.mark.parametrize(
    "learner", [e for e in LEARNERS if not takes_logical_labels(e)], ids=repr
)
every_user_of_tags = pytest.mark.parametrize(
    "estimator",
    [e for e in ESTIMATORS if takes_logical_labels(e) and not isinstance(e, VoteLE)],
    ids=repr,
)


@pytest.mark.parametrize(
    ("estimator", "check"),
    [(estimator, check) for estimator in ESTIMATORS for check in checks_of(estimator)],
    ids=lambda value: getattr(value, "__name__", repr(value)),
)
def test_common_checks(estimator, check):
    check(clone(estimator))


def spoil(array, value):
    spoiled = np.array(array, dtype=float)
    spoiled[3, 1] = value
    return spoiled


BAD_TRAINING_DATA = {
    "NaN in X": (lambda X, y: (spoil(X, np.nan), y), "contains NaN"),
    "infinity in X": (lambda X, y: (spoil(X, np.inf), y), "infinity"),
    "NaN in y": (lambda X, y: (X, spoil(y, np.nan)), "NaN|is nan"),
    "infinity in y": (lambda X, y: (X, spoil(y, np.inf)), "infinity|is inf"),
    "fewer rows in y": (lambda X, y: (X, y[:-1]), r"\[40, 39\]"),
    "1-D X": (lambda X, y: (X[:, 0], y), "Expected 2D array, got 1D array"),
    "1-D y": (lambda X, y: (X, y[:, 0]), r"shape \(40,\).*get_dummies"),
    "lists of labels": (lambda X, y: (X, [["joy"], ["joy", "fear"]] * 20), "MultiLabelBinarizer"),
    "negative label": (lambda X, y: (X, spoil(y, -1)), r"(row 3:|data row 4,) column 1,? is -1"),
    "strings in X": (
        lambda X, y: (X.astype(str).astype(object) + "?", y),
        "could not convert string",
    ),
    "strings in y": (lambda X, y: (X, np.full(y.shape, "yes")), "numbers"),
    "no rows": (lambda X, y: (X[:0], y[:0]), "0 sample"),
    "no features": (lambda X, y: (X[:, :0], y), "0 feature"),
    "no labels": (lambda X, y: (X, y[:, :0]), "column per label|0 feature"),
    "no y": (lambda X, y: (X, None), "requires y to be passed"),
}


def accepts(estimator, kind):
    """Return whether an estimator is made for a kind of data that others refuse."""
    if kind == "NaN in y":
        return getattr(estimator, "_accepts_missing", False)
    return kind == "no features" and isinstance(estimator, BayesLE)


@every_estimator
@pytest.mark.parametrize("kind", BAD_TRAINING_DATA)
def test_bad_training_data_raise(estimator, kind):
    change, message = BAD_TRAINING_DATA[kind]
    X, y = change(*training_data(estimator))
    if accepts(estimator, kind):
        assert clone(estimator).fit(X, y).n_features_in_ == X.shape[1]
        return
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y)


@every_learner
def test_learners_check_the_labels(learner):
    X, D, L = example()
    with pytest.warns(LabelWarning, match=r"logical labels.*EnhancedLearner"):
        clone(learner).fit(X, L)
    if not isinstance(learner, WSLDLMCSC):  # it has no score, since it has no rule for new rows
        clone(learner).fit(X, D).score(X, L)  # without a warning, as for any other truth
    D[[2, 5]] = 0
    with pytest.raises(ValueError, match=r"2 row\(s\) .* all zero, first row 2"):
        clone(learner).fit(X, D)


@ignore_label_warnings
@every_user_of_tags
def test_users_of_tags_check_the_labels(estimator):
    X, L = training_data(estimator)
    with pytest.warns(LabelWarning, match="3 in row 3, column 1"):
        clone(estimator).fit(X, spoil(L, 3))
    with pytest.warns(LabelWarning, match="every row"):
        clone(estimator).fit(X, np.ones_like(L))
    L[[1, 4]] = 0
    if isinstance(estimator, KM):
        with pytest.raises(ValueError, match=r"2 of 40 rows .* first row 1"):
            clone(estimator).fit(X, L)
        return
    with pytest.warns(LabelWarning, match=r"^2 of 40 rows"):
        clone(estimator).fit(X, L)


@every_estimator
@pytest.mark.slow
def test_labels_of_every_type(estimator):
    X, _, L = example()
    if not takes_logical_labels(estimator):
        L = np.eye(4)[L.argmax(axis=1)]  # one-hot rows are distributions
    expected = answers(clone(estimator).fit(X, L), X)
    for form in (L.astype(bool), L.astype(int), sparse.csr_array(L), sparse.csc_matrix(L)):
        assert_array_equal(answers(clone(estimator).fit(X, form), X), expected)


@every_estimator
def test_warnings_point_to_the_line_of_the_caller(estimator):
    X, _, L = example()
    fit = "fit_transform" if is_enhancer(estimator) else "fit"
    with pytest.warns(LabelWarning) as caught:
        getattr(clone(estimator), fit)(X, np.ones((len(L), 1)))
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    "estimator",
    [e for e in ESTIMATORS if hasattr(e, "transform") or hasattr(e, "predict")],
    ids=repr,
)
def test_bad_new_rows_raise(estimator):
    X, y = training_data(estimator)
    method = "predict" if hasattr(estimator, "predict") else "transform"
    with pytest.raises(NotFittedError):
        getattr(clone(estimator), method)(X)
    predict = getattr(clone(estimator).fit(frame(pd.DataFrame, X, FEATURES), y), method)
    with pytest.raises(ValueError, match="same order as they were in fit"):
        predict(frame(pl.DataFrame, X, list("adcbe")))
    with pytest.raises(
        ValueError, match=r"unseen at fit time:\n- z\nFeature names seen.*missing:\n- e"
    ):
        predict(frame(pd.DataFrame, X, list("abcdz")))
    predict = getattr(clone(estimator).fit(X, y), method)
    for message, rows in (
        ("4 features, but", X[:, :4]),
        ("contains NaN", spoil(X, np.nan)),
        ("Expected 2D array", X[0]),
    ):
        with named(message), pytest.raises(ValueError, match=message):
            predict(rows)


@pytest.mark.parametrize("estimator", ENHANCERS, ids=repr)
def test_set_output_gives_frames_with_label_names(estimator):
    X, L = training_data(estimator)
    index = [f"item{i}" for i in range(len(X))]
    features = pd.DataFrame(X, index, FEATURES)
    labels = pd.DataFrame(L, index, LABELS)
    fitted = clone(estimator).set_output(transform="pandas")
    table = fitted.fit_transform(features, labels)
    if hasattr(fitted, "transform"):
        assert list(fitted.transform(features).columns) == LABELS
    assert list(table.columns) == LABELS
    assert list(table.index) == index
    fitted = clone(estimator).set_output(transform="polars")
    other = fitted.fit_transform(
        *(frame(pl.DataFrame, array, names) for array, names in ((X, FEATURES), (L, LABELS)))
    )
    assert isinstance(other, pl.DataFrame)
    assert other.columns == LABELS
    assert_allclose(other.to_numpy(), table.to_numpy(), atol=accuracy(estimator))


@pytest.mark.parametrize("learner", [BDLDL(), EnhancedLearner(BDLE(), BDLDL())], ids=repr)
@any_make
def test_score_raises_for_labels_in_another_order(learner, make):
    X, D, L = example()
    y = frame(make, L if takes_logical_labels(learner) else D, LABELS)
    fitted = clone(learner).fit(frame(make, X, FEATURES), y)
    assert fitted.score(frame(make, X, FEATURES), frame(make, D, LABELS)) == fitted.score(
        frame(make, X, FEATURES), D
    )
    with pytest.raises(ValueError, match=r"\['joy', .*got \['fear', 'joy', "):
        fitted.score(frame(make, X, FEATURES), frame(make, D, ["fear", "joy", "calm", "awe"]))
    unnamed = clone(learner).fit(X, np.asarray(y))
    assert unnamed.score(X, frame(make, D, LABELS)) == unnamed.score(X, D)
    with pytest.raises(ValueError, match="must have the labels"):
        unnamed.score(X, frame(make, D, unnamed.label_names_[::-1]))


def invalid_values(constraints):
    """Return values that violate all constraints of a parameter."""
    checked = [make_constraint(constraint) for constraint in constraints]
    values = [object()]
    for constraint in checked:
        with suppress(NotImplementedError):  # a constraint such as a callable has no example
            values.append(generate_invalid_param_val(constraint))
    return [v for v in values if not any(one.is_satisfied_by(v) for one in checked)]


WITH_PARAMETERS = [*ESTIMATORS, *SPECIAL, KernelFeatures()]


@pytest.mark.parametrize("estimator", WITH_PARAMETERS, ids=repr)
def test_every_parameter_has_constraints(estimator):
    assert set(estimator._parameter_constraints) == set(estimator.get_params(deep=False))
    estimator._validate_params()


@pytest.mark.parametrize(
    ("estimator", "name"),
    [(estimator, name) for estimator in WITH_PARAMETERS for name in estimator.get_params(False)],
    ids=str,
)
def test_invalid_parameters_raise_by_name(estimator, name):
    X, y = training_data(estimator)
    for value in invalid_values(estimator._parameter_constraints[name]):
        model = clone(estimator).set_params(**{name: value})
        with pytest.raises(ValueError, match=f"'{name}' parameter of"):
            model.fit(X, y)


# The published model without an intercept predicts degrees of zero.
NOT_BETTER = ("MeanDistribution()", "BDLDL(fit_intercept=False)")


@every_learner
def test_learners_are_better_than_the_mean(learner):
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(200, random_state=1)
    if isinstance(learner, WSLDLMCSC):
        mean = MeanDistribution().fit(new, truth).predict(new)
        P = clone(learner).fit_predict(X, D, new)
        score = 1 - kl_divergence(truth, P) / kl_divergence(truth, mean)
    else:
        score = clone(learner).fit(X, D).score(new, truth)
    assert score > 0.3 or repr(learner) in NOT_BETTER
