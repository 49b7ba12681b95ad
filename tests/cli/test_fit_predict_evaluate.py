"""``labeldist fit``, ``labeldist predict`` and ``labeldist evaluate``."""

import json
import os
import re
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL, BDLE
from labeldist.metrics import PAPER_MEASURES, score_all
from labeldist.metrics._skill import describe_skill
from labeldist.models import load, read_card, save
from labeldist.votes import from_votes, noise_ceiling
from tests.cli.conftest import FEATURES, LABELS
from tests.cli.in_process import error_of, run, run_json

NAMES = ("-l", "joy,fear,calm")
FIT = ("fit", "dist.csv", *NAMES, "-o", "m.skops", "--method")


@pytest.fixture
def table(folder):
    return pd.read_csv("dist.csv")


def test_auto_chooses_a_learner_and_saves_it(table):
    result = run("fit", "dist.csv", *NAMES, "-o", "m.skops")
    summary, _, rest = result.stdout.partition("\n\n")
    assert "120 rows, 5 folds" in summary
    assert "Chosen: " in summary
    assert "labeldist enhance" in summary
    assert "120 items, 3 labels, 3 features" in rest
    card = read_card("m.skops")
    assert card.summary == summary
    assert card.label_names == tuple(LABELS)
    assert card.feature_names == tuple(FEATURES)
    assert card.training_rows == 120
    assert card.measures["skill"] > 0.9  # the artificial set is nearly a function of its features
    table[[*FEATURES[::-1], "title"]].to_csv("new.csv", index=False)
    run("predict", "m.skops", "new.csv", "-o", "p.csv")
    written = pd.read_csv("p.csv")
    assert list(written.columns) == [*FEATURES[::-1], "title", *LABELS]
    assert_allclose(written[LABELS], load("m.skops").predict(table[FEATURES]), rtol=1e-12)


def test_given_method_is_scored_and_saved(table, rng):
    facts = run_json(*FIT, "bdldl", "--set", "ridge=10", "--folds", "3")
    assert facts["chosen"] == "bdldl"
    assert "3 folds" in facts["paragraph"]
    assert [row["name"] for row in facts["learners"]][1:] == ["bdldl"]
    assert load("m.skops").get_params()["ridge"] == 10
    assert read_card("m.skops").measures["skill"] == pytest.approx(facts["skill"])
    table[FEATURES] = rng.normal(size=(120, 3))
    table.to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "aaknn", "--force")
    assert "not clearly better than the mean" in facts["paragraph"]
    assert type(load("m.skops")).__name__ == "AAKNN"


def test_weights(table):
    weight = (np.arange(120) < 60).astype(int)
    table.assign(votes=weight).to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "bdldl", "--weights", "votes")
    assert facts["features"] == FEATURES
    assert "labeldist enhance" not in facts["paragraph"]
    half = BDLDL().fit(table[FEATURES][:60], table[LABELS][:60])
    assert_allclose(load("m.skops").predict(table[FEATURES]), half.predict(table[FEATURES]), atol=1e-9)
    weighted = run_json("evaluate", "dist.csv", "pred.csv", *NAMES, "--weights", "votes")["measures"]["predicted"]
    assert weighted == pytest.approx(score_all(table[LABELS][:60], pd.read_csv("pred.csv")[LABELS][:60]))
    facts = run_json(*FIT, "bdldl", "--force")
    assert any("--weights votes" in note for note in facts["notes"])
    table.assign(votes=-1).to_csv("dist.csv", index=False)
    assert "'votes' cannot hold weights" in error_of(*FIT, "bdldl", "--weights", "votes", "--force")


def test_methods_without_weights_are_noted(table):
    table.assign(votes=range(1, 121)).to_csv("dist.csv", index=False)
    note = "AAKNN is fitted without weights; they enter its scores only."
    assert note in run_json(*FIT, "aaknn", "--weights", "votes")["notes"]
    assert note not in run_json(*FIT, "aaknn", "--ignore", "votes", "--force")["notes"]


def test_seed_of_a_given_method(table):
    def skill(*options):
        return run_json(*FIT, "forest", "--set", "n_estimators=3", "--folds", "2", "--force", *options)["skill"]

    assert skill("--seed", "1") == skill("--seed", "1") != skill("--seed", "2")
    assert skill("--set", "random_state=2") == skill("--set", "random_state=2")
    assert load("m.skops").get_params()["random_state"] == 2


