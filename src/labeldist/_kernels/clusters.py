"""Clusters of rows that depend on the rows alone: not on their order, nor on chance."""

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array

SAME_DISTANCE = 1e-9
"""Squared distances that differ by less than this share of the largest are equal but for rounding."""


def cluster_rows(rows: Array, n_clusters: int) -> NDArray[np.intp]:
    """Return the number of the k-means cluster of each row, 0, 1, ….

    The first centre is the row nearest to the mean, each further one the row farthest from all before it, so that equal
    tables have equal clusters whatever the order of their rows and columns. Lloyd's iterations go on from there.

    Parameters
    ----------
    rows : ndarray of shape (n, c)
    n_clusters : int
        There are fewer clusters if fewer rows are distinct.
    """
    from sklearn.cluster import KMeans  # costs a third of a second, and most of the library never needs it

    centres = distant_rows(rows, n_clusters)
    numbers = KMeans(len(centres), init=centres, n_init=1, random_state=0).fit_predict(rows)
    return np.unique(numbers, return_inverse=True)[1]


def distant_rows(rows: Array, count: int) -> Array:
    """Return the row nearest to the mean and then, one by one, the row farthest from those chosen."""
    to_mean = squared_distances(rows, rows.mean(axis=0))
    chosen = [_first(rows, to_mean <= to_mean.min() + SAME_DISTANCE * to_mean.max())]
    nearest = squared_distances(rows, chosen[0])
    spread = nearest.max()
    while len(chosen) < count and nearest.max() > SAME_DISTANCE * spread:
        chosen.append(_first(rows, nearest >= (1 - SAME_DISTANCE) * nearest.max()))
        nearest = np.minimum(nearest, squared_distances(rows, chosen[-1]))
    return np.array(chosen)


def squared_distances(rows: Array, point: Array) -> Array:
    """Return ‖row − point‖² for each row."""
    return ((rows - point) ** 2).sum(axis=1)


def _first(rows: Array, candidates: NDArray[np.bool_]) -> Array:
    """Return the candidate that is first in lexicographic order, which knows nothing of the order of the rows."""
    tied = rows[candidates]
    return tied[np.lexsort(tied.T[::-1])[0]]


def cluster_means(rows: Array, numbers: NDArray[np.intp]) -> Array:
    """Return the mean of the rows of each cluster, a row a cluster."""
    sums = np.zeros((numbers.max() + 1, rows.shape[1]))
    np.add.at(sums, numbers, rows)
    return sums / np.bincount(numbers)[:, None]
