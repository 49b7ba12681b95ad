"""The graphs answer as the models do, in a runtime that knows nothing of this library."""

import json
import warnings

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist._tables.preparation import prepare_columns
from labeldist.enhancement import GLLE, KM
from labeldist.exceptions import ModelError, OutputError
from labeldist.features import KernelFeatures
from labeldist.learning import AABP, AAKNN, EDLLRL, LDLLC, LDLSCL, SABFGS, SAIIS, DistributionForest, MeanDistribution
from labeldist.models import ModelCard, exportable, load, save, to_onnx
from tests.checks import example
from tests.models.examples import LABELS, NEW, answers, fitted, mixed_model, mixed_table

EXPORTED = [
    BDLDL(),
    BDLDL(floor=0),
    BDLDL(fit_intercept=False, scale=True),
    BDLDL(output="softmax"),
    BDLDL(output="softmax", floor=0.1),
    BDLDL(output="project"),
    BDLDL(output="project", floor=0.05),
    BDLDLCV(cv=2, outputs=("project",)),
    SABFGS(fit_intercept=True),
    SAIIS(),
    LDLLC(),
    LDLSCL(),
    EDLLRL(),
    AABP(max_iter=5, random_state=0),
    MeanDistribution(),
    DistributionForest(20, random_state=0),
    BDLE(),
    BDLE(kernel="linear", output="project"),
    BDLE(solver="low_rank", scale=False),
    GLLE(sharpness=3, floor=0.1),
    EnhancedLearner(BDLE(), BDLDL()),
    EnhancedLearner(KM(), make_pipeline(StandardScaler(), SABFGS())),
    make_pipeline(KernelFeatures(), BDLDL()),
    make_pipeline(KernelFeatures(scale=False, bandwidth=2.0), MinMaxScaler(), BDLDL()),
    make_pipeline(SimpleImputer(), StandardScaler(), PCA(3), KernelFeatures(tol=0), SABFGS()),
    make_pipeline("passthrough", make_pipeline(StandardScaler(), None, BDLDL())),
    GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [1.0]}, cv=2),
]


def serve(graph, feeds):
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    (degrees,) = session.run(None, feeds)
    return degrees


@pytest.mark.parametrize("model", EXPORTED, ids=lambda model: type(model).__name__)
def test_graphs_answer_as_models_do(model):
    model = fitted(clone(model))
    degrees = serve(to_onnx(model), {"features": NEW})
    assert degrees.dtype == np.float64
    assert_allclose(degrees, answers(model), rtol=0, atol=1e-10)


@pytest.mark.parametrize("model", EXPORTED, ids=lambda model: type(model).__name__)
def test_what_can_be_exported_is_known_before_and_after_it_is_fitted(model):
    assert exportable(model)
    assert exportable(fitted(clone(model)))


