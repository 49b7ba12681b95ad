"""Means, ranks, tests and skill of synthetic records."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from reproduction.significance import (
    by_set,
    failures,
    friedman,
    grid_points,
    nemenyi,
    paired_leads,
    skill,
    summary,
    unfinished,
    wilcoxon,
)
from tests.reproduction.record_tables import failure, grid, record, runs, table

FOLDS = {"experiment": "ldl-prediction", "kind": "prediction"}


def test_mean_and_deviation_of_first_seed():
    values = [0.1, 0.2, 0.6]
    rows = [record(value=value, fold=fold, **FOLDS) for fold, value in enumerate(values)]
    rows.append(record(value=9.0, seed=1, **FOLDS))
    (row,) = summary(table(rows)).to_dict("records")
    assert_allclose([row["mean"], row["std"], row["n"]], [0.3, np.std(values, ddof=1), 3])


def test_ranks_follow_the_direction_and_share_ties():
    methods = {"BD-LE": 0.1, "GLLE": 0.2, "LP": 0.2, "Uniform": 0.3}
    ranked = summary(table(runs(methods, datasets=["Movie"], measures=["chebyshev", "cosine"])))
    for _, part in ranked.groupby("measure"):
        assert part.set_index("method")["rank"][list(methods)].tolist() == [1, 2.5, 2.5, 4]


def test_ranks_need_two_competitors():
    rows = [record(method="BD-LE", role="oracle", value=0.1)]
    rows += [record(method=name, value=0.3) for name in ("Uniform", "LogicalSoftmax")]
    rows.append(record(method="GLLE", value=0.2))
    assert summary(table(rows))["rank"].isna().all()
    ranks = summary(table([*rows, record(method="LP", value=0.4)])).set_index("method")["rank"]
    assert ranks[["GLLE", "Uniform", "LogicalSoftmax", "LP"]].tolist() == [1, 2.5, 2.5, 4]
    assert np.isnan(ranks["BD-LE"])


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


def test_by_set_drops_incomplete_methods_and_sets():
    rows = runs({"BD-LE": 0.1, "GLLE": 0.2}, measures=["cosine"])
    rows += runs({"KM": 0.4}, datasets=["Movie"], measures=["cosine"])
    rows = [row for row in rows if (row["dataset"], row["method"]) != ("SBU_3DFE", "GLLE")]
    found = by_set(summary(table(rows)), "le-recovery", "cosine")
    assert list(found.columns) == ["BD-LE", "GLLE"]
    assert len(found) == 12
    assert_allclose(found.loc["Movie"], [0.1, 0.2])


def test_friedman_equals_formula():
    distances = pd.DataFrame({"A": [1.0, 1, 1, 2], "B": [2.0, 2, 2, 1], "C": [3.0, 3, 3, 3]})
    found = friedman(distances)
    # The rank sums are 5, 7 and 12; χ² has two degrees of freedom.
    by_hand = 12 / (4 * 3 * 4) * (5**2 + 7**2 + 12**2) - 3 * 4 * 4
    assert_allclose([found.statistic, found.pvalue], [by_hand, np.exp(-by_hand / 2)])
    assert (found.sets, found.methods) == (4, 3)


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_difference_meets_published_quantiles(methods, q):
    distances = pd.DataFrame(np.zeros((13, methods)))
    assert_allclose(nemenyi(distances), q * np.sqrt(methods * (methods + 1) / (6 * 13)), rtol=5e-4)
    assert np.isnan(nemenyi(pd.DataFrame()))


def test_wilcoxon_counts_and_exact_pvalue():
    distances = pd.DataFrame({"BD": np.zeros(6), "worse": np.arange(1.0, 7), "same": np.zeros(6)})
    found = wilcoxon(distances, "BD").set_index("method")
    assert found.loc["worse", ["wins", "ties", "losses"]].tolist() == [6, 0, 0]
    assert_allclose(found["pvalue"], [2 / 2**6, 1])
    assert found["lead"].tolist() == [21, 0]
    assert wilcoxon(distances, "worse").set_index("method")["lead"]["BD"] == -21
    assert wilcoxon(distances, "absent").empty


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

    # The third shuffle is incomplete.
    tuned = {(0, 0): 0.1, (0, 1): 0.2, (1, 0): 0.3, (1, 1): 0.0, (2, 0): 0.1, (2, 1): 0.1}
    mean = {(0, 0): 0.2, (0, 1): 0.4, (1, 0): 0.35, (1, 1): 0.05, (2, 0): 0.9}
    rows = values("BD-LDL tuned", tuned) + values("Mean", mean)
    (row,) = paired_leads(table(rows), "ldl-prediction", "BD-LDL tuned", "Mean").to_dict("records")
    assert_allclose([row["lead"], row["deviation"]], [0.1, np.std([0.15, 0.05], ddof=1)])
    assert row["seeds"] == 2


def test_grid_points_from_parameters():
    rows = grid("BD-LE", lambda first, second: 0.1 + first / 100 + second / 1000)
    points = grid_points(table(rows)).query("measure == 'chebyshev'")
    assert len(points) == 64
    assert points["ridge"].isna().all()
    first = np.log10(points["reconstruction"])
    second = np.log10(points["smoothness"])
    assert_allclose(points["value"], 0.1 + first / 100 + second / 1000)
