"""What all commands have in common."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import typer
from typer.testing import CliRunner

from labeldist import __version__, enhancement, learning
from labeldist.cli.app import app
from labeldist.cli.methods import ENHANCERS, LEARNERS, make
from labeldist.cli.options import parse_settings
from tests.cli.processes import labeldist


def commands():
    """Names of all commands, those of groups with their group."""
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        yield from (f"{name} {inner}" for inner in command.commands) if hasattr(command, "commands") else [name]


@pytest.mark.parametrize("command", list(commands()))
def test_help_has_examples_and_json(command):
    text = re.sub(r"\s+", " ", CliRunner().invoke(app, [*command.split(), "--help"]).output)
    assert f"labeldist {command} " in text
    assert "--json" in text


def test_the_version_and_the_exit_codes_are_told():
    assert labeldist("--version").stdout == f"labeldist {__version__}\n"
    assert "130" in CliRunner().invoke(app, ["--help"]).output


def test_a_shell_can_complete_commands():
    asked = {"_LABELDIST_COMPLETE": "complete_bash", "COMP_WORDS": "labeldist enh", "COMP_CWORD": "1"}
    assert labeldist(env={**os.environ, **asked}).stdout.strip() == "enhance"


def test_without_its_extra_the_command_says_how_to_get_it():
    code = "import sys; sys.modules['typer'] = None; from labeldist.cli import main; main()"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 1
    assert "pip install 'labeldist[app]'" in process.stderr


def test_every_method_has_a_name():
    assert set(ENHANCERS.values()) == set(enhancement.__all__)
    estimators = {name for name in learning.__all__ if hasattr(getattr(learning, name), "predict")}
    assert set(LEARNERS.values()) == estimators - {"EnhancedLearner"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("true", True), ("None", None), ("project", "project"), ("[1, 2]", [1, 2]), ("'7'", "7")],
)
def test_settings_are_written_as_in_toml_and_words_need_no_quotes(text, value):
    assert parse_settings([f"name={text}"]) == {"name": value}


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("bdel", {}, "no method 'bdel'. Did you mean bdle?"),
        ("bdle", {"ridge": 1}, "BDLE has no parameter ridge; it has bandwidth"),
        ("bdle", {"smoothness": -1}, "'smoothness' parameter of BDLE must be"),
    ],
)
def test_methods_and_parameters_that_there_are_not(method, parameters, message):
    with pytest.raises(typer.BadParameter, match=message):
        make(ENHANCERS, method, parameters)


def test_a_setting_has_a_name_and_a_value():
    assert make(ENHANCERS, "bdle", parse_settings(["output=project"])).output == "project"
    with pytest.raises(typer.BadParameter, match="NAME=VALUE"):
        parse_settings(["output"])


def test_a_command_can_be_called_from_any_thread():
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(CliRunner().invoke, app, ["datasets", "list"]).result().exit_code == 0
