"""Private names of scikit-learn that the library uses."""

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, _num_samples

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "_check_sample_weight",
    "_num_samples",
    "_safe_indexing",
    "input_columns",
    "is_scorer",
    "regression_tree",
    "scorer_class",
]


def scorer_class() -> Any:
    """Return the class of scorers, whose private method `_score` a subclass may extend.

    scikit-learn calls this method for one scorer and for several.
    """
    from sklearn.metrics import make_scorer  # slow to import, and measures do not need it

    return type(make_scorer(len))  # the class is private, its instances are not


def is_scorer(scoring: Any) -> bool:
    """Return whether `scoring` is a scorer of scikit-learn."""
    return isinstance(scoring, scorer_class())


def input_columns(transformer: Any, name: str) -> Any:
    """Return the positions of the columns that a part of a fitted ColumnTransformer gets."""
    return transformer._transformer_to_input_indices[name]


def regression_tree(state: dict[str, Any], n_features: int, n_outputs: int) -> Any:
    """Return a compiled tree with a state that its ``__getstate__`` has returned.

    The compiled code does not check node numbers, so a damaged state could make it read any memory.
    """
    from sklearn.tree._tree import Tree  # slow to import, and only forests need it

    nodes = state["nodes"]
    parents = np.flatnonzero(nodes["left_child"] != -1)
    children = np.stack([nodes[side][parents] for side in ("left_child", "right_child")])
    features = nodes["feature"][parents]
    if not (
        (children > parents) & (children < len(nodes)) & (features >= 0) & (features < n_features)
    ).all():
        raise ValueError("A node of a tree refers to a node or a feature that does not exist.")
    tree = Tree(n_features, np.ones(n_outputs, dtype=np.intp), n_outputs)
    tree.__setstate__(state | {"node_count": len(nodes)})
    return tree
