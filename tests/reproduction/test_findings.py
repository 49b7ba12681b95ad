"""The opening says what the records say, and something else when they do."""

import pytest

from labeldist.experiments.findings import opening
from tests.experiments.record_tables import ablation, everything, failure, record, runs, table, value_of

FAILED = "What failed, took too long or has not run"
PREDICTION = {"experiment": "ldl-prediction", "kind": "prediction"}


def told(records):
    return {finding.heading: " ".join(finding.sentences) for finding in opening(records)}


@pytest.fixture(scope="module")
def won():
    return told(everything(bd_wins=True))


@pytest.fixture(scope="module")
def lost():
    return told(everything(bd_wins=False))


@pytest.fixture(scope="module")
def nothing():
    return told(table([]))


def test_every_finding_but_the_papers_own_follows_the_records(won, lost, nothing):
    unchanged = {heading for heading in won if won[heading] == lost[heading]}
    assert unchanged == {"What the paper prints and cannot be", FAILED}
    assert all(won[heading] != nothing[heading] for heading in won if not heading.endswith("cannot be"))


def test_cells_are_counted(won, nothing):
    heading = "The paper's figures, cell by cell"
    assert "Of the 416 cells of the paper's tables: " in won[heading]
    assert "0 missing" in won[heading]
    assert "0 reproduced, 0 better, 0 worse, 3 impossible, 413 missing" in nothing[heading]
    one = told(table([record(value=0.0690)]))[heading]
    assert "1 reproduced, 0 better, 0 worse, 3 impossible, 412 missing" in one


def test_claims_are_told_with_their_verdict(won, lost, nothing):
    claim = "BD-LDL is best in cosine on every set."
    assert f"Holds: {claim}" in won["The paper's claims"]
    assert f"Does not hold: {claim}" in lost["The paper's claims"]
    assert f"Cannot be judged: {claim}" in nothing["The paper's claims"]
    assert "holds: 0, does not hold: 14, cannot be judged: 0" in lost["The paper's claims"]


def test_the_reconstruction_term_helps_or_does_not(won, lost, nothing):
    heading = "Does the reconstruction term help?"
    assert (
        "helps BD-LDL, which is to say that it is better than UD-LDL in Canberra and Intersection, on all 13"
        in (won[heading])
    )
    assert "more than shrinkage: with each at its best by the truth BD-LE beats UD-LE + ridge" in won[heading]
    assert "than UD-LE in Canberra and Intersection, on none of 13 sets." in lost[heading]
    assert "no more than shrinkage: with each at its best UD-LDL + ridge is as good as BD-LDL, or" in lost[heading]
    assert "Whether reconstruction helps BD-LDL cannot be judged" in nothing[heading]


def test_where_it_helps_is_named():
    rows = ablation((lambda name, _: 0.1 if name == "Movie" else 0.3, 0.2, 0.2), variants=("published",))
    sentences = told(table(rows))["Does the reconstruction term help?"]
    assert "in Canberra and Intersection, on 1 of 13 sets (Movie)." in sentences
    assert "no more than shrinkage: at the published weights UD-LDL + ridge is as good as BD-LDL" in sentences
    without_control = [row for row in rows if row["method"] != "UD-LDL + ridge"]
    sentences = told(table(without_control))["Does the reconstruction term help?"]
    assert "cannot be judged: 0 of 13 sets have records of both BD-LDL and UD-LDL + ridge" in sentences
    few = [row for row in rows if row["dataset"] in ("Movie", "Yeast_cold")]
    sentences = told(table(few))["Does the reconstruction term help?"]
    assert "cannot be judged: 2 of 13 sets have records of both BD-LDL and UD-LDL + ridge" in sentences


def test_trivial_baselines_are_compared_with_the_paper_and_with_ours(won, lost):
    heading = "How far above trivial"
    baseline = "In Chebyshev, Uniform (the uniform distribution) is better than the paper's BD-LE on"
    assert (
        f"{baseline} 0 of 13 sets, than every method of the paper on 0, and than our BD-LE on 0 of 13" in won[heading]
    )
    assert (
        f"{baseline} 13 of 13 sets, than every method of the paper on 13, and than our BD-LE on 13 of 13"
        in lost[heading]
    )
    assert "BD-LE +88.9 %" in won[heading]
    assert "2.2e-16" in won[heading]


def test_a_baseline_without_the_method_beside_it():
    sentences = told(table(runs({"Mean": 0.2}, datasets=["Movie"], **PREDICTION)))["How far above trivial"]
    assert "paper's BD-LDL on 0 of 1 set, than every" in sentences
    assert "no BD-LDL of ours" in sentences
    assert "Uniform (the uniform distribution) has no records in Cosine (le-recovery)." in sentences


