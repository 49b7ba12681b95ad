"""``labeldist fit``, ``labeldist predict`` and ``labeldist evaluate``, one after the other as people use them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL, BDLE
from labeldist.cli.methods import LEARNERS, make
from labeldist.metrics import score_all
from labeldist.metrics._skill import describe_skill
from labeldist.models import load, read_card, save
from tests.cli.conftest import FEATURES, LABELS
from tests.cli.in_process import run, run_json

NAMES = ("-l", "joy,fear,calm")


@pytest.fixture
def table(songs):
    return pd.read_csv(songs / "dist.csv")


@pytest.fixture(scope="module")
def chosen(songs, tmp_path_factory):
    """A model that `--method auto` has chosen, and what was said of it."""
    path = tmp_path_factory.mktemp("chosen") / "model.skops"
    return path, run("fit", songs / "dist.csv", *NAMES, "-o", path)


def test_auto_chooses_says_so_in_a_paragraph_and_keeps_it(chosen, table):
    path, result = chosen
    paragraph, _, rest = result.stdout.partition("\n\n")
    assert "the mean distribution were compared by cross-validation on 120 rows, 5 folds" in paragraph
    assert "Chosen: " in paragraph
    assert "of what the mean leaves unexplained" in paragraph
    assert "120 items, 3 labels, 3 features" in rest
    card = read_card(path)
    assert card.summary == paragraph
    assert paragraph.endswith("not how near the truth they are.")
    assert card.label_names == tuple(LABELS)
    assert card.feature_names == tuple(FEATURES)
    assert card.training_rows == 120
    assert card.measures["skill"] > 0.9  # the artificial set is nearly a function of its features
    assert load(path).predict(table[FEATURES]).shape == (120, 3)


def test_predictions_go_into_label_columns_of_the_table_in_any_order(songs, chosen, table, tmp_path):
    path, _ = chosen
    table[[*FEATURES[::-1], "title"]].to_csv(tmp_path / "new.csv", index=False)
    run("predict", path, tmp_path / "new.csv", "-o", tmp_path / "pred.csv")
    written = pd.read_csv(tmp_path / "pred.csv")
    assert list(written.columns) == [*FEATURES[::-1], "title", *LABELS]
    assert_allclose(written[LABELS], load(path).predict(table[FEATURES]), rtol=1e-12)


def test_evaluate_measures_beside_the_answers_of_nobody(songs, table):
    facts = run_json("evaluate", songs / "dist.csv", songs / "pred.csv", *NAMES)
    predicted = pd.read_csv(songs / "pred.csv")
    ours, mean, equally = (facts["measures"][key] for key in ("predicted", "mean", "uniform"))
    assert ours == pytest.approx(score_all(table[LABELS], predicted[LABELS]))
    constant = np.tile(table[LABELS].mean(), (120, 1))
    assert mean == pytest.approx(score_all(table[LABELS].to_numpy(), constant))
    assert equally == pytest.approx(score_all(table[LABELS].to_numpy(), np.full((120, 3), 1 / 3)))
    assert facts["skill"] == pytest.approx(1 - ours["kl_divergence"] / mean["kl_divergence"])
    text = run("evaluate", songs / "dist.csv", songs / "pred.csv", *NAMES).stdout
    assert text.startswith(f"120 items, skill {facts['skill']:.2f}: it {describe_skill(facts['skill'])}.")
    assert f"{ours['clark']:.4f}" in next(line for line in text.splitlines() if line.startswith("Clark ↓"))


def test_what_is_worse_than_nothing_is_said(songs, table, tmp_path):
    table.assign(joy=table["fear"], fear=table["joy"]).to_csv(tmp_path / "pred.csv", index=False)
    text = run("evaluate", songs / "dist.csv", tmp_path / "pred.csv", *NAMES).stdout
    assert ": it is not better than predicting the mean.\n" in text


def test_rows_are_matched_by_the_item(songs, table, tmp_path):
    shuffled = pd.read_csv(songs / "pred.csv").sample(frac=1, random_state=0)
    shuffled.to_csv(tmp_path / "pred.csv", index=False)
    expected = run_json("evaluate", songs / "dist.csv", songs / "pred.csv", *NAMES)["skill"]
    found = run_json("evaluate", songs / "dist.csv", tmp_path / "pred.csv", *NAMES, "--item", "title")["skill"]
    assert found == pytest.approx(expected)
    result = run("evaluate", songs / "dist.csv", tmp_path / "pred.csv", *NAMES, fails=True)
    assert "in another order. Match rows by it: --item title" in result.stderr
    shuffled.iloc[1:].to_csv(tmp_path / "short.csv", index=False)
    pd.concat([shuffled, shuffled.iloc[:1]]).to_csv(tmp_path / "twice.csv", index=False)
    for name, options, message in (
        ("short.csv", (), "120 rows and"),
        ("short.csv", ("--item", "title"), "lacks 1 of the items"),
        ("twice.csv", ("--item", "title"), "more than once"),
    ):
        result = run("evaluate", songs / "dist.csv", tmp_path / name, *NAMES, *options, fails=True)
        assert result.exit_code == 1
        assert message in result.stderr


def test_rows_that_do_not_sum_to_one_are_divided_and_told(songs, table, tmp_path):
    counted = pd.read_csv(songs / "pred.csv")
    counted[LABELS] *= 5
    counted.to_csv(tmp_path / "pred.csv", index=False)
    facts = run_json("evaluate", songs / "dist.csv", tmp_path / "pred.csv", *NAMES)
    assert facts["skill"] == pytest.approx(
        run_json("evaluate", songs / "dist.csv", songs / "pred.csv", *NAMES)["skill"]
    )
    assert "120 of 120 rows" in facts["notes"][0]


def test_weights_count_in_fit_and_evaluation(songs, table, tmp_path):
    weight = (np.arange(120) < 60).astype(int)
    table.assign(votes=weight).to_csv(tmp_path / "dist.csv", index=False)
    options = ("--method", "bdldl", "--weights", "votes", "-o", tmp_path / "m.skops")
    facts = run_json("fit", tmp_path / "dist.csv", *NAMES, *options)
    assert facts["features"] == FEATURES
    half = BDLDL().fit(table[FEATURES][:60], table[LABELS][:60])
    assert_allclose(load(tmp_path / "m.skops").predict(table[FEATURES]), half.predict(table[FEATURES]), atol=1e-9)
    weighted = run_json("evaluate", tmp_path / "dist.csv", songs / "pred.csv", *NAMES, "--weights", "votes")
    first = next(iter(weighted["measures"].values()))
    predicted = pd.read_csv(songs / "pred.csv")[LABELS]
    assert first == pytest.approx(score_all(table[LABELS][:60], predicted[:60]))


def test_weights_that_are_none(songs, table, tmp_path):
    table.assign(votes=-1).to_csv(tmp_path / "dist.csv", index=False)
    arguments = ("fit", tmp_path / "dist.csv", *NAMES, "--weights", "votes", "-o", tmp_path / "m.skops")
    assert "cannot hold weights" in run(*arguments, fails=True).stderr


def test_a_method_that_is_asked_for_is_kept_and_judged(songs, table, tmp_path):
    options = ("--method", "bdldl", "--set", "ridge=10", "--folds", "3", "-o", tmp_path / "m.skops")
    facts = run_json("fit", songs / "dist.csv", *NAMES, *options)
    assert facts["chosen"] == "bdldl"
    assert "3 folds. Requested: bdldl" in facts["paragraph"]
    assert [row["name"] for row in facts["learners"]] == ["the mean", "bdldl"]
    assert load(tmp_path / "m.skops").get_params()["ridge"] == 10
    assert read_card(tmp_path / "m.skops").measures["skill"] == pytest.approx(facts["skill"])


def test_one_that_is_no_better_than_the_mean_is_kept_if_asked_for_and_told(songs, table, tmp_path, rng):
    table[FEATURES] = rng.normal(size=(120, 3))
    table.to_csv(tmp_path / "dist.csv", index=False)
    facts = run_json("fit", tmp_path / "dist.csv", *NAMES, "--method", "aaknn", "-o", tmp_path / "m.skops")
    assert "not clearly better than the mean" in facts["paragraph"]
    assert type(load(tmp_path / "m.skops")).__name__ == "AAKNN"


def test_words_are_prepared_inside_the_model(songs, table, tmp_path):
    loud = np.where(table["loudness"] > 0, "loud", "quiet")
    table.drop(columns="loudness").assign(volume=loud).to_csv(tmp_path / "dist.csv", index=False)
    arguments = ("fit", tmp_path / "dist.csv", *NAMES, "--method", "bdldl", "-o", tmp_path / "m.skops", "--force")
    assert run_json(*arguments)["features"] == ["tempo", "pitch"]
    assert run_json(*arguments, "--prepare", "--ignore", "title")["features"] == ["tempo", "pitch", "volume"]
    run("predict", tmp_path / "m.skops", tmp_path / "dist.csv", "-o", tmp_path / "pred.csv")
    assert_allclose(pd.read_csv(tmp_path / "pred.csv")[LABELS].sum(axis=1), 1)


def test_onnx_gives_the_same(songs, table, tmp_path):
    import onnxruntime

    options = ("--method", "bdldlcv", "-o", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")
    run("fit", songs / "dist.csv", *NAMES, *options)
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    (answer,) = session.run(None, {"features": table[FEATURES].to_numpy()})
    assert_allclose(answer, load(tmp_path / "m.skops").predict(table[FEATURES]), atol=1e-9)


def test_what_fails_late_leaves_nothing(songs, tmp_path):
    files = ("-o", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx", "--picture", tmp_path / "p.png")
    result = run("fit", songs / "dist.csv", *NAMES, "--method", "sabfgs", *files, "--show", "influence", fails=True)
    assert "no picture of influence" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", LEARNERS)
def test_every_method_can_be_asked_for(method):
    assert type(make(LEARNERS, method, {})).__name__ == LEARNERS[method]


def test_a_kept_enhancer_answers_for_new_items(songs, tmp_path):
    table = pd.read_csv(songs / "in.csv")
    enhancer = BDLE().fit(table[FEATURES], table[LABELS])
    save(enhancer, tmp_path / "bdle.skops")
    run("predict", tmp_path / "bdle.skops", songs / "new.csv", "-o", tmp_path / "pred.csv")
    assert_allclose(pd.read_csv(tmp_path / "pred.csv")[LABELS], enhancer.transform(table[FEATURES]), rtol=1e-12)


def test_what_has_no_onnx_is_refused_and_nothing_is_written(songs, tmp_path):
    options = ("--method", "ptbayes", "-o", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")
    result = run("fit", songs / "dist.csv", *NAMES, *options, fails=True)
    assert result.exit_code == 1
    assert "PTBayes" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("show", ["calibration", "coefficients", "influence"])
def test_pictures_of_a_model(songs, tmp_path, show):
    picture = tmp_path / "picture.svg"
    options = ("--method", "bdldlcv", "-o", tmp_path / "m.skops", "--picture", picture, "--show", show)
    run("fit", songs / "dist.csv", *NAMES, *options)
    assert {"calibration": "degree", "coefficients": "tempo", "influence": "ridge"}[show] in picture.read_text()


def test_a_picture_that_a_model_has_not(songs, tmp_path):
    options = ("--method", "aaknn", "--picture", tmp_path / "p.png", "--show", "coefficients")
    result = run("fit", songs / "dist.csv", *NAMES, *options, "-o", tmp_path / "m.skops", fails=True)
    assert "no picture of coefficients" in result.stderr
    assert not list(tmp_path.iterdir())


def test_pictures_of_predictions(songs, tmp_path):
    drawn = {}
    for show in ("calibration", "scatter", "bars", "ternary"):
        picture = tmp_path / f"{show}.svg"
        options = ("--item", "title", "--picture", picture, "--show", show)
        run("evaluate", songs / "dist.csv", songs / "pred.csv", *NAMES, *options)
        drawn[show] = picture.read_text()
    assert len(set(drawn.values())) == 4
    assert [show for show, content in drawn.items() if "Song " in content] == ["bars"]
    assert [show for show, content in drawn.items() if "joy" in content] == ["scatter", "bars", "ternary"]


def test_pictures_of_new_items(songs, tmp_path):
    options = ("--picture", tmp_path / "picture.svg", "--show", "bars", "--item", "title")
    run("predict", songs / "model.skops", songs / "new.csv", "-o", tmp_path / "pred.csv", *options)
    assert "Song 1" in (tmp_path / "picture.svg").read_text()


def test_a_model_without_names_takes_columns_in_their_order_and_says_so(songs, table, tmp_path):
    save(BDLDL().fit(table[FEATURES].to_numpy(), table[LABELS].to_numpy()), tmp_path / "m.skops")
    table[FEATURES].to_csv(tmp_path / "new.csv", index=False)
    result = run("predict", tmp_path / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "pred.csv")
    assert "does not know the names" in result.stderr
    assert list(pd.read_csv(tmp_path / "pred.csv").columns) == [*FEATURES, "label_0", "label_1", "label_2"]
    table.to_csv(tmp_path / "more.csv", index=False)
    result = run("predict", tmp_path / "m.skops", tmp_path / "more.csv", fails=True)
    assert "takes 3 features" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fit", "{songs}/dist.csv", *NAMES, "-o", "m.skops", "--set", "ridge=1"], 2, "--set needs a --method"),
        (["fit", "{songs}/dist.csv", *NAMES], 2, "Missing option '--output'"),
        (["fit", "{songs}/dist.csv", *NAMES, "-o", "-"], 2, "goes to a file"),
        (["fit", "{songs}/dist.csv", *NAMES, "-o", "m", "--onnx", "m"], 2, "cannot all go to one file"),
        (["fit", "{songs}/dist.csv", "-l", "", "-o", "m.skops"], 1, "No label is named"),
        (["fit", "{songs}/dist.csv", *NAMES, "-o", "m.skops", "--weights", "*"], 1, "no item or weight column '*'"),
        (["predict", "{songs}/model.skops", "{songs}/new.csv", "--item", "name"], 1, "no item column 'name'"),
        (["predict", "{songs}/dist.csv", "{songs}/new.csv"], 1, "is not a model file"),
        (["predict", "none.skops", "{songs}/new.csv"], 1, "none.skops"),
        (
            ["predict", "{songs}/model.skops", "{songs}/pred.csv"],
            1,
            "The table lacks columns of which the model makes its prediction: tempo",
        ),
    ],
)
def test_calls_that_cannot_be(songs, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    result = run(*(part.format(songs=songs) for part in arguments), fails=True)
    assert result.exit_code == code
    assert message in " ".join(result.output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_features_that_look_like_labels_or_weights_are_told(songs, table, tmp_path):
    table.assign(votes=3).to_csv(tmp_path / "dist.csv", index=False)
    options = ("--method", "bdldl", "-o", tmp_path / "m.skops")
    notes = run_json("fit", tmp_path / "dist.csv", "-l", "joy,calm", *options)["notes"]
    assert any("--weights votes" in note for note in notes)
    assert any("the labels and column 'fear' sum to 1 in every row" in note for note in notes)


def test_rows_without_a_degree_are_refused_by_their_number(songs, table, tmp_path):
    table.loc[3, LABELS] = 0
    table.to_csv(tmp_path / "dist.csv", index=False)
    fit = ("fit", tmp_path / "dist.csv", "-o", tmp_path / "m.skops")
    for arguments in (fit, ("evaluate", tmp_path / "dist.csv", songs / "pred.csv")):
        result = run(*arguments, *NAMES, fails=True)
        assert result.exit_code == 1
        assert "Data row 4 of" in result.stderr


def test_only_one_table_comes_from_standard_input():
    assert "only one of the two" in " ".join(run("evaluate", "-", "-", *NAMES, fails=True).output.split())
