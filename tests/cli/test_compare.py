"""``labeldist compare``."""

from pathlib import Path

import pandas as pd
import pytest

from labeldist.comparison import Store, compare
from labeldist.learning import BDLDL
from tests.cli.conftest import FEATURES, LABELS
from tests.cli.in_process import error_of, run, run_json

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
    assert run_json("compare", spec) == facts


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
        ("cv = 3", "folds = 3", "folds"),
        ("ridge", "rigde", "rigde"),
        ("methods.", "learners.", "lacks the entry 'methods'"),
        ("tables.", "table.", "lacks the entry 'datasets or tables'"),
        ("file", "path", "lacks the entry 'file'"),
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
