"""How much better than nothing a prediction is."""

import numpy as np
import pytest

from labeldist.metrics import score_all
from labeldist.metrics._skill import EQUALLY, ROUNDING_DIVERGENCE, beside_nobody, percent, skill, skill_in_words

D = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])


def test_answers_stand_beside_those_of_nobody():
    found = beside_nobody(D, {"right": D, "wrong": 1 - D}, truth="it")
    assert [score.name for score in found] == ["right", "wrong", "the mean of it", EQUALLY]
    assert [score.trivial for score in found] == [False, False, True, True]
    assert found[1].values == score_all(D, 1 - D)
    assert found[2].values == score_all(D, np.tile([0.5, 0.5], (3, 1)))
    assert found[3].values == score_all(D, np.full((3, 2), 0.5))
    assert [found[0].skill, found[2].skill] == [1, 0]
    assert found[1].skill == pytest.approx(1 - found[1].values["kl_divergence"] / found[2].values["kl_divergence"])


def test_nobody_has_names_that_reports_can_print():
    assert [score.name for score in beside_nobody(D, {})] == ["the mean of the truth", "all labels equally"]


def test_weights_count_in_the_scores_and_in_the_mean():
    weighted = beside_nobody(D, {"wrong": 1 - D}, sample_weight=[3, 0, 1])
    repeated = beside_nobody(D[[0, 0, 0, 2]], {"wrong": 1 - D[[0, 0, 0, 2]]})
    for one, other in zip(weighted, repeated, strict=True):
        assert one.values == pytest.approx(other.values)
        assert one.skill == pytest.approx(other.skill)
    assert weighted[1].values != beside_nobody(D, {})[0].values


def test_a_truth_that_never_varies_leaves_nothing_to_explain():
    same = np.tile([0.2, 0.8], (3, 1))
    assert [score.skill for score in beside_nobody(same, {"same": same, "other": 1 - same})] == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.256, "explains 26 % of what the mean leaves unexplained"),
        (0.0256, "explains 2.6 % of what the mean leaves unexplained"),
        (0.0, "is no better than always answering the mean"),
        (-0.5, "is no better than always answering the mean"),
    ],
)
def test_skill_is_told_in_words(share, words):
    assert skill_in_words(share) == words


def test_small_shares_have_a_decimal():
    assert [percent(share) for share in (0.0999, 0.1, 1)] == ["10.0 %", "10 %", "100 %"]


@pytest.mark.parametrize(("achieved", "expected"), [(0.0, 1.0), (0.03, 0.25), (0.04, 0.0), (0.12, -2.0)])
def test_it_is_the_share_that_is_saved(achieved, expected):
    assert skill(achieved, 0.04) == pytest.approx(expected)


def test_beside_a_perfect_answer_only_a_perfect_one_has_skill():
    for perfect in (0.0, ROUNDING_DIVERGENCE):
        assert skill(ROUNDING_DIVERGENCE, perfect) == 1
        assert skill(2 * ROUNDING_DIVERGENCE, perfect) == 0
    assert skill(ROUNDING_DIVERGENCE, 4 * ROUNDING_DIVERGENCE) == 0.75
