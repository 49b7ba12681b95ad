"""GLLE: graph Laplacian label enhancement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._solvers.bidirectional_enhancement import EnhancementLoss
from labeldist._solvers.lbfgs import LBFGSSolution
from labeldist._typing import Array
from labeldist.enhancement._enhancer import NewRowsMixin, ScoringEnhancer
from labeldist.enhancement._kernel_model import KernelModelMixin
from labeldist.simplex import OutputMap


class GLLE(KernelModelMixin, NewRowsMixin, ScoringEnhancer):
    """Graph Laplacian label enhancement (GLLE).

    A kernel model is fitted to the labels, with a penalty on differences between the scores of
    neighbouring rows:

        min over W of  ‖ΦW − L‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix with a column of ones, L are the logical labels and S is
    the Laplacian of the neighbour graph. It is the loss of `BDLE` without reconstruction. The
    scores ΦW are mapped to distributions.

    Parameters
    ----------
    smoothness : float, default=1e-2
        λ, the weight of the neighbour graph.
    kernel : {"rbf", "linear"} or callable, default="rbf"
        A callable maps two arrays of rows to the matrix of their kernel values.
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)); ``"mean"`` is the mean distance between training rows.
    n_neighbors : int or None, default=None
        Neighbours of each row in the graph; None is the number of labels plus one.
    graph_width : float or "mean", default=1.0
        Bandwidth of the weights of the graph; ``"mean"`` is the mean distance between neighbours.
    scale : bool, default=True
        Whether to standardise the features.
    solver : {"exact", "lbfgs"}, default="exact"
        ``"exact"`` computes the minimum. ``"lbfgs"`` does `max_iter` iterations towards it, as
        published: the minimum nearly interpolates the labels, so that early stopping regularises.
    max_iter : int, default=300
        Iterations of ``solver="lbfgs"``. It is part of the method, so reaching it causes no
        warning.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum.
    sharpness : float, default=1.0
        Factor of the scores in the softmax.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Start of ``solver="lbfgs"``: zero if None, otherwise drawn from the standard normal
        distribution.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    dual_coef_ : ndarray of shape (n_samples, n_labels)
        W without its last row: the weight of the kernel value with each row of `X_fit_`.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training rows, standardised if `scale` is True.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and scale of each feature; 0 and 1 if `scale` is False.
    bandwidth_ : float or None
        The s of the kernel; None for other kernels.
    solver_ : str
        The solver that was used.
    residual_ : float
        Relative gradient of the loss at W. An `AccuracyWarning` is issued if it exceeds 1e-3
        for ``"exact"``.
    n_iter_ : int
        Iterations of ``solver="lbfgs"``; 1 for ``"exact"``.

    See Also
    --------
    labeldist.BDLE : The same loss with reconstruction of the features from the labels.

    Notes
    -----
    Memory grows as n², time as n³. If the kernel matrix is invertible, the scores of the training
    rows are (I + λS)⁻¹L: the kernel matters for new rows only. With few features and many rows it
    is numerically singular. Rounding errors then smooth the scores further, and the order of the
    rows changes them, in degrees by up to about 0.1.

    The authors' code differs from their formula: σ = 10, twenty neighbours including the row
    itself, a graph made symmetric by OR, a random start, and at most 300 iterations of L-BFGS.

    References
    ----------
    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4),
    2021.

    Examples
    --------
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.published import GLLE
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = GLLE().fit(X, binarize(D))
    >>> model.transform(X[:1]).round(2)
    array([[0.16, 0.42, 0.42]])
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
        self.smoothness = smoothness
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.scale = scale
        self.solver = solver
        self.max_iter = max_iter
        self.output = output
        self.sharpness = sharpness
        self.floor = floor
        self.random_state = random_state

    def _score(self, X: Array, L: Array) -> Array:
        self._kernel = self.kernel
        self.n_iter_ = 1
        return self._score_by_kernel(X, L)

    def _search(self, loss: EnhancementLoss, **options: Any) -> LBFGSSolution:
        solution = super()._search(loss, max_iter=self.max_iter, **options)
        self.n_iter_ = solution.n_iter
        return solution
