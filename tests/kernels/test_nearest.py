import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

from labeldist._kernels import nearest
from labeldist._kernels.nearest import SweepIndex


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("block", [1, 100, 1_000_000])
@pytest.mark.parametrize("zeros", [0, 0.97])
def test_distances_and_order_are_scikit_learns(rng, monkeypatch, k, block, zeros):
    monkeypatch.setattr(nearest, "BLOCK_DISTANCES", block)
    X, new = rng.normal(size=(40, 60)), rng.normal(size=(15, 60))
    X[rng.uniform(size=X.shape) < zeros] = 0
    distances, indices = SweepIndex.of(X, k).kneighbors(new)
    expected_distances, expected = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(new)
    assert_allclose(distances, expected_distances, rtol=1e-12)
    if not zeros:  # rows of zeros are equally near
        assert_array_equal(indices, expected)


@pytest.mark.parametrize("shift", [0, 10, 1e8])
def test_a_row_is_its_own_nearest_at_distance_zero_wherever_it_lies(rng, shift):
    X = shift + rng.normal(size=(30, 20))
    distances, indices = SweepIndex.of(X, 2).kneighbors(X)
    assert_array_equal(indices[:, 0], np.arange(30))
    assert (distances[:, 0] == 0).all()
