"""``labeldist enhance``."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.io
from numpy.testing import assert_allclose

from labeldist import BDLE, BayesLE
from labeldist.cli import methods
from labeldist.datasets import binarize, read_table
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
    expected = BayesLE(regressor="auto").fit_transform(table[FEATURES], table[LABELS])
    assert_allclose(written[LABELS], expected, rtol=1e-12)
    assert written["title"].tolist() == table["title"].tolist()
    assert "120 items, 3 labels, recovered by BayesLE from tags and 3 features" in result.stdout
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


def enhanced(tmp_path, table, *more, labels=LABELS):
    """Enhance a table; return the degrees and what is said as JSON."""
    table.to_csv(tmp_path / "given.csv", index=False)
    arguments = ("enhance", tmp_path / "given.csv", "-l", ",".join(labels), "-o", tmp_path / "dist.csv", "--force")
    facts = run_json(*arguments, *more)
    return pd.read_csv(tmp_path / "dist.csv")[list(labels)], facts


@pytest.mark.parametrize(
    ("more", "parameters"),
    [
        (["--threshold", "0.6"], {"threshold": 0.6}),
        (["--rule", "order"], {"rule": "order"}),
        (["--noise", "0.2"], {"noise": 0.2}),
        (["--noise", "auto", "--set", "spread_prior=[0.5, 0.1]"], {"spread_prior": (0.5, 0.1)}),
    ],
)
def test_the_options_of_bayes_are_its_parameters(table, tmp_path, more, parameters):
    written, facts = enhanced(tmp_path, table, *more, "--set", "regressor=None")
    expected = BayesLE(**parameters).fit(table[FEATURES], table[LABELS])
    assert_allclose(written, expected.label_distributions_, rtol=1e-12)
    assert facts["method"] == "bayes"
    assert facts["spread"] == expected.spread_
    assert facts["spread_identified"] == expected.spread_identified_
    assert facts["noise"] == expected.noise_
    assert facts["rule"] == expected.rule_ == parameters.get("rule", "half")
    assert facts["explained"] is None
    assert facts["n_impossible"] == expected.n_impossible_


def test_the_facts_of_bayes_are_not_those_of_others(table, tmp_path):
    _, facts = enhanced(tmp_path, table, "--method", "uniform")
    assert not {"spread", "spread_identified", "noise", "rule", "explained", "n_impossible"} & set(facts)
    _, facts = enhanced(tmp_path, table)
    assert facts["explained"] > 0.4


def test_bdle_is_still_there(table, tmp_path):
    written, _ = enhanced(tmp_path, table, "--method", "bdle")
    assert_allclose(written, BDLE().fit_transform(table[FEATURES], table[LABELS]), rtol=1e-12)


def test_a_table_of_tags_alone(table, tmp_path):
    for more in ((), ("--prepare",)):
        written, facts = enhanced(tmp_path, table[LABELS], *more)
        assert_allclose(written, BayesLE().fit_transform(np.empty((120, 0)), table[LABELS]), rtol=1e-12)
        assert facts["features"] == []
    result = run("enhance", tmp_path / "given.csv", "-l", "joy,fear,calm", "-o", tmp_path / "out.csv")
    assert "recovered by BayesLE from tags alone." in result.stdout
    for more in (("--method", "bdle"), ("--set", "regressor=kernel")):
        result = run("enhance", tmp_path / "given.csv", "-l", "joy,fear,calm", *more, fails=True)
        assert result.exit_code == 1
        assert "no feature column" in result.stderr


def test_many_rows_are_recovered_without_features_unless_a_person_says_so(table, tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "MOST_ROWS_WITH_FEATURES", 119)
    table = table.drop(columns="title")
    _, facts = enhanced(tmp_path, table)
    assert facts["explained"] is None
    assert facts["notes"][0].startswith("BayesLE uses no features for more than 119 rows.")
    _, facts = enhanced(tmp_path, table, "--set", "regressor=auto")
    assert facts["explained"] > 0.4
    assert facts["notes"] == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_standard_deviations_are_a_table_like_the_degrees(songs, table, tmp_path, suffix):
    out, std = tmp_path / "dist.csv", tmp_path / f"std{suffix}"
    arguments = ("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", out, "--std", std)
    run(*arguments)
    written = pd.read_csv(std) if suffix == ".csv" else pd.read_parquet(std)
    assert list(written.columns) == list(table.columns)
    assert written["title"].tolist() == table["title"].tolist()
    expected = BayesLE(regressor="auto").fit(table[FEATURES], table[LABELS])
    assert_allclose(written[LABELS], expected.label_std_, rtol=1e-12)
    out.unlink()
    result = run(*arguments, fails=True)
    assert result.exit_code == 1
    assert f"std{suffix} exists" in result.stderr
    assert not out.exists()


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.LabelDistWarning")
def test_it_says_how_concentrated_the_degrees_are_and_what_determines_that(songs, table, tmp_path):
    def said(table, *more):
        table.to_csv(tmp_path / "in.csv", index=False)
        arguments = ("enhance", tmp_path / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "out.csv", "--force")
        return run(*arguments, *more).stdout

    enhancer = BayesLE(noise=0).fit(table[FEATURES], table[LABELS])
    top = enhancer.label_distributions_.max(axis=1).mean()
    text = said(table[LABELS], "--noise", "0")
    assert f"\nDegrees: spread {enhancer.spread_:.2f} (the largest label of an item has {top:.2f} on average); " in text
    assert text.endswith(
        "; the tags determine it.\nRecovered degrees cannot be validated without ground truth: collect votes, or judge "
        "a few items by hand.\n"
    )
    text = said(table[LABELS], "--rule", "order")
    assert "; the tags do not determine it, a prior does (see --set spread_prior=[0.3,1.0]).\n" in text
    wrong = np.random.default_rng(0).random((120, 3)) < 0.3
    wrong_tags = table[LABELS] ^ wrong
    noise = BayesLE().fit(table[FEATURES], wrong_tags).noise_
    assert noise > 0.01
    assert f"; the tags determine it. An estimated {100 * noise:.2g} % of the tags are wrong.\n" in said(wrong_tags)
    assert "An estimated" not in said(wrong_tags, "--noise", "0.3")
    assert "spread" not in said(table, "--method", "bdle")


def test_the_warnings_of_bayes_become_notes(tmp_path):
    rng = np.random.default_rng(0)
    names = ["joy", "fear", "calm", "hope"]
    D = rng.dirichlet(np.full(4, 5.0), size=200)
    place = (-D).argsort(axis=1).argsort(axis=1)

    def notes(L):
        return " ".join(enhanced(tmp_path, pd.DataFrame(L.astype(int), columns=names), labels=names)[1]["notes"])

    assert notes(binarize(D)) == ""
    assert "No row has more than one tag" in notes(place < 1)
    assert "The tags do not say how concentrated the degrees are" in notes(place < 2)
    told = notes(place < rng.integers(1, 5, size=(200, 1)))
    assert "rows have more tags than threshold=0.5 allows" in told
    assert "of the tags seem to be wrong" in told


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
        (["--labels", "joy,fear,calm", "-o", "out.docx"], "out.docx"),
        (["--labels", "joy,fear,calm", "--json"], "cannot both go to standard output"),
        (["--labels", "joy,fear,calm", "--method", "bdel"], "Did you mean bdle"),
        *(
            (["--labels", "joy,fear,calm", "--method", "bdle", *own], f"{own[0]} is for --method bayes only")
            for own in (["--threshold", "0.4"], ["--rule", "order"], ["--noise", "0"], ["--std", "std.csv"])
        ),
        (["--labels", "joy,fear,calm", "--noise", "much"], "'noise' parameter of BayesLE must be"),
        (["--labels", "joy,fear,calm", "--threshold", "1.5"], "'threshold' parameter of BayesLE must be"),
        (["--labels", "joy,fear,calm", "--rule", "third"], "Invalid value for '--rule'"),
        (["--labels", "joy,fear,calm", "--rule", "order", "--noise", "0.1"], "noise must be 0 or 'auto'"),
        (["--labels", "joy,fear,calm", "--noise", "0", "--set", "noise=0.1"], "noise is given twice"),
        (["--labels", "joy,fear,calm", "--std", "-"], "this goes to a file"),
        (["--labels", "joy,fear,calm", "--std", "std.docx"], "std.docx"),
        (["--labels", "joy,fear,calm", "--std", "std.npz"], "numbers only"),
        (["--labels", "joy,fear,calm", "-o", "out.csv", "--std", "out.csv"], "cannot all go to one file"),
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
        ("joy,fear,calm", {"calm": "sad"}, "labeldist votes --label"),
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
        assert set(load_arrays(out)) >= {"features", "feature_names", "labels", "label_names"}


def load_arrays(path):
    return dict(np.load(path)) if path.suffix == ".npz" else scipy.io.loadmat(path)


def test_words_that_have_no_room_are_refused_before_the_work(songs, tmp_path):
    result = run("enhance", songs / "in.csv", "-l", "joy,fear,calm", "-o", tmp_path / "dist.npz", fails=True)
    assert result.exit_code == 1
    assert "title" in result.stderr


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
