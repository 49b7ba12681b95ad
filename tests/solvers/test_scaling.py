import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labeldist._solvers.scaling import (
    check_squarable,
    column_means,
    column_units,
    divide_columns,
    mean_and_scale,
    safe_scale,
    squarable_unit,
)


def test_mean_and_scale_standardise(rng):
    X = rng.normal(3, 2, size=(50, 4))
    mean, scale = mean_and_scale(X)
    Z = (X - mean) / scale
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(Z.std(axis=0, ddof=1), 1)


@pytest.mark.parametrize("value", [0.1, -0.1, 1e150, 1e-150, 1.7e308])
@pytest.mark.parametrize("n", [1, 3, 30, 1000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mean_of_constant_column_is_exact(value, n, dtype):
    value = dtype(value if dtype is np.float64 else 0.1)
    X = np.full((n, 1), value)
    assert column_means(X) == value
    assert column_means(X, np.linspace(0.1, 3, n)) == value
    assert_array_equal(np.array(mean_and_scale(X)).ravel(), [value, 1])


def test_means_equal_numpy_in_double_precision(rng):
    X, weight = rng.normal(size=(50, 3)), rng.random(50)
    assert_allclose(column_means(X), X.mean(axis=0), rtol=1e-12)
    assert_allclose(column_means(X, weight), np.average(X, axis=0, weights=weight), rtol=1e-12)
    single = X.astype(np.float32)
    assert_allclose(column_means(single), single.astype(float).mean(axis=0), rtol=1e-12)


def test_overflowing_deviation_is_largest_number():
    X = np.array([[1.7e308], [-1.7e308]])
    mean, scale = mean_and_scale(X)
    assert mean == 0
    assert scale == np.finfo(np.float64).max
    assert_allclose(X / scale, [[0.9457], [-0.9457]], rtol=1e-3)


def test_rounding_error_is_divided_by_mean():
    assert_array_equal(safe_scale(np.array([1e-14, 1e-9]), np.array([1.0, 1.0])), [1.0, 1e-9])
    assert_array_equal(safe_scale(np.array([1e136, 1e-164, 0.0]), np.array([1e150, 1e-150, 1e150])), [1e150, 1e-150, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_units_are_powers_of_two_or_one(form):
    X = form(np.array([[3e-120, 5.0, 0.0, -3e120, 1e-300], [0.0, -1e90, 0.0, 1.0, 0.0]]))
    units = column_units(X)
    assert_array_equal(units[[1, 2]], 1)
    assert units[4] == np.inf
    mantissas, _ = np.frexp(units[[0, 3]])
    assert_array_equal(mantissas, 0.5)
    divided = divide_columns(X, units)
    divided = divided if isinstance(divided, np.ndarray) else divided.toarray()
    largest = np.abs(divided).max(axis=0)
    assert_array_equal((largest >= 1) & (largest < 2), [True, False, False, True, False])
    assert largest[4] == 0
    assert squarable_unit(X) == units[3]
    assert squarable_unit(form(np.eye(2))) == squarable_unit(form(np.zeros((2, 2)))) == 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_too_large_values_raise_with_their_feature(form):
    X = np.ones((3, 4))
    X[1, 2] = -1e152
    check_squarable(form(X))
    X[1, 2] = -1e154
    with pytest.raises(ValueError, match=r"Feature 2 .*RobustScaler"):
        check_squarable(form(X))
