"""``labeldist plan``."""

import pandas as pd
from numpy.testing import assert_allclose

from labeldist.votes import expected_error, from_votes
from tests.app.cli.in_process import error_of, run, run_json

COMMAND = ("plan", "votes.csv", "--item", "title", "--label", "emotion")


def test_plan_is_printed_and_no_degrees_are_written(folder):
    before = sorted(path.name for path in folder.iterdir())
    facts = run_json(*COMMAND)
    votes = from_votes(pd.read_csv("votes.csv"), item="title", label="emotion")
    expected = expected_error(votes, facts["plan"]["votes"])
    assert_allclose(facts["plan"]["counting"], expected.counting)
    assert_allclose(facts["plan"]["Dirichlet"], expected.dirichlet)
    assert_allclose(facts["plan"]["ceiling"], expected.ceiling)
    assert (facts["items"], facts["mean_votes"]) == (40, 5)
    text = run(*COMMAND).stdout
    assert f"{expected.counting[0]:.3f}" in text
    assert "one vote, divided equally between the labels" in text
    assert "rough with few items" in text
    assert sorted(path.name for path in folder.iterdir()) == before


def test_curve_is_drawn(folder):
    run(*COMMAND, "--picture", "plan.png")
    assert (folder / "plan.png").read_bytes().startswith(b"\x89PNG")
    assert "exists" in error_of(*COMMAND, "--picture", "plan.png")


def test_one_vote_per_item_is_not_enough(folder):
    (folder / "votes.csv").write_text("title,emotion\na,joy\nb,fear\n")
    assert "one vote per item" in error_of(*COMMAND)


def test_votes_for_one_label_have_no_error(folder):
    (folder / "votes.csv").write_text("title,emotion\na,joy\na,joy\nb,joy\n")
    assert max(run_json(*COMMAND)["plan"]["Dirichlet"]) < 1e-9


def test_items_without_votes_have_no_effect(folder):
    (folder / "votes.csv").write_text("joy,fear\n3,0\n1,2\n0,3\n2,1\n0,0\n")
    facts = run_json("plan", "votes.csv", "--counts", "joy,fear")
    votes = from_votes([[3, 0], [1, 2], [0, 3], [2, 1]])
    expected = expected_error(votes, facts["plan"]["votes"])
    assert_allclose(facts["plan"]["counting"], expected.counting)
    assert (facts["items"], facts["mean_votes"]) == (5, 2.4)
