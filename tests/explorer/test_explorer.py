"""The explorer's page holds what it was given, all of it as text, and says what is true of it."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

from labeldist.exceptions import NotADistributionError, TableError
from labeldist.explorer import _contents as contents
from labeldist.explorer import write_explorer
from labeldist.explorer._contents import MOST_CHARACTERS, MOST_COLUMNS, check_contents, texts
from labeldist.explorer._embedding import STEPS, embed, pack
from labeldist.explorer._page import colours, render
from labeldist.explorer._summary import best, first_items, pairs, scores, sentences
from labeldist.metrics import chebyshev, intersection, score_all
from labeldist.metrics._skill import UNIFORM, describe_skill
from tests.explorer.poems import EVIL, LABELS, make_poems
from tests.pages import Elements

BOUNDS = np.zeros((120, 3)), np.ones((120, 3))


@pytest.fixture(scope="module")
def checked():
    frame, versions = make_poems()
    return check_contents(frame, LABELS, versions, truth="true", item="title", logical=frame[LABELS] > 0.4)


@pytest.fixture(scope="module")
def html(checked):
    return render(checked, "Poems & more")


def embedded(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL).group(1))


def unpack(text, n_labels):
    """Read degrees as the page's script does."""
    return np.frombuffer(base64.b64decode(text), "<u2").reshape(-1, n_labels) / STEPS


def test_degrees_survive_to_the_fifth_digit(rng):
    D = rng.dirichlet(np.ones(7), size=50)
    np.testing.assert_allclose(unpack(pack(D), 7), D, rtol=0, atol=0.5 / STEPS)
    assert len(pack(D)) <= 50 * 7 * 2 * 4 / 3 + 4


def test_the_page_holds_all_that_it_was_given(html):
    frame, versions = make_poems()
    data = embedded(html)
    assert data["names"] == list(frame["title"])
    assert data["rows"] == list(range(1, len(frame) + 1))
    assert {column["name"]: column["cells"] for column in data["columns"]} == {
        name: list(frame[name].astype(str)) for name in ("author", "year", "note")
    }
    for version in data["versions"]:
        np.testing.assert_allclose(unpack(version["degrees"], 3), versions[version["name"]], atol=0.5 / STEPS)


def test_intervals_are_kept_for_the_versions_that_have_them(monkeypatch):
    frame, versions = make_poems()
    lower, upper = 0.5 * versions["good"], 0.5 + 0.5 * versions["good"]
    given = check_contents(frame, LABELS, versions, intervals={"good": (lower, upper)})
    html = render(given, "Intervals")
    data = embedded(html)
    assert [set(version) for version in data["versions"]] == [
        {"name", "degrees", "lower", "upper"}, {"name", "degrees"}, {"name", "degrees"}
    ]  # fmt: skip
    np.testing.assert_allclose(unpack(data["versions"][0]["lower"], 3), lower, atol=0.5 / STEPS)
    np.testing.assert_allclose(unpack(data["versions"][0]["upper"], 3), upper, atol=0.5 / STEPS)
    assert data["largest"] == max(upper.max(), *(D.max() for D in versions.values()))
    assert "90 % interval of the degree" in html
    monkeypatch.setattr(contents, "MOST_ITEMS", 50)
    rows, part = given.drawn()
    np.testing.assert_array_equal(part.intervals["good"], (lower[rows], upper[rows]))


def test_without_intervals_nothing_is_said_of_them(html):
    assert "90 % interval of the degree" not in html
    assert all(set(version) == {"name", "degrees"} for version in embedded(html)["versions"])


def test_cells_are_text_and_never_markup(html):
    assert embedded(html)["names"][3] == EVIL
    assert not Elements(html).of("img", "b")
    assert html.count("</script>") == 2
    assert "&lt;/script&gt;&lt;img" in html  # among the first items, for who has no scripts


def test_the_page_needs_nothing_from_elsewhere(html):
    elements = Elements(html)
    assert not elements.of("link", "iframe", "object", "img")
    assert not any("src" in attributes for attributes in elements.of("script"))
    assert not re.search(r"@import|url\(", html)
    assert "default-src 'none'" in html
    assert "<h1>Poems &amp; more</h1>" in html


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (0.1 + 0.2, "0.3"),
        (1234567.0, "1.23457e+06"),
        (7, "7"),
        (pd.Timestamp("2024-05-01"), "2024-05-01"),
        (pd.Timestamp("2024-05-01 12:30"), "2024-05-01 12:30:00"),
        ("007", "007"),
        (["a", "b"], "['a', 'b']"),
    ],
)
def test_cells_are_written_as_people_read_them(value, text):
    assert texts(pd.Series([value], dtype=object)) == [text]


