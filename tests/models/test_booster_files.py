"""Model files with trees of LightGBM and XGBoost."""

import json
import subprocess
import sys
from zipfile import ZipFile

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from labeldist.exceptions import ModelError
from labeldist.learning import SoftLabelClassifier
from labeldist.models import load, save
from labeldist.models._persistence import BOOSTERS
from tests.app.cli.in_process import error_of, run
from tests.checks import example
from tests.models.examples import LABELS, NEW

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

CLASSIFIERS = {
    "LightGBMTrees": lightgbm.LGBMClassifier(n_estimators=3, verbosity=-1, n_jobs=1),
    "XGBoostTrees": xgboost.XGBClassifier(n_estimators=3, n_jobs=1),
}


@pytest.fixture(params=CLASSIFIERS)
def kind(request):
    return request.param


def saved(kind, path):
    X, D, _ = example()
    X = pd.DataFrame(X).add_prefix("x")
    model = SoftLabelClassifier(CLASSIFIERS[kind]).fit(X, pd.DataFrame(D, columns=LABELS))
    save(model, path)
    return model


def test_trees_are_loaded_only_if_trusted(kind, tmp_path):
    path = tmp_path / "model.skops"
    model = saved(kind, path)
    with pytest.raises(ModelError, match=rf"{kind}.*corrupt memory.*trusted"):
        load(path)
    X = pd.DataFrame(NEW).add_prefix("x")
    loaded = load(path, trusted=[f"labeldist.learning._boosting_libraries.{kind}"])
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert_array_equal(load(path, trusted=["boosters"]).predict(X), model.predict(X))


def test_command_has_an_option_to_trust_trees(kind, tmp_path):
    path = tmp_path / "model.skops"
    model = saved(kind, path)
    X = pd.DataFrame(NEW).add_prefix("x")
    X.to_csv(tmp_path / "new.csv", index=False)
    arguments = ["predict", str(path), str(tmp_path / "new.csv"), "-o", str(tmp_path / "p.csv")]
    assert "--trust-boosters" in error_of(*arguments)
    run(*arguments, "--trust-boosters")
    found = pd.read_csv(tmp_path / "p.csv")[LABELS]
    pd.testing.assert_frame_equal(found, pd.DataFrame(model.predict(X), columns=LABELS))


def change_text(path, change):
    """Change the text of the trees in a file."""
    with ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    schema = json.loads(members["schema.json"])

    def visit(node):
        if isinstance(node, dict):
            if isinstance(node.get("content"), str) and "tree" in node["content"]:
                node["content"] = json.dumps(change(json.loads(node["content"])))
            for value in node.values():
                visit(value)
        if isinstance(node, list):
            for value in node:
                visit(value)

    visit(schema)
    members["schema.json"] = json.dumps(schema).encode()
    with ZipFile(path, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


PROGRAM = """
import sys
from labeldist.exceptions import ModelError
from labeldist.models import load
from labeldist.models._persistence import BOOSTERS
try:
    model = load(sys.argv[1], trusted=BOOSTERS)
    model.predict([[0.0] * model.n_features_in_] * 10)
except ModelError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("LightGBMTrees", "num_class=4", "num_class=2"),
        ("LightGBMTrees", None, ""),
        ("XGBoostTrees", '"left_children":[1', '"left_children":[100000000'),
        ("XGBoostTrees", None, ""),
    ],
)
def test_changed_trees_are_refused_before_the_library_reads_them(kind, old, new, tmp_path):
    path = tmp_path / "model.skops"
    saved(kind, path)

    def change(text):
        changed = new if old is None else text.replace(old, new, 1)
        assert changed != text
        return changed

    change_text(path, change)
    command = [sys.executable, "-c", PROGRAM, str(path)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert "is damaged" in process.stdout


def test_errors_of_the_libraries_have_no_stack(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    saved("XGBoostTrees", path)

    def fail(**_):
        raise xgboost.core.XGBoostError("Check failed\nStack trace:\n  [bt] (0) libxgboost.so")

    monkeypatch.setattr(xgboost, "Booster", fail)
    with pytest.raises(ModelError) as caught:
        load(path, trusted=BOOSTERS)
    assert "Check failed" in str(caught.value)
    assert "Stack trace" not in str(caught.value)
