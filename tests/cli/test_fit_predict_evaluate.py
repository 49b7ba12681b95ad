"""``labeldist fit``, ``labeldist predict`` and ``labeldist evaluate``."""

import json
import re
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from sklearn.metrics import label_ranking_average_precision_score

from labeldist import BDLDL, BDLE, VoteLE
from labeldist._tables import chunks
from labeldist.cli import io, predict
from labeldist.datasets import read_table
from labeldist.metrics import PAPER_MEASURES, score_all, skill
from labeldist.models import load, read_card, save
from labeldist.plots import CoefficientDisplay
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
    assert "Compared 7 learners with the mean on 120 rows" in summary
    assert "120 items, 3 labels, 3 features" in rest
    card = read_card("m.skops")
    assert card.summary == summary
    assert card.label_names == tuple(LABELS)
    assert card.feature_names == tuple(FEATURES)
    assert card.training_rows == 120
    assert card.measures["skill"] > 0.9  # the artificial set is nearly a function of its features
    columns = [*FEATURES[::-1], "title"]
    table[columns].to_csv("new.csv", index=False)
    run("predict", "m.skops", "new.csv", "-o", "p.csv")
    written = pd.read_csv("p.csv")
    assert list(written.columns) == [*columns, *LABELS]
    assert_allclose(written[LABELS], load("m.skops").predict(table[FEATURES]), rtol=1e-12)


def test_given_method_is_scored_and_saved(table, rng):
    facts = run_json(*FIT, "bdldl", "--set", "ridge=10", "--folds", "3")
    assert facts["chosen"] == "bdldl"
    assert [row["name"] for row in facts["learners"]][1:] == ["bdldl"]
    assert load("m.skops").get_params()["ridge"] == 10
    assert read_card("m.skops").measures["skill"] == pytest.approx(facts["skill"])
    table[FEATURES] = rng.normal(size=(120, 3))
    table.to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "aaknn", "--force")
    assert facts["skill"] < 0
    assert type(load("m.skops")).__name__ == "AAKNN"


def test_advice_for_wrong_cells_names_options(table):
    table.assign(tempo=table["tempo"].astype(str).replace(str(table["tempo"][3]), "fast")).to_csv(
        "dist.csv", index=False
    )
    error = error_of(*FIT, "bdldl")
    assert "'fast', not a finite number" in error
    assert "--ignore" in error
    assert "--prepare" in error


def test_weights(table):
    weight = (np.arange(120) < 60).astype(int)
    table.assign(votes=weight).to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "bdldl", "--weights", "votes")
    assert facts["features"] == FEATURES
    half = BDLDL().fit(table[FEATURES][:60], table[LABELS][:60])
    found = load("m.skops").predict(table[FEATURES])
    assert_allclose(found, half.predict(table[FEATURES]), atol=1e-9)
    weighted = run_json("evaluate", "dist.csv", "pred.csv", *NAMES, "--weights", "votes")
    truth = table[LABELS][:60]
    predicted = pd.read_csv("pred.csv")[LABELS][:60]
    assert weighted["measures"]["predicted"] == pytest.approx(score_all(truth, predicted))
    assert weighted["skill"] == pytest.approx(skill(truth, predicted))
    notes = run_json(*FIT, "aaknn", "--weights", "votes", "--force")["notes"]
    assert any("without weights" in note for note in notes)
    table.assign(votes=-1).to_csv("dist.csv", index=False)
    assert "'votes'" in error_of(*FIT, "bdldl", "--weights", "votes", "--force")


def test_seed_of_a_given_method(folder):
    def skill_with(*options):
        small = ("--set", "n_estimators=3", "--folds", "2", "--force")
        return run_json(*FIT, "forest", *small, *options)["skill"]

    first = skill_with("--seed", "1")
    assert skill_with("--seed", "1") == first
    assert skill_with("--seed", "2") != first
    skill_with("--set", "random_state=2")
    assert load("m.skops").get_params()["random_state"] == 2