def test_goals_beside_the_paper_and_the_mean():
    rows = runs({"BD-LE": lambda name, _: 0.5 if name == "Movie" else 0.01})
    rows += runs(
        {"BD-LDL tuned": lambda name, _: 0.51 if name == "Movie" else 0.1, "Mean": 0.2}, seeds=(0, 1), **PREDICTION
    )
    sentences = told(table(rows))["Beside the paper and the mean"]
    assert "than the paper prints on 12 of 13 sets (not Movie)" in sentences
    assert "beats the paper's Clark on Movie (0.5100, printed 0.5211)" in sentences
    assert "no worse than the mean in Clark on 12 of 13 sets (not Movie); shuffles, paired: 2" in sentences


def test_yeast_gaps_are_marked():
    def run(dataset, measure, **far):
        names = {"tuned": "BD-LDL tuned", "mean": "Mean"}
        return [
            record(dataset=dataset, measure=measure, method=names[name], value=value_of(measure, value), **PREDICTION)
            for name, value in far.items()
        ]

    rows = run("Yeast_cdc", "clark", tuned=0.2017 * 1.067, mean=0.2017 * 1.07)
    rows += run("Yeast_cdc", "cosine", tuned=0.0045 * 1.2, mean=0.0045 * 1.3)
    rows += run("Yeast_cold", "clark", tuned=0.1355 * 1.03)
    sentences = told(table(rows))["The gap on the Yeast sets"]
    assert (
        "Yeast_cdc: Clark +6.7 %, not reproduced (+7.0 %); 1 − cosine +20.0 %, not reproduced (+30.0 %)." in sentences
    )
    assert "Yeast_cold: Clark +3.0 %, reproduced (missing); 1 − cosine missing (missing)." in sentences
    assert "not reproduced: 1 of 2 sets (Yeast_cdc)" in sentences
    assert "missing: 9 of 10 sets (not Yeast_cdc)" in sentences


def test_gaps_that_are_all_missing_are_not_called_reproduced(nothing):
    sentences = nothing["The gap on the Yeast sets"]
    assert "In one measure or both missing: all 10 sets." in sentences
    assert "both not reproduced" not in sentences


def test_what_is_in_short(won, lost, nothing):
    assert "Of the 413 figures of the paper that can be judged (it prints 416), " in won["In short"]
    assert "BD-LE is better than the best trivial baseline in 78 of 78 cases; BD-LDL is better" in won["In short"]
    assert "BD-LE is better than the best trivial baseline in 0 of 78 cases" in lost["In short"]
    assert "The term is more than shrinkage: with each at its best BD-LDL beats" in won["In short"]
    assert "Nothing was left unjudged." in lost["In short"]
    assert "None of the 416 figures that the paper prints can be judged" in nothing["In short"]
    assert "Not judged: 14 of 14 claims and whatever rests on le-recovery, ldl-prediction, " in nothing["In short"]
    for records in (table([]), everything(bd_wins=True)):
        short = opening(records)[0]
        assert short.heading == "In short"
        assert 3 <= len(short.sentences) <= 6


def test_records_of_two_stores_are_not_mixed():
    rows = [record(value=0.0690), record(value=0.9, store="second.sqlite")]
    assert "1 reproduced" in told(table(rows))["The paper's figures, cell by cell"]


def test_what_has_not_run_is_named():
    rows = [*runs({"BD-LDL": 0.1}, datasets=["Movie"], folds=2, **PREDICTION), record(fold=0)]
    rows += runs({"Mean": 0.1}, datasets=["Movie"], **PREDICTION)
    sentences = told(table(rows))[FAILED]
    assert "None of the runs in the records (4)." in sentences
    assert "Not run at all: le-then-ldl, ablation and parameters." in sentences
    assert "Mean has run in 1 of 2 folds on Movie (ldl-prediction)." in sentences


def test_what_failed_or_took_too_long_is_named(won, nothing):
    heading = FAILED
    assert won[heading].startswith("None of the runs in the records (")
    assert "Not run" not in won[heading]
    assert nothing[heading] == "There are no records."
    rows = [
        failure(method="PT-SVM", dataset="Movie", fold=fold, status="timeout", reason="over 600 s", **PREDICTION)
        for fold in range(3)
    ]
    rows.append(failure(method="PT-SVM", dataset="SBU_3DFE", status="timeout", reason="over 600 s", **PREDICTION))
    rows.append(failure(method="FCM", dataset="Movie", status="failed", reason="MemoryError."))
    sentences = told(table(rows))[heading]
    assert "PT-SVM took too long on Movie and SBU_3DFE (ldl-prediction): over 600 s." in sentences
    assert "FCM failed on Movie (le-recovery): MemoryError." in sentences


def test_misprints_open_every_report(nothing):
    sentences = nothing["What the paper prints and cannot be"]
    assert "11 of 364 printed ranks disagree" in sentences
    assert "4 of the printed standard deviations are impossible: 2.080 (EDL-LRL, Yeast_cdc, Clark)" in sentences
    assert "Canberra 0.0119 beside Clark 0.3540" in sentences
