"""Commands that are killed, interrupted or run on a full disk: outputs are complete or absent."""

import shutil
import signal

import pandas as pd
import pytest

from labeldist.models import load
from labeldist.votes import from_votes
from tests.cli.conftest import FEATURES, songs  # noqa: F401  # a fixture
from tests.cli.in_process import run
from tests.disks import grow, read_only, small_disk
from tests.trust.fork_server import ForkServer

pytestmark = pytest.mark.slow

EMOTIONS = ("--labels", "joy,fear,calm")
COMMANDS = {
    "enhance": ["enhance", "in.csv", *EMOTIONS, "-o", "out.csv"],
    "fit": ["fit", "dist.csv", *EMOTIONS, "--method", "bdldl", "-o", "out.skops"],
    "predict": ["predict", "model.skops", "new.csv", "-o", "out.parquet"],
    "votes": ["votes", "votes.csv", "--item", "title", "--label", "emotion", "-o", "out.csv"],
    "explore": ["explore", "in.csv", *EMOTIONS, "-o", "out.html"],
}
SLOW = ("enhance", "fit", "explore")
# The slow commands use the same function to write files: they are tried in the long tests only.
fast_commands = pytest.mark.parametrize(
    "command", [pytest.param(COMMANDS[name], marks=[pytest.mark.soak] * (name in SLOW), id=name) for name in COMMANDS]
)


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def folder(songs, tmp_path):  # noqa: F811
    return shutil.copytree(songs, tmp_path / "songs")


def outputs(folder):
    return {path.name: path for path in folder.glob("out.*")}


class Outputs:
    """The outputs of a command that is not disturbed."""

    def __init__(self, server, folder, command):
        result = server.run(folder, *command)
        self.steps = result["steps"]
        assert result["code"] == 0, result["output"]
        self._new = pd.read_csv(folder / "new.csv")[FEATURES]
        self._expected = {name: self._content(path) for name, path in outputs(folder).items()}
        for path in outputs(folder).values():
            path.unlink()

    def _content(self, path):
        """Return the bytes of a file, or the predictions of a model, whose file contains a date."""
        return load(path).predict(self._new).tolist() if path.suffix == ".skops" else path.read_bytes()

    def assert_complete(self, folder):
        """Assert that existing outputs are complete, and return their number."""
        found = {name: self._content(path) for name, path in outputs(folder).items()}
        assert found == {name: self._expected[name] for name in found}
        return len(found)

    def assert_next_run_succeeds(self, server, folder, command):
        assert server.run(folder, *command, "--force")["code"] == 0
        assert self.assert_complete(folder) == len(self._expected)


@fast_commands
def test_kill_before_any_step_leaves_outputs_complete_or_absent(server, folder, command):
    expected = Outputs(server, folder, command)
    assert expected.steps >= 3  # open, rename, remove
    for step in range(1, expected.steps + 1):
        assert server.run(folder, *command, "--force", at_step=step)["code"] == -signal.SIGKILL
        expected.assert_complete(folder)
    expected.assert_next_run_succeeds(server, folder, command)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@fast_commands
def test_termination_is_reported_and_leaves_no_temporary_files(server, folder, command, number, code):
    expected = Outputs(server, folder, command)
    for step in range(1, expected.steps + 1):
        result = server.run(folder, *command, "--force", at_step=step, signal=number)
        assert result["code"] == code
        assert result["output"].splitlines()[-1].startswith("labeldist: ")
        assert "Traceback" not in result["output"]
        expected.assert_complete(folder)
        assert not list(folder.glob("*.part"))
    expected.assert_next_run_succeeds(server, folder, command)


@fast_commands
def test_full_or_read_only_disk_is_reported_and_left_unchanged(server, folder, command, tmp_path):
    expected = Outputs(server, folder, command)
    with small_disk(tmp_path / "disk", room=2**20) as disk:
        for path in [*folder.iterdir()]:
            shutil.copy(path, disk)
        with read_only(disk):
            failed = server.run(disk, *command)
        assert failed["code"] == 1
        assert "written" in failed["output"]
        (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free))
        before = sorted(disk.iterdir())
        failed = server.run(disk, *command)
        assert failed["code"] == 1
        assert "No space left on device" in failed["output"]
        assert "Traceback" not in failed["output"]
        assert sorted(disk.iterdir()) == before
        grow(disk, 2**22)
        expected.assert_next_run_succeeds(server, disk, command)


def test_file_that_appears_while_a_command_runs_is_not_overwritten(tmp_path, monkeypatch):
    def from_votes_with_other_writer(*arguments, **options):
        output.write_text("other")
        return from_votes(*arguments, **options)

    monkeypatch.setattr("labeldist.votes.from_votes", from_votes_with_other_writer)
    table, output = tmp_path / "votes.csv", tmp_path / "out.csv"
    table.write_text("joy,fear\n1,2\n")
    command = ("votes", table, "--counts", "joy,fear", "-o", output)
    result = run(*command, fails=True)
    assert (result.exit_code, output.read_text()) == (1, "other")
    assert "out.csv" in result.stderr
    run(*command, "--force")
    assert output.read_text() != "other"


def test_links_are_replaced_and_not_followed(folder):
    target = folder / "elsewhere.txt"
    target.write_text("precious")
    for command, output in (("votes", "out.csv"), ("predict", "out.parquet"), ("fit", "out.skops")):
        (folder / output).symlink_to(target)
        arguments = [folder / part if (folder / part).exists() else part for part in COMMANDS[command]]
        run(*arguments, "--force")
        assert target.read_text() == "precious"
        assert not (folder / output).is_symlink()
