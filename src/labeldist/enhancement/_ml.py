"""ML: label enhancement by manifold learning."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labeldist._compat import COUNT
from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._solvers.quadratic import minimize_bounded
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap


class ML(ScoringEnhancer):
    """Label enhancement by manifold learning (ML).

    Each row is reconstructed from its nearest neighbours by weights w_ij that sum to one, as in locally linear
    embedding. The scores μ are reconstructed by the same weights and keep the sign of the logical labels:

        min over μ of  Σ_i ‖μ_i − Σ_j w_ij μ_j‖²  with  l_ik μ_ik ≥ 1 for all i, k,

    where l_ik is 1 for a positive label and −1 for a negative one. The problem separates into one convex quadratic
    problem with bounds per label; all share one sparse matrix.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Neighbours of each row; None is the number of labels plus one, as published.
    scale : bool, default=False
        Whether to standardise the features.
    output, sharpness, floor : as in `BDLE`

    Attributes
    ----------
    label_distributions_, label_names_ : as in `BDLE`
    violation_ : float
        Largest violation of the optimality conditions, relative to the largest gradient that scores of ±1 can have.

    See Also
    --------
    LP : Propagation of the labels over a graph.

    Notes
    -----
    As usual in locally linear embedding, 1e-3 of the trace is added to the diagonal of the local Gram matrices. If the
    minimum is not unique (a label that every row has), the scores are the ones closest to the logical labels.

    References
    ----------
    P. Hou, X. Geng, M.-L. Zhang. Multi-label manifold learning. AAAI 2016.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import ML
    >>> ML(n_neighbors=2).fit_transform([[0.0], [1.0], [2.0], [3.0]], [[1, 0], [1, 0], [1, 1], [0, 1]]).round(2)
    array([[1.  , 0.  ],
           [0.98, 0.02],
           [0.5 , 0.5 ],
           [0.02, 0.98]])
    """

    _constraints = {"n_neighbors": [*COUNT, None]}

    def __init__(
        self,
        *,
        n_neighbors: int | None = None,
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.n_neighbors, self.scale, self.output, self.sharpness = n_neighbors, scale, output, sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        weights = reconstruction_weights(X, self.n_neighbors or L.shape[1] + 1)
        error = sparse.eye_array(len(X), format="csr") - weights
        M = error.T @ error
        signs = np.where(L > 0, 1.0, -1.0)
        # For x = lμ the bounds of every label are x ≥ 1.
        minima = [minimize_bounded(sparse.csr_array(M * sign * sign[:, None])) for sign in signs.T]
        self.violation_ = max(minimum.violation for minimum in minima)
        if not all(minimum.converged for minimum in minima):
            failed = f"{sum(not minimum.converged for minimum in minima)} of {len(minima)} labels"
            warn(f"The scores of {failed} did not converge: violation {self.violation_:.1e}.", ConvergenceWarning)
        return signs * np.column_stack([minimum.x for minimum in minima])
