"""The skill over a baseline."""

import numpy as np
import pandas as pd
import pytest

from labeldist.exceptions import NotADistributionError
from labeldist.metrics import MEASURES, best_constant, kl_divergence, skill

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


def table(values):
    return pd.DataFrame(values, columns=["joy", "calm"])


def test_baseline_series_names_the_labels():
    baseline = pd.Series({"joy": 0.2, "calm": 0.8})
    expected = skill(D, P, baseline=[0.2, 0.8])
    assert skill(table(D), table(P), baseline=baseline) == expected
    assert skill(D, P, baseline=baseline) == expected
    for truth, predicted in ((table(D), P), (D, table(P))):
        with pytest.raises(ValueError, match="in this order"):
            skill(truth, predicted, baseline=baseline[::-1])


def test_best_constant_is_the_default_baseline():
    weight = [3, 1, 0]
    for measure in ("kl_divergence", "manhattan"):
        constant = best_constant(D, measure=measure, sample_weight=weight)
        given = skill(D, P, measure=measure, baseline=constant, sample_weight=weight)
        assert given == skill(D, P, measure=measure, sample_weight=weight)
    mean = best_constant(10 * D, sample_weight=weight)
    assert mean == pytest.approx(np.average(D, axis=0, weights=weight))
    with pytest.raises(ValueError, match="Unknown measure 'no'"):
        best_constant(D, measure="no")
    frame = pd.DataFrame(D)
    with pytest.raises(ValueError, match="order"):
        best_constant(frame, sample_weight=pd.Series([1, 2, 3], index=[2, 1, 0]))


def test_invalid_weights_and_shapes_raise():
    for weight in ([0, 0, 0], [1, -1, 1], [1, 1], [1, 1, np.nan]):
        with pytest.raises(ValueError, match="sample_weight must hold one non-negative number"):
            skill(D, P, sample_weight=weight)
    with pytest.raises(ValueError, match=r"baseline must have the shape \(2,\) or \(3, 2\)"):
        skill(D, P, baseline=[0.2, 0.3, 0.5])
    with pytest.raises(NotADistributionError, match="baseline has 1 row"):
        skill(D, P, baseline=[0.2, 0.3])
    with pytest.raises(ValueError, match="Unknown measure 'kl'"):
        skill(D, P, measure="kl")
    with pytest.raises(ValueError, match="no rows"):
        skill(np.empty((0, 2)), np.empty((0, 2)))


@pytest.mark.parametrize("measure", MEASURES)
def test_skill_by_any_measure_is_the_relative_reduction_of_its_loss(measure):
    best = MEASURES[measure].best
    values = [
        MEASURES[measure].mean(D, prediction) for prediction in (P, np.tile([0.2, 0.8], (3, 1)))
    ]
    achieved, trivial = np.abs(np.array(values) - best)
    expected = pytest.approx(1 - achieved / trivial)
    assert skill(D, P, measure=measure, baseline=[0.2, 0.8]) == expected
    assert skill(D, D, measure=measure) == 1
    constant = best_constant(D, measure=measure)
    assert skill(D, np.tile(constant, (3, 1)), measure=measure) == pytest.approx(0)
