"""The page's lists follow the records."""

import pytest

from labeldist.experiments import digest
from labeldist.experiments.illustrations import paper_figures
from labeldist.experiments.tables import make_tables
from labeldist.metrics import MEASURES
from tests.experiments.record_tables import failure, record, table
from tests.experiments.synthetic import Recorder, make_records


def prediction(levels, sets=8, experiment="e"):
    """Records of three methods whose level on each set is given."""
    recorder = Recorder("s", 0)
    for place in range(sets):
        for method, level in zip(("BD-LDL", "AA-kNN", "Mean"), levels(place), strict=True):
            for fold in range(2):
                recorder.run(experiment, "prediction", f"set {place}", method, fold=fold, level=level)
    return recorder.table()


def compared(records):
    return {found.measure.name: found for found in digest.comparisons(records, make_tables(records))}


def test_friedman_tells_methods_apart_that_are_apart():
    found = compared(prediction(lambda place: (0.1, 0.3, 0.5)))
    assert set(found) == set(MEASURES)
    comparison = found["cosine"]
    assert comparison.sentence.startswith("3 methods on 8 sets")
    assert "so the methods differ at 5%" in comparison.sentence
    assert comparison.against == "BD-LDL"
    assert comparison.wilcoxon.set_index("Against")["Wins"].to_dict() == {"AA-kNN": 8, "Mean": 8}
    assert "BD-LDL 1.00, AA-kNN 2.00, Mean 3.00" in comparison.figure.svg


def test_friedman_does_not_tell_methods_apart_that_take_turns():
    turns = [(0.1, 0.3, 0.5), (0.3, 0.5, 0.1), (0.5, 0.1, 0.3)]
    comparison = compared(prediction(lambda place: turns[place % 3], sets=6))["chebyshev"]
    assert "cannot be told apart" in comparison.sentence
    assert comparison.figure.svg.count('stroke-width="4"') == 1


def test_one_set_is_not_tested():
    assert compared(prediction(lambda place: (0.1, 0.3, 0.5), sets=1)) == {}


def test_methods_without_all_values_are_left_out_by_name():
    comparison = compared(make_records(grid=1).query("experiment == 'ldl-prediction'"))["clark"]
    assert comparison.sentence.endswith("Left out, as values are missing: PT-SVM.")


def test_skill_is_what_is_saved_of_the_baseline():
    skills = {measure: frame for _, measure, frame in digest.skills(prediction(lambda place: (0.1, 0.6, 0.4)))}
    rows = skills["cosine"].set_index("Method")
    assert rows.loc["BD-LDL", "Median"] == pytest.approx(0.75, abs=0.03)
    assert rows.loc["AA-kNN", "Median"] == pytest.approx(-0.5, abs=0.1)
    assert rows["Sets above 0"].to_dict() == {"BD-LDL": 8, "AA-kNN": 0}


def test_failures_with_one_reason_are_counted_together():
    recorder = Recorder("s", 0)
    for fold in range(3):
        recorder.run("e", "prediction", "a", "AA-BP", fold=fold, reason="diverged" if fold else None)
    failed = digest.failures(recorder.table())
    assert failed.to_dict("records") == [
        {
            "Experiment": "e",
            "Set": "a",
            "Method": "AA-BP",
            "Variant": "",
            "What": "failed",
            "Runs": 2,
            "Reason": "diverged",
        }
    ]


def test_a_run_is_timed_once_however_many_measures_it_has():
    records = prediction(lambda place: (0.1, 0.3, 0.5), sets=2)
    times = digest.times(records).set_index("Method")
    seconds = records.query("method == 'Mean' and measure == 'clark'")["seconds"]
    assert times.loc["Mean", "Runs"] == len(seconds) == 4
    assert times.loc["Mean", "Sum"] == pytest.approx(seconds.sum())


def test_a_chain_is_one_run_however_many_learners_and_folds_it_has():
    chain = {"experiment": "le-then-ldl", "kind": "chain", "method": "LP"}
    rows = [
        record(variant=learner, fold=fold, seconds=7.0, run="LP, all folds", **chain)
        for learner in ("BD-LDL", "SA-BFGS")
        for fold in range(3)
    ]
    (times,) = digest.times(table(rows)).to_dict("records")
    assert (times["Runs"], times["Sum"]) == (1, 7.0)
    failed = [failure(variant=row["variant"], status="failed", run=row["run"], **chain) for row in rows]
    assert digest.failures(table(failed))["Runs"].tolist() == [1, 1]


def test_eleven_printed_ranks_disagree():
    ranks, deviations = digest.misprints()
    assert len(ranks) == 11
    assert (ranks["Printed rank"] != ranks["Rank by its value"]).all()
    assert deviations["Reason"].str.len().gt(0).all()


@pytest.mark.parametrize(
    ("level", "words"), [(0.1, "BD-LDL is nearer to the truth on 2 of 2 sets"), (0.4, "on 0 of 2")]
)
def test_the_ablation_says_on_how_many_sets_reconstruction_helps(level, words):
    recorder = Recorder("s", 0)
    for dataset in ("a", "b"):
        for method, value in (("UD-LDL", 0.2), ("BD-LDL", level), ("UD-LDL + ridge", 0.15)):
            recorder.run("ablation", "prediction", dataset, method, variant="tuned", level=value)
    records = recorder.table()
    (group,) = paper_figures(records, make_tables(records))
    assert [figure.title for figure in group.figures] == [
        "Gain over UD-LDL (tuned), Canberra",
        "Gain over UD-LDL (tuned), Intersection",
    ]
    assert all(words in figure.caption for figure in group.figures)


def test_a_chain_whose_enhancers_all_failed_is_drawn():
    recorder = Recorder("s", 0)
    recorder.run("le-then-ldl", "chain", "a", "Ground truth", variant="BD-LDL")
    recorder.run("le-then-ldl", "chain", "a", "BD-LE", variant="BD-LDL", reason="singular")
    recorder.run("ablation", "prediction", "a", "UD-LDL", variant="published")
    records = recorder.table()
    (group,) = paper_figures(records, make_tables(records))
    assert "×" in group.figures[0].svg


def test_records_without_figures_of_the_paper_have_none():
    records = prediction(lambda place: (0.1, 0.3, 0.5))
    assert paper_figures(records, make_tables(records)) == []
