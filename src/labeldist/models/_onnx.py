"""Export of linear, softmax and kernel models to ONNX."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from labeldist._compat import input_columns
from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist._pipelines import active_steps, fitted_part
from labeldist._typing import Array
from labeldist.exceptions import ModelError
from labeldist.models._persistence import make_card
from labeldist.published._methods import ONNX_EXPORTS

OPSET = 19  # version of the ONNX operators
IR_VERSION = 9  # the version of the file format that belongs to it
ROW = np.array([1])  # the axis of sums and maxima over a row

Converter = Callable[["_Graph", Any, str], str]
"""A function that adds a fitted estimator with the named input, and returns its output's name."""


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

    The graph computes in double precision. Its metadata are the entries of the `ModelCard` as JSON.
    A `ModelError` is raised if the model or one of its steps is not supported.

    Parameters
    ----------
    model : fitted estimator
        BDLDL, BDLDLCV, MeanDistribution, a learner with a linear softmax model, such as SABFGS and
        SoftmaxRegression, or a learner that projects linear scores, such as IncomLDL and LDLSF. It
        may be in an EnhancedLearner, a ConformalLearner (without its intervals), a search or a
        pipeline after KernelFeatures, StandardScaler, SimpleImputer or a ColumnTransformer of
        columns of numbers. Trees, neighbours, networks, text (TF-IDF), categories and dates cannot
        be exported.
    path : str or path, default=None
        File to write, such as ``model.onnx``.
    summary, measures, training_rows : str, mapping of str to float, int, default=None
        Entries of the card: text about the training, scores, and number of rows.
    force : bool, default=False
        Whether to replace an existing file.

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
    >>> session = InferenceSession(graph.SerializeToString())
    >>> session.run(None, {"features": [[0.5]]})[0].round(2)
    array([[0.4, 0.6]])
    """
    if path is not None:
        check_free(path, force=force)
    card = make_card(model, summary=summary, measures=measures, training_rows=training_rows)
    graph = _Graph()
    proto = graph.finish(_convert(graph, model, "features"), card.n_features, card.label_names)
    proto.producer_name = "labeldist"
    proto.producer_version = card.versions["labeldist"]
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
        The estimator.

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
    >>> from labeldist.published import AAKNN
    >>> from labeldist.models import exportable
    >>> exportable(BDLDL()), exportable(AAKNN())
    (True, False)
    """
    from labeldist.learning._learner import NestedLearner

    if hasattr(estimator, "steps"):
        return exportable(active_steps(estimator)[-1])
    if isinstance(estimator, NestedLearner):  # the default learner is exportable
        return estimator.learner is None or exportable(estimator.learner)
    if hasattr(estimator, "estimator"):
        return exportable(estimator.estimator)
    return _find(_learners(), estimator) is not None


class _Graph:
    """Builder of an ONNX graph: ``graph("Add", x, y)`` adds a node and returns its output."""

    def __init__(self) -> None:
        self.onnx = require("onnx", "onnx")
        self.helper = require("onnx.helper", "onnx")
        self.double = self.onnx.TensorProto.DOUBLE
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(self, operator: str, *inputs: str | float | Array, **attributes: Any) -> str:
        names = [value if isinstance(value, str) else self._constant(value) for value in inputs]
        output = f"labeldist/{operator}/{len(self.nodes)}"
        outputs = [output, f"{output}/indices"] if operator == "TopK" else [output]
        self.nodes.append(self.helper.make_node(operator, names, outputs, **attributes))
        return output

    def _constant(self, value: float | Array) -> str:
        name = f"labeldist/constant/{len(self.constants)}"
        array = np.ascontiguousarray(value)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def finish(self, result: str, n_features: int | None, label_names: Sequence[str]) -> Any:
        """Return the graph with the given result as a model that has passed the checks of ONNX."""
        helper = self.helper
        self.nodes.append(helper.make_node("Identity", [result], ["distributions"]))
        shape = [None, len(label_names)]
        X = helper.make_tensor_value_info("features", self.double, [None, n_features])
        D = helper.make_tensor_value_info("distributions", self.double, shape)
        graph = helper.make_graph(self.nodes, "labeldist", [X], [D], self.constants)
        opset = helper.make_opsetid("", OPSET)
        proto = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
        self.onnx.checker.check_model(proto, full_check=True)
        return proto


def _convert(graph: _Graph, step: Any, X: str) -> str:
    """Add a fitted estimator with the input `X` to a graph, and return the name of its output."""
    if hasattr(step, "steps"):
        for part in active_steps(step):
            X = _convert(graph, part, X)
        return X
    inner = fitted_part(step)
    if inner is not None:
        return _convert(graph, inner, X)
    convert = _find(_learners() | _transformers(), step)
    if convert is None:
        name = type(step).__name__
        raise ModelError(f"{name} cannot be exported to ONNX. {ONNX_EXPORTS}")
    return convert(graph, step, X)


def _find(converters: Mapping[type, Converter], step: Any) -> Converter | None:
    """Return the converter of the class of an estimator or of its nearest base class."""
    return next((converters[kind] for kind in type(step).__mro__ if kind in converters), None)


