"""Choice of label and feature columns by the options of the commands."""

from tests.app.cli.in_process import error_of, run_json
from tests.app.cli.songs import FEATURES, FIT, LABELS, NAMES


def test_advice_for_wrong_cells_names_options(table):
    table.assign(tempo=table["tempo"].astype(str).replace(str(table["tempo"][3]), "fast")).to_csv(
        "dist.csv", index=False
    )
    error = error_of(*FIT, "bdldl")
    assert "'fast', not a finite number" in error
    assert "--ignore" in error
    assert "--prepare" in error


def test_infinite_feature_is_named_without_warnings(table):
    table["tempo"] = table["tempo"].astype(object)
    table.loc[2, "tempo"] = "inf"
    table.to_csv("dist.csv", index=False)
    error = error_of("fit", "dist.csv", *NAMES, "-o", "m.skops")
    assert "data row 3, column 'tempo', is 'inf'" in error


def test_a_column_has_one_use(table):
    table.assign(votes=1, number=range(120)).to_csv("dist.csv", index=False)
    fit = ("fit", "dist.csv", "-o", "m.skops", "--method", "mean")
    assert "Column votes is a feature" in error_of(
        *fit, *NAMES, "--features", "tempo,votes", "--weights", "votes"
    )
    labels = ("-l", "joy,fear,calm,number", "--item", "number")
    assert "Column number is a label" in error_of("evaluate", "dist.csv", "dist.csv", *labels)
    assert "Column votes is a label" in error_of(*fit, "-l", "joy,votes", "--weights", "votes")


def test_kinds_of_columns_can_be_given(repeated):
    call = ("fit", "repeated.csv", "-l", "joy,fear", "-o", "m.skops", "--method", "mean", "--force")
    facts = run_json(*call, "--prepare", "--text", "kind,id", "--categories", "con*")
    assert facts["features"] == ["context", "kind", "size", "id"]
    columns = facts["columns"]
    assert columns["context"] == "category: 71 values; the rarest 42 count as one"
    assert columns["kind"] == "text: 2 different texts, 1.0 words on average"
    assert columns["id"].startswith("text: 704")
    assert "--prepare" in error_of(*call, "--text", "id", code=2)
    assert "is a text already" in error_of(*call, "--prepare", "--text", "id", "--categories", "id")
    for name in ("joy", "size"):
        error = error_of(*call, "--prepare", "--text", name, "--ignore", "size")
        assert f"'{name}' of --text or --categories is not a feature" in error


def test_copies_of_labels_are_left_out_with_one_note(table):
    table["soft.joy"] = table["joy"]
    table["percent"] = (100 * table["fear"]).round(1)
    table.to_csv("dist.csv", index=False)
    for options in ((), ("--prepare",)):
        facts = run_json(*FIT, "mean", "--force", *options)
        assert facts["features"] == FEATURES
        assert facts["left_out"]["percent"] == "equals the label 'fear'"
        (note,) = [note for note in facts["notes"] if "soft.joy" in note]
        assert "'percent' equals the label 'fear'" in note
    facts = run_json(*FIT, "mean", "--features", "percent", "--force")
    assert facts["features"] == ["percent"]
    assert "column 'percent' equals the label 'fear'" in facts["notes"][0]
    table.drop(columns=FEATURES).to_csv("dist.csv", index=False)
    assert "percent equals the label 'fear'" in error_of(*FIT, "mean", "--force")


def test_columns_of_largest_labels_are_left_out(table):
    largest = table[LABELS].idxmax(axis=1)
    table["main"] = largest
    table["answer"] = largest.map(LABELS.index) + 1
    table.to_csv("dist.csv", index=False)
    for options, names in (((), ["answer"]), (("--prepare",), ["answer", "main"])):
        facts = run_json(*FIT, "mean", "--force", *options)
        assert facts["features"] == FEATURES
        (note,) = [note for note in facts["notes"] if "left out of the features" in note]
        assert all(f"'{name}' says which label is the largest" in note for name in names)
    facts = run_json(*FIT, "mean", "--features", "answer", "--force")
    assert facts["features"] == ["answer"]
    assert "column 'answer' says which label is the largest" in facts["notes"][0]


def test_column_of_votes_is_no_feature_by_itself(table):
    table.assign(votes=3).to_csv("dist.csv", index=False)
    assert "--weights votes" in str(run_json(*FIT, "mean")["notes"])
    table.assign(votes=3)[["title", *LABELS, "votes"]].to_csv("dist.csv", index=False)
    error = error_of(*FIT, "bdldl", "--force")
    assert "no feature column" in error
    assert "with --prepare" in error
    facts = run_json(*FIT, "bdldl", "--features", "votes", "--force")
    assert facts["features"] == ["votes"]
