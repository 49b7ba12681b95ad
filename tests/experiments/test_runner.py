import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.exceptions import DatasetError, DatasetNotFoundError
from labeldist.experiments import methods
from labeldist.experiments.errors import StoreError
from labeldist.experiments.material import material
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

HEAD = SMALL.split(b"[[part]]")[0]

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
    assert records.groupby("kind")["folds"].unique().map(list).to_dict() == {
        "chain": [3],
        "grid": [3],
        "prediction": [3],
        "recovery": [1],
    }


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


def test_what_fails_or_takes_too_long_is_a_record_and_stops_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Broken", Broken)
    text = (
        HEAD
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
        keys = [one.key for one in runs_of(parse_spec(text, "text"))]
        assert store.forget_failures(keys[:1]) == 1
        assert store.forget_failures(keys) == 3
        assert len(store.finished()) == 2


def without_times(frame):
    return frame.drop(columns=["seconds", "store"])


def test_processes_in_parallel_and_a_cluster_give_the_same_records(records, tmp_path):
    from dask.distributed import LocalCluster

    with Store(tmp_path / "parallel.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=2)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Store(tmp_path / "cluster.sqlite") as store,
    ):
        run([parse_spec(SMALL, "small")], store, cluster=cluster.scheduler_address)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)


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


def test_a_failed_chain_has_the_variants_that_it_would_have_had(tmp_path, monkeypatch):
    monkeypatch.setitem(methods.ESTIMATORS, "Broken", Broken)
    monkeypatch.setitem(methods.ENHANCERS, "Broken", Broken)
    text = (
        HEAD
        + b"""
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
        run([parse_spec(text, "text")], store, jobs=1)
        found = store.records()
    assert sorted(zip(found["variant"], found["fold"], strict=True)) == [
        ("Mean", 0),
        ("Mean", 1),
        ("SA-BFGS", 0),
        ("SA-BFGS", 1),
    ]
    assert set(found["status"]) == {"failed"}
    assert set(found["measure"]) == {""}


def test_a_changed_experiment_does_not_mix_with_what_it_was(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=1)
        with pytest.raises(StoreError, match="other settings of BD-LDL"):
            run(
                [parse_spec(SMALL.replace(b'use = "BDLDL"\n[', b'use = "BDLDL"\nparameters = { ridge = 9.0 }\n['), "")],
                store,
            )
        with pytest.raises(StoreError, match="other settings"):
            run([parse_spec(SMALL.replace(b"folds = 3", b"folds = 4"), "small")], store)
        renamed = SMALL.replace(b'"small"', b'"other"').replace(b"folds = 3", b"folds = 4")
        run([parse_spec(renamed, "small")], store, jobs=1)


def test_roles_are_those_of_the_spec_as_it_is_now(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=1)
        run([parse_spec(SMALL.replace(b'role = "trivial"', b'role = "ours"'), "small")], store, jobs=1)
        assert "trivial" not in set(store.records()["role"])


def test_a_set_that_cannot_be_had_is_known_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELDIST_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("labeldist.datasets.load.locate", refuse)
    material.cache_clear()
    with Store(tmp_path / "records.sqlite") as store:
        with pytest.raises(DatasetError, match="no such file"):
            run([load_spec("parameters")], store, jobs=1)
        assert not store.finished()


def refuse(*_):
    raise DatasetNotFoundError("no such file")


def test_a_killed_worker_is_told_and_the_next_call_goes_on(tmp_path, monkeypatch):
    text = (
        HEAD
        + b"""
[[part]]
kind = "prediction"
folds = 20
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"
"""
    )
    code = (
        "import psutil, sys\n"
        "from labeldist.experiments import protocols, runner\n"
        "from labeldist.experiments.spec import parse_spec\n"
        "from labeldist.experiments.store import Store\n"
        "from labeldist.experiments.errors import ExperimentError\n"
        "def kill(done, total, outcome):\n"
        "    if done == 3:\n"
        "        workers = [p for p in psutil.Process().children() if 'LokyProcess' in ' '.join(p.cmdline())]\n"
        "        workers[0].kill()\n"
        "with Store(sys.argv[1]) as store:\n"
        "    try:\n"
        "        runner.run([parse_spec(sys.stdin.buffer.read(), 'x')], store, jobs=2, watch=kill)\n"
        "    except ExperimentError as error:\n"
        "        print(error)\n"
    )
    path = tmp_path / "records.sqlite"
    process = subprocess.run([sys.executable, "-c", code, path], input=text, capture_output=True, timeout=120)
    assert b"A worker process was killed" in process.stdout, process.stderr
    with Store(path) as store:
        assert 3 <= len(store.finished()) < 20
        run([parse_spec(text, "text")], store, jobs=1)
        assert len(store.finished()) == 20


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
    with pytest.raises(StoreError, match="no store of records that this version"):
        Store(newer)
    with pytest.raises(StoreError, match="no records yet"):
        read_stores([Store(tmp_path / "empty.sqlite").path])


def test_reading_leaves_a_file_alone(records, tmp_path):
    foreign = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    before = foreign.read_bytes()
    for opening in (lambda: Store(foreign), lambda: read_stores([foreign])):
        with pytest.raises(StoreError, match="no store of records"):
            opening()
    assert foreign.read_bytes() == before
    folder = tmp_path / "locked"
    folder.mkdir()
    with Store(folder / "records.sqlite") as store:
        run([parse_spec(SMALL, "small")], store, jobs=1)
    (folder / "records.sqlite").chmod(0o444)
    folder.chmod(0o555)
    try:
        assert len(read_stores([folder / "records.sqlite"])) == len(records)
    finally:
        folder.chmod(0o755)


def test_experiments_stand_in_the_order_of_the_paper(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        for name in (b"ablation", b"small", b"le-recovery"):
            text = HEAD.replace(b'"small"', b'"%s"' % name)
            mean = b'[[part]]\nkind = "recovery"\n[[part.method]]\nname = "Uniform"\nuse = "Uniform"\n'
            run([parse_spec(text + mean, "text")], store, jobs=1)
        assert list(store.records()["experiment"].unique()) == ["le-recovery", "ablation", "small"]


def test_several_stores_are_told_apart(records, tmp_path):
    for name in ("one.sqlite", "two.sqlite"):
        with Store(tmp_path / name) as store:
            run([parse_spec(SMALL, "small")], store, jobs=1)
    both = read_stores([tmp_path / "one.sqlite", tmp_path / "two.sqlite"])
    assert both.groupby("store").size().to_dict() == {"one.sqlite": len(records), "two.sqlite": len(records)}
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.sqlite").write_bytes((tmp_path / "one.sqlite").read_bytes())
    assert read_stores([tmp_path / "one.sqlite", tmp_path / "folder" / "one.sqlite"])["store"].nunique() == 2
