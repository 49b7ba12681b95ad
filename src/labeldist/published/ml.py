"""ML: label enhancement by manifold learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from labeldist._constraints import COUNT
from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap

ACTIVE_SET_STEPS = 50  # the active-set method takes about ten steps, or cycles
# Largest violation of the conditions for a minimum, relative to the largest row sum of |A|, which
# bounds the entries of A1.
TOLERANCE = 1e-10


class ML(ScoringEnhancer):
    """Label enhancement by manifold learning (ML).

    Each row is reconstructed from its nearest neighbours by weights w_ij that sum to one, as in
    locally linear embedding. The scores μ are reconstructed by the same weights and keep the sign
    of the logical labels:

        min over μ of  Σ_i ‖μ_i − Σ_j w_ij μ_j‖²  with  l_ik μ_ik ≥ 1 for all i, k,

    where l_ik is 1 for a positive label and −1 for a negative one. The problem separates into one
    convex quadratic problem with bounds per label; all share one sparse matrix.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Neighbours of each row; None is the number of labels plus one, as published.
    scale : bool, default=False
        Whether to standardise the features.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum.
    sharpness : float, default=1.0
        Factor of the scores in the softmax.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    violation_ : float
        Largest violation of the optimality conditions, relative to the largest gradient that scores
        of ±1 can have.

    See Also
    --------
    LP : Propagation of the labels over a graph.

    Notes
    -----
    As usual in locally linear embedding, 1e-3 of the trace is added to the diagonal of the local
    Gram matrices. If the minimum is not unique (a label that every row has), the scores are the
    ones closest to the logical labels.

    References
    ----------
    P. Hou, X. Geng, M.-L. Zhang. Multi-label manifold learning. AAAI 2016.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4),
    2021.

    Examples
    --------
    >>> from labeldist.published import ML
    >>> X, L = [[0.0], [1.0], [2.0], [3.0]], [[1, 0], [1, 0], [1, 1], [0, 1]]
    >>> ML(n_neighbors=2).fit_transform(X, L).round(2)
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
        # For x = lμ the bounds of every label are x ≥ 1.
        scores = np.empty(L.shape)
        self.violation_ = 0.0
        for k, sign in enumerate(signs.T):
            A = sparse.csr_array(M * sign * sign[:, None])
            minimum = minimize_bounded(A, error * sign)
            scores[:, k] = sign * minimum.x
            self.violation_ = max(self.violation_, minimum.violation)
        if self.violation_ > TOLERANCE:
            message = f"The scores did not converge: violation {self.violation_:.1e}."
            warn(message, ConvergenceWarning)
        return scores


@dataclass(frozen=True)
class BoundedMinimum:
    """Result of `minimize_bounded`."""

    x: Array  # (n,)
    # Largest violation of the conditions for a minimum, relative to the largest row sum of |A|.
    violation: float


def minimize_bounded(A: Any, factor: Any) -> BoundedMinimum:
    """Minimise ``½ xᵀAx`` over x ≥ 1 for a sparse A = FᵀF with the factor F.

    x is a minimum if and only if the gradient g = Ax vanishes where x > 1 and is nowhere negative.
    The active-set method solves nearly every problem in about ten steps. If it fails, x − 1 ≥ 0 is
    found by non-negative least squares, which is slower.
    """
    found = by_active_set(A)
    if found.violation <= TOLERANCE and found.x.min() >= 1:
        return found
    above, _ = nnls(factor.toarray(), -factor.sum(axis=1))
    return _bounded_minimum(A, 1 + above, above > 0)


def by_active_set(A: Any) -> BoundedMinimum:
    """Alternate between a guess of the free entries and the solution for them.

    With free entries F and bound entries B, x_F solves A_FF x_F = −A_FB 1. An entry stays free
    while it is above 1 and becomes free if its gradient is negative. At a fixed point the
    conditions for a minimum hold. This semismooth Newton method (Hintermüller, Ito and Kunisch,
    SIAM Journal on Optimization 13, 2002) may cycle.
    """
    x = np.ones(A.shape[0])
    free = np.zeros(len(x), dtype=bool)
    g = A @ x
    goal = TOLERANCE * _largest_row_sum(A)
    for _ in range(ACTIVE_SET_STEPS):
        guess = np.where(free, x > 1, g < -goal)
        if (guess == free).all() or not guess.any():
            break
        free = guess
        right = -(A @ np.where(free, 0.0, 1.0))[free]
        within = A[free][:, free].toarray(order="F")
        x = np.ones(len(x))
        _, x[free], failed = linalg.lapack.dposv(within, right, lower=True)
        if failed:  # A_FF is singular: some free entries are not connected to a bound entry
            return BoundedMinimum(x, np.inf)
        g = A @ x
    return _bounded_minimum(A, x, free)


def _bounded_minimum(A: Any, x: Array, free: Any) -> BoundedMinimum:
    gradient = A @ x
    violation = np.where(free, np.abs(gradient), -gradient).max(initial=0.0)
    return BoundedMinimum(x, float(violation) / _largest_row_sum(A))


def _largest_row_sum(A: Any) -> float:
    return float(abs(A).sum(axis=1).max()) or 1.0
