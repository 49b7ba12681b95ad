"""``labeldist annotators``."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.votes import annotators, from_votes
from tests.cli.in_process import error_of, run, run_json

COLUMNS = ("--item", "title", "--annotator", "who", "--label", "emotion")
COMMAND = ("annotators", "votes.csv", *COLUMNS)


@pytest.fixture
def votes(folder):
    """The votes of the songs, in a table with the groups of the annotators."""
    table = pd.read_csv("votes.csv")
    table["team"] = np.where(table["who"].isin(["person 0", "person 1"]), "A", "B")
    table.loc[table["who"] == "person 4", "team"] = None
    table.to_csv("votes.csv", index=False)
    return from_votes(table, item="title", annotator="who", label="emotion")


def test_table_is_written_and_printed(votes):
    result = run(*COMMAND, "-o", "people.csv")
    expected = annotators(votes).to_frame().sort_values("agreement")
    written = pd.read_csv("people.csv")
    assert written["annotator"].tolist() == expected["annotator"].tolist()
    assert_allclose(written[["votes", "agreement", "lower", "upper"]], expected.iloc[:, 1:])
    lines = result.stdout.splitlines()
    assert lines[0].startswith("5 annotators")
    assert [line.split()[1] for line in lines[3:]] == [
        name.split()[1] for name in expected["annotator"]
    ]


def test_groups(votes):
    facts = run_json(*COMMAND, "--groups", "team", "--seed", "3")
    teams = {f"person {k}": team for k, team in enumerate("AABB")}
    expected = annotators(votes, teams, random_state=3).groups
    found = pd.DataFrame(facts["groups"])
    assert found["group"].tolist() == ["A", "B"]
    assert found["annotators"].tolist() == [2, 2]
    assert_allclose(found["within"], expected.within)
    assert_allclose(found["across"], expected.across)
    assert_allclose(found["p"], expected.p_value)
    assert len(facts["annotators"]) == 5
    text = run(*COMMAND, "--groups", "team").stdout
    assert "within" in text
    assert "p is one-sided" in text
    assert "NaN" not in text


def test_undefined_p_values_are_explained(votes):
    table = pd.read_csv("votes.csv")
    table["team"] = np.where(table["who"] == "person 0", "A", "B")
    table.to_csv("votes.csv", index=False)
    options = (*COMMAND, "--groups", "team")
    found = {row["group"]: row["p"] for row in run_json(*options)["groups"]}
    assert found["A"] is None
    assert found["B"] > 0
    assert "NaN: a group has one annotator" in run(*options).stdout


def test_table_to_standard_output(votes):
    assert run(*COMMAND, "-o", "-").stdout.startswith("annotator,votes,agreement,lower,upper\n")


def test_wide_tables(folder):
    (folder / "wide.csv").write_text("id,r1,r2,r3\na,x,x,y\nb,y,y,y\nc,x,y,x\n")
    facts = run_json("annotators", "wide.csv", "--item", "id", "--annotators", "r*")
    assert {row["annotator"] for row in facts["annotators"]} == {"r1", "r2", "r3"}
    options = ("--annotators", "r*", "--groups", "id")
    assert "--groups" in error_of("annotators", "wide.csv", *options, code=2)


def test_groups_of_lists_of_annotators_raise(folder):
    (folder / "lists.csv").write_text('id,who,label,g\na,"x,y","1,0",A\nb,"x,y","1,1",B\n')
    columns = ("--item", "id", "--annotator", "who", "--label", "label", "--separator", ",")
    assert "one row per vote" in error_of("annotators", "lists.csv", *columns, "--groups", "g")


def test_invalid_calls(votes):
    without = ("annotators", "votes.csv", "--item", "title", "--label", "emotion")
    assert "--annotator" in error_of(*without, code=2)
    assert "'teams'" in error_of(*COMMAND, "--groups", "teams")
    pd.read_csv("votes.csv").assign(team="A").to_csv("votes.csv", index=False)
    assert "Two groups" in error_of(*COMMAND, "--groups", "team")


def test_items_without_votes_have_no_effect(folder):
    text = "item,ann,bob\n1,x,y\n2,x,x\n3,y,y\n"
    (folder / "wide.csv").write_text(text)
    (folder / "gap.csv").write_text(f"{text}4,,\n")
    command = ("--item", "item", "--annotators", "ann,bob")
    expected = run_json("annotators", "wide.csv", *command)
    assert run_json("annotators", "gap.csv", *command)["annotators"] == expected["annotators"]
