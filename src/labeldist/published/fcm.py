"""FCM: label enhancement by fuzzy clustering."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labeldist._compat import Interval
from labeldist._constraints import COUNT
from labeldist._float_limits import EPSILON, TINY
from labeldist._solvers.scaling import column_means
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap


class FCM(ScoringEnhancer):
    """Label enhancement by fuzzy c-means (FCM).

    Fuzzy c-means gives the membership u_ik of row i in cluster k. The association of label j with
    cluster k is a_jk = Σ_i l_ij u_ik, divided by its sum over k. The score of row i for label j is
    the max-product composition

        max over k of  a_jk u_ik.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters, at most the number of rows; None is the number of labels.
    fuzziness : float, default=2.0
        β > 1 of fuzzy c-means. Larger values give more even memberships. The published value is 2.
    tol : float, default=1e-5
        Fuzzy c-means stops when no membership changes by more than this.
    max_iter : int, default=1000
        Maximum number of iterations of fuzzy c-means.
    scale : bool, default=False
        Whether to standardise the features.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum.
    sharpness : float, default=1.0
        Factor of the scores in the softmax.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Start of the clustering: None starts at rows that are far apart, which does not depend on
        the order of the rows; otherwise the rows are drawn at random.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres of the clusters, in units of the standardised features if `scale` is True.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Memberships u of the rows.
    associations_ : ndarray of shape (n_labels, n_clusters)
        Associations a; zero for a label that no row has.
    n_iter_ : int
        Iterations of fuzzy c-means.

    See Also
    --------
    KM : Scores by distances to the centres of the labels.

    Notes
    -----
    In many dimensions all fuzzy centres coincide for β = 2. Memberships and distributions are then
    uniform.

    References
    ----------
    N. El Gayar et al. A study of the robustness of KNN classifiers trained using soft labels. ANNPR
    2006.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4),
    2021.

    Examples
    --------
    >>> from labeldist.published import FCM
    >>> X, L = [[0.0], [0.1], [5.0], [5.1]], [[1, 0], [1, 0], [1, 1], [0, 1]]
    >>> FCM(output="clip").fit_transform(X, L).round(2)
    array([[1.  , 0.  ],
           [1.  , 0.  ],
           [0.25, 0.75],
           [0.25, 0.75]])
    """

    _constraints = {
        "n_clusters": [*COUNT, None],
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        fuzziness: float = 2.0,
        tol: float = 1e-5,
        max_iter: int = 1000,
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor
        self.random_state = random_state

    def _score(self, X: Array, L: Array) -> Array:
        n_clusters = min(self.n_clusters or L.shape[1], len(X))
        if self.random_state is None:
            start = farthest_first(X, n_clusters)
        else:
            order = check_random_state(self.random_state).permutation(len(X))
            start = X[order[:n_clusters]]
        clusters = fuzzy_means(X, start, self.fuzziness, tol=self.tol, max_iter=self.max_iter)
        if not clusters.converged:
            message = f"Fuzzy c-means did not converge in max_iter={clusters.n_iter} iterations."
            warn(message, ConvergenceWarning)
        self.cluster_centers_ = clusters.centers
        self.n_iter_ = clusters.n_iter
        self.memberships_ = clusters.memberships
        sums = L.T @ self.memberships_
        divisors = np.where(L.any(axis=0), sums.sum(axis=1), 1.0)
        self.associations_ = sums / divisors[:, None]
        scores = [(self.memberships_ * label).max(axis=1) for label in self.associations_]
        return np.column_stack(scores)


def farthest_first(rows: Array, count: int) -> Array:
    """Return the row farthest from the mean, then repeatedly that farthest from the chosen ones."""
    centred = rows - column_means(rows)
    squares = np.einsum("ij,ij->i", centred, centred)
    chosen = [squares.argmax()]
    gaps = np.full(len(rows), np.inf)
    while len(chosen) < count:
        last = chosen[-1]
        # Matrix products are several times faster than differences of the rows.
        gaps = np.minimum(gaps, squares - 2 * (centred @ centred[last]) + squares[last])
        gaps[chosen] = -np.inf
        chosen.append(gaps.argmax())
    return rows[chosen]


@dataclass(frozen=True)
class FuzzyClusters:
    """Result of `fuzzy_means`."""

    centers: Array  # (p, m)
    memberships: Array  # (n, p), rows sum to one
    n_iter: int
    converged: bool  # whether the memberships settled within `max_iter` iterations


def fuzzy_means(
    X: Array, start: Array, fuzziness: float, *, tol: float, max_iter: int
) -> FuzzyClusters:
    """Minimise ``Σ_ik u_ik^β ‖x_i − v_k‖²`` over centres v and memberships u ≥ 0 with Σ_k u_ik = 1.

    Alternate two steps: for given centres, u_ik is proportional to ‖x_i − v_k‖^(−2/(β−1)); for
    given memberships, v_k is the mean of the rows with weights u_ik^β. No step increases the
    objective. The fixed point depends on the initial centres `start`, of shape (p, m). A larger
    `fuzziness` β > 1 makes the memberships more even. Stop if no membership changes by more than
    `tol`.
    """
    # ‖x‖² + ‖v‖² − 2xᵀv loses digits if the rows have a large common shift.
    middle = column_means(X)
    X = X - middle
    squares = np.einsum("ij,ij->i", X, X)
    centers = start - middle
    memberships = _memberships(X, squares, centers, fuzziness)
    change = np.inf
    n_iter = 0
    while change > tol and n_iter < max_iter:
        weights = memberships**fuzziness
        centers = (X.T @ weights).T / weights.sum(axis=0)[:, None]
        previous = memberships
        memberships = _memberships(X, squares, centers, fuzziness)
        change = np.abs(memberships - previous).max()
        n_iter += 1
    return FuzzyClusters(centers + middle, memberships, n_iter, change <= tol)


def _memberships(X: Array, squares: Array, centers: Array, fuzziness: float) -> Array:
    squared = X @ centers.T
    squared *= -2
    squared += squares[:, None]
    squared += np.einsum("ij,ij->i", centers, centers)
    # Below the rounding of the squares a row coincides with the centre. If there are several, they
    # share the row.
    np.maximum(squared, 4 * EPSILON * squares.max() + TINY, out=squared)
    nearest = squared.min(axis=1, keepdims=True)
    memberships = (nearest / squared) ** (1 / (fuzziness - 1))
    memberships /= memberships.sum(axis=1, keepdims=True)
    return memberships
