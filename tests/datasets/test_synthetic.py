"""The artificial data set and `binarize`, against formula and rule of the literature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.datasets import binarize, make_artificial
from labeldist.exceptions import NotADistributionError
from labeldist.simplex import normalize


def degrees(row):
    """Evaluate the published formula for one row."""
    t1, t2, t3 = (1 * x + 0.5 * x**2 + 0.2 * x**3 + 1 for x in row)
    psi1 = (4 * t1 + 2 * t2 + 1 * t3) ** 2
    psi2 = (1 * t1 + 2 * t2 + 4 * t3 + 0.01 * psi1) ** 2
    psi3 = (1 * t1 + 4 * t2 + 2 * t3 + 0.01 * psi2) ** 2
    total = psi1 + psi2 + psi3
    return [psi1 / total, psi2 / total, psi3 / total]


def test_degrees_follow_the_formula():
    X, D = make_artificial(400, random_state=0)
    assert X.shape == D.shape == (400, 3)
    assert_allclose([X.min(), X.max(), X.mean(), X.var()], [-1, 1, 0, 1 / 3], atol=0.05)
    assert_allclose(D, [degrees(row) for row in X.tolist()], rtol=1e-13)


def test_random_state_makes_rows_reproducible():
    X, _ = make_artificial(10, random_state=7)
    again, _ = make_artificial(10, random_state=np.random.RandomState(7))
    assert_array_equal(again, X)


@st.composite
def distributions(draw):
    """Draw distributions with few distinct degrees, so that ties and zeros are frequent."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 8)))
    weights = draw(
        arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 0.1]))
    )
    weights[:, draw(st.integers(0, shape[1] - 1))] += 1
    return normalize(weights)


def running_sum(degrees):
    """Add degrees one by one, largest first, as the rule does."""
    total = 0.0
    for degree in sorted(degrees, reverse=True):
        total += degree
    return total


@given(distributions(), st.floats(0, 0.999))
def test_selected_labels_are_the_fewest_that_exceed_the_threshold(D, threshold):
    L = binarize(D, threshold)
    assert L.dtype == np.uint8
    for degrees, logical in zip(D, L, strict=True):
        positives, negatives = degrees[logical == 1], degrees[logical == 0]
        assert len(positives) + len(negatives) == len(degrees)
        assert running_sum(positives) > threshold
        assert running_sum(np.sort(positives)[1:]) <= threshold
        assert positives.min() >= negatives.max(initial=0)
        assert positives.min() > 0


@pytest.mark.parametrize(
    ("degrees", "threshold", "logical"),
    [
        ([0.5, 0.3, 0.2], 0.5, [1, 1, 0]),  # a sum equal to the threshold does not exceed it
        ([0.25, 0.25, 0.25, 0.25], 0.5, [1, 1, 1, 0]),
        ([0.4, 0.6], 0.0, [0, 1]),
    ],
)
def test_known_results(degrees, threshold, logical):
    assert binarize([degrees], threshold).tolist() == [logical]


def test_sums_have_float64_rounding():
    # 5/18 + 4 · 1/18 is 1/2 in exact arithmetic and an ulp more in float64, as in the published
    # labels.
    assert binarize([[5 / 18] + 13 * [1 / 18]]).tolist() == [5 * [1] + 9 * [0]]


@pytest.mark.parametrize("threshold", [-0.1, 1.0, float("nan")])
def test_invalid_threshold_raises(threshold):
    with pytest.raises(ValueError, match=f"threshold .*{threshold}"):
        binarize([[0.5, 0.5]], threshold)


def test_rows_that_are_not_distributions_raise():
    with pytest.raises(NotADistributionError, match=r"row 1.* 0\.9"):
        binarize([[0.5, 0.5], [0.5, 0.4]])
