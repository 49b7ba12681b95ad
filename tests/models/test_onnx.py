"""Predictions of exported graphs in onnxruntime."""

import json

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.app.tables.preparation import prepare_columns
from labeldist.exceptions import ModelError, OutputError
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionForest, MeanDistribution
from labeldist.models import exportable, to_onnx
from labeldist.published import AAKNN, DFLDL, KM, LDLLCLR, SABFGS
from tests.checks import example
from tests.estimators import LEARNERS
from tests.models.examples import LABELS, NEW, fitted, mixed_table

EXPORTED = [
    *(learner for learner in LEARNERS if exportable(learner)),
    BDLDL(floor=0),
    BDLDL(output="softmax", floor=0.1),
    BDLDLCV(cv=2, outputs=("project",)),
    SABFGS(fit_intercept=True),
    EnhancedLearner(KM(), make_pipeline(StandardScaler(), SABFGS())),
    make_pipeline(KernelFeatures(), BDLDL()),
    make_pipeline(
        SimpleImputer(), StandardScaler(with_mean=False), KernelFeatures(scale=False), SABFGS()
    ),
    GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [1.0]}, cv=2),
]
NOT_EXPORTED = [
    DFLDL(),
    BDLE(),
    EnhancedLearner(BDLE(), AAKNN()),
    GridSearchCV(AAKNN(), {"n_neighbors": [3]}, cv=2),
]


def name(model):
    return type(model).__name__


def serve(graph, X):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (degrees,) = session.run(None, {"features": X})
    assert degrees.dtype == np.float64
    return degrees


def check_graph(model, rows=NEW, **tolerance):
    assert_allclose(serve(to_onnx(model), rows), model.predict(rows), rtol=0, **tolerance)


@pytest.mark.parametrize("model", EXPORTED, ids=name)
def test_graph_predicts_like_model(model):
    assert exportable(model)
    model = fitted(clone(model))
    assert exportable(model)
    check_graph(model, atol=1e-10)


@pytest.mark.parametrize("model", NOT_EXPORTED, ids=name)
def test_unsupported_learners_are_named(model):
    assert not exportable(model)
    learner = "AAKNN" if "AAKNN" in repr(model) else name(model)
    with pytest.raises(ModelError, match=learner):
        to_onnx(fitted(clone(model)))


@pytest.mark.parametrize(
    "step",
    [
        PolynomialFeatures(),
        FunctionTransformer(np.arctan),
        SimpleImputer(add_indicator=True),
        OneHotEncoder(),
    ],
    ids=name,
)
def test_unsupported_steps_are_named(tmp_path, step):
    with pytest.raises(ModelError, match=name(step)):
        to_onnx(fitted(make_pipeline(step, BDLDL())), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_ldl_lclr_is_exported():
    check_graph(fitted(LDLLCLR()), atol=1e-10)


def test_errors_for_text_and_trees_say_what_can_be_exported():
    frame, D = mixed_table()
    words = [["good", "bad", "long", "short"][i % 4] for i in range(len(frame))]
    with pytest.raises(ModelError, match=r"TfidfVectorizer.*can be exported.*text"):
        to_onnx(make_pipeline(TfidfVectorizer(), BDLDL()).fit(words, D))
    with pytest.raises(ModelError, match=r"DistributionForest.*can be exported.*trees"):
        to_onnx(fitted(DistributionForest(2)))


@pytest.mark.parametrize("output", ["clip", "softmax", "project"])
def test_extreme_scores(output):
    model = fitted(BDLDL(output=output, floor=0))
    model.coef_, model.intercept_ = np.eye(4, 5), np.zeros(4)
    rows = np.array(
        [
            [-1.0, -2, -3, 0, 0],
            [1e300, -1e300, 1e299, 1e300, 0],
            [1e-310, 0, 2e-310, 0, 0],
            [0, 0, 0, 0, 1],
        ]
    )
    check_graph(model, rows, atol=1e-12)


def test_kernel_keeps_precision_for_shifted_features():
    X, D, _ = example()
    model = make_pipeline(KernelFeatures(scale=False), BDLDL()).fit(X + 1e6, D)
    check_graph(model, X + 1e6, atol=1e-8)


def test_prepared_numbers_with_gaps_are_exported():
    frame, D = mixed_table()
    frame = frame[["income", "rooms", "age"]].assign(owner=frame["age"] > 0)
    model = make_pipeline(prepare_columns(frame), BDLDL()).fit(frame, D)
    degrees = serve(to_onnx(model), frame.to_numpy(dtype=float))
    assert_allclose(degrees, model.predict(frame), rtol=0, atol=1e-10)


def test_metadata_contain_the_card():
    X, D, _ = example()
    model = BDLDL().fit(pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(D, columns=LABELS))
    graph = to_onnx(model, measures={"skill": 0.5})
    properties = {entry.key: entry.value for entry in graph.metadata_props}
    assert json.loads(properties["label_names"]) == LABELS
    assert json.loads(properties["feature_names"]) == list("abcde")
    assert json.loads(properties["measures"]) == {"skill": 0.5}
    assert graph.producer_name == "labeldist"


def test_existing_files_are_not_replaced(tmp_path):
    path = tmp_path / "model.onnx"
    content = to_onnx(fitted(BDLDL()), path).SerializeToString()
    with pytest.raises(OutputError, match=r"model\.onnx"):
        to_onnx(fitted(MeanDistribution()), path)
    assert path.read_bytes() == content
    to_onnx(fitted(MeanDistribution()), path, force=True)
    assert path.read_bytes() != content


def test_weights_of_column_transformers_are_exported():
    X, D, _ = example()
    parts = [("scaled", StandardScaler(), [0, 1]), ("kept", "passthrough", [2])]
    columns = ColumnTransformer(
        parts, remainder="passthrough", transformer_weights={"scaled": 3.0, "kept": 0.2}
    )
    check_graph(make_pipeline(columns, BDLDL()).fit(X, D), atol=1e-12)


def test_output_is_that_of_the_fit():
    check_graph(fitted(BDLDL()).set_params(output="softmax"), atol=1e-12)
