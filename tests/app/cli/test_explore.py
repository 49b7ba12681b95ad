"""``labeldist explore``: the page and the facts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labeldist import VoteLE
from labeldist.datasets import binarize, make_artificial
from labeldist.metrics import kl_divergence
from labeldist.votes import from_votes, noise_ceiling
from tests.app.cli.in_process import error_of, run, run_json

LABELS = ["joy", "fear", "calm"]
NAMES = ("--labels", "joy,fear,calm")
HELD_OUT = "predicted by BDLDLCV, each item held out"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write tables of tags and of degrees to the current folder, and return the degrees."""
    monkeypatch.chdir(tmp_path)
    X, D = make_artificial(40, random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y", "z"])
    frame["title"] = [f"Poem {i}" for i in range(len(X))]
    for name, degrees in (("in.csv", binarize(D)), ("dist.csv", D)):
        frame[LABELS] = degrees
        frame.to_csv(name, index=False)
    return frame


def explore(*arguments):
    return run_json("explore", *arguments, *NAMES)


def test_page_and_summary(table):
    result = run("explore", "in.csv", *NAMES, "--item", "title")
    assert result.stderr == ""
    assert "40 items with 3 labels" in result.stdout
    page = Path("in.html").read_text(encoding="utf-8")
    assert "<h1>Label distributions of in.csv</h1>" in page
    assert '"names":["Poem 0","Poem 1"' in page


def test_intervals(table):
    facts = explore("in.csv", "--method", "glle", "-o", "plain.html")
    assert facts["versions"] == ["recovered by GLLE", "given labels, in equal shares"]
    assert facts["intervals"] == []
    methods = ("--method", "glle", "--method", "bayes")
    facts = explore("in.csv", *methods, "-o", "intervals.html")
    assert facts["versions"][:2] == ["recovered by GLLE", "recovered by BayesLE"]
    assert facts["intervals"] == ["recovered by BayesLE"]
    assert Path("intervals.html").read_text(encoding="utf-8").count('"lower":') == 1


def test_the_text_can_be_the_name_of_the_items(table):
    moods = table["joy"].map(lambda joy: "a superb song about" if joy > 0.4 else "this poem is sad")
    table["text"] = [f"{mood} number {k}" for k, mood in enumerate(moods)]
    table[["text", *LABELS]].to_csv("texts.csv", index=False)
    options = ("--features", "text", "--prepare")
    facts = explore("texts.csv", "--item", "text", *options)
    assert facts["features"] == ["text"]
    assert facts["measures"][HELD_OUT]["skill"] > 0.2


def test_held_out_predictions(table):
    facts = explore("dist.csv", "--ignore", "title")
    assert facts["versions"] == ["degrees in dist.csv", HELD_OUT]
    assert facts["measures"][HELD_OUT]["skill"] > 0.5
    assert facts["notes"] == []
    assert explore("dist.csv", "--force", "--features", "x")["measures"] != facts["measures"]
    table["mood"] = np.where(table["joy"] > table["joy"].median(), "bright", "dark")
    table[["mood", *LABELS]].to_csv("words.csv", index=False)
    assert explore("words.csv", "--prepare")["measures"][HELD_OUT]["skill"] > 0.1


def test_features_and_noise_ceiling_of_held_out_predictions_are_shown(table, rng):
    votes = from_votes(rng.multinomial(5, table[LABELS]))
    table[LABELS] = votes.distributions
    for k, label in enumerate(LABELS):
        table[f"soft_label.{k}"] = table[label]
    table.assign(votes=5).to_csv("voted.csv", index=False)
    features = ["x", "y", "z", "soft_label.0", "soft_label.1", "soft_label.2"]
    without_copies = explore("voted.csv", "--ignore", "title,votes")
    assert without_copies["features"] == features[:3]
    options = ("--features", ",".join(features), "--force")
    facts = explore("voted.csv", *options)
    assert facts["features"] == features
    assert facts["noise_ceiling"] == pytest.approx(
        noise_ceiling(votes, estimate=VoteLE().fit(None, votes))
    )
    text = run("explore", "voted.csv", *NAMES, *options).stdout
    page = Path("voted.html").read_text(encoding="utf-8")
    for shown in (text, page):
        assert f"Predicted from 6 features: {', '.join(features[:5])} and 1 more." in shown
        assert "Noise ceiling: with 5 votes per item" in shown
        assert "features contain votes" in shown


@pytest.mark.parametrize("columns", [[], ["votes"]], ids=["none", "votes"])
def test_degrees_without_features_are_shown_alone(table, columns):
    table.assign(votes=range(1, 41))[["title", *LABELS, *columns]].to_csv("bare.csv", index=False)
    facts = explore("bare.csv")
    assert facts["versions"] == ["degrees in bare.csv"]
    assert any("no feature column" in note for note in facts["notes"])


def test_unanimous_shares_of_votes_are_degrees(table):
    table[LABELS] = np.eye(3)[np.arange(40) % 3]
    table.assign(votes=5).to_csv("unanimous.csv", index=False)
    facts = explore("unanimous.csv", "--ignore", "votes")
    assert facts["versions"] == ["estimated by VoteLE", "votes in unanimous.csv", HELD_OUT]


def test_votes_are_shown_with_an_estimate_and_intervals(table, rng):
    counts = rng.multinomial(3, table[LABELS])
    table[LABELS] = counts / 3
    table.assign(votes=3).to_csv("voted.csv", index=False)
    facts = explore("voted.csv", "--item", "title", "--features", "x,y,z")
    enhancer = VoteLE("auto").fit(table[["x", "y", "z"]], counts)
    assert facts["versions"] == ["estimated by VoteLE", "votes in voted.csv", HELD_OUT]
    assert facts["intervals"] == ["estimated by VoteLE"]
    assert facts["estimate"]["vote_scores"] == pytest.approx(enhancer.vote_scores_)
    # The estimate is made of the votes, so that these cannot judge it.
    assert "estimated by VoteLE" not in facts["measures"]
    assert HELD_OUT in facts["measures"]
    text = run("explore", "voted.csv", *NAMES, "--ignore", "title", "--force").stdout
    assert f"{facts['estimate']['further_votes']} further votes" in text


def test_votes_without_features_are_estimated_from_votes_alone(table, rng):
    counts = rng.multinomial(4, table[LABELS])
    pd.DataFrame(counts / 4, columns=LABELS).assign(votes=4).to_csv("voted.csv", index=False)
    facts = explore("voted.csv")
    assert facts["versions"] == ["estimated by VoteLE", "votes in voted.csv"]
    assert facts["estimate"]["features"] == []
    assert facts["truth"] is None


def test_predicted_tables_are_matched_by_item_or_order(table):
    mixed = table.sample(frac=1, random_state=0)
    mixed[LABELS] = 0.5 * mixed[LABELS] + 0.5 / 3
    mixed.to_csv("pred.csv", index=False)
    mixed[LABELS].to_csv("labels.csv", index=False)
    D = table[LABELS].to_numpy()
    for file, P, options in (
        ("pred.csv", 0.5 * D + 0.5 / 3, ("--item", "title")),
        ("labels.csv", mixed[LABELS].to_numpy(), ("--force",)),
    ):
        measures = explore("dist.csv", "--predicted", file, *options)["measures"]
        divergence = measures[f"predicted in {file}"]["kl_divergence"]
        assert divergence == pytest.approx(kl_divergence(D, P))


def test_one_label_is_refused(table):
    assert "only label" in error_of("explore", "dist.csv", "--labels", "joy")
    assert not Path("dist.html").exists()


def test_label_column_cannot_name_the_items(table):
    error = error_of("explore", "dist.csv", *NAMES, "--item", "joy")
    assert "Column joy is a label already" in error


def test_one_feature_is_singular(table):
    text = run("explore", "dist.csv", *NAMES, "--features", "x").stdout
    assert "Predicted from 1 feature: x." in text


def test_tables_of_single_votes_are_for_votes(table):
    pd.DataFrame({"id": [1, 1], "emotion": ["joy", "fear"]}).to_csv("long.csv", index=False)
    for labels in ("emotion", "joy,fear"):
        assert "use labeldist votes first" in error_of("explore", "long.csv", "--labels", labels)


def test_votes_of_estimates_are_no_feature(table):
    bounds = {f"{label}_lower": 0.1 for label in LABELS}
    estimates = table[["x", "z", *LABELS]].assign(votes=np.arange(40) % 5 + 1, **bounds)
    estimates.to_csv("dist.csv", index=False)
    facts = explore("dist.csv")
    assert facts["features"] == ["x", "z"]
    assert facts["notes"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["in.csv", "--item", "tilte"], 1, "Did you mean title"),
        (["dist.csv", "--item", "tilte"], 1, "Did you mean title"),
        (["dist.csv", "--features", "tilte"], 1, "Did you mean title"),
        (["in.csv", "-o", "page.csv"], 2, ".html"),
        (["dist.csv", "--method", "bdle"], 2, "degrees"),
    ],
)
def test_invalid_options(table, tmp_path, arguments, code, fact):
    assert fact in error_of("explore", *arguments, *NAMES, code=code)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dist.csv", "in.csv"]
