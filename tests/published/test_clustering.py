import numpy as np
import pytest
from numpy.testing import assert_array_equal

from labeldist.published._clustering import cluster_rows


@pytest.fixture
def groups(rng):
    """Return three groups of distributions near corners of the simplex, and the corners."""
    corner = np.repeat([0, 1, 2], [10, 20, 30])
    return np.array([rng.dirichlet(1 + 40 * np.eye(3)[j]) for j in corner]), corner


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def test_cluster_rows_finds_groups(groups):
    rows, corner = groups
    assert same_partition(cluster_rows(rows, 3), corner)


@pytest.mark.parametrize("tied", [False, True])
def test_clusters_do_not_depend_on_order_of_rows_and_columns(rng, tied):
    rows = np.eye(6)[rng.integers(6, size=50)] if tied else rng.dirichlet(np.ones(6), size=50)
    order = rng.permutation(50)
    expected = cluster_rows(rows, 3)
    assert same_partition(cluster_rows(rows[order], 3), expected[order])
    if not tied:
        assert same_partition(cluster_rows(rows[:, ::-1], 3), expected)


def test_clusters_are_at_most_distinct_rows():
    rows = np.repeat(np.eye(3), 4, axis=0)
    assert same_partition(cluster_rows(rows, 5), np.repeat([0, 1, 2], 4))
    assert_array_equal(cluster_rows(np.full((7, 3), 1 / 3), 5), np.zeros(7))
