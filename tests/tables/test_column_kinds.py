"""Kinds of columns."""

import numpy as np
import pandas as pd
import pytest

from labeldist._tables.column_kinds import clean, kind_of, word

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
    "dates with a gap": (pd.to_datetime(["2024-01-01", None, "2024-01-02"]), "date"),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_columns(name):
    cells, kind = KINDS[name]
    assert kind_of(pd.Series(cells)).kind == kind


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


def test_words_and_clean_text():
    assert [word(cell) for cell in (3, 3.0, " 3 ", 2.5)] == ["3", "3", "3", "2.5"]
    assert clean(" a\u200b  b\u0301 ") == "a b́"
    assert clean(3) == 3
