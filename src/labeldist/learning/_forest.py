"""DistributionForest: extremely randomised trees for label distributions."""

from __future__ import annotations

from typing import Any, Literal

from labeldist._typing import Array
from labeldist.learning._tree_learner import TreeLearner, grow
from labeldist.simplex import normalize


class DistributionForest(TreeLearner):
    """Extremely randomised trees for label distributions.

    Trees are grown as by scikit-learn's ``ExtraTreesRegressor``, on standardised features because
    they work in single precision. The prediction is the mean of the training distributions in a
    leaf, averaged over the trees.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of trees.
    min_samples_leaf : int, default=2
        Minimum number of rows in a leaf; their weights do not count. With leaves of 3 rows and a
        third of the features, the benchmark sets with hundreds of features are predicted worse
        than with all features, which take twice as long (``python -m benchmarks.forest``).
    max_features : {"sqrt"}, float or int, default=1/3
        Number of features considered at each split: the square root of their number, a fraction, or
        a count. The first two give at least four features, or all if there are fewer: a node
        becomes a leaf if no threshold drawn for them leaves enough rows on both sides. The default
        was chosen on the benchmark sets (``reproduction/specs/learners.toml``).
    random_state : int, RandomState instance or None, default=None
        Controls the features and thresholds that are drawn.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute
        value.

    See Also
    --------
    labeldist.published.AAKNN : Mean distribution of the nearest rows.

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
        min_samples_leaf: int = 2,
        max_features: Literal["sqrt"] | float = 1 / 3,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        Z = self._fit_scaling(X)
        self.trees_ = [grow(tree, Z, D, weight) for tree in self._unfitted_trees()]

    def _predict(self, X: Any) -> Array:
        return normalize(self._sum_trees(X) / len(self.trees_))
