"""``labeldist votes``, in this process where its words and files are looked at, and as a process where that matters."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from labeldist.cli.app import app
from tests.cli.processes import labeldist

LONG = """id,who,emotion
07,ann,joy
07,bob,fear
8,ann,joy
07,cem,joy
8,bob,fear
9,ann,fear
"""
WIDE = "id,rater_1,rater_2,rater_3\n07,joy,fear,joy\n8,joy,fear,\n9,fear,,\n"
COUNTS = "id;fear;joy\n07;1;2\n8;1;1\n9;1;0\n"
SHAPES = {
    "long": (LONG, ["--item", "id", "--annotator", "who", "--label", "emotion"]),
    "wide": (WIDE, ["--item", "id", "--annotators", "rater_*"]),
    "counts": (COUNTS, ["--item", "id", "--counts", "fear,joy"]),
}
LONG_COLUMNS = SHAPES["long"][1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(LONG)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["votes", *map(str, arguments)])


def found(path="dist.csv"):
    return pd.read_csv(path, dtype={"id": str})


@pytest.mark.parametrize(("table", "columns"), SHAPES.values(), ids=SHAPES)
def test_every_shape_gives_the_same_table(folder, table, columns):
    (folder / "votes.csv").write_text(table)
    result = run("votes.csv", *columns, "-o", "dist.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout == "dist.csv: 3 items, 6 votes. On average: fear 0.61, joy 0.39.\n"
    table = found()
    assert list(table.columns) == ["id", "fear", "joy", "votes"]
    assert table["id"].tolist() == ["07", "8", "9"]  # as it was written
    assert_allclose(table["joy"], [2 / 3, 1 / 2, 0])
    assert table["votes"].tolist() == [3, 2, 1]


def test_a_machine_is_told_in_json(folder):
    facts = json.loads(run("votes.csv", *LONG_COLUMNS, "-o", "dist.parquet", "--json").stdout)
    assert facts.pop("mean_distribution") == pytest.approx({"fear": 11 / 18, "joy": 7 / 18})
    assert facts == {"items": 3, "votes": 6, "labels": ["fear", "joy"], "output": "dist.parquet", "notes": []}
    assert len(pd.read_parquet("dist.parquet")) == 3


@pytest.mark.parametrize(
    ("options", "degrees"),
    [
        (["--label-names", "joy, calm,fear"], {"joy": 2 / 3, "calm": 0, "fear": 1 / 3}),
        (["--smoothing", "3"], {"joy": 3.5 / 6, "fear": 2.5 / 6}),
        (["--smoothing", "2", "--prior", "overall"], {"joy": 3 / 5, "fear": 2 / 5}),
        (["--smoothing", "1", "--prior", "0.2,0.8"], {"joy": 2.8 / 4, "fear": 1.2 / 4}),
    ],
    ids=str,
)
def test_options_change_the_degrees(folder, options, degrees):
    assert run("votes.csv", *LONG_COLUMNS, *options, "-o", "dist.csv").exit_code == 0
    assert found().loc[0, list(degrees)].to_dict() == pytest.approx(degrees)


def test_an_aggregator_believes_whom_others_agree_with(folder):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=40)
    says = {"good": truth, "fair": np.where(rng.random(40) < 0.9, truth, 1 - truth), "noise": rng.integers(2, size=40)}
    pd.DataFrame(says).replace({0: "fear", 1: "joy"}).to_csv("votes.csv", index=False)
    assert (
        run("votes.csv", "--annotators", "good,fair,noise", "--aggregator", "dawid_skene", "-o", "d.csv").exit_code == 0
    )
    table = pd.read_csv("d.csv")
    assert list(table.columns) == ["item", "fear", "joy", "votes"]
    assert ((table["joy"] > 0.5) == truth).mean() > 0.9


def test_doubts_are_told(folder):
    (folder / "votes.csv").write_text(LONG + "9,ann,fear\n10,ann,NA\n11,ann,joy\n12,bob,joy\n13,ann,joy\n")
    notes = run("votes.csv", *LONG_COLUMNS, "-o", "dist.csv").stderr
    assert "note: 1 row(s) repeat a vote, first data row 7: 'ann' votes for 'fear' on item '9'" in notes
    assert "note: NA is taken for a label" in notes
    assert "note: 4 of 7 items have a single vote, which says little; see --smoothing" in notes
    smoothed = run("votes.csv", *LONG_COLUMNS, "-o", "dist.csv", "--force", "--smoothing", "1").stderr
    assert "single vote" not in smoothed


def test_items_are_joined_with_what_describes_them(folder):
    (folder / "items.csv").write_text("length,id,year\n1.5,9,2001\n2.5,07,2002\n9.9,x,2003\n8.8,y,2004\n")
    result = run("votes.csv", *LONG_COLUMNS, "--join", "items.csv", "-o", "dist.csv")
    assert "note: 1 items that were voted on are not in items.csv and are left out: 8." in result.stderr
    assert "note: 2 items of items.csv have no votes and are left out: x, y." in result.stderr
    assert result.stdout == "dist.csv: 2 items, 4 votes. On average: fear 0.67, joy 0.33.\n"
    table = found()
    assert list(table.columns) == ["id", "length", "year", "fear", "joy", "votes"]
    assert table["id"].tolist() == ["07", "9"]
    assert table["length"].tolist() == [2.5, 1.5]
    assert table["votes"].tolist() == [3, 1]
    (folder / "items.csv").write_text("id,length\n9,1\n8,2\n07,3\n")
    assert not run("votes.csv", *LONG_COLUMNS, "--join", "items.csv", "-o", "dist.csv", "--force").stderr
    assert found()["length"].tolist() == [3, 2, 1]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("name,length\n07,1\n", "There is no item column 'id'"),
        ("id,joy\n07,1\n", "items.csv has columns that the distributions have, too: joy. Rename them"),
        ("id,length\n07,1\n07,2\n", "Column 'id' of items.csv names '07' more than once"),
        ("id,length\nx,1\n", "None of the items that were voted on is in items.csv, column 'id': 07, 8, 9."),
    ],
    ids=["no column", "same column", "twice", "none"],
)
def test_items_that_cannot_be_joined(folder, items, message):
    (folder / "items.csv").write_text(items)
    result = run("votes.csv", *LONG_COLUMNS, "--join", "items.csv", "-o", "dist.csv")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (folder / "dist.csv").exists()


BAD_TABLES = {
    "missing file": (None, LONG_COLUMNS, "There is no file votes.csv"),
    "empty file": ("", LONG_COLUMNS, "votes.csv cannot be read: it is empty"),
    "no rows": ("id,who,emotion\n", LONG_COLUMNS, "votes.csv cannot be read: it has no rows"),
    "ragged": (LONG + "9,bob\n", LONG_COLUMNS, "line 8 has 2 cells"),
    "columns of one name": ("id,id,emotion\n1,2,joy\n", LONG_COLUMNS, "more than one column id"),
    "wrong column": (
        LONG,
        ["--item", "id", "--label", "emotoin"],
        "has no column 'emotoin'. Did you mean emotion? It has id, who, emotion.",
    ),
    "wrong pattern": (WIDE, ["--annotators", "rate*s"], "There is no annotator column 'rate*s'"),
    "empty cell": (LONG + "9,bob,\n", LONG_COLUMNS, "data row 7, column 'emotion', is empty"),
    "unknown label": (
        LONG,
        [*LONG_COLUMNS, "--label-names", "joy,feer"],
        "data row 2, column 'emotion', is the label 'fear', which is not among label_names: joy, feer. Did you mean",
    ),
    "negative": ("joy,fear\n1,2\n-3,1\n", ["--counts", "joy,fear"], "data row 2, column 'joy', is '-3'"),
    "fractional": ("joy,fear\n1,2\n3,1.5\n", ["--counts", "joy,fear"], "data row 2, column 'fear', is '1.5'"),
    "words": ("joy,fear\n1,two\n3,1\n", ["--counts", "joy,fear"], "data row 1, column 'fear', is 'two'"),
    "empty count": ("joy,fear\n1,\n3,1\n", ["--counts", "joy,fear"], "data row 1, column 'fear', is empty"),
    "no votes": ("joy,fear\n1,1\n0,0\n", ["--counts", "joy,fear"], "1 item(s) have no vote, first data row 2"),
    "item twice": ("id,joy\n1,1\n1,2\n", ["--item", "id", "--counts", "joy"], "is '1', as in data row 1"),
    "label called votes": ("id,votes\n1,1\n", ["--counts", "votes"], "two columns 'votes'"),
    "two votes to model": (
        LONG + "9,ann,joy\n",
        [*LONG_COLUMNS, "--aggregator", "dawid_skene"],
        "Data row 7 is a second vote of annotator 'ann' on item '9'",
    ),
}


@pytest.mark.parametrize(("table", "columns", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_tables_are_refused_and_nothing_is_written(folder, table, columns, message):
    (folder / "votes.csv").unlink() if table is None else (folder / "votes.csv").write_text(table)
    result = run("votes.csv", *columns, "-o", "dist.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("labeldist: ")
    assert message in result.stderr
    assert not (folder / "dist.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say where the votes are"),
        (["--label", "emotion"], "say where the votes are"),
        (["--item", "id", "--label", "emotion", "--counts", "who"], "say where the votes are"),
        (["--annotator", "who", "--annotators", "who"], "say where the votes are"),
        (["--counts", "who", "--join", "items.csv"], "--join needs --item"),
        ([*LONG_COLUMNS, "--smoothing", "-1"], "'--smoothing'"),
        ([*LONG_COLUMNS, "--prior", "overall"], "no effect without smoothing"),
        ([*LONG_COLUMNS, "--prior", "flat", "--smoothing", "1"], "got 'flat'"),
        ([*LONG_COLUMNS, "--aggregator", "glad"], "got 'glad'"),
        ([*LONG_COLUMNS, "--label-names", "joy,joy"], "different labels"),
        ([*LONG_COLUMNS, "--json"], "cannot both go to standard output"),
    ],
    ids=str,
)
def test_bad_calls_have_an_exit_code_of_their_own(folder, options, message):
    result = run("votes.csv", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_nothing_is_overwritten_without_force(folder):
    (folder / "dist.csv").write_text("mine")
    result = run("votes.csv", *LONG_COLUMNS, "-o", "dist.csv")
    assert (result.exit_code, (folder / "dist.csv").read_text()) == (1, "mine")
    assert "dist.csv exists" in result.stderr
    assert run("votes.csv", *LONG_COLUMNS, "-o", "dist.csv", "--force").exit_code == 0
    assert len(found()) == 3


def test_a_process_reads_standard_input_and_writes_standard_output(folder):
    process = labeldist("votes", "-", *LONG_COLUMNS, input=LONG)
    assert (process.returncode, process.stderr) == (0, "")
    lines = process.stdout.splitlines()
    assert lines[0] == "id,fear,joy,votes"
    assert lines[2:] == ["8,0.5,0.5,2", "9,1.0,0.0,1"]


def test_a_process_that_fails_says_why_on_one_line_and_leaves_no_file(folder):
    process = labeldist("votes", "votes.csv", "--item", "id", "--label", "mood", "-o", "dist.csv")
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr == "labeldist: The table of votes has no column 'mood'. It has id, who, emotion.\n"
    assert os.listdir(folder) == ["votes.csv"]


def test_labels_that_differ_in_capitals_are_told(folder):
    (folder / "votes.csv").write_text(LONG.replace("9,ann,fear", "9,ann,Fear"))
    result = CliRunner().invoke(app, ["votes", "votes.csv", *LONG_COLUMNS, "-o", "dist.csv"])
    assert "Fear, fear are taken for different labels" in result.stderr
