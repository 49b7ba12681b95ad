import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.features.scaling import mean_and_scale, safe_scale


def test_the_sample_deviation_standardises(rng):
    X = rng.normal(3, 2, size=(50, 4))
    mean, scale = mean_and_scale(X)
    Z = (X - mean) / scale
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(Z.std(axis=0, ddof=1), 1)


def test_constant_columns_are_divided_by_one():
    X = np.column_stack([np.full(30, 0.1), np.zeros(30), np.arange(30.0)])
    assert_array_equal(mean_and_scale(X)[1][:2], 1)


def test_one_row_has_no_spread():
    mean, scale = mean_and_scale(np.array([[5.0, -2.0]]))
    assert_array_equal(mean, [5, -2])
    assert_array_equal(scale, [1, 1])


def test_rounding_is_told_from_spread():
    assert_array_equal(safe_scale(np.array([1e-14, 1e-9]), np.array([1.0, 1.0])), [1.0, 1e-9])
