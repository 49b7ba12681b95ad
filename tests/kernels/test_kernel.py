import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from labeldist._kernels.kernels import gaussian, gaussian_between, gaussian_kernel, mean_distance, squared_distances


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
    X = rng.normal(size=(10, 2))
    assert gaussian_kernel(X, 0.3)[1] == 0.3
    kernel, mean = gaussian_kernel(X, "mean")
    assert_allclose(mean, pdist(X).mean(), rtol=1e-12)
    assert_allclose(kernel, np.exp(-(cdist(X, X) ** 2) / (2 * mean**2)), rtol=1e-10)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-520, 2.0**480])
def test_units_whose_squares_leave_the_number_range_count_in_the_bandwidth_alone(rng, unit):
    X, new = rng.normal(size=(10, 2)), rng.normal(size=(3, 2))
    kernel, mean = gaussian_kernel(X, "mean")
    far, far_mean = gaussian_kernel(unit * X, "mean")
    assert far_mean == unit * mean
    assert_array_equal(far, kernel)
    assert_allclose(gaussian_between(unit * new, unit * X, far_mean), gaussian_between(new, X, mean), rtol=1e-12)
    assert_array_equal(gaussian_kernel(unit * X, 1.0)[0].round() == 1, True if unit < 1 else np.eye(10) == 1)


def test_extreme_widths_neither_overflow_nor_vanish():
    squared = np.array([[0.0, 4e300]])
    assert_allclose(gaussian(squared.copy(), 1e150), [[1.0, np.exp(-2)]])
    assert_allclose(gaussian(np.array([[0.0, 4e-320]]), 1e-160), [[1.0, np.exp(-2)]], rtol=1e-3)
