"""``labeldist votes``."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist._tables.tables import read_table
from labeldist.votes import dawid_skene, from_votes
from tests.cli.in_process import error_of, run, run_json

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
VOTES = ("votes", "votes.csv", *LONG_COLUMNS, "-o", "dist.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(LONG)
    return tmp_path


def written():
    return pd.read_csv("dist.csv", dtype={"id": str})


@pytest.mark.parametrize(("table", "columns"), SHAPES.values(), ids=SHAPES)
def test_three_shapes_give_the_same_table(folder, table, columns):
    (folder / "votes.csv").write_text(table)
    result = run("votes", "votes.csv", *columns, "-o", "dist.csv")
    assert result.stdout == "dist.csv: 3 items, 6 votes. On average: fear 0.61, joy 0.39.\n"
    result = written()
    assert list(result.columns) == ["id", "fear", "joy", "votes"]
    assert result["id"].tolist() == ["07", "8", "9"]
    assert_allclose(result["joy"], [2 / 3, 1 / 2, 0])
    assert result["votes"].tolist() == [3, 2, 1]


def test_json_and_standard_streams():
    facts = run_json("votes", "votes.csv", *LONG_COLUMNS, "-o", "dist.parquet")
    assert facts.pop("mean_distribution") == pytest.approx({"fear": 11 / 18, "joy": 7 / 18})
    assert facts == {"items": 3, "votes": 6, "labels": ["fear", "joy"], "output": "dist.parquet", "notes": []}
    assert len(pd.read_parquet("dist.parquet")) == 3
    result = run("votes", "-", *LONG_COLUMNS, input=LONG)
    assert result.stderr == ""
    assert result.stdout.splitlines()[0] == "id,fear,joy,votes"
    assert result.stdout.splitlines()[2:] == ["8,0.5,0.5,2", "9,1.0,0.0,1"]


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
def test_options_change_the_degrees(options, degrees):
    notes = run_json(*VOTES, *options)["notes"]
    assert notes == ["1.00 votes of the prior are added to each item: fear 0.20, joy 0.80."] * ("0.2,0.8" in options)
    assert written().loc[0, list(degrees)].to_dict() == pytest.approx(degrees)


def test_auto_smoothing_and_several_labels_in_a_cell(folder):
    counts = [[5, 0], [4, 1], [1, 4], [0, 5], [5, 0], [2, 3]]
    (folder / "votes.csv").write_text("a,b\n" + "\n".join(f"{a},{b}" for a, b in counts))
    notes = run_json("votes", "votes.csv", "--counts", "a,b", "--smoothing", "auto", "-o", "dist.csv")["notes"]
    expected = from_votes(counts, smoothing="auto")
    assert_allclose(written()[["a", "b"]], expected.distributions, rtol=1e-9)
    assert notes == [f"{expected.smoothing:.2f} votes of the prior are added to each item: a 0.58, b 0.42."]
    (folder / "votes.csv").write_text("r1,r2\njoy;fear,joy\nfear,\n")
    several = run_json("votes", "votes.csv", "--annotators", "r*", "--separator", ";", "-o", "dist.csv", "--force")
    assert_allclose(written()[["fear", "joy", "votes"]], [[1 / 3, 2 / 3, 3], [1, 0, 1]])
    assert several["notes"][0].startswith("annotators have several votes on an item. In the noise ceiling")
    (folder / "votes.csv").write_text("r1,r2\njoy,\nfear,\n")
    fact = "one vote per item"
    assert fact in error_of(
        "votes", "votes.csv", "--annotators", "r*", "--smoothing", "auto", "-o", "dist.csv", "--force"
    )


def test_dawid_skene():
    run(*VOTES, "--aggregator", "dawid_skene")
    expected = dawid_skene(pd.read_csv("votes.csv"), item="id", annotator="who", label="emotion")
    assert_allclose(written()[["fear", "joy"]], expected.distributions, atol=1e-12)


def test_notes(folder):
    (folder / "votes.csv").write_text(LONG + "9,ann,fear\n10,ann,NA\n11,ann,joy\n12,bob,Joy\n13,ann,joy\n")
    notes = run_json(*VOTES)["notes"]
    for facts in (("data row 7", "'ann'", "'9'"), ("NA",), ("Joy, joy are different",), ("4 of 7", "--smoothing")):
        assert any(all(fact in note for fact in facts) for note in notes), facts
    notes = run_json(*VOTES, "--force", "--smoothing", "1")["notes"]
    assert not any("--smoothing" in note for note in notes)


def test_words_for_missing_values_are_noted(folder):
    words = ["<NA>", "#N/A", "-", "na", "N.A.", "nan"]
    (folder / "votes.csv").write_text("id,emotion\n" + "".join(f"{word},{word}\n" for word in [*words, "a", "n"]))
    notes = run_json("votes", "votes.csv", "--item", "id", "--label", "emotion", "-o", "dist.csv")["notes"]
    assert f"{', '.join(sorted(words))} is used as a label" in notes[0]


@pytest.mark.parametrize("columns", [["--label", "labels"], ["--annotators", "labels"]], ids=str)
def test_decimal_commas_are_not_read_in_votes_and_items(folder, columns):
    (folder / "votes.csv").write_text("id;labels;x\n1,5;1,2;0,5\n2,5;2,3;1\n3;1;2\n")
    notes = run_json("votes", "votes.csv", "--item", "id", *columns, "--separator", ",", "-o", "dist.csv")["notes"]
    assert notes[0] == "Column x: decimal commas are replaced by points."
    expected = [["1,5", "0.5", "0.5", "0.5", "0.0", "2"], ["2,5", "1", "0.0", "0.5", "0.5", "2"]]
    assert read_table("dist.csv").to_numpy().tolist() == [*expected, ["3", "2", "1.0", "0.0", "0.0", "1"]]


def test_decimal_commas_of_joined_tables_are_noted(folder):
    (folder / "items.csv").write_text("id;tags\n07;1,2\n8;2\n9;1,3\n")
    notes = run_json(*VOTES, "--join", "items.csv")["notes"]
    assert notes == ["Column tags: decimal commas are replaced by points."]


def test_names_like_numbers_are_matched_after_json(folder):
    (folder / "v.csv").write_text("section,joy,fear\n3.9,3,1\n3.10,0,1\n3.11,1,1\n")
    run("votes", "v.csv", "--item", "section", "--counts", "joy,fear", "-o", "dist.jsonl")
    assert read_table("dist.jsonl")["section"].tolist() == ["3.9", "3.10", "3.11"]
    (folder / "p.csv").write_text("section,joy,fear\n3.1,1,0\n3.9,0.75,0.25\n3.10,0,1\n3.11,0.5,0.5\n")
    facts = run_json("evaluate", "dist.jsonl", "p.csv", "-l", "joy,fear", "--item", "section")
    assert facts["measures"]["predicted"]["chebyshev"] == 0


def test_lists_that_the_command_has_written_are_several_votes(folder):
    (folder / "v.json").write_text('[{"id": 1, "l": ["a", "b", "a"], "n": 3}, {"id": 2, "l": ["b"], "n": 1}]')
    run("votes", "v.json", "--item", "id", "--counts", "n", "-o", "dist.csv")
    run("votes", "dist.csv", "--item", "id", "--label", "l", "-o", "again.csv")
    assert_allclose(pd.read_csv("again.csv")[["a", "b"]], [[2 / 3, 1 / 3], [0, 1]])


def test_null_in_place_of_counts_is_named(folder):
    (folder / "v.jsonl").write_text('{"id": "a", "c": {"x": 1, "y": null}}\n{"id": "b", "c": null}\n')
    command = ("votes", "v.jsonl", "--item", "id", "--counts", "c", "-o", "dist.csv")
    assert "1 item(s) have no vote, first data row 2, item 'b'" in error_of(*command)


def test_join(folder):
    (folder / "items.csv").write_text("length,id,year\n1.5,9,2001\n2.5,07,2002\n9.9,x,2003\n8.8,y,2004\n")
    facts = run_json(*VOTES, "--join", "items.csv")
    assert (facts["items"], facts["votes"]) == (2, 4)
    assert facts["notes"][0].startswith("1 items")
    assert facts["notes"][0].endswith(": 8.")
    assert facts["notes"][1].endswith(": x, y.")
    assert list(written().columns) == ["id", "length", "year", "fear", "joy", "votes"]
    assert written()[["id", "length", "votes"]].to_numpy().tolist() == [["07", 2.5, 3], ["9", 1.5, 1]]
    (folder / "items.csv").write_text("id,length\n9\u200b,1.5\n 07,2.5\n7,3.5\n")
    run(*VOTES, "--join", "items.csv", "--force")
    assert written()[["id", "length"]].to_numpy().tolist() == [["07", 2.5], ["9", 1.5]]
    (folder / "votes.csv").write_text("id,who,emotion,length\n9,ann,joy,0\n07,ann,fear,0\n")
    notes = run_json(*VOTES, "--join", "items.csv", "--force")["notes"]
    assert "column 'length' of the votes is replaced by that of items.csv." in notes
    assert written()["length"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("items", "fact"),
    [
        ("name,length\n07,1\n", "'id'"),
        ("id,joy\n07,1\n", "column joy"),
        ("id,length\n07,1\n07,2\n", "'07' more than once"),
        ("id,length\n07,1\n07 ,2\n", "'07' more than once"),
        ("id,length\nx,1\n", "07, 8, 9"),
    ],
    ids=["no column", "same column", "twice", "two spellings", "none"],
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
    assert written().fillna("").to_numpy().tolist() == [["07", "sun", 0.5, 0.5, 2], ["8", "rain", 1, 0, 1]]
    for start in ("column 'when' is left out", "column 'joy' is left out", "column 'text' is kept"):
        assert any(note.startswith(start) for note in notes), start
    content = (folder / "dist.csv").read_bytes()
    assert run_json(*command, "--join", "votes.csv", "--force")["notes"] == notes
    assert (folder / "dist.csv").read_bytes() == content
    (folder / "items.csv").write_text("id,text,length\n07,moon,1\n8,rain,2\n")
    run(*command, "--join", "items.csv", "--force")
    assert list(written().columns) == ["id", "text", "length", "fear", "joy", "votes"]
    assert written()["text"].tolist() == ["moon", "rain"]


@pytest.mark.parametrize("shape", ["wide", "counts"])
def test_other_columns_of_wide_tables_and_counts_are_kept(folder, shape):
    table, columns = SHAPES[shape]
    separator = table[2]
    lines = [f"{line}{separator}{'text' if k == 0 else k}" for k, line in enumerate(table.splitlines())]
    (folder / "votes.csv").write_text("\n".join(lines))
    run("votes", "votes.csv", *columns[2:], "--join", "votes.csv", "--item", "id", "-o", "dist.csv")
    assert list(written().columns) == ["id", "text", "fear", "joy", "votes"]
    assert written()["text"].tolist() == [1, 2, 3]


NESTED_COUNTS = {
    "objects": ("v.jsonl", '{"id": "a", "n": {"joy": 3, "fear": 1}}\n{"id": "b", "n": {"joy": 2}}\n', []),
    "lists": ("v.jsonl", '{"id": "a", "n": [1, 3]}\n{"id": "b", "n": [0, 2]}\n', ["--label-names", "fear,joy"]),
    "text": ("v.csv", 'id,n\na,"{""joy"": 3, ""fear"": 1}"\nb,"{""joy"": 2}"\n', []),
    "text of lists": ("v.csv", 'id,n\na,"[1, 3]"\nb,"[0, 2]"\n', ["--label-names", "fear,joy"]),
}


@pytest.mark.parametrize(("name", "text", "options"), NESTED_COUNTS.values(), ids=NESTED_COUNTS)
def test_counts_in_one_column(folder, name, text, options):
    (folder / name).write_text(text)
    run("votes", name, "--item", "id", "--counts", "n", *options, "-o", "dist.csv")
    assert list(written().columns) == ["id", "fear", "joy", "votes"]
    assert written().to_numpy().tolist() == [["a", 0.25, 0.75, 4], ["b", 0, 1, 2]]


SEVERAL_VOTES = {
    "separated": ("v.json", '{"a": {"votes": "1,-3, 1", "who": "x,y,z"}, "b": {"votes": "-3", "who": "x"}}', [","]),
    "lists": ("v.json", '{"a": {"votes": [1, -3, 1], "who": ["x", "y", "z"]}, "b": {"votes": [-3], "who": ["x"]}}', []),
    "multi-label": ("v.csv", "id,who,votes\na,x,1|-3\na,y,1\nb,x,-3\n", ["|"]),
}


@pytest.mark.parametrize(("name", "text", "split"), SEVERAL_VOTES.values(), ids=SEVERAL_VOTES)
def test_several_votes_in_one_cell(folder, name, text, split):
    (folder / name).write_text(text)
    columns = ("--item", "id", "--label", "votes", "--annotator", "who")
    run("votes", name, *columns, *(["--separator", *split] if split else []), "-o", "dist.csv")
    assert list(written().columns) == ["id", "-3", "1", "votes"]
    assert_allclose(written()[["-3", "1", "votes"]], [[1 / 3, 2 / 3, 3], [1, 0, 1]])


@pytest.mark.parametrize(
    ("name", "columns", "labels", "votes"),
    [
        ("chaosNLI_snli.jsonl", ["--item", "uid", "--counts", "label_counter"], ["c", "e", "n"], 151_400),
        (
            "ConvAbuse_dev.json",
            ["--item", "id", "--label", "annotations", "--annotator", "annotators", "--separator", ","],
            ["-3", "-2", "-1", "0", "1"],
            None,
        ),
    ],
    ids=["ChaosNLI", "LeWiDi"],
)
def test_published_files(name, columns, labels, votes):
    if "LABELDIST_VOTES" not in os.environ:
        pytest.skip("LABELDIST_VOTES does not name a folder with published votes.")
    path = Path(os.environ["LABELDIST_VOTES"], name)
    facts = run_json("votes", path, *columns, "-o", "dist.jsonl")
    source, result = read_table(path), read_table("dist.jsonl")
    assert facts["labels"] == labels
    assert facts["items"] == len(source) == len(result)
    assert facts["votes"] == (votes or source["number of annotations"].sum())
    if votes:
        assert_allclose(result[["e", "n", "c"]], np.stack(source["label_count"]) / 100, atol=1e-12)


INVALID_TABLES = {
    "wrong column": (LONG, ["--item", "id", "--label", "emotoin"], "'emotoin'. Did you mean emotion?"),
    "wrong pattern": (WIDE, ["--annotators", "rate*s"], "'rate*s'"),
    "empty cell": (LONG + "9,bob,\n", LONG_COLUMNS, "data row 7, column 'emotion', is empty"),
    "fractional": ("joy,fear\n1,2\n3,1.5\n", ["--counts", "joy,fear"], "data row 2, column 'fear', is '1.5'"),
    "underscore": ("joy,fear\n1_000,2\n", ["--counts", "joy,fear"], "data row 1, column 'joy', is '1_000'"),
    "other digits": ("joy,fear\n٣,2\n", ["--counts", "joy,fear"], "data row 1, column 'joy', is '٣'"),
    "thousands": ('joy,fear\n"1,000",2\n', ["--counts", "joy,fear"], "data row 1, column 'joy', is '1,000'"),
    "unequal": (
        "id,who,l\na,x,p\nb,x/y,p/q/p\n",
        [*LONG_COLUMNS[:2], "--annotator", "who", "--label", "l", "--separator", "/"],
        "data row 2",
    ),
    "label in a list": (
        'id,who,l\na,"[""x"", ""y""]","[""p"", ""q""]"\nb,x,calm\n',
        ["--item", "id", "--annotator", "who", "--label", "l", "--label-names", "p,q"],
        "data row 2, column 'l', is the label 'calm'",
    ),
    "names with a separator": (
        'id,who,l\na,"Smith, J","p,q"\nb,"Smith, J",p\n',
        ["--item", "id", "--annotator", "who", "--label", "l", "--separator", ","],
        "data row 2, column 'who', holds 2 name(s), but column 'l' holds 1.",
    ),
    "no object": ('n\n"{""joy"": 3}"\n?\n', ["--counts", "n"], "data row 2, column 'n', is '?'. It must be an object"),
    "short list": ('n\n"[3, 1]"\n[3]\n', ["--counts", "n"], "data row 2, column 'n', is [3]. It must be a list of 2"),
    "fractional in an object": ('n\n"{""joy"": 0.5}"\n', ["--counts", "n"], "data row 1, column 'joy', is 0.5"),
    "label called votes": ("id,votes\n1,1\n", ["--counts", "votes"], "two columns 'votes'"),
    "second vote": (
        LONG + "9,ann,joy\n",
        [*LONG_COLUMNS, "--aggregator", "dawid_skene"],
        "'ann' votes more than once on item '9'",
    ),
}


@pytest.mark.parametrize(("table", "columns", "fact"), INVALID_TABLES.values(), ids=INVALID_TABLES)
def test_invalid_tables(folder, table, columns, fact):
    (folder / "votes.csv").write_text(table)
    assert fact in error_of("votes", "votes.csv", *columns, "-o", "dist.csv")
    assert not (folder / "dist.csv").exists()


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ([], "--annotators"),
        (["--label", "emotion"], "--item"),
        (["--item", "id", "--label", "emotion", "--counts", "who"], "--counts"),
        (["--annotator", "who", "--annotators", "who"], "--label"),
        (["--counts", "who", "--join", "items.csv"], "--join needs --item"),
        (["--counts", "who", "--separator", ","], "--separator is a text"),
        ([*LONG_COLUMNS, "--smoothing", "-1"], "'--smoothing'"),
        ([*LONG_COLUMNS, "--smoothing", "much"], "'--smoothing'"),
        ([*LONG_COLUMNS, "--separator", ""], "separator"),
        ([*LONG_COLUMNS, "--prior", "overall"], "smoothing"),
        ([*LONG_COLUMNS, "--aggregator", "glad"], "'glad'"),
        ([*LONG_COLUMNS, "--label-names", "joy,joy"], "joy"),
        ([*LONG_COLUMNS, "--json"], "standard output"),
    ],
    ids=str,
)
def test_invalid_options(options, fact):
    assert fact in error_of("votes", "votes.csv", *options, code=2)


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_names_of_items_stay_text(folder, suffix):
    (folder / "votes.csv").write_text("id,who,emotion\n1,ann,joy\n1,bob,fear\nNA,ann,joy\n?,ann,joy\n")
    run(*VOTES[:-1], f"dist.{suffix}")
    assert read_table(f"dist.{suffix}")["id"].tolist() == ["1", "NA", "?"]


def test_items_that_look_alike_are_noted(folder):
    (folder / "votes.csv").write_text("id,who,emotion\nSong A,ann,joy\nsong a,bob,fear\nb,ann,joy\n")
    note = "Song A, song a are different items. If some are the same, write them in the same way."
    assert note in run_json(*VOTES)["notes"]


def test_labels_that_may_be_several_are_noted(folder):
    (folder / "votes.csv").write_text("id,emotion\n1,joy;fear\n1,joy\n2,fear/anger\n2,joy\n")
    command = ("votes", "votes.csv", "--item", "id", "--label", "emotion", "-o", "dist.csv")
    notes = run_json(*command)["notes"]
    assert "joy;fear is one label. If it is several, use --separator ';'." in notes
    assert not any("fear/anger" in note for note in notes)
    # Of Microsoft Forms, Google Forms and Doccano.
    for cells in (["joy;", "joy;fear;", "fear;"], ["joy, fear", "fear", "calm"], ["joy#fear", "joy", "joy"]):
        pd.DataFrame({"id": range(3), "emotion": cells}).to_csv("votes.csv", index=False)
        assert any("is one label. If it is several" in note for note in run_json(*command, "--force")["notes"])


def test_choices_of_label_studio_in_json(folder):
    (folder / "votes.json").write_text('[{"id": 1, "mood": {"choices": ["joy", "fear"]}}]')
    run("votes", "votes.json", "--item", "id", "--label", "mood", "-o", "dist.csv")
    assert read_table("dist.csv").to_dict("list") == {"id": ["1"], "fear": ["0.5"], "joy": ["0.5"], "votes": ["2"]}


def test_single_labels_and_rounded_items_are_noted(folder):
    (folder / "votes.csv").write_text("id,joy\n1.23457E+17,3\nb,2\n")
    notes = run_json("votes", "votes.csv", "--item", "id", "--counts", "joy", "-o", "dist.csv")["notes"]
    assert "joy is the only label, so that its degree is always 1. Name all labels." in notes
    assert "item 1.23457E+17 looks rounded by a spreadsheet. Different items may be merged." in notes


@pytest.mark.parametrize("annotator", [(), ("--annotator", "who")])
def test_numbers_that_may_be_counts_are_noted(folder, annotator):
    (folder / "votes.csv").write_text("id,who,emotion,n\na,ann,joy,1\na,ann,fear,0\nb,bob,joy,1\nb,bob,fear,1\n")
    notes = run_json("votes", "votes.csv", "--item", "id", "--label", "emotion", *annotator, "-o", "dist.csv")["notes"]
    assert any(note.startswith("Each row is counted as one vote, and column 'n' is not used.") for note in notes)


def test_totals_and_labels_that_look_alike_are_noted(folder):
    (folder / "votes.csv").write_text("id,joy,fear,total\n1,1,2,3\n2,4,0,4\n3,2,0,2\n")
    notes = run_json("votes", "votes.csv", "--item", "id", "--counts", "joy,fear,total", "-o", "dist.csv")["notes"]
    assert any("The label total is as large as all others" in note for note in notes)
    (folder / "votes.csv").write_text("id,joy,fear\na,3,1\nb,0,2\nTotal,3,3\n")
    notes = run_json("votes", "votes.csv", "--item", "id", "--counts", "joy,fear", "-o", "d.csv")["notes"]
    assert any("The item Total is as large as all others" in note for note in notes)
    names = ["Don't know", "Don\u2019t know", "\uff11", "1"]
    (folder / "votes.csv").write_text("id,who,emotion\n" + "".join(f"1,{name[-1]}{name},{name}\n" for name in names))
    notes = run_json(*VOTES, "--force")["notes"]
    assert any("1, Don't know, Don\u2019t know, \uff11 are different labels" in note for note in notes)
