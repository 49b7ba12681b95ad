"""Model files and cards of sound models."""

import sys

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.app.tables.preparation import prepare_columns
from labeldist.exceptions import (
    MissingExtraError,
    ModelError,
    ModelVersionWarning,
    OutputError,
)
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionBoosting, DistributionForest
from labeldist.models import _persistence, load, read_card, save
from labeldist.published import AAKNN
from tests.checks import example
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS, SPECIAL
from tests.models.examples import LABELS, NEW, answers, fitted, mixed_model, mixed_table

pytestmark = IGNORE_TAG_WARNINGS

NESTED = [
    make_pipeline(StandardScaler(), KernelFeatures(), BDLDL()),
    make_pipeline(FunctionTransformer(np.arctan), BDLDL()),
    EnhancedLearner(BDLE(), make_pipeline(StandardScaler(), BDLDL())),
    BDLDLCV([1e-3], [1e-2], cv=ShuffleSplit(2, random_state=np.random.RandomState(0))),
    BDLE(solver="low_rank"),
    BayesLE(regressor="kernel"),
    AAKNN(algorithm="kd_tree"),
    DistributionForest(5, random_state=0),
    DistributionBoosting(5, random_state=0),
]


def name(value):
    return type(value).__name__


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.mark.parametrize("model", ESTIMATORS + SPECIAL + NESTED, ids=name)
def test_loaded_model_predicts_the_same(path, model):
    model = fitted(clone(model))
    save(model, path)
    loaded = load(path)
    assert type(loaded) is type(model)
    assert_array_equal(answers(loaded), answers(model))
    assert set(loaded.get_params()) == set(model.get_params())


def test_partial_fit_continues_after_loading(path):
    X, D, _ = example()
    model = BDLDL().partial_fit(X[:20], D[:20])
    save(model, path)
    loaded = load(path).partial_fit(X[20:], D[20:])
    assert_array_equal(loaded.predict(NEW), model.partial_fit(X[20:], D[20:]).predict(NEW))


FRAME, DEGREES = mixed_table()
DATED = FRAME.assign(born=np.datetime64("1990-01-01")).drop(columns="note")
INTEGERS = make_column_transformer((StandardScaler(), make_column_selector(dtype_include="int")))


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        (mixed_model(), FRAME),
        (make_pipeline(prepare_columns(DATED), BDLDL()).fit(DATED, DEGREES), DATED),
        (make_pipeline(INTEGERS, BDLDL()).fit(FRAME, DEGREES), FRAME),
    ],
    ids=["own columns", "preparation", "selected columns"],
)
def test_tables_with_words_and_missing_values(path, model, frame):
    save(model, path)
    assert_array_equal(load(path).predict(frame), model.predict(frame))


def test_prepared_text(path, rng):
    words = np.array(["slow", "fast", "loud", "calm", "song", "dance"])
    frame = pd.DataFrame({"said": [" ".join(rng.permutation(words)[:5]) for _ in range(40)]})
    model = make_pipeline(prepare_columns(frame), BDLDL()).fit(
        frame, rng.dirichlet(np.ones(3), size=40)
    )
    save(model, path)
    assert_array_equal(load(path).predict(frame), model.predict(frame))
    assert read_card(path).feature_names == ("said",)


def prepared_text():
    frame = pd.DataFrame({"said": ["slow song and dance", "fast song", "calm dance", "loud"] * 10})
    D = np.tile([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.5, 0.5]], (10, 1))
    return make_pipeline(prepare_columns(frame), BDLDL()).fit(frame, D)


OF_EACH_PACKAGE = {
    "labeldist._solvers.": lambda: fitted(BDLDL()),
    "labeldist.app.tables.": prepared_text,
    "labeldist.enhancement.": lambda: fitted(BDLE(solver="low_rank")),
    "labeldist.features.": lambda: fitted(make_pipeline(KernelFeatures(), BDLDL())),
    "labeldist.learning.": lambda: fitted(DistributionForest(5, random_state=0)),
    "labeldist.published.": lambda: fitted(AAKNN()),
}


@pytest.mark.parametrize("package", OF_EACH_PACKAGE)
def test_classes_of_each_trusted_package_are_loaded(path, package):
    save(OF_EACH_PACKAGE[package](), path)
    types = skops.io.get_untrusted_types(file=path)
    assert any(name.startswith(package) for name in types)
    load(path)


def test_trusted_packages_of_the_library_are_tested():
    own = {prefix for prefix in _persistence.TRUSTED if prefix.startswith("labeldist")}
    assert own == set(OF_EACH_PACKAGE)


