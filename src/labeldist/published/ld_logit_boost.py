"""LDLogitBoost: LogitBoost with one tree per label and round, or with one tree per round (AOSO)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.learning._tree_learner import TreeLearner, grow
from labeldist.simplex import softmax

LARGEST_TARGET = 4.0  # LogitBoost's targets (d − p) / (p(1 − p)) are clipped to this size
LARGEST_STEP = 5.0  # the same for the steps of AOSO


class LDLogitBoost(TreeLearner):
    """LogitBoost for label distributions (LDLogitBoost).

    The model is P = softmax(F), and F = 0 at first. With ``algorithm="logit"`` each round fits one
    regression tree f_j per label j to the targets (d_j − p_j) / (p_j(1 − p_j)), clipped to ±4, with
    the weights p_j(1 − p_j), and adds ν · (c − 1)/c · f_j to F_j, for c labels and the learning
    rate ν.

    With ``algorithm="aoso"`` (adaptive one-vs-one) each round grows one tree on D − P. In each
    leaf, with g_k = Σ(d_k − p_k) and h_kl = Σ_i (p_k + p_l − (p_k − p_l)²) over its rows, it adds
    νγ to the label r of the largest g and subtracts it from the label s that maximises (g_r −
    g_s)²/h_rs, where γ = (g_r − g_s)/h_rs is at most 5.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds. Published: 2000 for ``"logit"`` (300 on Movie) and 5000 for ``"aoso"``,
        with smaller steps.
    algorithm : {"logit", "aoso"}, default="logit"
        One tree per label and round, or one tree per round whose leaves change two labels each.
    learning_rate : float, default=0.1
        ν. Published: 0.05, and 0.01 after 500 rounds of ``"logit"``.
    splitter : {"random", "best"}, default="random"
        ``"best"`` searches all thresholds of a feature, as published, and takes several times as
        long. ``"random"`` draws one.
    max_leaf_nodes : int, default=20
        Maximum number of leaves of a tree. Published: 20 for ``"aoso"``; trees of ``"logit"`` do
        not split nodes with less than half of the rows, so that they have few leaves.
    min_samples_leaf : int, default=5
        Minimum number of rows in a leaf; their weights do not count.
    max_features : {"sqrt"}, float or int, default="sqrt"
        Number of features considered at each split: the square root of their number, a fraction, or
        a count. The first two give at least four features, or all if there are fewer. Published:
        all features, ``max_features=1.0``.
    random_state : int, RandomState instance or None, default=None
        Controls the features and thresholds that are drawn.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features, with the steps as values. With ``"logit"`` tree k·c + j
        belongs to label j in round k.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute
        value.

    See Also
    --------
    labeldist.learning.DistributionBoosting : One tree per round for all labels.

    Notes
    -----
    The formulas are from the authors' code. They subtract the mean over the labels from each
    step, which softmax ignores, so that it is omitted. Clipped targets are the advice of Friedman,
    Hastie and Tibshirani (2000). The trees of ``"aoso"`` are scikit-learn's: they reduce the
    squared error of D − P, while the published ones maximise the sum of (g_r − g_s)²/h_rs over the
    leaves. PyLDL 0.1.2 subtracts the mean over the rows instead of the labels, so that its
    predictions depend on the batch.

    References
    ----------
    C. Xing, X. Geng, H. Xue. Logistic boosting regression for label distribution learning. CVPR
    2016.

    J. Friedman, T. Hastie, R. Tibshirani. Additive logistic regression: a statistical view of
    boosting. Annals of Statistics 28(2), 2000.

    P. Sun, M. D. Reid, J. Zhou. AOSO-LogitBoost: adaptive one-vs-one LogitBoost for multi-class
    problem. ICML 2012.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import LDLogitBoost
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLogitBoost(50, random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {
        "algorithm": [StrOptions({"logit", "aoso"})],
        "splitter": [StrOptions({"random", "best"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        algorithm: Literal["logit", "aoso"] = "logit",
        learning_rate: float = 0.1,
        splitter: Literal["random", "best"] = "random",
        max_leaf_nodes: int = 20,
        min_samples_leaf: int = 5,
        max_features: Literal["sqrt"] | float = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.algorithm = algorithm
        self.learning_rate = learning_rate
        self.splitter = splitter
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z = self._fit_scaling(X)
        row_weight = np.ones(len(D)) if weight is None else weight
        parameters = {"splitter": self.splitter, "max_leaf_nodes": self.max_leaf_nodes}
        F = np.zeros(D.shape)
        self.trees_ = []
        for unfitted in self._unfitted_trees(**parameters):
            if self.algorithm == "logit":
                self._add_tree_per_label(unfitted, Z, D, row_weight, F)
            else:
                self._boost(unfitted, Z, D, row_weight, F, self._aoso_steps)

    def _add_tree_per_label(self, unfitted: Any, Z: Any, D: Array, weight: Array, F: Array) -> None:
        P = softmax(F)
        H = np.maximum(P * (1 - P), EPSILON)
        targets = np.clip((D - P) / H, -LARGEST_TARGET, LARGEST_TARGET)
        n_labels = D.shape[1]
        factor = self.learning_rate * (1 - 1 / n_labels)
        for j in range(n_labels):  # all with the same seed: the order of the labels has no effect
            tree = grow(unfitted, Z, targets[:, [j]], weight * H[:, j])
            tree.value[:] *= factor
            F[:, j] += tree.predict(Z)[:, 0]
            self.trees_.append(tree)

    def _aoso_steps(self, members: Any, leaves: Any, D: Array, P: Array) -> Array:
        return self.learning_rate * one_vs_one_steps(members, leaves, D, P)

    def _predict(self, X: Any) -> Array:
        return softmax(self._sum_trees(X))


def one_vs_one_steps(members: Any, leaves: Any, D: Array, P: Array) -> Array:
    """Return the steps of AOSO, one row per node.

    `members` are the weights of the rows of each leaf, (nodes, n), and `leaves` the leaf of each
    row, (n,).
    """
    g = members @ (D - P)
    nodes = np.arange(len(g))
    top = g.argmax(axis=1)
    p_top = np.take_along_axis(P, top[leaves, None], axis=1)
    gap = g.max(axis=1, keepdims=True) - g
    curvature = np.maximum(members @ (P + p_top - (P - p_top) ** 2), EPSILON)
    other = (gap**2 / curvature).argmax(axis=1)
    newton_step = gap[nodes, other] / curvature[nodes, other]
    size = np.minimum(newton_step, LARGEST_STEP)
    steps = np.zeros_like(g)
    steps[nodes, top] += size
    steps[nodes, other] -= size
    return steps