def test_a_column_has_one_use(table):
    table.assign(votes=1, number=range(120)).to_csv("dist.csv", index=False)
    fit = ("fit", "dist.csv", "-o", "m.skops", "--method", "mean")
    assert "Column votes is a feature" in error_of(
        *fit, *NAMES, "--features", "tempo,votes", "--weights", "votes"
    )
    labels = ("-l", "joy,fear,calm,number", "--item", "number")
    assert "Column number is a label" in error_of("evaluate", "dist.csv", "dist.csv", *labels)
    assert "Column votes is a label" in error_of(*fit, "-l", "joy,votes", "--weights", "votes")


def test_fit_on_tags_is_noted(table):
    table[LABELS] = (table[LABELS].rank(axis=1) > 1).astype(int)
    table.to_csv("dist.csv", index=False)
    notes = str(run_json(*FIT, "bdldl")["notes"])
    assert "labeldist enhance" in notes
    assert "EnhancedLearner" not in notes


def pair_share(tags, degrees):
    """Return the share of pairs of a tag and another label in which the tag has more; ties half."""
    pairs = [
        np.sign(degrees[i] - degrees[j]) / 2 + 0.5
        for i in np.flatnonzero(tags)
        for j in np.flatnonzero(tags == 0)
    ]
    return np.mean(pairs)


def test_evaluate_ranks_labels_if_the_truth_are_tags(table):
    tags = (table[LABELS].rank(axis=1) > 1).astype(int)
    tags.iloc[0] = 1  # without other labels there is nothing to rank
    table.assign(**tags, n=range(120)).to_csv("tags.csv", index=False)
    call = ("evaluate", "tags.csv", "pred.csv", "dist.csv", *NAMES)
    facts = run_json(*call, "--weights", "n")
    assert facts["skill"] is None
    assert "tags.csv holds tags" in facts["notes"][0]
    L = tags.to_numpy()[1:]
    weight = np.arange(1, 120)
    for name in ("pred.csv", "dist.csv"):
        D = pd.read_csv(name)[LABELS].to_numpy()[1:]
        auc = np.average([pair_share(*pair) for pair in zip(L, D, strict=True)], weights=weight)
        assert facts["measures"][name]["auc"] == pytest.approx(auc)
        precision = label_ranking_average_precision_score(L, D, sample_weight=weight)
        assert facts["measures"][name]["average_precision"] == pytest.approx(precision)
    assert facts["measures"]["dist.csv"]["auc"] == 1
    assert facts["measures"]["uniform"]["auc"] == pytest.approx(0.5)
    assert "AUC" in run(*call).stdout
    alone = ("evaluate", "tags.csv", "pred.csv", *NAMES)
    assert "tags" in error_of(*alone, "--picture", "p.png", code=2)


def test_evaluate_does_not_take_one_label_per_row_for_tags(table):
    one_label = (table[LABELS].rank(axis=1) == 3).astype(int)
    table.assign(**one_label).to_csv("one.csv", index=False)
    assert run_json("evaluate", "one.csv", "pred.csv", *NAMES)["skill"] is not None


def test_evaluate_shows_predictions_side_by_side(table):
    half = table.assign(**(0.5 * table[LABELS] + 1 / 6))
    half.to_csv("half.csv", index=False)
    call = ("evaluate", "dist.csv", "pred.csv", "half.csv", *NAMES)
    facts = run_json(*call)
    assert list(facts["measures"]) == ["pred.csv", "half.csv", "mean", "uniform"]
    for name in ("pred.csv", "half.csv"):
        alone = run_json("evaluate", "dist.csv", name, *NAMES)
        assert facts["measures"][name] == alone["measures"]["predicted"]
        assert facts["skill"][name] == alone["skill"]
    assert "half.csv" in run(*call).stdout
    assert "one" in error_of(*call, "--picture", "p.png", code=2)


def test_importance_of_prepared_columns_with_weights(table):
    key = np.where(table["joy"] > table["joy"].median(), "major", "minor")
    table.assign(key=key, n=1).to_csv("dist.csv", index=False)
    columns = ("--prepare", "--ignore", "title,tempo,loudness", "--weights", "n")
    run(*FIT, "bdldl", *columns, "--picture", "p.svg", "--show", "importance")
    drawn = Path("p.svg").read_text(encoding="utf-8")
    assert {"key", "pitch"} <= set(re.findall(r"<!-- (\w+) -->", drawn))


