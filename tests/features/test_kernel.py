import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist

from labeldist.features.kernel import gaussian, mean_distance, resolve_bandwidth, squared_distances


def test_the_mean_distance_is_over_distinct_pairs(rng):
    X = rng.normal(size=(40, 5))
    assert_allclose(mean_distance(squared_distances(X)), pdist(X).mean(), rtol=1e-12)


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 3))], ids=["one row", "equal rows"])
def test_a_width_is_positive_even_where_there_is_no_distance(X):
    assert mean_distance(squared_distances(X)) == 1.0


def test_the_kernel_serves_unseen_rows(rng):
    X, new = rng.normal(size=(30, 4)), rng.normal(size=(7, 4))
    expected = np.exp(-(cdist(new, X) ** 2) / (2 * 1.7**2))
    assert_allclose(gaussian(squared_distances(new, X), 1.7), expected, rtol=1e-10)


def test_bandwidths_are_numbers_or_the_mean(rng):
    squared = squared_distances(rng.normal(size=(10, 2)))
    assert resolve_bandwidth(0.3, squared) == 0.3
    assert resolve_bandwidth("mean", squared) == mean_distance(squared)


def test_extreme_widths_neither_overflow_nor_vanish():
    squared = np.array([[0.0, 4e300]])
    assert_allclose(gaussian(squared.copy(), 1e150), [[1.0, np.exp(-2)]])
    assert_allclose(gaussian(np.array([[0.0, 4e-320]]), 1e-160), [[1.0, np.exp(-2)]], rtol=1e-3)
