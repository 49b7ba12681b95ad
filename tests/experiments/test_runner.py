import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.experiments import methods
from labeldist.experiments.errors import StoreError
from labeldist.experiments.runner import run
from labeldist.experiments.spec import load_spec, parse_spec, runs_of
from labeldist.experiments.store import Store, read_stores
from labeldist.learning import BDLDL, SABFGS, MeanDistribution
from labeldist.metrics import score_all

SMALL = b"""
name = "small"
title = "Small"
datasets = ["artificial_60"]

[[part]]
kind = "recovery"
[[part.method]]
name = "BD-LE"
use = "BDLE"
[[part.method]]
name = "BD-LE oracle"
use = "BDLE"
role = "oracle"
grid = { reconstruction = [1e-3, 1.0], smoothness = [1e-3, 1.0] }

[[part]]
kind = "prediction"
folds = 3
[[part.method]]
name = "BD-LDL"
use = "BDLDL"
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"

[[part]]
kind = "chain"
folds = 3
[[part.learner]]
name = "SA-BFGS"
use = "SABFGS"
[[part.method]]
name = "BD-LE"
use = "BDLE"
[[part.method]]
name = "Ground truth"
use = "GroundTruth"

[[part]]
kind = "chain"
folds = 3
transductive = true
[[part.learner]]
name = "SA-BFGS"
use = "SABFGS"
[[part.method]]
name = "BD-LE"
use = "BDLE"

[[part]]
kind = "grid"
folds = 3
[[part.method]]
name = "BD-LDL"
use = "BDLDL"
grid = { ridge = [0.1, 1.0] }
"""

X, D = make_artificial(60, random_state=0)
L = binarize(D)
FOLDS = list(KFold(3, shuffle=True, random_state=0).split(X))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store") / "records.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=1)
        return store.records()


def values(records, **where):
    for column, value in where.items():
        records = records[records[column] == value]
    return records.pivot_table(index="fold", columns="measure", values="value")


def assert_scores(found, expected):
    for fold, scores in enumerate(expected):
        for measure, value in scores.items():
            assert found.loc[fold, measure] == pytest.approx(value, rel=1e-12)
    assert len(found) == len(expected)


def test_recovery_compares_all_rows_with_the_truth(records):
    expected = score_all(D, BDLE().fit_transform(X, L))
    assert_scores(values(records, kind="recovery", method="BD-LE"), [expected])


def test_an_oracle_has_the_best_of_its_grid_in_each_measure(records):
    grid = [score_all(D, BDLE(a, s).fit_transform(X, L)) for a in (1e-3, 1.0) for s in (1e-3, 1.0)]
    found = values(records, method="BD-LE oracle").loc[0]
    assert found["chebyshev"] == pytest.approx(min(scores["chebyshev"] for scores in grid))
    assert found["cosine"] == pytest.approx(max(scores["cosine"] for scores in grid))


@pytest.mark.parametrize(("name", "learner"), [("BD-LDL", BDLDL()), ("Mean", MeanDistribution())])
def test_prediction_learns_from_the_other_folds(records, name, learner):
    expected = [score_all(D[test], learner.fit(X[train], D[train]).predict(X[test])) for train, test in FOLDS]
    assert_scores(values(records, kind="prediction", method=name), expected)


def test_a_chain_enhances_the_training_rows_only(records):
    expected = []
    for train, test in FOLDS:
        recovered = BDLE().fit_transform(X[train], L[train])
        expected.append(score_all(D[test], SABFGS().fit(X[train], recovered).predict(X[test])))
    assert_scores(values(records, kind="chain", method="BD-LE", variant="SA-BFGS"), expected)


def test_a_transductive_chain_enhances_all_rows_and_is_marked(records):
    recovered = BDLE().fit_transform(X, L)
    expected = [score_all(D[test], SABFGS().fit(X[train], recovered[train]).predict(X[test])) for train, test in FOLDS]
    assert_scores(values(records, kind="chain", method="BD-LE", variant="SA-BFGS, transductive"), expected)


def test_ground_truth_needs_no_enhancer(records):
    expected = [score_all(D[test], SABFGS().fit(X[train], D[train]).predict(X[test])) for train, test in FOLDS]
    assert_scores(values(records, kind="chain", method="Ground truth"), expected)


