import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.published.fcm import farthest_first, fuzzy_means
from tests.references import fuzzy_memberships_by_hand

SETTINGS = {"tol": 1e-12, "max_iter": 1000}


@pytest.fixture
def rows(rng):
    return np.vstack([rng.normal(center, 0.3, size=(20, 2)) for center in (-3, 0, 4)])


def centers_by_hand(rows, memberships, fuzziness):
    weights = memberships**fuzziness
    return weights.T @ rows / weights.sum(axis=0)[:, None]


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 3.0])
def test_fuzzy_means_converge_to_fixed_point(rows, fuzziness):
    found = fuzzy_means(rows, rows[[0, 25, 50]], fuzziness, **SETTINGS)
    assert found.converged
    expected = fuzzy_memberships_by_hand(rows, found.centers, fuzziness)
    assert_allclose(found.memberships, expected, atol=1e-9)
    centers = centers_by_hand(rows, found.memberships, fuzziness)
    assert_allclose(found.centers, centers, atol=1e-9)
    assert_allclose(np.sort(centers[:, 0]), [-3, 0, 4], atol=0.3)


def test_rows_at_equal_centres_share_membership():
    X = np.array([[0.0], [0.0], [1.0]])
    found = fuzzy_means(X, X, 2.0, **SETTINGS)
    assert_allclose(found.memberships, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], atol=1e-9)
    same = fuzzy_means(np.ones((3, 2)), np.ones((2, 2)), 2.0, **SETTINGS)
    assert_allclose(same.memberships, 0.5)


def test_mostly_zero_rows_give_the_same_memberships(rng):
    X = rng.normal(size=(60, 80)) * (rng.uniform(size=(60, 80)) < 0.02)
    shifted = fuzzy_means(X + 1.0, X[:3] + 1.0, 2.0, **SETTINGS)  # nothing is zero
    found = fuzzy_means(X, X[:3], 2.0, **SETTINGS)
    assert_allclose(found.memberships, shifted.memberships, atol=1e-8)
    assert_allclose(found.centers + 1.0, shifted.centers, atol=1e-8)


def test_nearly_hard_memberships_are_accurate():
    # At 1.01 they are hundredth powers of ratios of squares, so that errors of small distances
    # would be visible.
    rows = np.array([[0.0], [1e-3], [0.4], [0.6], [10.0], [1.0]])
    found = fuzzy_means(rows, rows[[0, 5]], 1.01, tol=1e-5, max_iter=0)
    assert_allclose(found.memberships[:, 0], [1, 1, 1, 0, 0, 0], atol=1e-9)


def test_farthest_first_maximises_distance_to_chosen_rows(rng):
    X = rng.normal([5, -20], 1, size=(40, 2))
    found = farthest_first(X, 6)
    from_mean = np.linalg.norm(X - X.mean(axis=0), axis=1)
    assert_allclose(found[0], X[from_mean.argmax()])
    for k in range(1, 6):
        gaps = np.linalg.norm(X[:, None] - found[:k], axis=2).min(axis=1)
        assert_allclose(found[k], X[gaps.argmax()])


def test_farthest_first_chooses_no_row_twice():
    assert farthest_first(np.array([[1.0], [0.0], [0.0]]), 3).tolist() == [[1], [0], [0]]
