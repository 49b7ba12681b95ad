"""``labeldist enhance``."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLE, BayesLE
from labeldist.app.cli import options
from labeldist.published import GLLE
from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.songs import FEATURES, LABELS

NAMES = ("-l", "joy,fear,calm")


@pytest.fixture
def table(songs):
    return pd.read_csv(songs / "in.csv")


def enhance(table, *more):
    """Enhance a table in the current folder; return the degrees and the facts."""
    table.to_csv("given.csv", index=False)
    facts = run_json("enhance", "given.csv", *NAMES, "-o", "dist.csv", "--force", *more)
    return pd.read_csv("dist.csv")[LABELS], facts


def test_degrees_replace_tags_and_other_columns_stay(folder, table):
    result = run("enhance", "in.csv", "--labels", "joy,fear,calm", "-o", "dist.csv", "--force")
    written = pd.read_csv("dist.csv")
    assert list(written.columns) == list(table.columns)
    expected = BayesLE(regressor="auto").fit_transform(table[FEATURES], table[LABELS])
    assert_allclose(written[LABELS], expected, rtol=1e-12)
    assert written["title"].tolist() == table["title"].tolist()
    assert "120 items, 3 labels, recovered by BayesLE" in result.stdout
    assert "'title'" in result.stderr


def test_standard_input_and_output(songs):
    result = run("enhance", "-", *NAMES, input=(songs / "in.csv").read_text())
    assert_allclose(pd.read_csv(io.StringIO(result.stdout))[LABELS].sum(axis=1), 1)


@pytest.mark.parametrize(
    ("options", "enhancer"),
    [
        (["--method", "bdle"], BDLE()),
        (["--method", "glle", "--set", "smoothness=0.1"], GLLE(smoothness=0.1)),
    ],
    ids=["bdle", "glle"],
)
def test_methods_and_their_parameters(folder, table, options, enhancer):
    written, facts = enhance(table, *options)
    expected = enhancer.fit_transform(table[FEATURES], table[LABELS])
    assert_allclose(written, expected, rtol=1e-12)
    assert facts["method"] == options[1]
    assert facts["features"] == FEATURES
    assert_allclose(list(facts["mean_distribution"].values()), expected.mean(axis=0))


def test_features_can_be_chosen_ignored_and_prepared(folder, table):
    table["key"] = np.where(np.arange(120) % 2, "major", "minor")

    def features(*options):
        return enhance(table, "--method", "uniform", *options)[1]["features"]

    assert features() == FEATURES
    assert features("--ignore", "tempo") == FEATURES[1:]
    assert features("--features", "t*o,pitch") == ["tempo", "pitch"]
    assert features("--prepare", "--item", "title") == [*FEATURES, "key"]


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--threshold", "0.6"], {"threshold": 0.6}),
        (["--rule", "order"], {"rule": "order"}),
        (["--noise", "0.2"], {"noise": 0.2}),
        (["--noise", "auto", "--set", "spread_prior=[0.5, 0.1]"], {"spread_prior": (0.5, 0.1)}),
    ],
    ids=["threshold", "rule", "noise", "prior"],
)
def test_options_of_bayes_are_its_parameters(folder, table, options, parameters):
    written, facts = enhance(table, *options, "--set", "regressor=None")
    expected = BayesLE(**parameters).fit(table[FEATURES], table[LABELS])
    assert_allclose(written, expected.label_distributions_, rtol=1e-12)
    for name in ("spread", "spread_identified", "noise", "rule", "n_impossible"):
        assert facts[name] == getattr(expected, f"{name}_")
    assert facts["explained"] is None


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.LabelWarning")
def test_assumed_rule_and_its_effect_are_stated(folder, table):
    L = table[LABELS].to_numpy()

    def mass(**parameters):
        D = BayesLE(**parameters).fit_transform(np.empty((120, 0)), L)
        return (D * L).sum(axis=1).mean()

    _, facts = enhance(table[LABELS])
    masses = facts["mass_on_tags"]
    assert list(masses) == ["threshold 0.5", "threshold 0.3", "threshold 0.8", "rule order"]
    expected = [mass(), mass(threshold=0.3), mass(threshold=0.8), mass(rule="order")]
    assert_allclose(list(masses.values()), expected, atol=0.02)
    text = run("enhance", "given.csv", *NAMES, "-o", "again.csv").stdout
    assert "Assumed: tags are the strongest labels, until they exceed one half." in text
    assert f"{masses['threshold 0.5']:.2f} of its degrees on average" in text
    assert f"{masses['threshold 0.8']:.2f} with threshold 0.8" in text
    assert "tags determine" not in text


def test_assumption_about_single_tags(folder, table):
    table[LABELS] = np.eye(3)[np.arange(120) % 3]
    assert list(enhance(table)[1]["mass_on_tags"]) == ["rule order"]
    text = run("enhance", "given.csv", *NAMES, "-o", "again.csv").stdout
    assert "strongest labels, whatever their degrees sum to" in text
    assert "parameter spread_prior" in text


@pytest.mark.slow
def test_only_the_largest_averages_are_printed(folder, rng):
    names = [f"label{k:02d}" for k in range(14)]
    L = rng.random((60, 14)) < np.linspace(0.1, 0.5, 14)
    pd.DataFrame(L.astype(int), columns=names).to_csv("many.csv", index=False)
    text = run("enhance", "many.csv", "-l", "label*", "-o", "many_dist.csv").stdout
    shown = re.findall(r"label\d\d 0\.(\d\d)", text)
    assert len(shown) == 10
    assert shown == sorted(shown, reverse=True)
    assert "4 other labels" in text
    facts = run_json("enhance", "many.csv", "-l", "label*", "-o", "dist.csv", "--force")
    assert list(facts["mean_distribution"]) == names


def test_progress_of_bayes_is_shown(folder, table, monkeypatch):
    shown = []

    def update(self, task, *, completed, total, description):
        shown.append((description.partition(": ")[2], completed / total))

    monkeypatch.setattr("rich.progress.Progress.update", update)
    enhance(table, "--set", "regressor=kernel")
    stages = list(dict(shown))
    assert stages == ["model of the tags", "model with features", "degrees of the items"]
    for stage in stages:
        shares = [share for name, share in shown if name == stage]
        assert len(shares) > 50
        assert shares[-1] == 1


def test_bayes_needs_no_features(folder, table):
    written, facts = enhance(table[LABELS])
    expected = BayesLE().fit_transform(np.empty((120, 0)), table[LABELS])
    assert_allclose(written, expected, rtol=1e-12)
    assert facts["features"] == []
    assert "no feature column" in error_of("enhance", "given.csv", *NAMES, "--method", "bdle")


def test_bayes_ignores_features_of_large_tables_by_default(folder, table, monkeypatch):
    monkeypatch.setattr(options, "MAX_ROWS_WITH_FEATURES", 119)
    table = table.drop(columns="title")
    _, facts = enhance(table)
    assert facts["explained"] is None
    assert "119" in facts["notes"][0]
    _, facts = enhance(table, "--set", "regressor=auto")
    assert facts["explained"] > 0.4
    assert facts["notes"] == []


def test_table_of_standard_deviations(folder, table):
    arguments = ("enhance", "in.csv", *NAMES, "-o", "out.csv", "--std", "std.parquet")
    run(*arguments)
    written = pd.read_parquet("std.parquet")
    assert list(written.columns) == list(table.columns)
    expected = BayesLE(regressor="auto").fit(table[FEATURES], table[LABELS])
    assert_allclose(written[LABELS], expected.label_std_, rtol=1e-12)
    (folder / "out.csv").unlink()
    assert "std.parquet exists" in error_of(*arguments)
    assert not (folder / "out.csv").exists()


def test_warnings_become_notes(folder, table):
    table.loc[0, LABELS] = 0
    table.to_csv("in.csv", index=False)
    notes = run("enhance", "in.csv", *NAMES, "-o", "empty.csv").stderr
    assert "labeldist: note: 1 of 120 rows" in notes


@pytest.mark.parametrize("show", ["ambiguous", "bars", "ternary"])
def test_pictures(folder, show):
    options = ("--item", "title", "--picture", "picture.svg", "--show", show)
    run("enhance", "in.csv", *NAMES, "-o", "out.csv", "--method", "uniform", *options)
    drawn = (folder / "picture.svg").read_text()
    assert ("Song " in drawn) == (show != "ternary")
    assert "joy" in drawn


@pytest.mark.parametrize(
    ("options", "code", "fact"),
    [
        (["-l", "joy,fear", "--show", "ternary", "--picture", "p.png"], 1, "three labels"),
        (["-o", "out.docx"], 1, "out.docx"),
        (["--json"], 2, "standard output"),
        (["--method", "bdel"], 2, "Did you mean bdle"),
        (["--method", "bdle", "--threshold", "0.4"], 2, "threshold"),
        (["--method", "bdle", "--std", "std.csv"], 2, "--std"),
        (["--noise", "much"], 2, "'noise'"),
        (["--rule", "order", "--noise", "0.1"], 1, "noise must be 0 or 'auto'"),
        (["-l", "joy"], 1, "joy is the only label"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_invalid_options(songs, tmp_path, monkeypatch, options, code, fact):
    monkeypatch.chdir(tmp_path)
    assert fact in error_of("enhance", songs / "in.csv", *NAMES, *options, code=code)
    assert not list(tmp_path.iterdir())


def test_labels_must_be_tags(folder, table):
    table.assign(calm=2).to_csv("in.csv", index=False)
    assert "data row 1, column 'calm', is 2" in error_of(
        "enhance", "in.csv", *NAMES, "-o", "out.csv"
    )


def test_codes_stay_codes_and_columns_may_have_any_name(folder, table):
    renamed = table.rename(columns={"joy": "self", "tempo": "frame"}).assign(
        code=[f"{k:03d}" for k in range(120)]
    )
    renamed.to_csv("in.csv", index=False)
    run("enhance", "in.csv", "-l", "self,fear,calm", "--ignore", "code", "-o", "dist.parquet")
    written = pd.read_parquet("dist.parquet")
    assert written["code"].tolist()[:2] == ["000", "001"]
    assert written["frame"].dtype == float