def test_revealing_column_with_an_empty_cell_is_noted(table):
    table.assign(mood=table["joy"].where(table.index > 0)).to_csv("dist.csv", index=False)
    notes = run_json(*FIT, "mean", "--prepare", "--ignore", "title")["notes"]
    assert any("column 'mood' predicts the label 'joy' almost perfectly" in n for n in notes)


def test_noise_ceiling_of_shares_of_votes(table, rng):
    n_votes = rng.integers(1, 9, size=120)
    truth = table[LABELS].to_numpy()
    counts = rng.multinomial(n_votes, truth / truth.sum(axis=1, keepdims=True))
    votes = from_votes(counts)
    estimate = VoteLE().fit(None, votes)
    table[LABELS] = votes.distributions.round(2)
    table.assign(votes=n_votes).to_csv("dist.csv", index=False)
    for command in (("evaluate", "dist.csv", "pred.csv", *NAMES), (*FIT, "mean", "--force")):
        plain = run_json(*command)["noise_ceiling"]
        weighted = run_json(*command, "--weights", "votes")["noise_ceiling"]
        assert plain == pytest.approx(noise_ceiling(votes, estimate=estimate), abs=1e-6)
        expected = noise_ceiling(votes, sample_weight=n_votes, estimate=estimate)
        assert weighted == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n_votes", [0, np.nan])
def test_rows_without_votes_have_no_effect_on_the_noise_ceiling(n_votes):
    D = np.array([[2 / 3, 1 / 3], [0, 1], [1, 0], [0.5, 0.5]])
    frame = pd.DataFrame({"votes": [3, 3, 3, n_votes]})
    found, _ = io.noise_ceiling_of(frame, D, None, 0.1)
    expected, _ = io.noise_ceiling_of(frame[:3], D[:3], None, 0.1)
    assert 0 < expected == found


def test_skill_above_the_noise_ceiling_is_explained(table, rng):
    votes = from_votes(rng.multinomial(5, table[LABELS]))
    D = votes.distributions
    table[LABELS] = D
    table.assign(votes=5).to_csv("dist.csv", index=False)
    command = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    ceiling = noise_ceiling(votes, estimate=VoteLE().fit(None, votes))
    for share_of_truth, is_above in ((0.1, False), (0.18, True)):
        table[LABELS] = share_of_truth * D + (1 - share_of_truth) * D.mean(axis=0)
        table.to_csv("pred.csv", index=False)
        excess = run_json(*command)["skill"] - ceiling
        assert abs(excess) < 0.1
        assert (excess > 0) == is_above
        text = run(*command).stdout
        assert "estimated from the votes" in text
        assert ("this estimate is rough" in text) == is_above


def test_other_degrees_have_no_noise_ceiling(table, rng):
    top = np.eye(3)[rng.integers(3, size=120)]
    offsets = np.outer(rng.random(120), [-1e-5, 1e-5, 0])
    posteriors = np.where(top == 1, 0.998, 0.001) + offsets
    smoothed = from_votes(5 * top, smoothing=0.01).distributions
    for degrees in (posteriors, posteriors.round(3), smoothed):
        table[LABELS] = degrees
        table.assign(votes=5).to_csv("dist.csv", index=False)
        assert run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["noise_ceiling"] is None


def test_rows_that_do_not_sum_to_one_are_noted(table):
    def notes(labels=NAMES[1]):
        facts = run_json("fit", "dist.csv", "-l", labels, "-o", "m", "--method", "mean", "--force")
        return [note for note in facts["notes"] if "do not sum to 1 (data row 1: " in note]

    assert not notes()
    assert len(notes("joy,fear")) == 1
    percentages = {label: table[label] * 100 for label in LABELS}
    counts = {label: (table[label] * 7).round() + 1 for label in LABELS}
    for degrees in (percentages, counts):
        table.assign(**degrees).to_csv("dist.csv", index=False)
        assert not notes()


