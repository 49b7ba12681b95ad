"""Tests of FeatureImportanceDisplay."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from labeldist import BDLDL
from labeldist.plots import FeatureImportanceDisplay
from labeldist.simplex import softmax
from tests.plots.drawn import tick_texts


@pytest.fixture(scope="module")
def data():
    """Degrees that follow from the second feature, and a little from the third."""
    features = np.random.default_rng(0).normal(size=(200, 4))
    X = pd.DataFrame(features, columns=["noise", "main", "minor", "other"])
    return X, softmax(np.column_stack([X["main"], 0.2 * X["minor"]]))


def test_important_features_come_first(data):
    X, D = data
    model = BDLDL(reconstruction=0, ridge=0).fit(X[:100], D[:100])
    display = FeatureImportanceDisplay.from_estimator(model, X[100:], 3 * D[100:], random_state=0)
    assert tick_texts(display.ax_, "y") == display.feature_names
    assert display.feature_names[:2] == ["main", "minor"]
    lengths = [bar.get_width() for bar in display.bars_]
    assert_allclose(lengths, display.importances)
    assert lengths[0] > 0.5 > 0.1 > lengths[1] > lengths[2]


def test_max_features_weights_and_progress(data):
    X, D = data
    model = BDLDL().fit(X, D)
    weight = (np.arange(200) < 50) * 1.0
    calls = []
    display = FeatureImportanceDisplay.from_estimator(
        model,
        X,
        D,
        max_features=1,
        n_repeats=2,
        sample_weight=weight,
        callback=lambda *call: calls.append(call),
    )
    assert display.feature_names == ["main"]
    assert f"skill {model.score(X, D, weight):.2f}" in display.caption
    assert [call[0] for call in calls] == list(range(1, 10))


def test_columns_before_preparation_are_shuffled():
    X = pd.DataFrame({"key": ["major", "minor"] * 20, "day": ["mon", "tue", "wed", "thu"] * 10})
    D = np.where(X[["key"]] == "major", [[0.9, 0.1]], [[0.2, 0.8]])
    model = make_pipeline(OneHotEncoder(), BDLDL()).fit(X, D)
    display = FeatureImportanceDisplay.from_estimator(model, X, D, random_state=0)
    assert display.feature_names == ["key", "day"]