@pytest.mark.parametrize(
    "model",
    [
        AAKNN(),
        KM(),
        StandardScaler(),
        BDLE(kernel=lambda X, Y: X @ Y.T),
        EnhancedLearner(BDLE(), AAKNN()),
        make_pipeline(StandardScaler(), AAKNN()),
        GridSearchCV(AAKNN(), {"n_neighbors": [3]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_cannot_be_exported_is_known_too(model):
    assert not exportable(model)


@pytest.mark.parametrize("output", ["clip", "softmax", "project"])
def test_the_ends_of_the_number_range(output):
    model = fitted(BDLDL(output=output, floor=0))
    model.coef_, model.intercept_ = np.eye(4, 5), np.zeros(4)
    rows = np.array(
        [[-1.0, -2, -3, 0, 0], [1e300, -1e300, 1e299, 1e300, 0], [1e-310, 0, 2e-310, 0, 0], [0, 0, 0, 0, 1]]
    )
    degrees = serve(to_onnx(model), {"features": rows})
    assert_allclose(degrees, model.predict(rows), rtol=0, atol=1e-12)


def test_a_shift_of_the_features_does_not_cost_the_kernel_its_digits():
    X, D, _ = example()
    shifted = make_pipeline(KernelFeatures(scale=False), BDLDL()).fit(X + 1e6, D)
    assert_allclose(serve(to_onnx(shifted), {"features": X + 1e6}), shifted.predict(X + 1e6), rtol=0, atol=1e-8)


def feeds_of(frame, columns):
    """A table as the inputs of a graph: numbers, or texts of which a missing one is empty."""
    texts = {"city"}
    return {
        name: frame[[name]].fillna("").to_numpy(dtype=object) if name in texts else frame[[name]].to_numpy(dtype=float)
        for name in columns
    }


def test_named_columns_are_inputs():
    frame, _ = mixed_table()
    model = mixed_model()
    new = frame.assign(city=frame["city"].where(frame.index != 7, "Bergen"))
    graph = to_onnx(model)
    inputs = [column.name for column in graph.graph.input]
    assert inputs == ["income", "age", "city", "rooms"]
    assert_allclose(serve(graph, feeds_of(new, inputs)), model.predict(new), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "columns", [[3, 1], slice(0, 2), np.array([True, True, False, True, False])], ids=["places", "slice", "mask"]
)
def test_columns_told_otherwise_are_inputs_by_name_all_the_same(columns):
    frame, D = mixed_table()
    frame = frame.fillna({"income": 0.0})
    model = make_pipeline(ColumnTransformer([("numbers", StandardScaler(), columns)]), BDLDL()).fit(frame, D)
    graph = to_onnx(model)
    inputs = [column.name for column in graph.graph.input]
    assert "note" not in inputs
    assert_allclose(serve(graph, feeds_of(frame, inputs)), model.predict(frame), rtol=0, atol=1e-10)


def test_columns_without_names_are_one_input():
    X, D, _ = example()
    columns = ColumnTransformer([("some", StandardScaler(), [0, 3])], remainder="passthrough")
    model = make_pipeline(columns, BDLDL()).fit(X, D)
    assert_allclose(serve(to_onnx(model), {"features": NEW}), model.predict(NEW), rtol=0, atol=1e-10)


GAPS = [np.nan, 1.5, 1.5, 2.0, 1.5, -3.0, 2.0, 1.5, np.nan, 7.0] * 4
WORDS = ["", "a", "a", "b", "a", "c", "b", "a", "", "d"] * 4


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OneHotEncoder(handle_unknown="ignore"),
        OneHotEncoder(handle_unknown="ignore", min_frequency=5),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5),
        OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3, drop="first"),
        OneHotEncoder(drop="first"),
        OneHotEncoder(drop=[1.5, "a"], min_frequency=5),
        OneHotEncoder(dtype=np.int64, handle_unknown="ignore"),
    ],
    ids=lambda encoder: f"{encoder.handle_unknown}-{encoder.drop}-{encoder.min_frequency}",
)
def test_categories_of_numbers_and_of_texts_are_encoded(encoder):
    _, D, _ = example()
    frame = pd.DataFrame({"number": GAPS, "word": pd.Series(WORDS, dtype=object).replace({"": None})})
    model = make_pipeline(ColumnTransformer([("both", encoder, ["number", "word"])]), BDLDL()).fit(frame, D)
    new = frame.head(11).copy()
    if encoder.handle_unknown != "error":
        new.loc[10] = [99.0, "e"]
    feeds = {"number": new[["number"]].to_numpy(), "word": new[["word"]].fillna("").to_numpy(dtype=object)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the unknown category
        expected = model.predict(new)
    assert_allclose(serve(to_onnx(model), feeds), expected, rtol=0, atol=1e-10)


def test_a_category_that_the_model_would_refuse_has_no_answer():
    frame, D = mixed_table()
    model = make_pipeline(ColumnTransformer([("rooms", OneHotEncoder(), ["rooms"])]), BDLDL()).fit(frame, D)
    with pytest.raises(ValueError, match="unknown categories"):
        model.predict(frame.assign(rooms=99))
    assert np.isnan(serve(to_onnx(model), {"rooms": np.array([[99.0]])})).all()


def test_tables_that_were_prepared_are_exported_with_their_preparation(tmp_path):
    frame, D = mixed_table()
    frame = frame.drop(columns="note").assign(owner=frame["age"] > 0)
    frame["city"] = frame["city"].where(frame.index > 1, "Bern")  # rare
    model = make_pipeline(prepare_columns(frame), BDLDL()).fit(frame, D)
    new = frame.assign(city=frame["city"].where(frame.index != 7, "Bergen"))
    feeds = feeds_of(new, frame.columns)
    assert_allclose(serve(to_onnx(model), feeds), model.predict(new), rtol=0, atol=1e-10)
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").predict(new), model.predict(new))


def test_dates_are_not_exported():
    frame, D = mixed_table()
    frame = frame[["age"]].assign(born=pd.date_range("1990-01-01", periods=len(frame)))
    model = make_pipeline(prepare_columns(frame), BDLDL()).fit(frame, D)
    with pytest.raises(ModelError, match="DateParts"):
        to_onnx(model)


def test_a_column_without_a_single_value_is_left_out_as_the_imputer_does():
    X, D, _ = example()
    X = X.copy()
    X[:, 1], X[3, 0] = np.nan, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says so
        model = make_pipeline(SimpleImputer(strategy="median"), BDLDL()).fit(X, D)
        expected = model.predict(X)
    assert_allclose(serve(to_onnx(model), {"features": X}), expected, rtol=0, atol=1e-10)


def fitted_on_gaps(imputer, gaps):
    """A model of one column of texts, some of which are missing in one way or another; and the column."""
    words = np.tile(np.array(["a", "b", "a", *gaps], dtype=object), 12)
    frame = pd.DataFrame({"city": pd.Series(words, dtype=object)})
    encoding = make_pipeline(imputer, OneHotEncoder())
    model = make_pipeline(ColumnTransformer([("words", encoding, ["city"])]), BDLDL())
    return model.fit(frame, np.random.default_rng(0).dirichlet(np.ones(3), len(words))), frame


FILL_NONE = SimpleImputer(missing_values=None, strategy="most_frequent")
FILL_NAN = SimpleImputer(strategy="most_frequent")
EMPTY_NAN = SimpleImputer(strategy="constant", fill_value="")


@pytest.mark.parametrize(
    ("imputer", "gaps"),
    [
        *(("passthrough", [gap]) for gap in (None, np.nan, "")),
        *((FILL_NONE, [None]), (FILL_NAN, [np.nan]), (EMPTY_NAN, [None]), (EMPTY_NAN, [np.nan, ""])),
    ],
)
def test_texts_that_are_missing_in_one_way_are_empty_in_the_graph(imputer, gaps):
    model, frame = fitted_on_gaps(imputer, gaps)
    assert_allclose(serve(to_onnx(model), feeds_of(frame, ["city"])), model.predict(frame), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("imputer", "gaps"),
    [
        *(("passthrough", gaps) for gaps in ([None, np.nan], ["", None], ["", np.nan])),
        *((FILL_NONE, ["", None]), (FILL_NAN, [None]), (FILL_NAN, ["", np.nan]), (EMPTY_NAN, [None, np.nan])),
        (FeatureUnion([("some way before", FILL_NAN)]), [None]),
    ],
)
def test_texts_that_are_missing_in_two_ways_are_refused(imputer, gaps):
    model, _ = fitted_on_gaps(imputer, gaps)
    with pytest.raises(ModelError, match="could not tell them apart; write them alike and fit again"):
        to_onnx(model)


def test_inputs_are_called_as_the_columns_are():
    X, D, _ = example()
    frame = pd.DataFrame(X[:, :3], columns=["Mean Centroid", "mean-centroid", "Mean_Centroid"])
    model = make_pipeline(ColumnTransformer([("all", StandardScaler(), list(frame.columns))]), BDLDL()).fit(frame, D)
    graph = to_onnx(model)
    assert [entry.name for entry in graph.graph.input] == list(frame.columns)
    assert_allclose(serve(graph, feeds_of(frame, frame.columns)), model.predict(frame), rtol=0, atol=1e-10)


def test_an_input_may_be_called_as_the_output():
    X, D, _ = example()
    frame = pd.DataFrame(X[:, :2], columns=["distributions", "b"])
    model = make_pipeline(ColumnTransformer([("all", StandardScaler(), ["distributions", "b"])]), BDLDL()).fit(frame, D)
    graph = to_onnx(model)
    assert [output.name for output in graph.graph.output] == ["distributions_"]
    feeds = {name: frame[[name]].to_numpy() for name in frame}
    assert_allclose(serve(graph, feeds), model.predict(frame), rtol=0, atol=1e-10)


def test_the_card_goes_with_the_graph():
    graph = to_onnx(mixed_model())
    properties = {entry.key: entry.value for entry in graph.metadata_props}
    assert json.loads(properties["label_names"]) == LABELS
    assert json.loads(properties["feature_names"]) == ["income", "age", "city", "rooms", "note"]
    assert ModelCard.from_json(properties["card"]).parameters["bdldl__ridge"] == 0.01
    assert graph.producer_name == "labeldist"


def test_files_are_written_whole_and_not_over_others(tmp_path):
    path, model = tmp_path / "model.onnx", fitted(BDLDL())
    to_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert_allclose(session.run(None, {"features": NEW})[0], model.predict(NEW), rtol=0, atol=1e-12)
    with pytest.raises(OutputError, match="exists"):
        to_onnx(fitted(MeanDistribution()), path)
    to_onnx(fitted(MeanDistribution()), path, force=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert_allclose(session.run(None, {"features": NEW})[0], fitted(MeanDistribution()).predict(NEW))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (AAKNN(), "AAKNN cannot be exported to ONNX. These can, alone or behind preprocessing: AABP, BDLDL, .*SAIIS"),
        (make_pipeline(StandardScaler(), AAKNN()), "AAKNN cannot be exported"),
        (EnhancedLearner(KM(), AAKNN()), "AAKNN cannot be exported"),
        (KM(), "KM cannot be exported"),
        (BDLE(kernel=lambda X, Y: X @ Y.T), "A kernel that is a function cannot be exported"),
        (make_pipeline(SplineTransformer(), BDLDL()), "Pipeline cannot be exported to ONNX: .*SplineTransformer"),
        (make_pipeline(PolynomialFeatures(), BDLDL()), "a graph that is not valid; put another one in its place.*type"),
        (make_pipeline(SimpleImputer(add_indicator=True), BDLDL()), "adds no indicator"),
        (make_pipeline(SimpleImputer(missing_values=-1), BDLDL()), "fills NaN or None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_exported_is_named(tmp_path, model, message):
    with pytest.raises(ModelError, match=message):
        to_onnx(fitted(model), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
