"""Random forest of regression trees for label distributions."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from labeldist._compat import Interval, StrOptions, regression_tree
from labeldist._solvers.scaling import divide_columns, largest_by_column, mean_and_scale
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.simplex import normalize

LARGEST = float(np.finfo(np.float32).max)


class DistributionForest(SampleWeightMixin, DistributionLearner):
    """Extremely randomised trees for label distributions.

    Trees are grown as by scikit-learn's ``ExtraTreesRegressor``, on standardised features because they work in single
    precision. The prediction is the mean of the training distributions in a leaf, averaged over the trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    min_samples_leaf : int, default=3
        Minimum number of rows in a leaf, whatever their weights.
    max_features : {"sqrt"}, float or int, default="sqrt"
        Number of features considered at each split: the square root of their number, a fraction, or a count.
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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        min_samples_leaf: int = 3,
        max_features: Literal["sqrt"] | float = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    _squares_features = False

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        from sklearn.tree import ExtraTreeRegressor  # slow to import

        if sparse.issparse(X):
            largest = largest_by_column(X)
            self.mean_, self.scale_ = np.zeros_like(largest), np.where(largest > 0, largest, 1.0)
        else:
            self.mean_, self.scale_ = mean_and_scale(X)
        target = D if D.shape[1] > 1 else D[:, 0]  # scikit-learn warns about a table of one column
        Z, random = self._standardise(X), random_generator(self.random_state)
        parameters = {"min_samples_leaf": self.min_samples_leaf, "max_features": self.max_features}
        # Trees are fitted one by one, because ExtraTreesRegressor takes longer to clone a tree than to fit a small one.
        trees = (
            ExtraTreeRegressor(**parameters, random_state=random.randint(np.iinfo(np.int32).max))
            for _ in range(self.n_estimators)
        )
        self.trees_ = [tree.fit(Z, target, sample_weight=weight, check_input=False).tree_ for tree in trees]

    def _predict(self, X: Any) -> Array:
        Z = self._standardise(X)
        total = np.zeros((Z.shape[0], len(self.label_names_)))
        for tree in self.trees_:
            total += tree.predict(Z).reshape(total.shape)
        return normalize(total / len(self.trees_))

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
