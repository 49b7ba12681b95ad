"""GLLE: graph Laplacian label enhancement."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.bidirectional import EnhancementLoss
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._typing import Array
from labeldist.enhancement._kernel_enhancer import KernelEnhancer
from labeldist.simplex import OutputMap


class GLLE(KernelEnhancer):
    """Graph Laplacian label enhancement (GLLE).

    A kernel model is fitted to the labels while a neighbour graph keeps the scores of similar rows similar:

        min over W of  ‖ΦW − L‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix beside a column of ones, L are the logical labels and S is the Laplacian of
    the graph. It is the loss of `BDLE` without the way back. Scores ΦW become distributions by softmax.

    Parameters
    ----------
    smoothness : float, default=1e-2
        λ, the weight of the neighbour graph.
    kernel : {"rbf", "linear"} or callable, default="rbf"
        A callable takes two arrays of rows and returns the matrix of their kernel values.
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)) of the rbf kernel; ``"mean"`` is the mean distance between training rows.
    n_neighbors : int or None, default=None
        Neighbours of each row in the graph; None is one more than there are labels, as published.
    graph_width : float or "mean", default=1.0
        The same as `bandwidth` for the weights of the graph, where ``"mean"`` is the mean distance between neighbours.
    scale : bool, default=True
        Whether to standardise the features first.
    solver : {"exact", "lbfgs"}, default="exact"
        ``"exact"`` computes the minimum. ``"lbfgs"`` walks towards it for `max_iter` iterations, as published: the
        minimum all but interpolates the labels, so stopping early is what regularises.
    max_iter : int, default=300
        Iterations of ``solver="lbfgs"``. Reaching it is the method and draws no warning; see `residual_`.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`.
    sharpness : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Where ``solver="lbfgs"`` starts: at zero if None, else at a draw from the standard normal distribution.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.
    label_names_ : list of str
    dual_coef_ : ndarray of shape (n_samples, n_labels)
        W but for its last row: the weight of each training row's kernel value.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training rows, standardised if `scale`.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises a feature; 0 and 1 if not `scale`.
    bandwidth_ : float or None
        The kernel's s; None for a kernel without one.
    solver_ : str
        The solver that was used.
    residual_ : float
        The relative gradient of the loss at W. A warning tells if the exact solution leaves more than 1e-3.
    condition_ : None
        The scores are solved for first, from a system that is always well conditioned.
    n_iter_ : int
        Iterations of ``solver="lbfgs"``; 1 for ``"exact"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Memory grows as n², time as n³/3. With an invertible kernel matrix the scores of the training rows are
    (I + λS)⁻¹L, whatever the kernel: it decides new rows only. The coefficients of minimum norm are taken, zero for
    rows that repeat others.

    The authors' code differs from their formula: σ = 10, twenty neighbours with the row itself among them, made
    symmetric by OR, a random start, at most 300 iterations of L-BFGS.

    References
    ----------
    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE Transactions on Knowledge and
    Data Engineering 33(4), 2021.

    Examples
    --------
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.enhancement import GLLE
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = GLLE().fit(X, binarize(D))
    >>> model.transform(X[:5]).shape
    (5, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **KernelEnhancer._parameter_constraints,
        "solver": [StrOptions({"exact", "lbfgs"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

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

    def _minimise(self, loss: EnhancementLoss) -> Array:
        self.n_iter_ = 1
        return super()._minimise(loss)

    def _search(self, loss: EnhancementLoss) -> Array:
        solution = minimize_lbfgs(loss.value_and_gradient, self._start(loss), max_iter=self.max_iter)
        self.solver_, self.residual_, self.condition_ = "lbfgs", solution.gradient, None
        self.n_iter_ = solution.n_iter
        return solution.X
