"""LDLForest: a forest of soft decision trees for label distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from labeldist._compat import COUNT, NON_NEGATIVE
from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.soft_trees import SoftForest, fit_soft_forest, leaf_probabilities
from labeldist._solvers.storage import StandardisedTable
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.learning._network import random_layer
from labeldist.simplex import normalize

LEAF_STEPS = 20  # as published
GATE_STEPS = 10
BLOCK_ROWS = 4096  # number of rows that are predicted at once; it bounds the memory


class LDLForest(DistributionLearner):
    """Forest of soft decision trees for label distributions (LDLF).

    Node t of tree k sends a row to the left with the probability σ(v_uᵀx + b_u), where u is one of `n_units` linear
    units, drawn at random for each node and shared by all trees. With the probabilities μ_kl(x) of the leaves and
    their distributions q_kl, tree k predicts g_k(x) = Σ_l μ_kl(x) q_kl, and the forest the mean of g_1, …, g_K. It
    minimises over V, b and q

        (1/K) Σ_k Σ_i KL(d_i, g_k(x_i)) + (ridge / 2)‖V‖².

    Each iteration takes 20 steps of expectation maximisation, q_l ∝ q_l Σ_i μ_l(x_i) d_i / g(x_i), and then 10 of
    L-BFGS for V and b. Neither increases the objective.

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
    loss_, n_iter_ : float, int
        Final objective, and number of iterations.

    See Also
    --------
    DistributionForest : Trees with hard splits.
    AABP : A network with one hidden layer.

    Notes
    -----
    Model, loss and leaf step are those of the method section of the paper, for its shallow variant, whose units are
    linear in the features. The features are standardised. L-BFGS on all rows replaces stochastic gradients, and the
    penalty is an addition. PyLDL applies softmax to the sums of the leaf step instead of dividing by their total, which
    does not minimise the loss.

    References
    ----------
    W. Shen, K. Zhao, Y. Guo, A. Yuille. Label distribution learning forests. NeurIPS 2017.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLForest
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
        self.n_estimators, self.max_depth, self.n_units, self.ridge = n_estimators, max_depth, n_units, ridge
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state

    def _fit(self, X: Array, D: Array) -> None:
        X = X.astype(np.float64, order="C")  # one memory layout: training amplifies differences in rounding
        mean, deviation = mean_and_scale(X)
        table, random = StandardisedTable.of(X, mean, deviation), random_generator(self.random_state)
        nodes = 2**self.max_depth - 1
        draws = [random.choice(self.n_units, nodes, replace=nodes > self.n_units) for _ in range(self.n_estimators)]
        forest = SoftForest(table, np.ascontiguousarray(D.T), np.array(draws), self.ridge)
        theta = np.vstack([random_layer(table, D, self.n_units, random), np.zeros(self.n_units)])
        steps = {"leaf_steps": LEAF_STEPS, "gate_steps": GATE_STEPS}
        solution = fit_soft_forest(forest, theta, **steps, tol=self.tol, max_iter=self.max_iter)
        V = solution.theta[:-1] / deviation[:, None]
        V[X.min(axis=0) == X.max(axis=0)] = 0  # constant features carry no information
        self.unit_coef_, self.unit_intercept_ = np.ascontiguousarray(V.T), solution.theta[-1] - mean @ V
        self.units_, self.leaves_ = forest.units, solution.q
        self.loss_, self.n_iter_ = solution.value, solution.n_iter

    def _predict(self, X: Array) -> Array:
        total = np.zeros((len(X), self.leaves_.shape[2]))
        for k in range(0, len(X), BLOCK_ROWS):
            S = expit(linear_scores(X[k : k + BLOCK_ROWS], self.unit_coef_, self.unit_intercept_).T)
            for units, q in zip(self.units_, self.leaves_, strict=True):
                total[k : k + BLOCK_ROWS] += leaf_probabilities(S[units][None])[0].T @ q
        return normalize(total)
