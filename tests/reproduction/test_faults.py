"""Experiments go on: methods that fail, processes and workers that are killed, a scheduler that is lost."""

import os
import signal
import socket
import subprocess
import sys
import time

import dask
import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from sklearn.base import BaseEstimator

from labeldist.exceptions import DatasetError, DatasetNotFoundError
from labeldist.experiments import methods
from labeldist.experiments.errors import ExperimentError
from labeldist.experiments.material import material
from labeldist.experiments.runner import run
from labeldist.experiments.spec import load_spec, runs_of
from labeldist.experiments.store import Store
from labeldist.learning import MeanDistribution
from tests.experiments.small import HEAD, small, with_part, without_times

MANY_RUNS = b"""
[[part]]
kind = "prediction"
folds = 60
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"
"""


class Broken(BaseEstimator):
    """Learners that do not learn."""

    _parameter_constraints = {"how": [str]}  # noqa: RUF012

    def __init__(self, how):
        self.how = how

    def fit(self, X, y):
        if self.how == "fails":
            raise ValueError("no such luck")
        while True:
            time.sleep(0.01)


def test_killed_at_any_moment_it_resumes_to_the_same_records(tmp_path):
    """Five times SIGKILL after a random number of runs, then to the end; beside a run that nobody disturbed."""
    code = (
        "import sys; from labeldist.experiments.runner import run; from labeldist.experiments.store import Store\n"
        "from labeldist.experiments.spec import load_spec\n"
        "with Store(sys.argv[1]) as store:\n"
        "    run([load_spec('quick')], store, jobs=2, watch=lambda *news: print(news[0], flush=True))\n"
    )
    path = tmp_path / "killed.sqlite"
    total = len(list(runs_of(load_spec("quick"))))
    moments = sorted(np.random.default_rng(0).choice(np.arange(1, total - 3), size=5, replace=False))
    for moment in moments:
        command = [sys.executable, "-c", code, path]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        while int(process.stdout.readline()) < moment:
            pass
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        with Store(path) as store:  # whole, whatever was being written
            assert set(store.records()["status"]) == {"ok"}
            assert moment <= len(store.finished()) < total
    with Store(path) as store:
        run([load_spec("quick")], store, jobs=1)
        resumed = store.records()
        assert len(store.finished()) == total
    with Store(tmp_path / "whole.sqlite") as store:
        run([load_spec("quick")], store, jobs=1)
        whole = store.records()
    pd.testing.assert_frame_equal(without_times(resumed), without_times(whole), rtol=1e-12)


def test_a_killed_worker_is_told_and_the_next_call_goes_on(tmp_path):
    code = (
        "import psutil, sys\n"
        "from labeldist.experiments import runner\n"
        "from labeldist.experiments.spec import parse_spec\n"
        "from labeldist.experiments.store import Store\n"
        "from labeldist.experiments.errors import ExperimentError\n"
        "def kill(done, total, outcome):\n"
        "    if done == 1:\n"
        "        workers = [p for p in psutil.Process().children() if 'LokyProcess' in ' '.join(p.cmdline())]\n"
        "        workers[0].kill()\n"
        "with Store(sys.argv[1]) as store:\n"
        "    try:\n"
        "        runner.run([parse_spec(sys.stdin.buffer.read(), 'x')], store, jobs=2, watch=kill)\n"
        "    except ExperimentError as error:\n"
        "        print(error)\n"
    )
    path = tmp_path / "records.sqlite"
    command = [sys.executable, "-c", code, path]
    process = subprocess.run(command, input=HEAD + MANY_RUNS, capture_output=True, timeout=120)
    assert b"A worker process was killed" in process.stdout, process.stderr
    with Store(path) as store:
        assert 1 <= len(store.finished()) < 60
        run([with_part(MANY_RUNS)], store, jobs=1)
        assert len(store.finished()) == 60


def test_a_set_that_cannot_be_had_is_known_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELDIST_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("labeldist.datasets._load.locate", refuse)
    material.cache_clear()
    with Store(tmp_path / "records.sqlite") as store:
        with pytest.raises(DatasetError, match="no such file"):
            run([load_spec("parameters")], store, jobs=1)
        assert not store.finished()


