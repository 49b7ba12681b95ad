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

from labeldist import __version__
from labeldist.app.cli.app import app
from tests.app.cli.in_process import error_of, run
from tests.app.cli.processes import labeldist
from tests.app.cli.songs import NAMES


def commands():
    """Names of all commands; those of groups start with the group."""
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", ())
        yield from [f"{name} {one}" for one in inner] or [name]


@pytest.mark.parametrize("command", list(commands()))
def test_help_has_examples_and_json(command):
    text = re.sub(r"\s+", " ", run(*command.split(), "--help").output)
    assert f"labeldist {command} " in text
    assert "--json" in text
    assert not re.search(r"<\w|\bstr\b|\bbool\b|\bAny\b", text)  # types of Python


def test_version_and_exit_codes():
    assert run("--version").stdout == f"labeldist {__version__}\n"
    assert "130" in run("--help").output


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_help_does_not_import_slow_libraries():
    code = "import json, sys, labeldist.app.cli.app; print(json.dumps(list(sys.modules)))"
    modules = json.loads(python(code).stdout)
    assert not {"scipy", "sklearn", "pandas", "matplotlib", "skops"} & set(modules)


def test_missing_dependency_names_the_extra():
    code = "import sys; sys.modules['typer'] = None; from labeldist.app.cli import main; main()"
    process = python(code)
    assert process.returncode == 1
    assert "pip install 'labeldist[app]'" in process.stderr
    assert "pip install '.[app]'" in process.stderr


INTERRUPTED_IMPORT = """
import sys

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "labeldist.app.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from labeldist.app.cli import main
main()
"""


INTERRUPTED_PARSING = """
import labeldist.app.cli.app

def interrupt(**_):
    raise KeyboardInterrupt

labeldist.app.cli.app.app = interrupt
labeldist.app.cli.main()
"""


@pytest.mark.parametrize("code", [INTERRUPTED_IMPORT, INTERRUPTED_PARSING])
def test_interrupt_before_the_command_begins_has_no_traceback(code):
    process = python(code)
    assert (process.returncode, process.stderr) == (130, "labeldist: interrupted\n")


def test_long_messages_are_cut(folder):
    votes = pd.DataFrame({"id": ["B" * 1_000_000] * 2, "joy": [1, 2], "fear": [2, 1]})
    votes.to_csv("repeated.csv", index=False)
    options = ("--item", "id", "--counts", "joy,fear")
    error = run("votes", "repeated.csv", *options, fails=True).stderr
    assert error.endswith("…\n")
    assert len(error) < 5_000


CLOSED = "import sys; sys.stdout = None; from labeldist.app.cli import main; main()"


@pytest.mark.parametrize(
    ("options", "code"), [(["-o", "out.csv"], 0), (["-o", "out.csv", "--json"], 1), ([], 1)]
)
def test_closed_standard_output_matters_only_if_it_is_needed(folder, options, code):
    votes = ("votes", "votes.csv", "--item", "title", "--label", "emotion")
    process = subprocess.run([sys.executable, "-c", CLOSED, *votes, *options], capture_output=True)
    assert process.returncode == code
    assert (b"Standard output is closed" in process.stderr) == (code == 1)
    assert Path("out.csv").exists() == bool(options)


def test_escape_sequences_of_names_do_not_reach_the_terminal(folder):
    red = "\x1b[31mjoy\x9b0m"
    pd.read_csv("in.csv").rename(columns={"joy": red}).to_csv("red.csv", index=False)
    labels = ("--labels", f"{red},fear,calm")
    command = ("enhance", "red.csv", *labels, "--method", "km", "-o", "out.csv")
    text = run(*command)
    facts = run(*command, "--force", "--json")
    error = run("enhance", "red.csv", "--labels", "jo", fails=True)
    assert "\\u001b[31mjoy\\u009b0m" in text.stdout
    assert "\\u001b[31mjoy\\u009b0m" in error.stderr
    assert red in json.loads(facts.stdout)["labels"]
    for result in (text, facts, error):
        assert not re.search("[\x1b\x9b]", result.output)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_output_names_that_are_not_utf_8(folder):
    name = os.fsdecode(b"\xff.csv")
    process = labeldist("predict", "model.skops", "new.csv", "-o", name, "--json")
    assert json.loads(process.stdout)["output"] == name
    assert len(pd.read_csv(Path(name))) == 120


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--set", "ridge=1"], 2, "--method"),
        (["fit", "dist.csv", *NAMES, "-o", "-"], 2, "standard output"),
        (["fit", "nowhere.csv", *NAMES, "-o", ""], 1, "name of a file"),
        (["fit", "dist.csv", "-l", "joy", "-o", "m.skops"], 1, "joy is the only label"),
        (["fit", "dist.csv", "-l", "", "-o", "m.skops"], 1, "title"),
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--weights", "*"], 1, "'*'"),
        (["predict", "model.skops", "new.csv", "--item", "name"], 1, "'name'"),
        (["predict", "dist.csv", "new.csv"], 1, "dist.csv"),
        (["predict", "model.skops", "pred.csv"], 1, "tempo, loudness, pitch"),
    ],
)
def test_invalid_calls(folder, arguments, code, fact):
    before = sorted(folder.iterdir())
    assert fact in error_of(*arguments, code=code)
    assert sorted(folder.iterdir()) == before
