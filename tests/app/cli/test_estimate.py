"""``labeldist estimate``."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import VoteLE
from labeldist.datasets import make_artificial
from tests.app.cli.in_process import error_of, run, run_json

LABELS = ["joy", "fear", "calm"]
COMMAND = ("estimate", "votes.csv", "--item", "id", "--counts", "joy,fear,calm", "-o", "dist.csv")
N = 80


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    """Write counts of votes and a table of features to the current folder, and return both."""
    monkeypatch.chdir(tmp_path)
    X, D = make_artificial(N, random_state=0)
    frame = pd.DataFrame(np.random.default_rng(0).multinomial(4, D), columns=LABELS)
    frame.insert(0, "id", [f"i{row}" for row in range(N)])
    frame.to_csv("votes.csv", index=False)
    features = pd.DataFrame(X, columns=["x", "y", "z"])
    features["id"] = frame["id"]
    features["text"] = [f"this is a rather {name} item" for name in frame[LABELS].idxmax(axis=1)]
    features.to_csv("items.csv", index=False)
    return frame.merge(features, on="id")


def written():
    return pd.read_csv("dist.csv")


def test_estimate_without_features(table):
    facts = run_json(*COMMAND)
    expected = VoteLE().fit(None, table[LABELS])
    assert_allclose(written()[LABELS], expected.label_distributions_, rtol=1e-9)
    assert list(written()) == ["id", *LABELS, "votes"]
    assert facts["features"] == []
    assert facts["vote_scores"] == pytest.approx(expected.vote_scores_)
    assert facts["prior_weights"] == pytest.approx(expected.weights_)
    assert facts["mean_distribution"] == pytest.approx(written()[LABELS].mean().to_dict())


def test_joined_numbers_are_features(table):
    table[["id", "x", "y", "z"]].iloc[10:].to_csv("items.csv", index=False)
    facts = run_json(*COMMAND, "--join", "items.csv")
    kept = table.iloc[10:]
    expected = VoteLE("auto").fit(kept[["x", "y", "z"]], kept[LABELS])
    assert facts["features"] == ["x", "y", "z"]
    assert_allclose(written()[LABELS], expected.label_distributions_, rtol=1e-9)
    facts = run_json(*COMMAND, "--join", "items.csv", "--ignore", "y", "--force")
    assert facts["features"] == ["x", "z"]


def test_text_is_a_feature_if_it_is_prepared():
    command = (*COMMAND, "--join", "items.csv", "--force")
    without = run_json(*command, "--features", "x")
    facts = run_json(*command, "--features", "text", "--prepare")
    assert facts["features"] == ["text"]
    assert facts["vote_scores"]["learner"] > facts["vote_scores"]["mean"] + 0.1
    assert facts["vote_scores"]["learner"] > without["vote_scores"]["learner"]


def test_columns_of_the_votes_are_features_only_by_name(table):
    table["entropy"] = np.arange(N) % 7
    table.to_csv("votes.csv", index=False)
    facts = run_json(*COMMAND)
    assert facts["features"] == []
    assert any("entropy" in note for note in facts["notes"])
    facts = run_json(*COMMAND, "--features", "x,y", "--force")
    assert facts["features"] == ["x", "y"]
    assert not any("--features" in note for note in facts["notes"])


def test_prepare_without_features_is_noted():
    facts = run_json(*COMMAND, "--prepare")
    assert any("--prepare has no effect without features" in note for note in facts["notes"])
    facts = run_json(*COMMAND, "--prepare", "--join", "items.csv", "--force")
    assert facts["features"] == ["x", "y", "z", "text"]
    assert not any("no effect" in note for note in facts["notes"])
    assert facts["columns"]["x"] == "number"


def test_the_text_can_be_the_name_of_the_items(table):
    table["text"] += [f" number {row} of all" for row in range(N)]
    table[["text", *LABELS]].to_csv("votes.csv", index=False)
    call = ("estimate", "votes.csv", "--counts", ",".join(LABELS), "-o", "dist.csv")
    facts = run_json(*call, "--item", "text", "--features", "text", "--prepare")
    assert facts["features"] == ["text"]
    without = run_json(*call, "--item", "text", "--force")
    assert without["features"] == []


def test_features_that_do_not_help_are_noted(table):
    random = np.random.default_rng(1)
    counts = random.multinomial(3, [0.5, 0.3, 0.2], size=N)
    pd.DataFrame(counts, columns=LABELS).assign(id=table["id"], noise=random.normal(size=N)).to_csv(
        "votes.csv", index=False
    )
    facts = run_json(*COMMAND, "--features", "noise")
    assert facts["features"] == []
    assert any("features are not used" in note for note in facts["notes"])


def test_intervals_are_columns_and_no_features_of_fit(table):
    run(*COMMAND, "--intervals", "--join", "items.csv", "--ignore", "text")
    result = written()
    enhancer = VoteLE("auto").fit(table[["x", "y", "z"]], table[LABELS])
    lower, upper = enhancer.interval(0.9)
    lower_columns = [f"{label}_lower" for label in LABELS]
    upper_columns = [f"{label}_upper" for label in LABELS]
    # With the lowest versions of the dependencies the bounds differ by 4e-9.
    assert_allclose(result[lower_columns], lower)
    assert_allclose(result[upper_columns], upper)
    fit = ("fit", "dist.csv", "--labels", ",".join(LABELS), "--method", "bdldl", "-o", "m.skops")
    facts = run_json(*fit, "--ignore", "id,text", "--weights", "votes")
    assert facts["features"] == ["x", "y", "z"]
    note = "the degrees are estimates"
    assert any(note in text for text in facts["notes"])
    result.drop(columns=[*lower_columns, *upper_columns]).to_csv("dist.csv", index=False)
    assert not any(note in text for text in run_json(*fit, "--force")["notes"])


def test_report_compares_the_estimate_with_counting():
    facts = run_json(*COMMAND)
    text = run(*COMMAND, "--force").stdout
    for name in ("mixture", "counting"):
        assert f"{np.exp(facts['vote_scores'][name]):.3f}" in text
    assert f"{facts['further_votes']} further votes" in text
    piped = run(*COMMAND[:-2])
    assert f"{facts['further_votes']} further votes" in piped.stderr
    assert "further votes" not in piped.stdout


def test_items_without_votes_get_an_estimate(table):
    table.loc[3, LABELS] = 0
    table[["id", *LABELS]].to_csv("votes.csv", index=False)
    facts = run_json(*COMMAND)
    expected = VoteLE().fit(None, table[LABELS])
    assert_allclose(written()[LABELS], expected.label_distributions_, rtol=1e-9)
    assert written()["votes"][3] == 0
    assert facts["notes"] == []


def test_empty_cells_are_named_by_their_row_in_the_joined_table(table):
    items = table[["id", "x", "y"]][::-1].reset_index(drop=True)
    items.loc[4, "y"] = np.nan
    items.to_csv("items.csv", index=False)
    error = error_of(*COMMAND, "--join", "items.csv", "--features", "x,y")
    assert "data row 5, column 'y', is empty" in error


def test_single_votes_have_no_number_of_further_votes(table):
    table[LABELS] = np.eye(3, dtype=int)[np.arange(N) % 3]
    table[["id", *LABELS]].to_csv("votes.csv", index=False)
    facts = run_json(*COMMAND)
    assert facts["further_votes"] is None
    assert any("No item has two votes" in note for note in facts["notes"])


def test_single_labels_are_refused(tmp_path):
    (tmp_path / "votes.csv").write_text("id,joy\na,2\nb,3\n")
    command = ("estimate", "votes.csv", "--item", "id", "--counts", "joy", "-o", "dist.csv")
    assert "joy is the only label" in error_of(*command)
    assert not (tmp_path / "dist.csv").exists()


def test_counts_stay_counts_from_the_file_to_the_enhancer(table, monkeypatch):
    seen = []
    fit_vote_le = VoteLE.fit

    def fit(self, X, y):
        seen.append(y)
        return fit_vote_le(self, X, y)

    monkeypatch.setattr(VoteLE, "fit", fit)
    table[["id", "x"]].iloc[::-2].to_csv("items.csv", index=False)
    run(*COMMAND, "--join", "items.csv", "--ignore", "x")
    assert_array_equal(seen[0], table[LABELS].iloc[1::2])
