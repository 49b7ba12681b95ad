"""Export of linear, softmax and kernel models to ONNX."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist._typing import Array
from labeldist.exceptions import ModelError
from labeldist.models._inspection import active_steps, fitted_part
from labeldist.models._persistence import make_card

OPSET = 19  # version of the ONNX operators
ROW = np.array([1])  # the axis of sums and maxima over a row


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
    force: bool = False,
) -> Any:
    """Export a fitted model to ONNX.

    The graph computes in double precision. Its metadata are the entries of the `ModelCard` as JSON. A `ModelError` is
    raised if the model or one of its steps is not supported.

    Parameters
    ----------
    model : fitted estimator
        BDLDL, BDLDLCV, MeanDistribution or a learner with a linear softmax model, such as SABFGS and SoftmaxRegression,
        also in an EnhancedLearner, a ConformalLearner (without its intervals), a search or a pipeline after
        KernelFeatures, StandardScaler, SimpleImputer or a ColumnTransformer of columns of numbers.
    path : str or path, default=None
    summary, measures, training_rows, force : as in `save`

    Returns
    -------
    onnx.ModelProto
        Its input is ``features``, its output ``distributions``, both float64 with one row per item.

    See Also
    --------
    save : Write a model file for labeldist.

    Examples
    --------
    >>> from onnxruntime import InferenceSession
    >>> from labeldist import BDLDL
    >>> from labeldist.models import to_onnx
    >>> graph = to_onnx(BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]))
    >>> InferenceSession(graph.SerializeToString()).run(None, {"features": [[0.5]]})[0].shape
    (1, 2)
    """
    if path is not None:
        check_free(path, force=force)
    card = make_card(model, summary=summary, measures=measures, training_rows=training_rows)
    graph = _Graph()
    shapes = {"features": card.n_features, "distributions": len(card.label_names)}
    proto = graph.finish(_convert(graph, model, "features"), shapes)
    proto.producer_name, proto.producer_version = "labeldist", card.versions["labeldist"]
    entries = {key: json.dumps(value, ensure_ascii=False) for key, value in asdict(card).items()}
    graph.helper.set_model_props(proto, entries)
    if path is not None:
        write_whole(path, proto.SerializeToString(), overwrite=force)
    return proto


def exportable(estimator: Any) -> bool:
    """Check whether `to_onnx` supports the learner of an estimator. Earlier steps are not checked.

    Parameters
    ----------
    estimator : learner, or pipeline or search that ends in one, fitted or not

    Returns
    -------
    bool
        Whether the learner is supported.

    See Also
    --------
    to_onnx : Export a fitted model.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.learning import AAKNN
    >>> from labeldist.models import exportable
    >>> exportable(BDLDL()), exportable(AAKNN())
    (True, False)
    """
    if hasattr(estimator, "steps"):
        return exportable(active_steps(estimator)[-1])
    if type(estimator).__name__ in LEARNERS:
        return True
    if type(estimator).__name__ in ("ConformalLearner", "EnhancedLearner"):  # the default of the latter is BDLDL
        return estimator.learner is None or exportable(estimator.learner)
    return hasattr(estimator, "estimator") and exportable(estimator.estimator)


class _Graph:
    """Builder of an ONNX graph: ``graph("Add", x, y)`` adds a node and returns the name of its output."""

    def __init__(self) -> None:
        self.onnx, self.helper = require("onnx", "onnx"), require("onnx.helper", "onnx")
        self.double = self.onnx.TensorProto.DOUBLE
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(self, operator: str, *inputs: str | Array, **attributes: Any) -> str:
        names = [value if isinstance(value, str) else self._add_constant(value) for value in inputs]
        output = f"labeldist/{operator}/{len(self.nodes)}"
        outputs = [output, f"{output}/indices"] if operator == "TopK" else [output]
        self.nodes.append(self.helper.make_node(operator, names, outputs, **attributes))
        return output

    def _add_constant(self, value: Array) -> str:
        name = f"labeldist/constant/{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def finish(self, result: str, n_columns: dict[str, int | None]) -> Any:
        self.nodes.append(self.helper.make_node("Identity", [result], ["distributions"]))
        ends = [self.helper.make_tensor_value_info(name, self.double, [None, n]) for name, n in n_columns.items()]
        graph = self.helper.make_graph(self.nodes, "labeldist", ends[:1], ends[1:], self.constants)
        opset = self.helper.make_opsetid("", OPSET)
        proto = self.helper.make_model(graph, opset_imports=[opset], ir_version=9)  # the one of opset 19
        self.onnx.checker.check_model(proto, full_check=True)
        return proto


def _convert(graph: _Graph, step: Any, X: str) -> str:
    """Add a fitted estimator with the input `X` to a graph, and return the name of its output."""
    if hasattr(step, "steps"):
        for part in active_steps(step):
            X = _convert(graph, part, X)
        return X
    if fitted_part(step) is not None:
        return _convert(graph, fitted_part(step), X)
    name, module = type(step).__name__, type(step).__module__
    if name in LEARNERS | STEPS and module.startswith(("labeldist.", "sklearn.")):
        return (LEARNERS | STEPS)[name](graph, step, X)
    raise ModelError(f"{name} cannot be exported to ONNX. Supported: {', '.join(LEARNERS | STEPS)}.")


def _linear(graph: _Graph, model: Any, X: str) -> str:
    """Add the scores of BDLDL and its output map, as in `labeldist.simplex.to_distributions`."""
    degrees = _affine(graph, X, model.coef_, model.intercept_)
    if model.output_ == "softmax":
        degrees = graph("Softmax", degrees, axis=1)
    elif model.output_ == "project":
        degrees = _project(graph, degrees, len(model.coef_))
    degrees = graph("Max", degrees, np.array([float(model.floor_)]))
    is_empty = graph("Equal", graph("ReduceMax", degrees, ROW), np.array([0.0]))
    degrees = graph("Where", is_empty, np.array([1.0]), degrees)
    degrees = graph("Div", degrees, graph("ReduceMax", degrees, ROW))  # so that the sum cannot overflow
    return graph("Div", degrees, graph("ReduceSum", degrees, ROW))


def _project(graph: _Graph, scores: str, n_labels: int) -> str:
    """Add `labeldist.simplex.project`. The largest of its thresholds is the one of the support."""
    scores = graph("Sub", scores, graph("ReduceMax", scores, ROW))
    descending = graph("TopK", scores, np.array([n_labels]), axis=1)
    excess = graph("Sub", graph("CumSum", descending, np.array(1)), np.array([1.0]))
    threshold = graph("ReduceMax", graph("Div", excess, np.arange(1.0, n_labels + 1)), ROW)
    degrees = graph("Max", graph("Sub", scores, threshold), np.array([0.0]))
    return graph("Div", degrees, graph("ReduceSum", degrees, ROW))


def _affine(graph: _Graph, X: str, coef: Array, intercept: Array) -> str:
    return graph("Add", graph("MatMul", X, coef.T.astype(np.float64)), np.asarray(intercept, dtype=np.float64))


def _softmax(graph: _Graph, model: Any, X: str) -> str:
    return graph("Softmax", _affine(graph, X, model.coef_, model.intercept_), axis=1)


def _mean(graph: _Graph, model: Any, X: str) -> str:
    return _affine(graph, X, np.zeros((len(model.mean_), model.n_features_in_)), model.mean_)


def _kernel_features(graph: _Graph, step: Any, X: str) -> str:
    """Add φ(x) = L⁻¹ k(R, x) with the inverse as a constant: ONNX has no operator that solves a system."""
    inverse = solve_triangular(step.factor_, np.eye(len(step.factor_)), lower=True)
    center = np.median(step.landmarks_, axis=0)  # so that large features lose no digits
    R, unit = step.landmarks_ - center, step.scale_ * step.bandwidth_
    X = graph("Div", graph("Sub", X, step.mean_ + center * unit), unit)
    products = graph("Mul", graph("MatMul", X, R.T), np.array([-2.0]))
    squares = graph("Add", graph("ReduceSum", graph("Mul", X, X), ROW), (R**2).sum(axis=1))
    distances = graph("Max", graph("Add", products, squares), np.array([0.0]))
    kernel = graph("Exp", graph("Mul", distances, np.array([-0.5])))
    return graph("MatMul", kernel, inverse.T)


def _standard_scaler(graph: _Graph, step: Any, X: str) -> str:
    centred = X if step.mean_ is None or not step.with_mean else graph("Sub", X, step.mean_)
    return centred if step.scale_ is None else graph("Div", centred, step.scale_)


def _imputer(graph: _Graph, step: Any, X: str) -> str:
    fills_nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.add_indicator or not fills_nan or step.statistics_.dtype.kind != "f" or np.isnan(step.statistics_).any():
        raise ModelError("SimpleImputer can be exported if it fills NaN in columns of numbers and adds no indicator.")
    return graph("Where", graph("IsNaN", X), step.statistics_, X)


def _columns(graph: _Graph, step: Any, X: str) -> str:
    parts = []
    for name, part, _ in step.transformers_:
        indices = step._transformer_to_input_indices[name]
        if part != "drop" and len(indices):
            block = graph("Gather", X, np.array(indices), axis=1)
            block = block if part == "passthrough" else _convert(graph, part, block)
            weight = (step.transformer_weights or {}).get(name, 1.0)
            parts.append(graph("Mul", block, np.array([float(weight)])))
    return graph("Concat", *parts, axis=1)


def _identity(graph: _Graph, step: Any, X: str) -> str:
    if getattr(step, "func", None) is not None:
        raise ModelError("FunctionTransformer can be exported if its func is None.")
    return graph("Identity", X)


def _is_missing(graph: _Graph, _: Any, X: str) -> str:
    return graph("Cast", graph("IsNaN", X), to=graph.double)


LEARNERS = {
    **dict.fromkeys(["BDLDL", "BDLDLCV"], _linear),
    **dict.fromkeys(["SoftmaxRegression", "SoftmaxRegressionCV"], _softmax),
    **dict.fromkeys(["SABFGS", "SAIIS", "LDLLC", "LDLSCL", "EDLLRL", "ALDL", "DeltaLDL", "EDL"], _softmax),
    **dict.fromkeys(["LDL4C", "LDLDPA", "LDLHR", "LDLLDM", "LDLLRR"], _softmax),
    "MeanDistribution": _mean,
}
STEPS = {
    "KernelFeatures": _kernel_features,
    "StandardScaler": _standard_scaler,
    "SimpleImputer": _imputer,
    "ColumnTransformer": _columns,
    **dict.fromkeys(["FunctionTransformer", "ToNumbers"], _identity),
    "IsMissing": _is_missing,
}
