"""``labeldist enhance``."""

import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLE
from labeldist.datasets import read_table
from labeldist.datasets.readers import load_mat
from labeldist.enhancement import GLLE
from tests.cli.conftest import FEATURES, LABELS
from tests.cli.in_process import run, run_json


@pytest.fixture
def table(songs):
    return pd.read_csv(songs / "in.csv")


def test_degrees_take_the_place_of_labels_and_the_rest_stays(songs, table, tmp_path):
    result = run("enhance", songs / "in.csv", "--labels", "joy,fear,calm", "-o", tmp_path / "dist.csv")
    written = pd.read_csv(tmp_path / "dist.csv")
    assert list(written.columns) == list(table.columns)
    assert_allclose(written[LABELS], BDLE().fit_transform(table[FEATURES], table[LABELS]), rtol=1e-12)
    assert written["title"].tolist() == table["title"].tolist()
    assert "120 items, 3 labels, recovered by BDLE from 3 features" in result.stdout
    assert "column 'title' is no feature" in result.stderr


def test_standard_input_and_output(songs, table):
    result = run("enhance", "-", "-l", "joy,fear,calm", input=(songs / "in.csv").read_text())
    written = pd.read_csv(io.StringIO(result.stdout))
    assert_allclose(written[LABELS].sum(axis=1), 1)


def test_the_method_and_its_parameters(songs, table, tmp_path):
    out = tmp_path / "dist.parquet"
    settings = ("--method", "glle", "--set", "smoothness=0.1", "--set", "output=project")
    facts = run_json("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", out, *settings)
    expected = GLLE(smoothness=0.1, output="project").fit_transform(table[FEATURES], table[LABELS])
    assert_allclose(pd.read_parquet(out)[LABELS], expected)
    assert facts["method"] == "glle"
    assert facts["features"] == FEATURES
    assert_allclose(list(facts["mean_distribution"].values()), expected.mean(axis=0))
    assert "title" in facts["notes"][0]


def test_features_can_be_chosen_ignored_and_prepared(songs, table, tmp_path):
    def features(*options):
        out = tmp_path / "dist.csv"
        arguments = ("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", out, "--force", *options)
        return run_json(*arguments)["features"]

    table.assign(key=np.where(np.arange(120) % 2, "major", "minor")).to_csv(tmp_path / "in.csv", index=False)
    assert features() == FEATURES
    assert features("--ignore", "tempo") == FEATURES[1:]
    assert features("--features", "t*o,pitch") == ["tempo", "pitch"]
    assert features("--prepare", "--item", "title") == [*FEATURES, "key"]


def test_a_column_of_numbers_that_names_items_is_told(songs, table, tmp_path):
    table.assign(song_id=range(120)).to_csv(tmp_path / "in.csv", index=False)
    result = run("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "out.csv")
    assert "add --ignore song_id" in result.stderr


@pytest.mark.parametrize("show", ["ambiguous", "bars", "ternary"])
def test_pictures(songs, tmp_path, show):
    picture = tmp_path / "picture.svg"
    options = ("--item", "title", "--picture", picture, "--show", show)
    run("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "out.csv", *options)
    drawn = picture.read_text()
    assert ("Song " in drawn) == (show != "ternary")
    assert "joy" in drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labels", "joy,fear", "--show", "ternary", "--picture", "p.png"], "three labels, and here are 2"),
        (["--labels", "joy,fear,calm", "--picture", "p.docx"], "p.docx does not end in the name of a format"),
        (["--labels", "joy,fear,calm", "-o", "out.docx"], "out.docx has no known format"),
        (["--labels", "joy,fear,calm", "--json"], "cannot both go to standard output"),
        (["--labels", "joy,fear,calm", "--method", "bdel"], "Did you mean bdle"),
    ],
)
def test_options_that_cannot_be(songs, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run("enhance", songs / "in.csv", *options, fails=True)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("labels", "change", "message"),
    [
        ("joy,fear,calm", {"calm": 2}, "column 'calm', is 2: degrees are recovered from labels that are 0 or 1"),
        ("joy", {}, "joy is the only label"),
        ("joy,fear,calm", {"calm": "sad"}, "a column of classes becomes columns of labels with labeldist votes"),
    ],
)
def test_labels_that_are_no_tags_are_refused(songs, table, tmp_path, labels, change, message):
    table.assign(**change).to_csv(tmp_path / "in.csv", index=False)
    result = run("enhance", tmp_path / "in.csv", "-l", labels, "-o", tmp_path / "out.csv", fails=True)
    assert result.exit_code == 1
    assert message in result.stderr


def test_tags_that_say_nothing_and_warnings_of_the_library_become_notes(songs, table, tmp_path):
    table.assign(calm=0, fear="yes").to_csv(tmp_path / "in.csv", index=False)
    result = run("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "out.csv")
    assert "labeldist: note: calm is never on" in result.stderr
    assert "labeldist: note: fear is always on" in result.stderr
    table.loc[0, LABELS] = 0
    table.to_csv(tmp_path / "none.csv", index=False)
    result = run("enhance", tmp_path / "none.csv", "-l", "joy,fear,calm", "-o", tmp_path / "none_out.csv")
    assert "labeldist: note: 1 of 120 rows have no positive label" in result.stderr


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arff", ".npz", ".mat"])
def test_formats_with_types_hold_numbers(songs, table, tmp_path, suffix):
    table.drop(columns="title").to_csv(tmp_path / "in.csv", index=False)
    out = tmp_path / f"dist{suffix}"
    run("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", out)
    written = read_table(out)
    assert list(written.columns) == [*FEATURES, *LABELS]
    assert_allclose(written[FEATURES].to_numpy(float), table[FEATURES])
    if suffix in (".npz", ".mat"):
        assert set(load_arrays(out)) == {"features", "feature_names", "labels", "label_names"}


def load_arrays(path):
    return dict(np.load(path)) if path.suffix == ".npz" else load_mat(path)


def test_words_that_have_no_room_are_refused_before_the_work(songs, tmp_path):
    result = run("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "dist.npz", fails=True)
    assert result.exit_code == 1
    assert "room for numbers only, and title are none" in result.stderr


def test_codes_stay_codes_and_columns_may_be_called_anything(songs, table, tmp_path):
    renamed = table.rename(columns={"joy": "self", "tempo": "frame"}).assign(code=[f"{k:03d}" for k in range(120)])
    renamed.to_csv(tmp_path / "in.csv", index=False)
    run("enhance", tmp_path / "in.csv", "-l", "self,fear,calm", "--ignore", "code", "-o", tmp_path / "dist.parquet")
    written = pd.read_parquet(tmp_path / "dist.parquet")
    assert written["code"].tolist()[:2] == ["000", "001"]
    assert written["frame"].dtype == float


def test_decimal_commas_of_semicolon_files_are_read(songs, table, tmp_path):
    table.to_csv(tmp_path / "in.csv", index=False, sep=";", decimal=",")
    run("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "dist.csv")
    run("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "plain.csv")
    assert_allclose(*(pd.read_csv(tmp_path / name)[LABELS] for name in ("dist.csv", "plain.csv")))
