"""``labeldist explore``: the page that it writes, and what it says of it."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from labeldist.cli.app import app
from labeldist.datasets import binarize, make_artificial
from labeldist.learning import BDLDL
from labeldist.metrics import kl_divergence
from tests.cli.processes import labeldist

LABELS = ["joy", "fear", "calm"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write tables of logical labels and of degrees into the working folder, and return the degrees."""
    monkeypatch.chdir(tmp_path)
    X, D = make_artificial(40, random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y", "z"]).assign(title=[f"Poem {i}" for i in range(len(X))])
    frame.assign(**dict(zip(LABELS, binarize(D).T, strict=True))).to_csv("in.csv", index=False)
    frame = frame.assign(**dict(zip(LABELS, D.T, strict=True)))
    frame.to_csv("dist.csv", index=False)
    return frame


def explore(*arguments, code=0):
    result = CliRunner().invoke(app, ["explore", *arguments, "--labels", "joy,fear,calm"], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result


def facts(*arguments):
    return json.loads(explore(*arguments, "--json").stdout)


def test_logical_labels_are_shown_beside_what_is_recovered(table):
    process = labeldist("explore", "in.csv", "--labels", "joy,fear,calm", "--item", "title")
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    assert process.stdout.startswith("in.html: open it in a browser.\n40 items with 3 labels: joy, fear, calm.\n")
    page = Path("in.html").read_text(encoding="utf-8")
    assert "<h1>Label distributions of in.csv</h1>" in page
    assert '"names":["Poem 0","Poem 1"' in page
    again = labeldist("explore", "in.csv", "--labels", "joy,fear,calm")
    assert again.returncode == 1
    assert "in.html exists" in again.stderr


def test_intervals_of_recovered_degrees_are_shown_on_request(table):
    told = facts("in.csv", "-o", "plain.html")
    assert told["versions"] == ["recovered by BayesLE", "given labels, in equal shares"]
    assert told["intervals"] == []
    assert '"lower":' not in Path("plain.html").read_text(encoding="utf-8")
    told = facts("in.csv", "--intervals", "--method", "glle", "--method", "bayes", "-o", "intervals.html")
    assert told["intervals"] == ["recovered by BayesLE"]
    page = Path("intervals.html").read_text(encoding="utf-8")
    assert page.count('"lower":') == page.count('"upper":') == 1
    assert "A thin line over a bar is the 90 % interval of the degree." in page


def test_a_table_of_tags_alone_has_intervals_too(table):
    pd.read_csv("in.csv")[["title", *LABELS]].to_csv("tags.csv", index=False)
    assert facts("tags.csv", "--item", "title", "--intervals")["intervals"] == ["recovered by BayesLE"]
    for method in ("bdle", "uniform"):
        said = explore("tags.csv", "--method", "bayes", "--method", method, "-o", "two.html", code=1).stderr
        assert "no feature column" in said


def test_enhancers_are_compared(table):
    told = facts("in.csv", "--method", "bdle", "--method", "logical-softmax", "-o", "two.html")
    assert told["versions"] == ["recovered by BDLE", "recovered by LogicalSoftmax", "given labels, in equal shares"]
    assert told["truth"] is None
    assert told["measures"] == {}
    assert told["output"] == "two.html"
    assert "column 'title' is no feature" in told["notes"][0]


def test_degrees_are_shown_beside_held_out_predictions(table):
    told = facts("dist.csv", "--ignore", "title")
    assert told["versions"] == ["degrees in dist.csv", "predicted by BDLDLCV, each item held out"]
    assert told["measures"]["predicted by BDLDLCV, each item held out"]["skill"] > 0.5
    assert told["measures"]["the mean of “degrees in dist.csv”"]["skill"] == 0
    assert told["notes"] == []
    assert facts("dist.csv", "--force", "--features", "x")["measures"] != told["measures"]


def test_predictions_of_files_are_matched_by_item_or_by_order(table):
    mixed = table.sample(frac=1, random_state=0)
    mixed[LABELS] = 0.5 * mixed[LABELS] + 0.5 / 3
    mixed.to_csv("pred.csv", index=False)
    D = table[LABELS].to_numpy()
    told = facts("dist.csv", "--predicted", "pred.csv", "--item", "title", "-o", "one.html")
    assert list(told["versions"]) == ["degrees in dist.csv", "predicted in pred.csv"]
    assert told["measures"]["predicted in pred.csv"]["kl_divergence"] == pytest.approx(
        kl_divergence(D, 0.5 * D + 0.5 / 3)
    )
    mixed[LABELS].to_csv("labels.csv", index=False)
    by_order = facts("dist.csv", "--predicted", "labels.csv", "-o", "two.html")["measures"]["predicted in labels.csv"]
    assert by_order["kl_divergence"] == pytest.approx(kl_divergence(D, mixed[LABELS].to_numpy()))
    mixed.iloc[1:].to_csv("pred.csv", index=False)
    assert "--item" in explore("dist.csv", "--predicted", "pred.csv", "-o", "three.html", code=1).stderr


def test_a_model_predicts_whatever_the_order_of_its_labels(table):
    from labeldist.models import save

    turned = LABELS[::-1]
    model = BDLDL().fit(table[["z", "x", "y"]], table[turned])
    save(model, "model.skops")
    told = facts("dist.csv", "--model", "model.skops")
    P = model.predict(table[["z", "x", "y"]])[:, ::-1]
    assert told["measures"]["predicted by model.skops"]["kl_divergence"] == pytest.approx(
        kl_divergence(table[LABELS].to_numpy(), P)
    )
    assert "has learned from some of these items" in told["notes"][-1]
    save(BDLDL().fit(table[["x"]], table[["joy", "fear"]]), "other.skops")
    complaint = explore("dist.csv", "--model", "other.skops", "-o", "other.html", code=1).stderr
    assert "predicts joy, fear, and not joy, fear, calm" in complaint


def test_degrees_without_features_are_shown_alone(table):
    table[["title", *LABELS]].to_csv("bare.csv", index=False)
    told = facts("bare.csv")
    assert told["versions"] == ["degrees in bare.csv"]
    assert any("no feature column" in note for note in told["notes"])


def test_a_table_from_standard_input(table):
    with Path("in.csv").open() as file:
        process = labeldist("explore", "-", "--labels", "joy,fear,calm", "--json", stdin=file)
    assert json.loads(process.stdout)["output"] == "explorer.html"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.csv"], 1, "There is no file none.csv"),
        (["in.csv", "--item", "tilte"], 1, "no item column 'tilte'. Did you mean title"),
        (["in.csv", "-o", "page.csv"], 2, "must end in .html"),
        (["in.csv", "--method", "bdel"], 2, "no method 'bdel'. Did you mean bdle"),
        (["dist.csv", "--method", "bdle"], 2, "these are degrees"),
        (["dist.csv", "--intervals"], 2, "these are degrees"),
        (["in.csv", "--intervals", "--method", "bdle"], 2, "--intervals is for --method bayes only"),
        (["dist.csv", "--predicted", "none.csv"], 1, "There is no file none.csv"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(table, tmp_path, arguments, code, message):
    output = explore(*arguments, code=code).stderr
    assert message in re.sub(r"[│\s]+", " ", output)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dist.csv", "in.csv"]


def test_features_of_words_can_be_prepared(table):
    table["mood"] = np.where(table["joy"] > table["joy"].median(), "bright", "dark")
    table[["title", "mood", *LABELS]].to_csv("words.csv", index=False)
    told = facts("words.csv", "--prepare", "--item", "title")
    assert told["measures"]["predicted by BDLDLCV, each item held out"]["skill"] > 0.1
