"""DLDL: joint label enhancement and label distribution learning."""

from __future__ import annotations

from typing import Literal

import numpy as np

from labeldist._compat import NON_NEGATIVE
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.joint_enhancement import JointLoss, enhance_jointly
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.enhancement._enhancer import NewRowsMixin, ScoringEnhancer
from labeldist.simplex import OutputMap, to_distributions


class DLDL(NewRowsMixin, ScoringEnhancer):
    """Joint label enhancement and label distribution learning (DLDL).

    The degrees D of the training rows and a softmax model of them, P = softmax(XW + 1bᵀ), are estimated together:

        min over D, W, b of  KL(D‖P) + α tr(DᵀSD) + β‖D‖² + γ‖W‖²,

    where the rows of D are distributions over the tags of the row, and S is the Laplacian of the neighbour graph.

    Parameters
    ----------
    smoothness : float, default=0.1
        α, the weight of the neighbour graph.
    flatness : float, default=1e-3
        β. Larger values make the degrees of the tags more equal.
    ridge : float, default=0.01
        γ, the weight of the penalty on the coefficients.
    n_neighbors : int, default=20
        Number of neighbours of a row in the graph.
    graph_width : float or "mean", default="mean"
        Width σ of the weights exp(−‖x − y‖² / (2σ²)) of the graph; ``"mean"`` is the mean distance of neighbours.
    scale : bool, default=True
        Whether to standardise the features.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.
    tol : float, default=1e-4
        Stop when a round decreases the objective by less than this fraction of its first value.
    max_iter : int, default=5
        Maximum number of rounds. It is part of the method, so reaching it causes no warning.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        D, zero for labels that are not tagged unless `floor` is positive. All labels of a row without tags can have
        positive degrees.
    label_names_ : list of str
    scaled_coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        Wᵀ, for standardised features, and b.
    mean_, scale_ : ndarray of shape (n_features,)
    objective_ : list of float
        The objective at the start and after each of the `n_iter_` rounds. It never increases.

    See Also
    --------
    BayesLE : Label enhancement by a model of how degrees become tags, which gives all labels positive degrees.
    labeldist.learning.EnhancedLearner : Label enhancement and learning one after the other.

    Notes
    -----
    The objective, the weights and the five rounds are those of the authors' code and the supplement of the paper. The
    code differs from the formula: it has S² in place of S, its problem of a row adds up all other rows, and its steps
    for D are so short that D changes little. Here each round minimises over W, by L-BFGS, and then over D, by the
    exponentiated gradient with backtracking. The objective is not convex in both. The intercept, which has no penalty,
    and the width of the graph, published as σ = 20, are ours.

    If labels without a tag have positive true degrees, the Kullback-Leibler divergence from the truth to D is infinite,
    and to P it increases with the number of rounds: the model learns the tags. With tags by
    `labeldist.datasets.binarize`, equal degrees of all labels are closer to the truth on Yeast_cold, SBU_3DFE and
    Natural_Scene.

    References
    ----------
    Y. Jia, J. Tang, J. Jiang. Label distribution learning from logical label. arXiv:2303.06847, 2023; IJCAI 2024.

    Examples
    --------
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.enhancement import DLDL
    >>> X, D = make_artificial(200, random_state=0)
    >>> DLDL().fit(X, binarize(D)).transform(X[:5]).shape
    (5, 3)
    """

    _constraints = {"flatness": NON_NEGATIVE}

    # The scores are degrees.
    output: OutputMap = "clip"
    sharpness = 1.0

    def __init__(
        self,
        smoothness: float = 0.1,
        flatness: float = 1e-3,
        ridge: float = 0.01,
        *,
        n_neighbors: int = 20,
        graph_width: float | Literal["mean"] = "mean",
        scale: bool = True,
        floor: float = 0.0,
        tol: float = 1e-4,
        max_iter: int = 5,
    ) -> None:
        self.smoothness, self.flatness, self.ridge, self.n_neighbors = smoothness, flatness, ridge, n_neighbors
        self.graph_width, self.scale, self.floor, self.tol, self.max_iter = graph_width, scale, floor, tol, max_iter

    def _score(self, X: Array, L: Array) -> Array:
        tags = (L > 0) | ~L.any(axis=1, keepdims=True)
        graph = laplacian(neighbor_graph(X, self.n_neighbors, self.graph_width)) if self.smoothness else None
        features = np.column_stack([X, np.ones(len(X))])
        loss = JointLoss(features, tags, graph, self.smoothness, self.flatness, self.ridge)
        solution = enhance_jointly(loss, tol=self.tol, max_iter=self.max_iter)
        self.scaled_coef_, self.intercept_ = np.ascontiguousarray(solution.W[:-1].T), solution.W[-1]
        self.objective_, self.n_iter_ = solution.values, len(solution.values) - 1
        return solution.D

    def _predict(self, X: Array) -> Array:
        with threads_for(*X.shape):
            scores = self._standardised(X) @ self.scaled_coef_.T + self.intercept_
        return to_distributions(scores, floor=self._map["floor"])
