"""Every command, given something wrong: one line that says what, an exit code, and nothing half written."""

import os
import resource
import signal
from pathlib import Path

import psutil
import pytest

from tests.cli.processes import interrupt, labeldist

COMMANDS = {
    "enhance": ["enhance", "in.csv", "--labels", "joy,fear,calm", "-o", "out.csv"],
    "fit": ["fit", "dist.csv", "--labels", "joy,fear,calm", "-o", "out.skops"],
    "predict": ["predict", "{songs}/model.skops", "new.csv", "-o", "out.csv"],
    "evaluate": ["evaluate", "{songs}/dist.csv", "pred.csv", "--labels", "joy,fear,calm"],
    "votes": ["votes", "votes.csv", "--item", "title", "--annotator", "who", "--label", "emotion", "-o", "out.csv"],
    "explore": ["explore", "in.csv", "--labels", "joy,fear,calm", "-o", "out.html"],
}
"""What works, with the table that is to be spoiled lying in the current folder."""

WRITES = [name for name in COMMANDS if "-o" in COMMANDS[name]]


def table_of(command):
    return next(part for part in COMMANDS[command] if part.endswith(".csv") and "/" not in part and part != "out.csv")


def run(command, songs, folder, *more, **options):
    arguments = [part.format(songs=songs) for part in COMMANDS[command]]
    return labeldist(*arguments, *more, cwd=folder, **options)


def missing(table):
    table.unlink()


def empty(table):
    table.write_text("")


def no_rows(table):
    table.write_text(table.read_text().splitlines()[0])


def ragged(table):
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines[:4], lines[4] + ",1", *lines[5:]]))


def duplicate_columns(table):
    lines = table.read_text().splitlines()
    name = lines[0].rpartition(",")[2]
    table.write_text("\n".join([f"{lines[0]},{name}", *(line + ",0" for line in lines[1:])]))


def wrong_column(table):
    lines = table.read_text().splitlines()
    lines[0] = lines[0].replace(lines[0].split(",")[-1], "moood")
    table.write_text("\n".join(lines))


def no_text(table):
    table.write_bytes(b"\xff\xfe" + table.read_bytes())


def wrong_cell(table):
    _spoil_last_cell(table, "loud")


def negative(table):
    _spoil_last_cell(table, "-1")


def _spoil_last_cell(table, cell):
    lines = table.read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + "," + cell
    table.write_text("\n".join(lines))


MISTAKES = {
    missing: "There is no file {table}",
    empty: "{table} is empty",
    no_rows: "{table} has no rows",
    ragged: "Line 5 of {table} has",
    duplicate_columns: "{table} has more than one column",
    wrong_column: "column",
    no_text: "no text in UTF-8",
}
CELLS = {wrong_cell: "data row 3, column {column!r}, is 'loud'", negative: "data row 3, column {column!r}, is -1"}
NUMBERS = {"enhance": "calm", "fit": "calm", "predict": "pitch", "evaluate": "calm", "explore": "calm"}
"""The last column of the table of those commands that read numbers."""

CASES = [(command, mistake, message) for command in COMMANDS for mistake, message in MISTAKES.items()]
CASES += [(command, wrong_cell, CELLS[wrong_cell]) for command in NUMBERS]
CASES += [(command, negative, CELLS[negative]) for command in NUMBERS if command != "predict"]


@pytest.mark.parametrize(
    ("command", "mistake", "message"), CASES, ids=[f"{command}-{mistake.__name__}" for command, mistake, _ in CASES]
)
def test_what_is_wrong_is_said_in_a_line_and_nothing_is_written(songs, tmp_path, command, mistake, message):
    name = table_of(command)
    table = tmp_path / name
    table.write_bytes((songs / name).read_bytes())
    mistake(table)
    before = sorted(tmp_path.iterdir())
    process = run(command, songs, tmp_path)
    assert process.returncode == 1, process.stderr
    assert message.format(table=name, column=NUMBERS.get(command)) in process.stderr
    assert process.stderr.count("labeldist: ") == process.stderr.count("\n")  # notes and one line more
    assert "Traceback" not in process.stderr
    assert process.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def folder(songs, tmp_path):
    for path in songs.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("command", WRITES)
def test_what_exists_is_replaced_only_by_force(songs, folder, command):
    out = folder / COMMANDS[command][-1]
    out.write_text("precious")
    process = run(command, songs, folder)
    assert process.returncode == 1
    assert f"{out.name} exists. Give another name, or --force" in process.stderr
    assert out.read_text() == "precious"
    assert run(command, songs, folder, "--force").returncode == 0
    assert out.read_bytes()[:8] != b"precious"


# Every command on a real disk without room is in tests/trust/test_faults.py, for which one must be root.
@pytest.mark.parametrize("command", ["votes"])
def test_a_full_disk_leaves_nothing_half_written(songs, folder, command):
    def no_room():  # the system refuses to write more than these bytes, as a full disk does
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    before = sorted(folder.iterdir())
    process = run(command, songs, folder, preexec_fn=no_room)
    assert process.returncode == 1
    assert "cannot be written: File too large" in process.stderr
    assert "Traceback" not in process.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("command", WRITES)
def test_a_folder_without_permission_is_refused(songs, folder, command):
    forbidden = Path("/proc")  # where not even root can make files
    if os.geteuid():
        forbidden = folder / "forbidden"
        forbidden.mkdir(mode=0o500)
    process = run(command, songs, folder, "-o", forbidden / COMMANDS[command][-1])
    assert process.returncode == 1
    assert "written" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("command", ["enhance", "fit"])
def test_an_interrupt_ends_it_without_a_trace(songs, folder, command):
    lines = (folder / table_of(command)).read_text().splitlines()
    (folder / table_of(command)).write_text("\n".join([lines[0], *lines[1:] * 60]))

    def is_at_work(pid):
        return psutil.Process(pid).cpu_times().user > 3  # seconds; all is read long before

    before = sorted(folder.iterdir())
    arguments = [*COMMANDS[command], *(["--method", "bdle", "--set", "solver=exact"] if command == "enhance" else [])]
    process = interrupt(*arguments, when=is_at_work, cwd=folder)
    assert process.returncode == 130
    assert process.stderr.splitlines()[-1] == "labeldist: interrupted"
    assert "Traceback" not in process.stderr
    assert sorted(folder.iterdir()) == before


def test_a_reader_that_has_seen_enough_is_no_mistake(songs):
    read, write = os.pipe()
    os.close(read)
    process = labeldist("predict", songs / "model.skops", songs / "new.csv", stdout=write)
    os.close(write)
    assert process.returncode == 0


def test_a_full_standard_output_is_an_error(songs):
    with open("/dev/full", "w") as full:
        process = labeldist("predict", songs / "model.skops", songs / "new.csv", stdout=full)
    assert process.returncode == 1
    assert process.stderr == "labeldist: Standard output cannot be written: No space left on device.\n"
