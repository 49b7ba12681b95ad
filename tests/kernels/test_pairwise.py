import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist

from labeldist._kernels import pairwise
from labeldist._kernels.kernels import (
    BLOCK,
    gaussian_product,
    mean_pairwise_distance,
    sampled_mean_distance,
    squared_distance_blocks,
)

SIZES = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]


@pytest.mark.parametrize("n", SIZES)
def test_blocks_hold_the_distances_to_this_row_and_all_later_ones(rng, n):
    X = rng.normal(size=(n, 3))
    expected = cdist(X, X, "sqeuclidean")
    met = np.zeros(n, dtype=int)
    for rows, squared in squared_distance_blocks(X):
        assert_allclose(squared, expected[rows, rows.start :], atol=1e-12)
        met[rows] += 1
    assert (met == 1).all()


@pytest.mark.parametrize("n", SIZES[1:])
def test_the_mean_is_over_distinct_pairs(rng, n):
    X = rng.normal(size=(n, 4))
    assert_allclose(mean_pairwise_distance(X), pdist(X).mean(), rtol=1e-12)


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 3))], ids=["one row", "equal rows"])
def test_the_mean_is_one_where_there_is_no_distance(X):
    assert mean_pairwise_distance(X) == 1.0


@pytest.mark.parametrize("n", SIZES)
def test_the_product_is_that_of_the_whole_matrix(rng, n):
    X, V = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    K = np.exp(-cdist(X, X, "sqeuclidean") / (2 * 1.3**2))
    assert_allclose(gaussian_product(X, 1.3, V), K @ V, atol=1e-12)


def test_a_large_shift_costs_no_digits(rng):
    X = rng.normal(size=(100, 3))
    assert_allclose(mean_pairwise_distance(X + 1e6), pdist(X).mean(), rtol=1e-8)


def test_the_mean_of_many_rows_is_that_of_a_sample(rng, monkeypatch):
    X = rng.normal(size=(3000, 4))
    assert sampled_mean_distance(X, np.random.RandomState(0)) == mean_pairwise_distance(X)
    monkeypatch.setattr(pairwise, "SAMPLE_ROWS", 1000)
    first, again = (sampled_mean_distance(X, np.random.RandomState(0)) for _ in range(2))
    assert first == again != mean_pairwise_distance(X)
    assert_allclose(first, mean_pairwise_distance(X), rtol=0.02)
