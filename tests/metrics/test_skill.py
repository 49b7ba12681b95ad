"""The skill over a baseline."""

import numpy as np
import pytest

from labeldist.metrics import kl_divergence, skill

D = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
P = np.array([[0.8, 0.2], [0.5, 0.5], [0.3, 0.7]])


def test_constant_truth_has_skill_one_or_zero():
    same = np.tile([0.2, 0.8], (3, 1))
    assert skill(same, same) == 1
    assert skill(same, 1 - same) == 0


def test_skill_compares_with_the_mean_or_a_baseline():
    mean = np.tile([0.5, 0.5], (3, 1))
    assert skill(D, P) == pytest.approx(1 - kl_divergence(D, P) / kl_divergence(D, mean))
    assert skill(10 * D, P) == pytest.approx(skill(D, P))
    other = np.tile([0.2, 0.8], (3, 1))
    expected = 1 - kl_divergence(D, P) / kl_divergence(D, other)
    for baseline in (other, other[0]):
        assert skill(D, P, baseline=baseline) == pytest.approx(expected)


def test_skill_with_weights_equals_skill_of_repeated_rows():
    repeated = [0, 0, 0, 2]
    assert skill(D, P, sample_weight=[3, 0, 1]) == pytest.approx(skill(D[repeated], P[repeated]))