def test_existing_files_are_not_replaced(path):
    path.write_text("notes", encoding="utf-8")
    with pytest.raises(OutputError, match=r"model\.skops"):
        save(fitted(BDLDL()), path)
    assert path.read_text(encoding="utf-8") == "notes"
    save(fitted(BDLDL()), path, overwrite=True)
    assert read_card(path).estimator == "labeldist.learning._bdldl.BDLDL"


def linear_kernel(X, Y):
    return X @ Y.T


class Mine(BDLDL):
    """An estimator of another package."""


@pytest.mark.parametrize(
    ("model", "kind"), [(BDLE(kernel=linear_kernel), "linear_kernel"), (Mine(), "Mine")], ids=name
)
def test_other_types_must_be_trusted_by_name(path, model, kind):
    kind = f"{__name__}.{kind}"
    model = fitted(model)
    with pytest.raises(ModelError, match=kind):
        save(model, path)
    assert not path.exists()
    save(model, path, trusted=[kind])
    with pytest.raises(ModelError, match=kind):
        load(path)
    assert_array_equal(answers(load(path, trusted=[kind])), answers(model))


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (BDLDLCV(cv=2, scoring=lambda D, P: -abs(D - P).sum()), "<lambda>"),
        (GridSearchCV(BDLDL(), {"ridge": [1.0]}, cv=2), "best_estimator_"),
        (Ridge(), "Ridge"),
    ],
    ids=name,
)
def test_models_that_cannot_be_saved_are_named(path, model, named):
    with pytest.raises(ModelError, match=named):
        save(fitted(model), path)
    assert not path.exists()


def test_size_limit(path, monkeypatch):
    save(fitted(BDLDL()), path)
    monkeypatch.setattr(_persistence, "LARGEST", 1000)
    with pytest.raises(ModelError, match="1,000"):
        load(path)
    with pytest.raises(ModelError, match="1,000"):
        save(fitted(BDLDL()), path, overwrite=True)


def test_missing_extra_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(MissingExtraError, match=r"labeldist\[app\]"):
        save(fitted(BDLDL()), path)
    assert not path.exists()


def test_other_versions_give_one_warning(path, monkeypatch):
    model = fitted(make_pipeline(StandardScaler(), BDLDL()))
    with monkeypatch.context() as patch:
        patch.setattr("sklearn.__version__", "1.2.3")
        patch.setattr("sklearn.base.__version__", "1.2.3")
        patch.setattr("labeldist.__version__", "0.0.1")
        save(model, path)
    with pytest.warns(ModelVersionWarning, match=r"labeldist 0.0.1, scikit-learn 1.2.3") as caught:
        loaded = load(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_array_equal(loaded.predict(NEW), model.predict(NEW))


def test_card_is_read_without_building_the_model(path, monkeypatch):
    save(mixed_model(), path, summary="Zürich", measures={"kl": np.float64(0.25)}, training_rows=40)
    monkeypatch.setattr("skops.io.loads", None)
    card = read_card(path)
    assert card.estimator == "sklearn.pipeline.Pipeline"
    assert card.parameters["bdldl__ridge"] == 0.01
    assert card.label_names == tuple(LABELS)
    assert card.feature_names == ("income", "age", "city", "rooms", "note")
    assert (card.n_features, card.training_rows) == (5, 40)
    assert (card.summary, card.measures) == ("Zürich", {"kl": 0.25})


def card_of(model, path):
    save(fitted(model), path, overwrite=True)
    return read_card(path)


def test_parameters_in_the_card_are_json(path):
    model = BDLDLCV([0.1], np.array([0.5, 1]), cv=PredefinedSplit([0, 1] * 20))
    parameters = card_of(model, path).parameters
    assert parameters["reconstructions"] == [0.1]
    assert parameters["ridges"] == [0.5, 1.0]
    assert parameters["cv"].startswith("PredefinedSplit(")
    enhanced = card_of(EnhancedLearner(learner=BDLDL(ridge=2)), path).parameters
    assert enhanced["learner__ridge"] == 2


@pytest.mark.parametrize(
    ("model", "n_rows"), [(AAKNN(), 40), (EnhancedLearner(BDLE(), BDLDL()), 40), (BDLDL(), None)]
)
def test_training_rows_in_the_card(path, model, n_rows):
    assert card_of(model, path).training_rows == n_rows


def test_card_contains_no_cell_of_a_mixed_table(path):
    X, D = mixed_table()
    save(mixed_model(AAKNN()), path)  # a model that keeps training rows
    cells = [*X["city"].dropna(), *X["note"], *X["income"].dropna(), *D.to_numpy().ravel()]
    text = repr(read_card(path))
    assert [cell for cell in cells if str(cell)[:8] in text] == []
