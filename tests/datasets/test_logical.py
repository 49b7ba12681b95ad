"""`binarize`: the rule of the literature for logical labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labeldist.datasets import binarize
from labeldist.exceptions import NotADistributionError
from labeldist.simplex import normalize


@st.composite
def distributions(draw):
    """Draw distributions with few distinct degrees, so that ties and zeros are frequent."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 8)))
    weights = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 0.1])))
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
    assert L.shape == D.shape
    assert L.dtype == np.uint8
    for degrees, logical in zip(D, L, strict=True):
        positives, negatives = degrees[logical == 1], degrees[logical == 0]
        assert len(positives) + len(negatives) == len(degrees)
        assert running_sum(positives) > threshold
        assert running_sum(np.sort(positives)[1:]) <= threshold
        assert positives.min() >= negatives.max(initial=0)
        assert positives.min() > 0


@given(distributions(), st.floats(0, 0.999))
def test_ties_are_resolved_by_column(D, threshold):
    for degrees, logical in zip(D, binarize(D, threshold), strict=True):
        for degree in np.unique(degrees):
            tied = logical[degrees == degree]
            assert (np.diff(tied.astype(int)) <= 0).all()


@pytest.mark.parametrize(
    ("degrees", "threshold", "logical"),
    [
        ([0.5, 0.3, 0.2], 0.5, [1, 1, 0]),  # a sum equal to the threshold does not exceed it
        ([0.5, 0.3, 0.2], 0.49, [1, 0, 0]),
        ([0.25, 0.25, 0.25, 0.25], 0.5, [1, 1, 1, 0]),
        ([0.2, 0.3, 0.5], 0.9, [1, 1, 1]),
        ([0.0, 1.0], 0.5, [0, 1]),
        ([0.4, 0.6], 0.0, [0, 1]),
        ([1.0], 0.5, [1]),
    ],
)
def test_known_results(degrees, threshold, logical):
    assert binarize([degrees], threshold).tolist() == [logical]


def test_sums_have_float64_rounding():
    # 5/18 + 4 · 1/18 is 1/2 in exact arithmetic and an ulp more in float64, as in the published labels.
    assert binarize([[5 / 18] + 13 * [1 / 18]]).tolist() == [5 * [1] + 9 * [0]]


@pytest.mark.parametrize("threshold", [-0.1, 1.0, 1.5, float("nan")])
def test_invalid_threshold_is_an_error(threshold):
    with pytest.raises(ValueError, match=f"threshold .*{threshold}"):
        binarize([[0.5, 0.5]], threshold)


def test_rows_that_are_not_distributions_are_errors():
    with pytest.raises(NotADistributionError, match=r"row 1.* 0\.9"):
        binarize([[0.5, 0.5], [0.5, 0.4]])