def test_long_cells_are_cut():
    cells = pd.Series(["x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS + 1)])
    assert texts(cells) == ["x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS - 1) + "…"]


def test_of_many_items_some_are_drawn_and_all_are_counted(monkeypatch):
    frame, versions = make_poems(300)
    given = check_contents(frame, LABELS, versions, item="title", logical=frame[LABELS] > 0.4)
    told = list(sentences(given))
    monkeypatch.setattr(contents, "MOST_ITEMS", 50)
    monkeypatch.setattr("labeldist.explorer._summary.MOST_ITEMS", 50)
    data = embed(given)
    rows = np.array(data["rows"])
    assert len(rows) == 50
    assert (np.diff(rows) > 0).all()
    assert data["names"] == list(frame["title"].iloc[rows - 1])
    np.testing.assert_allclose(unpack(data["versions"][0]["degrees"], 3), versions["good"][rows - 1], atol=1 / STEPS)
    assert len(data["logical"]) == 50 * 3 * 4 / 3
    assert list(sentences(given)) == [
        *told, "The page can hold 50 items, drawn at random from the 300; what is said of all items together is of all."
    ]  # fmt: skip


def test_of_many_columns_the_first_are_shown():
    frame = pd.DataFrame(np.zeros((2, MOST_COLUMNS + 5)), columns=[f"x{k}" for k in range(MOST_COLUMNS + 5)])
    given = check_contents(frame, ["a", "b"], {"true": [[1, 1], [1, 3]]})
    assert [column["name"] for column in embed(given)["columns"]] == list(frame.columns[:MOST_COLUMNS])
    assert list(sentences(given))[-1] == "Of the 45 columns of the table the first 40 are shown."


def test_the_summary_says_how_many_and_how_ambiguous():
    frame = pd.DataFrame({"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})
    D = np.array([[0.5, 0.5], [1.0, 0], [0.45, 0.55], [0.2, 0.8]])
    given = check_contents(frame, ["a", "b"], {"read": D}, logical=frame)
    assert list(sentences(given))[:3] == [
        "4 items with 2 labels: a, b.",
        "An item was given 0.8 of the labels on average; 2 items had none.",
        "By “read” the top label of an item has a degree of 0.71 on average; in 0 items (0 %) no label reaches one "
        "half.",
    ]
    assert "more ambiguous than 2.0; 1 is one clear label, 2 no preference at all." in list(sentences(given))[3]
    assert [item["logical"] for item in first_items(given)] == ["a, b", "a", "none", "none"]
    assert first_items(given)[3] == {"name": "Item 4", "logical": "none", "versions": ["b 0.80, a 0.20"]}


def test_many_labels_are_not_all_listed():
    names = [f"label {k}" for k in range(11)]
    given = check_contents(pd.DataFrame({"x": [1]}), names, {"read": np.ones((1, 11))})
    assert next(sentences(given)).endswith("label 7 and 3 more.")
    assert first_items(given)[0]["logical"] is None


def test_versions_are_measured_beside_the_answers_of_nobody(checked, html):
    found = scores(checked)
    D = checked.versions["true"]
    assert [score.name for score in found] == ["good", "poor", "the mean of “true”", UNIFORM]
    assert [score.trivial for score in found] == [False, False, True, True]
    assert found[0].values == score_all(D, checked.versions["good"])
    assert found[2].values == score_all(D, np.tile(D.mean(axis=0), (len(D), 1)))
    assert found[2].skill == 0
    assert found[0].skill > 0.5 > 0 > found[1].skill
    assert best(found) == found[0].values
    told = list(sentences(checked))
    assert told[-2].startswith(f"“good” explains {100 * found[0].skill:.0f} % of what the mean leaves unexplained (by")
    assert told[-1].startswith(f"“poor” {describe_skill(-1)} (by Kullback-Leibler, against “true”)")
    assert f"<strong>{found[0].values['chebyshev']:.4f}</strong>" in html
    assert f"<strong>{found[1].values['chebyshev']:.4f}</strong>" not in html


def test_without_a_truth_the_first_two_are_compared():
    frame, versions = make_poems()
    given = check_contents(frame, LABELS, versions)
    found = pairs(given)
    assert [(pair.one, pair.other) for pair in found] == [("good", "true"), ("good", "poor"), ("true", "poor")]
    good, true = versions["good"], versions["true"]
    assert found[0].chebyshev == chebyshev(good, true)
    assert found[0].intersection == intersection(good, true)
    assert found[0].agreement == (good.argmax(axis=1) == true.argmax(axis=1)).mean()
    assert scores(given) == []
    told = list(sentences(given))[-1]
    assert told.startswith(f"“good” and “true” agree on the top label of {100 * found[0].agreement:.0f} % of the items")
    assert "How close each version" not in render(given, "No truth")


def test_of_labels_in_equal_shares_each_is_a_top_label():
    versions = {"read": [[0.2, 0.5, 0.3], [0.2, 0.3, 0.5]], "given": [[1, 1, 0], [1, 1, 0]]}
    assert pairs(check_contents(pd.DataFrame(index=range(2)), LABELS, versions))[0].agreement == 0.5


def test_one_version_has_nothing_to_be_compared_with():
    frame, versions = make_poems()
    html = render(check_contents(frame, LABELS, {"true": versions["true"]}), "One")
    assert "All items together" in html
    assert "Apart" not in re.sub(r"<script.*", "", html, flags=re.DOTALL)


def test_the_truth_has_the_colour_of_the_text(checked):
    shown = colours(checked)
    assert shown["true"] == "var(--ink)"
    assert shown["good"] != shown["poor"]


def test_degrees_that_do_not_sum_to_one_are_divided():
    given = check_contents(pd.DataFrame(index=range(2)), ["a", "b"], {"votes": [[3, 1], [0, 2]]})
    np.testing.assert_array_equal(given.first, [[0.75, 0.25], [0, 1]])


def test_it_is_written_whole_into_a_new_folder_even_with_half_a_character(tmp_path):
    frame, versions = make_poems(5)
    frame["note"] = pd.Series(["\ud800 half"] * 5, dtype=object)
    path = write_explorer(tmp_path / "new" / "page.html", frame, label_names=LABELS, versions=versions)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [file.name for file in path.parent.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"versions": {}}, TableError, "120 items, 3 labels, 0 versions"),
        ({"versions": {"one": np.ones((119, 3))}}, TableError, r"'one' has shape \(119, 3\)"),
        ({"versions": {"one": np.ones((120, 4))}}, TableError, r"'one' has shape \(120, 4\)"),
        ({"versions": {"one": -np.ones((120, 3))}}, NotADistributionError, "'one' is negative .* first in row 0"),
        ({"truth": "nothing"}, TableError, "truth is 'nothing', which is none of 'good', 'true', 'poor'"),
        ({"item": "name"}, TableError, "item is 'name', which is none of 'title'"),
        ({"logical": np.ones((2, 3))}, TableError, r"logical has shape \(2, 3\)"),
        ({"logical": np.full((120, 3), 0.5)}, TableError, "logical must hold 0 and 1"),
        ({"intervals": {"none": BOUNDS}}, TableError, "intervals has 'none', which is none of 'good', 'true', 'poor'"),
        ({"intervals": {"good": (BOUNDS[0], BOUNDS[1][:9])}}, TableError, r"bound of 'good' has shape \(9, 3\)"),
        ({"intervals": {"good": BOUNDS[::-1]}}, TableError, "the lower not above the upper"),
        ({"intervals": {"good": (BOUNDS[0], 2 * BOUNDS[1])}}, TableError, "must be between 0 and 1"),
        ({"intervals": {"good": (BOUNDS[0], BOUNDS[1] * np.nan)}}, TableError, "must be between 0 and 1"),
        ({"intervals": {"good": BOUNDS[:1]}}, TableError, "'good' must be two arrays"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, error, message):
    frame, versions = make_poems()
    with pytest.raises(error, match=message):
        write_explorer(tmp_path / "page.html", frame, **({"label_names": LABELS, "versions": versions} | change))
    assert not list(tmp_path.iterdir())
