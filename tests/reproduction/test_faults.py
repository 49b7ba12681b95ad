"""Failing methods, time limits and killed processes."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from labeldist.comparison import Store
from labeldist.exceptions import LabelDistError
from reproduction import methods
from reproduction.data import load
from reproduction.runner import read_store, run
from reproduction.spec import load_spec
from tests.reproduction.small import SMALL, small, with_part, without_times

pytestmark = pytest.mark.slow


class Broken(BaseEstimator):
    """A learner that fails or does not end."""

    def __init__(self, how):
        self.how = how

    def fit(self, X, y):
        if self.how == "fails":
            raise ValueError("no such luck")
        while True:
            time.sleep(0.01)


def test_killed_process_resumes_to_equal_records(tmp_path, records):
    spec = tmp_path / "small.toml"
    spec.write_text(SMALL)
    path = tmp_path / "killed.sqlite"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    options = ["--store", path, "--jobs", "2", "--out", tmp_path]
    command = [sys.executable, "-m", "reproduction", "run", spec, *options]
    process = subprocess.Popen(command, start_new_session=True, env=environment)
    while not path.exists():
        time.sleep(0.05)
    with Store(path) as store:
        while len(store.results()) < 5:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        run([small()], store, jobs=1)
    found = read_store(path)
    pd.testing.assert_frame_equal(without_times(found), without_times(records), rtol=1e-9)


def test_missing_data_set_raises_before_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELDIST_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("labeldist.datasets._load.fetch", refuse)
    load.cache_clear()
    with Store(tmp_path / "records.sqlite") as store:
        with pytest.raises(LabelDistError, match="no such file"):
            run([load_spec("parameters")], store, jobs=1)
        assert not store.results()


def refuse(*_):
    raise LabelDistError("no such file")


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
    found = read_store(store.path).groupby("method")[["status", "reason"]].first()
    assert found.loc["Fails"].tolist() == ["failed", "ValueError: no such luck"]
    assert found.loc["Sleeps"].tolist() == ["timeout", "longer than 0.5 s"]
    assert found.loc["Mean", "status"] == "ok"