@cache
def _learners() -> dict[type, Converter]:
    """Return the converters of learners by class. A subclass has that of its base class."""
    from labeldist.learning import BDLDL, BDLDLCV, MeanDistribution
    from labeldist.learning._softmax_learner import SoftmaxLearner
    from labeldist.published._linear_learner import LinearLearner

    return {
        BDLDL: _bdldl,
        BDLDLCV: _bdldl,
        LinearLearner: _linear,
        SoftmaxLearner: _softmax,
        MeanDistribution: _mean,
    }


@cache
def _transformers() -> dict[type, Converter]:
    """Return the converters of the steps before a learner by class."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    from labeldist.app.tables.preparation import IsMissing, ToNumbers
    from labeldist.features import KernelFeatures

    return {
        KernelFeatures: _kernel_features,
        StandardScaler: _standard_scaler,
        SimpleImputer: _imputer,
        ColumnTransformer: _columns,
        FunctionTransformer: _identity,
        ToNumbers: _identity,
        IsMissing: _is_missing,
    }


def _bdldl(graph: _Graph, model: Any, X: str) -> str:
    if model.output_ == "project":
        return _linear(graph, model, X)
    add = _softmax if model.output_ == "softmax" else _scores
    return _raise_and_normalize(graph, add(graph, model, X), model.floor_)


def _linear(graph: _Graph, model: Any, X: str) -> str:
    degrees = _project(graph, _scores(graph, model, X), len(model.coef_))
    return _raise_and_normalize(graph, degrees, model.floor_)


def _raise_and_normalize(graph: _Graph, degrees: str, floor: float) -> str:
    """Raise degrees to the floor and divide them by their sum, like `to_distributions`."""
    degrees = graph("Max", degrees, float(floor))
    is_empty = graph("Equal", graph("ReduceMax", degrees, ROW), 0.0)
    degrees = graph("Where", is_empty, 1.0, degrees)
    return graph("Div", degrees, graph("ReduceSum", degrees, ROW))


def _project(graph: _Graph, scores: str, n_labels: int) -> str:
    """Add `labeldist.simplex.project`. The largest of its thresholds is the one of the support."""
    scores = graph("Sub", scores, graph("ReduceMax", scores, ROW))
    descending = graph("TopK", scores, n_labels, axis=1)
    sums = graph("CumSum", descending, 1)
    excess = graph("Sub", sums, 1.0)
    thresholds = graph("Div", excess, np.arange(1.0, n_labels + 1))
    threshold = graph("ReduceMax", thresholds, ROW)
    degrees = graph("Max", graph("Sub", scores, threshold), 0.0)
    return graph("Div", degrees, graph("ReduceSum", degrees, ROW))


def _scores(graph: _Graph, model: Any, X: str) -> str:
    products = graph("MatMul", X, model.coef_.T.astype(np.float64))
    return graph("Add", products, np.asarray(model.intercept_, dtype=np.float64))


def _softmax(graph: _Graph, model: Any, X: str) -> str:
    return graph("Softmax", _scores(graph, model, X), axis=1)


def _mean(graph: _Graph, model: Any, X: str) -> str:
    no_effect = np.zeros((model.n_features_in_, len(model.mean_)))
    return graph("Add", graph("MatMul", X, no_effect), model.mean_)


def _kernel_features(graph: _Graph, step: Any, X: str) -> str:
    """Add φ(x) = L⁻¹ k(R, x) with L⁻¹ as a constant: ONNX has no operator that solves a system."""
    inverse = solve_triangular(step.factor_, np.eye(len(step.factor_)), lower=True)
    center = np.median(step.landmarks_, axis=0)  # so that large features lose no digits
    R = step.landmarks_ - center
    unit = step.scale_ * step.bandwidth_
    X = graph("Div", graph("Sub", X, step.mean_ + center * unit), unit)
    products = graph("Mul", graph("MatMul", X, R.T), -2.0)
    lengths = graph("ReduceSum", graph("Mul", X, X), ROW)
    squares = graph("Add", lengths, (R**2).sum(axis=1))
    distances = graph("Max", graph("Add", products, squares), 0.0)
    kernel = graph("Exp", graph("Mul", distances, -0.5))
    return graph("MatMul", kernel, inverse.T)


def _standard_scaler(graph: _Graph, step: Any, X: str) -> str:
    if step.with_mean:
        X = graph("Sub", X, step.mean_)
    if step.with_std:
        X = graph("Div", X, step.scale_)
    return X


def _imputer(graph: _Graph, step: Any, X: str) -> str:
    fills_nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.add_indicator or not fills_nan:
        raise ModelError("SimpleImputer can be exported if it fills NaN and adds no indicator.")
    return graph("Where", graph("IsNaN", X), step.statistics_, X)


def _columns(graph: _Graph, step: Any, X: str) -> str:
    weights = step.transformer_weights or {}
    blocks = []
    for name, part, _ in step.transformers_:
        indices = input_columns(step, name)
        if part == "drop" or not len(indices):
            continue
        block = graph("Gather", X, np.array(indices), axis=1)
        if part != "passthrough":
            block = _convert(graph, part, block)
        blocks.append(graph("Mul", block, float(weights.get(name, 1.0))))
    return graph("Concat", *blocks, axis=1)


def _identity(_: _Graph, step: Any, X: str) -> str:
    if getattr(step, "func", None) is not None:
        raise ModelError("FunctionTransformer can be exported if its func is None.")
    return X


def _is_missing(graph: _Graph, _: Any, X: str) -> str:
    return graph("Cast", graph("IsNaN", X), to=graph.double)
