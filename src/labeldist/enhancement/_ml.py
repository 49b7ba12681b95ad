"""ML: label enhancement by manifold learning."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labeldist._compat import Interval
from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._solvers.quadratic import minimize_bounded
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap


class ML(ScoringEnhancer):
    """Label enhancement by manifold learning (ML).

    A row is rebuilt from its nearest neighbours as locally linear embedding does, with weights w_ij that sum to one;
    then scores are sought that the same weights rebuild, and that keep the sign of the logical labels:

        min over μ of  Σ_i ‖μ_i − Σ_j w_ij μ_j‖²  with  l_ik μ_ik ≥ 1 for all i, k,

    where l_ik is 1 for a label that the row has and −1 for one that it has not. Labels part company there: each is a
    convex quadratic function over simple bounds, of one sparse matrix that all share.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Neighbours of each row; None is one more than there are labels, as published.
    scale : bool, default=False
        Whether to standardise the features first.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`. ``"clip"`` sets negative scores to 0
        and divides by the row sum.
    sharpness : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str
    violation_ : float
        The largest violation of the conditions for a minimum over all labels, relative to the largest gradient that
        scores of ±1 can have.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    The local Gram matrices have 1e-3 of their trace added to the diagonal, as is usual in locally linear embedding:
    without, rows that nearly repeat each other get weights in the hundreds.

    Where a minimum is not unique (a label that every row has), the scores closest to the logical labels are taken.

    References
    ----------
    P. Hou, X. Geng, M.-L. Zhang. Multi-label manifold learning. AAAI 2016.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE Transactions on Knowledge and
    Data Engineering 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import ML
    >>> ML(n_neighbors=2).fit_transform([[0.0], [1.0], [2.0], [3.0]], [[1, 0], [1, 0], [1, 1], [0, 1]]).round(2)
    array([[1.  , 0.  ],
           [0.98, 0.02],
           [0.5 , 0.5 ],
           [0.02, 0.98]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **ScoringEnhancer._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        n_neighbors: int | None = None,
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        weights = reconstruction_weights(X, self.n_neighbors or L.shape[1] + 1)
        error = sparse.eye_array(len(X), format="csr") - weights
        M = error.T @ error
        signs = np.where(L > 0, 1.0, -1.0)
        # In x = lμ every label's bounds are x ≥ 1.
        minima = [minimize_bounded(sparse.csr_array(M * sign * sign[:, None])) for sign in signs.T]
        self.violation_ = max(minimum.violation for minimum in minima)
        if not all(minimum.converged for minimum in minima):
            warn(
                f"The scores of {sum(not m.converged for m in minima)} of {len(minima)} labels are not at their "
                f"minimum: its conditions are violated by up to {self.violation_:.1e}.",
                ConvergenceWarning,
            )
        return signs * np.column_stack([minimum.x for minimum in minima])
