import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from labeldist._kernels import kernels
from labeldist._kernels.kernels import (
    BLOCK,
    gaussian,
    gaussian_between,
    gaussian_kernel,
    gaussian_product,
    mean_distance,
    mean_pairwise_distance,
    sampled_mean_distance,
    squared_distance_blocks,
    squared_distances,
)

SIZES = [1, 2, BLOCK - 1, BLOCK + 1, 3 * BLOCK + 5]


def test_gaussian_kernel_equals_definition(rng):
    X, new = rng.normal(size=(30, 4)), rng.normal(size=(7, 4))
    assert_allclose(gaussian(squared_distances(new, X), 1.7), np.exp(-(cdist(new, X) ** 2) / (2 * 1.7**2)), rtol=1e-10)
    assert gaussian_kernel(X, 0.3)[1] == 0.3
    kernel, mean = gaussian_kernel(X, "mean")
    assert_allclose(mean, pdist(X).mean(), rtol=1e-12)
    assert_allclose(kernel, np.exp(-(cdist(X, X) ** 2) / (2 * mean**2)), rtol=1e-10)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-520, 2.0**480])
def test_kernel_scales_with_bandwidth_at_extreme_magnitudes(rng, unit):
    X, new = rng.normal(size=(10, 2)), rng.normal(size=(3, 2))
    kernel, mean = gaussian_kernel(X, "mean")
    far, far_mean = gaussian_kernel(unit * X, "mean")
    assert far_mean == unit * mean
    assert_array_equal(far, kernel)
    assert_allclose(gaussian_between(unit * new, unit * X, far_mean), gaussian_between(new, X, mean), rtol=1e-12)
    assert_array_equal(gaussian_kernel(unit * X, 1.0)[0].round() == 1, True if unit < 1 else np.eye(10) == 1)


def test_gaussian_neither_overflows_nor_underflows():
    squared = np.array([[0.0, 4e300]])
    assert_allclose(gaussian(squared.copy(), 1e150), [[1.0, np.exp(-2)]])
    assert_allclose(gaussian(np.array([[0.0, 4e-320]]), 1e-160), [[1.0, np.exp(-2)]], rtol=1e-3)


@pytest.mark.parametrize("n", SIZES)
def test_blocks_contain_distances_to_same_and_later_rows(rng, n):
    X = rng.normal(size=(n, 3))
    expected = cdist(X, X, "sqeuclidean")
    seen = np.zeros(n, dtype=int)
    for rows, squared in squared_distance_blocks(X):
        assert_allclose(squared, expected[rows, rows.start :], atol=1e-12)
        seen[rows] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("n", SIZES[1:])
def test_mean_distance_is_over_distinct_pairs(rng, n):
    X = rng.normal(size=(n, 4))
    assert_allclose(mean_pairwise_distance(X), pdist(X).mean(), rtol=1e-12)
    assert_allclose(mean_distance(squared_distances(X)), pdist(X).mean(), rtol=1e-12)
    assert_allclose(mean_pairwise_distance(X + 1e6), pdist(X).mean(), rtol=1e-8)


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 3))], ids=["one row", "equal rows"])
def test_mean_distance_is_one_without_distances(X):
    assert mean_pairwise_distance(X) == mean_distance(squared_distances(X)) == 1.0


@pytest.mark.parametrize("n", SIZES)
def test_gaussian_product_equals_product_with_whole_matrix(rng, n):
    X, V = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    K = np.exp(-cdist(X, X, "sqeuclidean") / (2 * 1.3**2))
    assert_allclose(gaussian_product(X, 1.3, V), K @ V, atol=1e-12)


def test_mean_distance_of_many_rows_uses_a_sample(rng, monkeypatch):
    X = rng.normal(size=(3000, 4))
    assert sampled_mean_distance(X, np.random.RandomState(0)) == mean_pairwise_distance(X)
    monkeypatch.setattr(kernels, "SAMPLE_ROWS", 1000)
    first, again = (sampled_mean_distance(X, np.random.RandomState(0)) for _ in range(2))
    assert first == again != mean_pairwise_distance(X)
    assert_allclose(first, mean_pairwise_distance(X), rtol=0.02)
