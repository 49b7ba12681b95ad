"""LDLF: a forest of soft decision trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import entr, expit
from sklearn.utils import gen_batches

from labeldist._constraints import COUNT, NON_NEGATIVE
from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.published._hidden_layer import HiddenLayer, minimize_from
from labeldist.simplex import normalize

LEAF_STEPS = 20  # as published
GATE_STEPS = 10
BLOCK_ROWS = 4096  # number of rows that are predicted at once; it bounds the memory


class LDLForest(DistributionLearner):
    """Forest of soft decision trees for label distributions (LDLF).

    Node t of tree k sends a row to the left with the probability σ(v_uᵀx + b_u), where u is one of
    `n_units` linear units, drawn at random for each node and shared by all trees. With the
    probabilities μ_kl(x) of the leaves and their distributions q_kl, tree k predicts g_k(x) = Σ_l
    μ_kl(x) q_kl, and the forest the mean of g_1, …, g_K. It minimises over V, b and q

        (1/K) Σ_k Σ_i KL(d_i, g_k(x_i)) + (ridge / 2)‖V‖².

    Each iteration takes 20 steps of expectation maximisation, q_l ∝ q_l Σ_i μ_l(x_i) d_i / g(x_i),
    and then 10 of L-BFGS for V and b. Neither increases the objective.

    Parameters
    ----------
    n_estimators : int, default=5
        Number of trees K.
    max_depth : int, default=4
        Number of nodes on the way to a leaf; a tree has 2 ** max_depth leaves. Published: 7.
    n_units : int, default=64
        Number of linear units.
    ridge : float, default=1.0
        Weight of the penalty. The published model has none and stops early.
    tol : float, default=1e-2
        Stop when an iteration lowers the objective by at most this fraction of it.
    max_iter : int, default=20
        Maximum number of iterations.
    random_state : int, RandomState instance or None, default=None
        Determines the units of the nodes and the initial V.

    Attributes
    ----------
    unit_coef_, unit_intercept_ : ndarray of shape (n_units, n_features) and (n_units,)
        Vᵀ, for the features in their original units, and b.
    units_ : ndarray of shape (n_estimators, 2 ** max_depth − 1)
        Unit of each node. The children of node t are the nodes 2t + 1 (left) and 2t + 2.
    leaves_ : ndarray of shape (n_estimators, 2 ** max_depth, n_labels)
        Distributions q of the leaves.
    loss_ : float
        Final objective.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    labeldist.learning.DistributionForest : Trees with hard splits.
    AABP : A network with one hidden layer.

    Notes
    -----
    Model, loss and leaf step are from the method section of the paper, for its shallow variant,
    whose units are linear in the features. The features are standardised. L-BFGS on all rows
    replaces stochastic gradients, and the penalty is an addition. PyLDL applies softmax to the sums
    of the leaf step instead of dividing by their total, which does not minimise the loss.

    References
    ----------
    W. Shen, K. Zhao, Y. Guo, A. Yuille. Label distribution learning forests. NeurIPS 2017.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLForest
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLForest(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {"max_depth": COUNT, "n_units": COUNT, "tol": NON_NEGATIVE}
    _accepts_sparse = False

    def __init__(
        self,
        n_estimators: int = 5,
        *,
        max_depth: int = 4,
        n_units: int = 64,
        ridge: float = 1.0,
        tol: float = 1e-2,
        max_iter: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.n_units = n_units
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Array, D: Array) -> None:
        random = random_generator(self.random_state)
        n_nodes = 2**self.max_depth - 1
        repeats = n_nodes > self.n_units
        trees = range(self.n_estimators)
        units = np.array([random.choice(self.n_units, n_nodes, replace=repeats) for _ in trees])
        layer = HiddenLayer.of(X, D, self.n_units, random)
        forest = SoftForest(layer.Z, np.ascontiguousarray(D.T), units, self.ridge)
        solution = fit_soft_forest(forest, layer.start, tol=self.tol, max_iter=self.max_iter)
        V, self.unit_intercept_ = layer.in_original_units(solution.theta)
        self.unit_coef_ = np.ascontiguousarray(V.T)
        self.units_ = units
        self.leaves_ = solution.q
        self.loss_ = solution.value
        self.n_iter_ = solution.n_iter

    def _predict(self, X: Array) -> Array:
        total = np.zeros((len(X), self.leaves_.shape[2]))
        for rows in gen_batches(len(X), BLOCK_ROWS):
            S = expit(linear_scores(X[rows], self.unit_coef_, self.unit_intercept_).T)
            for units, q in zip(self.units_, self.leaves_, strict=True):
                total[rows] += leaf_probabilities(S[units][None])[0].T @ q
        return normalize(total)


def leaf_probabilities(S: Array) -> Array:
    """Return the probabilities of the leaves, (K, L, n), of K trees.

    S, of shape (K, L − 1, n), contains the probabilities with which the nodes send a row left. The
    children of node t are the nodes 2t + 1 (left) and 2t + 2.
    """
    K, n_nodes, n = S.shape
    mu = np.ones((K, 1, n))
    first = 0
    while first < n_nodes:
        left = mu * S[:, first : 2 * first + 1]
        mu = np.stack([left, mu - left], axis=2).reshape(K, -1, n)
        first = 2 * first + 1
    return mu


def gate_gradients(S: Array, shares: Array) -> Array:
    """Return the gradient of a function f of `leaf_probabilities` for the logits of S.

    It has the shape of S, (K, L − 1, n), and `shares` is μ ∂f/∂μ, (K, L, n). For a node with the
    sums a and b of the shares of the leaves on its left and on its right, it is (1 − s)a − sb.
    """
    gradient = np.empty_like(S)
    last = S.shape[1]
    while last:
        first = last // 2
        left = shares[:, ::2]
        shares = left + shares[:, 1::2]
        gradient[:, first:last] = left - S[:, first:last] * shares
        last = first
    return gradient


def mix_leaves(mu: Array, q: Array) -> Array:
    """Return the predictions g = Σ_l μ_l q_l of the trees, (K, c, n), and at least 5e-32."""
    return np.maximum(q.transpose(0, 2, 1) @ mu, EPSILON**2)


def update_leaves(mu: Array, q: Array, D: Array) -> Array:
    """Return q_l ∝ q_l Σ_i μ_il d_i / g_i, which does not increase −Σ d log g of any tree.

    The shapes are (K, L, n) for μ, (K, L, c) for q, the leaf distributions, and (c, n) for D.
    Leaves without rows keep their distribution.
    """
    quotients = D / mix_leaves(mu, q)
    updated = q * (mu @ quotients.transpose(0, 2, 1))
    total = updated.sum(axis=2, keepdims=True)
    return np.divide(updated, total, out=q.copy(), where=total > 0)


@dataclass(frozen=True)
class SoftForest:
    """The objective (1/K) Σ_k Σ_i KL(d_i, g_ki) + (ridge / 2)‖V‖² of a forest of K soft trees.

    Row i goes left at node t of tree k with the probability σ(x_iᵀ v_u + b_u), u = units[k, t].
    With its leaf probabilities μ_ki, g_ki = Σ_l μ_kil q_kl. The weights θ of the units are V, and b
    below it, (m + 1, u).
    """

    X: Array  # (n, m)
    D: Array  # (c, n), one row per label
    units: Any  # (K, L − 1), integers
    ridge: float

    @cached_property
    def _entropy(self) -> float:
        return float(entr(self.D).sum())

    def gates(self, theta: Array) -> Array:
        """Return the probabilities with which the nodes send the rows left, (K, L − 1, n)."""
        scores = self.X @ theta[:-1] + theta[-1]
        return np.asarray(expit(scores.T.copy())[self.units])

    def value_and_gradient(self, theta: Array, q: Array) -> tuple[float, Array]:
        """Return the objective and its gradient with respect to θ."""
        K = len(self.units)
        V = theta[:-1]
        S = self.gates(theta)
        mu = leaf_probabilities(S)
        g = mix_leaves(mu, q)
        value = -float(np.einsum("cn,kcn->", self.D, np.log(g))) / K - self._entropy
        by_node = gate_gradients(S, -mu * (q @ (self.D / g)) / K)
        n = S.shape[2]
        by_unit = np.zeros((theta.shape[1], n))
        for unit, gradient in zip(self.units.ravel(), by_node.reshape(-1, n), strict=True):
            by_unit[unit] += gradient
        V_gradient = self.X.T @ by_unit.T + self.ridge * V
        penalty = 0.5 * self.ridge * float(np.vdot(V, V))
        return value + penalty, np.vstack([V_gradient, by_unit.sum(axis=1)])


@dataclass(frozen=True)
class SoftForestSolution:
    """Result of `fit_soft_forest`."""

    theta: Array  # (m + 1, u)
    q: Array  # (K, L, c)
    value: float
    n_iter: int


def fit_soft_forest(
    forest: SoftForest, theta: Array, *, tol: float, max_iter: int
) -> SoftForestSolution:
    """Alternate `LEAF_STEPS` updates of the leaves and `GATE_STEPS` L-BFGS iterations of θ.

    Stop if a round lowers the objective by at most `tol` times its value, or after `max_iter`
    rounds.
    """
    K, n_nodes = forest.units.shape
    c = len(forest.D)
    q = np.full((K, n_nodes + 1, c), 1 / c)
    value = np.inf
    for n_iter in range(1, max_iter + 1):  # noqa: B007  # the result contains it
        mu = leaf_probabilities(forest.gates(theta))
        for _ in range(LEAF_STEPS):
            q = update_leaves(mu, q, forest.D)
        objective = partial(forest.value_and_gradient, q=q)
        found = minimize_from(theta, objective, tol=tol, max_iter=GATE_STEPS)
        theta = found.X
        gain = value - found.value
        value = found.value
        if gain <= tol * abs(value):
            break
    return SoftForestSolution(theta, q, value, n_iter)
