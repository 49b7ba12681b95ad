"""Tests of the input of the displays: names and errors."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.exceptions import NotADistributionError
from labeldist.plots import PredictionDisplay
from labeldist.plots._display import read_pair, read_rows

LABELS = ["joy", "fear", "calm"]
D = np.array([[0.5, 0.5], [0.2, 0.8]])
FRAME = pd.DataFrame(D, columns=["joy", "fear"], index=["a", "b"])


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(30, random_state=0)
    return X, pd.DataFrame(D, columns=LABELS, index=[f"item {i}" for i in range(30)])


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
    assert_array_equal(rows, D)


def test_tables_that_are_not_distributions_raise():
    with pytest.raises(NotADistributionError, match="row 1"):
        read_rows([[1.0, 0.0], [3.0, 2.0]])


@pytest.mark.parametrize(("true", "predicted"), [(FRAME, D), (D, FRAME), (FRAME, FRAME)])
def test_pair_has_the_names_of_either_table(true, predicted):
    rows, values = read_pair(true, predicted)
    assert (list(rows.columns), list(rows.index)) == (["joy", "fear"], ["a", "b"])
    assert_array_equal(values, D)


def test_truth_is_normalised_and_brings_names(data):
    X, D = data
    model = BDLDL().fit(X, D.to_numpy())
    display = PredictionDisplay.from_estimator(model, X, 7 * D)
    assert_allclose(display.true, D.loc[display.item_names])
    rows = D.index.get_indexer(display.item_names)
    assert_allclose(display.predicted, model.predict(X)[rows])
    assert display.label_names == LABELS


def test_truth_with_fewer_rows_raises(data):
    X, D = data
    with pytest.raises(ValueError, match="inconsistent"):
        PredictionDisplay.from_estimator(BDLDL().fit(X, D), X, D[:5])
