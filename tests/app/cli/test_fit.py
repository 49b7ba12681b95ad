"""``labeldist fit``."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from labeldist.app.tables import column_kinds, column_selection, preparation
from labeldist.metrics import score_all, skill
from labeldist.models import load, read_card
from labeldist.plots import CoefficientDisplay
from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.songs import FEATURES, FIT, LABELS, NAMES


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


def test_training_mean_is_weighted(table):
    table["votes"] = np.arange(len(table)) + 1
    table.to_csv("dist.csv", index=False)
    run(*FIT, "mean", "--weights", "votes")
    mean = np.average(table[LABELS], axis=0, weights=table["votes"])
    assert read_card("m.skops").training_mean == pytest.approx(dict(zip(LABELS, mean, strict=True)))


def test_seed_of_a_given_method(folder):
    def skill_with(*options):
        small = ("--set", "n_estimators=3", "--folds", "2", "--force")
        return run_json(*FIT, "forest", *small, *options)["skill"]

    first = skill_with("--seed", "1")
    assert skill_with("--seed", "1") == first
    assert skill_with("--seed", "2") != first
    skill_with("--set", "random_state=2")
    assert load("m.skops").get_params()["random_state"] == 2


def test_fit_on_tags_is_noted(table):
    table[LABELS] = (table[LABELS].rank(axis=1) > 1).astype(int)
    table.to_csv("dist.csv", index=False)
    notes = str(run_json(*FIT, "bdldl")["notes"])
    assert "labeldist enhance" in notes
    assert "EnhancedLearner" not in notes


@pytest.mark.parametrize(
    "options",
    [
        ("softmax", "--set", "scoring=wasserstein"),
        ("softmax", "--scoring", "wasserstein"),
        ("aaknn", "--scoring", "wasserstein"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_fit_prints_the_measure_that_decides(options):
    facts = run_json(*FIT, *options)
    constant, chosen = facts["learners"]
    assert facts["scoring"] == "wasserstein"
    assert facts["baseline"] == constant["name"] == "the best constant"
    expected = 1 - chosen["wasserstein"] / constant["wasserstein"]
    assert facts["skill"] == chosen["skill"] == pytest.approx(expected)
    assert read_card("m.skops").measures["wasserstein"] == chosen["wasserstein"]
    assert getattr(load("m.skops"), "scoring", "wasserstein") == "wasserstein"
    assert "the Wasserstein loss of the best constant" in facts["paragraph"]
    figures = f"(Wasserstein {chosen['wasserstein']:.3g} instead of {constant['wasserstein']:.3g})"
    assert figures in facts["paragraph"]


def test_fit_falls_back_to_the_best_constant_for_the_measure(table):
    facts = run_json(*FIT, "mean", "--scoring", "manhattan")
    assert facts["chosen"] == facts["baseline"] == "the best constant"
    median = load("m.skops").predict(table[FEATURES])[0]
    truth = table[LABELS].to_numpy()
    constant = np.tile(median, (120, 1))
    assert skill(truth, constant, measure="manhattan") == pytest.approx(0)
    assert skill(truth, constant) < 0


def test_numbers_of_one_are_singular(table):
    text = run(*FIT, "mean", "--features", "tempo").stdout
    assert text.endswith("120 items, 3 labels, 1 feature.\n")


def test_repeated_text_stays_text_and_every_column_is_described(repeated):
    call = ("fit", "repeated.csv", "-l", "joy,fear", "--prepare", "-o", "m.skops")
    facts = run_json(*call, "--method", "softmax")
    assert facts["columns"] == {
        "context": "text: 71 different texts, 6.0 words on average",
        "kind": "category: 2 values",
        "size": "number",
        "id": f"left out: it {facts['left_out']['id']}",
    }
    repeated.assign(context="nothing known but superb")[:1].to_csv("new.csv", index=False)
    run("predict", "m.skops", "new.csv", "-o", "p.csv")
    assert pd.read_csv("p.csv")["joy"][0] > 0.6
    lines = run(*call, "--method", "mean", "--force").stderr.splitlines()
    assert "  context: text: 71 different texts, 6.0 words on average" in lines
    assert "columns" not in run_json(*call[:4], "-o", "n.skops", "--method", "mean")


def test_features_are_converted_once(repeated, monkeypatch):
    converted = Counter()
    kinds = Counter()

    def to_numbers(cells, **options):
        converted[cells.name] += column_kinds.holds_objects(cells)
        return original_conversion(cells, **options)

    def kind_of(cells, given=None):
        kinds[cells.name] += 1
        return original_kind(cells, given)

    original_conversion = column_kinds.to_numbers
    original_kind = column_kinds.kind_of
    for module in (column_kinds, column_selection, preparation):
        monkeypatch.setattr(module, "to_numbers", to_numbers)
    monkeypatch.setattr(column_kinds, "kind_of", kind_of)
    options = ("--prepare", "--ignore", "id", "--folds", "2", "-o", "m.skops")
    run("fit", "repeated.csv", "-l", "joy,fear", *options, "--method", "bdldl")
    features = ("context", "kind", "size")
    assert [kinds[name] for name in features] == [1, 1, 1]
    assert [converted[name] for name in features] == [1, 1, 1]


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


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (["sabfgs", "--picture", "p.png", "--show", "search"], "'search'"),
        (["ptbayes", "--picture", "p.png", "--show", "coefficients"], "PTBayes"),
    ],
)
def test_late_errors_leave_no_files(table, folder, options, fact):
    table.assign(key=["major", "minor"] * 60).to_csv("dist.csv", index=False)
    before = sorted(folder.iterdir())
    assert fact in error_of(*FIT, *options)
    assert sorted(folder.iterdir()) == before