def refuse(*_):
    raise DatasetNotFoundError("no such file")


def test_what_fails_or_takes_too_long_is_a_record_and_stops_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Broken", Broken)
    experiment = with_part(
        b"""time_limit = 0.5
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
        failures = store.records()[lambda frame: frame["status"] != "ok"]
        assert failures["value"].isna().all()
        assert (failures["measure"] == "").all()
        told = []
        run([experiment], store, jobs=1, watch=lambda *news: told.append(news))
        assert told == [(6, 6, None)]  # a failure is done, too
        keys = [one.key for one in runs_of(experiment)]
        assert store.forget_failures(keys[:1]) == 1
        assert store.forget_failures(keys) == 3
        assert len(store.finished()) == 2


def test_a_failed_chain_has_the_variants_that_it_would_have_had(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Broken", Broken)
    monkeypatch.setitem(methods.ENHANCERS, "Broken", Broken)
    experiment = with_part(
        b"""
[[part]]
kind = "chain"
folds = 2
[[part.learner]]
name = "SA-BFGS"
use = "SABFGS"
[[part.learner]]
name = "Mean"
use = "MeanDistribution"
[[part.method]]
name = "Fails"
use = "Broken"
parameters = { how = "fails" }
"""
    )
    with Store(tmp_path / "records.sqlite") as store:
        run([experiment], store, jobs=1)
        found = store.records()
    assert sorted(zip(found["variant"], found["fold"], strict=True)) == [
        ("Mean", 0),
        ("Mean", 1),
        ("SA-BFGS", 0),
        ("SA-BFGS", 1),
    ]
    assert set(found["status"]) == {"failed"}
    assert set(found["measure"]) == {""}


LETHAL = """
import os, signal
from labeldist.experiments import methods
from labeldist.learning import MeanDistribution

class Lethal(MeanDistribution):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)

methods.ESTIMATORS["Lethal"] = Lethal
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers that know a method which kills them; one that is killed is replaced."""
    preload = tmp_path_factory.mktemp("preload") / "lethal.py"
    preload.write_text(LETHAL)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", preload=str(preload)) as cluster,
    ):
        yield cluster


def test_a_cluster_gives_the_same_records_though_a_worker_is_killed(cluster, records, tmp_path):
    victims = [worker.pid for worker in cluster.workers.values()][:1]

    def kill(done, total, outcome):
        if done >= 2 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    with Store(tmp_path / "records.sqlite") as store:
        run([small()], store, cluster=cluster.scheduler_address, watch=kill)
        assert not victims
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)


def test_a_run_that_no_worker_survives_is_named(cluster, tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Lethal", MeanDistribution)
    lethal = b'[[part]]\nkind = "prediction"\nfolds = 2\n[[part.method]]\nname = "Deadly"\nuse = "Lethal"\n'
    with (
        Store(tmp_path / "records.sqlite") as store,
        pytest.raises(ExperimentError, match=r"Every worker that tried 'small: Deadly on artificial_60.*goes on"),
    ):
        run([with_part(lethal)], store, cluster=cluster.scheduler_address)


@pytest.mark.soak
def test_a_lost_scheduler_is_told_and_the_next_call_goes_on(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    host, port = address.split(":")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", host, "--port", port, "--no-dashboard"]
    scheduler = subprocess.Popen(start, **quiet)
    start = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--no-nanny"]
    worker = subprocess.Popen(start, **quiet)
    try:
        with Store(tmp_path / "records.sqlite") as store:
            with pytest.raises(
                ExperimentError, match=r"The Dask scheduler was lost\. What was finished is in the store"
            ):
                run(
                    [load_spec("quick")],
                    store,
                    cluster=address,
                    watch=lambda done, *_: scheduler.kill() if done == 3 else None,
                )
            assert len(store.finished()) >= 3
            run([load_spec("quick")], store, jobs=1)
            assert len(store.finished()) == len(list(runs_of(load_spec("quick"))))
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