def test_a_column_has_one_use(table):
    table.assign(votes=1, number=range(120)).to_csv("dist.csv", index=False)
    fit = ("fit", "dist.csv", "-o", "m.skops", "--method", "mean")
    assert "Column votes is a feature" in error_of(*fit, *NAMES, "--features", "tempo,votes", "--weights", "votes")
    for command in (("explore", "dist.csv", "--item"), ("evaluate", "dist.csv", "dist.csv", "--item")):
        assert "Column number is a label" in error_of(*command, "number", "-l", "joy,fear,calm,number")
    assert "Column votes is a label" in error_of(*fit, "-l", "joy,votes", "--weights", "votes")


def test_fit_on_tags_and_votes_names_no_recovered_degrees(table):
    table[LABELS] = (table[LABELS].rank(axis=1) > 1).astype(int)
    table.to_csv("dist.csv", index=False)
    result = run(*FIT, "bdldl", "--picture", "p.svg", "--show", "importance")
    assert result.stderr.count("labeldist enhance recovers") == 1
    assert "EnhancedLearner" not in result.output
    assert "recovered" not in result.stdout
    table.assign(votes=3).to_csv("dist.csv", index=False)
    for options in ([], ["--weights", "votes"]):
        result = run(*FIT, "bdldl", "--picture", "p.svg", *options, "--force")
        assert "recovered" not in result.stdout
        assert "mean share of votes" in Path("p.svg").read_text(encoding="utf-8")


def test_importance_of_prepared_columns_with_weights(table):
    table.assign(key=np.where(table["joy"] > table["joy"].median(), "major", "minor"), n=1).to_csv("t.csv", index=False)
    options = ("--prepare", "--ignore", "title,tempo,loudness", "--weights", "n", "--show", "importance")
    run("fit", "t.csv", *NAMES, "-o", "m.skops", "--method", "bdldl", *options, "--picture", "p.svg")
    assert {"key", "pitch"} <= set(re.findall(r"<!-- (\w+) -->", Path("p.svg").read_text(encoding="utf-8")))


def test_noise_ceiling_is_printed_if_the_number_of_votes_is_known(table, rng):
    truth, n_votes = table[LABELS].to_numpy(), rng.integers(1, 9, size=120)
    counts = rng.multinomial(n_votes, truth / truth.sum(axis=1, keepdims=True))
    votes = from_votes(counts)
    table[LABELS] = votes.distributions.round(2)
    table.assign(votes=n_votes).to_csv("dist.csv", index=False)
    evaluated = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    for command in (evaluated, (*FIT, "mean", "--force")):
        plain, weighted = run_json(*command)["noise_ceiling"], run_json(*command, "--weights", "votes")["noise_ceiling"]
        assert plain == pytest.approx(noise_ceiling(votes), abs=1e-6)
        assert weighted == pytest.approx(noise_ceiling(votes, sample_weight=n_votes), abs=1e-6)
        sentence = f"Noise ceiling: with {n_votes.mean():.3g} votes per item, the true distributions"
        printed = run(*command).stdout
        assert f"{sentence} themselves have a skill of about {plain:.2f}." in printed
        assert "A higher skill can mean" not in printed
    assert "A higher skill can mean that the model was fitted" in run(*evaluated[:2], "dist.csv", *NAMES).stdout
    smoothed = from_votes(counts, smoothing=1).distributions
    for degrees, number in ((smoothed, n_votes), (np.eye(3)[truth.argmax(axis=1)], 1), (truth, ["few"] * 120)):
        table[LABELS] = degrees
        table.assign(votes=number).to_csv("dist.csv", index=False)
        assert run_json(*evaluated)["noise_ceiling"] is None
        assert "ceiling" not in run(*evaluated).stdout
    table[LABELS] = votes.distributions
    voted = np.arange(120) < 60
    table.assign(votes=np.where(voted, n_votes, 0), weight=np.where(voted, 0, 1)).to_csv("dist.csv", index=False)
    assert run_json(*evaluated, "--weights", "weight")["noise_ceiling"] is None


