import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist._solvers.clustering import farthest_first, fuzzy_means
from tests.references import fuzzy_memberships_by_hand


@pytest.fixture
def rows(rng):
    return np.vstack([rng.normal(center, 0.3, size=(20, 2)) for center in (-3, 0, 4)])


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 3.0])
def test_it_ends_in_a_fixed_point(rows, fuzziness):
    found = fuzzy_means(rows, rows[[0, 25, 50]], fuzziness, tol=1e-12)
    assert found.converged
    assert_allclose(found.memberships, fuzzy_memberships_by_hand(rows, found.centers, fuzziness), atol=1e-9)
    weights = found.memberships**fuzziness
    assert_allclose(found.centers, weights.T @ rows / weights.sum(axis=0)[:, None], atol=1e-9)
    assert_allclose(np.sort(found.centers[:, 0]), [-3, 0, 4], atol=0.3)


def test_the_objective_never_rises(rows, rng):
    start = rng.normal(size=(4, 2))
    values = []
    for max_iter in range(1, 12):
        found = fuzzy_means(rows, start, max_iter=max_iter)
        squared = ((rows[:, None] - found.centers) ** 2).sum(axis=2)
        values.append((found.memberships**2 * squared).sum())
    assert (np.diff(values) <= 1e-9).all()
    assert values[-1] < values[0]


def test_more_fuzziness_is_more_even(rows):
    sharp, even = (fuzzy_means(rows, rows[[0, 25, 50]], b).memberships.max(axis=1).mean() for b in (1.2, 4.0))
    assert sharp > even


def test_rows_at_a_centre_and_equal_centres():
    X = np.array([[0.0], [0.0], [1.0]])
    found = fuzzy_means(X, X)
    assert_allclose(found.memberships, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], atol=1e-9)
    same = fuzzy_means(np.ones((3, 2)), np.ones((2, 2)))
    assert_allclose(same.memberships, 0.5)


def test_a_large_shift_changes_nothing(rows):
    found, shifted = (fuzzy_means(X, X[[0, 25, 50]]).memberships for X in (rows, rows + 1e6))
    assert_allclose(shifted, found, atol=1e-6)


def test_one_turn_is_one_update_of_centres_and_memberships(rows):
    start = rows[[0, 1, 2]]
    found = fuzzy_means(rows, start, max_iter=1)
    assert (found.n_iter, found.converged) == (1, False)
    weights = fuzzy_memberships_by_hand(rows, start + 1e-12, 2.0) ** 2
    assert_allclose(found.centers, weights.T @ rows / weights.sum(axis=0)[:, None], rtol=1e-6)
    assert_allclose(found.memberships, fuzzy_memberships_by_hand(rows, found.centers, 2.0), rtol=1e-6)


def test_stopping_short_is_told(rows):
    found = fuzzy_means(rows, rows[[0, 1, 2]], max_iter=2)
    assert (found.n_iter, found.converged) == (2, False)


def test_the_farthest_rows_come_first():
    X = np.array([[0.0], [1.0], [5.0], [-9.0]])
    assert farthest_first(X, 3).ravel().tolist() == [-9, 5, 0]


@pytest.mark.parametrize("seed", range(5))
def test_each_row_chosen_is_the_farthest_from_those_before(seed):
    X = np.random.default_rng(seed).normal([5, -20], [1, 1], size=(40, 2))
    found = farthest_first(X, 6)
    assert len(found) == 6
    assert_allclose(np.linalg.norm(found[0] - X.mean(axis=0)), np.linalg.norm(X - X.mean(axis=0), axis=1).max())
    for k in range(1, 6):
        gaps = np.linalg.norm(X[:, None] - found[:k], axis=2).min(axis=1)
        assert_allclose(np.linalg.norm(found[k] - found[:k], axis=1).min(), gaps.max())


def test_no_row_is_chosen_twice():
    assert farthest_first(np.array([[1.0], [0.0], [0.0]]), 3).tolist() == [[1], [0], [0]]


def test_mostly_zero_rows_end_where_dense_ones_do(rng):
    X = rng.normal(size=(60, 80)) * (rng.uniform(size=(60, 80)) < 0.02)
    shifted = fuzzy_means(X + 1.0, X[:3] + 1.0, tol=1e-12)  # nothing is zero
    found = fuzzy_means(X, X[:3], tol=1e-12)
    assert_allclose(found.memberships, shifted.memberships, atol=1e-8)
    assert_allclose(found.centers + 1.0, shifted.centers, atol=1e-8)


def test_nearly_hard_memberships_are_those_of_each_row_alone():
    # At 1.01 they are the hundredth powers of the quotients of squares, which no other row's distance may enter.
    rows = np.array([[0.0], [1e-3], [0.4], [0.6], [10.0], [1.0]])
    memberships = fuzzy_means(rows, np.array([[0.0], [1.0]]), 1.01, max_iter=0).memberships
    assert_allclose(memberships[:, 0], [1, 1, 1, 0, 0, 0], atol=1e-9)
    assert_allclose(memberships.sum(axis=1), 1)
