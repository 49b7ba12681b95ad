"""The commands behind the documentation's figures say what the numbers say."""

import numpy as np
import pytest

from benchmarks.accuracy import GOALS, comparison_row, goal_rows, kernel, mean_rows
from benchmarks.bayes_le import MIN_EXPLAINED, flip, lines_of, top_label
from benchmarks.choice import gain
from benchmarks.choice import row as choice_row
from benchmarks.learners import METHODS, row
from benchmarks.prediction import ten_folds
from benchmarks.side_by_side import SAME_QUALITY, Measurement, page, peer_seconds, ratio
from benchmarks.side_by_side import scores as scores_of
from benchmarks.tables import beats, header, paper_figures, rows, where_others_win
from benchmarks.worker import OBJECTIVES, Ours
from labeldist import BayesLE
from labeldist.datasets import binarize, list_datasets, make_artificial
from labeldist.enhancement import Uniform
from labeldist.learning import MeanDistribution
from labeldist.metrics import MEASURES


def scores(**values):
    return {name: values.get(name, 0.5) for name in MEASURES}


def test_better_depends_on_the_measure_and_on_printed_digits():
    assert beats("clark", 0.1, 0.2)
    assert not beats("clark", 0.2, 0.1)
    assert beats("cosine", 0.2, 0.1)
    assert not beats("clark", 0.10001, 0.10002)


def test_the_best_of_each_measure_is_bold_with_ties():
    table = {"A": scores(clark=0.1, cosine=0.9), "B": scores(clark=0.2, cosine=0.95)}
    first, second = rows("Set", table)
    assert first.startswith("| Set | A | **0.5000** | **0.1000** | **0.5000** |")
    assert "| **0.9500** |" in second
    assert "| 0.9000 |" in first
    assert first.count("|") == header().splitlines()[0].count("|")


def test_the_verdict_names_the_sets():
    results = {
        "one": {"A": scores(clark=0.1), "B": scores(clark=0.2)},
        "two": {"A": scores(clark=0.3), "B": scores(clark=0.2)},
    }
    verdicts = list(where_others_win(results, "A"))
    assert "- B is better than A in Clark on 1 of 2 sets: two" in verdicts
    assert "- B is better than A in Cosine on 0 of 2 sets: none" in verdicts


def test_ten_folds_average_over_held_out_rows():
    X, D = make_artificial(100, random_state=0)
    values = ten_folds(MeanDistribution(), X, D)
    assert values.keys() == MEASURES.keys()
    in_sample = MEASURES["kl_divergence"].mean(D, np.tile(D.mean(axis=0), (100, 1)))
    assert values["kl_divergence"] == pytest.approx(in_sample, rel=0.05)
    assert values["kl_divergence"] > in_sample


def test_gains_over_the_mean_are_paired_and_have_the_direction_of_the_measure():
    pairs = [[scores(clark=0.1, cosine=0.9), scores(clark=0.3)], [scores(clark=0.3, cosine=0.7), scores(clark=0.7)]]
    row = comparison_row("Set", pairs)
    assert "| 0.20000 | 0.50000 | +0.30000 ± 0.10000 | 0.80000 | 0.50000 | +0.30000 ± 0.10000 | 2 of 3 |" in row
    assert row.startswith("| Set | 0.50000 | 0.50000 | +0.00000 ± 0.00000 |")


def test_goals_name_known_sets_and_only_those_asked_for_are_met(monkeypatch):
    monkeypatch.setattr("benchmarks.accuracy.load_dataset", lambda name, return_X_y: make_artificial(20))
    monkeypatch.setattr("benchmarks.accuracy.ten_folds", lambda learner, X, D, seed=0: scores(clark=0.1))
    assert {goal.name for goal in GOALS} <= set(list_datasets())
    _, first, second = goal_rows(["SBU_3DFE"])
    assert first == "| SBU_3DFE | kernel | Kullback-Leibler | 0.0440 | 0.5000 | no |"
    assert second == "| SBU_3DFE | kernel | Clark | 0.3540 | 0.1000 | yes |"
    assert len(list(mean_rows(["Movie"], 2))) == 2


def test_the_bandwidth_is_chosen_within_the_training_rows():
    search = kernel("clark").fit(*make_artificial(100, random_state=0))
    assert search.best_params_.keys() == {"kernelfeatures__factor"}
    assert search.best_estimator_[-1].scoring == "clark"


@pytest.mark.parametrize("method", OBJECTIVES)
def test_default_tolerances_end_at_the_quality_that_is_compared(method):
    X, D = make_artificial(300, random_state=0)
    ours = Ours(method)
    assert ours.answer(X, D, X[:5]).shape == (5, 3)
    notes = ours.notes(X, D)
    assert notes["best"] <= notes["reached"] <= notes["best"] * (1 + SAME_QUALITY)


