"""The tables hold what the paper prints, and their exports say the same."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from labeldist.experiments.tables import make_tables, to_csv, to_latex, to_markdown, write_tables
from labeldist.metrics import MEASURES
from tests.experiments.synthetic import Recorder, make_records


@pytest.fixture(scope="module")
def records():
    return make_records(sets=["Movie", "Yeast_alpha", "my_own"], folds=3, grid=2)


@pytest.fixture(scope="module")
def tables(records):
    return make_tables(records)


def only(tables, experiment, measure="chebyshev", variant="", kind=None):
    (table,) = (
        t
        for t in tables
        if (t.experiment, t.measure.name, t.variant) == (experiment, measure, variant) and kind in (None, t.kind)
    )
    return table


def test_there_is_a_table_for_every_measure_and_variant_and_none_for_grids(tables):
    assert len(tables) == len(MEASURES) * (1 + 1 + 4 + 4)
    assert {table.experiment for table in tables} == {"le-recovery", "ldl-prediction", "le-then-ldl", "ablation"}


def test_sets_and_methods_stand_in_the_papers_order_and_baselines_last(tables):
    table = only(tables, "le-recovery")
    assert list(table.rows) == ["Yeast_alpha", "Movie", "my_own"]
    assert list(table.methods) == [
        *("BD-LE", "FCM", "KM", "LP", "ML", "GLLE"),
        *("BD-LE low rank", "BD-LE oracle", "LogicalSoftmax", "Uniform"),
    ]
    assert table.heads[-3:] == [
        "BD-LE oracle (oracle, chosen by the truth)",
        "LogicalSoftmax (trivial)",
        "Uniform (trivial)",
    ]


def test_a_cell_is_the_mean_deviation_and_rank_over_the_folds(records, tables):
    table = only(tables, "ldl-prediction", "clark")
    values = records.query(
        "experiment == 'ldl-prediction' and dataset == 'Movie' and method == 'BD-LDL' and measure == 'clark'"
    )
    cell = table.rows["Movie"][0]
    assert cell.text == f"{values['value'].mean():.4f} ± {np.std(values['value'], ddof=1):.3f} (1)"
    assert cell.best


def test_a_single_value_has_no_deviation_and_an_oracle_no_rank(tables):
    table = only(tables, "le-recovery")
    texts = dict(zip(table.methods, (cell.text for cell in table.rows["Movie"]), strict=True))
    assert texts["BD-LE"].endswith("(1)")
    assert "±" not in texts["BD-LE"]
    assert "(" not in texts["BD-LE oracle"]


def test_what_failed_is_named_in_its_cell(tables):
    table = only(tables, "ldl-prediction")
    place = list(table.methods).index("PT-SVM")
    assert table.rows["Movie"][place].text == "time-out"
    assert table.rows["Yeast_alpha"][place].rank > 0


def test_bold_follows_the_direction_of_the_measure_and_ties_share_it():
    recorder = Recorder("s", 0)
    for method, value in (("BD-LE", 0.2), ("FCM", 0.5), ("KM", 0.5)):
        recorder.run("e", "recovery", "a", method)
        for row in recorder.rows[-len(MEASURES) :]:
            row["value"] = value
    tables = make_tables(recorder.table())
    assert [cell.best for cell in only(tables, "e", "chebyshev").rows["a"]] == [True, False, False]
    assert [cell.best for cell in only(tables, "e", "cosine").rows["a"]] == [False, True, True]
    assert only(tables, "e", "cosine").rows["a"][1].text == "0.5000 (1.5)"


def test_oracles_beside_trivial_baselines_leave_nothing_bold(tables):
    table = only(tables, "ablation", variant="oracle")
    assert "Uniform" in table.methods
    assert not any(cell.best for row in table.rows.values() for cell in row)
    assert all(np.isnan(rank) for rank in table.average_ranks)


def test_a_chain_that_failed_in_all_folds_says_so_for_every_learner():
    recorder = Recorder("s", 0)
    for learner in ("BD-LDL", "SA-BFGS"):
        for fold in range(2):
            recorder.run("le-then-ldl", "chain", "a", "ML", variant=learner, fold=fold)
            recorder.run("le-then-ldl", "chain", "a", "LP", variant=learner, fold=fold, reason="singular")
    found = [table for table in make_tables(recorder.table()) if table.measure.name == "clark"]
    assert [dict(zip(table.methods, table.rows["a"], strict=True))["LP"].text for table in found] == ["failed"] * 2


def test_a_method_that_is_not_through_says_how_far_it_is():
    recorder = Recorder("s", 0)
    for fold in range(10):
        recorder.run("e", "prediction", "a", "BD-LDL", fold=fold)
    recorder.run("e", "prediction", "a", "Mean", fold=0)
    assert only(make_tables(recorder.table()), "e").rows["a"][1].text == "1 of 10 folds"


def test_the_floor_of_kullback_leibler_is_named_wherever_it_is_shown(tables):
    for table in tables:
        assert ("2.2e-16" in table.caption) == (table.measure.name == "kl_divergence")


def test_markdown_has_the_best_in_bold_and_average_ranks(tables):
    table = only(tables, "le-recovery")
    lines = to_markdown([table]).splitlines()
    assert lines[0] == "### le-recovery: Chebyshev ↓"
    assert lines[4].startswith(
        f"| Yeast_alpha | **{table.rows['Yeast_alpha'][0].text}** | {table.rows['Yeast_alpha'][1].text} |"
    )
    assert lines[-1].startswith("| Average rank | 1.00 |")
    assert len({line.count("|") for line in lines[2:]}) == 1


def test_latex_is_escaped_and_balanced(tables):
    text = to_latex([only(tables, "ldl-prediction"), only(tables, "le-recovery")])
    assert r"\textbf{" in text
    assert r"$\pm$" in text
    assert r"Yeast\_alpha &" in text
    assert r"Chebyshev $\downarrow$" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert text.count("{") == text.count("}")
    assert text.isascii()


def test_names_of_any_kind_keep_the_tables_whole():
    recorder = Recorder("s", 0)
    for method in ("a|b", "c_{x}^2~$\\", "d\ne"):
        recorder.run("e", "recovery", "s#1 <b>", method)
    tables = make_tables(recorder.table())[:1]
    lines = to_markdown(tables).splitlines()
    assert len({line.count("|") for line in lines[2:]}) == 1
    assert "a&#124;b" in lines[2]
    assert "d e" in lines[2]
    assert "s\\#1 &lt;b&gt;" in lines[4]
    text = to_latex(tables)
    assert r"c\_\{x\}\textasciicircum{}2\textasciitilde{}\$\textbackslash{} &" in text
    assert "d e" in text


def test_csv_has_a_row_for_each_set_measure_and_variant(tables):
    chains = [table for table in tables if table.experiment == "le-then-ldl"]
    rows = list(csv.DictReader(io.StringIO(to_csv(chains))))
    assert len(rows) == 3 * len(MEASURES) * 4
    first = chains[0]
    assert rows[0]["BD-LE"] == first.rows["Yeast_alpha"][0].text
    assert rows[0]["Uniform (trivial)"]


def test_the_tables_of_two_stores_hold_every_run_once(records, tmp_path):
    again = make_records(sets=["Movie", "Yeast_alpha", "my_own"], store="second.sqlite", seed=1, grid=2)
    write_tables(records, tmp_path / "one")
    write_tables(pd.concat([records, again], ignore_index=True), tmp_path / "two")
    for file in (tmp_path / "one").iterdir():
        assert (tmp_path / "two" / file.name).read_text("utf-8") == file.read_text("utf-8")


def test_all_tables_are_written_in_all_formats(records, tmp_path):
    files = write_tables(records, tmp_path / "tables")
    assert len(files) == 4 * 3
    assert {file.name for file in files} == {file.name for file in (tmp_path / "tables").iterdir()}
    assert "**" in (tmp_path / "tables" / "ablation.md").read_text(encoding="utf-8")
