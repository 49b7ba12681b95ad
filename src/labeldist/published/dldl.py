"""DLDL: joint label enhancement and label distribution learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labeldist._constraints import NON_NEGATIVE
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.softmax_loss import (
    CrossEntropy,
    precondition,
    preconditioner,
    softmax_and_log,
)
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.enhancement._enhancer import NewRowsMixin, ScoringEnhancer
from labeldist.simplex import OutputMap, to_distributions

MAX_STEPS = 1000  # iterations of L-BFGS in a round
SHORTEST_STEP = 1e-10  # no shorter step is tried; rounding prevents a decrease
ROUNDING = 1e-12


class DLDL(NewRowsMixin, ScoringEnhancer):
    """Joint label enhancement and label distribution learning (DLDL).

    The degrees D of the training rows and a softmax model of them, P = softmax(XW + 1bᵀ), are
    estimated together:

        min over D, W, b of  KL(D‖P) + α tr(DᵀSD) + β‖D‖² + γ‖W‖²,

    where the rows of D are distributions over the tags of the row, and S is the Laplacian of the
    neighbour graph.

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
        Width σ of the weights exp(−‖x − y‖² / (2σ²)) of the graph; ``"mean"`` is the mean distance
        of neighbours.
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
        D, zero for labels that are not tagged unless `floor` is positive. All labels of a row
        without tags can have positive degrees.
    label_names_ : list of str
        Names of the labels.
    scaled_coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        Wᵀ, for standardised features, and b.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and scale of each feature; 0 and 1 if `scale` is False.
    objective_ : list of float
        The objective at the start and after each of the `n_iter_` rounds. It never increases.

    See Also
    --------
    labeldist.BayesLE : A model of how degrees become tags; all degrees are positive.
    labeldist.learning.EnhancedLearner : Label enhancement and learning one after the other.

    Notes
    -----
    The objective, the weights and the five rounds are from the authors' code and the supplement
    of the paper. The code differs from the formula: it has S² instead of S, its problem of a row
    adds up all other rows, and its steps for D are so short that D changes little. Here each round
    minimises over W, by L-BFGS, and then over D, by the exponentiated gradient with backtracking.
    The objective is not convex in both. The intercept, which has no penalty, and the width of the
    graph, published as σ = 20, are ours.

    If labels without a tag have positive true degrees, the Kullback-Leibler divergence from the
    truth to D is infinite, and to P it increases with the number of rounds: the model learns the
    tags. With tags by `labeldist.datasets.binarize`, equal degrees of all labels are closer to the
    truth on Yeast_cold, SBU_3DFE and Natural_Scene.

    References
    ----------
    Y. Jia, J. Tang, J. Jiang. Label distribution learning from logical label. arXiv:2303.06847,
    2023; IJCAI 2024.

    Examples
    --------
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.published import DLDL
    >>> X, D = make_artificial(200, random_state=0)
    >>> DLDL().fit(X, binarize(D)).transform(X[:2]).round(1)
    array([[0. , 0.2, 0.7],
           [0.1, 0.7, 0.2]])
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
        self.smoothness = smoothness
        self.flatness = flatness
        self.ridge = ridge
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.scale = scale
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter

    def _score(self, X: Array, L: Array) -> Array:
        tags = (L > 0) | ~L.any(axis=1, keepdims=True)
        graph = None
        if self.smoothness:
            graph = laplacian(neighbor_graph(X, self.n_neighbors, self.graph_width))
        features = np.column_stack([X, np.ones(len(X))])
        loss = JointLoss(features, tags, graph, self.smoothness, self.flatness, self.ridge)
        solution = enhance_jointly(loss, self.tol, self.max_iter)
        self.scaled_coef_ = np.ascontiguousarray(solution.W[:-1].T)
        self.intercept_ = solution.W[-1]
        self.objective_ = solution.values
        self.n_iter_ = len(solution.values) - 1
        return solution.D

    def _predict(self, X: Array) -> Array:
        with threads_for(*X.shape):
            scores = self._standardised(X) @ self.scaled_coef_.T + self.intercept_
        return to_distributions(scores, floor=self._map["floor"])


