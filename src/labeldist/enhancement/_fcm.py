"""FCM: label enhancement by fuzzy clustering."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labeldist._compat import COUNT, Interval
from labeldist._solvers.clustering import farthest_first, fuzzy_means
from labeldist._solvers.scaling import squarable_unit
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap


class FCM(ScoringEnhancer):
    """Label enhancement by fuzzy c-means (FCM).

    Fuzzy c-means gives the membership u_ik of row i in cluster k. The association of label j with cluster k is
    a_jk = Σ_i l_ij u_ik, divided by its sum over k. The score of row i for label j is the max-product composition

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
    output, sharpness, floor : as in `BDLE`
    random_state : int, RandomState or None, default=None
        Start of the clustering: None starts at rows that are far apart, which does not depend on the order of the rows;
        otherwise the rows are drawn at random.

    Attributes
    ----------
    label_distributions_, label_names_ : as in `BDLE`
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres of the clusters, in units of the standardised features if `scale` is True.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Memberships u of the rows.
    associations_ : ndarray of shape (n_labels, n_clusters)
        Associations a; zero for a label that no row has.
    n_iter_ : int

    See Also
    --------
    KM : Scores by distances to the centres of the labels.

    Notes
    -----
    In many dimensions all fuzzy centres coincide for β = 2. Memberships and distributions are then uniform.

    References
    ----------
    N. El Gayar et al. A study of the robustness of KNN classifiers trained using soft labels. ANNPR 2006.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import FCM
    >>> FCM(output="clip").fit_transform([[0.0], [0.1], [5.0], [5.1]], [[1, 0], [1, 0], [1, 1], [0, 1]]).round(2)
    array([[1.  , 0.  ],
           [1.  , 0.  ],
           [0.25, 0.75],
           [0.25, 0.75]])
    """

    _constraints = {"n_clusters": [*COUNT, None], "fuzziness": [Interval(Real, 1, None, closed="neither")]}

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
        self.fuzziness, self.tol, self.max_iter, self.scale, self.output = fuzziness, tol, max_iter, scale, output
        self.sharpness, self.floor, self.random_state = sharpness, floor, random_state

    def _score(self, X: Array, L: Array) -> Array:
        unit = squarable_unit(X)
        X = X / unit
        p = min(self.n_clusters or L.shape[1], len(X))
        if self.random_state is None:
            start = farthest_first(X, p)
        else:
            start = X[check_random_state(self.random_state).permutation(len(X))[:p]]
        clusters = fuzzy_means(X, start, self.fuzziness, tol=self.tol, max_iter=self.max_iter)
        if not clusters.converged:
            warn(f"Fuzzy c-means did not converge in max_iter={clusters.n_iter} iterations.", ConvergenceWarning)
        self.cluster_centers_, self.n_iter_ = unit * clusters.centers, clusters.n_iter
        self.memberships_ = U = clusters.memberships
        sums = L.T @ U
        self.associations_ = sums / np.where(L.any(axis=0), sums.sum(axis=1), 1.0)[:, None]
        return np.column_stack([(U * a).max(axis=1) for a in self.associations_])
