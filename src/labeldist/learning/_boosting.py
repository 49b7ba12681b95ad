"""DistributionBoosting: gradient boosting of the cross-entropy, one tree for all labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.learning._tree_learner import TreeLearner
from labeldist.simplex import softmax


class DistributionBoosting(TreeLearner):
    """Gradient boosting of the cross-entropy, with trees that predict all labels at once.

    The model is P = softmax(F). Each round grows one randomised tree on the residuals D − P. In
    each leaf it adds `learning_rate` times a Newton step of each label, (c − 1)/c · Σ(d − p) /
    (Σp(1 − p) + 1), to F. One tree for all labels takes a fraction of the time of one tree per
    label.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of rounds.
    learning_rate : float, default=0.1
        Factor of each step. Smaller values need more rounds.
    max_leaf_nodes : int, default=32
        Maximum number of leaves of a tree.
    min_samples_leaf : int, default=5
        Minimum number of rows in a leaf; their weights do not count.
    max_features : {"sqrt"}, float or int, default="sqrt"
        Number of features considered at each split: the square root of their number, a fraction, or
        a count. The first two give at least four features, or all if there are fewer.
    random_state : int, RandomState instance or None, default=None
        Controls the features and thresholds that are drawn.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features, with the steps as values.
    baseline_ : ndarray of shape (n_labels,)
        Logarithm of the mean distribution, the start of F.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute
        value.

    See Also
    --------
    DistributionForest : Independent trees on the distributions themselves.
    SoftLabelClassifier : Any other boosting library.

    References
    ----------
    J. H. Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics
    29(5), 2001.

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
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z = self._fit_scaling(X)
        mean = np.average(D, axis=0, weights=weight)
        self.baseline_ = np.log(np.maximum(mean, EPSILON))
        F = np.tile(self.baseline_, (len(D), 1))
        self.trees_ = []
        for unfitted in self._unfitted_trees(max_leaf_nodes=self.max_leaf_nodes):
            self._boost(unfitted, Z, D, weight, F, self._newton_steps)

    def _newton_steps(self, members: Any, leaves: Any, D: Array, P: Array) -> Array:  # noqa: ARG002
        factor = self.learning_rate * (1 - 1 / D.shape[1])
        curvature = members @ (P * (1 - P)) + 1
        return np.asarray(factor * (members @ (D - P)) / curvature)

    def _predict(self, X: Any) -> Array:
        return softmax(self.baseline_ + self._sum_trees(X))
