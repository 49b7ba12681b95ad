"""Invalid tables and outputs: one line of message, an exit code, and no incomplete files."""

import os
import sys

import psutil
import pytest

from tests.app.cli.in_process import error_of, run
from tests.app.cli.processes import interrupt, labeldist

pytestmark = pytest.mark.slow
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="/dev/full and signals of children are those of Linux"
)

LABELS = "--labels joy,fear,calm"
COMMANDS = {
    "enhance": f"in.csv {LABELS} -o out.csv",
    "fit": f"dist.csv {LABELS} --method bdldl -o out.skops",
    "predict": "model.skops new.csv -o out.csv",
    "evaluate": f"dist.csv pred.csv {LABELS} --picture out.png",
    "votes": "votes.csv --item title --annotator who --label emotion -o out.csv",
    "estimate": "votes.csv --item title --annotator who --label emotion -o out.csv",
    "explore": f"in.csv {LABELS} -o out.html",
}
COMMANDS = {name: [name, *options.split()] for name, options in COMMANDS.items()}
TABLES = {name: command[1] for name, command in COMMANDS.items()}
TABLES |= {"predict": "new.csv", "evaluate": "pred.csv"}


def remove(path):
    path.unlink()


def keep_header_only(path):
    path.write_text(path.read_text().splitlines()[0])


def rename_column(path):
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header.rpartition(",")[0] + ",moood", *lines]))


def replace_last_cell(path, cell="loud"):
    lines = path.read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + "," + cell
    path.write_text("\n".join(lines))


def make_negative(path):
    replace_last_cell(path, "-1")


FACTS = {
    remove: ["{table}"],
    keep_header_only: ["{table}", "no rows"],
    rename_column: ["column"],
    replace_last_cell: ["data row 3, column", "'loud'"],
    make_negative: ["data row 3, column", "-1"],
}
INVALID = [(command, change) for command in COMMANDS for change in FACTS]
VALID = [(command, make_negative) for command in ("votes", "estimate", "predict")]
VALID += [(command, replace_last_cell) for command in ("votes", "estimate")]
for valid in VALID:
    INVALID.remove(valid)


@pytest.mark.parametrize(("command", "change"), INVALID)
def test_invalid_tables_are_named_and_nothing_is_written(folder, command, change):
    change(folder / TABLES[command])
    before = sorted(folder.iterdir())
    message = error_of(*COMMANDS[command])
    for fact in FACTS[change]:
        assert fact.format(table=TABLES[command]) in message
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_existing_files_are_overwritten_only_with_force(folder, command):
    output = folder / COMMANDS[command][-1]
    output.write_text("precious")
    message = error_of(*COMMANDS[command])
    assert output.name in message
    assert "--force" in message
    assert output.read_text() == "precious"
    run(*COMMANDS[command], "--force")
    assert output.read_bytes()[:8] != b"precious"


@pytest.mark.parametrize("command", COMMANDS)
def test_file_that_appears_during_the_work_is_not_overwritten(folder, command, monkeypatch):
    output = folder / COMMANDS[command][-1]
    monkeypatch.setattr(
        "labeldist.app.cli.table_files.check_free", lambda path, **_: output.write_text("precious")
    )
    result = run(*COMMANDS[command], fails=True)
    assert result.exit_code == 1
    assert f"{output.name} exists" in result.stderr
    assert output.read_text() == "precious"


@on_linux
def test_interrupt_leaves_no_files(folder):
    header, *lines = (folder / "in.csv").read_text().splitlines()
    (folder / "in.csv").write_text("\n".join([header, *lines * 40]))

    def is_fitting(pid):
        return psutil.Process(pid).cpu_times().user > 3  # seconds; reading takes less

    before = sorted(folder.iterdir())
    process = interrupt(
        *COMMANDS["enhance"], "--method", "bdle", "--set", "solver=exact", when=is_fitting
    )
    assert process.returncode == 130
    assert process.stderr.splitlines()[-1] == "labeldist: interrupted"
    assert "Traceback" not in process.stderr
    assert sorted(folder.iterdir()) == before


def test_closed_pipe_is_not_an_error(folder):
    read, write = os.pipe()
    os.close(read)
    process = labeldist("predict", "model.skops", "new.csv", stdout=write)
    os.close(write)
    assert (process.returncode, process.stderr) == (0, "")


@on_linux
@pytest.mark.parametrize(("stream", "code"), [("stdout", 1), ("stderr", 0)])
def test_full_streams(folder, stream, code):
    with open("/dev/full", "w") as full:
        process = labeldist("enhance", "in.csv", *LABELS.split(), **{stream: full})
    assert process.returncode == code
    if stream == "stdout":
        assert "Standard output cannot be written" in process.stderr
    else:
        assert len(process.stdout.splitlines()) == 121