@pytest.mark.parametrize("decimals", [3, 6, 16])
def test_noise_ceiling_is_not_printed_for_posteriors(table, rng, decimals):
    top = rng.dirichlet([0.05] * 3, size=120).argmax(axis=1)
    posteriors = np.where(np.eye(3)[top] == 1, 0.998, 0.001) + np.outer(rng.random(120), [-1e-5, 1e-5, 0])
    certain = np.where(np.eye(3)[top] == 1, 1 - 2e-12, 1e-12)
    for degrees in (posteriors, from_votes(5 * np.eye(3)[top], smoothing=0.01).distributions, certain):
        table[LABELS] = degrees if degrees is certain else degrees.round(decimals)
        table.assign(votes=5).to_csv("dist.csv", index=False)
        assert run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["noise_ceiling"] is None
    table[LABELS] = from_votes(rng.multinomial(7, [0.2, 0.3, 0.5], size=120)).distributions.round(decimals)
    table.assign(votes=7).to_csv("dist.csv", index=False)
    assert run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["noise_ceiling"] is not None


@pytest.mark.parametrize(
    "command", [(*FIT, "mean"), ("explore", "dist.csv", *NAMES, "-o", "page.html")], ids=["fit", "explore"]
)
def test_label_that_is_not_named_is_noted(table, command):
    few = [part.replace("joy,fear,calm", "joy,fear") for part in command]
    assert not any("sum to 1" in note for note in run_json(*command)["notes"])
    notes = [note for note in run_json(*few, "--force")["notes"] if "do not sum to 1 (data row 1: " in note]
    assert notes[0].endswith("With column 'calm' they sum to 1: if it is a label, name it in --labels.")
    percentages = {label: table[label] * 100 for label in LABELS}
    for degrees in ({label: (table[label] * 7).round() + 1 for label in LABELS}, percentages):
        table.assign(**degrees).to_csv("dist.csv", index=False)
        assert not any("sum to 1" in note for note in run_json(*command, "--force")["notes"])
    assert any("With column 'calm' they sum to 100" in note for note in run_json(*few, "--force")["notes"])
    votes = np.random.default_rng(0).multinomial(10, [0.5, 0.3, 0.2], size=120)
    table.assign(**dict(zip(LABELS, votes.T, strict=True))).to_csv("dist.csv", index=False)
    assert not any("sum to" in note for note in run_json(*command, "--force")["notes"])
    assert any("With column 'calm' they sum to 10:" in note for note in run_json(*few, "--force")["notes"])
    table.loc[3, "joy"] = 16  # a slip in one row, which is not a number of votes
    table.to_csv("dist.csv", index=False)
    assert any("1 of 120 rows of dist.csv do not sum" in note for note in run_json(*command, "--force")["notes"])


@pytest.mark.parametrize(
    "command", [(*FIT, "mean"), ("explore", "dist.csv", *NAMES, "-o", "page.html")], ids=["fit", "explore"]
)
def test_totals_among_counts_are_noted(table, command):
    counts = np.random.default_rng(0).multinomial(10, [0.5, 0.3, 0.2], size=120)
    counts[:, 2] = counts[:, :2].sum(axis=1)
    counts[7] = counts.sum(axis=0) - counts[7]
    table.assign(**dict(zip(LABELS, counts.T, strict=True))).to_csv("dist.csv", index=False)
    notes = run_json(*command)["notes"]
    for line in ("label calm", "data row 8"):
        assert f"The {line} is as large as all others together. Leave totals out." in notes


def test_features_are_written_as_numbers_and_ignored_columns_are_not_changed(table):
    table["tempo"] = table["tempo"].map("{:.9e}".format)
    table = table.assign(tags=["1,2", "2"] * 60).drop(columns="title")
    table.to_csv("dist.csv", index=False, sep=";")
    assert not any("decimal" in note for note in run_json(*FIT, "mean", "--ignore", "tags")["notes"])
    notes = run_json("predict", "m.skops", "dist.csv", "-o", "p.parquet")["notes"]
    assert "Column tags: decimal commas are replaced by points." in notes
    assert pd.read_parquet("p.parquet")["tempo"].dtype == float
    table.drop(columns="tags").to_csv("dist.csv", index=False)
    run("predict", "m.skops", "dist.csv", "-o", "p.npz")
    assert np.load("p.npz")["features"].shape == (120, 3)


