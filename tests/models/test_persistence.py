"""Models come back from a file as they were, in this process and in another."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.exceptions import LabelWarning, ModelError, ModelVersionWarning, OutputError
from labeldist.features import KernelFeatures
from labeldist.learning import AAKNN, MeanDistribution
from labeldist.models import _archive as archive
from labeldist.models import _card as card
from labeldist.models import load, read_card, save
from tests.checks import example
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS
from tests.models.examples import LABELS, NEW, answers, fitted, mixed_model, mixed_table

pytestmark = IGNORE_TAG_WARNINGS

WRAPPED = [
    make_pipeline(StandardScaler(), KernelFeatures(), BDLDL()),
    make_pipeline("passthrough", BDLDL()),
    make_pipeline(FunctionTransformer(np.arctan), BDLDL()),
    EnhancedLearner(BDLE(), make_pipeline(StandardScaler(), BDLDL())),
    BDLDLCV([1e-3], [1e-2], cv=KFold(3)),
    BDLDLCV([1e-3], [1e-2], cv=ShuffleSplit(2, random_state=np.random.RandomState(0))),
    BDLDLCV([1e-3], [1e-2], cv=2, random_state=np.random.RandomState(1)),
    BDLE(solver="low_rank"),
    *(AAKNN(algorithm=algorithm) for algorithm in ("ball_tree", "kd_tree", "brute")),
]


def name(value):
    return type(value).__name__


@pytest.mark.parametrize("model", ESTIMATORS + WRAPPED, ids=name)
def test_a_model_comes_back_as_it_was(tmp_path, model):
    model = fitted(clone(model))
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert type(again) is type(model)
    assert_array_equal(answers(again), answers(model))
    assert without_addresses(again) == without_addresses(model)


def without_addresses(model):
    return re.sub(" at 0x[0-9A-F]+", "", repr(model))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_neighbours_among_sparse_rows_come_back(tmp_path, kind):
    X, D, _ = example()
    model = AAKNN().fit(kind(np.where(X > 1, X, 0)), D)
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").predict(NEW), model.predict(NEW))


def test_a_model_that_is_still_learning_goes_on_where_it_was(tmp_path):
    X, D, _ = example()
    model = BDLDL().partial_fit(X[:20], D[:20])
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops").partial_fit(X[20:], D[20:])
    assert_array_equal(again.predict(NEW), model.partial_fit(X[20:], D[20:]).predict(NEW))


def test_tables_with_categories_and_gaps_are_prepared_by_the_saved_model(tmp_path):
    frame, _ = mixed_table()
    model = mixed_model()
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").predict(frame), model.predict(frame))


def test_columns_chosen_by_their_type_come_back(tmp_path):
    frame, D = mixed_table()
    numbers = ColumnTransformer([("numbers", StandardScaler(), make_column_selector(dtype_include="int"))])
    model = make_pipeline(numbers, BDLDL()).fit(frame, D)
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").predict(frame), model.predict(frame))


def test_models_answer_alike_in_another_process(tmp_path):
    kinds = {type(model): model for model in [*WRAPPED, *ESTIMATORS]}
    expected = {}
    for number, model in enumerate(kinds.values()):
        model = fitted(clone(model))
        save(model, tmp_path / f"{number}.skops")
        expected[str(number)] = answers(model)
    np.savez(tmp_path / "answers.npz", new=NEW, **expected)
    code = (
        "import sys, numpy as np; from pathlib import Path; from labeldist.models import load\n"
        "folder = Path(sys.argv[1]); answers = np.load(folder / 'answers.npz')\n"
        "for path in folder.glob('*.skops'):\n"
        "    model = load(path)\n"
        "    ask = getattr(model, 'predict', None) or getattr(model, 'transform', None)\n"
        "    found = ask(answers['new']) if ask else model.label_distributions_\n"
        "    assert np.array_equal(found, answers[path.stem]), model\n"
        "    print(path.stem)"
    )
    process = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert sorted(process.stdout.split()) == sorted(expected)


def test_nothing_is_overwritten_unless_asked_for(tmp_path):
    path = tmp_path / "model.skops"
    path.write_text("dear to me", encoding="utf-8")
    with pytest.raises(OutputError, match="exists"):
        save(fitted(BDLDL()), path)
    assert path.read_text(encoding="utf-8") == "dear to me"
    save(fitted(BDLDL()), path, force=True)
    assert read_card(path).estimator == "labeldist.learning._bdldl.BDLDL"


def a_kernel(X, Y):
    return X @ Y.T


@pytest.mark.filterwarnings(f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BDLE(kernel=a_kernel), r"BDLE holds .*a_kernel\. A file must not bring code .*, and kernel is a function"),
        (BDLE(kernel=lambda X, Y: X @ Y.T), r"<lambda>"),
        (BDLDLCV(cv=2, scoring=lambda D, P: -abs(D - P).sum()), "scoring is a function.*Its best_estimator_ may be"),
        (GridSearchCV(BDLDL(), {"ridge": [1.0]}, cv=2), r"GridSearchCV\b.*\. Its best_estimator_ may be saved"),
        (make_pipeline(FunctionTransformer(a_kernel, kw_args={"Y": np.eye(5)}), BDLDL()), "functiontransformer__func"),
        (make_pipeline(StandardScaler(), BDLDL(), memory="cache"), r"Pipeline has a memory, .* set memory=None before"),
        (make_pipeline(SelectFromModel(Ridge()), BDLDL()), r"would not trust: .*SelectFromModel, .*Ridge"),
        (Ridge(), "Ridge has no label names: it is not a model of label distributions"),
    ],
    ids=name,
)
def test_what_cannot_be_kept_is_refused_before_anything_is_written(tmp_path, model, message):
    with pytest.raises(ModelError, match=message):
        save(fitted(model), tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_what_skops_cannot_write_is_refused(tmp_path):
    model = fitted(BDLDL())
    model.open_file_ = open(__file__, encoding="utf-8")  # noqa: SIM115
    with model.open_file_, pytest.raises(ModelError, match="BDLDL holds something that cannot be kept in a file"):
        save(model, tmp_path / "model.skops")


def test_a_model_of_another_type_of_ours_needs_a_name_in_the_list(tmp_path):
    class Mine(BDLDL):
        pass

    with pytest.raises(ModelError, match=r"Mine holds what `load` would not trust: .*\.Mine\.$"):
        save(fitted(Mine()), tmp_path / "model.skops")


def test_models_that_were_not_fitted_are_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save(BDLDL(), tmp_path / "model.skops")


def test_a_model_too_large_to_be_loaded_is_not_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST", 1000)
    with pytest.raises(ModelError, match=r"bytes, and one of more than 1,000 could not be loaded"):
        save(fitted(BDLDL()), tmp_path / "model.skops")


def test_other_versions_are_told_once(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    model = fitted(make_pipeline(StandardScaler(), BDLDL()))
    with monkeypatch.context() as patch:
        patch.setattr("sklearn.__version__", "1.2.3")
        patch.setattr("sklearn.base.__version__", "1.2.3")
        patch.setattr("labeldist.__version__", "0.0.1")
        save(model, path)
    with pytest.warns(ModelVersionWarning, match=r"labeldist 0\.0\.1 \(here .*\) and scikit-learn 1\.2\.3") as caught:
        again = load(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_array_equal(again.predict(NEW), model.predict(NEW))


def test_other_versions_of_numpy_and_python_are_no_cause_for_a_warning(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(card.np, "__version__", "1.0")
        save(fitted(MeanDistribution()), tmp_path / "model.skops")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(tmp_path / "model.skops").predict(NEW).shape == (len(NEW), 4)


def test_the_card_is_read_without_building_the_model(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    save(mixed_model(), path, summary="BDLDL was the best.", measures={"kl": np.float64(0.25)}, training_rows=40)
    monkeypatch.setattr("skops.io.loads", None)
    found = read_card(path)
    assert found.format == card.FORMAT
    assert set(found.versions) == {"labeldist", "scikit-learn", "numpy", "python"}
    assert found.estimator == "sklearn.pipeline.Pipeline"
    assert found.parameters["bdldl__ridge"] == 0.01
    assert found.label_names == tuple(LABELS)
    assert found.feature_names == ("income", "age", "city", "rooms", "note")
    assert (found.n_features, found.training_rows) == (5, 40)
    assert (found.summary, found.measures) == ("BDLDL was the best.", {"kl": 0.25})