def test_features_are_written_as_numbers(table):
    table["tempo"] = table["tempo"].map("{:.9e}".format)
    table.drop(columns="title").to_csv("dist.csv", index=False, sep=";")
    run(*FIT, "mean")
    run("predict", "m.skops", "dist.csv", "-o", "p.parquet")
    assert pd.read_parquet("p.parquet")["tempo"].dtype == float
    run("predict", "m.skops", "dist.csv", "-o", "p.npz")
    assert np.load("p.npz")["features"].shape == (120, 3)


def test_new_gaps_categories_and_texts_are_noted(table):
    words = ["the quick brown fox jumps", "a lazy dog sleeps all day", "some bird sings at dawn"]
    texts = [f"{words[i % 3]} number{i}" for i in range(120)]
    table = table.assign(key=["major", "minor"] * 60, text=texts)
    table.loc[:9, "pitch"] = np.nan
    table.to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.loc[:4, "tempo"] = np.nan
    new_texts = ["", "ein ganz anderer Satz", words[0]] * 40
    new = table.assign(key=["Major", "minor", "Moll"] * 40, text=new_texts)
    new.to_csv("new.csv", index=False)
    notes = str(run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"])
    assert "'tempo' has 5 empty cells" in notes
    assert "'pitch'" not in notes
    assert "'key' has 80 cells" in notes
    assert "Major, Moll." in notes
    assert "'text' has 40 texts without words" in notes
    assert "'text' has 40 empty cells" in notes


def test_gaps_in_text_are_noted_only_if_training_had_none(table):
    texts = ["" if i % 2 else f"some bird sings at dawn number{i}" for i in range(120)]
    table.assign(text=texts).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    assert "'text'" not in str(run_json("predict", "m.skops", "dist.csv", "-o", "p.csv")["notes"])


def test_note_on_unknown_words_names_no_other_columns(table):
    texts = [f"some bird sings at dawn number{i}" for i in range(120)]
    table = table.assign(text=texts)[["text", *LABELS]]
    table.to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare")
    table.assign(text="ein ganz anderer Satz").to_csv("new.csv", index=False)
    notes = str(run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"])
    assert "'text' has 120 texts without words" in notes
    assert "other columns" not in notes


@pytest.mark.parametrize("name", ["uid", "item_id", "key", "humidity"])
def test_columns_that_may_identify_items_are_noted(table, name):
    table.assign(**{name: np.arange(120) * 3}).to_csv("dist.csv", index=False)
    notes = str(run_json(*FIT, "mean")["notes"])
    assert (f"--ignore {name}" in notes) == (name != "humidity")


@pytest.mark.parametrize("command", ["fit", "explore", "enhance"])
def test_features_that_reveal_labels_are_noted(table, command):
    rows = table.copy()
    if command == "enhance":
        rows[LABELS] = (rows[LABELS] > 1 / 3).astype(int)
    rows["a copy"] = rows["joy"].round(3)
    rows["hard_label"] = np.arange(len(rows)) % 2
    rows.to_csv("leaks.csv", index=False)
    options = {"fit": ("-o", "m.skops", "--method", "bdldl"), "explore": ("-o", "page.html")}
    more = options.get(command, ("-o", "out.csv", "--method", "lp"))
    notes = run(command, "leaks.csv", *NAMES, *more, "--ignore", "title").stderr
    about = [note for note in notes.splitlines() if "skill" in note]
    assert len(about) == 2
    assert "'a copy'" in about[0]
    assert "'joy'" in about[0]
    assert "'hard_label'" in about[1]
    assert "--ignore hard_label:" in about[1]
    advised = ("--features", "a copy,tempo", "--ignore", "a copy", "--force")
    assert "--ignore 'a copy':" in about[0]
    assert "skill" not in run(command, "leaks.csv", *NAMES, *more, *advised).stderr


@pytest.fixture
def reviews(folder, rng):
    """Return texts in two columns whose words determine the degrees, a number and a category."""
    good = rng.random(80)
    kind = ["superb", "terrible"]
    texts = []
    for share in good:
        words = rng.choice([*"abcdefgh"], size=6).tolist()
        mood = [kind[int(rng.random() > share)] for _ in range(4)]
        texts.append(" ".join(f"{letter}word" for letter in words) + " " + " ".join(mood))
    degrees = np.column_stack([good, (1 - good) / 2, (1 - good) / 2])
    frame = pd.DataFrame(degrees, columns=["joy", "fear", "calm"])
    frame["title"] = texts
    frame["body"] = rng.permutation(texts)
    frame["size"] = rng.normal(size=80)
    frame["place"] = rng.choice(["north", "south"], size=80)
    frame.to_csv("reviews.csv", index=False)
    return frame


def test_text_beside_numbers_and_categories_is_saved_and_predicted(reviews):
    facts = run_json("fit", "reviews.csv", *NAMES, "--prepare", "-o", "m.skops")
    compared = [row["name"] for row in facts["learners"]]
    assert "softmax regression on words" in compared
    assert "softmax regression on character n-grams" in compared
    assert facts["skill"] > 0.3
    assert not [row["name"] for row in facts["learners"] if row["failure"]]
    columns = ["place", "body", "size", "title"]
    reviews[columns].to_csv("new.csv", index=False)
    run("predict", "m.skops", "new.csv", "-o", "p.csv")
    model = load("m.skops")
    expected = model.predict(reviews[["title", "body", "size", "place"]])
    assert_allclose(pd.read_csv("p.csv")[["joy", "fear", "calm"]], expected, rtol=1e-12)


def test_coefficients_of_requested_softmax_are_those_of_words_and_n_grams(reviews):
    options = ("--prepare", "--method", "softmax", "-o", "m.skops")
    run("fit", "reviews.csv", *NAMES, *options, "--picture", "c.png", "--show", "coefficients")
    assert Path("c.png").stat().st_size
    display = CoefficientDisplay.from_estimator(load("m.skops"), max_features=10)
    assert {"title: superb", "title: terrible"} <= set(display.feature_names)
    row = display.feature_names.index("title: superb")
    assert display.coefficients[row].argmax() == 0
    assert [name for name in display.feature_names if name.startswith("title: '")]


def test_prepare_is_advised_where_it_converts(table):
    table.assign(mood=["up", "down"] * 60).to_csv("dist.csv", index=False)
    notes = run_json(*FIT, "mean")["notes"]
    advised = [("'title'" in note, "--prepare" in note) for note in notes]
    assert advised == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        ([-1, 1, 0], "mixed.csv: The cell in data row 3, column 'joy'"),
        ([0, 0, 0], "Data row 3 of mixed.csv"),
    ],
)
def test_evaluate_names_the_row_of_the_predicted_table(table, degrees, message):
    predicted = pd.read_csv("pred.csv").iloc[::-1].reset_index(drop=True)
    predicted.loc[2, LABELS] = degrees
    predicted.to_csv("mixed.csv", index=False)
    assert message in error_of("evaluate", "dist.csv", "mixed.csv", *NAMES, "--item", "title")


