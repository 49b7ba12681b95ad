"""The commands behind the documentation's figures say what the numbers say."""

import numpy as np
import pytest

from benchmarks.prediction import ten_folds
from benchmarks.tables import beats, header, rows, where_others_win
from labeldist.datasets import make_artificial
from labeldist.learning import MeanDistribution
from labeldist.metrics import MEASURES


def scores(**values):
    return {name: values.get(name, 0.5) for name in MEASURES}


def test_better_depends_on_the_measure_and_on_printed_digits():
    assert beats("clark", 0.1, 0.2)
    assert not beats("clark", 0.2, 0.1)
    assert beats("cosine", 0.2, 0.1)
    assert not beats("clark", 0.10001, 0.10002)


def test_the_best_of_each_measure_is_bold_with_ties():
    table = {"A": scores(clark=0.1, cosine=0.9), "B": scores(clark=0.2, cosine=0.95)}
    first, second = rows("Set", table)
    assert first.startswith("| Set | A | **0.5000** | **0.1000** | **0.5000** |")
    assert "| **0.9500** |" in second
    assert "| 0.9000 |" in first
    assert first.count("|") == header().splitlines()[0].count("|")


def test_the_verdict_names_the_sets():
    results = {
        "one": {"A": scores(clark=0.1), "B": scores(clark=0.2)},
        "two": {"A": scores(clark=0.3), "B": scores(clark=0.2)},
    }
    verdicts = list(where_others_win(results, "A"))
    assert "- B is better than A in Clark on 1 of 2 sets: two" in verdicts
    assert "- B is better than A in Cosine on 0 of 2 sets: none" in verdicts


def test_ten_folds_average_over_held_out_rows():
    X, D = make_artificial(100, random_state=0)
    values = ten_folds(MeanDistribution(), X, D)
    assert values.keys() == MEASURES.keys()
    in_sample = MEASURES["kl_divergence"].mean(D, np.tile(D.mean(axis=0), (100, 1)))
    assert values["kl_divergence"] == pytest.approx(in_sample, rel=0.05)
    assert values["kl_divergence"] > in_sample