def test_numbers_in_a_column_of_truth_values_are_errors(table):
    table.assign(live=["yes", "no"] * 60).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.assign(live=[1, 0, 5] * 40).to_csv("new.csv", index=False)
    assert "row 3, column 'live', is '5', but the model" in error_of("predict", "m.skops", "new.csv", "-o", "p.csv")
    table.assign(live=["1", "no", ""] * 40).to_csv("new.csv", index=False)
    (note,) = [note for note in run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"] if "empty" in note]
    assert "'live' has 40 empty cells" in note


def test_new_gaps_are_noted(table):
    table.loc[:9, "pitch"] = np.nan
    table.to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.loc[:4, "tempo"] = np.nan
    table.to_csv("new.csv", index=False)
    notes = [note for note in run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"] if "empty" in note]
    assert notes == ["column 'tempo' has 5 empty cells, but had none in training. They get a typical value."]


@pytest.mark.parametrize("name", ["uid", "itemID", "item_id", "key", "humidity"])
def test_columns_that_may_identify_items_are_noted(table, name):
    table.assign(**{name: np.arange(120) * 3}).to_csv("dist.csv", index=False)
    assert (f"--ignore {name}" in str(run_json(*FIT, "mean")["notes"])) == (name != "humidity")


def test_columns_that_count_the_rows_are_noted_or_left_out(table):
    numbers = np.arange(120)
    table.assign(X=numbers + 1, **{"Unnamed: 0.1": numbers, "Unnamed: 0": numbers}).to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "mean")
    assert facts["features"] == [*FEATURES, "X"]
    assert "--ignore X" in str(facts["notes"])


def test_prepare_is_advised_where_it_converts(table):
    table.assign(share="69%", mood=["up", "down"] * 60, **{"Unnamed: 0": range(120)}).to_csv("dist.csv", index=False)
    notes = {
        name: note for note in run_json(*FIT, "mean")["notes"] for name in ("share", "mood", "Unnamed") if name in note
    }
    assert {name: "--prepare" in note for name, note in notes.items()} == {
        "share": False,
        "mood": True,
        "Unnamed": False,
    }


def test_evaluate_names_the_row_of_the_predicted_table(table):
    predicted = pd.read_csv("pred.csv").iloc[::-1].reset_index(drop=True)
    arguments = ("evaluate", "dist.csv", "mixed.csv", *NAMES, "--item", "title")
    predicted.assign(joy=predicted["joy"].mask(predicted.index == 2)).to_csv("mixed.csv", index=False)
    assert "mixed.csv: The cell in data row 3, column 'joy', is empty" in error_of(*arguments)
    predicted.assign(joy=predicted["joy"].mask(predicted.index == 2, -1)).to_csv("mixed.csv", index=False)
    assert "mixed.csv: The cell in data row 3, column 'joy', is -1" in error_of(*arguments)
    predicted.loc[2, LABELS] = [3, 0, 0]
    predicted.to_csv("mixed.csv", index=False)
    assert "(data row 3: 3)" in run_json(*arguments)["notes"][0]
    predicted.loc[2, LABELS] = 0
    predicted.to_csv("mixed.csv", index=False)
    assert "Data row 3 of mixed.csv" in error_of(*arguments)


def test_lone_column_of_votes_is_not_a_feature(table):
    table.assign(votes=3)[["title", *LABELS, "votes"]].to_csv("dist.csv", index=False)
    assert "no feature column" in run(*FIT, "bdldl", fails=True).stderr
    assert run_json(*FIT, "bdldl", "--features", "votes")["features"] == ["votes"]


@pytest.mark.parametrize(
    "command", [("fit", "dist.csv", "--method", "mean"), ("enhance", "in.csv"), ("explore", "in.csv")]
)
def test_column_of_votes_next_to_features_is_noted(folder, command):
    pd.read_csv(command[1]).assign(votes=3).to_csv(command[1], index=False)
    output = {"fit": "v.skops", "enhance": "v.csv", "explore": "v.html"}[command[0]]
    assert any("--weights votes" in note for note in run_json(*command, *NAMES, "-o", output)["notes"])


def test_words_are_not_measurements_of_new_items(table):
    """A table of one row has a column of nothing but the word no."""
    pd.DataFrame({"tempo": ["no"], "loudness": ["1"], "pitch": ["2"]}).to_csv("one.csv", index=False)
    notes = run_json("predict", "model.skops", "one.csv", "-o", "p.csv")["notes"]
    assert notes == ["column tempo holds only yes, no, true or false, which are used as 1 and 0."]
    table.assign(live=["yes", "no"] * 60).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    pd.read_csv("one.csv").assign(live="yes").to_csv("one.csv", index=False)
    assert "column 'tempo', is 'no'" in error_of("predict", "m.skops", "one.csv")
    pd.read_csv("one.csv").assign(live="maybe", tempo=1).to_csv("one.csv", index=False)
    assert "column 'live', is 'maybe'" in error_of("predict", "m.skops", "one.csv")


def test_prepare_is_advised_where_it_helps(table):
    table.assign(key=["major", "minor"] * 60).to_csv("dist.csv", index=False)
    notes = run_json(*FIT, "mean")["notes"]
    assert [("'title'" in note, "--prepare" in note) for note in notes] == [(True, False), (False, True)]


def test_prepared_words_next_to_numbers_are_noted(table):
    table.assign(grade=["1", "2", "no"] * 40).to_csv("dist.csv", index=False)
    notes = run_json(*FIT, "mean", "--prepare", "--ignore", "title")["notes"]
    assert "column 'grade' holds words such as 'no' next to numbers. It is used as categories." in notes


def test_unseen_categories_are_noted(table):
    table.assign(key=["major", "minor"] * 60).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.assign(key=["Major", "minor", "Moll"] * 40).to_csv("new.csv", index=False)
    notes = run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"]
    assert any("'key' has 80 cells" in note and "Major, Moll." in note for note in notes)
    table.assign(key="minor").to_csv("new.csv", index=False)
    assert "key" not in str(run_json("predict", "m.skops", "new.csv", "-o", "p.csv", "--force")["notes"])


def test_texts_without_known_words_are_noted(table):
    words = ["the quick brown fox jumps", "a lazy dog sleeps all day", "some bird sings in the morning"]
    texts = [f"{words[i % 3]} number{i}" for i in range(120)]
    table.assign(text=texts).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.assign(text=["", "ein ganz anderer Satz", words[0]] * 40).to_csv("new.csv", index=False)
    notes = run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"]
    assert any("column 'text' has 80 texts without words of the training rows" in note for note in notes)


MULAN = """@relation 'music: -C 3'
@attribute tempo numeric
@attribute key {{major,minor}}
@attribute pitch numeric
@attribute 'mostly joy' {{0,1}}
@attribute fear {{0,1}}
@attribute calm {{0,1}}
@data
{rows}
"""
XML = """<?xml version="1.0" ?><labels xmlns="http://mulan.sourceforge.net/labels">
<label name="mostly joy"></label><label name="fear"></label><label name="calm"></label></labels>"""


@pytest.mark.slow
def test_mulan_files_from_tags_to_predictions(folder):
    songs = pd.read_csv("in.csv")
    songs["loudness"] = np.where(songs["loudness"] > 0, "major", "minor")
    cells = songs[["tempo", "loudness", "pitch", *LABELS]].astype(str)
    cells.loc[5, "tempo"] = "?"
    (folder / "music.arff").write_text(MULAN.format(rows="\n".join(cells.agg(",".join, axis=1))))
    (folder / "music.xml").write_text(XML)
    labels = ("--labels", "music.xml", "--prepare")
    assert run_json("enhance", "music.arff", *labels, "-o", "d.csv")["features"] == ["tempo", "key", "pitch"]
    run("fit", "d.csv", *labels, "-o", "m.skops")
    run("predict", "m.skops", "music.arff", "-o", "p.csv")
    expected = load("m.skops").predict(pd.read_csv("d.csv"))
    assert_allclose(pd.read_csv("p.csv")[["mostly joy", "fear", "calm"]], expected, rtol=1e-12)


def test_onnx_export_equals_the_model(table):
    run(*FIT, "bdldl", "--onnx", "m.onnx")
    session = onnxruntime.InferenceSession("m.onnx")
    degrees = session.run(None, {"features": table[FEATURES].to_numpy()})[0]
    assert_allclose(degrees, load("m.skops").predict(table[FEATURES]), atol=1e-5)
    table.assign(key="major").to_csv("dist.csv", index=False)
    words = ("--ignore", "title", "--prepare", "--onnx", "w.onnx", "--force")
    assert "ONNX" in error_of(*FIT, "bdldl", *words)


def test_predict_with_saved_enhancer(folder):
    table = pd.read_csv("in.csv")
    enhancer = BDLE().fit(table[FEATURES], table[LABELS])
    save(enhancer, "bdle.skops")
    run("predict", "bdle.skops", "new.csv", "-o", "p.csv")
    assert_allclose(pd.read_csv("p.csv")[LABELS], enhancer.transform(table[FEATURES]), rtol=1e-12)


def test_predict_without_feature_names_uses_the_order_of_columns(table):
    save(BDLDL().fit(table[FEATURES].to_numpy(), table[LABELS].to_numpy()), "m.skops")
    table[FEATURES].to_csv("new.csv", index=False)
    assert run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"]
    assert list(pd.read_csv("p.csv").columns) == [*FEATURES, "label_0", "label_1", "label_2"]
    assert "3 features" in error_of("predict", "m.skops", "dist.csv")


def test_predict_names_the_columns_that_it_replaces(table):
    table.assign(fear="").drop(columns="calm").to_csv("new.csv", index=False)
    result = run("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert "column joy has predicted degrees instead of its values" in result.stderr
    table[FEATURES].to_csv("new.csv", index=False)
    assert run("predict", "model.skops", "new.csv", "-o", "p.csv", "--force").stderr == ""


def test_evaluate_compares_with_baselines(table):
    facts = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)
    predicted = pd.read_csv("pred.csv")
    ours, mean, uniform = (facts["measures"][key] for key in ("predicted", "mean", "uniform"))
    assert ours == pytest.approx(score_all(table[LABELS], predicted[LABELS]))
    constant = np.tile(table[LABELS].mean(), (120, 1))
    assert mean == pytest.approx(score_all(table[LABELS].to_numpy(), constant))
    assert uniform == pytest.approx(score_all(table[LABELS].to_numpy(), np.full((120, 3), 1 / 3)))
    assert facts["skill"] == pytest.approx(1 - ours["kl_divergence"] / mean["kl_divergence"])
    text = run("evaluate", "dist.csv", "pred.csv", *NAMES).stdout
    assert text.startswith(f"120 items, skill {facts['skill']:.2f}: it {describe_skill(facts['skill'])}.")
    assert f"{ours['clark']:.4f}" in next(line for line in text.splitlines() if line.startswith("Clark ↓"))
    predicted.assign(joy=5 * predicted["joy"]).to_csv("five.csv", index=False)
    assert "120 of 120 rows" in run_json("evaluate", "dist.csv", "five.csv", *NAMES)["notes"][0]


def test_evaluate_shows_measures_on_request(table):
    call = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    truth, predicted = table[LABELS], pd.read_csv("pred.csv")[LABELS]
    assert list(run_json(*call)["measures"]["predicted"]) == list(PAPER_MEASURES)
    found = run_json(*call, "--measures", "all")["measures"]["predicted"]
    assert found == pytest.approx(score_all(truth, predicted, measures="all"))
    text = run(*call, "--measures", "kendall,top_label").stdout.splitlines()
    assert [line[:9] for line in text[3:]] == ["Kendall ↑", "Top label"]
    assert "'tau'; choose from paper" in error_of(*call, "--measures", "tau", code=2)


def test_evaluate_reorders_labels(table):
    call, order = ("evaluate", "dist.csv", "pred.csv", *NAMES), ["calm", "joy", "fear"]
    facts = run_json(*call, "--ordered", "calm,joy,fear")
    measures = ["paper", "wasserstein", "ranked_probability"]
    expected = score_all(table[order], pd.read_csv("pred.csv")[order], measures=measures)
    assert facts["labels"] == order
    assert facts["measures"]["predicted"] == pytest.approx(expected)
    assert list(run_json(*call, "--ordered", "c*,joy,fear", "--measures", "clark")["measures"]["predicted"]) == [
        "clark",
        *measures[1:],
    ]
    assert "it lacks calm" in error_of(*call, "--ordered", "fear,joy", code=2)
    note = "the order of the labels is calm, joy, fear. Change it with --ordered."
    for options, notes in ((("-l", "calm,joy,fear"), []), (("-l", "calm,j*,f*"), [note])):
        assert run_json(*call[:3], *options, "--measures", "ordered")["notes"] == notes


def test_evaluate_matches_rows_by_item(table):
    shuffled = pd.read_csv("pred.csv").sample(frac=1, random_state=0)
    shuffled.to_csv("mixed.csv", index=False)
    expected = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["skill"]
    assert run_json("evaluate", "dist.csv", "mixed.csv", *NAMES, "--item", "title")["skill"] == pytest.approx(expected)
    assert "--item title" in error_of("evaluate", "dist.csv", "mixed.csv", *NAMES)
    shuffled.assign(title=shuffled["title"] + "\u200b ").to_csv("spelled.csv", index=False)
    assert run_json("evaluate", "dist.csv", "spelled.csv", *NAMES, "--item", "title")["skill"] == pytest.approx(
        expected
    )
    pd.read_csv("pred.csv").assign(title=range(120)).to_csv("other.csv", index=False)
    assert "'title' has other values" in run_json("evaluate", "dist.csv", "other.csv", *NAMES)["notes"][0]
    table.assign(title=[table["title"][1], *table["title"][1:]]).to_csv("copied.csv", index=False)
    assert "'title' has other values" in run_json("evaluate", "copied.csv", "other.csv", *NAMES)["notes"][0]
    shuffled.iloc[1:].to_csv("short.csv", index=False)
    for options, fact in (((), "120 rows"), (("--item", "title"), "lacks 1 of the items")):
        assert fact in error_of("evaluate", "dist.csv", "short.csv", *NAMES, *options)


def test_evaluate_notes_another_order_of_a_column_with_repeated_values(table):
    graded = table[LABELS].assign(grade=np.repeat(["a", "b", "c"], 40))
    graded.to_csv("dist.csv", index=False)
    assert not run_json("evaluate", "dist.csv", "dist.csv", *NAMES)["notes"]
    graded.iloc[::-1].to_csv("reversed.csv", index=False)
    (note,) = run_json("evaluate", "dist.csv", "reversed.csv", *NAMES)["notes"]
    assert note.startswith("dist.csv and reversed.csv have the same values in column 'grade', but in another order.")


def test_evaluate_notes_another_order_of_a_column_with_another_name(table):
    table[["title", *LABELS]].to_csv("dist.csv", index=False)
    table[["title", *LABELS]].rename(columns={"title": "song"}).iloc[::-1].to_csv("reversed.csv", index=False)
    (note,) = run_json("evaluate", "dist.csv", "reversed.csv", *NAMES)["notes"]
    assert "the same values in column 'title' and 'song', but in another order" in note


def test_evaluate_needs_several_labels_and_does_not_match_by_labels(table):
    assert "joy is the only label" in error_of("evaluate", "dist.csv", "pred.csv", "-l", "joy")
    table[LABELS].iloc[::-1].to_csv("reversed.csv", index=False)
    assert run_json("evaluate", "dist.csv", "reversed.csv", *NAMES)["skill"] < 0.5


def test_rows_of_zeros_are_errors(table):
    table.loc[3, LABELS] = 0
    table.to_csv("dist.csv", index=False)
    for arguments in ((*FIT, "bdldl"), ("evaluate", "dist.csv", "pred.csv", *NAMES)):
        assert "Data row 4 of dist.csv" in run(*arguments, fails=True).stderr


@pytest.mark.parametrize(
    ("show", "text"), [("calibration", "recovered"), ("search", "ridge"), ("importance", "30 held-out rows")]
)
def test_pictures_of_models(folder, show, text):
    run(*FIT, "bdldlcv", "--picture", "picture.svg", "--show", show)
    assert text in (folder / "picture.svg").read_text()


@pytest.mark.slow
def test_pictures_of_predictions(folder):
    drawn = {}
    for show in ("calibration", "scatter", "bars", "ternary"):
        options = ("--item", "title", "--picture", f"{show}.svg", "--show", show)
        run("evaluate", "dist.csv", "pred.csv", *NAMES, *options)
        drawn[show] = (folder / f"{show}.svg").read_text()
    assert len(set(drawn.values())) == 4
    assert [show for show, content in drawn.items() if "Song " in content] == ["bars"]
    assert [show for show, content in drawn.items() if "joy" in content] == ["scatter", "bars", "ternary"]


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (["sabfgs", "--onnx", "m.onnx", "--picture", "p.png", "--show", "search"], "'search'"),
        (["ptbayes", "--onnx", "m.onnx"], "PTBayes"),
    ],
)
def test_late_errors_leave_no_files(folder, options, fact):
    before = sorted(folder.iterdir())
    assert fact in run(*FIT, *options, fails=True).stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--set", "ridge=1"], 2, "--method"),
        (["fit", "dist.csv", *NAMES, "-o", "-"], 2, "standard output"),
        (["fit", "dist.csv", *NAMES, "-o", "m", "--onnx", "m"], 2, "different files"),
        (["fit", "dist.csv", "-l", "", "-o", "m.skops"], 1, "title"),
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--weights", "*"], 1, "'*'"),
        (["predict", "model.skops", "new.csv", "--item", "name"], 1, "'name'"),
        (["predict", "dist.csv", "new.csv"], 1, "dist.csv"),
        (["predict", "model.skops", "pred.csv"], 1, "tempo, loudness, pitch"),
        (["evaluate", "-", "-", *NAMES], 2, "only one of the two"),
    ],
)
def test_invalid_calls(folder, arguments, code, fact):
    before = sorted(folder.iterdir())
    assert fact in error_of(*arguments, code=code)
    assert sorted(folder.iterdir()) == before


