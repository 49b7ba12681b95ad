"""Verdicts on the published cells."""

import pytest
from numpy.testing import assert_allclose

from reproduction.paper import paper_cells
from reproduction.verdicts import gaps, judge_cells
from tests.reproduction.record_tables import failure, record, runs, table, value_of

CHEBYSHEV, COSINE = 0.0690, 0.9804  # BD-LE on Yeast_cold


def verdict_on(rows, measure="chebyshev", **cell):
    usual = {"experiment": "le-recovery", "dataset": "Yeast_cold", "method": "BD-LE"}
    judged = judge_cells(table(rows))
    for column, wanted in (usual | cell | {"measure": measure}).items():
        judged = judged[judged[column] == wanted]
    return judged.squeeze()


@pytest.mark.parametrize("measure", ["chebyshev", "cosine"])
@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.049, "reproduced"), (0.951, "reproduced"), (1.06, "worse"), (0.9, "better")],
)
def test_verdict_depends_on_relative_gap_of_distances(measure, factor, verdict):
    distance = {"chebyshev": CHEBYSHEV, "cosine": 1 - COSINE}[measure]
    cell = verdict_on(
        [record(measure=measure, value=value_of(measure, factor * distance))], measure
    )
    assert cell["verdict"] == verdict
    assert_allclose(cell["gap"], factor - 1)


def test_missing_cell_has_reason():
    cell = {"experiment": "ldl-prediction", "method": "SA-BFGS", "dataset": "Movie"}
    run = {"kind": "prediction", **cell}
    late = failure(fold=1, status="timeout", reason="over 600 s", **run)
    for rows, reason in (
        ([record(measure="clark", folds=10, **run)], "1 of 10 folds"),
        ([record(measure="clark", **run), late], "over 600 s"),
        ([record(measure="clark", **run | {"method": "PT-SVM"})], "no record"),
    ):
        found = verdict_on(rows, "clark", **cell)
        assert (found["verdict"], found["reason"]) == ("missing", reason)


def test_cells_without_records_of_experiment_and_data_set_are_left_out():
    judged = judge_cells(table([record(), record(experiment="own", dataset="Movie")]))
    assert set(zip(judged["experiment"], judged["dataset"], strict=True)) == {
        ("le-recovery", "Yeast_cold")
    }
    assert judged["verdict"].value_counts().to_dict() == {"missing": 11, "worse": 1}


def test_impossible_cell():
    cell = {"experiment": "ablation", "dataset": "Movie", "method": "BD-LDL"}
    judged = verdict_on([record(**cell)], "canberra", **cell)
    assert judged["verdict"] == "impossible"
    assert "Canberra ≥ Clark" in judged["reason"]


def test_ablation_is_judged_at_published_weights():
    cell = {"experiment": "ablation", "dataset": "Yeast_alpha", "method": "UD-LDL"}
    rows = [
        record(kind="prediction", variant=variant, measure="canberra", value=value, **cell)
        for variant, value in (("tuned", 0.1), ("published", 0.7980))
    ]
    assert verdict_on(rows, "canberra", **cell)["verdict"] == "reproduced"
    assert verdict_on(rows[:1], "canberra", **cell)["verdict"] == "missing"


def test_printed_values_reproduce_themselves():
    kinds = {"le-recovery": "recovery", "ldl-prediction": "prediction", "ablation": "prediction"}
    columns = ["experiment", "dataset", "method", "measure", "value"]
    rows = []
    for cell in paper_cells()[columns].to_dict("records"):
        variant = "published" if cell["experiment"] == "ablation" else ""
        rows.append(record(kind=kinds[cell["experiment"]], variant=variant, **cell))
    counts = judge_cells(table(rows))["verdict"].value_counts().to_dict()
    assert counts == {"reproduced": 413, "impossible": 3}


def tuned(dataset, measure, distances):
    run = {"experiment": "ldl-prediction", "kind": "prediction"}
    given = {"datasets": [dataset], "measures": [measure], **run}
    return runs(distances, **given)


def test_gaps_of_tuned_and_mean():
    rows = tuned("Yeast_cdc", "clark", {"BD-LDL tuned": 0.2017 * 1.07, "Mean": 0.2017 * 1.08})
    rows += tuned("Yeast_cold", "cosine", {"BD-LDL tuned": 0.0107 * 1.02, "Mean": 0.0107 * 1.2})
    rows += tuned("Movie", "clark", {"BD-LDL tuned": 0.4})
    rows += tuned("Yeast_alpha", "clark", {"Mean": 0.4})
    found = gaps(table(rows)).set_index(["dataset", "measure"])
    assert len(found) == 2 * 4
    judged = found.loc[[("Yeast_cdc", "clark"), ("Yeast_cold", "cosine")]]
    assert_allclose(judged["tuned_gap"], [0.07, 0.02])
    assert_allclose(judged["mean_gap"], [0.08, 0.2])
    assert list(judged["verdict"]) == ["worse", "reproduced"]
    assert found.loc[("Movie", "clark"), "verdict"] == "better"
    assert found.loc[("Yeast_alpha", "clark"), "verdict"] == "missing"
