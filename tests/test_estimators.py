"""What holds for every estimator: scikit-learn's common checks, ours, and manners towards bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist._tables.feature_cells import CategoryColumns, DateParts, IsMissing, ToNumbers, ToWords
from labeldist.datasets import make_artificial
from labeldist.enhancement import KM
from labeldist.exceptions import LabelWarning, VanishingGraphWarning
from labeldist.features import KernelFeatures
from labeldist.learning import (
    AABP,
    AAKNN,
    EDLLRL,
    LDLLC,
    LDLSCL,
    PTSVM,
    SABFGS,
    SAIIS,
    DistributionForest,
    PTBayes,
)
from tests.checks import (
    ALL_CHECKS,
    FEATURES,
    LABELS,
    accuracy,
    answers,
    example,
    is_enhancer,
    takes_logical_labels,
    training_data,
)
from tests.estimators import ENHANCERS, ESTIMATORS, IGNORE_TAG_WARNINGS, LEARNERS
from tests.frames import MAKES, any_make, frame

ONE_COLUMN_OF_CLASSES = "passes one class a row; an enhancer takes a table with a column a label and says so"
EXPECTED_FAILURES = {
    "check_regressor_multioutput": "its targets are negative, which no distribution is",
    "check_transformer_general": ONE_COLUMN_OF_CLASSES,
    "check_transformer_data_not_an_array": ONE_COLUMN_OF_CLASSES,
    "check_transformer_n_iter": ONE_COLUMN_OF_CLASSES,
    "check_estimators_empty_data_messages": "takes tags without features, so X may have no columns",
}

pytestmark = IGNORE_TAG_WARNINGS


def expected_failures(estimator):
    if not is_enhancer(estimator):
        names = ["check_regressor_multioutput"]
    elif hasattr(estimator, "transform"):
        names = ["check_transformer_general", "check_transformer_data_not_an_array"]
        names += ["check_transformer_n_iter"] * hasattr(estimator, "max_iter")
    else:
        names = ["check_estimators_empty_data_messages"] * isinstance(estimator, BayesLE)
    return {name: EXPECTED_FAILURES[name] for name in names}


# The single target columns of these checks are counts and classes: estimators rightly warn of them.
@pytest.mark.filterwarnings(f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}")
@pytest.mark.filterwarnings(f"ignore::{VanishingGraphWarning.__module__}.{VanishingGraphWarning.__name__}")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


@every_estimator
@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
def test_common(estimator, check):
    check(clone(estimator))


def spoil(array, value):
    spoiled = np.array(array, dtype=float)
    spoiled[3, 1] = value
    return spoiled


BAD_TRAINING_DATA = {
    "NaN in X": (lambda X, y: (spoil(X, np.nan), y), "contains NaN"),
    "infinity in X": (lambda X, y: (spoil(X, np.inf), y), "infinity"),
    "NaN in y": (lambda X, y: (X, spoil(y, np.nan)), "contains NaN"),
    "infinity in y": (lambda X, y: (X, spoil(y, np.inf)), "infinity"),
    "fewer rows in y": (lambda X, y: (X, y[:-1]), r"inconsistent numbers of samples: \[40, 39\]"),
    "1-D X": (lambda X, y: (X[:, 0], y), "Expected 2D array, got 1D array"),
    "1-D y": (lambda X, y: (X, y[:, 0]), "y must have two dimensions.*get_dummies"),
    "lists of labels": (lambda X, y: (X, [["joy"], ["joy", "fear"]] * 20), "differ in length.*MultiLabelBinarizer"),
    "negative label": (lambda X, y: (X, spoil(y, -1)), r"negative in 1 row\(s\), first in row 3: column 1 is -1"),
    "strings in X": (lambda X, y: (X.astype(str).astype(object) + "?", y), "could not convert string"),
    "strings in y": (lambda X, y: (X, np.full(y.shape, "yes")), "numbers only"),
    "no rows": (lambda X, y: (X[:0], y[:0]), "0 sample"),
    "no features": (lambda X, y: (X[:, :0], y), "0 feature"),
    "no labels": (lambda X, y: (X, y[:, :0]), "label columns|0 feature"),
    "no y": (lambda X, y: (X, None), "requires y to be passed"),
}


@every_estimator
@pytest.mark.parametrize("kind", list(BAD_TRAINING_DATA))
def test_bad_training_data_gets_a_clear_error(estimator, kind):
    make, message = BAD_TRAINING_DATA[kind]
    X, y = make(*training_data(estimator))
    if kind == "no features" and isinstance(estimator, BayesLE):
        assert clone(estimator).fit(X, y).n_features_in_ == 0
        return
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y)


@pytest.mark.parametrize("estimator", [e for e in LEARNERS if not takes_logical_labels(e)], ids=repr)
def test_learners_refuse_rows_of_zeros(estimator):
    X, D = training_data(estimator)
    D[[2, 5]] = 0
    with pytest.raises(ValueError, match=r"2 row\(s\) whose degrees are all zero, first row 2"):
        clone(estimator).fit(X, D)


@every_estimator
def test_labels_may_be_of_any_numeric_type_and_sparse(estimator):
    X, _, L = example()
    if not takes_logical_labels(estimator):
        L = np.eye(4)[L.argmax(axis=1)]  # one-hot rows are distributions, too
    expected = answers(clone(estimator).fit(X, L), X)
    for form in (L.astype(bool), L.astype(int), L.astype(float), sparse.csr_array(L), sparse.csc_matrix(L)):
        assert_array_equal(answers(clone(estimator).fit(X, form), X), expected)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if takes_logical_labels(e)], ids=repr)
def test_odd_logical_labels_are_used_with_a_warning(estimator):
    X, L = training_data(estimator)
    with pytest.warns(LabelWarning, match=r"other than 0 and 1, first 3 in row 3, column 1"):
        clone(estimator).fit(X, spoil(L, 3))
    with pytest.warns(LabelWarning, match="Every label is on in every row"):
        clone(estimator).fit(X, np.ones_like(L))


@pytest.mark.filterwarnings(f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}")
@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if takes_logical_labels(e)], ids=repr)
def test_rows_without_a_positive_label_are_told_or_refused(estimator):
    X, L = training_data(estimator)
    L[[1, 4]] = 0
    if isinstance(estimator, KM):
        with pytest.raises(ValueError, match=r"2 of 40 rows have no positive label, first row 1, and KM"):
            clone(estimator).fit(X, L)
        return
    with pytest.warns(LabelWarning, match=r"^2 of 40 rows have no positive label"):
        clone(estimator).fit(X, L)


@pytest.mark.parametrize("estimator", [e for e in LEARNERS if not takes_logical_labels(e)], ids=repr)
def test_logical_labels_where_distributions_belong_are_told(estimator):
    X, D, L = example()
    with pytest.warns(LabelWarning, match="look like logical labels.*EnhancedLearner"):
        clone(estimator).fit(X, L)
    with pytest.warns(LabelWarning, match="look like logical labels"):
        clone(estimator).fit(X, D).score(X, L)


@every_estimator
@pytest.mark.parametrize("way", ["fit", "fit_transform"])
def test_warnings_point_at_the_callers_line(estimator, way):
    X, _, L = example()
    if not hasattr(estimator, way):
        way = "fit"
    with pytest.warns(LabelWarning) as caught:
        getattr(clone(estimator), way)(X, np.ones((len(L), 1)))
    assert {warning.filename for warning in caught} == {__file__}


ANSWERING = [e for e in ESTIMATORS if hasattr(e, "transform") or hasattr(e, "predict")]


def answer(estimator):
    return estimator.predict if hasattr(estimator, "predict") else estimator.transform


@pytest.mark.parametrize("estimator", ANSWERING, ids=repr)
def test_bad_rows_to_predict_for_get_a_clear_error(estimator):
    X, y = training_data(estimator)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        answer(clone(estimator))(X)
    fitted = clone(estimator).fit(frame(pd.DataFrame, X, FEATURES), y)
    for make in MAKES.values():
        with pytest.raises(ValueError, match=r"(?s)same order as they were in fit.*Column 1 is 'd' where fit had 'b'"):
            answer(fitted)(frame(make, X, list("adcbe")))
        with pytest.raises(ValueError, match=r"unseen at fit time:\n- z\nFeature names seen.*missing:\n- e"):
            answer(fitted)(frame(make, X, list("abcdz")))
    fitted = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 5"):
        answer(fitted)(X[:, :4])
    with pytest.raises(ValueError, match="contains NaN"):
        answer(fitted)(spoil(X, np.nan))
    with pytest.raises(ValueError, match="Expected 2D array"):
        answer(fitted)(X[0])


@pytest.mark.parametrize("estimator", [e for e in ENHANCERS if not hasattr(e, "transform")], ids=repr)
def test_enhancers_without_a_rule_for_new_rows_offer_none(estimator):
    X, L = training_data(estimator)
    assert not hasattr(clone(estimator).fit(X, L), "transform")


@pytest.mark.parametrize("estimator", ENHANCERS, ids=repr)
def test_set_output_gives_a_table_with_the_label_names(estimator):
    X, L = training_data(estimator)
    index = [f"item{i}" for i in range(len(X))]
    features, labels = pd.DataFrame(X, index, FEATURES), pd.DataFrame(L, index, LABELS)
    table = clone(estimator).set_output(transform="pandas").fit_transform(features, labels)
    assert list(table.columns) == LABELS
    assert list(table.index) == index
    fitted = clone(estimator).set_output(transform="polars")
    other = fitted.fit_transform(*(frame(pl.DataFrame, array, names) for array, names in ((X, FEATURES), (L, LABELS))))
    assert isinstance(other, pl.DataFrame)
    assert other.columns == LABELS
    assert_allclose(other.to_numpy(), table.to_numpy(), atol=accuracy(estimator))
    if hasattr(fitted, "transform"):
        assert isinstance(fitted.transform(frame(pl.DataFrame, X, FEATURES)), pl.DataFrame)


@pytest.mark.parametrize("learner", [BDLDL(), EnhancedLearner(BDLE(), BDLDL())], ids=repr)
@any_make
def test_scores_and_further_rows_are_refused_for_labels_in_another_order(learner, make):
    X, D, L = example()
    y = frame(make, L if takes_logical_labels(learner) else D, LABELS)
    fitted = clone(learner).fit(frame(make, X, FEATURES), y)
    assert fitted.score(frame(make, X, FEATURES), frame(make, D, LABELS)) == fitted.score(frame(make, X, FEATURES), D)
    with pytest.raises(ValueError, match=r"must have the labels \['joy', .*got \['fear', 'joy', "):
        fitted.score(frame(make, X, FEATURES), frame(make, D, ["fear", "joy", "calm", "awe"]))
    unnamed = clone(learner).fit(X, np.asarray(y))
    assert unnamed.score(X, frame(make, D, LABELS)) == unnamed.score(X, D)
    with pytest.raises(ValueError, match="must have the labels"):
        unnamed.score(X, frame(make, D, unnamed.label_names_[::-1]))


CELLS = [ToNumbers(), ToWords(), DateParts(), IsMissing(), CategoryColumns()]


@pytest.mark.parametrize(
    "estimator",
    [*ESTIMATORS, DistributionForest(), KernelFeatures(), *CELLS],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_parameter_is_checked_as_scikit_learn_does(estimator):
    assert set(estimator._parameter_constraints) == set(estimator.get_params(deep=False))
    estimator._validate_params()


DEFAULTS = [
    BDLDL(),
    BDLDLCV(),
    SABFGS(),
    SAIIS(),
    LDLLC(),
    LDLSCL(),
    EDLLRL(),
    PTBayes(),
    PTSVM(),
    AAKNN(),
    AABP(random_state=0),
]


@pytest.mark.parametrize("learner", DEFAULTS, ids=lambda learner: type(learner).__name__)
def test_the_artificial_set_is_learned_better_than_the_mean(learner):
    assert learner.fit(*make_artificial(300, random_state=0)).score(*make_artificial(200, random_state=1)) > 0.3
