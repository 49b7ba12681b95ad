import numpy as np
import pytest

from labeldist.metrics import score_all
from labeldist.metrics._skill import (
    ROUNDING_DIVERGENCE,
    UNIFORM,
    describe_skill,
    score_with_baselines,
    skill,
)

D = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])


def test_baselines_follow_the_predictions():
    scores = score_with_baselines(D, {"right": D, "wrong": 1 - D}, truth="it")
    assert [score.name for score in scores] == ["right", "wrong", "the mean of it", UNIFORM]
    assert [score.trivial for score in scores] == [False, False, True, True]
    assert scores[1].values == score_all(D, 1 - D)
    assert scores[2].values == score_all(D, np.tile([0.5, 0.5], (3, 1)))
    assert scores[3].values == score_all(D, np.full((3, 2), 0.5))
    assert [scores[0].skill, scores[2].skill] == [1, 0]
    assert scores[1].skill == pytest.approx(1 - scores[1].values["kl_divergence"] / scores[2].values["kl_divergence"])


def test_skill_does_not_depend_on_the_measures():
    scores = score_with_baselines(D, {"wrong": 1 - D}, measures="kendall")
    assert [score.skill for score in scores] == [score.skill for score in score_with_baselines(D, {"wrong": 1 - D})]
    assert scores[0].values == {"kendall": -1}


def test_weights_equal_repeated_rows():
    weighted = score_with_baselines(D, {"wrong": 1 - D}, sample_weight=[3, 0, 1])
    repeated = score_with_baselines(D[[0, 0, 0, 2]], {"wrong": 1 - D[[0, 0, 0, 2]]})
    for one, other in zip(weighted, repeated, strict=True):
        assert one.values == pytest.approx(other.values)
        assert one.skill == pytest.approx(other.skill)
    assert weighted[1].values != score_with_baselines(D, {})[0].values


def test_constant_truth_has_skill_one_or_zero():
    same = np.tile([0.2, 0.8], (3, 1))
    assert [score.skill for score in score_with_baselines(same, {"same": same, "other": 1 - same})] == [1, 0, 1, 0]


@pytest.mark.parametrize(("achieved", "expected"), [(0.0, 1.0), (0.03, 0.25), (0.04, 0.0), (0.12, -2.0)])
def test_skill_is_the_saved_share(achieved, expected):
    assert skill(achieved, 0.04) == pytest.approx(expected)


def test_skill_over_a_perfect_baseline():
    for perfect in (0.0, ROUNDING_DIVERGENCE):
        assert skill(ROUNDING_DIVERGENCE, perfect) == 1
        assert skill(2 * ROUNDING_DIVERGENCE, perfect) == 0
    assert skill(ROUNDING_DIVERGENCE, 4 * ROUNDING_DIVERGENCE) == 0.75


def test_skill_is_described_in_percent():
    for share, percent in ((0.0256, "2.6 %"), (0.0999, "10.0 %"), (0.1, "10 %"), (1, "100 %")):
        assert f" {percent} " in describe_skill(share)
    assert describe_skill(0.0) == describe_skill(-0.5) != describe_skill(0.01)
