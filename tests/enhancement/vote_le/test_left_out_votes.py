"""Scores of left-out votes, and weights of priors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement._vote_le.left_out_votes import mixture_weights, vote_score

COUNTS = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 0.0]])


def test_score_is_the_mean_log_probability_of_the_votes():
    P = np.array([[0.5, 0.2], [0.0, 0.4], [0.1, 0.9]])
    expected = (2 * np.log(0.5) + np.log(0.2) + 3 * np.log(0.4) + np.log(0.1)) / 7
    assert vote_score(COUNTS, P) == pytest.approx(expected)


def test_weights_prefer_the_better_prediction():
    good = np.array([[0.6, 0.4], [0.1, 0.9], [0.9, 0.1]])
    bad = 1 - good
    weights = mixture_weights(COUNTS, [good, bad])
    assert_allclose(weights.sum(), 1)
    assert weights[0] > 0.95


def test_weights_are_close_to_the_best_of_a_grid(rng):
    counts = rng.integers(0, 3, size=(200, 2)).astype(float)
    tables = [rng.dirichlet([1, 1], size=200) for _ in range(2)]
    grid = np.linspace(0, 1, 1001)
    scores = [vote_score(counts, w * tables[0] + (1 - w) * tables[1]) for w in grid]
    best = grid[np.argmax(scores)]
    assert mixture_weights(counts, tables)[0] == pytest.approx(best, abs=0.01)


def test_equal_predictions_have_equal_weights():
    P = np.full((3, 2), 0.5)
    assert_allclose(mixture_weights(COUNTS, [P, P, P]), 1 / 3)
