"""GLLE: graph Laplacian label enhancement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._solvers.bidirectional import EnhancementLoss
from labeldist._solvers.lbfgs import LBFGSSolution
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.enhancement._kernel_model import KernelModelMixin
from labeldist.simplex import OutputMap


class GLLE(KernelModelMixin, ScoringEnhancer):
    """Graph Laplacian label enhancement (GLLE).

    A kernel model is fitted to the labels, with a penalty on differences between the scores of neighbouring rows:

        min over W of  ‖ΦW − L‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix with a column of ones, L are the logical labels and S is the Laplacian of the
    neighbour graph. It is the loss of `BDLE` without reconstruction. The scores ΦW are mapped to distributions.

    Parameters
    ----------
    smoothness : float, default=1e-2
        λ, the weight of the neighbour graph.
    kernel, bandwidth, n_neighbors, graph_width, scale : as in `BDLE`
    solver : {"exact", "lbfgs"}, default="exact"
        ``"exact"`` computes the minimum. ``"lbfgs"`` does `max_iter` iterations towards it, as published: the minimum
        nearly interpolates the labels, so that early stopping regularises.
    max_iter : int, default=300
        Iterations of ``solver="lbfgs"``. It is part of the method, so reaching it causes no warning.
    output, sharpness, floor : as in `BDLE`
    random_state : int, RandomState or None, default=None
        Start of ``solver="lbfgs"``: zero if None, otherwise drawn from the standard normal distribution.

    Attributes
    ----------
    label_distributions_, label_names_ : as in `BDLE`
    dual_coef_, intercept_, X_fit_, mean_, scale_, bandwidth_, solver_ : as in `BDLE`
    residual_ : float
        Relative gradient of the loss at W. An `IllConditionedWarning` is issued if it exceeds 1e-3 for ``"exact"``,
        or if the kernel matrix is numerically singular and the loss therefore far above its minimum.
    n_iter_ : int
        Iterations of ``solver="lbfgs"``; 1 for ``"exact"``.

    See Also
    --------
    BDLE : The same loss with reconstruction of the features from the labels.

    Notes
    -----
    Memory grows as n², time as n³. If the kernel matrix is invertible, the scores of the training rows are (I + λS)⁻¹L:
    the kernel matters for new rows only. With few features and many rows it is numerically singular. Rounding
    errors then smooth the scores further, and the order of the rows changes them, in degrees by up to about 0.1.

    The authors' code differs from their formula: σ = 10, twenty neighbours including the row itself, a graph made
    symmetric by OR, a random start, and at most 300 iterations of L-BFGS.

    References
    ----------
    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4), 2021.

    Examples
    --------
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.enhancement import GLLE
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = GLLE().fit(X, binarize(D))
    >>> model.transform(X[:5]).shape
    (5, 3)
    """

    _constraints = {"solver": [StrOptions({"exact", "lbfgs"})]}

    def __init__(
        self,
        smoothness: float = 1e-2,
        *,
        kernel: Literal["rbf", "linear"] | Callable[[Array, Array], Array] = "rbf",
        bandwidth: float | Literal["mean"] = "mean",
        n_neighbors: int | None = None,
        graph_width: float | Literal["mean"] = 1.0,
        scale: bool = True,
        solver: Literal["exact", "lbfgs"] = "exact",
        max_iter: int = 300,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.smoothness, self.kernel, self.bandwidth, self.n_neighbors = smoothness, kernel, bandwidth, n_neighbors
        self.graph_width, self.scale, self.solver, self.max_iter = graph_width, scale, solver, max_iter
        self.output, self.sharpness, self.floor, self.random_state = output, sharpness, floor, random_state

    def _score(self, X: Array, L: Array) -> Array:
        self._kernel, self.n_iter_ = self.kernel, 1
        return self._score_by_kernel(X, L)

    def _search(self, loss: EnhancementLoss, **options: Any) -> LBFGSSolution:
        solution = super()._search(loss, max_iter=self.max_iter, **options)
        self.n_iter_ = solution.n_iter
        return solution