def test_a_grid_has_every_point_with_its_parameters(records):
    grid = records[records["kind"] == "grid"]
    assert set(grid["parameters"]) == {'{"ridge": 0.1}', '{"ridge": 1.0}'}
    assert set(grid["variant"]) == {"BD-LDL"}
    expected = [score_all(D[test], BDLDL(ridge=1.0).fit(X[t], D[t]).predict(X[test])) for t, test in FOLDS]
    assert_scores(values(grid, parameters='{"ridge": 1.0}'), expected)


def test_records_tell_how_they_came_about(records):
    assert (records["status"] == "ok").all()
    assert records["versions"].str.contains("numpy").all()
    assert (records["seconds"] > 0).all()
    assert set(records["store"]) == {"records.sqlite"}


class Broken:
    """Learners that do not learn."""

    def __init__(self, how):
        self.how = how

    def fit(self, X, y):
        if self.how == "fails":
            raise ValueError("no such luck")
        while True:
            time.sleep(0.01)


def test_what_fails_or_takes_too_long_is_a_record_and_stops_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Broken", Broken)
    text = (
        SMALL.split(b'[[part]]\nkind = "recovery"')[0]
        + b"""time_limit = 0.5
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
        run([parse_spec(text, "text")], store, jobs=1)
        found = store.records().groupby("method")[["status", "reason"]].first()
        assert found.loc["Fails"].tolist() == ["failed", "ValueError: no such luck"]
        assert found.loc["Sleeps"].tolist() == ["timeout", "longer than 0.5 s"]
        assert found.loc["Mean", "status"] == "ok"
        failures = store.records()[lambda frame: frame["status"] != "ok"]
        assert failures["value"].isna().all()
        assert (failures["measure"] == "").all()
        told = []
        run([parse_spec(text, "text")], store, jobs=1, watch=lambda *news: told.append(news))
        assert told == [(6, 6, None)]  # a failure is done, too
        assert store.forget_failures() == 4
        assert len(store.finished()) == 2


def without_times(frame):
    return frame.drop(columns=["seconds", "store"])


def test_processes_in_parallel_and_a_cluster_give_the_same_records(records, tmp_path):
    from dask.distributed import LocalCluster

    with Store(tmp_path / "parallel.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=2)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Store(tmp_path / "cluster.sqlite") as store,
    ):
        run([parse_spec(SMALL, "small")], store, cluster=cluster.scheduler_address)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)


def test_killed_at_any_moment_it_resumes_to_the_same_records(tmp_path):
    """Five times SIGKILL at random moments, then to the end; beside a run that nobody disturbed."""
    code = (
        "import sys; from labeldist.experiments.runner import run; from labeldist.experiments.store import Store\n"
        "from labeldist.experiments.spec import load_spec\n"
        "with Store(sys.argv[1]) as store:\n"
        "    print('begun', flush=True)\n"
        "    run([load_spec('quick')], store, jobs=1)\n"
    )
    path = tmp_path / "killed.sqlite"
    moments = np.random.default_rng(0)
    total = len(list(runs_of(load_spec("quick"))))
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(moments.uniform(0.0, 1.0))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        with Store(path) as store:  # whole, whatever was being written
            assert set(store.records()["status"]) <= {"ok"}
    with Store(path) as store:
        assert len(store.finished()) < total
        run([load_spec("quick")], store, jobs=1)
        resumed = store.records()
        assert len(store.finished()) == total
    with Store(tmp_path / "whole.sqlite") as store:
        run([load_spec("quick")], store, jobs=1)
        whole = store.records()
    pd.testing.assert_frame_equal(without_times(resumed), without_times(whole), check_exact=True)


def test_stores_that_cannot_be_used_say_why(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("Not a database, and long enough to be taken for one by mistake. " * 100)
    with pytest.raises(StoreError, match="cannot be used as a store"):
        Store(other)
    with pytest.raises(StoreError, match="There is no store"):
        read_stores([tmp_path / "none.sqlite"])
    newer = tmp_path / "newer.sqlite"
    with Store(newer) as store:
        store._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="another version of labeldist"):
        Store(newer)


def test_several_stores_are_told_apart(records, tmp_path):
    for name in ("one.sqlite", "two.sqlite"):
        with Store(tmp_path / name) as store:
            run([parse_spec(SMALL, "small")], store, jobs=1)
    both = read_stores([tmp_path / "one.sqlite", tmp_path / "two.sqlite"])
    assert np.array_equal(both.groupby("store").size(), [len(records)] * 2)
