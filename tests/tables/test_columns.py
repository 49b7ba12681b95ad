"""Choice of label and feature columns, and conversion of cells to numbers."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from labeldist._tables.columns import choose_columns, match_columns, numbers, read_label_names, typed
from labeldist.exceptions import TableError

SONGS = pd.DataFrame(
    {
        "": ["0", "1", "2"],
        "title": ["Aria", "Blues", "Canon"],
        "tempo": ["90", "1.2e2", "100"],
        "live": ["True", "False", "True"],
        "mood_joy": ["1", "0", "1"],
        "mood_fear": ["0", "1", "1"],
    }
)
XML = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def test_other_columns_of_numbers_are_features():
    table = choose_columns(SONGS, "mood_joy,mood_fear")
    assert table.labels == ["mood_joy", "mood_fear"]
    assert table.features == ["tempo", "live"]
    assert list(table.left_out) == ["", "title"]
    assert "'Aria'" in table.left_out["title"]
    assert table.X.to_numpy().tolist() == [[90, 1], [120, 0], [100, 1]]
    assert table.Y.to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_labels_by_pattern_list_and_file(tmp_path):
    (tmp_path / "labels.txt").write_text("mood_fear\nmood_joy\n", encoding="utf-8")
    assert choose_columns(SONGS, "mood_*").labels == ["mood_joy", "mood_fear"]
    assert choose_columns(SONGS, ["mood_fear", "mood_*"]).labels == ["mood_fear", "mood_joy"]
    assert choose_columns(SONGS, str(tmp_path / "labels.txt")).labels == ["mood_fear", "mood_joy"]


def test_features_and_ignored_columns():
    assert choose_columns(SONGS, "mood_*", features="live,t*", ignore="title").features == ["live", "tempo"]
    assert choose_columns(SONGS, "mood_joy", ignore="mood_fear,live").features == ["tempo"]
    assert choose_columns(SONGS, "mood_*", prepare=True).features == ["title", "tempo", "live"]


def test_names_and_lists_are_left_out_of_prepared_features():
    table = pd.DataFrame({"id": [f"a{k}" for k in range(9)], "votes": [[k] for k in range(9)], "joy": 1, "fear": 0})
    table["said"] = [f"It is the day number {k}" for k in range(9)]
    found = choose_columns(table, "joy,fear", prepare=True)
    assert found.features == ["said"]
    assert list(found.left_out) == ["id", "votes"]


def test_column_names_with_blanks_and_commas(tmp_path):
    columns = [" joy", "fear", "a,b"]
    assert match_columns(" joy,fear", columns, "label") == [" joy", "fear"]
    assert match_columns(["fear ", "a,b"], columns, "label") == ["fear", "a,b"]
    assert match_columns("a,b", columns, "label") == ["a,b"]
    (tmp_path / "labels.txt").write_text(" joy\n fear\na,b\n", encoding="utf-8")
    assert match_columns(str(tmp_path / "labels.txt"), columns, "label") == columns
    assert match_columns("a*", ["a*", "ab"], "label") == ["a*"]
    grid = ["Q1[SQ001]", "Q1[SQ002]", "Q10", "other"]  # of LimeSurvey
    assert match_columns("Q1[*]", grid, "label") == match_columns("Q1[SQ001],*[SQ002]", grid, "label") == grid[:2]
    with pytest.raises(TableError, match="Did you mean ' joy'"):
        match_columns("joy", columns, "label")


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"labels": "mood_joi,mood_fear"}, "label .*'mood_joi'.* mood_joy"),
        ({"labels": "feel_*"}, r"'feel_\*'.* title, tempo"),
        ({"labels": ""}, "title, tempo"),
        ({"labels": "mood_*", "features": "temop"}, "feature .*'temop'.* tempo"),
        ({"labels": "mood_*", "ignore": "mood_joy"}, "mood_joy"),
        ({"labels": "mood_*", "features": "mood_joy"}, "mood_joy"),
        ({"labels": "mood_*,tempo,live"}, "title .*'Aria'.* --prepare"),
    ],
)
def test_wrong_choices_name_the_column(options, facts):
    with pytest.raises(TableError, match=facts):
        choose_columns(SONGS, **options)


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("a.xml", XML.format('<label name="sad"><label name="very sad"></label></label>'), ["sad", "very sad"]),
        ("a.xml", '<labels><label name="sad"/></labels>', ["sad"]),
        ("a.txt", "\ufeffsad\n\n very sad \n \n", ["sad", " very sad "]),
    ],
)
def test_label_names_of_xml_and_text(tmp_path, name, text, labels):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_label_names(tmp_path / name) == labels


ENTITY = '<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>'


@pytest.mark.parametrize("text", ["<labels>", XML.format(""), ENTITY])
def test_files_without_label_names(tmp_path, text):
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=r"a\.xml"):
        read_label_names(tmp_path / "a.xml")


@pytest.mark.parametrize(
    ("cells", "facts"),
    [
        (["1", "fast", "3"], "row 2, column 'x', is 'fast'"),
        (["1", "", "NA"], r"row 2, column 'x', is empty \(2 "),
        (["1", "inf", "3"], "row 2, column 'x', is 'inf'"),
        (["1", "1,000", "3"], "row 2, column 'x', is '1,000'.* 1234.5"),
        (["2", "no", "3"], "row 2, column 'x', is 'no'"),
        (["yes", "0.5", "no"], "row 1, column 'x', is 'yes'"),
        (pd.Categorical(["3", "2", "3"]), "Column 'x' holds categories such as '3'"),
        (pd.array([1, None, 3], dtype="Int64"), "row 2, column 'x', is empty"),
        (pd.to_datetime([None, "2024-01-01", None]), "row 1, column 'x', is empty"),
        (pd.to_timedelta([1, None, 3], unit="D"), "row 1, column 'x', is '1 days"),
    ],
)
def test_cell_that_is_not_a_number_is_named(cells, facts):
    with pytest.raises(TableError, match=facts):
        numbers(pd.DataFrame({"x": cells}), ["x"])


@pytest.mark.parametrize("cells", [["yes", "no", "yes"], ["True", "false", "TRUE"], [True, False, True]])
def test_truth_values_are_numbers(cells):
    assert numbers(pd.DataFrame({"x": cells}), ["x"])["x"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("cells", "fact"),
    [
        (["", "?"], "no values"),
        (pd.to_datetime(["2024-01-01"] * 2), "2024-01-01"),
        (pd.Categorical(["3", "2"]), "categories such as '3'"),
        (["1,000", "2,000"], "not written as 1234.5"),
        (["2024-05-31", "2024-06-01", "unknown"], "dates, but also 'unknown'"),
    ],
)
def test_columns_that_are_left_out(cells, fact):
    table = pd.DataFrame({"x": cells}).assign(y="1", joy="1")
    assert fact in choose_columns(table, "joy").left_out["x"]


def test_nominal_zeros_and_ones_are_numbers():
    """MULAN declares labels and binary features as nominal attributes {0,1}."""
    table = pd.DataFrame({"x": pd.Categorical(["0", "1"]), "joy": pd.Categorical(["1", "0"])})
    chosen = choose_columns(table, "joy")
    assert chosen.X["x"].tolist() == [0, 1]
    assert chosen.Y["joy"].tolist() == [1, 0]


@pytest.mark.parametrize("cells", [["3.9", "3.10"], ["1E1", "2"], ["+4917", "2"], ["1", "1.0"], ["1.50", "2.25"]])
def test_typed_keeps_numbers_that_are_printed_in_another_way(cells):
    table = pd.DataFrame({"x": cells})
    assert typed(table, ["x"])["x"].tolist() == cells
    assert typed(table, ["x"], ["x"])["x"].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize(
    "cells",
    [["5.0", "-0.0", "1e-07", "NA"], [" 5", "0.1", "-3", ""], [Decimal("1.50"), Decimal(2)]],
)
def test_typed_converts_printed_numbers(cells):
    assert typed(pd.DataFrame({"x": cells}), ["x"])["x"].dtype == np.float64


def test_typed_converts_text_of_numbers_only():
    table = pd.DataFrame(
        {
            "n": ["1", "", "2.5"],
            "flag": ["yes", "no", "?"],
            "code": ["007", "1", "2"],
            "word": ["a", "1", "2"],
            "large": ["9007199254740993", "1", ""],
            "grade": pd.Categorical(["1", "2", "3"]),
            "bit": pd.Categorical(["1", "0", "1"]),
        }
    )
    found = typed(table, list(table.columns))
    assert found["n"].dtype == found["bit"].dtype == np.float64
    assert found["flag"].tolist() == ["yes", "no", "?"]
    assert typed(table, ["flag"], ["flag"])["flag"].tolist()[:2] == [1, 0]
    assert found["code"].tolist() == ["007", "1", "2"]
    assert found["word"].tolist() == ["a", "1", "2"]
    assert found["large"].tolist() == ["9007199254740993", "1", ""]
    assert str(found["grade"].dtype) == "category"


def test_columns_may_have_any_name():
    table = pd.DataFrame({"self": ["1", "0"], "joy": ["1", "0"]})
    assert typed(table, ["self"])["self"].tolist() == [1, 0]
    assert choose_columns(table, "self").with_degrees([[0.5], [0.25]])["self"].tolist() == [0.5, 0.25]


def test_degrees_of_labels_in_another_order_raise():
    table = choose_columns(pd.DataFrame({"x": ["1"], "joy": ["1"], "fear": ["0"]}), "joy,fear")
    with pytest.raises(ValueError, match=r"D must have the labels \['joy', 'fear'\]"):
        table.with_degrees(pd.DataFrame({"fear": [0.25], "joy": [0.75]}))


def test_degrees_of_rows_in_another_order_raise():
    table = choose_columns(pd.DataFrame({"x": ["1", "2"], "joy": ["1", "0"], "fear": ["0", "1"]}), "joy,fear")
    with pytest.raises(ValueError, match="in different orders"):
        table.with_degrees(pd.DataFrame({"joy": [0.75, 0.25], "fear": [0.25, 0.75]}, index=[1, 0]))
