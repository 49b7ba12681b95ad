"""Protocols, and their execution by several workers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from labeldist.comparison import Store
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.learning import BDLDL, MeanDistribution
from labeldist.metrics import score_all
from labeldist.published import SABFGS
from reproduction.data import flip_tags, make_tags
from reproduction.protocols import execute
from reproduction.runner import read_store, run
from reproduction.spec import runs_of
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
    weights = product((1e-3, 1.0), (1e-3, 1.0))
    grid = pd.DataFrame([score_all(D, BDLE(*pair).fit_transform(X, L)) for pair in weights])
    found = values(records, method="BD-LE oracle").loc[0]
    assert found["chebyshev"] == pytest.approx(grid["chebyshev"].min())
    assert found["cosine"] == pytest.approx(grid["cosine"].max())


def cross_validated(learner, labels=D):
    """Return the scores of a learner on the folds."""
    return [
        score_all(D[test], learner.fit(X[train], labels[train]).predict(X[test]))
        for train, test in FOLDS
    ]


@pytest.mark.parametrize(("name", "learner"), [("BD-LDL", BDLDL()), ("Mean", MeanDistribution())])
def test_prediction_is_cross_validated(records, name, learner):
    assert_scores(values(records, kind="prediction", method=name), cross_validated(learner))


def test_chain_enhances_training_rows_only(records):
    expected = []
    for train, test in FOLDS:
        recovered = BDLE().fit_transform(X[train], L[train])
        expected.append(score_all(D[test], SABFGS().fit(X[train], recovered).predict(X[test])))
    assert_scores(values(records, kind="chain", method="BD-LE", variant="SA-BFGS"), expected)


def test_transductive_chain_enhances_all_rows(records):
    found = values(records, kind="chain", method="BD-LE", variant="SA-BFGS, transductive")
    assert_scores(found, cross_validated(SABFGS(), BDLE().fit_transform(X, L)))


def test_grid_records_every_point(records):
    grid = records[records["kind"] == "grid"]
    assert set(grid["parameters"]) == {'{"ridge": 0.1}', '{"ridge": 1.0}'}
    found = values(grid, parameters='{"ridge": 1.0}')
    assert_scores(found, cross_validated(BDLDL(ridge=1.0)))


def test_parallel_processes_give_equal_records(records, tmp_path):
    path = tmp_path / "parallel.sqlite"
    with Store(path) as store:
        run([small()], store, jobs=2)
    pd.testing.assert_frame_equal(
        without_times(read_store(path)), without_times(records), rtol=1e-9
    )


def test_new_rows_are_predicted_from_tags(records):
    flipped = flip_tags(L, 0.05, 0)
    expected = []
    for train, test in FOLDS:
        mean = BDLE().fit_transform(X[train], flipped[train]).mean(axis=0)
        expected.append(score_all(D[test], np.tile(mean, (len(test), 1))))
    assert_scores(values(records, kind="new-rows"), expected)


def test_equal_work_is_executed_once(tmp_path, monkeypatch):
    executed = []

    def count(one, cache=None):
        executed.append(one.work)
        return execute(one, cache)

    monkeypatch.setattr("reproduction.runner.execute", count)
    copy = small(('"small"', '"copy"'), ('name = "SA-BFGS"', 'name = "Another name"'))
    with Store(tmp_path / "records.sqlite") as store:
        run([small(), copy], store, jobs=1)
    found = read_store(store.path)
    assert len(executed) == len(set(executed)) == len(list(runs_of(small())))
    chains = found[(found["experiment"] == "copy") & (found["kind"] == "chain")]
    assert set(chains["variant"]) == {"Another name", "Another name, transductive"}


def test_rules_of_tags():
    degrees = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    for rule in ("top", "above uniform"):
        assert make_tags(degrees, rule, 0).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert (make_tags(D, "threshold 0.5", 0) == L).all()
    assert (flip_tags(L, 0.2, 0) != L).mean() == pytest.approx(0.2, abs=0.05)
    assert (flip_tags(L, 1.0, 0).sum(axis=1) >= 1).all()


def test_seeds_of_recovery_are_random_states_and_attributes_are_recorded(tmp_path):
    part = '[[part]]\nkind = "recovery"\n[[part.method]]\nname = "BayesLE"\nuse = "BayesLE"\n'
    experiment = with_part(part + 'seeds = [0, 1]\nattributes = ["spread_"]\n')
    assert [one.method.parameters["random_state"] for one in runs_of(experiment)] == [0, 1]
    with Store(tmp_path / "records.sqlite") as store:
        run([experiment], store, jobs=1)
    measures = read_store(store.path, attributes=True)["measure"]
    assert list(measures).count("spread_") == 2
    assert "spread_" not in set(read_store(store.path)["measure"])
