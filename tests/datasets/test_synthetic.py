"""The artificial data set, against its published formula."""

import math

import numpy as np
import pytest

from labeldist.datasets import make_artificial, make_artificial_grid
from labeldist.simplex import check_distributions


def degrees(x1, x2, x3):
    """Evaluate the published formula for one row."""

    def t(x):
        return 1 * x + 0.5 * x**2 + 0.2 * x**3 + 1

    psi1 = (4 * t(x1) + 2 * t(x2) + 1 * t(x3)) ** 2
    psi2 = (1 * t(x1) + 2 * t(x2) + 4 * t(x3) + 0.01 * psi1) ** 2
    psi3 = (1 * t(x1) + 4 * t(x2) + 2 * t(x3) + 0.01 * psi2) ** 2
    total = psi1 + psi2 + psi3
    return [psi1 / total, psi2 / total, psi3 / total]


def test_degrees_follow_the_formula():
    X, D = make_artificial(40, random_state=0)
    assert X.shape == D.shape == (40, 3)
    np.testing.assert_allclose(D, [degrees(*x) for x in X.tolist()], rtol=1e-13)
    check_distributions(D)


def test_features_fill_the_cube():
    X, _ = make_artificial(5000, random_state=0)
    assert np.abs(X).max() <= 1
    np.testing.assert_allclose(X.min(axis=0), -1, atol=0.01)
    np.testing.assert_allclose(X.max(axis=0), 1, atol=0.01)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(X.var(axis=0), 1 / 3, atol=0.02)


def test_random_state_makes_rows_reproducible():
    X, D = make_artificial(10, random_state=7)
    for same in (7, np.int64(7), np.random.RandomState(7)):
        again = make_artificial(10, random_state=same)
        np.testing.assert_array_equal(again[0], X)
        np.testing.assert_array_equal(again[1], D)
    assert not np.array_equal(make_artificial(10, random_state=8)[0], X)
    generator = np.random.RandomState(7)
    make_artificial(10, random_state=generator)
    assert not np.array_equal(make_artificial(10, random_state=generator)[0], X)


def test_grid_is_in_raster_order():
    X, D = make_artificial_grid(5)
    assert X.shape == D.shape == (25, 3)
    image, side = D.reshape(5, 5, 3), [-1, -0.5, 0, 0.5, 1]
    for row, x2 in enumerate(side):
        for column, x1 in enumerate(side):
            x3 = math.sin((x1 + x2) * math.pi)
            np.testing.assert_allclose(X[5 * row + column], [x1, x2, x3], atol=1e-15)
            np.testing.assert_allclose(image[row, column], degrees(x1, x2, x3), rtol=1e-13)


def test_invalid_sizes_and_seeds_are_errors():
    with pytest.raises(ValueError, match=r"n_samples .* 0"):
        make_artificial(0)
    with pytest.raises(ValueError, match=r"size .* 1"):
        make_artificial_grid(1)
    with pytest.raises(ValueError, match="seed"):
        make_artificial(10, random_state="seed")
