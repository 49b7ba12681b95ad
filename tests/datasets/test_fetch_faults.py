"""Downloads that are cut, stall, are killed or happen twice: the file is there whole, or not at all."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from labeldist.datasets import _fetch as fetch
from labeldist.datasets._fetch import locate
from labeldist.exceptions import DatasetNotFoundError
from tests.disks import grow, small_disk

FETCH = """
import sys
from labeldist.datasets import _registry as registry
from labeldist.datasets._fetch import locate
folder, source, sha256 = sys.argv[1:]
registry.SOURCES = (source,)
print(locate(registry.DatasetInfo("Tiny", 5, 3, 2, sha256, None, "", ""), folder))
"""


def start_fetching(tiny, folder, source):
    """Fetch in a process of its own."""
    # A shell starts what is in the background with interrupts ignored, and so are then those of its children.
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, str(folder), source, tiny.info.sha256],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(condition, seconds=25):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def tiny(tiny):
    """A set of which half is more than is held back until it is written."""
    content = np.random.default_rng(0).bytes(2**20)
    return replace(tiny, content=content, info=replace(tiny.info, sha256=hashlib.sha256(content).hexdigest()))


def begun(folder):
    """Whether part of the file has arrived."""
    with suppress(OSError):
        return any(path.stat().st_size for path in folder.glob("*.part"))


def test_a_source_that_falls_silent_is_given_up_for_the_next(tiny, tmp_path, server, sources, monkeypatch):
    monkeypatch.setattr(fetch, "SILENCE", 0.2)
    server.answers |= dict.fromkeys(("/first/Tiny.mat", "/second/Tiny.mat"), tiny.content)
    server.stalled.add("/first/Tiny.mat")
    assert locate(tiny.info, tmp_path).read_bytes() == tiny.content
    assert os.listdir(tmp_path) == ["Tiny.mat"]
    (tmp_path / "Tiny.mat").unlink()
    server.stalled.add("/second/Tiny.mat")
    with pytest.raises(DatasetNotFoundError, match=r"(?s)first/Tiny.mat: .*timed out.*second/Tiny.mat: .*timed out"):
        locate(tiny.info, tmp_path)
    assert os.listdir(tmp_path) == []


def test_killed_in_mid_download_the_next_call_fetches_it_and_leaves_no_rest(tiny, tmp_path, server, sources):
    server.answers["/first/Tiny.mat"] = tiny.content
    server.stalled.add("/first/Tiny.mat")
    process = start_fetching(tiny, tmp_path, sources[0])
    wait_for(lambda: begun(tmp_path))
    process.kill()
    process.communicate()
    (rest,) = tmp_path.iterdir()
    assert rest.suffix == ".part"
    server.go_on.set()
    assert locate(tiny.info, tmp_path).read_bytes() == tiny.content
    assert os.listdir(tmp_path) == ["Tiny.mat"]


def test_an_interrupt_in_mid_download_leaves_nothing_and_two_at_once_do_not_disturb_each_other(
    tiny, tmp_path, server, sources
):
    server.answers["/first/Tiny.mat"] = tiny.content
    server.stalled.add("/first/Tiny.mat")
    interrupted, other = (start_fetching(tiny, tmp_path, sources[0]) for _ in range(2))
    wait_for(lambda: len(server.asked) == 2 and begun(tmp_path))
    results = []
    third = threading.Thread(target=lambda: results.append(locate(tiny.info, tmp_path)))
    third.start()
    wait_for(lambda: len(list(tmp_path.glob("*.part"))) == 3)
    interrupted.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in interrupted.communicate()[1]
    assert len(list(tmp_path.glob("*.part"))) == 2
    server.go_on.set()
    assert other.communicate() == (f"{tmp_path / 'Tiny.mat'}\n", "")
    third.join()
    assert results == [tmp_path / "Tiny.mat"]
    assert (tmp_path / "Tiny.mat").read_bytes() == tiny.content
    assert os.listdir(tmp_path) == ["Tiny.mat"]


def test_a_full_disk_is_told_and_nothing_is_left(tiny, tmp_path, server, sources):
    server.answers["/first/Tiny.mat"] = tiny.content
    with small_disk(tmp_path / "disk", room=len(tiny.content) // 2) as folder:
        with pytest.raises(DatasetNotFoundError, match="No space left on device"):
            locate(tiny.info, folder)
        assert os.listdir(folder) == []
        grow(folder, 2 * len(tiny.content))
        assert locate(tiny.info, folder).read_bytes() == tiny.content
