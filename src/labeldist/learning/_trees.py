"""Decision trees as plain arrays: what scikit-learn has grown, in a form that a file can be trusted with.

scikit-learn's own trees walk from node to node without looking whether it exists, so a file with a tampered one could
read any memory; skops does not load them. NumPy looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array

Indices = NDArray[np.int32]

BLOCK_STEPS = 200_000
"""How many rows × trees are followed together: few enough to stay in the cache."""


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees in one table. A leaf is its own child, so that a row that has arrived stays.

    Attributes
    ----------
    roots : ndarray of shape (n_estimators,)
    children : ndarray of shape (n_nodes, 2)
        Where rows go whose feature is at most the threshold, and where the others go.
    features, thresholds : ndarray of shape (n_nodes,)
    leaves : ndarray of shape (n_nodes,)
        Which row of `distributions` is a leaf's; 0 for other nodes, where no row ends.
    distributions : ndarray of shape (n_leaves, n_labels)
    depth : int
        The most steps from a root to a leaf.
    """

    roots: Indices
    children: Indices
    features: Indices
    thresholds: Array
    leaves: Indices
    distributions: Array
    depth: int

    @classmethod
    def of(cls, grown: Sequence[Any]) -> Trees:
        """Take over scikit-learn's trees."""
        roots = np.cumsum([0, *(tree.node_count for tree in grown)])[:-1]
        children = np.concatenate(
            [
                np.stack([tree.children_left, tree.children_right], axis=1) + root * (tree.children_left >= 0)[:, None]
                for tree, root in zip(grown, roots, strict=True)
            ]
        )
        is_leaf = children[:, 0] < 0
        children[is_leaf] = np.flatnonzero(is_leaf)[:, None]
        values = np.concatenate([tree.value[:, :, 0] for tree in grown])
        return cls(
            roots=roots.astype(np.int32),
            children=children.astype(np.int32),
            features=np.where(is_leaf, 0, np.concatenate([tree.feature for tree in grown])).astype(np.int32),
            thresholds=np.concatenate([tree.threshold for tree in grown]),
            leaves=np.where(is_leaf, np.cumsum(is_leaf) - 1, 0).astype(np.int32),
            distributions=values[is_leaf],
            depth=max(tree.max_depth for tree in grown),
        )

    def mean_distributions(self, X: Any) -> Array:
        """Return the mean over trees of the distributions in the leaves that the rows of `X` fall into."""
        n, length = X.shape[0], max(1, BLOCK_STEPS // len(self.roots))
        means = np.empty((n, self.distributions.shape[1]))
        for start in range(0, n, length):
            rows = X[start : start + length]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            means[start : start + length] = self._means(rows.astype(np.float32))  # the thresholds are meant for these
        return means

    def _means(self, X: NDArray[np.float32]) -> Array:
        node = np.tile(self.roots, (len(X), 1))
        row = np.arange(len(X))[:, None]
        for _ in range(self.depth):
            goes_right = X[row, self.features[node]] > self.thresholds[node]
            node = self.children[node, goes_right.view(np.int8)]
        total = np.zeros((len(X), self.distributions.shape[1]))
        for leaves in self.leaves[node].T:
            total += self.distributions[leaves]
        return total / len(self.roots)
