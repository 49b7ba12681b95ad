"""Which estimators become ONNX graphs, and which graphs: what skl2onnx is told of this library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from labeldist._extras import require
from labeldist.enhancement import BDLE, GLLE
from labeldist.exceptions import ModelError
from labeldist.features import KernelFeatures
from labeldist.learning import (
    AABP,
    BDLDL,
    BDLDLCV,
    EDLLRL,
    LDLLC,
    LDLSCL,
    SABFGS,
    SAIIS,
    DistributionForest,
    MeanDistribution,
)
from labeldist.models._graph import DOUBLE, INTEGER, ROW, SINGLE, Operators
from labeldist.models._preprocessing import CONVERTERS, SHAPES


def linear(ops: Operators, model: Any, X: Any) -> Any:
    """BD-LDL: scores, and the output map that was asked for."""
    scores = ops.affine(X, model.coef_, model.intercept_)
    return ops.distributions(scores, len(model.coef_), model.output_, floor=model.floor_)


def chosen_linear(ops: Operators, model: Any, X: Any) -> Any:
    """Answer as the estimator that cross-validation chose."""
    return linear(ops, model.best_estimator_, X)


def maximum_entropy(ops: Operators, model: Any, X: Any) -> Any:
    """Softmax of linear scores."""
    return ops.distributions(ops.affine(X, model.coef_, model.intercept_), len(model.coef_), "softmax")


def network(ops: Operators, model: Any, X: Any) -> Any:
    """One hidden layer, and softmax."""
    (V, U), (a, b) = model.coefs_, model.intercepts_
    return ops.distributions(ops.affine(ops("Tanh", ops.affine(X, V.T, a)), U.T, b), len(b), "softmax")


def mean(ops: Operators, model: Any, X: Any) -> Any:
    """Answer the mean: of the features only the number of rows counts."""
    return ops.affine(X, np.zeros((len(model.mean_), model.n_features_in_)), model.mean_)


def forest(ops: Operators, model: Any, X: Any) -> Any:
    """Follow all trees step by step, as `labeldist.learning._trees` does: ONNX's own answer in single precision."""
    trees = model.trees_
    X = ops.standardised(X, model.mean_, model.scale_)
    X = ops("Cast", ops("Cast", X, to=SINGLE), to=DOUBLE)  # the thresholds are meant for these
    never = ops("Less", ops("Abs", ops("Gather", X, np.array([0]), axis=1)), np.array([0.0]))
    node = ops("Add", ops("Cast", never, to=INTEGER), trees.roots.astype(np.int64)[None, :])  # a row of roots for each
    left, right = np.ascontiguousarray(trees.children.T, dtype=np.int64)
    for _ in range(trees.depth):
        values = ops("GatherElements", X, ops("Gather", trees.features.astype(np.int64), node), axis=1)
        goes_right = ops("Greater", values, ops("Gather", trees.thresholds, node))
        node = ops("Where", goes_right, ops("Gather", right, node), ops("Gather", left, node))
    found = ops("Gather", trees.distributions, ops("Gather", trees.leaves.astype(np.int64), node))
    sums = ops("ReduceSum", found, ROW, keepdims=0)
    return ops.distributions(sums, len(model.label_names_), "clip")


def kernel_features(ops: Operators, model: Any, X: Any) -> Any:
    """φ(x) = L⁻¹ k(R, x); ONNX cannot solve, so the inverse is part of the graph."""
    rows = ops("Div", ops.standardised(X, model.mean_, model.scale_), np.array([model.bandwidth_]))
    inverse = solve_triangular(model.factor_, np.eye(len(model.factor_)), lower=True)
    return ops("MatMul", ops.gaussian(rows, model.landmarks_, 1.0), np.ascontiguousarray(inverse.T))


def kernel_enhancer(ops: Operators, model: Any, X: Any) -> Any:
    """Apply the rule of BD-LE and GLLE for new rows."""
    rows = ops.standardised(X, model.mean_, model.scale_)
    if callable(model.kernel):
        raise ModelError("A kernel that is a function cannot be exported; kernel='rbf' and kernel='linear' can.")
    if model.kernel == "linear":
        scores = ops.affine(rows, model.dual_coef_.T @ model.X_fit_, model.intercept_)
    else:
        scores = ops.affine(ops.gaussian(rows, model.X_fit_, model.bandwidth_), model.dual_coef_.T, model.intercept_)
    n_labels = len(model.intercept_)
    return ops.distributions(scores, n_labels, model.output, sharpness=model.sharpness, floor=model.floor)


LEARNERS: dict[type, Callable[[Operators, Any, Any], Any]] = {
    BDLDL: linear,
    BDLDLCV: chosen_linear,
    **dict.fromkeys([SABFGS, SAIIS, LDLLC, LDLSCL, EDLLRL], maximum_entropy),
    AABP: network,
    MeanDistribution: mean,
    DistributionForest: forest,
    **dict.fromkeys([BDLE, GLLE], kernel_enhancer),
}
"""The estimators whose answers can be exported, each with its graph."""

GRAPHS = {**LEARNERS, KernelFeatures: kernel_features}


def for_skl2onnx() -> dict[str, dict[type, Any]]:
    """Return the arguments by which skl2onnx learns of our classes, for one conversion and no other."""
    return {
        "custom_conversion_functions": dict.fromkeys(GRAPHS, _convert) | CONVERTERS,
        "custom_shape_calculators": dict.fromkeys(GRAPHS, _note_shape) | SHAPES,
        "custom_parsers": dict.fromkeys([*GRAPHS, *CONVERTERS], _parse),
    }


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:  # noqa: ARG001  # skl2onnx's form
    types = require("skl2onnx.common.data_types", "onnx")
    operator = scope.declare_local_operator(f"Labeldist{type(model).__name__}", model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("variable", types.DoubleTensorType()))
    return operator.outputs


def _note_shape(operator: Any) -> None:
    model, rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    columns = len(model.landmarks_) if isinstance(model, KernelFeatures) else len(model.label_names_)
    operator.outputs[0].type.shape = [rows, columns]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    ops = Operators()
    X = ops("Cast", operator.inputs[0], to=DOUBLE)  # some transformers answer in single precision
    result = GRAPHS[type(operator.raw_operator)](ops, operator.raw_operator, X)
    ops("Identity", result, output_names=operator.outputs).add_to(scope, container)
