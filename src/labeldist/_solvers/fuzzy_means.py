"""Fuzzy c-means: centres, and how much each row belongs to each."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labeldist._kernels.scaling import column_means
from labeldist._kernels.storage import hold_for_products
from labeldist._typing import Array


@dataclass(frozen=True)
class FuzzyClusters:
    """What `fuzzy_means` returns.

    Attributes
    ----------
    centers : ndarray of shape (p, m)
    memberships : ndarray of shape (n, p)
        Rows sum to one.
    n_iter : int
    converged : bool
        Whether the memberships stopped moving before `max_iter` did.
    """

    centers: Array
    memberships: Array
    n_iter: int
    converged: bool


def fuzzy_means(
    X: Array, start: Array, fuzziness: float = 2.0, *, tol: float = 1e-5, max_iter: int = 1000
) -> FuzzyClusters:
    """Minimise ``Σ_ik u_ik^β ‖x_i − v_k‖²`` over centres v and memberships u ≥ 0 with Σ_k u_ik = 1, in turns.

    Given the centres the best memberships are as ‖x_i − v_k‖^(−2/(β−1)); given the memberships the best centres are the
    means of the rows with weights u^β. Neither turn raises the objective; what they end in is a fixed point, which
    depends on the start.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    start : ndarray of shape (p, m)
        The first centres.
    fuzziness : float
        β > 1; the larger, the more even the memberships.
    tol : float
        Stop when no membership moves by more than this.
    max_iter : int
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
    """Return p rows far apart: the one farthest from the mean, then always the one farthest from those chosen."""
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
    """Return X held for products, the squared norms of its rows, and what was subtracted from them.

    Distances do not see a shift, but lose digits to a large one, so dense rows are held less their mean.
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
    # Below the rounding of the squares a row is at the centre, and all such centres share it.
    np.maximum(
        squared, 4 * np.finfo(np.float64).eps * max(float(squares.max()), np.finfo(np.float64).tiny), out=squared
    )
    nearest = squared.min(axis=1, keepdims=True)
    memberships = (nearest / squared) ** (1 / (fuzziness - 1))
    memberships /= memberships.sum(axis=1, keepdims=True)
    return memberships
