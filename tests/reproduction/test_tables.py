"""Tables of the experiments in all formats."""

import csv
import io

import numpy as np
import pytest

from reproduction.tables import make_tables, to_csv, to_latex, to_markdown, write_tables
from tests.reproduction.record_tables import everything, failure, record, runs, table

FOLDS = {"experiment": "ldl-prediction", "kind": "prediction"}


@pytest.fixture(scope="module")
def records():
    return everything(bd_wins=True)


@pytest.fixture(scope="module")
def tables(records):
    return make_tables(records)


def only(tables, experiment, measure="chebyshev", variant=""):
    (found,) = (t for t in tables if (t.experiment, t.measure.name, t.variant) == (experiment, measure, variant))
    return found


def test_order_of_sets_and_methods(tables):
    found = only(tables, "le-recovery")
    assert next(iter(found.rows)) == "Yeast_alpha"
    assert list(found.methods) == ["BD-LE", "FCM", "KM", "LP", "ML", "GLLE", "LogicalSoftmax", "Uniform"]
    assert found.heads[-1] == "Uniform (trivial)"


def test_cell_has_mean_deviation_and_rank():
    rows = [record(method="BD-LDL", value=value, fold=fold, **FOLDS) for fold, value in enumerate([0.1, 0.2, 0.6])]
    rows += runs({"LDLLC": 0.5}, datasets=["Yeast_cold"], measures=["chebyshev"], folds=3, **FOLDS)
    first, second = only(make_tables(table(rows)), "ldl-prediction").rows["Yeast_cold"]
    assert first.text == f"0.3000 ± {np.std([0.1, 0.2, 0.6], ddof=1):.3f} (1)"
    assert (first.best, second.best) == (True, False)


def test_missing_values_have_reasons():
    rows = runs({"BD-LDL": 0.1}, datasets=["Movie"], folds=10, **FOLDS)
    rows += runs({"Mean": 0.2}, datasets=["Movie"], folds=1, **FOLDS)
    rows += runs({"PT-SVM": 0.2}, datasets=["Movie"], folds=9, **FOLDS)
    rows.append(failure(method="PT-SVM", dataset="Movie", fold=9, status="timeout", reason="longer than 60 s", **FOLDS))
    found = only(make_tables(table(rows)), "ldl-prediction")
    texts = dict(zip(found.methods, (cell.text for cell in found.rows["Movie"]), strict=True))
    assert texts["Mean"] == "1 of 10 folds"
    assert texts["PT-SVM"] == "time-out"


def test_formats(tables):
    found = only(tables, "le-recovery")
    lines = to_markdown([found]).splitlines()
    assert f"**{found.rows['Yeast_alpha'][0].text}**" in lines[4]
    assert lines[-1].startswith("| Average rank | 1.00 |")
    latex = to_latex([only(tables, "ldl-prediction"), found])
    assert r"Yeast\_alpha &" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    assert latex.count("{") == latex.count("}")
    rows = list(csv.DictReader(io.StringIO(to_csv([found]))))
    assert rows[0]["BD-LE"] == found.rows["Yeast_alpha"][0].text


def test_one_file_per_experiment_and_format(records, tmp_path):
    files = write_tables(records, tmp_path / "tables")
    assert len(files) == 4 * 3
    assert set(files) == set((tmp_path / "tables").iterdir())
