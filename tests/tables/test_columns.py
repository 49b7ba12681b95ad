"""Labels and features are found by name, pattern or file, and wrong cells by row and column."""

import numpy as np
import pandas as pd
import pytest

from labeldist._tables.columns import choose_columns, degrees, match_columns, numbers
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


def test_other_columns_of_numbers_are_features_and_the_rest_is_told():
    table = choose_columns(SONGS, "mood_joy,mood_fear")
    assert table.labels == ["mood_joy", "mood_fear"]
    assert table.features == ["tempo", "live"]
    assert table.left_out == {"": "only counts the rows", "title": "holds words such as 'Aria'"}
    assert table.X.to_numpy().tolist() == [[90, 1], [120, 0], [100, 1]]
    assert table.Y.to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_degrees_take_the_place_of_labels_and_nothing_else_changes():
    table = choose_columns(SONGS, "mood_*")
    out = table.with_degrees(np.full((3, 2), 0.5))
    assert list(out.columns) == list(SONGS.columns)
    assert out["mood_fear"].tolist() == [0.5] * 3
    assert out["tempo"].tolist() == SONGS["tempo"].tolist()


def test_labels_by_pattern_order_and_file(tmp_path):
    (tmp_path / "labels.txt").write_text("mood_fear\nmood_joy\n", encoding="utf-8")
    assert choose_columns(SONGS, "mood_*").labels == ["mood_joy", "mood_fear"]
    assert choose_columns(SONGS, ["mood_fear", "mood_*"]).labels == ["mood_fear", "mood_joy"]
    assert choose_columns(SONGS, str(tmp_path / "labels.txt")).labels == ["mood_fear", "mood_joy"]


def test_features_can_be_named_and_others_ignored():
    assert choose_columns(SONGS, "mood_*", features="live,t*", ignore="title").features == ["live", "tempo"]
    assert choose_columns(SONGS, "mood_joy", ignore="mood_fear,live").features == ["tempo"]
    assert choose_columns(SONGS, "mood_*", prepare=True).features == ["title", "tempo", "live"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "mood_joi,mood_fear"}, "There is no label column 'mood_joi'. Did you mean mood_joy?"),
        ({"labels": "feel_*"}, r"There is no label column 'feel_\*'. There are , title, tempo"),
        ({"labels": "mood_*", "features": "temop"}, "no feature column 'temop'. Did you mean tempo"),
        ({"labels": "mood_*", "ignore": "mood_joy"}, "mood_joy cannot be a label and ignored"),
        ({"labels": "mood_*", "features": "mood_joy"}, "mood_joy cannot be a label and a feature"),
        ({"labels": "mood_*,tempo,live"}, r"No column is left for features.*title holds words .* --prepare"),
    ],
)
def test_columns_that_are_not_there_or_asked_for_twice(options, message):
    with pytest.raises(TableError, match=message):
        choose_columns(SONGS, **options)


def test_a_file_may_name_only_columns_that_are_there(tmp_path):
    (tmp_path / "labels.txt").write_text("mood_joy\nmood_awe\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"labels.txt names columns that are not in the table: mood_awe"):
        match_columns(str(tmp_path / "labels.txt"), SONGS.columns, "label")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1", "fast", "3"], "data row 2, column 'x', is 'fast', no finite number."),
        (["1", "", "NA"], r"data row 2, column 'x', is empty \(2 such cells in this column\)"),
        (["1", "inf", "3"], "data row 2, column 'x', is 'inf', no finite number"),
        (["1", "2,5", "3"], "Write decimals with a point"),
        ([1.0, np.nan, 3.0], "data row 2, column 'x', is empty"),
        (pd.array([1, None, 3], dtype="Int64"), "data row 2, column 'x', is empty"),
        (pd.to_datetime(["2024-01-01"] * 3), "data row 1, column 'x', is '2024-01-01 00:00:00', no finite number"),
    ],
)
def test_a_wrong_cell_is_named_with_its_row_and_column(cells, message):
    with pytest.raises(TableError, match=message):
        numbers(pd.DataFrame({"x": cells}), ["x"])


def test_a_column_of_numbers_with_one_mistake_is_not_left_out():
    table = pd.DataFrame({"x": ["1", "2", "thre"], "joy": ["1", "0", "1"]})
    with pytest.raises(TableError, match="data row 3, column 'x', is 'thre'"):
        _ = choose_columns(table, "joy").X


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["", "?"], "has no filled cell"),
        (pd.to_datetime(["2024-01-01"] * 2), "holds dates such as 2024-01-01 00:00:00"),
    ],
)
def test_why_a_column_is_left_out(cells, reason):
    table = pd.DataFrame({"x": cells, "y": ["1", "2"], "joy": ["1", "0"]})
    assert choose_columns(table, "joy").left_out == {"x": reason}


def test_labels_are_not_negative():
    with pytest.raises(TableError, match="data row 2, column 'joy', is -1: labels are not negative"):
        degrees(pd.DataFrame({"joy": ["1", "-1"]}), ["joy"])
