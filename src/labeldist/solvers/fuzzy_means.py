"""Fuzzy c-means: centres, and how much each row belongs to each."""

from dataclasses import dataclass

import numpy as np

from labeldist.simplex import Array


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
    X: Array, start: Array, fuzziness: float = 2.0, *, tolerance: float = 1e-5, max_iter: int = 1000
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
    tolerance : float
        Stop when no membership moves by more than this.
    max_iter : int
    """
    middle = X.mean(axis=0)  # distances do not see a shift, but lose digits to a large one
    X, centers = X - middle, start - middle
    squares = np.einsum("ij,ij->i", X, X)
    memberships = _memberships(X, squares, centers, fuzziness)
    change, n_iter = np.inf, 0
    while change > tolerance and n_iter < max_iter:
        weights = memberships**fuzziness
        centers = (weights.T @ X) / weights.sum(axis=0)[:, None]
        previous, memberships = memberships, _memberships(X, squares, centers, fuzziness)
        change = float(np.abs(memberships - previous).max())
        n_iter += 1
    return FuzzyClusters(centers + middle, memberships, n_iter, change <= tolerance)


def farthest_first(X: Array, p: int) -> Array:
    """Return p rows far apart: the one farthest from the mean, then always the one farthest from those chosen."""
    gaps = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    chosen = [int(gaps.argmax())]
    gaps = np.full(len(X), np.inf)
    while len(chosen) < p:
        gaps = np.minimum(gaps, ((X - X[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(gaps.argmax()))
    return X[chosen]


def _memberships(X: Array, squares: Array, centers: Array, fuzziness: float) -> Array:
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
