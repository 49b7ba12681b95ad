"""Rows of two tables that are matched by a column of items."""

import pandas as pd
import pytest

from tests.app.cli.in_process import error_of, run_json
from tests.app.cli.songs import LABELS, NAMES


def test_evaluate_matches_rows_by_item(folder):
    predicted = pd.read_csv("pred.csv")
    shuffled = predicted.sample(frac=1, random_state=0)
    expected = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["skill"]
    call = ("evaluate", "dist.csv", "mixed.csv", *NAMES)
    shuffled.to_csv("mixed.csv", index=False)
    assert run_json(*call, "--item", "title")["skill"] == pytest.approx(expected)
    assert "--item title" in error_of(*call)
    shuffled.iloc[1:].to_csv("mixed.csv", index=False)
    assert "120 rows" in error_of(*call)
    assert "lacks 1 of the items" in error_of(*call, "--item", "title")


def test_evaluate_does_not_match_rows_by_labels(table):
    table[LABELS].iloc[::-1].to_csv("reversed.csv", index=False)
    assert run_json("evaluate", "dist.csv", "reversed.csv", *NAMES)["skill"] < 0.5


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        ([-1, 1, 0], "mixed.csv: The cell in data row 3, column 'joy'"),
        ([0, 0, 0], "Data row 3 of mixed.csv"),
    ],
)
def test_evaluate_names_the_row_of_the_predicted_table(table, degrees, message):
    predicted = pd.read_csv("pred.csv").iloc[::-1].reset_index(drop=True)
    predicted.loc[2, LABELS] = degrees
    predicted.to_csv("mixed.csv", index=False)
    assert message in error_of("evaluate", "dist.csv", "mixed.csv", *NAMES, "--item", "title")
