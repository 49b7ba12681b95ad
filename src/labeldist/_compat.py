"""Private names of scikit-learn that the library uses, and the constraints of parameters made of them."""

from collections import ChainMap
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight

__all__ = ["HasMethods", "Interval", "StrOptions", "_check_sample_weight", "_safe_indexing", "regression_tree"]

POSITIVE = [Interval(Real, 0, None, closed="neither")]
NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]
WIDTH = [StrOptions({"mean"}), *POSITIVE]

CONSTRAINTS: dict[str, list[Any]] = {
    **dict.fromkeys(["correlation", "low_rank", "reconstruction", "ridge", "smoothness"], NON_NEGATIVE),
    **dict.fromkeys(["max_iter", "min_samples_leaf", "n_clusters", "n_estimators", "n_neighbors"], COUNT),
    **dict.fromkeys(["C", "tol"], POSITIVE),
    **dict.fromkeys(["bandwidth", "graph_width"], WIDTH),
    **{name: ["boolean"] for name in ("fit_intercept", "scale")},
    "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
    "random_state": ["random_state"],
}
"""Constraints of the parameters that several estimators have, by name."""


class ConstrainedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of the estimators: a class inherits constraints, and states the others in `_constraints`."""

    _constraints = CONSTRAINTS

    @property
    def _parameter_constraints(self) -> dict[str, list[Any]]:
        stated = ChainMap(*(vars(kind).get("_constraints", {}) for kind in type(self).__mro__))
        return {name: stated[name] for name in self.get_params(deep=False) if name in stated}


def regression_tree(state: dict[str, Any], n_features: int, n_outputs: int) -> Any:
    """Return a compiled tree with a state that its ``__getstate__`` has returned.

    The compiled code does not check node numbers, so a damaged state could make it read any memory.
    """
    from sklearn.tree._tree import Tree  # slow to import, and only forests need it

    nodes = state["nodes"]
    parents = np.flatnonzero(nodes["left_child"] != -1)
    children = np.stack([nodes[side][parents] for side in ("left_child", "right_child")])
    features = nodes["feature"][parents]
    if not ((children > parents) & (children < len(nodes)) & (features >= 0) & (features < n_features)).all():
        raise ValueError("A node of a tree refers to a node or a feature that does not exist.")
    tree = Tree(n_features, np.ones(n_outputs, dtype=np.intp), n_outputs)
    tree.__setstate__(state | {"node_count": len(nodes)})
    return tree