def test_column_of_votes_is_no_feature_by_itself(table):
    table.assign(votes=3).to_csv("dist.csv", index=False)
    assert "--weights votes" in str(run_json(*FIT, "mean")["notes"])
    table.assign(votes=3)[["title", *LABELS, "votes"]].to_csv("dist.csv", index=False)
    error = error_of(*FIT, "bdldl", "--force")
    assert "no feature column" in error
    assert "with --prepare" in error
    facts = run_json(*FIT, "bdldl", "--features", "votes", "--force")
    assert facts["features"] == ["votes"]


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
    facts = run_json("enhance", "music.arff", *labels, "-o", "d.csv")
    assert facts["features"] == ["tempo", "key", "pitch"]
    run("fit", "d.csv", *labels, "-o", "m.skops")
    run("predict", "m.skops", "music.arff", "-o", "p.csv")
    expected = load("m.skops").predict(pd.read_csv("d.csv"))
    assert_allclose(pd.read_csv("p.csv")[["mostly joy", "fear", "calm"]], expected, rtol=1e-12)


def test_onnx_export_equals_the_model(table):
    facts = run_json(*FIT, "auto", "--onnx", "m.onnx", "--folds", "2")
    assert any("can be exported" in note for note in facts["notes"])
    assert not any("trees" in row["name"] for row in facts["learners"])
    session = onnxruntime.InferenceSession("m.onnx")
    degrees = session.run(None, {"features": table[FEATURES].to_numpy()})[0]
    assert_allclose(degrees, load("m.skops").predict(table[FEATURES]), atol=1e-5)


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


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_predict_in_chunks_equals_the_whole_table(table, suffix, monkeypatch):
    name = f"new.{suffix}"
    columns = [*FEATURES, "title", "joy"]
    if suffix == "csv":
        table[columns].to_csv(name, index=False)
    else:
        table[columns].to_parquet(name)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    facts = run_json("predict", "model.skops", name, "-o", f"p.{suffix}", "--item", "title")
    assert facts["items"] == 120
    assert len(facts["notes"]) == 1  # about the overwritten column, once for all chunks
    monkeypatch.setattr(predict, "can_stream", lambda *_: False)
    run("predict", "model.skops", name, "-o", f"whole.{suffix}")
    assert_frame_equal(read_table(f"p.{suffix}"), read_table(f"whole.{suffix}"))