def test_from_votes_on_text_to_an_evaluated_prediction(tmp_path, monkeypatch):
    """By commands alone; one word of each sentence determines the shares of the votes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    nouns, degree = np.array([f"noun{k}" for k in range(20)]), {"sun": 0.9, "rain": 0.5, "storm": 0.1}
    for name, n in (("train", 150), ("test", 50)):
        records = []
        for k in range(n):
            weather = str(rng.choice(list(degree)))
            text = f"the {weather} over {' and '.join(rng.choice(nouns, 3, replace=False))}"
            joy = int(rng.binomial(10, degree[weather]))
            counts = {label: count for label, count in (("joy", joy), ("fear", 10 - joy)) if count}
            records.append({"uid": f"{name}{k}", "example": {"text": text}, "counts": counts})
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        run("votes", f"{name}.jsonl", "--item", "uid", "--counts", "counts", "-o", f"{name}_dist.jsonl")
    labels = ("-l", "joy,fear")
    facts = run_json("fit", "train_dist.jsonl", *labels, "--prepare", "--weights", "votes", "-o", "m.skops")
    assert facts["features"] == ["example.text"]
    assert list(facts["left_out"]) == ["uid"]
    assert any("example.text is used as text" in note for note in facts["notes"])
    run("predict", "m.skops", "test.jsonl", "-o", "pred.csv")
    assert run_json("evaluate", "test_dist.jsonl", "pred.csv", *labels, "--item", "uid")["skill"] > 0.5
    Path("empty.csv").write_text('example.text\n""\nunseen\n', encoding="utf-8")
    run("predict", "m.skops", "empty.csv", "-o", "empty_pred.csv")
    assert_allclose(pd.read_csv("empty_pred.csv")[["joy", "fear"]].sum(axis=1), 1)
    assert "exported to ONNX" in error_of(
        "fit", "train_dist.jsonl", *labels, "--prepare", "-o", "o", "--onnx", "o.onnx"
    )


def test_text_of_published_votes_explains_some_of_them(tmp_path, monkeypatch):
    if "LABELDIST_VOTES" not in os.environ:
        pytest.skip("LABELDIST_VOTES does not name a folder with published votes.")
    monkeypatch.chdir(tmp_path)
    source = Path(os.environ["LABELDIST_VOTES"], "chaosNLI_snli.jsonl")
    run("votes", source, "--item", "uid", "--counts", "label_counter", "-o", "dist.jsonl")
    options = ("--features", "example.premise,example.hypothesis", "--prepare", "--weights", "votes")
    facts = run_json("fit", "dist.jsonl", "-l", "e,n,c", *options, "--method", "bdldlcv", "-o", "m.skops")
    assert facts["skill"] > 0.01
