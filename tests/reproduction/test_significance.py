"""Means and skill of synthetic records."""

import numpy as np
from numpy.testing import assert_allclose

from reproduction.significance import (
    failures,
    grid_points,
    paired_leads,
    skill,
    summary,
    unfinished,
)
from tests.reproduction.record_tables import failure, grid, record, runs, table

FOLDS = {"experiment": "ldl-prediction", "kind": "prediction"}


def test_mean_and_deviation_of_first_seed():
    values = [0.1, 0.2, 0.6]
    rows = [record(value=value, fold=fold, **FOLDS) for fold, value in enumerate(values)]
    rows.append(record(value=9.0, seed=1, **FOLDS))
    (row,) = summary(table(rows)).to_dict("records")
    assert_allclose([row["mean"], row["std"]], [0.3, np.std(values, ddof=1)])


def test_failed_and_missing_folds_remove_mean():
    at_movie = {"method": "PT-SVM", "dataset": "Movie"}
    rows = runs({"PT-SVM": 0.1, "BD-LDL": 0.2}, datasets=["Movie", "SBU_3DFE"], folds=2, **FOLDS)
    lost = record(fold=1, **at_movie, **FOLDS)["run"]
    incomplete = [row for row in rows if row["run"] != lost]
    late = failure(fold=1, status="timeout", reason="over 60 s", **at_movie, **FOLDS)
    for given, reasons in ((incomplete, ["1 of 2 folds"]), ([*incomplete, late], [])):
        records = table(given)
        assert set(summary(records).query("dataset == 'Movie'")["method"]) == {"BD-LDL"}
        assert list(unfinished(records)["reason"]) == reasons
    (failed,) = failures(records).to_dict("records")
    found = failed["method"], failed["dataset"], failed["reason"]
    assert found == ("PT-SVM", "Movie", "over 60 s")


def test_skill_relative_to_best_baseline():
    methods = {"BD-LE": 0.1, "GLLE": 0.5, "Uniform": 0.4, "LogicalSoftmax": 0.2}
    found = skill(table(runs(methods, datasets=["Movie"], measures=["cosine"])))
    assert set(found["baseline"]) == {"LogicalSoftmax"}
    assert_allclose(
        found.set_index("method")["skill"][list(methods)], [0.5, -1.5, -1, 0], atol=1e-12
    )


def test_paired_leads():
    def values(method, numbers):
        return [
            record(method=method, seed=seed, fold=fold, measure="clark", value=value, **FOLDS)
            for (seed, fold), value in numbers.items()
        ]

    tuned = {(0, 0): 0.1, (0, 1): 0.2, (1, 0): 0.3, (1, 1): 0.0, (2, 0): 0.1}
    mean = {(0, 0): 0.2, (0, 1): 0.4, (1, 0): 0.35, (1, 1): 0.05}
    rows = values("BD-LDL tuned", tuned) + values("Mean", mean)
    (row,) = paired_leads(table(rows), "ldl-prediction", "BD-LDL tuned", "Mean").to_dict("records")
    assert_allclose([row["lead"], row["deviation"]], [0.1, np.std([0.15, 0.05], ddof=1)])


def test_grid_points_from_parameters():
    rows = grid("BD-LE", lambda first, second: 0.1 + first / 100 + second / 1000)
    points = grid_points(table(rows)).query("measure == 'chebyshev'")
    assert len(points) == 64
    first = np.log10(points["reconstruction"])
    second = np.log10(points["other"])
    assert_allclose(points["value"], 0.1 + first / 100 + second / 1000)
