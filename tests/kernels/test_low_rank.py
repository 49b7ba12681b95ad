import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_triangular
from sklearn.metrics.pairwise import rbf_kernel

from labeldist._kernels.low_rank_factors import gaussian_factor


@pytest.mark.parametrize("gamma", [0.01, 1.0])
@pytest.mark.parametrize("tol", [1e-2, 1e-6])
def test_the_product_meets_the_kernel_to_the_tolerance(rng, gamma, tol):
    X = rng.normal(size=(150, 3))
    Z, pivots = gaussian_factor(X, gamma, tol)
    gap = rbf_kernel(X, gamma=gamma) - Z @ Z.T
    assert np.abs(gap).max() <= tol * (1 + 1e-9)
    assert len(set(pivots)) == Z.shape[1]
    assert_allclose(gap[pivots], 0, atol=1e-9)


def test_a_smooth_kernel_has_a_low_rank_and_a_narrow_one_the_full(rng):
    X = rng.normal(size=(150, 3))
    assert gaussian_factor(X, 0.01, 1e-4)[0].shape[1] < 20
    assert gaussian_factor(X, 1e3, 1e-4)[0].shape[1] > 140  # more columns than there is room for at first


def test_rows_of_the_factor_come_from_the_pivots_alone(rng):
    X = rng.normal(size=(80, 3))
    Z, pivots = gaussian_factor(X, 0.2, 1e-5)
    L = Z[pivots]
    assert_array_equal(L, np.tril(L))
    assert_allclose(solve_triangular(L, rbf_kernel(X[pivots], X, gamma=0.2), lower=True).T, Z, atol=1e-9)


def test_the_order_of_the_rows_and_a_common_shift_do_not_matter(rng):
    X = rng.normal(size=(80, 3))
    order = rng.permutation(80)
    Z, pivots = gaussian_factor(X, 0.2, 1e-4)
    shuffled, others = gaussian_factor(X[order] + 1e6, 0.2, 1e-4)
    assert_array_equal(order[others], pivots)
    assert_allclose(shuffled @ shuffled.T, (Z @ Z.T)[np.ix_(order, order)], atol=1e-6)


def test_equal_rows_need_one_column():
    Z, pivots = gaussian_factor(np.ones((5, 2)), 0.1, 1e-6)
    assert_array_equal(Z, np.ones((5, 1)))
    assert len(pivots) == 1


@pytest.mark.parametrize("unit", [1e6, 1e8, 1e10])
def test_among_large_numbers_rows_keep_their_kernel_value_with_themselves(rng, unit):
    Z, _ = gaussian_factor(unit * rng.normal(size=(20, 3)), 0.01, 1e-4)
    assert_allclose(Z @ Z.T, np.eye(20), atol=1e-4)


def test_a_limit_ends_it_with_the_same_first_columns(rng):
    X = rng.normal(size=(150, 3))
    Z, pivots = gaussian_factor(X, 1.0, 1e-6)
    some, first = gaussian_factor(X, 1.0, 1e-6, max_rank=90)
    assert_array_equal(first, pivots[:90])
    assert_array_equal(some, Z[:, :90])
