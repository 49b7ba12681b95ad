import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist

from labeldist._kernels.kernels import (
    BLOCK,
    gaussian,
    gaussian_kernel,
    mean_pairwise_distance,
    squared_distance_blocks,
    squared_distances,
)

SIZES = [1, 2, BLOCK - 1, BLOCK + 1, 3 * BLOCK + 5]


def test_gaussian_kernel_equals_definition(rng):
    X = rng.normal(size=(30, 4))
    new = rng.normal(size=(7, 4))
    assert_allclose(
        gaussian(squared_distances(new, X), 1.7),
        np.exp(-(cdist(new, X) ** 2) / (2 * 1.7**2)),
        rtol=1e-10,
    )
    assert gaussian_kernel(X, 0.3)[1] == 0.3
    kernel, mean = gaussian_kernel(X, "mean")
    assert_allclose(mean, pdist(X).mean(), rtol=1e-12)
    assert_allclose(kernel, np.exp(-(cdist(X, X) ** 2) / (2 * mean**2)), rtol=1e-10)


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
    assert_allclose(mean_pairwise_distance(X + 1e6), pdist(X).mean(), rtol=1e-8)


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 3))], ids=["one row", "equal rows"])
def test_mean_distance_is_one_without_distances(X):
    assert mean_pairwise_distance(X) == gaussian_kernel(X, "mean")[1] == 1.0
