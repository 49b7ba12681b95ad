"""The benchmarks: tables, and the comparison with a peer."""

import numpy as np
import pytest

from benchmarks.side_by_side import SAME_QUALITY, Measurement, page, peer_seconds, ratio
from benchmarks.side_by_side import scores as scores_of
from benchmarks.tables import beats
from benchmarks.worker import OBJECTIVES, Ours
from labeldist.datasets import make_artificial
from labeldist.metrics import PAPER_MEASURES


def scores(**values):
    return {name: values.get(name, 0.5) for name in PAPER_MEASURES}


def test_beats_depends_on_measure_and_printed_digits():
    assert beats("clark", 0.1, 0.2)
    assert not beats("clark", 0.2, 0.1)
    assert beats("cosine", 0.2, 0.1)
    assert not beats("clark", 0.10001, 0.10002)


@pytest.mark.parametrize("method", OBJECTIVES)
def test_default_tolerances_reach_compared_quality(method):
    X, D = make_artificial(300, random_state=0)
    ours = Ours(method)
    assert ours.answer(X, D, X[:5]).shape == (5, 3)
    notes = ours.notes(X, D)
    assert notes["best"] <= notes["reached"] <= notes["best"] * (1 + SAME_QUALITY)


def test_peer_is_timed_until_equal_objective():
    arrives = {"seconds": 9.0, "trace": [(1.0, 5.0), (2.0, 1.00002), (3.0, 1.000001), (4.0, 1.0)]}
    never = {"seconds": 9.0, "trace": [(1.0, 5.0), (2.0, 2.0)]}
    assert peer_seconds(Measurement((arrives,)), [1.0]) == (3.0, True)
    assert peer_seconds(Measurement((arrives, never)), [1.0, 1.0]) == (6.0, False)


def comparison(**failure):
    measured = scores()
    return {
        "method": "SABFGS",
        "set": "Movie",
        "folds": 2,
        "limit": 300,
        "seconds": {"ours": 2.0, "peer": float("nan") if failure else 8.0},
        "megabytes": {"ours": 100.0, "peer": 400.0},
        "failure": {"ours": "", "peer": "", **failure},
        "scores": {"ours": measured, "peer": None if failure else measured, "trivial": measured},
        "gap": {"ours": 1e-7},
    }


def test_page_has_row_per_comparison_and_library():
    lines = list(page([comparison()]))
    assert "| SABFGS | Movie | 2 | 2 | 8 | 4.0× | 100 | 400 | 1e-07 |  | +0.000 | +0.000 |" in lines
    assert sum(line.startswith("| Movie, SABFGS |") for line in lines) == 3


def test_unfinished_peer_gives_bound():
    assert ratio(comparison(peer="> 300 s")) == "> 150×"
    assert any("> 300 s" in line and "+nan" in line for line in page([comparison(peer="> 300 s")]))


def test_invalid_predictions_have_no_scores():
    truth = [np.array([[0.5, 0.5]])]
    assert scores_of(truth, [np.array([[0.2, 0.8]])])["chebyshev"] == pytest.approx(0.3)
    assert scores_of(truth, [np.array([[np.nan, 1.0]])]) is None
