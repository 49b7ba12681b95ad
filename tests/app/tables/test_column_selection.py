"""Choice of label and feature columns, and conversion of cells to numbers."""

import numpy as np
import pandas as pd
import pytest

from labeldist.app.tables.column_selection import (
    choose_columns,
    match_columns,
    numeric_columns,
    read_label_names,
    typed,
)
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
XML = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://x/labels">{}</labels>'


def test_other_columns_of_numbers_are_features():
    table = choose_columns(SONGS, "mood_joy,mood_fear")
    assert table.labels == ["mood_joy", "mood_fear"]
    assert table.features == ["tempo", "live"]
    assert list(table.left_out) == ["", "title"]
    assert "'Aria'" in table.left_out["title"]
    assert table.X.to_numpy().tolist() == [[90, 1], [120, 0], [100, 1]]
    assert table.Y.to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_labels_by_pattern_list_and_file(write):
    path = write("labels.txt", "mood_fear\nmood_joy\n")
    assert choose_columns(SONGS, "mood_*").labels == ["mood_joy", "mood_fear"]
    assert choose_columns(SONGS, ["mood_fear", "mood_*"]).labels == ["mood_fear", "mood_joy"]
    assert choose_columns(SONGS, str(path)).labels == ["mood_fear", "mood_joy"]


def test_features_and_ignored_columns():
    chosen = choose_columns(SONGS, "mood_*", features="live,t*", ignore="title")
    assert chosen.features == ["live", "tempo"]
    named = choose_columns(SONGS, "mood_*", features="live,tempo", ignore="tempo,title")
    assert named.features == ["live"]
    assert choose_columns(SONGS, "mood_joy", ignore="mood_fear,live").features == ["tempo"]
    assert choose_columns(SONGS, "mood_*", prepare=True).features == ["title", "tempo", "live"]


def test_names_and_lists_are_left_out_of_prepared_features():
    table = pd.DataFrame({"id": list("abcdefghi"), "votes": [[0]] * 9, "tempo": 2, "joy": 1})
    found = choose_columns(table, "joy", prepare=True)
    assert found.features == ["tempo"]
    assert list(found.left_out) == ["id", "votes"]


def test_column_names_with_blanks_commas_and_brackets():
    columns = [" joy", "fear", "a,b"]
    assert match_columns(" joy,fear", columns, "label") == [" joy", "fear"]
    assert match_columns(["fear ", "a,b"], columns, "label") == ["fear", "a,b"]
    assert match_columns("a*", ["a*", "ab"], "label") == ["a*"]
    grid = ["Q1[SQ001]", "Q1[SQ002]", "Q10", "other"]  # of LimeSurvey
    assert match_columns("Q1[*]", grid, "label") == grid[:2]
    with pytest.raises(TableError, match="Did you mean  joy"):
        match_columns("joy", columns, "label")


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"labels": "mood_joi,mood_fear"}, "'mood_joi'.* mood_joy"),
        ({"labels": "feel_*"}, r"'feel_\*'"),
        ({"labels": "mood_*", "features": "temop"}, "'temop'.* tempo"),
        ({"labels": "mood_*", "ignore": "mood_joy"}, "mood_joy"),
        ({"labels": "mood_*,tempo,live"}, "title .*'Aria'"),
    ],
)
def test_wrong_choices_name_the_column(options, facts):
    with pytest.raises(TableError, match=facts):
        choose_columns(SONGS, **options)


def test_table_of_labels_alone():
    with pytest.raises(TableError, match=r"^The table has no feature column\. Join"):
        choose_columns(pd.DataFrame({"joy": ["1"]}), "joy")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", XML.format('<label name="sad"><label name="very sad"></label></label>')),
        ("a.txt", "\ufeffsad\n\n very sad \n \n"),
    ],
)
def test_label_names_of_xml_and_text(write, name, text):
    assert read_label_names(write(name, text)) == ["sad", "very sad"]


ENTITY = '<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>'


@pytest.mark.parametrize(("text", "fact"), [("<labels>", "no element"), (ENTITY, "has a DTD")])
def test_files_without_label_names(write, text, fact):
    with pytest.raises(TableError, match=rf"a\.xml.*{fact}"):
        read_label_names(write("a.xml", text))


@pytest.mark.parametrize(
    ("cells", "facts"),
    [
        (["1", "fast", "3"], "row 2, column 'x', is 'fast'"),
        (["1", "", "NA"], "row 2, column 'x', is empty"),
        (["yes", "0.5", "no"], "row 1, column 'x', is 'yes'"),
        (pd.array([1, None, 3], dtype="Int64"), "row 2, column 'x', is empty"),
    ],
)
def test_cell_that_is_not_a_number_is_named(cells, facts):
    with pytest.raises(TableError, match=facts):
        numeric_columns(pd.DataFrame({"x": cells}), ["x"])


def test_long_cell_is_shortened():
    with pytest.raises(TableError, match=r"is 'A{40}…', not a finite number"):
        numeric_columns(pd.DataFrame({"x": ["A" * 1_000_000]}), ["x"])


def test_huge_labels_are_named():
    frame = pd.DataFrame({"x": ["1", "2"], "joy": ["1", "1e308"]})
    with pytest.raises(TableError, match=r"row 2, column 'joy', is 1e\+308, more than 1e\+100"):
        _ = choose_columns(frame, "joy").Y


def test_negative_labels_are_named():
    table = choose_columns(pd.DataFrame({"x": ["1", "2"], "joy": ["1", "-1"]}), "joy")
    with pytest.raises(TableError, match="row 2, column 'joy', is -1"):
        _ = table.Y


@pytest.mark.parametrize(
    ("cells", "fact"),
    [
        (["", "?"], "no values"),
        (pd.Categorical(["3", "2"]), "categories such as '3'"),
        (["1,000", "2,000"], "not written as 1234.5"),
    ],
)
def test_columns_that_are_left_out(cells, fact):
    table = pd.DataFrame({"x": cells}).assign(y="1", joy="1")
    assert fact in choose_columns(table, "joy").left_out["x"]


@pytest.mark.parametrize(
    "cells", [["3.9", "3.10"], ["1E1", "2"], ["007", "1"], ["9007199254740993"]]
)
def test_typed_keeps_numbers_that_are_printed_in_another_way(cells):
    table = pd.DataFrame({"x": cells})
    assert typed(table, ["x"])["x"].tolist() == cells
    assert typed(table, ["x"], ["x"])["x"].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize("cells", [["5.0", "-0.0", "1e-07", "NA"], [" 5", "0.1", "-3", ""]])
def test_typed_converts_printed_numbers(cells):
    assert typed(pd.DataFrame({"x": cells}), ["x"])["x"].dtype == np.float64


def test_typed_keeps_words():
    table = pd.DataFrame({"flag": ["yes", "no"], "grade": pd.Categorical(["1", "2"])})
    pd.testing.assert_frame_equal(typed(table, ["flag", "grade"]), table)
    assert typed(table, ["flag"], ["flag"])["flag"].tolist() == [1, 0]


@pytest.mark.parametrize("prepare", [False, True])
def test_columns_without_values_are_left_out(prepare):
    table = choose_columns(SONGS.assign(comment=""), "mood_*", prepare=prepare)
    assert table.left_out["comment"] == "has no values"


def test_degrees_in_another_order_raise():
    table = choose_columns(SONGS, "mood_*")
    with pytest.raises(ValueError, match="the labels"):
        table.with_degrees(table.Y[["mood_fear", "mood_joy"]])
    with pytest.raises(ValueError, match="different orders"):
        table.with_degrees(table.Y[::-1])
