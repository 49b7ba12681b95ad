"""Tests of the input of the displays: names and errors."""

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
from labeldist.plots import PredictionDisplay
from labeldist.plots._display import read_pair, read_predictions, read_rows

D = np.array([[0.5, 0.5], [0.2, 0.8]])
FRAME = pd.DataFrame(D, columns=["joy", "fear"], index=["a", "b"])


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(30, random_state=0)
    return X, pd.DataFrame(D, columns=["joy", "fear", "calm"], index=[f"item {i}" for i in range(30)])


@pytest.mark.parametrize(
    ("table", "labels", "items"),
    [
        (FRAME, ["joy", "fear"], ["a", "b"]),
        (pl.DataFrame(D, schema=["joy", "fear"]), ["joy", "fear"], ["0", "1"]),
        (pa.table({"joy": D[:, 0], "fear": D[:, 1]}), ["joy", "fear"], ["0", "1"]),
        (D.tolist(), ["label_0", "label_1"], ["0", "1"]),
    ],
    ids=["pandas", "polars", "pyarrow", "list"],
)
def test_names_of_a_table(table, labels, items):
    rows = read_rows(table)
    assert (list(rows.columns), list(rows.index)) == (labels, items)
    np.testing.assert_array_equal(rows, D)


def test_given_names_have_precedence_and_are_counted():
    rows = read_rows(FRAME, label_names=["x", 2], item_names=np.array(["p", "q"]))
    assert (list(rows.columns), list(rows.index)) == (["x", "2"], ["p", "q"])
    for read in (lambda names: read_rows(FRAME, names), lambda names: read_pair(FRAME, FRAME, names)):
        with pytest.raises(ValueError, match=r"must have the labels \['fear', 'joy'\]"):
            read(["fear", "joy"])
    for names in (["x"], "xy"):
        with pytest.raises(ValueError, match=r"label_names .* 2 names"):
            read_rows(D, label_names=names)


def test_tables_that_are_not_distributions_raise():
    with pytest.raises(NotADistributionError, match="row 1"):
        read_rows([[1.0, 0.0], [3.0, 2.0]])


def test_pair_has_the_names_of_either_table():
    for true, predicted in ((FRAME, D), (D, FRAME), (FRAME, FRAME)):
        rows, values = read_pair(true, predicted)
        assert (list(rows.columns), list(rows.index)) == (["joy", "fear"], ["a", "b"])
        np.testing.assert_array_equal(values, D)


def test_predictions_have_the_label_names_of_the_estimator(data):
    X, D = data
    search = GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [0.1]}, cv=2)
    for estimator in (BDLDL(), make_pipeline(StandardScaler(), BDLDL()), search):
        assert read_predictions(estimator.fit(X, D), X).columns.tolist() == ["joy", "fear", "calm"]
    estimator = EnhancedLearner(BDLE(), BDLDL()).fit(X, pd.DataFrame(binarize(D), columns=D.columns))
    assert read_predictions(estimator, X).columns.tolist() == ["joy", "fear", "calm"]


def test_enhancers_with_transform_are_read(data):
    X, D = data
    L = binarize(D)
    enhancer = BDLE().fit(X, L)
    np.testing.assert_allclose(read_predictions(enhancer, X[:4]), enhancer.transform(X[:4]))
    framed = BDLE().set_output(transform="pandas").fit(X, pd.DataFrame(L, columns=D.columns))
    assert read_predictions(framed, X).columns.tolist() == ["joy", "fear", "calm"]
    with pytest.raises(ModelError, match="LP"):
        read_predictions(LP().fit(X, L), X)


def test_truth_is_normalised_and_brings_names(data):
    X, D = data
    model = BDLDL().fit(X, D.to_numpy())
    display = PredictionDisplay.from_estimator(model, X, 7 * D)
    np.testing.assert_allclose(display.true, D.loc[display.item_names])
    np.testing.assert_allclose(display.predicted, model.predict(X)[D.index.get_indexer(display.item_names)])
    assert display.label_names == ["joy", "fear", "calm"]
    frame = pd.DataFrame(X, index=range(100, 130))
    assert sorted(PredictionDisplay.from_estimator(model, frame, D).item_names) == [str(i) for i in range(100, 130)]


def test_truth_with_other_labels_or_rows_raises(data):
    X, D = data
    model = BDLDL().fit(X, D)
    with pytest.raises(ValueError, match=r"\['joy', 'fear', 'calm'\]"):
        PredictionDisplay.from_estimator(model, X, D[["fear", "joy", "calm"]])
    with pytest.raises(ValueError, match="same shape"):
        PredictionDisplay.from_estimator(model, X, D[:5])
    with pytest.raises(ValueError, match="indexes of X and y"):
        PredictionDisplay.from_estimator(model, pd.DataFrame(X, D.index), D[::-1])
