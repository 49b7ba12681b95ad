"""Items with votes: other columns of the table, and joined tables."""

import pandas as pd
import pytest

from tests.app.cli.in_process import error_of, run, run_json

LONG = """id,who,emotion
07,ann,joy
07,bob,fear
8,ann,joy
07,cem,joy
8,bob,fear
9,ann,fear
"""
VOTES = ("votes", "votes.csv", "--item", "id", "--annotator", "who", "--label", "emotion")
VOTES += ("-o", "dist.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(LONG)
    return tmp_path


def written():
    return pd.read_csv("dist.csv", dtype={"id": str})


def test_join(folder):
    (folder / "items.csv").write_text(
        "length,id,year\n1.5,9,2001\n2.5,07,2002\n9.9,x,2003\n8.8,y,2004\n"
    )
    facts = run_json(*VOTES, "--join", "items.csv")
    assert (facts["items"], facts["votes"]) == (2, 4)
    problem = "items.csv lacks 1 of 3 items with votes: 8"
    assert facts["notes"] == [f"{problem}. Their votes are dropped."]
    assert list(written().columns) == ["id", "length", "year", "fear", "joy", "votes"]
    expected = [["07", 2.5, 3], ["9", 1.5, 1]]
    assert written()[["id", "length", "votes"]].to_numpy().tolist() == expected
    (folder / "items.csv").write_text("id,length\n9\u200b,1.5\n 07,2.5\n7,3.5\n")
    run(*VOTES, "--join", "items.csv", "--force")
    assert written()[["id", "length"]].to_numpy().tolist() == [["07", 2.5], ["9", 1.5]]


@pytest.mark.parametrize(
    ("items", "fact"),
    [
        ("name,length\n07,1\n", "'id'"),
        ("id,joy\n07,1\n", "duplicate columns: joy"),
        ("id,length\n07,1\n07 ,2\n", "'07' more than once"),
        ("id,length\nx,1\n", "07, 8, 9"),
    ],
    ids=["no column", "same column", "two spellings", "none"],
)
def test_invalid_joins(folder, items, fact):
    (folder / "items.csv").write_text(items)
    assert fact in error_of(*VOTES, "--join", "items.csv")
    assert not (folder / "dist.csv").exists()


def test_other_columns_are_kept(folder):
    long = "id,text,when,joy,emotion\n07,sun,1,x,joy\n07 ,sun,2,x,fear\n8,rain,,x,fear\n"
    (folder / "votes.csv").write_text(long)
    command = ("votes", "votes.csv", "--item", "id", "--label", "emotion", "-o", "dist.csv")
    notes = run_json(*command)["notes"]
    expected = [["07", "sun", 0.5, 0.5, 2], ["8", "rain", 1, 0, 1]]
    assert written().to_numpy().tolist() == expected
    assert notes[-3:-1] == [
        "left out: when, because the values differ between the votes on an item.",
        "left out: joy, because the result has a column of this name.",
    ]
    assert "text" in notes[-1]
    two = long.replace(",joy,", ",fear,").replace("1,x", "1,y")
    (folder / "votes.csv").write_text(two)
    notes = run_json(*command, "--force")["notes"]
    assert "left out: when, fear, because the values differ" in notes[-2]
    (folder / "votes.csv").write_text(long)
    (folder / "items.csv").write_text("id,text,length\n07,moon,1\n8,rain,2\n")
    run(*command, "--join", "items.csv", "--force")
    assert list(written().columns) == ["id", "text", "length", "fear", "joy", "votes"]
    assert written()["text"].tolist() == ["moon", "rain"]


def test_other_columns_of_wide_tables_are_kept(folder):
    (folder / "votes.csv").write_text("id,rater_1,rater_2,text\na,joy,fear,sun\nb,joy,,rain\n")
    columns = ("--item", "id", "--annotators", "rater_*")
    run("votes", "votes.csv", *columns, "--join", "votes.csv", "-o", "dist.csv")
    assert list(written().columns) == ["id", "text", "fear", "joy", "votes"]
    assert written()["text"].tolist() == ["sun", "rain"]


def test_items_as_numbers_and_text_are_one(folder):
    records = '{"id": 3, "l": "x", "text": "moon"}\n{"id": "3", "l": "y", "text": "moon"}\n'
    (folder / "v.jsonl").write_text(records)
    run("votes", "v.jsonl", "--item", "id", "--label", "l", "-o", "dist.csv")
    assert written().to_numpy().tolist() == [["3", "moon", 0.5, 0.5, 2]]


def test_whole_numbers_with_decimals_are_the_same_label_and_item(folder):
    (folder / "votes.csv").write_text("id,ann,bob\n1000,5,4.0\n1001,4,\n1002,5,5.0\n")
    (folder / "items.csv").write_text("id,length\n1000.0,1\n1001.0,2\n1002.0,3\n")
    command = ("votes", "votes.csv", "--item", "id", "--annotators", "ann,bob", "-o", "dist.csv")
    run(*command, "--label-names", "4.0,5", "--join", "items.csv")
    assert list(written()) == ["id", "length", "4", "5", "votes"]
    assert written()["4"].tolist() == [0.5, 1, 0]
