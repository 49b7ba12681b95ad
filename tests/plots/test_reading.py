"""Names come from wherever they are known, and mistakes are told before anything is drawn."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLE, EnhancedLearner
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LP
from labeldist.exceptions import ModelError, NotADistributionError
from labeldist.plots._reading import (
    check_count,
    check_option,
    read_pair,
    read_predictions,
    read_rows,
    read_truth_and_predictions,
)

D = np.array([[0.5, 0.5], [0.2, 0.8]])
FRAME = pd.DataFrame(D, columns=["joy", "fear"], index=["a", "b"])


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(30, random_state=0)
    return X, pd.DataFrame(D, columns=["joy", "fear", "calm"], index=[f"item {i}" for i in range(30)])


def test_names_are_those_of_the_frame():
    table = read_rows(FRAME)
    assert table.label_names == ["joy", "fear"]
    assert table.item_names == ["a", "b"]
    np.testing.assert_array_equal(table.values, D)


def test_frames_of_other_makes_have_label_names_and_no_index():
    for frame in (pl.DataFrame(D, schema=["joy", "fear"]), pa.table({"joy": D[:, 0], "fear": D[:, 1]})):
        table = read_rows(frame)
        assert table.label_names == ["joy", "fear"]
        assert table.item_names == ["0", "1"]
        np.testing.assert_array_equal(table.values, D)


def test_what_has_no_names_is_numbered():
    for table in (read_rows(D), read_rows(D.tolist())):
        assert table.label_names == ["label_0", "label_1"]
        assert table.item_names == ["0", "1"]


def test_names_that_are_given_win():
    table = read_rows(FRAME, label_names=["x", 2], item_names=np.array(["p", "q"]))
    assert table.label_names == ["x", "2"]
    assert table.item_names == ["p", "q"]


@pytest.mark.parametrize("names", [["x"], ["x", "y", "z"], "xy"])
def test_names_are_one_a_column(names):
    with pytest.raises(ValueError, match="label_names must be a list of 2 names"):
        read_rows(D, label_names=names)


def test_only_distributions_are_drawn():
    with pytest.raises(NotADistributionError, match="do not sum to 1, first row 1"):
        read_rows([[1.0, 0.0], [3.0, 2.0]])
    with pytest.raises(ValueError, match="no rows"):
        read_rows(np.empty((0, 3)))


def test_a_pair_has_the_names_of_either_table():
    for true, predicted in ((FRAME, D), (D, FRAME), (FRAME, FRAME)):
        table, values = read_pair(true, predicted)
        assert table.label_names == ["joy", "fear"]
        assert table.item_names == ["a", "b"]
        np.testing.assert_array_equal(values, D)


def test_a_pair_has_the_same_labels():
    with pytest.raises(ValueError, match="same labels"):
        read_pair(FRAME, FRAME[["fear", "joy"]])
    with pytest.raises(ValueError, match="same shape"):
        read_pair(D, D[:1])


def test_predictions_have_the_names_that_the_estimator_has_seen(data):
    X, D = data
    search = GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [0.1]}, cv=2)
    for estimator in (BDLDL(), make_pipeline(StandardScaler(), BDLDL()), search):
        assert read_predictions(estimator.fit(X, D), X).label_names == ["joy", "fear", "calm"]
    estimator = EnhancedLearner(BDLE(), BDLDL()).fit(X, pd.DataFrame(binarize(D), columns=D.columns))
    assert read_predictions(estimator, X).label_names == ["joy", "fear", "calm"]


def test_items_have_the_names_of_the_rows_that_are_predicted_for(data):
    X, D = data
    frame = pd.DataFrame(X, columns=list("abc"), index=D.index)
    assert read_predictions(BDLDL().fit(frame, D), frame[:2]).item_names == ["item 0", "item 1"]


def test_enhancers_with_a_rule_for_new_rows_answer_too(data):
    X, D = data
    L = binarize(D)
    enhancer = BDLE().fit(X, L)
    np.testing.assert_allclose(read_predictions(enhancer, X[:4]).values, enhancer.transform(X[:4]))
    framed = BDLE().set_output(transform="pandas").fit(X, pd.DataFrame(L, columns=D.columns))
    assert read_predictions(framed, X).label_names == ["joy", "fear", "calm"]
    with pytest.raises(ModelError, match="LP answers for the rows it was fitted on only"):
        read_predictions(LP().fit(X, L), X)


def test_truth_may_be_counts_and_brings_names(data):
    X, D = data
    model = BDLDL().fit(X, D.to_numpy())
    true, predicted = read_truth_and_predictions(model, X, 7 * D)
    np.testing.assert_allclose(true.values, D)
    np.testing.assert_allclose(predicted, model.predict(X))
    assert true.label_names == ["joy", "fear", "calm"]
    assert true.item_names[:2] == ["item 0", "item 1"]
    true, _ = read_truth_and_predictions(model, X, D, item_names=np.arange(30), label_names=np.array(["x", "y", "z"]))
    assert true.item_names[:2] == ["0", "1"]
    assert true.label_names == ["x", "y", "z"]


def test_truth_has_the_labels_of_the_estimator(data):
    X, D = data
    with pytest.raises(ValueError, match=r"labels \['joy', 'fear', 'calm'\], in this order"):
        read_truth_and_predictions(BDLDL().fit(X, D), X, D[["fear", "joy", "calm"]])
    with pytest.raises(ValueError, match="same shape"):
        read_truth_and_predictions(BDLDL().fit(X, D), X, D[:5])


def test_options_and_counts_are_checked():
    with pytest.raises(ValueError, match="kind must be one of a, b; got 'c'"):
        check_option("kind", "c", ["a", "b"])
    with pytest.raises(ValueError, match="k must be at least 1; got 0"):
        check_count("k", 0)
