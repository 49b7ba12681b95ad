"""Trees for label distributions: a forest of extremely randomised trees, gradient boosting and LDLogitBoost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from labeldist._compat import COUNT, Interval, StrOptions, regression_tree
from labeldist._solvers.scaling import divide_columns, largest_by_column, mean_and_scale
from labeldist._typing import EPSILON, Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.simplex import normalize, softmax

LARGEST = float(np.finfo(np.float32).max)
LARGEST_TARGET = 4.0  # LogitBoost's targets (d − p) / (p(1 − p)) are clipped to this size
LARGEST_STEP = 5.0  # the same for the steps of AOSO
MIN_FEATURES = 4  # the least number of features that a split considers, unless max_features is a count


class TreeLearner(SampleWeightMixin, DistributionLearner):
    """Base class of the learners with scikit-learn's trees, on standardised features in single precision."""

    _constraints = {
        "max_features": [StrOptions({"sqrt"}), *COUNT, Interval(Real, 0, 1, closed="right")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
    }
    _squares_features = False

    n_estimators: int
    min_samples_leaf: int
    max_features: Literal["sqrt"] | float
    random_state: Any

    def _start(self, X: Any, **parameters: Any) -> tuple[Any, Iterator[Any]]:
        """Return the standardised features, and the unfitted trees with the given further parameters."""
        from sklearn.tree import ExtraTreeRegressor  # slow to import

        if sparse.issparse(X):
            largest = largest_by_column(X)
            self.mean_, self.scale_ = np.zeros_like(largest), np.where(largest > 0, largest, 1.0)
        else:
            self.mean_, self.scale_ = mean_and_scale(X)
        random = random_generator(self.random_state)
        n, considered = X.shape[1], self.max_features
        if not isinstance(considered, Integral):
            considered = max(int(math.sqrt(n) if considered == "sqrt" else considered * n), min(n, MIN_FEATURES))
        parameters |= {"min_samples_leaf": self.min_samples_leaf, "max_features": int(considered)}
        # Trees are fitted one by one, because ExtraTreesRegressor takes longer to clone a tree than to fit a small one.
        trees = (
            ExtraTreeRegressor(**parameters, random_state=random.randint(np.iinfo(np.int32).max))
            for _ in range(self.n_estimators)
        )
        Z = self._standardise(X)
        return np.asfortranarray(Z) if isinstance(Z, np.ndarray) else Z, trees  # trees read one feature after the other

    def _total(self, X: Any) -> Array:
        """Return the sum over the trees of their values for each row. Trees with one output take turns by label."""
        Z = self._standardise(X)
        total = np.zeros((Z.shape[0], len(self.label_names_)))
        for k, tree in enumerate(self.trees_):
            if tree.n_outputs == 1:
                total[:, k % total.shape[1]] += tree.predict(Z)[:, 0]
            else:
                total += tree.predict(Z)[:, :, 0]
        return total

    def _standardise(self, X: Any) -> Any:
        """Return standardised features in single precision, clipped to its range."""
        with np.errstate(over="ignore"):
            if self.mean_.any():  # fitted on dense rows
                X = (X if isinstance(X, np.ndarray) else X.toarray()) - self.mean_
            Z = divide_columns(X, self.scale_).astype(np.float32)
        is_dense = isinstance(Z, np.ndarray)
        values = Z if is_dense else Z.data
        np.clip(values, -LARGEST, LARGEST, out=values)
        if not is_dense and Z.nnz <= np.iinfo(np.int32).max:
            Z.indices, Z.indptr = Z.indices.astype(np.int32), Z.indptr.astype(np.int32)  # trees need 32 bits
        return Z

    def __getstate__(self) -> dict[str, Any]:
        # Model files hold the trees as arrays, because skops does not trust scikit-learn's compiled trees.
        state = dict(super().__getstate__())
        if "trees_" in state:
            state["trees_"] = [tree.__getstate__() for tree in self.trees_]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "trees_" in state:
            m = self.n_features_in_
            self.trees_ = [regression_tree(tree, m, tree["values"].shape[1]) for tree in state["trees_"]]


class DistributionForest(TreeLearner):
    """Extremely randomised trees for label distributions.

    Trees are grown as by scikit-learn's ``ExtraTreesRegressor``, on standardised features because they work in single
    precision. The prediction is the mean of the training distributions in a leaf, averaged over the trees.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of trees.
    min_samples_leaf : int, default=3
        Minimum number of rows in a leaf, whatever their weights.
    max_features : {"sqrt"}, float or int, default=1/3
        Number of features considered at each split: the square root of their number, a fraction, or a count. The
        first two give at least four features, or all if there are fewer: a node becomes a leaf if no threshold drawn
        for them leaves enough rows on both sides. The default was chosen on the benchmark sets
        (``reproduction/specs/learners.toml``).
    random_state : int, RandomState instance or None, default=None
        Controls the features and thresholds that are drawn.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute value.

    See Also
    --------
    AAKNN : Mean distribution of the nearest rows.

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63 (1), 2006.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import DistributionForest
    >>> X, D = make_artificial(500, random_state=0)
    >>> DistributionForest(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        min_samples_leaf: int = 3,
        max_features: Literal["sqrt"] | float = 1 / 3,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf, self.max_features, self.random_state = min_samples_leaf, max_features, random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z, trees = self._start(X)
        self.trees_ = [_grow(tree, Z, D, weight) for tree in trees]

    def _predict(self, X: Any) -> Array:
        return normalize(self._total(X) / len(self.trees_))


class DistributionBoosting(TreeLearner):
    """Gradient boosting of the cross-entropy, with trees that predict all labels at once.

    The model is P = softmax(F). Each round grows one randomised tree on the residuals D − P. In each leaf it adds
    `learning_rate` times a Newton step of each label, (c − 1)/c · Σ(d − p) / (Σp(1 − p) + 1), to F. One tree for all
    labels takes a fraction of the time of one tree per label.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of rounds.
    learning_rate : float, default=0.1
        Factor of each step. Smaller values need more rounds.
    max_leaf_nodes : int, default=32
        Maximum number of leaves of a tree.
    min_samples_leaf : int, default=5
        Minimum number of rows in a leaf, whatever their weights.
    max_features : {"sqrt"}, float or int, default="sqrt"
        Number of features considered at each split, as in `DistributionForest`.
    random_state : as in `DistributionForest`

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features, with the steps as values.
    baseline_ : ndarray of shape (n_labels,)
        Logarithm of the mean distribution, the start of F.
    mean_, scale_ : as in `DistributionForest`

    See Also
    --------
    DistributionForest : Independent trees on the distributions themselves.
    SoftLabelClassifier : Any other boosting library.

    References
    ----------
    J. H. Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5), 2001.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import DistributionBoosting
    >>> X, D = make_artificial(500, random_state=0)
    >>> DistributionBoosting(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 32,
        min_samples_leaf: int = 5,
        max_features: Literal["sqrt"] | float = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators, self.learning_rate, self.max_leaf_nodes = n_estimators, learning_rate, max_leaf_nodes
        self.min_samples_leaf, self.max_features, self.random_state = min_samples_leaf, max_features, random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z, trees = self._start(X, max_leaf_nodes=self.max_leaf_nodes)
        self.baseline_ = np.log(np.maximum(np.average(D, axis=0, weights=weight), EPSILON))
        F = np.tile(self.baseline_, (len(D), 1))
        factor = self.learning_rate * (1 - 1 / D.shape[1])
        self.trees_ = []
        for unfitted in trees:
            P = softmax(F)
            tree, leaves, members = _grow_on_residuals(unfitted, Z, D - P, weight)
            tree.value[:, :, 0] = factor * (members @ (D - P)) / (members @ (P * (1 - P)) + 1)
            F += tree.value[leaves, :, 0]
            self.trees_.append(tree)

    def _predict(self, X: Any) -> Array:
        return softmax(self.baseline_ + self._total(X))


class LDLogitBoost(TreeLearner):
    """LogitBoost for label distributions (LDLogitBoost), with one tree per label or one tree per round.

    The model is P = softmax(F), and F = 0 at first. With ``algorithm="logit"`` each round fits one regression tree f_j
    per label j to the targets (d_j − p_j) / (p_j(1 − p_j)), clipped to ±4, with the weights p_j(1 − p_j), and adds
    ν · (c − 1)/c · f_j to F_j, for c labels and the learning rate ν.

    With ``algorithm="aoso"`` (adaptive one-vs-one) each round grows one tree on D − P. In each leaf, with
    g_k = Σ(d_k − p_k) and h_kl = Σ_i (p_k + p_l − (p_k − p_l)²) over its rows, it adds νγ to the label r of the largest
    g and subtracts it from the label s that maximises (g_r − g_s)²/h_rs, where γ = (g_r − g_s)/h_rs is at most 5.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds. Published: 2000 for ``"logit"`` (300 on Movie) and 5000 for ``"aoso"``, with smaller steps.
    algorithm : {"logit", "aoso"}, default="logit"
        One tree per label and round, or one tree per round whose leaves change two labels each.
    learning_rate : float, default=0.1
        ν. Published: 0.05, and 0.01 after 500 rounds of ``"logit"``.
    splitter : {"random", "best"}, default="random"
        ``"best"`` searches all thresholds of a feature, as published, and takes several times as long. ``"random"``
        draws one.
    max_leaf_nodes : int, default=20
        Maximum number of leaves of a tree. Published: 20 for ``"aoso"``; trees of ``"logit"`` do not split nodes with
        less than half of the rows, so that they have few leaves.
    min_samples_leaf, max_features, random_state : as in `DistributionBoosting`
        Published: all features, ``max_features=1.0``.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features, with the steps as values. With ``"logit"`` tree k·c + j is that of label j in
        round k.
    mean_, scale_ : as in `DistributionForest`

    See Also
    --------
    DistributionBoosting : One tree per round that changes all labels; starts from the mean distribution.

    Notes
    -----
    The formulas are those of the authors' code. They subtract the mean over the labels from each step, which softmax
    ignores, so that it is omitted. Clipped targets are the advice of Friedman, Hastie and Tibshirani (2000). The trees
    of ``"aoso"`` are scikit-learn's: they reduce the squared error of D − P, while the published ones maximise the sum
    of (g_r − g_s)²/h_rs over the leaves. PyLDL 0.1.2 subtracts the mean over the rows instead of the labels, so
    that its predictions depend on the batch.

    References
    ----------
    C. Xing, X. Geng, H. Xue. Logistic boosting regression for label distribution learning. CVPR 2016.

    J. Friedman, T. Hastie, R. Tibshirani. Additive logistic regression: a statistical view of boosting. Annals of
    Statistics 28(2), 2000.

    P. Sun, M. D. Reid, J. Zhou. AOSO-LogitBoost: adaptive one-vs-one LogitBoost for multi-class problem. ICML 2012.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLogitBoost
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLogitBoost(50, random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {"algorithm": [StrOptions({"logit", "aoso"})], "splitter": [StrOptions({"random", "best"})]}

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
        self.n_estimators, self.algorithm, self.learning_rate = n_estimators, algorithm, learning_rate
        self.splitter, self.max_leaf_nodes, self.min_samples_leaf = splitter, max_leaf_nodes, min_samples_leaf
        self.max_features, self.random_state = max_features, random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z, trees = self._start(X, splitter=self.splitter, max_leaf_nodes=self.max_leaf_nodes)
        row_weight = np.ones(len(D)) if weight is None else weight
        add_round = self._add_logit_round if self.algorithm == "logit" else self._add_aoso_round
        F = np.zeros(D.shape)
        self.trees_: list[Any] = []
        for unfitted in trees:
            add_round(unfitted, Z, D, row_weight, F)

    def _add_logit_round(self, unfitted: Any, Z: Any, D: Array, weight: Array, F: Array) -> None:
        P = softmax(F)
        H = np.maximum(P * (1 - P), EPSILON)
        targets = np.clip((D - P) / H, -LARGEST_TARGET, LARGEST_TARGET)
        factor = self.learning_rate * (1 - 1 / D.shape[1])
        for j in range(D.shape[1]):  # with the same seed, so that the order of the labels has no effect
            tree = _grow(unfitted, Z, targets[:, j : j + 1], weight * H[:, j])
            tree.value[:] *= factor
            F[:, j] += tree.predict(Z)[:, 0]
            self.trees_.append(tree)

    def _add_aoso_round(self, unfitted: Any, Z: Any, D: Array, weight: Array, F: Array) -> None:
        P = softmax(F)
        tree, leaves, members = _grow_on_residuals(unfitted, Z, D - P, weight)
        tree.value[:, :, 0] = self.learning_rate * one_vs_one_steps(members, leaves, D, P)
        F += tree.value[leaves, :, 0]
        self.trees_.append(tree)

    def _predict(self, X: Any) -> Array:
        return softmax(self._total(X))


def one_vs_one_steps(members: Any, leaves: Any, D: Array, P: Array) -> Array:
    """Return the steps of AOSO, one row per node; `members` holds the weights of the rows of each leaf, (nodes, n)."""
    g, nodes = members @ (D - P), np.arange(members.shape[0])
    top = g.argmax(axis=1)
    p_top = np.take_along_axis(P, top[leaves][:, None], axis=1)
    gap = np.take_along_axis(g, top[:, None], axis=1) - g
    curvature = np.maximum(members @ (P + p_top - (P - p_top) ** 2), EPSILON)
    other = (gap**2 / curvature).argmax(axis=1)
    size = np.minimum(gap[nodes, other] / curvature[nodes, other], LARGEST_STEP)
    steps = np.zeros_like(g)
    steps[nodes, top] += size
    steps[nodes, other] -= size
    return steps


def _grow(tree: Any, Z: Any, target: Array, weight: Array | None) -> Any:
    """Fit a tree to single-precision features, and return its compiled part."""
    target = target if target.shape[1] > 1 else target[:, 0]  # scikit-learn warns about a table of one column
    return tree.fit(Z, target, sample_weight=weight, check_input=False).tree_


def _grow_on_residuals(tree: Any, Z: Any, residuals: Array, weight: Array | None) -> tuple[Any, Any, Any]:
    """Return a fitted tree, the leaf of each row, and the weights of the rows of each node, (nodes, n)."""
    tree, n = _grow(tree, Z, residuals, weight), len(residuals)
    leaves = tree.apply(Z)
    weight = np.ones(n) if weight is None else weight
    return tree, leaves, sparse.csr_array((weight, (leaves, np.arange(n))), shape=(tree.node_count, n))
