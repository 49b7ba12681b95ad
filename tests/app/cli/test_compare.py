"""``labeldist compare``."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from labeldist.comparison import Store, compare
from labeldist.learning import BDLDL
from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.songs import FEATURES, LABELS

SPEC = """
cv = 3

[tables.songs]
file = "dist.csv"
labels = "joy,fear,calm"

[methods.BD-LDL]
ridge = 0.5

[methods.mine]
import = "my_methods:Constant"
degree = 0.5
"""
MINE = """
import numpy as np


class Constant:
    def __init__(self, degree):
        self.degree = degree

    def fit(self, X, D):
        return self

    def predict(self, X):
        rest = (1 - self.degree) / 2
        return np.tile([self.degree, rest, rest], (len(X), 1))
"""


@pytest.fixture
def spec(folder):
    sys.modules.pop("my_methods", None)
    Path("my_methods.py").write_text(MINE)
    Path("spec.toml").write_text(SPEC)
    return "spec.toml"


def test_methods_of_the_file_are_compared_and_results_are_kept(spec):
    facts = run_json("compare", spec)
    songs = pd.read_csv("dist.csv")
    data = {"songs": (songs[FEATURES].to_numpy(), songs[LABELS].to_numpy())}
    expected = compare({"BD-LDL": BDLDL(ridge=0.5, fit_intercept=False)}, data, cv=3)
    assert list(facts["means"]["songs"]) == ["BD-LDL", "mine", "Mean"]
    first = expected.means("kl_divergence")[0, 0]
    assert facts["means"]["songs"]["BD-LDL"] == pytest.approx(first)
    with Store("spec.toml.sqlite") as store:
        assert len(store.results()) == 9
    again = run_json("compare", spec)
    assert "9 of 9 results are from spec.toml.sqlite; --again" in again.pop("notes")[0]
    assert (facts.pop("notes"), facts.pop("stored"), again.pop("stored")) == ([], 0, 9)
    assert again == facts
    assert run_json("compare", spec, "--again")["stored"] == 0


def test_changed_source_runs_again(spec):
    first = run_json("compare", spec)["means"]["songs"]["mine"]
    sys.modules.pop("my_methods")
    Path("my_methods.py").write_text(MINE.replace("[self.degree, rest", "[rest, self.degree"))
    changed = run_json("compare", spec)
    assert changed["stored"] == 6
    assert changed["means"]["songs"]["mine"] != first


def test_failures_run_again(spec):
    Path("my_methods.py").write_text(MINE.replace("return self", "raise RuntimeError('typo')"))
    sys.modules.pop("my_methods", None)
    assert "RuntimeError: typo" in run_json("compare", spec)["notes"][0]
    sys.modules.pop("my_methods")
    Path("my_methods.py").write_text(MINE)
    assert "mine" in run_json("compare", spec)["means"]["songs"]


@pytest.mark.parametrize(
    "target", ["os:system", "subprocess:run", "my_methods:np", "my_methods:make", "builtins:dict"]
)
def test_only_classes_with_fit_are_called(spec, target):
    Path("my_methods.py").write_text(f"{MINE}\n\ndef make(command):\n    open('PWNED', 'w')\n")
    sys.modules.pop("my_methods", None)
    start = SPEC.split("[methods.mine]")[0]
    Path(spec).write_text(f'{start}[methods.a]\nimport = "{target}"\ncommand = "touch PWNED"\n')
    assert f"{target} is not a class with the method fit" in error_of("compare", spec)
    assert not Path("PWNED").exists()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("self.degree = degree", "{}['oops']", r"KeyError: 'oops' \(.*my_methods\.py, line 7\)"),
        ("class Constant", "absent\nclass Constant", r"NameError: .*my_methods\.py, line 5\)"),
    ],
)
def test_errors_in_own_code_name_the_method_and_the_place(spec, old, new, problem):
    Path("my_methods.py").write_text(MINE.replace(old, new))
    sys.modules.pop("my_methods", None)
    message = error_of("compare", spec)
    assert re.search(rf"spec\.toml: \[methods\.mine\]: {problem}", message)
    assert "lacks" not in message
    assert "Traceback" not in message


def test_names_of_methods_are_those_of_the_command_and_of_classes(spec):
    start = SPEC.split("[methods.BD-LDL]")[0]
    Path(spec).write_text(f"{start}[methods.saiis]\n[methods.AAKNN]\n[methods.BD-LDL]\n")
    assert list(run_json("compare", spec)["means"]["songs"]) == ["saiis", "AAKNN", "BD-LDL", "Mean"]
    Path(spec).write_text(f"{start}[methods.sabfg]\n")
    assert "Did you mean SABFGS?" in error_of("compare", spec)


@pytest.mark.parametrize(
    ("content", "missing"),
    [("[methods.mean]", "'datasets' or 'tables'"), ('datasets = ["Movie"]', "'methods'")],
)
def test_needed_entries(spec, content, missing):
    Path(spec).write_text(content)
    assert f"lacks the entry {missing}" in error_of("compare", spec)


def test_deeply_nested_files_raise(spec):
    Path(spec).write_text(f"cv = {'[' * 50_000}")
    assert "nested too deeply" in error_of("compare", spec)


def test_options(spec):
    options = ("--measure", "clark", "--against", "mine", "--store", "s.sqlite", "--jobs", "1")
    result = run("compare", spec, *options, "--latex", "t.tex", "--picture", "p.png")
    assert "Clark" in result.stdout
    assert "mine against" in result.stdout
    assert "Clark" in Path("t.tex").read_text(encoding="utf-8")
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert Path("s.sqlite").exists()
    assert "t.tex" in error_of("compare", spec, *options, "--latex", "t.tex")


def test_enhancers(spec):
    text = 'task = "enhancers"' + SPEC.split("[methods")[0].replace("cv = 3", "threshold = 0.4")
    Path(spec).write_text(f"{text}\n[methods.LP]\n")
    facts = run_json("compare", spec)
    assert list(facts["means"]["songs"]) == ["LP", "Uniform", "LogicalSoftmax"]


def test_failures_are_noted(spec):
    Path(spec).write_text(SPEC.replace("degree = 0.5", "degree = 2.0"))
    facts = run_json("compare", spec)
    assert "mine failed on songs" in facts["notes"][0]
    assert "mine" not in facts["means"]["songs"]


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("BD-LDL", "BDLD", "BDLD"),
        ("my_methods", "your_methods", "your_methods"),
        ("Constant", "Variable", "Variable"),
        ("degree =", "degrees =", "degrees"),
        ("dist.csv", "none.csv", "none.csv"),
        ("cv = 3", "cv = ", "line "),
        ("cv = 3", "folds = 3", "unknown entry 'folds'. The entries are task,"),
        ("cv = 3", "treshold = 3", "unknown entry 'treshold'"),
        ("cv = 3", 'task = "foo"', '"learners" or "enhancers"; got \'foo\''),
        ("cv = 3", 'cv = "three"', "cv cannot be 'three'"),
        ("cv = 3", "cv = true", "cv cannot be True"),
        ("cv = 3", "cv = 1000", "n_splits=1000"),
        ("cv = 3", 'datasets = "Movie"', "list of names; got 'Movie'"),
        ("cv = 3", "methods = 3", "line "),
        ("[methods.BD-LDL]\nridge", "[methods]\nridge", "[methods.NAME]"),
        ('"my_methods:Constant"', "5", "got 5"),
        ('"my_methods:Constant"', '"my_methods"', "module:Class"),
        ("my_methods:Constant", "my_methods:constant", "Did you mean Constant?"),
        ("labels =", "label =", "unknown entry 'label'. Did you mean labels?"),
        ('labels = "joy,fear,calm"', "", "lacks the entry 'labels'"),
        ("ridge", "rigde", "rigde"),
        ("methods.", "learners.", "unknown entry 'learners'"),
        ("tables.", "table.", "unknown entry 'table'. Did you mean tables?"),
        ("file", "path", "unknown entry 'path'"),
        ('file = "dist.csv"', "", "lacks the entry 'file'"),
    ],
)
def test_wrong_files_raise(spec, old, new, fact):
    Path(spec).write_text(SPEC.replace(old, new))
    assert fact in error_of("compare", spec)
    assert "none.toml" in error_of("compare", "none.toml")


@pytest.mark.parametrize(
    ("option", "known"), [("--measure", "kl_divergence"), ("--against", "BD-LDL, mine, Mean")]
)
def test_names_of_options_are_checked_before_the_run(spec, option, known):
    assert known in error_of("compare", spec, option, "none", code=2)
    assert not Path("spec.toml.sqlite").exists()
