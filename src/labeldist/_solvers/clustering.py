"""Clustering: deterministic k-means and fuzzy c-means."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._solvers.scaling import column_means
from labeldist._solvers.storage import hold_for_products
from labeldist._typing import EPSILON, TINY, Array

SAME_DISTANCE = 1e-9  # relative difference of squared distances that are equal up to rounding


def cluster_rows(rows: Array, n_clusters: int) -> NDArray[np.intp]:
    """Return the k-means cluster of each row as numbers 0, 1, …; fewer than `n_clusters` if fewer rows are distinct.

    Lloyd's iterations start at `distant_rows`, so that neither chance nor the order of rows and columns matters.
    """
    from sklearn.cluster import KMeans  # imported here because the import takes a third of a second

    centres = distant_rows(rows, n_clusters)
    numbers = KMeans(len(centres), init=centres, n_init=1, random_state=0).fit_predict(rows)
    return np.unique(numbers, return_inverse=True)[1]


def distant_rows(rows: Array, count: int) -> Array:
    """Return the row nearest to the mean, then repeatedly the row farthest from those already chosen."""
    to_mean = _squared_distances(rows, rows.mean(axis=0))
    chosen = [_first(rows, to_mean <= to_mean.min() + SAME_DISTANCE * to_mean.max())]
    nearest = _squared_distances(rows, chosen[0])
    spread = nearest.max()
    while len(chosen) < count and nearest.max() > SAME_DISTANCE * spread:
        chosen.append(_first(rows, nearest >= (1 - SAME_DISTANCE) * nearest.max()))
        nearest = np.minimum(nearest, _squared_distances(rows, chosen[-1]))
    return np.array(chosen)


def _squared_distances(rows: Array, point: Array) -> Array:
    return ((rows - point) ** 2).sum(axis=1)


def _first(rows: Array, candidates: NDArray[np.bool_]) -> Array:
    """Return the lexicographically first candidate, which does not depend on the order of the rows."""
    tied = rows[candidates]
    return tied[np.lexsort(tied.T[::-1])[0]]


def cluster_means(rows: Array, numbers: NDArray[np.intp]) -> Array:
    """Return the mean of the rows of each cluster, one row per cluster."""
    sums = np.zeros((numbers.max() + 1, rows.shape[1]))
    np.add.at(sums, numbers, rows)
    return sums / np.bincount(numbers)[:, None]


@dataclass(frozen=True)
class FuzzyClusters:
    """Result of `fuzzy_means`."""

    centers: Array  # (p, m)
    memberships: Array  # (n, p), rows sum to one
    n_iter: int
    converged: bool  # whether the memberships settled within `max_iter` iterations


def fuzzy_means(
    X: Array, start: Array, fuzziness: float = 2.0, *, tol: float = 1e-5, max_iter: int = 1000
) -> FuzzyClusters:
    """Minimise ``Σ_ik u_ik^β ‖x_i − v_k‖²`` over centres v and memberships u ≥ 0 with Σ_k u_ik = 1.

    Alternate two steps: for given centres, u_ik is proportional to ‖x_i − v_k‖^(−2/(β−1)); for given memberships, v_k
    is the mean of the rows with weights u_ik^β. No step increases the objective. The fixed point depends on the initial
    centres `start`, of shape (p, m). A larger `fuzziness` β > 1 makes the memberships more even. Stop if no membership
    changes by more than `tol`.
    """
    held, squares, middle = _hold(X)
    centers = start - middle
    memberships = _memberships(held, squares, centers, fuzziness)
    change, n_iter = np.inf, 0
    while change > tol and n_iter < max_iter:
        weights = memberships**fuzziness
        centers = (held.T @ weights).T / weights.sum(axis=0)[:, None]
        previous, memberships = memberships, _memberships(held, squares, centers, fuzziness)
        change = float(np.abs(memberships - previous).max())
        n_iter += 1
    return FuzzyClusters(centers + middle, memberships, n_iter, change <= tol)


def farthest_first(X: Array, p: int) -> Array:
    """Return p rows: the one farthest from the mean, then repeatedly the one farthest from those already chosen."""
    held, squares, middle = _hold(X)

    def squared_distances(point: Array) -> Array:
        point = point - middle
        return np.asarray(squares - 2 * (held @ point) + point @ point)

    chosen = [int(squared_distances(column_means(X)).argmax())]
    gaps = np.full(len(X), np.inf)
    while len(chosen) < p:
        gaps = np.minimum(gaps, squared_distances(X[chosen[-1]]))
        gaps[chosen] = -np.inf
        chosen.append(int(gaps.argmax()))
    return X[chosen]


def _hold(X: Array) -> tuple[Any, Array, Array]:
    """Return X prepared for products, the squared norms of its rows, and the vector subtracted from them.

    Dense rows are centred because ‖x‖² + ‖v‖² − 2xᵀv loses digits if there is a large common shift.
    """
    held, middle = hold_for_products(X), np.zeros(X.shape[1])
    if isinstance(held, np.ndarray):
        middle = column_means(X)
        held = X = X - middle
    return held, np.einsum("ij,ij->i", X, X), middle


def _memberships(X: Any, squares: Array, centers: Array, fuzziness: float) -> Array:
    squared = X @ centers.T
    squared *= -2
    squared += squares[:, None]
    squared += np.einsum("ij,ij->i", centers, centers)
    # Below the rounding of the squares a row coincides with the centre. If there are several, they share the row.
    np.maximum(squared, 4 * EPSILON * max(float(squares.max()), TINY), out=squared)
    nearest = squared.min(axis=1, keepdims=True)
    memberships = (nearest / squared) ** (1 / (fuzziness - 1))
    memberships /= memberships.sum(axis=1, keepdims=True)
    return memberships
