"""Means, ranks, tests and skill of synthetic records."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from reproduction.statistics import (
    KL_NOTE,
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
    rows = [record(method="BD-LDL", value=value, fold=fold, **FOLDS) for fold, value in enumerate([0.1, 0.2, 0.6])]
    rows.append(record(method="BD-LDL", value=9.0, seed=1, **FOLDS))
    (row,) = summary(table(rows)).to_dict("records")
    assert_allclose([row["mean"], row["std"], row["n"]], [0.3, np.std([0.1, 0.2, 0.6], ddof=1), 3])


def test_ranks_follow_the_direction_and_share_ties():
    methods = {"BD-LE": 0.1, "GLLE": 0.2, "LP": 0.2, "Uniform": 0.3}
    ranked = summary(table(runs(methods, datasets=["Movie"], measures=["chebyshev", "cosine"])))
    for _, part in ranked.groupby("measure"):
        assert part.set_index("method")["rank"][list(methods)].tolist() == [1, 2.5, 2.5, 4]


def test_ranks_need_two_competitors():
    rows = [record(method=name, role="oracle", value=0.1) for name in ("BD-LE", "UD-LE")]
    rows += [record(method=name, value=0.3) for name in ("Uniform", "LogicalSoftmax")]
    assert summary(table(rows))["rank"].isna().all()
    assert summary(table([*rows, record(method="GLLE", value=0.2)]))["rank"].isna().all()
    two = summary(table([*rows, record(method="GLLE", value=0.2), record(method="LP", value=0.4)]))
    ranks = two.set_index("method")["rank"]
    assert ranks.dropna()[["GLLE", "Uniform", "LogicalSoftmax", "LP"]].tolist() == [1, 2.5, 2.5, 4]
    assert ranks[["BD-LE", "UD-LE"]].isna().all()


def test_failed_fold_removes_mean():
    rows = runs({"PT-SVM": 0.1, "BD-LDL": 0.2}, datasets=["Movie", "SBU_3DFE"], folds=2, **FOLDS)
    rows = [row for row in rows if (row["method"], row["dataset"], row["fold"]) != ("PT-SVM", "Movie", 1)]
    rows.append(failure(method="PT-SVM", dataset="Movie", fold=1, status="timeout", reason="over 60 s", **FOLDS))
    movie = summary(table(rows)).query("dataset == 'Movie'")
    assert set(movie["method"]) == {"BD-LDL"}
    assert unfinished(table(rows)).empty
    (failed,) = failures(table(rows)).to_dict("records")
    assert (failed["method"], failed["dataset"], failed["reason"]) == ("PT-SVM", "Movie", "over 60 s")


def test_missing_folds_remove_mean():
    rows = runs({"PT-SVM": 0.1, "BD-LDL": 0.2}, datasets=["Movie", "SBU_3DFE"], folds=10, **FOLDS)
    rows = [row for row in rows if (row["method"], row["dataset"]) != ("PT-SVM", "Movie") or row["fold"] == 0]
    records = table([*rows, *runs({"PT-SVM": 0.1}, datasets=["Movie"], folds=10, seeds=(1,), **FOLDS)])
    assert set(summary(records).query("dataset == 'Movie'")["method"]) == {"BD-LDL"}
    (entry,) = unfinished(records).to_dict("records")
    assert (entry["method"], entry["dataset"], entry["reason"]) == ("PT-SVM", "Movie", "1 of 10 folds")


def test_by_set_drops_incomplete_methods_and_sets():
    rows = runs({"BD-LE": 0.1, "GLLE": 0.2, "LP": 0.3}, measures=["cosine"])
    rows += runs({"KM": 0.4}, datasets=["Movie"], measures=["cosine"])
    rows = [row for row in rows if (row["dataset"], row["method"]) != ("SBU_3DFE", "LP")]
    found = by_set(summary(table(rows)), "le-recovery", "cosine")
    assert list(found.columns) == ["BD-LE", "GLLE", "LP"]
    assert len(found) == 12
    assert_allclose(found.loc["Movie"], [0.1, 0.2, 0.3])


def test_friedman_equals_formula():
    found = friedman(pd.DataFrame({"A": [1.0, 1, 1, 2], "B": [2.0, 2, 2, 1], "C": [3.0, 3, 3, 3]}))
    ranks, sets, methods = np.array([5, 7, 12]), 4, 3
    assert found is not None
    by_hand = 12 / (sets * methods * (methods + 1)) * (ranks**2).sum() - 3 * sets * (methods + 1)
    assert_allclose(found.statistic, by_hand)
    assert_allclose(found.pvalue, np.exp(-by_hand / 2))  # χ² with two degrees of freedom
    assert (found.sets, found.methods) == (4, 3)


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_difference_meets_published_quantiles(methods, q):
    distances = pd.DataFrame(np.zeros((13, methods)))
    assert_allclose(nemenyi(distances), q * np.sqrt(methods * (methods + 1) / (6 * 13)), rtol=5e-4)
    assert np.isnan(nemenyi(pd.DataFrame()))


def test_wilcoxon_counts_and_exact_pvalue():
    distances = pd.DataFrame({"BD": np.zeros(6), "worse": np.arange(1.0, 7), "same": np.zeros(6), "tied": np.ones(6)})
    found = wilcoxon(distances, "BD").set_index("method")
    assert found.loc["worse", ["wins", "ties", "losses"]].tolist() == [6, 0, 0]
    assert_allclose(found.loc["worse", "pvalue"], 2 / 2**6)
    assert found.loc["same", "pvalue"] == 1
    assert 0.01 < found.loc["tied", "pvalue"] < 0.05
    assert found["lead"].to_dict() == {"worse": 21, "same": 0, "tied": 21}
    assert wilcoxon(distances, "worse").set_index("method")["lead"]["BD"] == -21
    assert wilcoxon(distances, "absent").empty


def test_skill_relative_to_best_baseline():
    methods = {"BD-LE": 0.1, "GLLE": 0.5, "Uniform": 0.4, "LogicalSoftmax": 0.2}
    found = skill(table(runs(methods, datasets=["Movie"], measures=["cosine", "kl_divergence"])))
    assert set(found["baseline"]) == {"LogicalSoftmax"}
    by_method = found[found["measure"] == "cosine"].set_index("method")["skill"]
    assert_allclose(by_method[["BD-LE", "GLLE", "Uniform", "LogicalSoftmax"]], [0.5, -1.5, -1, 0], atol=1e-12)
    assert "2.2e-16" in KL_NOTE


def test_paired_leads():
    def values(method, numbers):
        return [
            record(method=method, seed=seed, fold=fold, measure="clark", value=value, **FOLDS)
            for (seed, fold), value in numbers.items()
        ]

    rows = values("BD-LDL tuned", {(0, 0): 0.1, (0, 1): 0.2, (1, 0): 0.3, (1, 1): 0.0})
    rows += values("Mean", {(0, 0): 0.2, (0, 1): 0.4, (1, 0): 0.35, (1, 1): 0.05})
    unpaired = values("BD-LDL tuned", {(2, 0): 0.1, (2, 1): 0.1}) + values("Mean", {(2, 0): 0.9})
    rows += unpaired  # an incomplete shuffle
    (row,) = paired_leads(table(rows), "ldl-prediction", "BD-LDL tuned", "Mean").to_dict("records")
    assert_allclose([row["lead"], row["deviation"]], [0.1, np.std([0.15, 0.05], ddof=1)])
    assert row["seeds"] == 2


def test_grid_points_from_parameters():
    points = grid_points(table(grid("BD-LE", lambda first, second: 0.1 + first / 100 + second / 1000)))
    assert len(points) == 2 * 64
    assert points["ridge"].isna().all()
    chosen = points[np.isclose(points["reconstruction"], 1e-2) & np.isclose(points["smoothness"], 1e3)]
    assert_allclose(chosen.set_index("measure")["value"][["chebyshev", "cosine"]], [0.083, 1 - 0.083])
