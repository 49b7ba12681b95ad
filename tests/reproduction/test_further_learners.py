"""Missing degrees, further measures, and the page on the further learners of the literature."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.comparison import Store
from labeldist.datasets import make_artificial
from labeldist.exceptions import LabelDistError
from reproduction.data import hide_degrees
from reproduction.further_learners import BLOCKS, Records, judge, main
from reproduction.methods import LEARNERS, FilledLearner, Transductive
from reproduction.runner import read_store, run
from reproduction.spec import parse_spec, runs_of
from tests.reproduction.record_tables import failure, runs, table

PAGE = Path(__file__).parents[2] / "docs" / "results" / "further_learners.md"
SPEC = """
name = "further-learners"
title = "Small"
datasets = ["artificial_60", "artificial_70"]

[[part]]
kind = "prediction"
folds = 3
method = [
    { name = "SoftmaxRegressionCV", use = "SoftmaxRegressionCV", role = "ours" },
    { name = "Mean", use = "MeanDistribution", role = "trivial" },
    { name = "LDLLRR", use = "SABFGS" },
    { name = "LDL4C", use = "AAKNN" },
    { name = "Failing", use = "AAKNN", parameters = { n_neighbors = 1000 } },
]

[[part]]
kind = "prediction"
folds = 3
missing = [0.2, 0.4]
method = [
    { name = "Mean", use = "FilledLearner", role = "trivial", parameters = MEAN },
    { name = "Filled", use = "FilledLearner", parameters = { learner = "SABFGS", fill = "rest" } },
]

[[part]]
kind = "recovery"
method = [{ name = "Uniform", use = "Uniform", role = "trivial" }, { name = "FCM", use = "FCM" }]

[[part]]
kind = "new-rows"
folds = 3
method = [
    { name = "DLDL", use = "EnhancedLearner", parameters = ENHANCED },
    { name = "Truth", use = "SABFGS", role = "oracle" },
]
"""
SPEC = SPEC.replace("MEAN", '{ learner = "MeanDistribution" }')
SPEC = SPEC.replace("ENHANCED", '{ enhancer = "FCM", learner = "MeanDistribution" }')
EXPERIMENT = {"experiment": "further-learners", "kind": "prediction"}
X, D = make_artificial(60, random_state=0)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("further_learners") / "records.sqlite"
    with Store(path) as store:
        run([parse_spec(SPEC)], store, jobs=1)
    return path


@pytest.fixture(scope="module")
def page(store):
    path = store.with_name("page.md")
    path.write_text(PAGE.read_text("utf-8"), encoding="utf-8")
    main([str(store), str(path)])
    return path


def block(page, name):
    start = f"<!-- further-learners: {name} -->\n"
    return page.read_text("utf-8").split(start)[1].split("<!-- end -->")[0]


def test_hidden_degrees():
    table = hide_degrees(D, 0.4, [0, 1])
    hidden = np.isnan(table)
    assert hidden.mean() == pytest.approx(0.4, abs=0.06)
    assert_allclose(table[~hidden], D[~hidden])
    assert (np.isnan(hide_degrees(D, 0.999, 0)).sum(axis=1) == D.shape[1] - 1).all()


def test_filled_tables(monkeypatch):
    class Memory:
        def fit(self, X, y):
            self.y = y
            return self

    monkeypatch.setitem(LEARNERS, "Memory", Memory)
    y = np.array([[0.5, 0.2, np.nan], [0.3, np.nan, np.nan], [0.1, 0.4, 0.5]])
    filled = FilledLearner("Memory").fit(X[:3], y).model_.y
    assert_allclose(filled[1], np.array([0.3, 0.3, 0.5]) / 1.1)
    shared = FilledLearner("Memory", fill="rest").fit(X[:3], y).model_.y
    assert_allclose(shared, [[0.5, 0.2, 0.3], [0.3, 0.7 * 3 / 8, 0.7 * 5 / 8], y[2]])


def test_transductive_learner_sees_new_rows(monkeypatch):
    class Learner:
        def fit_predict(self, X, y, X_new):
            return np.tile(y.mean(axis=0), (len(X_new), 1)) + len(X)

    monkeypatch.setitem(LEARNERS, "Learner", Learner)
    predicted = Transductive("Learner").fit(X, D).predict(X[:2])
    assert_allclose(predicted, [D.mean(axis=0) + 60] * 2)


def test_missing_degrees_are_variants_with_own_keys():
    parts = list(runs_of(parse_spec(SPEC)))
    hidden = [one for one in parts if one.missing]
    assert {one.variant for one in hidden} == {"20 % missing", "40 % missing"}
    assert len({one.key for one in parts}) == len(parts)
    assert len({one.work for one in hidden}) == len(hidden)


def test_predictions_record_ranks_and_top_label(store):
    further, usual = read_store(store, attributes=True), read_store(store)
    assert {"spearman", "kendall", "top_label"} == set(further["measure"]) - set(usual["measure"])
    assert set(usual["measure"]) <= set(further["measure"])


def wave(methods):
    """Return records of the baselines and of methods."""
    given = {"measures": ["kl_divergence"], "folds": 3, **EXPERIMENT}
    baseline = runs({"SoftmaxRegressionCV": 0.2}, role="ours", **given)
    return baseline + runs({"Mean": 0.3, **methods}, **given)


def test_verdicts():
    methods = {
        "A": lambda name, _: 0.1 + len(name) / 1000,
        "B": 0.25,
        "C": lambda name, _: 0.1 if name == "Movie" else 0.2,
    }
    found = judge(Records(table(wave(methods))), "kl_divergence", list(methods)).set_index("method")
    assert found["verdict"].to_dict() == {"A": "better", "B": "worse", "C": "no clear difference"}
    assert found.loc["B", "mean"] == pytest.approx(0.25)
    columns = ["better", "worse", "beats_mean", "beats_all", "sets"]
    assert found.loc["B", columns].tolist() == [0, 13, 13, 0, 13]


def test_failed_sets_do_not_count():
    rows = [row for row in wave({"A": 0.1}) if (row["method"], row["dataset"]) != ("A", "Movie")]
    late = {"status": "timeout", "reason": "longer than 60 s", **EXPERIMENT}
    known = Records(table([*rows, failure(method="A", dataset="Movie", **late)]))
    assert judge(known, "kl_divergence", ["A"]).loc[0, "sets"] == 12
    assert "A on Movie, prediction: longer than 60 s" in BLOCKS["divergences"](known)


def test_seconds_are_medians_over_folds():
    rows = wave({"A": 0.1})
    for row in rows:
        row["seconds"] = [1.0, 30.0, 2.5][row["fold"]]
    assert "| A | 2.50 | 2.50 | 2.50 | 2.50 |" in BLOCKS["seconds"](Records(table(rows)))


def test_page_has_all_blocks(page):
    assert "| LDL4C | Top label |" in block(page, "verdicts")
    assert "Failing on artificial_60" in block(page, "divergences")
    assert "| artificial_70, 40 % missing |" in block(page, "missing")
    assert "| FCM |" in block(page, "recovery")
    assert "| artificial_60 |" in block(page, "new rows")


def test_page_without_block_raises(store, tmp_path):
    (tmp_path / "page.md").write_text("# Empty\n")
    with pytest.raises(LabelDistError, match="basis"):
        main([str(store), str(tmp_path / "page.md")])
