"""Deterministic k-means clustering."""

import numpy as np
from numpy.typing import NDArray

from labeldist._threads import fork_safe
from labeldist._typing import Array

SAME_DISTANCE = 1e-9  # relative difference of squared distances that are equal up to rounding


def cluster_rows(rows: Array, n_clusters: int) -> NDArray[np.intp]:
    """Return the k-means cluster of each row, numbered from 0.

    There are fewer than `n_clusters` if fewer rows are distinct. Lloyd's iterations start at
    `distant_rows`, so that neither chance nor the order of rows and columns matters.
    """
    from sklearn.cluster import KMeans  # imported here because the import takes a third of a second

    centres = distant_rows(rows, n_clusters)
    k_means = KMeans(len(centres), init=centres, n_init=1, random_state=0)
    with fork_safe():
        numbers = k_means.fit_predict(rows)
    return np.unique(numbers, return_inverse=True)[1]


def distant_rows(rows: Array, count: int) -> Array:
    """Return the row nearest to the mean, then repeatedly the row farthest from the chosen ones."""
    to_mean = _squared_distances(rows, rows.mean(axis=0))
    row = _first(rows, to_mean <= to_mean.min() + SAME_DISTANCE * to_mean.max())
    chosen = [row]
    gaps = _squared_distances(rows, row)
    negligible = SAME_DISTANCE * gaps.max()
    while len(chosen) < count and gaps.max() > negligible:
        row = _first(rows, gaps >= (1 - SAME_DISTANCE) * gaps.max())
        chosen.append(row)
        gaps = np.minimum(gaps, _squared_distances(rows, row))
    return np.array(chosen)


def _squared_distances(rows: Array, point: Array) -> Array:
    return ((rows - point) ** 2).sum(axis=1)


def _first(rows: Array, candidates: NDArray[np.bool_]) -> Array:
    """Return the lexicographically first candidate, so that the order of the rows has no effect."""
    tied = rows[candidates]
    return tied[np.lexsort(tied.T[::-1])[0]]
