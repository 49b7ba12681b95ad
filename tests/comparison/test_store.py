"""The store, worker processes, and comparisons that are killed."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import psutil
import pytest

from labeldist.comparison import Store
from labeldist.exceptions import LabelDistError
from tests.comparison.mine import compare_mine


@dataclass
class Slow:
    """A task that takes a tenth of a second."""

    number: int

    @property
    def key(self):
        return f"task {self.number}"

    title = key

    def __call__(self):
        time.sleep(0.1)
        return {"square": self.number**2}


def result_of(key, values, seconds=0.5, reason=""):
    about = {"seconds": seconds, "reason": reason, "versions": "labeldist 1"}
    return {"key": key, "values": values, **about}


def test_results_are_read_as_written(tmp_path):
    result = result_of("a", {"clark": 0.1 + 0.2, "spread": -1e-300}, seconds=1.5)
    failed = result_of("b", {}, reason="ValueError: no")
    with Store(tmp_path / "folder" / "s.sqlite") as store:
        store.add(result)
        store.add(failed)
    with Store(tmp_path / "folder" / "s.sqlite") as store:
        assert store.results() == {"a": result, "b": failed}
        store.forget_failures()
        store.add(result_of("a", {"clark": 1.0}))
        assert store.results() == {"a": result_of("a", {"clark": 1.0})}


def test_results_are_written_in_one_transaction():
    with Store() as store:
        with pytest.raises(TypeError):
            store.add(result_of("a", {"clark": 0.5, "wrong": None}))
        store.add(result_of("b", {"clark": 0.5}))
        assert list(store.results()) == ["b"]


def test_unusable_files_raise_and_are_unchanged(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("Not a database, and long enough to be read as one. " * 100)
    foreign = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()
    for path in (other, foreign):
        before = path.read_bytes()
        with pytest.raises(LabelDistError, match=path.name):
            Store(path)
        assert path.read_bytes() == before
    with pytest.raises(LabelDistError, match="folder"):
        Store(other / "folder" / "s.sqlite")


def test_equal_keys_run_once_and_finished_tasks_not_again():
    with Store() as store:
        found = [result["values"] for result in store.run([Slow(2), Slow(2), Slow(3)])]
        assert found == [{"square": 4}, {"square": 9}]
        assert list(store.run([Slow(3), Slow(2)])) == []


def loky_workers(process):
    workers = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess):  # a child may end meanwhile
            if "LokyProcess" in " ".join(child.cmdline()):
                workers.append(child)
    return workers


@pytest.mark.slow
def test_killed_worker_raises_and_next_call_continues():
    tasks = [Slow(number) for number in range(30)]

    def kill_a_worker_after_one(results):
        next(results)
        loky_workers(psutil.Process())[0].kill()
        list(results)

    with Store() as store:
        with pytest.raises(LabelDistError, match="killed"):
            kill_a_worker_after_one(store.run(tasks, n_jobs=2))
        assert 1 <= len(store.results()) < 30
        list(store.run(tasks, n_jobs=2))
        assert len(store.results()) == 30


def start(store, n_jobs):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "tests.comparison.mine", str(store), str(n_jobs)]
    return subprocess.Popen(command, start_new_session=True, env=environment)


def n_stored(store):
    with suppress(LabelDistError), Store(store) as known:
        return len(known.results())
    return 0


def kill_and_resume(path, n_kills, n_jobs):
    """Kill a comparison `n_kills` times, each after some more results and a random time."""
    rng = np.random.default_rng(n_jobs)
    for _ in range(n_kills):
        process = start(path, n_jobs)
        known = n_stored(path)
        while process.poll() is None and n_stored(path) == known:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.02))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return compare_mine(path)


def values(comparison):
    return [record[:5] for record in comparison.records]


@pytest.mark.slow
def test_killed_comparison_resumes_to_equal_results(tmp_path):
    resumed = kill_and_resume(tmp_path / "s.sqlite", 2, n_jobs=1)
    assert values(resumed) == values(compare_mine(None))


@pytest.mark.soak
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_comparison_killed_twenty_times_resumes_to_equal_results(tmp_path, n_jobs):
    resumed = kill_and_resume(tmp_path / "s.sqlite", 20, n_jobs)
    assert values(resumed) == values(compare_mine(None))


@pytest.mark.soak
def test_workers_end_with_killed_main_process(tmp_path):
    process = start(tmp_path / "s.sqlite", 2)
    while len(workers := loky_workers(psutil.Process(process.pid))) < 2:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert psutil.wait_procs(workers, timeout=30)[1] == []