@dataclass(frozen=True)
class JointLoss:
    """The loss KL(D‖P) + α tr(DᵀSD) + β‖D‖² + γ‖W‖² with P = softmax(XW).

    It is minimised over W and over distributions D within tags.
    """

    X: Array  # (n, m), the last column is 1 and has no penalty
    tags: Any  # (n, c), bool, at least one per row; D is zero elsewhere
    laplacian: Any  # S, (n, n), sparse and symmetric; None if α = 0
    smoothness: float  # α
    flatness: float  # β
    ridge: float  # γ

    def penalty_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return γ‖W‖² without the intercept, and its gradient."""
        shrunk = self.ridge * W
        shrunk[-1] = 0
        return float(np.vdot(W, shrunk)), 2 * shrunk

    def value_and_gradient(self, D: Array, log_d: Array, log_p: Array) -> tuple[float, Array]:
        """Return the terms that depend on D, and their gradient without the constant 1.

        `log_d` is log D where D > 0.
        """
        pull = self.flatness * D
        if self.smoothness:
            pull += self.smoothness * (self.laplacian @ D)
        gap = log_d - log_p
        return float(np.vdot(D, gap + pull)), gap + 2 * pull


@dataclass(frozen=True)
class JointSolution:
    """Result of `enhance_jointly`."""

    D: Array  # (n, c)
    W: Array  # (m, c)
    values: list[float]  # loss after each round; it never increases


def enhance_jointly(loss: JointLoss, tol: float, max_iter: int) -> JointSolution:
    """Alternate between W, by L-BFGS, and D, by the exponentiated gradient.

    Stop if a round decreases the loss by at most `tol` times its value at the start, where W = 0
    and the degrees of the tags are equal. The loss is convex in W and in D, but not in both. A step
    for D is D ← D∘exp(−η∇), divided by the row sums. For α = β = 0 the step η = 1 is the minimum, D
    = P within the tags, and the rounds form the EM algorithm for −Σ_i log Σ_j l_ij p_ij +
    γ‖W‖².
    """
    D = loss.tags / loss.tags.sum(axis=1, keepdims=True)
    log_d = np.log(D, out=np.zeros_like(D), where=loss.tags)
    n_labels = D.shape[1]
    curvature = CrossEntropy(loss.X, D).curvature()
    curvature.flat[: -1 : len(curvature) + 1] += 2 * loss.ridge
    T = preconditioner(curvature)
    V = np.zeros((T.shape[1], n_labels))
    value, _ = loss.value_and_gradient(D, log_d, np.full(D.shape, -np.log(n_labels)))
    values = [value]
    enough = tol * abs(value)
    for _ in range(max_iter):
        entropy = CrossEntropy(loss.X, D)

        def penalised(W: Array, entropy: CrossEntropy = entropy) -> tuple[float, Array]:
            value, gradient = entropy.value_and_gradient(W)
            penalty, shrink = loss.penalty_and_gradient(W)
            return value + penalty, gradient + shrink

        V = minimize_lbfgs(precondition(penalised, T), V, tol=tol, max_iter=MAX_STEPS).X
        W = T @ V
        _, log_p = softmax_and_log(loss.X @ W)
        D, log_d, value = _improve_degrees(loss, D, log_d, log_p, enough)
        penalty, _ = loss.penalty_and_gradient(W)
        values.append(value + penalty)
        if values[-2] - values[-1] <= enough:
            break
    return JointSolution(D, W, values)


def _improve_degrees(
    loss: JointLoss, D: Array, log_d: Array, log_p: Array, enough: float
) -> tuple[Array, Array, float]:
    """Take steps until one decreases the loss by at most `enough`.

    Return D, log D and the loss.
    """
    value, gradient = loss.value_and_gradient(D, log_d, log_p)
    step = 1.0
    while step > SHORTEST_STEP:
        next_d, next_log = softmax_and_log(np.where(loss.tags, log_d - step * gradient, -np.inf))
        next_log[~loss.tags] = 0
        reached, next_gradient = loss.value_and_gradient(next_d, next_log, log_p)
        # The sufficient decrease of mirror descent. It is an equality for α = β = 0, up to
        # rounding.
        divergence = np.vdot(next_d, next_log - log_d)
        expected = -float(np.vdot(gradient, next_d - D) + divergence / step)
        if not reached <= min(value, value - expected + ROUNDING * abs(value)):
            step /= 2
            continue
        decrease = value - reached
        D = next_d
        log_d = next_log
        value = reached
        gradient = next_gradient
        if decrease <= enough:
            break
        step = min(1.0, 2 * step)
    return D, log_d, value
