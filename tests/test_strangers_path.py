"""Somebody installs the wheel into an empty environment and does what the documentation says, and more."""

import os
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from tests.docs.walkthrough import BLOCK, commands
from tests.docs.whereabouts import DOCS, ROOT

# A small set in the form of MULAN's: nominal labels, an XML file that names them, a nominal feature.
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
  <label name="amazed"></label><label name="happy"></label><label name="sad"></label>
</labels>
"""
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
"""Of this environment nothing that would lead Python to our source."""

SERVE = """
import sys
import numpy as np, onnxruntime, pandas as pd
from labeldist.models import load
features = pd.read_csv("predicted.csv")
kept = load("model.skops")
inputs = {}
session = onnxruntime.InferenceSession("model.onnx")
for one in session.get_inputs():
    column = features[[one.name]].to_numpy()
    inputs[one.name] = column.astype(str).astype(object) if "string" in one.type else column.astype(np.float64)
(served,) = session.run(None, inputs)
written = features[["amazed", "happy", "sad"]].to_numpy()
print(np.abs(served - written).max(), np.abs(kept.predict(features) - written).max())
"""


def emotions(rng):
    """Return the rows of an ARFF file."""
    X = rng.normal(size=(90, 2)).round(3)
    key = np.where(rng.random(90) < 0.5, "minor", "major")
    labels = np.column_stack([X[:, 0] > 0, (X[:, 1] > 0) | (key == "major"), X.sum(axis=1) < 0]).astype(int)
    labels[labels.sum(axis=1) == 0, 2] = 1
    rows = "\n".join(f"{a},{b},{k},{','.join(map(str, on))}" for (a, b), k, on in zip(X, key, labels, strict=True))
    names = "\n".join(f"@attribute {name} {{0,1}}" for name in ("amazed", "happy", "sad"))
    return (
        f"@relation music\n@attribute 'Mean Centroid' numeric\n@attribute tempo numeric\n"
        f"@attribute key {{minor,major}}\n{names}\n@data\n{rows}\n"
    )


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An empty environment, and how to run things and to install the wheel in it."""
    folder = tmp_path_factory.mktemp("stranger")
    wheels = folder / "wheels"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT], check=True, capture_output=True)
    (wheel,) = wheels.glob("labeldist-*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)

    def run(*command, **options):
        program, *arguments = map(str, command)
        program = folder / "venv" / "bin" / program
        return subprocess.run(
            [program, *arguments], capture_output=True, text=True, env=CLEAN, **{"cwd": folder, **options}
        )

    def install(extras=""):
        constraints = ROOT / "constraints.txt"
        process = run("python", "-m", "pip", "install", "--quiet", "--constraint", constraints, f"{wheel}{extras}")
        assert process.returncode == 0, process.stderr

    return run, install


def test_a_stranger_gets_from_the_wheel_to_a_model_that_is_served(environment, tmp_path, rng):
    run, install = environment
    install()
    _core_alone_learns_and_says_how_to_get_the_command(run)
    install("[app]")
    _five_minutes_go_as_written(run, tmp_path)
    install("[app,tables,onnx]")
    _a_set_of_mulan_goes_all_the_way(run, tmp_path / "mulan", rng)


def _core_alone_learns_and_says_how_to_get_the_command(run):
    code = "from labeldist import BDLDL; print(BDLDL().fit([[0.0], [1.0]], [[1, 0], [0, 1]]).predict([[1.0]]).round())"
    assert run("python", "-c", code).stdout == "[[0. 1.]]\n"
    command = run("labeldist", "enhance", "in.csv", "--labels", "joy")
    assert command.returncode == 1
    assert "pip install 'labeldist[app]'" in command.stderr
    assert "Traceback" not in command.stderr


def _five_minutes_go_as_written(run, folder):
    for block in BLOCK.finditer((DOCS / "start.md").read_text(encoding="utf-8")):
        if block["kind"] == "python":
            steps = [["python", "-c", block["text"]]]
        else:
            steps = [shlex.split(command) for command, _ in commands(block["text"])]
        for step in steps:
            process = run(*step, cwd=folder)
            assert process.returncode == 0, f"{step}\n{process.stderr}"
    assert (folder / "songs.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    predicted = pd.read_csv(folder / "predicted.csv")
    assert_allclose(predicted[["joy", "fear", "calm"]].sum(axis=1), 1)


def _a_set_of_mulan_goes_all_the_way(run, folder, rng):
    folder.mkdir()
    (folder / "emotions.arff").write_text(emotions(rng), encoding="utf-8")
    (folder / "emotions.xml").write_text(XML, encoding="utf-8")
    labels = ("--labels", "emotions.xml", "--prepare")
    for step in (
        ("enhance", "emotions.arff", *labels, "-o", "degrees.arff"),
        ("fit", "degrees.arff", *labels, "--method", "bdldlcv", "-o", "model.skops", "--onnx", "model.onnx"),
        ("predict", "model.skops", "degrees.arff", "-o", "predicted.csv"),
    ):
        process = run("labeldist", *step, cwd=folder)
        assert process.returncode == 0, f"{step}\n{process.stderr}"
    served = run("python", "-c", SERVE, cwd=folder)
    assert served.returncode == 0, served.stderr
    by_onnx, by_the_kept_model = map(float, served.stdout.split())
    assert by_onnx < 1e-5
    assert by_the_kept_model < 1e-12
