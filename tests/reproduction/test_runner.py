"""Protocols, and their execution by several workers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.learning import BDLDL, SABFGS, MeanDistribution
from labeldist.metrics import score_all
from reproduction.data import flip_tags, make_tags
from reproduction.protocols import execute
from reproduction.runner import run
from reproduction.spec import runs_of
from reproduction.store import Store
from tests.reproduction.small import small, with_part, without_times

pytestmark = pytest.mark.slow

X, D = make_artificial(60, random_state=0)
L = binarize(D)
FOLDS = list(KFold(3, shuffle=True, random_state=0).split(X))


def values(records, **where):
    for column, value in where.items():
        records = records[records[column] == value]
    return records.pivot_table(index="fold", columns="measure", values="value")


def assert_scores(found, expected):
    for fold, scores in enumerate(expected):
        for measure, value in scores.items():
            assert found.loc[fold, measure] == pytest.approx(value, rel=1e-12)
    assert len(found) == len(expected)


def test_recovery_scores_all_rows(records):
    expected = score_all(D, BDLE().fit_transform(X, L))
    assert_scores(values(records, kind="recovery", method="BD-LE"), [expected])


def test_oracle_keeps_best_value_of_each_measure(records):
    grid = [score_all(D, BDLE(a, s).fit_transform(X, L)) for a in (1e-3, 1.0) for s in (1e-3, 1.0)]
    found = values(records, method="BD-LE oracle").loc[0]
    assert found["chebyshev"] == pytest.approx(min(scores["chebyshev"] for scores in grid))
    assert found["cosine"] == pytest.approx(max(scores["cosine"] for scores in grid))


@pytest.mark.parametrize(("name", "learner"), [("BD-LDL", BDLDL()), ("Mean", MeanDistribution())])
def test_prediction_is_cross_validated(records, name, learner):
    expected = [score_all(D[test], learner.fit(X[train], D[train]).predict(X[test])) for train, test in FOLDS]
    assert_scores(values(records, kind="prediction", method=name), expected)


def test_chain_enhances_training_rows_only(records):
    expected = []
    for train, test in FOLDS:
        recovered = BDLE().fit_transform(X[train], L[train])
        expected.append(score_all(D[test], SABFGS().fit(X[train], recovered).predict(X[test])))
    assert_scores(values(records, kind="chain", method="BD-LE", variant="SA-BFGS"), expected)


def test_transductive_chain_enhances_all_rows(records):
    recovered = BDLE().fit_transform(X, L)
    expected = [score_all(D[test], SABFGS().fit(X[train], recovered[train]).predict(X[test])) for train, test in FOLDS]
    assert_scores(values(records, kind="chain", method="BD-LE", variant="SA-BFGS, transductive"), expected)


def test_grid_records_every_point(records):
    grid = records[records["kind"] == "grid"]
    assert set(grid["parameters"]) == {'{"ridge": 0.1}', '{"ridge": 1.0}'}
    assert set(grid["variant"]) == {"BD-LDL"}
    expected = [score_all(D[test], BDLDL(ridge=1.0).fit(X[t], D[t]).predict(X[test])) for t, test in FOLDS]
    assert_scores(values(grid, parameters='{"ridge": 1.0}'), expected)


def test_records_have_status_versions_and_folds(records):
    assert (records["status"] == "ok").all()
    assert records["versions"].str.contains("numpy").all()
    assert (records["seconds"] > 0).all()
    assert (records["folds"] == np.where(records["kind"] == "recovery", 1, 3)).all()


def test_parallel_processes_give_equal_records(records, tmp_path):
    with Store(tmp_path / "parallel.sqlite") as store:
        run([small()], store, jobs=2)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)


def test_new_rows_are_predicted_from_tags(records):
    flipped = flip_tags(L, 0.05, 0)
    expected = [
        score_all(D[test], np.tile(BDLE().fit_transform(X[train], flipped[train]).mean(axis=0), (len(test), 1)))
        for train, test in FOLDS
    ]
    assert_scores(values(records, kind="new-rows"), expected)


def test_equal_work_is_executed_once(records, tmp_path, monkeypatch):
    executed = []

    def count(one, cache=None):
        executed.append(one.work)
        return execute(one, cache)

    monkeypatch.setattr("reproduction.runner.execute", count)
    copy = small(('"small"', '"copy"'), ('name = "SA-BFGS"', 'name = "Another name"'))
    with Store(tmp_path / "records.sqlite") as store:
        run([small(), copy], store, jobs=1)
        found = store.records()
    assert len(executed) == len(set(executed)) == len(list(runs_of(small())))
    first = found[found["experiment"] == "small"].reset_index(drop=True)
    pd.testing.assert_frame_equal(without_times(first), without_times(records), rtol=1e-12)
    chains = found[(found["experiment"] == "copy") & (found["kind"] == "chain")]
    assert set(chains["variant"]) == {"Another name", "Another name, transductive"}


def test_rules_of_tags(rng):
    degrees = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    assert make_tags(degrees, "top", 0).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert make_tags(degrees, "above uniform", 0).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert (make_tags(D, "threshold 0.5", 0) == L).all()
    tags = binarize(make_artificial(500, random_state=0)[1])
    assert (flip_tags(tags, 0.05, 0) != tags).mean() == pytest.approx(0.05, abs=0.02)
    assert (flip_tags(tags, 1.0, 0).sum(axis=1) >= 1).all()


def test_seeds_of_recovery_are_random_states_and_attributes_are_recorded(tmp_path):
    part = '[[part]]\nkind = "recovery"\n[[part.method]]\nname = "BayesLE"\nuse = "BayesLE"\n'
    experiment = with_part(part + 'seeds = [0, 1]\nattributes = ["spread_"]\n')
    assert [one.method.parameters["random_state"] for one in runs_of(experiment)] == [0, 1]
    with Store(tmp_path / "records.sqlite") as store:
        run([experiment], store, jobs=1)
        spreads = store.records(attributes=True)
        assert "spread_" not in set(store.records()["measure"])
    assert list(spreads["measure"]) == ["spread_"] * 2
    assert (spreads["value"] > 0).all()
