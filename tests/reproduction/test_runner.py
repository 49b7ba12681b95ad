import pandas as pd
import pytest
from sklearn.model_selection import KFold

from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.experiments.runner import run
from labeldist.experiments.store import Store
from labeldist.learning import BDLDL, SABFGS, MeanDistribution
from labeldist.metrics import score_all
from tests.experiments.small import small, without_times

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


def test_processes_in_parallel_give_the_same_records(records, tmp_path):
    with Store(tmp_path / "parallel.sqlite") as store:
        run([small()], store, jobs=2)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-9)