def test_the_peer_is_timed_until_its_objective_is_as_good():
    arrives = {"seconds": 9.0, "trace": [(1.0, 5.0), (2.0, 1.00002), (3.0, 1.000001), (4.0, 1.0)]}
    never = {"seconds": 9.0, "trace": [(1.0, 5.0), (2.0, 2.0)]}
    assert peer_seconds(Measurement((arrives,)), [1.0]) == (3.0, True)
    assert peer_seconds(Measurement((arrives, never)), [1.0, 1.0]) == (6.0, False)


def comparison(**failure):
    measured = scores()
    return {
        "method": "SABFGS",
        "set": "Movie",
        "folds": 2,
        "limit": 300,
        "seconds": {"ours": 2.0, "peer": float("nan") if failure else 8.0},
        "megabytes": {"ours": 100.0, "peer": 400.0},
        "failure": {"ours": "", "peer": "", **failure},
        "scores": {"ours": measured, "peer": None if failure else measured, "trivial": measured},
        "gap": {"ours": 1e-7},
    }


def test_the_page_has_a_row_for_each_comparison_and_library():
    lines = list(page([comparison()]))
    assert "| SABFGS | Movie | 2 | 2 | 8 | 4.0× | 100 | 400 | 1e-07 |  | +0.000 | +0.000 |" in lines
    assert sum(line.startswith("| Movie, SABFGS |") for line in lines) == 3


def test_a_peer_that_does_not_finish_gives_a_bound():
    assert ratio(comparison(peer="> 300 s")) == "> 150×"
    assert any("> 300 s" in line and "+nan" in line for line in page([comparison(peer="> 300 s")]))


def test_answers_that_are_no_distributions_have_no_scores():
    truth = [np.array([[0.5, 0.5]])]
    assert scores_of(truth, [np.array([[0.2, 0.8]])])["chebyshev"] == pytest.approx(0.3)
    assert scores_of(truth, [np.array([[np.nan, 1.0]])]) is None


def test_the_paper_has_figures_for_every_set():
    paper = paper_figures("ldl-prediction")
    assert len({name for name, _ in paper}) == 13
    assert {method for _, method in paper} <= set(METHODS)
    assert paper["Movie", "BD-LDL"]["clark"] == 0.5211


@pytest.mark.usefixtures("benchmark_folder")
def test_a_learners_row_marks_what_is_far_from_the_paper():
    near = row("Yeast_spoem", "BD-LDL", {"clark": 0.1292, "cosine": 0.9790})
    assert near.startswith("| Yeast_spoem | 0.1292 | 0.1292 | ")
    assert "0.1292*" in row("Yeast_spoem", "BD-LDL", {"clark": 0.2, "cosine": 0.9790})


def test_a_choice_is_judged_on_rows_that_it_has_not_seen():
    assert gain(np.array([0.5, 0.7]), np.array([0.4, 0.4])) == "+0.20000 ± 0.10000"
    told = choice_row("Set", *make_artificial(60, random_state=0), 2)
    name, mean, linear, chosen, skill, *gains, learners, _ = [cell.strip() for cell in told.strip("|").split("|")]
    assert (name, len(gains)) == ("Set", 2)
    assert float(chosen) < float(mean)
    assert float(skill) == pytest.approx(1 - float(chosen) / float(mean), abs=1e-3)
    assert float(gains[1].split()[0]) == pytest.approx(float(linear) - float(chosen), abs=2e-5)
    assert " × " in learners


def test_flipped_tags_leave_every_row_one():
    tags = binarize(make_artificial(500, random_state=0)[1])
    flipped = flip(tags, 0.05, 0)
    assert (flipped != tags).mean() == pytest.approx(0.05, abs=0.02)
    assert (flip(tags, 0.0, 0) == tags).all()
    certain = flip(tags, 1.0, 0)
    assert (certain.sum(axis=1) >= 1).all()
    assert top_label(np.array([[0.2, 0.5, 0.3]])).tolist() == [[0, 1, 0]]


def test_features_are_used_or_not_so_auto_need_not_be_fitted():
    X, D = make_artificial(150, random_state=0)
    found = {regressor: BayesLE(regressor=regressor).fit(X, binarize(D)) for regressor in (None, "kernel", "auto")}
    used = "kernel" if found["kernel"].explained_ >= MIN_EXPLAINED else None
    assert (found["auto"].label_distributions_ == found[used].label_distributions_).all()


@pytest.mark.usefixtures("benchmark_folder")
def test_bayes_le_is_beside_the_best_rival_and_says_when_the_prior_decides(monkeypatch):
    monkeypatch.setattr("benchmarks.bayes_le.RIVALS", {"Uniform": Uniform()})
    lines = "\n".join(lines_of("recovery", ["Yeast_spoem"], 1)).splitlines()
    title, head, told, *verdicts = [line for line in lines if line and "---" not in line]
    assert title.startswith("## Recovery")
    assert head.count("|") == told.count("|")
    assert told.startswith("| Yeast_spoem (the prior decides) | **0.05")
    assert told.count("(Uniform ") == len(verdicts) == len(MEASURES)
    assert "- Kullback-Leibler: better than the best rival on 1 of 1 sets." in verdicts
