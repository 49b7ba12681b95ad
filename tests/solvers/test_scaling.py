import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labeldist._solvers.scaling import (
    check_squarable,
    column_means,
    mean_and_scale,
    safe_scale,
)


@pytest.mark.parametrize("value", [0.1, -0.1, 1e150, 1e-150, 1.7e308, np.float32(0.1)])
@pytest.mark.parametrize("n", [1, 3, 1000])
def test_mean_of_constant_column_is_exact(value, n):
    X = np.full((n, 1), value)
    assert column_means(X) == value
    assert column_means(X, np.linspace(0.1, 3, n)) == value
    assert_array_equal(np.array(mean_and_scale(X)).ravel(), [value, 1])


def test_means_equal_numpy_in_double_precision(rng):
    X = rng.normal(size=(50, 3))
    weight = rng.random(50)
    assert_allclose(column_means(X), X.mean(axis=0), rtol=1e-12)
    assert_allclose(column_means(X, weight), np.average(X, axis=0, weights=weight), rtol=1e-12)
    single = X.astype(np.float32)
    assert_allclose(column_means(single), single.astype(float).mean(axis=0), rtol=1e-12)


def test_rounding_error_is_divided_by_mean():
    deviation = np.array([1e-14, 1e-9, 1e136, 1e-164, 0.0])
    mean = np.array([1.0, 1.0, 1e150, 1e-150, 1e150])
    assert_array_equal(safe_scale(deviation, mean), [1.0, 1e-9, 1e150, 1e-150, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_too_large_values_raise_with_their_feature(form):
    X = np.ones((3, 4))
    X[1, 2] = -1e152
    check_squarable(form(X))
    X[1, 2] = -1e154
    with pytest.raises(ValueError, match=r"Feature 2 .*RobustScaler"):
        check_squarable(form(X))
