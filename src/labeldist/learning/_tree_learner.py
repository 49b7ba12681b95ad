"""Base class of the learners with trees of scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from labeldist._compat import Interval, StrOptions, regression_tree
from labeldist._constraints import COUNT
from labeldist._solvers.scaling import divide_columns, largest_or_one, mean_and_scale
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.simplex import softmax

# A function that returns a step per node, (nodes, c). Its arguments are the weights of the rows of
# each node, (nodes, n), the leaf of each row, (n,), D and P.
LeafSteps = Callable[[Any, Any, Array, Array], Array]

# The least number of features that a split considers, unless `max_features` is a count.
MIN_FEATURES = 4


class TreeLearner(SampleWeightMixin, DistributionLearner):
    """Base class of the learners with trees, on standardised features in single precision."""

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
    trees_: list[Any]

    def _fit_scaling(self, X: Any) -> Any:
        """Set `mean_` and `scale_`, and return the features as trees need them."""
        if sparse.issparse(X):
            self.scale_ = largest_or_one(X)
            self.mean_ = np.zeros_like(self.scale_)
            return self._standardise(X)
        self.mean_, self.scale_ = mean_and_scale(X)
        return np.asfortranarray(self._standardise(X))  # trees read one feature after the other

    def _standardise(self, X: Any) -> Any:
        """Return standardised features in single precision."""
        with np.errstate(over="ignore"):  # infinite values go right at every node
            if self.mean_.any():  # fitted on dense rows
                X = (X if isinstance(X, np.ndarray) else X.toarray()) - self.mean_
            Z = divide_columns(X, self.scale_).astype(np.float32)
        if not isinstance(Z, np.ndarray):  # trees need 32 bits
            Z.indices = Z.indices.astype(np.int32)
            Z.indptr = Z.indptr.astype(np.int32)
        return Z

    def _unfitted_trees(self, **parameters: Any) -> Iterator[Any]:
        """Yield the trees with the given further parameters."""
        from sklearn.tree import ExtraTreeRegressor  # slow to import

        random = random_generator(self.random_state)
        max_features = n_features_considered(self.max_features, self.n_features_in_)
        # Trees are fitted one by one, because ExtraTreesRegressor takes longer to clone a tree than
        # to fit a small one.
        for _ in range(self.n_estimators):
            yield ExtraTreeRegressor(
                min_samples_leaf=self.min_samples_leaf,
                max_features=max_features,
                random_state=random.randint(np.iinfo(np.int32).max),
                **parameters,
            )

    def _boost(
        self, unfitted: Any, Z: Any, D: Array, weight: Array | None, F: Array, leaf_steps: LeafSteps
    ) -> None:
        """Grow a tree on D − softmax(F), set its values to steps, and add them to F."""
        P = softmax(F)
        tree = grow(unfitted, Z, D - P, weight)
        leaves = tree.apply(Z)
        rows = np.arange(len(D))
        entries = np.ones(len(D)) if weight is None else weight
        members = sparse.csr_array((entries, (leaves, rows)), shape=(tree.node_count, len(D)))
        tree.value[:, :, 0] = leaf_steps(members, leaves, D, P)
        F += tree.value[leaves, :, 0]
        self.trees_.append(tree)

    def _sum_trees(self, X: Any) -> Array:
        """Return the sums of the values of the trees, (n, n_labels).

        Trees with one output take turns by label.
        """
        Z = self._standardise(X)
        total = np.zeros((X.shape[0], len(self.label_names_)))
        for k, tree in enumerate(self.trees_):
            if tree.n_outputs == 1:
                total[:, k % total.shape[1]] += tree.predict(Z)[:, 0]
            else:
                total += tree.predict(Z)[:, :, 0]
        return total

    # Model files hold the trees as arrays, because skops does not trust compiled trees.
    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "trees_" in state:
            state["trees_"] = [tree.__getstate__() for tree in self.trees_]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "trees_" in state:
            self.trees_ = [
                regression_tree(tree, self.n_features_in_, tree["values"].shape[1])
                for tree in state["trees_"]
            ]


def n_features_considered(max_features: Literal["sqrt"] | float, n_features: int) -> int:
    """Return the number of features that are considered at each split."""
    if isinstance(max_features, Integral):
        return int(max_features)
    share = math.sqrt(n_features) if max_features == "sqrt" else max_features * n_features
    return max(int(share), min(n_features, MIN_FEATURES))


def grow(tree: Any, Z: Any, target: Array, weight: Array | None) -> Any:
    """Fit a tree to single-precision features, and return its compiled part."""
    if target.shape[1] == 1:
        target = target[:, 0]  # scikit-learn warns about a table of one column
    return tree.fit(Z, target, sample_weight=weight, check_input=False).tree_
