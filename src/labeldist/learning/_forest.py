"""Trees for label distributions: a forest of extremely randomised trees, and gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from labeldist._compat import Interval, StrOptions, regression_tree
from labeldist._solvers.scaling import divide_columns, largest_by_column, mean_and_scale
from labeldist._typing import EPSILON, Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.simplex import normalize, softmax

LARGEST = float(np.finfo(np.float32).max)


class TreeLearner(SampleWeightMixin, DistributionLearner):
    """Base class of the learners with scikit-learn's trees, on standardised features in single precision.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute value.
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            StrOptions({"sqrt"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "random_state": ["random_state"],
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
        parameters |= {"min_samples_leaf": self.min_samples_leaf, "max_features": self.max_features}
        # Trees are fitted one by one, because ExtraTreesRegressor takes longer to clone a tree than to fit a small one.
        trees = (
            ExtraTreeRegressor(**parameters, random_state=random.randint(np.iinfo(np.int32).max))
            for _ in range(self.n_estimators)
        )
        return self._standardise(X), trees

    def _total(self, X: Any) -> Array:
        """Return the sum over the trees of their values for each row."""
        Z = self._standardise(X)
        total = np.zeros((Z.shape[0], len(self.label_names_)))
        for tree in self.trees_:
            total += tree.predict(Z).reshape(total.shape)
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
            shape = self.n_features_in_, len(self.label_names_)
            self.trees_ = [regression_tree(tree, *shape) for tree in state["trees_"]]


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
        default was chosen on the benchmark sets (``reproduction/specs/learners.toml``).
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
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

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
        Number of features considered at each split: the square root of their number, a fraction, or a count.
    random_state : int, RandomState instance or None, default=None
        Controls the features and thresholds that are drawn.

    Attributes
    ----------
    trees_ : list of sklearn.tree._tree.Tree
        Trees on standardised features, with the steps as values.
    baseline_ : ndarray of shape (n_labels,)
        Logarithm of the mean distribution, the start of F.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features. For sparse features, 0 and the largest absolute value.

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

    _parameter_constraints: dict[str, list[Any]] = {
        **TreeLearner._parameter_constraints,
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
    }

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
        Z, trees = self._start(X, max_leaf_nodes=self.max_leaf_nodes)
        row_weight = np.ones(len(D)) if weight is None else weight
        self.baseline_ = np.log(np.maximum(np.average(D, axis=0, weights=weight), EPSILON))
        F = np.tile(self.baseline_, (len(D), 1))
        factor = self.learning_rate * (1 - 1 / D.shape[1])
        self.trees_ = []
        for unfitted in trees:
            P = softmax(F)
            tree = _grow(unfitted, Z, D - P, weight)
            leaves = tree.apply(Z)
            members = sparse.csr_array((row_weight, (leaves, np.arange(len(D)))), shape=(tree.node_count, len(D)))
            step = factor * (members @ (D - P)) / (members @ (P * (1 - P)) + 1)
            tree.value[:, :, 0] = step
            F += step[leaves]
            self.trees_.append(tree)

    def _predict(self, X: Any) -> Array:
        return softmax(self.baseline_ + self._total(X))


def _grow(tree: Any, Z: Any, target: Array, weight: Array | None) -> Any:
    """Fit a tree to single-precision features, and return its compiled part."""
    target = target if target.shape[1] > 1 else target[:, 0]  # scikit-learn warns about a table of one column
    return tree.fit(Z, target, sample_weight=weight, check_input=False).tree_
