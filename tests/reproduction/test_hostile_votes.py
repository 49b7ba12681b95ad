"""Tables of votes that are hard for VoteLE, on a few cells."""

import pytest

from reproduction.hostile_votes import CELLS, calibration, errors


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["10 labels, 50 items, alike", "5 labels, 100 items, alike", "2 % of 200 items differ"]
)
def test_estimate_is_about_as_good_as_the_best_simple_one(name):
    draw, n_votes = CELLS[name]
    tables = [errors(draw, n_votes, seed) for seed in range(4)]
    means = {method: sum(table[method] for table in tables) / 4 for method in tables[0]}
    best = min(value for method, value in means.items() if method != "VoteLE")
    assert means["VoteLE"] < 1.1 * best + 0.005


def test_calibration_of_a_table():
    values = calibration(8)
    assert set(values) == {"kind", "items", "labels", "claimed - kept", "coverage"}
    assert 0 <= values["coverage"] <= 1
