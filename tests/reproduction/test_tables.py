"""Tables of the experiments."""

import numpy as np
import pandas as pd

from reproduction.tables import make_blocks, write_tables
from tests.reproduction.record_tables import everything, failure, record, runs, table

FOLDS = {"experiment": "ldl-prediction", "kind": "prediction"}


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
    (block,) = make_blocks(table(rows))
    texts = {
        name: cell["text"] for name, cell in block.comparison.cells("chebyshev")["Movie"].items()
    }
    assert list(texts) == ["BD-LDL", "LDLLC", "PT-SVM", "Mean (trivial)"]
    assert texts["BD-LDL"] == f"0.3000 ± {np.std([0.1, 0.2, 0.6], ddof=1):.4f} (1)"
    assert texts["Mean (trivial)"] == "lacks folds"
    assert texts["PT-SVM"] == "failed"


def test_methods_that_know_the_truth_have_their_own_table():
    rows = runs({"BD-LE": 0.3, "GLLE": 0.4, "BD-LE oracle": 0.1})
    known, chosen = make_blocks(table(rows))
    assert known.comparison.methods == ["BD-LE", "GLLE"]
    assert chosen.comparison.methods == ["BD-LE oracle"]
    assert "truth" in chosen.heading


def test_formats(tmp_path):
    write_tables(everything(bd_wins=True), tmp_path)
    lines = (tmp_path / "le-recovery.md").read_text("utf-8").splitlines()
    assert "**0.1000 (1)**" in lines[4]
    assert any(line.startswith("| average rank | 1.00 |") for line in lines)
    latex = (tmp_path / "ldl-prediction.tex").read_text("utf-8")
    assert r"Yeast\_alpha &" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 6
    means = pd.read_csv(tmp_path / "le-recovery.csv").query("dataset == 'Movie'")
    assert means.set_index(["method", "measure"]).loc[("BD-LE", "clark"), "mean"] == 0.1
