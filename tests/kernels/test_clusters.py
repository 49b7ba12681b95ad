import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers.clustering import cluster_means, cluster_rows, distant_rows


@pytest.fixture
def groups(rng):
    """Three groups of distributions, each about a corner of the simplex, and the corner of each row."""
    corner = np.repeat([0, 1, 2], [10, 20, 30])
    return np.array([rng.dirichlet(1 + 40 * np.eye(3)[j]) for j in corner]), corner


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def test_groups_are_found(groups):
    rows, corner = groups
    assert same_partition(cluster_rows(rows, 3), corner)


def test_the_order_of_rows_and_columns_does_not_matter(groups, rng):
    rows = np.vstack([groups[0], rng.dirichlet(np.ones(3), size=40)])
    order, expected = rng.permutation(len(rows)), cluster_rows(rows, 5)
    assert same_partition(cluster_rows(rows[order], 5), expected[order])
    assert same_partition(cluster_rows(rows[:, [2, 0, 1]], 5), expected)


def test_the_order_of_rows_does_not_matter_where_distances_tie(rng):
    rows = np.eye(6)[rng.integers(6, size=50)]
    order, expected = rng.permutation(len(rows)), cluster_rows(rows, 3)
    assert same_partition(cluster_rows(rows[order], 3), expected[order])


def test_fewer_distinct_rows_make_fewer_clusters():
    rows = np.repeat(np.eye(3), 4, axis=0)
    assert same_partition(cluster_rows(rows, 5), np.repeat([0, 1, 2], 4))
    assert_array_equal(cluster_rows(np.full((7, 3), 1 / 3), 5), np.zeros(7))
    assert_array_equal(cluster_rows(rows[:1], 5), [0])


def test_centres_start_at_the_middle_and_lie_far_apart():
    rows = np.array([[0.0], [4.0], [5.0], [11.0]])
    assert_array_equal(distant_rows(rows, 3), [[5.0], [11.0], [0.0]])


def test_chance_has_no_part_in_it(groups):
    state = np.random.get_state()[1].copy()  # noqa: NPY002  # the global state is what must stay untouched
    cluster_rows(groups[0], 4)
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_means(groups):
    rows, corner = groups
    assert_allclose(cluster_means(rows, corner), [rows[corner == j].mean(axis=0) for j in range(3)])
