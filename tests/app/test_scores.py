"""Scores beside those of trivial baselines, and what is said about a skill."""

import numpy as np
import pytest

from labeldist.app.scores import UNIFORM, Baseline, describe_skill, score_with_baselines
from labeldist.metrics import score_all, skill

D = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
P = np.array([[0.8, 0.2], [0.5, 0.5], [0.3, 0.7]])


@pytest.mark.parametrize(
    ("measure", "name"),
    [("kl_divergence", "the mean of train.csv"), ("manhattan", "the best constant of train.csv")],
)
def test_baseline_names_the_constant(measure, name):
    assert Baseline.of(D, "train.csv", measure=measure).name == name


def test_baselines_follow_the_predictions():
    weight = np.array([1.0, 2.0, 3.0])
    baseline = Baseline.of(D, "the truth", weight=weight)
    one, mean, uniform = score_with_baselines(D, {"p": P}, baseline=baseline, sample_weight=weight)
    assert [score.name for score in (one, mean, uniform)] == ["p", baseline.name, UNIFORM]
    assert [score.trivial for score in (one, mean, uniform)] == [False, True, True]
    assert one.values == score_all(D, P, sample_weight=weight)
    assert one.skill == skill(D, P, sample_weight=weight)
    assert mean.skill == pytest.approx(0)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.25, "reduces the KL of the mean by 25 %"),
        (0.051, "reduces the KL of the mean by 5.1 %"),
        (-0.1, "does not reduce the KL of the mean"),
    ],
)
def test_skill_in_words(share, text):
    assert describe_skill(share) == text
