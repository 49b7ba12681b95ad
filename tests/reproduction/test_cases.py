"""Counting cases."""

import pandas as pd
import pytest

from labeldist.experiments.cases import (
    FAILS,
    HOLDS,
    OPEN,
    Tally,
    better,
    enumerate_names,
    first,
    printed,
    recorded,
    signed_percent,
    where,
)
from labeldist.experiments.statistics import summary
from tests.experiments.record_tables import runs, table


@pytest.mark.parametrize(
    ("against", "known", "allowed", "verdict"),
    [(0, 26, 0, HOLDS), (1, 26, 0, FAILS), (0, 25, 0, OPEN), (1, 2, 0, FAILS), (0, 25, 1, HOLDS), (2, 25, 2, OPEN)],
)
def test_unknown_cases_may_go_either_way(against, known, allowed, verdict):
    assert Tally(against, known, 26).verdict(allowed) == verdict


def test_a_tally_says_what_is_unknown():
    assert str(Tally(4, 26, 26)) == "4 of 26 cases (15.4 %)"
    assert str(Tally(1, 4, 26)) == "1 of 4 known cases (25.0 %; 22 unknown)"
    assert str(Tally(0, 0, 26)) == "an unknown number of the 26 cases"


def test_first_is_first_with_equals_and_beaten_by_any():
    nan = float("nan")
    cases = pd.DataFrame({"A": [1, 1, 2, 2, 1, nan], "B": [2, 1, 1, nan, nan, 1], "C": [3, 3, 3, 1, 3, 3]})
    assert first(cases, ["A"]) == Tally(against=2, known=4, total=6)
    assert first(cases, ["A", "B"]) == Tally(against=0, known=3, total=6)


def test_first_is_first_in_the_printed_digits():
    cases = pd.DataFrame({"A": [0.10002, 0.1002], "B": [0.10001, 0.1001]})
    assert first(cases, ["A"]) == Tally(against=1, known=2, total=2)


def test_better_is_better_in_the_printed_digits():
    cases = pd.DataFrame({"A": [0.1, 0.10001, 0.2], "B": [0.2, 0.10002, 0.1]})
    assert better(cases, "A", "B") == Tally(against=2, known=3, total=3)


def test_printed_and_recorded_cases_have_one_form():
    paper = printed("le-recovery")
    ours = recorded(summary(table(runs({"BD-LE": 0.25}))), "le-recovery", ["BD-LE", "KM"], ["chebyshev", "cosine"])
    assert set(paper.index) == set(ours.index)
    assert paper.loc[("Movie", "cosine"), "BD-LE"] == pytest.approx(1 - 0.9321)
    assert ours["BD-LE"].tolist() == [0.25] * 26
    assert ours["KM"].isna().all()


def test_names_are_phrases():
    assert enumerate_names([]) == "none"
    assert enumerate_names(["A"]) == "A"
    assert enumerate_names(["A", "B", "C"]) == "A, B and C"
    assert where(pd.Series({"A": True, "B": True})) == "all 2 sets"
    assert where(pd.Series({"A": False, "B": False})) == "none of 2 sets"
    assert where(pd.Series({"A": True, "B": False, "C": False})) == "1 of 3 sets (A)"
    assert where(pd.Series({"A": True, "B": True, "C": False})) == "2 of 3 sets (not C)"
    assert where(pd.Series({"A": True})) == "1 of 1 set (A)"
    assert where(pd.Series({"A": False})) == "0 of 1 set (A)"
    assert signed_percent(-0.05) == "−5.0 %"
