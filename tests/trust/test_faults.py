"""Whatever happens to a command: nothing half written, nothing lost, a clear message, and the next run goes on."""

import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from labeldist.models import load
from tests.cli.conftest import FEATURES, songs  # noqa: F401  # a fixture
from tests.cli.processes import labeldist
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
DRAWING = [*COMMANDS["enhance"], "--picture", "out.png"]
SLOW = ("enhance", "fit", "explore")
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture(scope="module")
def nursery():
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def folder(songs, tmp_path):  # noqa: F811
    return shutil.copytree(songs, tmp_path / "songs")


def outputs(folder):
    return {path.name: path for path in folder.glob("out.*") if path.suffix != ".part"}


class Outputs:
    """What a command writes when nobody disturbs it."""

    def __init__(self, nursery, folder, command):
        self.seconds = (result := nursery.run(folder, *command))["seconds"]
        self.steps = result["steps"]
        assert result["code"] == 0, result["words"]
        self._new = pd.read_csv(folder / "new.csv")[FEATURES]
        self._expected = {name: self._content(path) for name, path in outputs(folder).items()}
        for path in outputs(folder).values():
            path.unlink()

    def _content(self, path):
        """The bytes of a file; of a model, which is dated, its predictions."""
        return load(path).predict(self._new).tolist() if path.suffix == ".skops" else path.read_bytes()

    def assert_whole(self, folder):
        """Assert that those that are there are whole; return how many."""
        found = {name: self._content(path) for name, path in outputs(folder).items()}
        assert found == {name: self._expected[name] for name in found}
        return len(found)

    def assert_next_run_goes_on(self, nursery, folder, command):
        assert nursery.run(folder, *command, "--force")["code"] == 0
        assert self.assert_whole(folder) == len(self._expected)
        assert not list(folder.glob("*.part"))


@every_command
def test_killed_before_any_step_outputs_are_absent_or_whole_and_the_next_run_goes_on(nursery, folder, command):
    expected = Outputs(nursery, folder, command)
    assert expected.steps >= 4  # open, lock, rename and clean up, of each file
    rests = []
    for step in range(1, expected.steps + 1):
        assert nursery.run(folder, *command, "--force", at_step=step)["code"] == -signal.SIGKILL
        expected.assert_whole(folder)
        rests.append(len(list(folder.glob("*.part"))))
    assert max(rests) == 1  # it is left, and does not become more
    expected.assert_next_run_goes_on(nursery, folder, command)


@pytest.mark.soak
@pytest.mark.parametrize("command", [*COMMANDS.values(), DRAWING], ids=[*COMMANDS, "enhance with a picture"])
def test_killed_at_random_moments_outputs_are_absent_or_whole(nursery, folder, command):
    rng, expected, found = np.random.default_rng(0), Outputs(nursery, folder, command), 0
    for _ in range(200):
        nursery.run(folder, *command, "--force", after=rng.uniform(0, 1.2 * expected.seconds))
        found += expected.assert_whole(folder)
        assert len(list(folder.glob("*.part"))) <= 2
        for path in outputs(folder).values():
            path.unlink()
    assert found > 0  # some came through
    expected.assert_next_run_goes_on(nursery, folder, command)


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
@pytest.mark.parametrize(
    "command",
    [pytest.param(COMMANDS[name], marks=[pytest.mark.soak] * (name != "predict"), id=name) for name in COMMANDS],
)
def test_told_to_end_it_says_so_and_leaves_nothing_unfinished(nursery, folder, command, number, code, word):
    expected = Outputs(nursery, folder, command)
    for step in range(1, expected.steps + 1):
        result = nursery.run(folder, *command, "--force", at_step=step, signal=number)
        assert result["code"] == code
        assert result["words"].splitlines()[-1] == f"labeldist: {word}"
        assert "Traceback" not in result["words"]
        expected.assert_whole(folder)
        assert not list(folder.glob("*.part"))
    expected.assert_next_run_goes_on(nursery, folder, command)


@pytest.mark.parametrize(
    "command",
    [pytest.param(COMMANDS[name], marks=[pytest.mark.soak] * (name in SLOW), id=name) for name in COMMANDS],
)
def test_a_disk_that_is_full_or_cannot_be_written_is_told_and_left_as_it_was(nursery, folder, command, tmp_path):
    expected = Outputs(nursery, folder, command)
    with small_disk(tmp_path / "disk", room=2**20) as disk:
        for path in [*folder.iterdir()]:
            shutil.copy(path, disk)
        with read_only(disk):
            refused = nursery.run(disk, *command)
        assert refused["code"] == 1
        assert "written" in refused["words"]
        (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free))
        before = sorted(disk.iterdir())
        refused = nursery.run(disk, *command)
        assert refused["code"] == 1
        assert "cannot be written: No space left on device" in refused["words"]
        assert "Traceback" not in refused["words"]
        assert sorted(disk.iterdir()) == before
        grow(disk, 2**22)
        expected.assert_next_run_goes_on(nursery, disk, command)


def _path():
    return os.pathsep.join(filter(None, sys.path))


@pytest.fixture(scope="module")
def faketime():
    """The library that makes a process believe another time."""
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed; on Debian: apt-get install faketime")
    command = ["faketime", "-f", "+0", sys.executable, "-c", "import os; print(os.environ['LD_PRELOAD'])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def with_clock(library, clock):
    """An environment where the time is what a file says; durations are measured by another clock, as they should be."""
    return os.environ | {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "PYTHONPATH": _path(),
    }


@pytest.mark.parametrize("year", [1970, pytest.param(2150, marks=pytest.mark.soak)])
def test_a_year_that_archives_do_not_know_is_told_before_the_work_and_hinders_no_prediction(
    faketime, folder, tmp_path, year
):
    clock = tmp_path / "clock"
    clock.write_text(f"{year}-01-02 00:00:00")
    refused = labeldist(*COMMANDS["fit"], cwd=folder, env=with_clock(faketime, clock))
    assert refused.returncode == 1
    assert f"The clock of this computer says that it is {year}" in refused.stderr
    assert not outputs(folder)
    assert labeldist(*COMMANDS["predict"], cwd=folder, env=with_clock(faketime, clock)).returncode == 0
