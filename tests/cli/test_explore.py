"""``labeldist explore``: the page and the facts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labeldist.datasets import binarize, make_artificial
from labeldist.learning import BDLDL
from labeldist.metrics import kl_divergence
from labeldist.models import save
from tests.cli.in_process import error_of, run, run_json

LABELS = ["joy", "fear", "calm"]
NAMES = ("--labels", "joy,fear,calm")
HELD_OUT = "predicted by BDLDLCV, each item held out"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write tables of tags and of degrees to the current folder, and return the degrees."""
    monkeypatch.chdir(tmp_path)
    X, D = make_artificial(40, random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y", "z"]).assign(title=[f"Poem {i}" for i in range(len(X))])
    frame.assign(**dict(zip(LABELS, binarize(D).T, strict=True))).to_csv("in.csv", index=False)
    frame = frame.assign(**dict(zip(LABELS, D.T, strict=True)))
    frame.to_csv("dist.csv", index=False)
    return frame


def explore(*arguments):
    return run_json("explore", *arguments, *NAMES)


def test_page_and_summary(table):
    result = run("explore", "in.csv", *NAMES, "--item", "title")
    assert result.stderr == ""
    assert result.stdout.startswith("in.html: open it in a browser.\n40 items with 3 labels: joy, fear, calm.\n")
    page = Path("in.html").read_text(encoding="utf-8")
    assert "<h1>Label distributions of in.csv</h1>" in page
    assert '"names":["Poem 0","Poem 1"' in page


def test_intervals(table):
    facts = explore("in.csv", "-o", "plain.html")
    assert facts["versions"] == ["recovered by BayesLE", "given labels, in equal shares"]
    assert facts["intervals"] == []
    assert '"lower":' not in Path("plain.html").read_text(encoding="utf-8")
    facts = explore("in.csv", "--intervals", "--method", "glle", "--method", "bayes", "-o", "intervals.html")
    assert facts["versions"] == ["recovered by GLLE", "recovered by BayesLE", "given labels, in equal shares"]
    assert (facts["truth"], facts["measures"], facts["output"]) == (None, {}, "intervals.html")
    assert facts["intervals"] == ["recovered by BayesLE"]
    page = Path("intervals.html").read_text(encoding="utf-8")
    assert page.count('"lower":') == page.count('"upper":') == 1


def test_held_out_predictions(table):
    facts = explore("dist.csv", "--ignore", "title")
    assert facts["versions"] == ["degrees in dist.csv", HELD_OUT]
    assert facts["measures"][HELD_OUT]["skill"] > 0.5
    assert facts["measures"]["the mean of “degrees in dist.csv”"]["skill"] == 0
    assert facts["notes"] == []
    assert explore("dist.csv", "--force", "--features", "x")["measures"] != facts["measures"]
    table["mood"] = np.where(table["joy"] > table["joy"].median(), "bright", "dark")
    table[["mood", *LABELS]].to_csv("words.csv", index=False)
    assert explore("words.csv", "--prepare")["measures"][HELD_OUT]["skill"] > 0.1


@pytest.mark.parametrize("columns", [[], ["votes"]], ids=["none", "votes"])
def test_degrees_without_features_are_shown_alone(table, columns):
    table.assign(votes=range(1, 41))[["title", *LABELS, *columns]].to_csv("bare.csv", index=False)
    facts = explore("bare.csv")
    assert facts["versions"] == ["degrees in bare.csv"]
    assert any("no feature column" in note for note in facts["notes"])


def test_unanimous_shares_of_votes_are_degrees(table):
    shares = np.eye(3)[np.arange(40) % 3]
    table.assign(**dict(zip(LABELS, shares.T, strict=True)), votes=5).to_csv("unanimous.csv", index=False)
    assert explore("unanimous.csv", "--ignore", "votes")["versions"] == ["degrees in unanimous.csv", HELD_OUT]


def test_predicted_tables_are_matched_by_item_or_order(table):
    mixed = table.sample(frac=1, random_state=0)
    mixed[LABELS] = 0.5 * mixed[LABELS] + 0.5 / 3
    mixed.to_csv("pred.csv", index=False)
    D = table[LABELS].to_numpy()
    facts = explore("dist.csv", "--predicted", "pred.csv", "--item", "title", "-o", "one.html")
    divergence = facts["measures"]["predicted in pred.csv"]["kl_divergence"]
    assert divergence == pytest.approx(kl_divergence(D, 0.5 * D + 0.5 / 3))
    mixed[LABELS].to_csv("labels.csv", index=False)
    facts = explore("dist.csv", "--predicted", "labels.csv", "-o", "two.html")
    divergence = facts["measures"]["predicted in labels.csv"]["kl_divergence"]
    assert divergence == pytest.approx(kl_divergence(D, mixed[LABELS].to_numpy()))


def test_models_may_have_another_order_of_labels(table):
    X = table[["z", "x", "y"]]
    model = BDLDL().fit(X, table[LABELS[::-1]])
    save(model, "model.skops")
    facts = explore("dist.csv", "--model", "model.skops")
    divergence = facts["measures"]["predicted by model.skops"]["kl_divergence"]
    assert divergence == pytest.approx(kl_divergence(table[LABELS].to_numpy(), model.predict(X)[:, ::-1]))
    assert "model.skops" in facts["notes"][-1]
    save(BDLDL().fit(table[["x"]], table[["joy", "fear"]]), "other.skops")
    assert "joy, fear" in error_of("explore", "dist.csv", *NAMES, "--model", "other.skops", "-o", "other.html")


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["in.csv", "--item", "tilte"], 1, "'tilte'. Did you mean title"),
        (["in.csv", "-o", "page.csv"], 2, ".html"),
        (["dist.csv", "--method", "bdle"], 2, "degrees"),
        (["dist.csv", "--intervals"], 2, "degrees"),
        (["in.csv", "--intervals", "--method", "bdle"], 2, "--method bayes"),
        (["dist.csv", "--predicted", "none.csv"], 1, "none.csv"),
    ],
)
def test_invalid_options(table, tmp_path, arguments, code, fact):
    assert fact in error_of("explore", *arguments, *NAMES, code=code)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dist.csv", "in.csv"]