def test_errors_in_chunks_name_the_row(table, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    table[FEATURES[0]] = table[FEATURES[0]].astype(object)
    table.loc[70, FEATURES[0]] = "wrong"
    table.to_csv("new.csv", index=False)
    assert "row 71" in error_of("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert not Path("p.csv").exists()
    assert "item" in error_of("predict", "model.skops", "dist.csv", "-o", "p.csv", "--item", "no")
    Path("empty.csv").write_text(",".join(FEATURES) + "\n")
    assert "no rows" in error_of("predict", "model.skops", "empty.csv", "-o", "p.csv")


def test_predict_names_the_columns_that_it_replaces(table):
    table.assign(fear="").drop(columns="calm").to_csv("new.csv", index=False)
    result = run("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert "joy are overwritten by predictions" in result.stderr


def test_evaluate_compares_with_baselines(table):
    facts = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)
    predicted = pd.read_csv("pred.csv")
    truth = table[LABELS].to_numpy()
    ours, mean, uniform = (facts["measures"][key] for key in ("predicted", "mean", "uniform"))
    assert ours == pytest.approx(score_all(truth, predicted[LABELS]))
    assert mean == pytest.approx(score_all(truth, np.tile(truth.mean(axis=0), (120, 1))))
    assert uniform == pytest.approx(score_all(truth, np.full((120, 3), 1 / 3)))
    assert facts["skill"] == pytest.approx(1 - ours["kl_divergence"] / mean["kl_divergence"])
    printed = run("evaluate", "dist.csv", "pred.csv", *NAMES).stdout
    assert f"skill {facts['skill']:.2f}" in printed
    cells = [f"{values['clark']:.4f}" for values in (ours, mean, uniform)]
    assert cells in [line.split()[2:] for line in printed.splitlines()]


def test_evaluate_shows_measures_on_request(table):
    call = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    truth, predicted = table[LABELS], pd.read_csv("pred.csv")[LABELS]
    assert list(run_json(*call)["measures"]["predicted"]) == list(PAPER_MEASURES)
    found = run_json(*call, "--measures", "all")["measures"]["predicted"]
    assert found == pytest.approx(score_all(truth, predicted, measures="all"))
    assert "'tau'" in error_of(*call, "--measures", "tau", code=2)


def test_evaluate_reorders_labels(table):
    call = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    order = ["calm", "joy", "fear"]
    facts = run_json(*call, "--ordered", "c*,joy,fear")
    measures = ["paper", "wasserstein", "ranked_probability"]
    expected = score_all(table[order], pd.read_csv("pred.csv")[order], measures=measures)
    assert facts["labels"] == order
    assert facts["measures"]["predicted"] == pytest.approx(expected)
    assert facts["notes"] == []
    assert "it lacks calm" in error_of(*call, "--ordered", "fear,joy", code=2)


def test_evaluate_matches_rows_by_item(folder):
    predicted = pd.read_csv("pred.csv")
    shuffled = predicted.sample(frac=1, random_state=0)
    expected = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["skill"]
    call = ("evaluate", "dist.csv", "mixed.csv", *NAMES)
    shuffled.to_csv("mixed.csv", index=False)
    assert run_json(*call, "--item", "title")["skill"] == pytest.approx(expected)
    assert "--item title" in error_of(*call)
    shuffled.iloc[1:].to_csv("mixed.csv", index=False)
    assert "120 rows" in error_of(*call)
    assert "lacks 1 of the items" in error_of(*call, "--item", "title")


def test_evaluate_does_not_match_rows_by_labels(table):
    table[LABELS].iloc[::-1].to_csv("reversed.csv", index=False)
    assert run_json("evaluate", "dist.csv", "reversed.csv", *NAMES)["skill"] < 0.5


@pytest.mark.parametrize(
    ("show", "text"),
    [("calibration", "recovered"), ("search", "ridge"), ("importance", "30 held-out rows")],
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
    assert [show for show, content in drawn.items() if "joy" not in content] == ["calibration"]


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (["sabfgs", "--onnx", "m.onnx", "--picture", "p.png", "--show", "search"], "'search'"),
        (["ptbayes", "--onnx", "m.onnx"], "PTBayes"),
        (["bdldl", "--onnx", "m.onnx", "--prepare", "--features", "tempo,key"], "ONNX"),
    ],
)
def test_late_errors_leave_no_files(table, folder, options, fact):
    table.assign(key=["major", "minor"] * 60).to_csv("dist.csv", index=False)
    before = sorted(folder.iterdir())
    assert fact in error_of(*FIT, *options)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--set", "ridge=1"], 2, "--method"),
        (["fit", "dist.csv", *NAMES, "-o", "-"], 2, "standard output"),
        (["fit", "nowhere.csv", *NAMES, "-o", ""], 1, "name of a file"),
        (["fit", "dist.csv", "-l", "joy", "-o", "m.skops"], 1, "joy is the only label"),
        (["fit", "dist.csv", "-l", "", "-o", "m.skops"], 1, "title"),
        (["fit", "dist.csv", *NAMES, "-o", "m.skops", "--weights", "*"], 1, "'*'"),
        (["predict", "model.skops", "new.csv", "--item", "name"], 1, "'name'"),
        (["predict", "dist.csv", "new.csv"], 1, "dist.csv"),
        (["predict", "model.skops", "pred.csv"], 1, "tempo, loudness, pitch"),
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
    nouns = [f"noun{k}" for k in range(20)]
    degree = {"sun": 0.9, "rain": 0.5, "storm": 0.1}
    for name, n in (("train", 150), ("test", 50)):
        records = []
        for k in range(n):
            weather = str(rng.choice(list(degree)))
            text = f"the {weather} over {' and '.join(rng.choice(nouns, 3, replace=False))}"
            joy = int(rng.binomial(10, degree[weather]))
            counts = {"joy": joy, "fear": 10 - joy}
            records.append({"uid": f"{name}{k}", "example": {"text": text}, "counts": counts})
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        columns = ("--item", "uid", "--counts", "counts")
        run("votes", f"{name}.jsonl", *columns, "-o", f"{name}_dist.jsonl")
    labels = ("-l", "joy,fear")
    options = ("--prepare", "--weights", "votes", "--method", "bdldlcv", "-o", "m.skops")
    facts = run_json("fit", "train_dist.jsonl", *labels, *options)
    assert facts["features"] == ["example.text"]
    assert list(facts["left_out"]) == ["uid"]
    run("predict", "m.skops", "test.jsonl", "-o", "pred.csv")
    facts = run_json("evaluate", "test_dist.jsonl", "pred.csv", *labels, "--item", "uid")
    assert facts["skill"] > 0.5
