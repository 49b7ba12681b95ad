import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labeldist.datasets import binarize, list_datasets, load_dataset
from labeldist.exceptions import NotADistributionError
from labeldist.simplex import normalize


@st.composite
def distributions(draw):
    """Rows on the simplex, of few distinct weights, so that ties and zeros are common."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 8)))
    weights = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 0.1])))
    weights[:, draw(st.integers(0, shape[1] - 1))] += 1
    return normalize(weights)


def running_sum(degrees):
    """The sum of degrees as the rule takes it: one addition after the other, largest first."""
    total = 0.0
    for degree in sorted(degrees, reverse=True):
        total += degree
    return total


@given(distributions(), st.floats(0, 0.999))
def test_positives_are_the_fewest_largest_that_exceed_the_threshold(D, threshold):
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
def test_of_equal_degrees_the_lower_column_comes_first(D, threshold):
    for degrees, logical in zip(D, binarize(D, threshold), strict=True):
        for degree in np.unique(degrees):
            tied = logical[degrees == degree]
            assert (np.diff(tied.astype(int)) <= 0).all()


@given(distributions(), st.floats(0, 0.999), st.floats(0, 0.999))
def test_higher_threshold_only_adds_labels(D, one, other):
    low, high = sorted([one, other])
    assert (binarize(D, low) <= binarize(D, high)).all()


@pytest.mark.parametrize(
    ("degrees", "threshold", "logical"),
    [
        ([0.5, 0.3, 0.2], 0.5, [1, 1, 0]),  # exactly the threshold is not more than it
        ([0.5, 0.3, 0.2], 0.49, [1, 0, 0]),
        ([0.25, 0.25, 0.25, 0.25], 0.5, [1, 1, 1, 0]),
        ([0.2, 0.3, 0.5], 0.9, [1, 1, 1]),
        ([0.0, 1.0], 0.5, [0, 1]),
        ([0.4, 0.6], 0.0, [0, 1]),
        ([1.0], 0.5, [1]),
    ],
)
def test_rule_by_hand(degrees, threshold, logical):
    assert binarize([degrees], threshold).tolist() == [logical]


def test_running_sum_is_neither_rounded_nor_more_precise():
    # 5/18 + 4 · 1/18 is 1/2 on paper, and an ulp more in float64 as the published labels were made.
    assert binarize([[5 / 18] + 13 * [1 / 18]]).tolist() == [5 * [1] + 9 * [0]]


def test_default_threshold_is_one_half():
    assert binarize([[0.5, 0.3, 0.2]]).tolist() == [[1, 1, 0]]


def test_label_without_mass_is_never_positive():
    # The row is a distribution up to rounding, and its whole mass does not exceed this threshold.
    assert binarize([[1 - 1e-7, 0.0]], 1 - 1e-8).tolist() == [[1, 0]]


def test_input_is_left_as_it_is():
    D = np.array([[0.2, 0.5, 0.3]])
    D.flags.writeable = False
    assert binarize(D).tolist() == [[0, 1, 1]]  # 0.5 alone is not more than the threshold
    assert D.tolist() == [[0.2, 0.5, 0.3]]


@pytest.mark.parametrize("threshold", [-0.1, 1.0, 1.5, float("nan")])
def test_threshold_out_of_range(threshold):
    with pytest.raises(ValueError, match="threshold must be at least 0 and less than 1; got"):
        binarize([[0.5, 0.5]], threshold)


def test_rows_that_are_no_distributions():
    with pytest.raises(NotADistributionError, match=r"first row 1: its sum is 0\.9"):
        binarize([[0.5, 0.5], [0.5, 0.4]])


@pytest.mark.parametrize("name", list_datasets())
def test_published_logical_labels_are_reproduced(name, benchmark_folder):
    file = benchmark_folder / "logical_labels.npz"
    if not file.exists():
        pytest.skip("logical_labels.npz, the published logical labels, is not in the data folder")
    _, D = load_dataset(name, data_home=benchmark_folder, return_X_y=True, download_if_missing=False)
    with np.load(file) as published:
        np.testing.assert_array_equal(binarize(D), published[name])
