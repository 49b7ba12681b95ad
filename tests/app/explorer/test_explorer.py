"""Tests of the contents of the explorer's page, without a browser."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import StandardScaler

from labeldist import BDLE, BayesLE
from labeldist.app.explorer import contents as versions_of
from labeldist.app.explorer import summary as summary
from labeldist.app.explorer import write_explorer
from labeldist.app.explorer.contents import MAX_CHARACTERS, SHARES, cell_texts, check_contents
from labeldist.app.explorer.page import STEPS, embed, render
from labeldist.datasets import binarize, make_artificial
from labeldist.exceptions import OutputError, TableError
from labeldist.metrics import chebyshev, intersection, score_all
from tests.app.explorer.poems import EVIL, LABELS, make_poems
from tests.pages import Elements

FRAME, VERSIONS = make_poems()
BOUNDS = 0.5 * VERSIONS["good"], 0.5 + 0.5 * VERSIONS["good"]


def unpack(text):
    return np.frombuffer(base64.b64decode(text), "<u2").reshape(-1, 3) / STEPS


def test_page_embeds_all_data_as_text_and_loads_nothing(tmp_path):
    path = tmp_path / "new" / "page.html"
    write_explorer(
        path,
        FRAME,
        label_names=LABELS,
        versions=VERSIONS,
        logical=FRAME[LABELS] > 0.4,
        truth="true",
        item="title",
        intervals={"good": BOUNDS},
        title="A & B",
    )
    html = path.read_text(encoding="utf-8")
    elements = Elements(html)
    assert not elements.of("link", "iframe", "object", "img", "b")
    assert not any("src" in attributes for attributes in elements.of("script"))
    assert not re.search(r"@import|url\(", html)
    assert "default-src 'none'" in html
    assert "<h1>A &amp; B</h1>" in html
    start = '<script type="application/json" id="data">'
    data = json.loads(html.partition(start)[2].partition("</script>")[0])
    assert data["names"] == list(FRAME["title"])
    assert data["names"][3] == EVIL
    assert [column["name"] for column in data["columns"]] == ["author", "note"]
    assert data["columns"][0]["cells"] == list(FRAME["author"])
    for version in data["versions"]:
        assert_allclose(unpack(version["degrees"]), VERSIONS[version["name"]], atol=0.5 / STEPS)
    good, true, _ = data["versions"]
    bounds = unpack(good["lower"]), unpack(good["upper"])
    assert_allclose(bounds, BOUNDS, atol=0.5 / STEPS)
    assert "lower" not in true


def test_tables_in_another_order_raise():
    good = pd.DataFrame(VERSIONS["good"], columns=LABELS)
    for table, message in ((good[LABELS[::-1]], "labels"), (good[::-1], "different orders")):
        for options in (
            {"versions": {"good": table}},
            {"versions": VERSIONS, "logical": table > 0.4},
            {"versions": VERSIONS, "intervals": {"good": (table, table)}},
        ):
            with pytest.raises(ValueError, match=message):
                check_contents(FRAME, LABELS, **options)


def test_tables_of_arrow_are_checked():
    good = pa.table(dict(zip(LABELS, np.transpose(VERSIONS["good"]), strict=True)))
    assert check_contents(FRAME, LABELS, {"good": good}).labels == LABELS
    with pytest.raises(TableError, match="must have the labels"):
        check_contents(FRAME, LABELS[::-1], {"good": good})


def test_existing_page_is_replaced_only_if_overwrite(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old")
    options = {"label_names": LABELS, "versions": VERSIONS}
    with pytest.raises(OutputError, match="exists"):
        write_explorer(page, FRAME, **options, overwrite=False)
    assert page.read_text() == "old"
    write_explorer(page, FRAME, **options)
    assert page.read_text() != "old"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (pd.NaT, ""),
        (0.1 + 0.2, "0.3"),
        (pd.Timestamp("2024-05-01"), "2024-05-01"),
        ("007", "007"),
        ("x" * (MAX_CHARACTERS + 1), "x" * (MAX_CHARACTERS - 1) + "…"),
    ],
)
def test_cells_are_readable_text(cell, text):
    assert cell_texts(pd.Series([cell], dtype=object)) == [text]


def test_many_items_are_sampled_and_many_columns_cut(monkeypatch):
    monkeypatch.setattr(summary, "MAX_ITEMS", 50)
    monkeypatch.setattr(summary, "MAX_COLUMNS", 1)
    contents = check_contents(
        FRAME, LABELS, VERSIONS, logical=FRAME[LABELS] > 0.4, intervals={"good": BOUNDS}
    )
    data = embed(contents)
    rows = np.array(data["rows"])
    assert len(rows) == 50
    assert (np.diff(rows) > 0).all()
    good = data["versions"][0]
    assert_allclose(unpack(good["upper"]), BOUNDS[1][rows - 1], atol=1 / STEPS)
    assert [column["name"] for column in data["columns"]] == ["title"]
    *_, items, columns = summary.sentences(contents)
    assert re.search("50.*120", items)
    assert "1 of 3" in columns


def test_one_item_is_singular():
    contents = check_contents(pd.DataFrame(index=range(1)), LABELS, {"read": [[0.2, 0.5, 0.3]]})
    assert next(iter(summary.sentences(contents))).startswith("1 item with 3 labels")


def test_versions_are_scored_with_baselines():
    contents = check_contents(FRAME, LABELS, VERSIONS, truth="true")
    good, poor, mean, equal = summary.scores(contents)
    D = contents.versions["true"]
    assert (poor.trivial, equal.trivial) == (False, True)
    assert good.values == score_all(D, contents.versions["good"])
    assert mean.values == score_all(D, np.tile(D.mean(axis=0), (len(D), 1)))
    assert f"{good.values['chebyshev']:.4f}" in render(contents, "Scores")


def test_pairs_compare_degrees_and_top_labels():
    good_true, *_ = summary.compare_pairs(check_contents(FRAME, LABELS, VERSIONS))
    good, true = VERSIONS["good"], VERSIONS["true"]
    assert good_true.chebyshev == chebyshev(good, true)
    assert good_true.intersection == intersection(good, true)
    assert good_true.agreement == (good.argmax(axis=1) == true.argmax(axis=1)).mean()
    tied = {"read": [[0.2, 0.5, 0.3], [0.2, 0.3, 0.5]], "given": [[1, 1, 0], [1, 1, 0]]}
    (pair,) = summary.compare_pairs(check_contents(pd.DataFrame(index=range(2)), LABELS, tied))
    assert pair.agreement == 0.5


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"versions": {}}, "at least one version"),
        ({"versions": {"one": np.ones((119, 3))}}, r"'one' .*\(119, 3\)"),
    ],
)
def test_invalid_contents_raise_and_write_nothing(tmp_path, change, fact):
    options = {"label_names": LABELS, "versions": VERSIONS} | change
    with pytest.raises(TableError, match=fact):
        write_explorer(tmp_path / "page.html", FRAME, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.LabelWarning")
def test_logical_labels_are_recovered_with_intervals_and_in_equal_shares():
    X, D = make_artificial(60, random_state=0)
    L = binarize(D)
    L[7] = 0
    found = versions_of.from_logical(X, L, [BDLE(), BayesLE()], {"mine": D})
    assert list(found.versions) == ["recovered by BDLE", "recovered by BayesLE", "mine", SHARES]
    assert_array_equal(found.versions["recovered by BDLE"], BDLE().fit_transform(X, L))
    shares = found.versions[SHARES]
    assert_allclose(shares.sum(axis=1), 1)
    assert_array_equal(shares[7], 1 / 3)
    assert_array_equal(np.delete(shares, 7, axis=0) > 0, np.delete(L, 7, axis=0) == 1)
    assert list(found.intervals) == ["recovered by BayesLE"]
    expected = BayesLE().fit(X, L).interval(0.9)
    assert_array_equal(found.intervals["recovered by BayesLE"], expected)


def test_degrees_are_the_truth_of_predictions_out_of_fold(monkeypatch):
    X, D = make_artificial(60, random_state=0)
    assert versions_of.from_degrees("mine", D, {}).truth is None
    assert versions_of.from_degrees("mine", D, {"other": D}).truth == "mine"
    monkeypatch.setattr(versions_of, "FOLDS", 3)
    ((name, P),) = versions_of.predict_out_of_fold(X, D, StandardScaler()).items()
    changed = D.copy()
    changed[5] = [0, 0, 1]
    again = versions_of.predict_out_of_fold(X, changed, StandardScaler())[name]
    assert_array_equal(again[5], P[5])
    assert not np.array_equal(again, P)
    assert versions_of.predict_out_of_fold(X[:3], D[:3], None) == {}
