"""Commands that are killed, interrupted or run on a full disk: outputs are complete or absent."""

import shutil
import signal

import pandas as pd
import pytest

from labeldist.models import load
from tests.cli.conftest import FEATURES, songs  # noqa: F401  # a fixture
from tests.disks import grow, read_only, small_disk
from tests.trust.nursery import Nursery

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
def nursery():
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def folder(songs, tmp_path):  # noqa: F811
    return shutil.copytree(songs, tmp_path / "songs")


def outputs(folder):
    return {path.name: path for path in folder.glob("out.*")}


class Outputs:
    """The outputs of a command that is not disturbed."""

    def __init__(self, nursery, folder, command):
        result = nursery.run(folder, *command)
        self.steps = result["steps"]
        assert result["code"] == 0, result["words"]
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

    def assert_next_run_succeeds(self, nursery, folder, command):
        assert nursery.run(folder, *command, "--force")["code"] == 0
        assert self.assert_complete(folder) == len(self._expected)


@fast_commands
def test_kill_before_any_step_leaves_outputs_complete_or_absent(nursery, folder, command):
    expected = Outputs(nursery, folder, command)
    assert expected.steps >= 3  # open, rename, remove
    for step in range(1, expected.steps + 1):
        assert nursery.run(folder, *command, "--force", at_step=step)["code"] == -signal.SIGKILL
        expected.assert_complete(folder)
    expected.assert_next_run_succeeds(nursery, folder, command)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@fast_commands
def test_termination_is_reported_and_leaves_no_temporary_files(nursery, folder, command, number, code):
    expected = Outputs(nursery, folder, command)
    for step in range(1, expected.steps + 1):
        result = nursery.run(folder, *command, "--force", at_step=step, signal=number)
        assert result["code"] == code
        assert result["words"].splitlines()[-1].startswith("labeldist: ")
        assert "Traceback" not in result["words"]
        expected.assert_complete(folder)
        assert not list(folder.glob("*.part"))
    expected.assert_next_run_succeeds(nursery, folder, command)


@fast_commands
def test_full_or_read_only_disk_is_reported_and_left_unchanged(nursery, folder, command, tmp_path):
    expected = Outputs(nursery, folder, command)
    with small_disk(tmp_path / "disk", room=2**20) as disk:
        for path in [*folder.iterdir()]:
            shutil.copy(path, disk)
        with read_only(disk):
            failed = nursery.run(disk, *command)
        assert failed["code"] == 1
        assert "written" in failed["words"]
        (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free))
        before = sorted(disk.iterdir())
        failed = nursery.run(disk, *command)
        assert failed["code"] == 1
        assert "No space left on device" in failed["words"]
        assert "Traceback" not in failed["words"]
        assert sorted(disk.iterdir()) == before
        grow(disk, 2**22)
        expected.assert_next_run_succeeds(nursery, disk, command)
