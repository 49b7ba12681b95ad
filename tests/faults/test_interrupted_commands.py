"""Commands that are killed, interrupted or run on a full disk: outputs are complete or absent."""

import shutil
import signal
import sys

import pandas as pd
import pytest

from labeldist.models import load
from tests.app.cli.conftest import FEATURES, songs  # noqa: F401  # a fixture
from tests.cases import named
from tests.disks import grow, read_only, small_disk
from tests.faults.fork_server import ForkServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="fork and memfd_create are needed"),
]

EMOTIONS = ("--labels", "joy,fear,calm")
COMMANDS = {
    "predict": ["predict", "model.skops", "new.csv", "-o", "out.parquet"],
    "votes": ["votes", "votes.csv", "--item", "title", "--label", "emotion", "-o", "out.csv"],
}
# They use the same function to write files, so they run in the long tests only.
SLOW_COMMANDS = {
    "enhance": ["enhance", "in.csv", *EMOTIONS, "-o", "out.csv"],
    "fit": ["fit", "dist.csv", *EMOTIONS, "--method", "bdldl", "-o", "out.skops"],
    "explore": ["explore", "in.csv", *EMOTIONS, "-o", "out.html"],
}
every_command = pytest.mark.parametrize(
    "command",
    [
        *(pytest.param(command, id=name) for name, command in COMMANDS.items()),
        *(
            pytest.param(SLOW_COMMANDS[name], id=name, marks=pytest.mark.soak)
            for name in SLOW_COMMANDS
        ),
    ],
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
        if path.suffix == ".skops":
            return load(path).predict(self._new).tolist()
        return path.read_bytes()

    def assert_complete(self, folder):
        """Assert that existing outputs are complete, and return their number."""
        found = {name: self._content(path) for name, path in outputs(folder).items()}
        assert found == {name: self._expected[name] for name in found}
        return len(found)

    def assert_next_run_succeeds(self, server, folder, command):
        assert server.run(folder, *command, "--force")["code"] == 0
        assert self.assert_complete(folder) == len(self._expected)


@every_command
def test_kill_before_any_step_leaves_outputs_complete_or_absent(server, folder, command):
    expected = Outputs(server, folder, command)
    assert expected.steps >= 3  # open, rename, remove
    for step in range(1, expected.steps + 1):
        with named(f"step {step}"):
            killed = server.run(folder, *command, "--force", at_step=step)
            assert killed["code"] == -signal.SIGKILL
            expected.assert_complete(folder)
    expected.assert_next_run_succeeds(server, folder, command)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@every_command
def test_termination_is_reported_and_leaves_no_temporary_files(
    server, folder, command, number, code
):
    expected = Outputs(server, folder, command)
    for step in range(1, expected.steps + 1):
        with named(f"step {step}"):
            result = server.run(folder, *command, "--force", at_step=step, signal=number)
            assert result["code"] == code
            assert result["output"].splitlines()[-1].startswith("labeldist: ")
            assert "Traceback" not in result["output"]
            expected.assert_complete(folder)
            assert not list(folder.glob("*.part"))
    expected.assert_next_run_succeeds(server, folder, command)


@every_command
def test_full_or_read_only_disk_is_reported_and_left_unchanged(server, folder, command, tmp_path):
    expected = Outputs(server, folder, command)
    with small_disk(tmp_path / "disk", room=2**20) as disk:
        shutil.copytree(folder, disk, dirs_exist_ok=True)
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


def test_target_of_a_link_is_replaced(server, folder):
    target = folder / "elsewhere.txt"
    target.write_text("old")
    (folder / "out.csv").symlink_to(target)
    assert server.run(folder, *COMMANDS["votes"], "--force")["code"] == 0
    assert target.read_text().startswith("title,")
    assert (folder / "out.csv").readlink() == target
