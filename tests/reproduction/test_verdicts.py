"""Verdicts on the published cells."""

import pytest
from numpy.testing import assert_allclose

from reproduction.paper import paper_cells
from reproduction.verdicts import MARGIN, VERDICTS, gaps, judge_cells
from tests.reproduction.record_tables import failure, record, table, value_of

CHEBYSHEV, COSINE = 0.0690, 0.9804  # BD-LE on Yeast_cold


def verdict_on(rows, measure="chebyshev", **cell):
    cell = {"experiment": "le-recovery", "dataset": "Yeast_cold", "method": "BD-LE", "measure": measure, **cell}
    judged = judge_cells(table(rows))
    for column, wanted in cell.items():
        judged = judged[judged[column] == wanted]
    return judged.squeeze()


@pytest.mark.parametrize("measure", ["chebyshev", "cosine"])
@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.049, "reproduced"), (0.951, "reproduced"), (1.06, "worse"), (0.9, "better")]
)
def test_verdict_depends_on_relative_gap_of_distances(measure, factor, verdict):
    distance = {"chebyshev": CHEBYSHEV, "cosine": 1 - COSINE}[measure]
    cell = verdict_on([record(measure=measure, value=value_of(measure, factor * distance))], measure)
    assert cell["verdict"] == verdict
    assert_allclose(cell["gap"], factor - 1)


def test_missing_cell_has_reason():
    run = {"experiment": "ldl-prediction", "kind": "prediction", "method": "SA-BFGS", "dataset": "Movie"}
    rows = [record(measure="clark", folds=10, **run)]
    cell = verdict_on(rows, "clark", experiment="ldl-prediction", dataset="Movie", method="SA-BFGS")
    assert (cell["verdict"], cell["reason"]) == ("missing", "1 of 10 folds")
    rows = [record(measure="clark", **run), failure(fold=1, status="timeout", reason="over 600 s", **run)]
    cell = verdict_on(rows, "clark", experiment="ldl-prediction", dataset="Movie", method="SA-BFGS")
    assert (cell["verdict"], cell["reason"]) == ("missing", "timeout: over 600 s")
    assert verdict_on([])["reason"] == "no record"


def test_impossible_cell():
    cell = {"experiment": "ablation", "dataset": "Movie", "method": "BD-LDL"}
    ours = record(kind="prediction", variant="published", measure="canberra", value=0.0218, **cell)
    judged = verdict_on([ours], "canberra", **cell)
    assert judged["verdict"] == "impossible"
    assert "Canberra ≥ Clark" in judged["reason"]
    assert judged["ours"] == 0.0218
    assert verdict_on([], "canberra", **cell)["verdict"] == "impossible"


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
    rows = [
        record(
            experiment=cell.experiment,
            kind=kinds[cell.experiment],
            variant="published" if cell.experiment == "ablation" else "",
            dataset=cell.dataset,
            method=cell.method,
            measure=cell.measure,
            value=cell.value,
        )
        for cell in paper_cells().itertuples()
    ]
    counts = judge_cells(table(rows))["verdict"].value_counts().to_dict()
    assert counts == {"reproduced": 413, "impossible": 3}
    assert set(judge_cells(table(rows[:7]))["verdict"]) <= set(VERDICTS)


def tuned(dataset, measure, far):
    run = {"experiment": "ldl-prediction", "kind": "prediction", "dataset": dataset, "measure": measure}
    return [record(method=name, value=value_of(measure, value), **run) for name, value in far.items()]


def test_gaps_of_tuned_and_mean():
    rows = tuned("Yeast_cdc", "clark", {"BD-LDL tuned": 0.2017 * 1.07, "Mean": 0.2017 * 1.08})
    rows += tuned("Yeast_cold", "cosine", {"BD-LDL tuned": 0.0107 * 1.02, "Mean": 0.0107 * 1.2})
    rows += tuned("Movie", "clark", {"BD-LDL tuned": 0.4})
    found = gaps(table(rows)).set_index(["dataset", "measure"])
    assert len(found) == 26
    cdc, cold = found.loc[("Yeast_cdc", "clark")], found.loc[("Yeast_cold", "cosine")]
    assert_allclose([cdc["tuned_gap"], cdc["mean_gap"], cold["tuned_gap"], cold["mean_gap"]], [0.07, 0.08, 0.02, 0.2])
    assert cdc["tuned_gap"] > MARGIN
    assert (cdc["verdict"], cold["verdict"]) == ("not reproduced", "reproduced")
    assert found.loc[("Movie", "clark"), "verdict"] == "better"
    assert found.loc[("Yeast_alpha", "clark"), "verdict"] == "missing"
