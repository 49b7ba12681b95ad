"""Common behaviour of all commands: help, exit codes, closed streams, lazy imports."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import typer

from labeldist import __version__, enhancement, learning
from labeldist.cli.app import app
from labeldist.cli.options import ENHANCERS, LEARNERS, make, parse_settings
from tests.cli.in_process import run
from tests.cli.processes import labeldist


def commands():
    """Names of all commands; those of groups start with the group."""
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        yield from (f"{name} {inner}" for inner in command.commands) if hasattr(command, "commands") else [name]


@pytest.mark.parametrize("command", list(commands()))
def test_help_has_examples_and_json(command):
    text = re.sub(r"\s+", " ", run(*command.split(), "--help").output)
    assert f"labeldist {command} " in text
    assert "--json" in text
    assert not re.search(r"<\w|\bstr\b|\bbool\b", text)  # types of Python


def test_version_exit_codes_and_completion():
    assert run("--version").stdout == f"labeldist {__version__}\n"
    assert "130" in run("--help").output
    completion = {"_LABELDIST_COMPLETE": "complete_bash", "COMP_WORDS": "labeldist enh", "COMP_CWORD": "1"}
    assert labeldist(env={**os.environ, **completion}).stdout.strip() == "enhance"


def test_help_does_not_import_slow_libraries():
    code = "import json, sys, labeldist.cli.app; print(json.dumps(list(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "sklearn", "pandas", "matplotlib", "skops"} & set(json.loads(process.stdout))


def test_missing_dependency_names_the_extra():
    code = "import sys; sys.modules['typer'] = None; from labeldist.cli import main; main()"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 1
    assert "pip install 'labeldist[app]'" in process.stderr


CONTAINING = {"ConformalLearner", "EnhancedLearner", "SoftLabelClassifier"}  # they need another estimator
SPECIAL = {"ALDL", "PLLE"}  # one label per row, and classes instead of distributions


def test_every_method_has_a_name():
    assert set(ENHANCERS.values()) == set(enhancement.__all__)
    estimators = {name for name in learning.__all__ if hasattr(getattr(learning, name), "predict")}
    assert set(LEARNERS.values()) == estimators - CONTAINING - SPECIAL
    for name, learner in LEARNERS.items():
        assert type(make(LEARNERS, name, {})).__name__ == learner


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("true", True), ("None", None), ("project", "project"), ("[1, 2]", [1, 2]), ("'7'", "7")],
)
def test_settings_are_toml_or_plain_words(text, value):
    assert parse_settings([f"name={text}"]) == {"name": value}


@pytest.mark.parametrize(
    ("setting", "fact"), [("ridge=1", "'ridge'"), ("smoothness=-1", "'smoothness'"), ("output", "NAME=VALUE")]
)
def test_invalid_parameters(setting, fact):
    with pytest.raises(typer.BadParameter, match=fact):
        make(ENHANCERS, "bdle", parse_settings([setting]))


@pytest.mark.slow
def test_closed_streams(folder):
    def shell(table, redirections):
        command = f"exec {sys.executable} -m labeldist predict model.skops {table} {redirections}"
        return subprocess.run(command, shell=True, capture_output=True, text=True)  # noqa: S602

    process = shell("-", "<&-")
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.startswith("labeldist: Standard input")
    process = shell("new.csv", ">&-")
    assert process.returncode == 1
    assert process.stderr == "labeldist: Standard output is closed.\n"
    process = shell("new.csv", "-o out.csv >&- 2>&-")
    assert process.returncode == 0
    assert len(pd.read_csv("out.csv")) == 120


@pytest.mark.slow
def test_output_names_that_are_not_utf_8(folder):
    name = os.fsdecode(b"\xff.csv")
    process = labeldist("predict", "model.skops", "new.csv", "-o", name, "--json")
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["output"] == name
    assert len(pd.read_csv(Path(name))) == 120
