"""Failing methods, time limits, killed processes and workers."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pandas as pd
import psutil
import pytest
from distributed import LocalCluster
from sklearn.base import BaseEstimator

from labeldist.exceptions import DatasetError, DatasetNotFoundError
from reproduction import methods
from reproduction.data import load
from reproduction.errors import ExperimentError
from reproduction.runner import run
from reproduction.spec import load_spec
from reproduction.store import Store
from tests.reproduction.small import HEAD, SMALL, small, with_part, without_times

pytestmark = pytest.mark.slow

MANY_RUNS = """
[[part]]
kind = "prediction"
folds = 60
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"
"""


class Broken(BaseEstimator):
    """A learner that fails or does not end."""

    def __init__(self, how):
        self.how = how

    def fit(self, X, y):
        if self.how == "fails":
            raise ValueError("no such luck")
        while True:
            time.sleep(0.01)


RUN = """
import sys
from pathlib import Path
from reproduction.runner import run
from reproduction.spec import parse_spec
from reproduction.store import Store

with Store(sys.argv[1]) as store:
    experiment = parse_spec(Path(sys.argv[2]).read_text(), "spec")
    run([experiment], store, jobs=int(sys.argv[3]), watch=lambda done, *_: print(done, flush=True))
"""


def start(store, spec, jobs):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", RUN, store, spec, str(jobs)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_process_resumes_to_equal_records(tmp_path, records, jobs):
    spec, path = tmp_path / "small.toml", tmp_path / "killed.sqlite"
    spec.write_text(SMALL)
    process = start(path, spec, jobs)
    while int(process.stdout.readline()) < 5:
        pass
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    with Store(path) as store:
        assert set(store.records()["status"]) == {"ok"}
        assert len(store.finished()) >= 5
        run([small()], store, jobs=1)
        pd.testing.assert_frame_equal(
            without_times(store.records()), without_times(records), rtol=1e-9
        )


def loky_workers(process):
    workers = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess):  # a child may end meanwhile
            if "LokyProcess" in " ".join(child.cmdline()):
                workers.append(child)
    return workers


def test_killed_worker_raises_and_next_call_continues(tmp_path):
    def kill(done, total, outcome):
        if done == 1:
            loky_workers(psutil.Process())[0].kill()

    with Store(tmp_path / "records.sqlite") as store:
        with pytest.raises(ExperimentError, match="killed"):
            run([with_part(MANY_RUNS)], store, jobs=2, watch=kill)
        assert 1 <= len(store.finished()) < 60
        run([with_part(MANY_RUNS)], store, jobs=1)
        assert len(store.finished()) == 60


def test_missing_data_set_raises_before_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELDIST_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("labeldist.datasets._load.locate", refuse)
    load.cache_clear()
    with Store(tmp_path / "records.sqlite") as store:
        with pytest.raises(DatasetError, match="no such file"):
            run([load_spec("parameters")], store, jobs=1)
        assert not store.finished()


def refuse(*_):
    raise DatasetNotFoundError("no such file")


def test_failures_and_time_limits_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.LEARNERS, "Broken", Broken)
    experiment = with_part(
        """time_limit = 0.5
[[part]]
kind = "prediction"
folds = 2
[[part.method]]
name = "Fails"
use = "Broken"
parameters = { how = "fails" }
[[part.method]]
name = "Sleeps"
use = "Broken"
parameters = { how = "sleeps" }
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"
"""
    )
    with Store(tmp_path / "records.sqlite") as store:
        run([experiment], store, jobs=1)
        found = store.records().groupby("method")[["status", "reason"]].first()
        assert found.loc["Fails"].tolist() == ["failed", "ValueError: no such luck"]
        assert found.loc["Sleeps"].tolist() == ["timeout", "longer than 0.5 s"]
        assert found.loc["Mean", "status"] == "ok"
        seen = []
        run([experiment], store, jobs=1, watch=lambda *news: seen.append(news))
        assert seen == [(6, 6, None)]  # a failure is done, too
        assert store.forget_failures() == 4
        assert len(store.finished()) == 2


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


def test_cluster_gives_equal_records_after_killed_worker(cluster, records, tmp_path):
    victims = [worker.pid for worker in cluster.workers.values()][:1]

    def kill(done, total, outcome):
        if done >= 2 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    with Store(tmp_path / "records.sqlite") as store:
        run([small()], store, cluster=cluster.scheduler_address, watch=kill)
        assert not victims
        pd.testing.assert_frame_equal(
            without_times(store.records()), without_times(records), rtol=1e-9
        )


@pytest.mark.soak
def test_workers_end_with_killed_main_process(tmp_path):
    spec = tmp_path / "many.toml"
    spec.write_text(HEAD + MANY_RUNS)
    process = start(tmp_path / "records.sqlite", spec, 2)
    while len(workers := loky_workers(psutil.Process(process.pid))) < 2:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert psutil.wait_procs(workers, timeout=30)[1] == []
