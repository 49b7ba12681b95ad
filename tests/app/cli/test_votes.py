"""``labeldist votes``."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.app.tables.read_and_write import read_table
from labeldist.votes import dawid_skene, from_votes
from tests.app.cli.in_process import error_of, run, run_json

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
    assert facts == {
        "items": 3,
        "votes": 6,
        "labels": ["fear", "joy"],
        "output": "dist.parquet",
        "notes": [],
    }
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
    run(*VOTES, *options)
    assert written().loc[0, list(degrees)].to_dict() == pytest.approx(degrees)


def test_auto_smoothing(folder):
    counts = [[5, 0], [4, 1], [1, 4], [0, 5], [5, 0], [2, 3]]
    pd.DataFrame(counts, columns=["a", "b"]).to_csv("votes.csv", index=False)
    command = ("votes", "votes.csv", "--smoothing", "auto", "-o", "dist.csv")
    run(*command, "--counts", "a,b")
    expected = from_votes(counts, smoothing="auto")
    assert_allclose(written()[["a", "b"]], expected.distributions, rtol=1e-9)
    (folder / "votes.csv").write_text("r1,r2\njoy,\nfear,\n")
    assert "one vote per item" in error_of(*command, "--annotators", "r*", "--force")


def test_several_labels_in_a_cell(folder):
    (folder / "votes.csv").write_text("r1,r2\njoy;fear,joy\nfear,\n")
    command = ("votes", "votes.csv", "--annotators", "r*", "--separator", ";", "-o", "dist.csv")
    assert "several votes on an item" in run_json(*command)["notes"][0]
    assert_allclose(written()[["fear", "joy", "votes"]], [[1 / 3, 2 / 3, 3], [1, 0, 1]])


def test_lists_of_votes_without_a_separator_are_refused(folder):
    lists = ["0,0,1,0,1", "1,1,1,0,0", "0,0,0,0,0", "1,0,0,1,0"]
    pd.DataFrame({"id": range(4), "votes": lists}).to_csv("votes.csv", index=False)
    command = ("votes", "votes.csv", "--item", "id", "--label", "votes", "-o", "dist.csv")
    error = error_of(*command)
    assert "separated by ','" in error
    assert "name the text between these in --separator" in error
    assert not (folder / "dist.csv").exists()
    assert run_json(*command, "--separator", ",")["labels"] == ["0", "1"]


def test_dawid_skene():
    run(*VOTES, "--aggregator", "dawid_skene")
    expected = dawid_skene(pd.read_csv("votes.csv"), item="id", annotator="who", label="emotion")
    assert_allclose(written()[["fear", "joy"]], expected.distributions, atol=1e-12)


def test_notes(folder):
    (folder / "votes.csv").write_text(
        LONG + "9,ann,fear\n10,ann,NA\n11,ann,-\n12,bob,joy\n13,ann,joy\n"
    )
    notes = run_json(*VOTES)["notes"]
    for fact in ("1 vote(s) are repeated", "- and NA are counted as labels", "4 of 7 items"):
        assert any(fact in note for note in notes), fact


def test_decimal_commas_are_not_read_in_votes_and_items(folder):
    (folder / "votes.csv").write_text("id;labels;x\n1,5;1,2;0,5\n2,5;2;1\n")
    columns = ("--item", "id", "--label", "labels", "--separator", ",")
    notes = run_json("votes", "votes.csv", *columns, "-o", "dist.csv")["notes"]
    assert notes[0].startswith("Column x: decimal commas")
    expected = [["1,5", "0.5", "0.5", "0.5", "2"], ["2,5", "1", "0.0", "1.0", "1"]]
    assert read_table("dist.csv").to_numpy().tolist() == expected


def test_names_like_numbers_are_matched_after_json(folder):
    (folder / "v.csv").write_text("section,joy,fear\n3.9,3,1\n3.10,0,1\n3.11,1,1\n")
    run("votes", "v.csv", "--item", "section", "--counts", "joy,fear", "-o", "dist.jsonl")
    assert read_table("dist.jsonl")["section"].tolist() == ["3.9", "3.10", "3.11"]
    (folder / "p.csv").write_text(
        "section,joy,fear\n3.1,1,0\n3.9,0.75,0.25\n3.10,0,1\n3.11,0.5,0.5\n"
    )
    facts = run_json("evaluate", "dist.jsonl", "p.csv", "-l", "joy,fear", "--item", "section")
    assert facts["measures"]["predicted"]["chebyshev"] == 0


NESTED_COUNTS = {
    "objects": (
        "v.jsonl",
        '{"id": "a", "n": {"joy": 3, "fear": 1}}\n{"id": "b", "n": {"joy": 2}}\n',
        [],
    ),
    "text of lists": ("v.csv", 'id,n\na,"[1, 3]"\nb,"[0, 2]"\n', ["--label-names", "fear,joy"]),
}


@pytest.mark.parametrize(("name", "text", "options"), NESTED_COUNTS.values(), ids=NESTED_COUNTS)
def test_counts_in_one_column(folder, name, text, options):
    (folder / name).write_text(text)
    run("votes", name, "--item", "id", "--counts", "n", *options, "-o", "dist.csv")
    assert list(written().columns) == ["id", "fear", "joy", "votes"]
    assert written().to_numpy().tolist() == [["a", 0.25, 0.75, 4], ["b", 0, 1, 2]]


def test_votes_by_annotator_in_one_column(folder):
    (folder / "v.json").write_text(
        '[{"id": "a", "n": {"Ann1": "2", "Ann2": "3"}}, {"id": "b", "n": {"Ann3": "2"}}]'
    )
    command = ("votes", "v.json", "--item", "id", "-o", "dist.csv")
    run(*command, "--annotators", "n")
    assert list(written().columns) == ["id", "2", "3", "votes"]
    assert written().to_numpy().tolist() == [["a", 0.5, 0.5, 2], ["b", 1, 0, 1]]
    assert "name it in --annotators." in error_of(*command, "--counts", "n", "--force")
    facts = run_json(*command, "--label", "n", "--force")
    assert "is read as {annotator: vote}" in facts["notes"][0]
    assert written().to_numpy().tolist() == [["a", 0.5, 0.5, 2], ["b", 1, 0, 1]]


def test_one_column_for_two_options_raises(folder):
    (folder / "v.csv").write_text("id,who,emotion\na,x,joy\na,y,fear\n")
    command = ("votes", "v.csv", "-o", "dist.csv")
    for options in (
        ("--item", "id", "--label", "id"),
        ("--item", "id", "--annotator", "id", "--label", "emotion"),
        ("--item", "id", "--annotator", "emotion", "--label", "emotion"),
    ):
        assert "Name a different column for each" in error_of(*command, *options, code=2)


SEVERAL_VOTES = {
    "separated": (
        "v.json",
        '{"a": {"votes": "1,-3, 1", "who": "x,y,z"}, "b": {"votes": "-3", "who": "x"}}',
        [","],
    ),
    "lists": (
        "v.json",
        '{"a": {"votes": [1, -3, 1], "who": ["x", "y", "z"]}, "b": {"votes": [-3], "who": ["x"]}}',
        [],
    ),
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
    ("name", "columns", "labels"),
    [
        ("chaosNLI_snli.jsonl", "--item uid --counts label_counter", ["c", "e", "n"]),
        (
            "ConvAbuse_dev.json",
            "--item id --label annotations --annotator annotators --separator ,",
            ["-3", "-2", "-1", "0", "1"],
        ),
    ],
    ids=["ChaosNLI", "LeWiDi"],
)
def test_published_files(votes_folder, name, columns, labels):
    path = votes_folder / name
    facts = run_json("votes", path, *columns.split(), "-o", "dist.jsonl")
    source = read_table(path)
    assert facts["labels"] == labels
    assert facts["items"] == len(source)
    if name == "chaosNLI_snli.jsonl":
        published = np.stack(source["label_count"]) / 100
        assert_allclose(read_table("dist.jsonl")[["e", "n", "c"]], published, atol=1e-12)
    else:
        assert facts["votes"] == source["number of annotations"].sum()


INVALID_TABLES = {
    "wrong column": (
        LONG,
        ["--item", "id", "--label", "emotoin"],
        "'emotoin'",
    ),
    "wrong pattern": (WIDE, ["--annotators", "rate*s"], "'rate*s'"),
    "empty cell": (LONG + "9,bob,\n", LONG_COLUMNS, "data row 7, column 'emotion', is empty"),
    "fractional": (
        "joy,fear\n1,2\n3,1.5\n",
        ["--counts", "joy,fear"],
        "data row 2, column 'fear'",
    ),
    "empty count": (
        "joy,fear\n1,2\n,1\n",
        ["--counts", "joy,fear"],
        "data row 2, column 'joy', is NaN (empty or text)",
    ),
    "no object": ('n\n"{""joy"": 3}"\n?\n', ["--counts", "n"], "column 'n'"),
    "label called votes": ("id,votes\n1,1\n", ["--counts", "votes"], "'votes'"),
    "second vote": (
        LONG + "9,ann,joy\n",
        [*LONG_COLUMNS, "--aggregator", "dawid_skene"],
        "more than once",
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
        (["--counts", "who", "--join", "items.csv"], "--join needs --item"),
        ([*LONG_COLUMNS, "--smoothing", "-1"], "smoothing"),
        ([*LONG_COLUMNS, "--separator", ""], "separator"),
        ([*LONG_COLUMNS, "--prior", "overall"], "smoothing"),
        ([*LONG_COLUMNS, "--aggregator", "glad"], "'glad'"),
        ([*LONG_COLUMNS, "--json"], "standard output"),
    ],
    ids=str,
)
def test_invalid_options(options, fact):
    assert fact in error_of("votes", "votes.csv", *options, code=2)


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_names_of_items_stay_text(folder, suffix):
    (folder / "votes.csv").write_text(
        "id,who,emotion\n1,ann,joy\n1,bob,fear\nNA,ann,joy\n?,ann,joy\n"
    )
    run(*VOTES[:-1], f"dist.{suffix}")
    assert read_table(f"dist.{suffix}")["id"].tolist() == ["1", "NA", "?"]


# Of Microsoft Forms, Google Forms and Doccano.
@pytest.mark.parametrize(
    ("cells", "separator"),
    [(["joy;", "joy;fear;", "fear;"], ";"), (["joy, fear", "fear"], ","), (["a#b", "a"], "#")],
)
def test_labels_that_may_be_several_are_noted(cells, separator):
    pd.DataFrame({"id": range(len(cells)), "emotion": cells}).to_csv("votes.csv", index=False)
    command = ("votes", "votes.csv", "--item", "id", "--label", "emotion", "-o", "dist.csv")
    notes = run_json(*command)["notes"]
    start = f"Cells with '{separator}' are read as one label each"
    assert any(note.startswith(start) and "--separator" in note for note in notes)


def test_exports_of_annotation_tools(folder):
    tasks = []
    for number, labels in enumerate((["joy", "joy", "fear"], ["fear"])):
        results = [
            {"from_name": "mood", "type": "choices", "value": {"choices": [label]}}
            for label in labels
        ]
        annotations = [
            {"completed_by": person, "result": [result]} for person, result in enumerate(results)
        ]
        tasks.append({"id": number, "data": {"text": "Hail"}, "annotations": annotations})
    (folder / "export.json").write_text(json.dumps(tasks))
    command = ("votes", "export.json", "--from", "label-studio", "-o", "dist.csv")
    facts = run_json(*command)
    assert (facts["items"], facts["votes"]) == (2, 4)
    result = pd.read_csv("dist.csv")
    assert list(result.columns) == ["item", "text", "fear", "joy", "votes"]
    assert_allclose(result["joy"], [2 / 3, 0])
    run(*command, "--label", "mood", "--force")
    assert "mood" in error_of(*command, "--label", "stars", "--force")
    (folder / "items.csv").write_text("item,length\n0,4\n1,5\n")
    run(*command, "--join", "items.csv", "--force")
    assert pd.read_csv("dist.csv")["length"].tolist() == [4, 5]
    tasks[0]["annotations"][0]["completed_by"] = None
    (folder / "export.json").write_text(json.dumps(tasks))
    facts = run_json(*command, "--force")
    assert facts["votes"] == 4
    assert "some votes have no annotator, so annotators are not used." in facts["notes"]
