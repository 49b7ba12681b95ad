"""Private names of scikit-learn that the library uses, and the constraints of parameters made of them."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight

__all__ = ["HasMethods", "Interval", "StrOptions", "_check_sample_weight", "_safe_indexing", "regression_tree"]

POSITIVE = [Interval(Real, 0, None, closed="neither")]
NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]
WIDTH = [StrOptions({"mean"}), *POSITIVE]
ITERATIONS: dict[str, list[Any]] = {"tol": POSITIVE, "max_iter": COUNT}


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
