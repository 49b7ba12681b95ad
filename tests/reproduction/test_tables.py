"""Tables of the experiments in all formats."""

import csv
import io

import numpy as np
import pytest

from reproduction.tables import make_tables, to_csv, to_latex, to_markdown
from tests.reproduction.record_tables import everything, failure, record, runs, table

FOLDS = {"experiment": "ldl-prediction", "kind": "prediction"}


@pytest.fixture(scope="module")
def records():
    return everything(bd_wins=True)


@pytest.fixture(scope="module")
def tables(records):
    return make_tables(records)


def only(tables, experiment, measure="chebyshev", variant=""):
    (found,) = (
        t
        for t in tables
        if (t.experiment, t.measure.name, t.variant) == (experiment, measure, variant)
    )
    return found


def test_cells_have_mean_deviation_and_rank_or_a_reason():
    given = {"datasets": ["Movie"], "measures": ["chebyshev"], **FOLDS}
    rows = [
        record(method="BD-LDL", dataset="Movie", value=value, fold=fold, **FOLDS)
        for fold, value in enumerate([0.1, 0.2, 0.6])
    ]
    rows += runs({"LDLLC": 0.5}, folds=3, **given)
    rows += runs({"Mean": 0.2}, folds=1, **given)
    rows += runs({"PT-SVM": 0.2}, folds=2, **given)
    late = {"status": "timeout", "reason": "longer than 60 s", **FOLDS}
    rows.append(failure(method="PT-SVM", dataset="Movie", fold=2, **late))
    found = only(make_tables(table(rows)), "ldl-prediction")
    cells = dict(zip(found.methods, found.rows["Movie"], strict=True))
    assert cells["BD-LDL"].text == f"0.3000 ± {np.std([0.1, 0.2, 0.6], ddof=1):.3f} (1)"
    assert (cells["BD-LDL"].best, cells["LDLLC"].best) == (True, False)
    assert cells["Mean"].text == "1 of 3 folds"
    assert cells["PT-SVM"].text == "time-out"


def test_formats(tables):
    found = only(tables, "le-recovery")
    cell = found.rows["Yeast_alpha"][0].text
    lines = to_markdown([found]).splitlines()
    assert f"**{cell}**" in lines[4]
    assert lines[-1].startswith("| Average rank | 1.00 |")
    latex = to_latex([only(tables, "ldl-prediction"), found])
    assert r"Yeast\_alpha &" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    rows = list(csv.DictReader(io.StringIO(to_csv([found]))))
    assert rows[0]["BD-LE"] == cell
