"""WInLDL: linear predictions from incomplete distributions, with weights of the degrees."""

from __future__ import annotations

from numbers import Real

import numpy as np

from labeldist._compat import Interval
from labeldist._typing import Array
from labeldist.published._incomplete_degrees import ColumnSpace, minimize_incomplete
from labeldist.published._linear_learner import Floor, LinearLearner


class WInLDL(LinearLearner):
    """Label distribution learning from incomplete distributions, with weighted degrees (WInLDL).

    With P = XW + 1bᵀ and a weight a^(1 − d_ij) for an observed degree d_ij, it minimises over W and
    b

        ½ Σ_{ij observed} (a^(1 − d_ij) (p_ij − d_ij))²  subject to rows of P that are
        distributions.

    Parameters
    ----------
    base : float, default=2.0
        a. Larger values give more weight to small degrees. 1 is least squares.
    floor : float or "auto", default="auto"
        Predicted degrees below it are raised to it before a row is divided by its sum. ``"auto"``
        is a tenth of the uniform degree, 0.1 / n_labels.
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts b.
    floor_ : float
        Floor of `predict`.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    IncomLDL : Equal weights and predictions of low rank, which need fewer observed degrees.

    Notes
    -----
    Missing degrees are NaN. Complete rows are divided by their sums; rows with NaN are not, and
    sum to at most one. The method rests on public code, python-ldl, and on the abstract; the method
    section of the paper was not available. That code replaces missing degrees by the current
    predictions, with weights that grow with the iterations and with the mean degree of the label.
    At its fixed point these terms vanish, so they are omitted here. It also ignores the weights in
    its projection on the simplex, and adds 1e-5 to the diagonal of XᵀX.

    References
    ----------
    X. Li, S. Chen. Weighted incomplete label distribution learning. arXiv and AAAI, 2023 to 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from labeldist.published import WInLDL
    >>> D = [[0.7, 0.3, 0.0], [np.nan, 0.5, np.nan], [0.1, np.nan, 0.6]]
    >>> WInLDL().fit([[0.0], [1.0], [2.0]], D).predict([[0.5]]).round(2)
    array([[0.52, 0.35, 0.13]])
    """

    _constraints = {"base": [Interval(Real, 1, None, closed="left")]}
    _accepts_missing = True

    def __init__(
        self, base: float = 2.0, *, floor: Floor = "auto", tol: float = 1e-4, max_iter: int = 1000
    ) -> None:
        self.base = base
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Array, D: Array) -> None:
        space = ColumnSpace.of(X)
        weight = np.where(np.isnan(D), 0, self.base ** (2 - 2 * D))
        solution = minimize_incomplete(
            space, np.nan_to_num(D), weight, 0.0, tol=self.tol, max_iter=self.max_iter
        )
        self._store(*space.coefficients(solution.x), space.mean, solution)
