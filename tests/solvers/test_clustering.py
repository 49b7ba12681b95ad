import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers.clustering import cluster_means, cluster_rows, distant_rows, farthest_first, fuzzy_means
from tests.references import fuzzy_memberships_by_hand


@pytest.fixture
def rows(rng):
    return np.vstack([rng.normal(center, 0.3, size=(20, 2)) for center in (-3, 0, 4)])


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 3.0])
def test_fuzzy_means_converge_to_fixed_point(rows, fuzziness):
    found = fuzzy_means(rows, rows[[0, 25, 50]], fuzziness, tol=1e-12)
    assert found.converged
    assert_allclose(found.memberships, fuzzy_memberships_by_hand(rows, found.centers, fuzziness), atol=1e-9)
    weights = found.memberships**fuzziness
    assert_allclose(found.centers, weights.T @ rows / weights.sum(axis=0)[:, None], atol=1e-9)
    assert_allclose(np.sort(found.centers[:, 0]), [-3, 0, 4], atol=0.3)


def test_rows_at_equal_centres_share_membership():
    X = np.array([[0.0], [0.0], [1.0]])
    found = fuzzy_means(X, X)
    assert_allclose(found.memberships, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], atol=1e-9)
    same = fuzzy_means(np.ones((3, 2)), np.ones((2, 2)))
    assert_allclose(same.memberships, 0.5)


def test_memberships_do_not_depend_on_shift(rows):
    found, shifted = (fuzzy_means(X, X[[0, 25, 50]]).memberships for X in (rows, rows + 1e6))
    assert_allclose(shifted, found, atol=1e-6)


def test_one_iteration_updates_centres_and_memberships(rows):
    start = rows[[0, 1, 2]]
    found = fuzzy_means(rows, start, max_iter=1)
    assert (found.n_iter, found.converged) == (1, False)
    weights = fuzzy_memberships_by_hand(rows, start + 1e-12, 2.0) ** 2
    assert_allclose(found.centers, weights.T @ rows / weights.sum(axis=0)[:, None], rtol=1e-6)
    assert_allclose(found.memberships, fuzzy_memberships_by_hand(rows, found.centers, 2.0), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_farthest_first_maximises_distance_to_chosen_rows(seed):
    X = np.random.default_rng(seed).normal([5, -20], [1, 1], size=(40, 2))
    found = farthest_first(X, 6)
    assert len(found) == 6
    assert_allclose(np.linalg.norm(found[0] - X.mean(axis=0)), np.linalg.norm(X - X.mean(axis=0), axis=1).max())
    for k in range(1, 6):
        gaps = np.linalg.norm(X[:, None] - found[:k], axis=2).min(axis=1)
        assert_allclose(np.linalg.norm(found[k] - found[:k], axis=1).min(), gaps.max())


def test_farthest_first_chooses_no_row_twice():
    assert farthest_first(np.array([[1.0], [0.0], [0.0]]), 3).tolist() == [[1], [0], [0]]


def test_mostly_zero_rows_give_the_same_memberships(rng):
    X = rng.normal(size=(60, 80)) * (rng.uniform(size=(60, 80)) < 0.02)
    shifted = fuzzy_means(X + 1.0, X[:3] + 1.0, tol=1e-12)  # nothing is zero
    found = fuzzy_means(X, X[:3], tol=1e-12)
    assert_allclose(found.memberships, shifted.memberships, atol=1e-8)
    assert_allclose(found.centers + 1.0, shifted.centers, atol=1e-8)


def test_nearly_hard_memberships_are_accurate():
    # At 1.01 they are hundredth powers of ratios of squares, so that errors of small distances would be visible.
    rows = np.array([[0.0], [1e-3], [0.4], [0.6], [10.0], [1.0]])
    memberships = fuzzy_means(rows, np.array([[0.0], [1.0]]), 1.01, max_iter=0).memberships
    assert_allclose(memberships[:, 0], [1, 1, 1, 0, 0, 0], atol=1e-9)
    assert_allclose(memberships.sum(axis=1), 1)


@pytest.fixture
def groups(rng):
    """Return three groups of distributions near corners of the simplex, and the corner of each row."""
    corner = np.repeat([0, 1, 2], [10, 20, 30])
    return np.array([rng.dirichlet(1 + 40 * np.eye(3)[j]) for j in corner]), corner


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def test_cluster_rows_finds_groups(groups):
    rows, corner = groups
    assert same_partition(cluster_rows(rows, 3), corner)


def test_clusters_do_not_depend_on_order_of_rows_and_columns(groups, rng):
    rows = np.vstack([groups[0], rng.dirichlet(np.ones(3), size=40)])
    order, expected = rng.permutation(len(rows)), cluster_rows(rows, 5)
    assert same_partition(cluster_rows(rows[order], 5), expected[order])
    assert same_partition(cluster_rows(rows[:, [2, 0, 1]], 5), expected)


def test_clusters_of_tied_rows_do_not_depend_on_order(rng):
    rows = np.eye(6)[rng.integers(6, size=50)]
    order, expected = rng.permutation(len(rows)), cluster_rows(rows, 3)
    assert same_partition(cluster_rows(rows[order], 3), expected[order])


def test_clusters_are_at_most_distinct_rows():
    rows = np.repeat(np.eye(3), 4, axis=0)
    assert same_partition(cluster_rows(rows, 5), np.repeat([0, 1, 2], 4))
    assert_array_equal(cluster_rows(np.full((7, 3), 1 / 3), 5), np.zeros(7))
    assert_array_equal(cluster_rows(rows[:1], 5), [0])


def test_initial_centres_are_distant():
    rows = np.array([[0.0], [4.0], [5.0], [11.0]])
    assert_array_equal(distant_rows(rows, 3), [[5.0], [11.0], [0.0]])


def test_cluster_means_equal_means_of_groups(groups):
    rows, corner = groups
    assert_allclose(cluster_means(rows, corner), [rows[corner == j].mean(axis=0) for j in range(3)])
