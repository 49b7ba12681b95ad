"""Checks of the texts of LightGBM and XGBoost before the libraries read them.

The parsers of both libraries are written in C++ and trust counts, lengths and indices. A wrong one
makes them read or write memory of the process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from labeldist._typing import Array

INTEGERS = re.compile(r"(-?\d{1,9}( -?\d{1,9})* ?)?")
NUMBERS = re.compile(r"([-+.\dainfe]+( +[-+.\dainfe]+)* *)?")
LARGEST_CATEGORY = 2**24
NO_CHILD = -1

# Lengths of the arrays of a LightGBM tree.
OF_NODES: tuple[str, ...] = (
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "left_child",
)
OF_NODES += ("right_child", "internal_value", "internal_weight", "internal_count")
OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count", "leaf_const", "num_features")
OTHER_TREE_KEYS: tuple[str, ...] = (
    "num_leaves",
    "num_cat",
    "cat_boundaries",
    "cat_threshold",
    "is_linear",
)
OTHER_TREE_KEYS += ("leaf_features", "leaf_coeff", "shrinkage")
TREE_KEYS = {*OF_NODES, *OF_LEAVES, *OTHER_TREE_KEYS}
HEADER_KEYS = {"version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx"}
HEADER_KEYS |= {"feature_names", "feature_infos", "monotone_constraints", "tree_sizes"}

# Arrays of an XGBoost tree with one value per node.
XGBOOST_ARRAYS: tuple[str, ...] = (
    "base_weights",
    "default_left",
    "left_children",
    "right_children",
    "parents",
)
XGBOOST_ARRAYS += ("loss_changes", "split_conditions", "split_indices", "split_type", "sum_hessian")


def check_lightgbm_text(text: str, n_labels: int) -> None:
    """Raise a ``ValueError`` if a text does not describe trees for `n_labels` labels."""
    head, _, rest = text.partition("\n\n")
    first, *lines = head.split("\n")
    _require(first == "tree", "the first line of the text of LightGBM is not 'tree'")
    header = _entries(lines, HEADER_KEYS)
    n_scores = n_labels if n_labels > 2 else 1
    for key in ("num_class", "num_tree_per_iteration"):
        _require(_integer(header, key) == n_scores, f"{key} must be {n_scores}")
    n_features = _integer(header, "max_feature_idx") + 1
    for key in ("feature_names", "feature_infos"):
        _require(len(header[key].split(" ")) == n_features, f"{key} must name {n_features}")
    if "monotone_constraints" in header:
        _integers(header, "monotone_constraints", n_features)
    sizes = _integers(header, "tree_sizes")
    _require(len(sizes) % n_scores == 0, "the number of trees is wrong")
    content = rest.encode()
    start = 0
    for number, size in enumerate(sizes):
        _require(size > 0, "tree_sizes must be positive")
        block = content[start : start + size].decode("ascii")
        first, *lines = block.split("\n")
        _require(first == f"Tree={number}", f"tree {number} is not where tree_sizes says")
        _check_lightgbm_tree(_entries(lines, TREE_KEYS), n_features)
        start += size
    end = content[start:].lstrip(b"\n")
    _require(end.startswith(b"end of trees\n"), "tree_sizes does not end at the last tree")


def _check_lightgbm_tree(tree: dict[str, str], n_features: int) -> None:
    n_leaves = _integer(tree, "num_leaves")
    _require(n_leaves >= 1, "num_leaves must be positive")
    n_nodes = n_leaves - 1
    for key in {*OF_NODES, *OF_LEAVES} & tree.keys():
        if n_nodes or key == "leaf_value":
            _numbers(tree, key, n_nodes if key in OF_NODES else n_leaves)
    if not n_nodes:
        return
    features = _integers(tree, "split_feature", n_nodes)
    _require_range(features, 0, n_features, "split_feature")
    left = _integers(tree, "left_child", n_nodes)
    right = _integers(tree, "right_child", n_nodes)
    children = np.concatenate([left, right])
    _require_range(children, -n_leaves, n_nodes, "left_child and right_child")
    # Every node but the root, and every leaf, has one parent, which LightGBM has made before it.
    expected = np.setdiff1d(np.arange(-n_leaves, n_nodes), [0])
    _require(np.array_equal(np.sort(children), expected), "left_child and right_child are no tree")
    parents = np.tile(np.arange(n_nodes), 2)
    is_node = children >= 0
    _require(bool((children > parents)[is_node].all()), "left_child and right_child have a cycle")
    _check_lightgbm_categories(tree, n_nodes)
    if _integer(tree, "is_linear", 0):
        _check_lightgbm_linear_leaves(tree, n_leaves, n_features)


def _check_lightgbm_categories(tree: dict[str, str], n_nodes: int) -> None:
    n_categorical = _integer(tree, "num_cat")
    _require(0 <= n_categorical <= n_nodes, "num_cat is too large")
    is_categorical = _integers(tree, "decision_type", n_nodes) % 2 == 1
    thresholds = _numbers(tree, "threshold", n_nodes)[is_categorical]
    _require_range(thresholds, 0, n_categorical, "threshold of categories")
    if n_categorical:
        boundaries = _integers(tree, "cat_boundaries", n_categorical + 1)
        words = _numbers(tree, "cat_threshold")
        _require_range(words, 0, 2**32, "cat_threshold")
        _require_partition(boundaries, len(words), "cat_boundaries")


def _check_lightgbm_linear_leaves(tree: dict[str, str], n_leaves: int, n_features: int) -> None:
    _numbers(tree, "leaf_const", n_leaves)
    counts = _integers(tree, "num_features", n_leaves)
    _require_range(counts, 0, n_features + 1, "num_features")
    total = int(counts.sum())
    features = _numbers(tree, "leaf_features", total)
    _require_range(features, 0, n_features, "leaf_features")
    _numbers(tree, "leaf_coeff", total)


def check_xgboost_text(text: str) -> None:
    """Raise an error if a JSON text does not describe trees of XGBoost."""
    learner = json.loads(text, object_pairs_hook=_unique)["learner"]
    n_features = int(learner["learner_model_param"]["num_feature"])
    n_classes = int(learner["learner_model_param"]["num_class"])
    n_scores = max(1, n_classes)
    _require(n_features > 0 and n_classes >= 0, "num_feature or num_class is wrong")
    _require(learner["learner_model_param"]["num_target"] == "1", "num_target must be 1")
    _check_xgboost_objective(learner, n_classes)
    for key in ("feature_names", "feature_types"):
        _require(len(learner[key]) in (0, n_features), f"{key} must have {n_features} entries")
    booster = learner["gradient_booster"]
    if booster["name"] == "dart":
        weights = booster["weight_drop"]
        booster = booster["gbtree"]
        _array(weights, len(booster["model"]["trees"]), "weight_drop")
    _require(booster["name"] == "gbtree", "the booster must be gbtree or dart")
    model = booster["model"]
    trees = model["trees"]
    parameters = model["gbtree_model_param"]
    _require(int(parameters["num_trees"]) == len(trees), "num_trees is wrong")
    _require(int(parameters["num_parallel_tree"]) > 0, "num_parallel_tree must be positive")
    _require_range(_array(model["tree_info"], len(trees), "tree_info"), 0, n_scores, "tree_info")
    rounds = _array(model["iteration_indptr"], None, "iteration_indptr")
    _require_partition(rounds, len(trees), "iteration_indptr")
    best = int(learner["attributes"].get("best_iteration", 0))
    _require(0 <= best < max(1, len(rounds) - 1), "best_iteration is not the number of a round")
    for number, tree in enumerate(trees):
        _require(tree["id"] == number, "the trees are not numbered in order")
        _check_xgboost_tree(tree, n_features)
    if model.get("cats", {}).get("enc"):
        _check_xgboost_categories(model["cats"], n_features)


def _check_xgboost_objective(learner: Mapping[str, Any], n_classes: int) -> None:
    objective = learner["objective"]
    expected = "multi:softprob" if n_classes else "binary:logistic"
    _require(objective["name"] == expected, f"the objective must be {expected}")
    if n_classes:
        stated = objective["softmax_multiclass_param"]["num_class"]
        _require(int(stated) == n_classes, "num_class of the objective is wrong")
    base = np.atleast_1d(json.loads(learner["learner_model_param"]["base_score"]))
    _require(base.shape in {(1,), (max(1, n_classes),)}, "base_score has a wrong length")


def _check_xgboost_tree(tree: Mapping[str, Any], n_features: int) -> None:
    parameters = tree["tree_param"]
    n_nodes = int(parameters["num_nodes"])
    _require(n_nodes > 0, "num_nodes must be positive")
    _require(int(parameters["num_feature"]) == n_features, "num_feature of a tree is wrong")
    has_scalar_leaves = parameters["size_leaf_vector"] in ("0", "1")
    _require(has_scalar_leaves, "leaves with vectors (multi_output_tree) are not supported")
    values = {key: _array(tree[key], n_nodes, key) for key in XGBOOST_ARRAYS}
    left = values["left_children"]
    right = values["right_children"]
    splits = np.flatnonzero(left != NO_CHILD)
    _require(np.array_equal(splits, np.flatnonzero(right != NO_CHILD)), "a node has one child")
    children = np.concatenate([left[splits], right[splits]])
    _require_range(children, 1, n_nodes, "left_children and right_children")
    is_tree = len(np.unique(children)) == len(children)
    _require(is_tree, "left_children and right_children are no tree")
    expected_parents = np.tile(splits, 2)
    _require(np.array_equal(values["parents"][children], expected_parents), "parents is wrong")
    _require_range(values["split_indices"][splits], 0, n_features, "split_indices")
    _require_range(values["split_type"], 0, 2, "split_type")
    _require_range(values["default_left"], 0, 2, "default_left")
    nodes = _array(tree["categories_nodes"], None, "categories_nodes")
    categorical = np.intersect1d(np.flatnonzero(values["split_type"] == 1), splits)
    _require(np.array_equal(nodes, categorical), "categories_nodes is wrong")
    categories = _array(tree["categories"], None, "categories")
    _require_range(categories, 0, LARGEST_CATEGORY, "categories")
    sizes = _array(tree["categories_sizes"], len(nodes), "categories_sizes")
    starts = _array(tree["categories_segments"], len(nodes), "categories_segments")
    segments = np.append(starts, len(categories))
    _require_partition(np.append(0, segments[1:]), len(categories), "categories_segments")
    _require(np.array_equal(np.diff(segments), sizes), "categories_sizes is wrong")


def _check_xgboost_categories(categories: Mapping[str, Any], n_features: int) -> None:
    """Check the categories of the columns of a data frame."""
    _require(len(categories["enc"]) == n_features, "enc is wrong")
    counts = []
    for column in categories["enc"]:
        values = column["values"]
        count = len(values)
        if "offsets" in column:
            offsets = _array(column["offsets"], None, "offsets")
            count = max(0, len(offsets) - 1)
            if len(offsets):
                _require_partition(offsets, len(values), "offsets")
        counts.append(count)
    segments = _array(categories["feature_segments"], n_features + 1, "feature_segments")
    expected = np.append(0, np.cumsum(counts))
    _require(np.array_equal(segments, expected), "feature_segments is wrong")
    order = _array(categories["sorted_idx"], int(expected[-1]), "sorted_idx")
    limits = np.repeat(counts, counts)
    _require(bool(((order >= 0) & (order < limits)).all()), "sorted_idx is wrong")


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise ValueError(f"The text of the trees cannot be used: {problem}.")


def _require_range(values: Array, first: float, end: float, name: str) -> None:
    _require(bool(((values >= first) & (values < end)).all()), f"{name} is out of range")


def _require_partition(bounds: Array, end: int, name: str) -> None:
    """Require bounds that start at zero, never decrease, and stop at `end`."""
    is_sound = len(bounds) > 0 and bounds[0] == 0 and bounds[-1] == end
    _require(bool(is_sound and (np.diff(bounds) >= 0).all()), f"{name} is wrong")


def _entries(lines: list[str], known: set[str]) -> dict[str, str]:
    """Return the values of lines such as ``key=value``."""
    entries: dict[str, str] = {}
    for line in filter(None, lines):
        key, _, value = line.partition("=")
        _require(key in known, f"{key[:40]!r} is unknown")
        _require(key not in entries, f"{key} occurs twice")
        entries[key] = value
    return entries


def _integer(entries: dict[str, str], key: str, default: int | None = None) -> int:
    if default is not None and key not in entries:
        return default
    return int(_integers(entries, key, 1)[0])


def _integers(entries: dict[str, str], key: str, length: int | None = None) -> Array:
    _require(INTEGERS.fullmatch(entries.get(key, "")) is not None, f"{key} has other texts")
    return _numbers(entries, key, length).astype(np.int64)


def _numbers(entries: dict[str, str], key: str, length: int | None = None) -> Array:
    _require(key in entries, f"{key} is missing")
    text = entries[key]
    _require(NUMBERS.fullmatch(text.strip(" ")) is not None, f"{key} has other texts than numbers")
    return _array([float(value) for value in text.split()], length, key)


def _array(values: Any, length: int | None, name: str) -> Array:
    """Return numbers of JSON as an array of the given length."""
    array = np.asarray(values, dtype=None if len(values) else np.float64)
    is_sound = array.ndim == 1 and array.dtype.kind in "if"
    _require(is_sound and length in (None, len(array)), f"{name} has a wrong length or type")
    return array


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object without repeated names."""
    content = dict(pairs)
    _require(len(content) == len(pairs), "a name occurs twice")
    return content
