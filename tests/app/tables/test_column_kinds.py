"""Kinds of columns."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from labeldist.app.tables.column_kinds import TableKinds, kind_of

KINDS = {
    "text of numbers": (["1", " 2.5", "?", "-1e3"], "number"),
    "yes and no": (["yes", "No", None], "truth"),
    "words": ([None, "Rome", "Bern"], "category"),
    "nominal numbers": (pd.Categorical(["3", "2", "4"]), "category"),
    "amounts": (["€ 1.000", "$3", "-$3", "1 000 €", "10%"] * 2, "other"),
    "other dates": (["31.5.2024", "1/6/2024 12:00", "2024/05/31"] * 2, "other"),
    "ordinals and ranges": (["1st", "2nd", "18-25", "5 A", "3 x"] * 2, "category"),
    "sentences": ([f"The song number {k} is slow" for k in range(10)], "text"),
    "titles": ([f"Song number {k}" for k in range(10)], "name"),
    "repeated sentences": ([f"The song number {k} is slow" for k in range(6)] * 50, "text"),
    "long answers": ([f"I agree with answer number {k}" for k in range(5)] * 9, "category"),
    "long and short text": (["yes", "no", *(f"it is {k} and so on" for k in range(9))] * 9, "text"),
    "repeated titles": ([f"Song number {k}" for k in range(10)] * 3, "category"),
    "identifiers": ([f"{k:08x}-e29b-41d4-a716-446655440000" for k in range(10)], "name"),
    "paths": ([f"/data/images/training/part-1/{k}.jpg" for k in range(10)], "name"),
    "repeated addresses": ([f"https://a.org/b/c/d/{k}" for k in range(10)] * 4, "category"),
    "dates with a gap": (pd.to_datetime(["2024-01-01", None, "2024-01-02"]), "date"),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_columns(name):
    cells, kind = KINDS[name]
    assert kind_of(pd.Series(cells)).kind == kind


def test_given_kinds_of_columns():
    frame = pd.DataFrame({"code": [1, 2, 2], "place": ["a", "b", None], "none": None})
    kinds = TableKinds(frame, text=["place", "none"], categories=["code"])
    assert [kinds[name].kind for name in frame] == ["category", "text", "other"]
    assert TableKinds(frame)["code"].kind == "number"
    assert kinds["place"].missing.tolist() == [False, False, True]


def test_converted_columns_have_their_types():
    frame = pd.DataFrame(
        {
            "number": [" 1", "?", "2e1"],
            "truth": ["yes", "no", ""],
            "day": ["2024-05-31", None, "2024-06-01T02:00+02:00"],
            "place": ["a", "b", "a"],
        },
        index=[5, 3, 4],
    )
    kinds = TableKinds(frame)
    converted = kinds.converted(["day", "number", "truth", "place"])
    assert list(converted) == ["day", "number", "truth", "place"]
    assert converted.index.equals(frame.index)
    assert_array_equal(converted["number"], [1, np.nan, 20])
    assert_array_equal(converted["truth"], [1, 0, np.nan])
    assert converted["day"][4] == pd.Timestamp("2024-06-01", tz="UTC")
    assert kinds["place"] is kinds["place"]


@pytest.mark.parametrize(
    ("cells", "row", "reason"),
    [
        ([1, np.inf, 2], 1, "holds inf"),
        (["ten" if k == 9 else str(k) for k in range(20)], 9, "numbers, but also 'ten'"),
        (["2024-05-31", "2024-06-01", "unknown"], 2, "dates, but also 'unknown'"),
    ],
)
def test_first_cell_that_is_not_plain_is_named(cells, row, reason):
    found = kind_of(pd.Series(cells))
    assert found.row == row
    assert reason in found.reason


def test_sentences_without_spaces_are_text():
    sentences = [f"我今天去图书馆借了第{number}本书然后回家" for number in "一二三四五六七八九"]
    cells = pd.Series(sentences * 4)
    assert kind_of(cells).kind == "text"
    assert (
        kind_of(pd.Series(["北京", "上海", "广州", "深圳", "天津", "重庆"] * 5)).kind == "category"
    )
