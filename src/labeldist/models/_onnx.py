"""Export of linear, softmax and kernel models to ONNX."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist._typing import Array
from labeldist.exceptions import ModelError
from labeldist.models._inspection import active_steps, fitted_part, receiving_part
from labeldist.models._persistence import make_card

OPSET = 19
"""Version of the ONNX operators: the first in which Equal compares texts."""

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

    The graph computes in double precision. Its metadata contain the card and the names of labels and features.

    Parameters
    ----------
    model : fitted estimator
        BDLDL, BDLDLCV, SABFGS, SAIIS, LDLLC, LDLSCL, EDLLRL or MeanDistribution, also in an EnhancedLearner, a search
        or a pipeline. Earlier steps may be KernelFeatures, StandardScaler, SimpleImputer of numbers, OneHotEncoder of
        texts, ColumnTransformer and the preparation of ``labeldist fit --prepare``, except for dates.
    path : str or path, default=None
        File to write.
    summary, measures, training_rows : default=None
        Entries of the card, as in `save`.
    force : bool, default=False
        Whether to replace an existing file.

    Returns
    -------
    onnx.ModelProto
        The input is ``features``, float64 of shape (rows, features). If the model starts with a ColumnTransformer of
        named columns, each column in use is an input of shape (rows, 1) with its name: float64, or text in which a
        missing value is empty. The output is ``distributions``, float64 of shape (rows, labels).

    Raises
    ------
    ModelError
        If the model or one of its steps is not supported.

    See Also
    --------
    exportable : Check whether a learner is supported.
    save : Write a model file for labeldist.

    Examples
    --------
    >>> from onnxruntime import InferenceSession
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(100, random_state=0)
    >>> model = BDLDL().fit(X, D)
    >>> session = InferenceSession(to_onnx(model).SerializeToString())
    >>> (degrees,) = session.run(None, {"features": X})
    >>> bool(abs(degrees - model.predict(X)).max() < 1e-12)
    True
    """
    if path is not None:
        check_free(path, force=force)
    card = make_card(model, summary=summary, measures=measures, training_rows=training_rows)
    graph = _Graph()
    by_column = card.feature_names is not None and type(receiving_part(model)).__name__ == "ColumnTransformer"
    X = None if by_column else graph.add_input("features", card.n_features)
    proto = graph.finish(_convert(graph, model, X), type(model).__name__, len(card.label_names))
    proto.producer_name, proto.producer_version = "labeldist", card.versions["labeldist"]
    texts = {key: json.dumps(getattr(card, key), ensure_ascii=False) for key in ("label_names", "feature_names")}
    graph.helper.set_model_props(proto, {"card": card.to_json(), **texts})
    if path is not None:
        write_whole(path, proto.SerializeToString(), overwrite=force)
    return proto


def exportable(estimator: Any) -> bool:
    """Check whether `to_onnx` supports the learner of an estimator. Earlier steps are not checked.

    Parameters
    ----------
    estimator : estimator
        A learner, or a pipeline or search that ends in one, fitted or not.

    Returns
    -------
    bool
        Whether the learner is supported.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.learning import AAKNN
    >>> exportable(BDLDL()), exportable(AAKNN())
    (True, False)
    """
    if hasattr(estimator, "steps"):
        return exportable(active_steps(estimator)[-1])
    if type(estimator).__name__ in LEARNERS:
        return True
    if hasattr(estimator, "learner"):  # EnhancedLearner, whose default is BDLDL
        return estimator.learner is None or exportable(estimator.learner)
    return hasattr(estimator, "estimator") and exportable(estimator.estimator)


class _Graph:
    """Builder of an ONNX graph: ``graph("Add", x, y)`` adds a node and returns the name of its output."""

    def __init__(self) -> None:
        self.helper = require("onnx.helper", "onnx")
        self.types = require("onnx", "onnx").TensorProto
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: dict[str, Any] = {}

    def __call__(self, operator: str, *inputs: str | Array, **attributes: Any) -> str:
        names = [value if isinstance(value, str) else self._add_constant(value) for value in inputs]
        output = f"labeldist/{operator}/{len(self.nodes)}"
        outputs = [output, f"{output}/indices"] if operator == "TopK" else [output]
        self.nodes.append(self.helper.make_node(operator, names, outputs, **attributes))
        return output

    def add_input(self, name: str, n_columns: int | None, *, is_text: bool = False) -> str:
        if name in self.inputs:
            return name
        kind = self.types.STRING if is_text else self.types.DOUBLE
        self.inputs[name] = self.helper.make_tensor_value_info(name, kind, [None, n_columns])
        return name

    def finish(self, result: str, name: str, n_labels: int) -> Any:
        output = "distributions"
        while output in self.inputs:
            output += "_"
        self.nodes.append(self.helper.make_node("Identity", [result], [output]))
        outputs = [self.helper.make_tensor_value_info(output, self.types.DOUBLE, [None, n_labels])]
        graph = self.helper.make_graph(self.nodes, name, list(self.inputs.values()), outputs, self.constants)
        opset = self.helper.make_opsetid("", OPSET)
        proto = self.helper.make_model(graph, opset_imports=[opset], ir_version=9)  # the one of opset 19
        require("onnx.checker", "onnx").check_model(proto, full_check=True)
        return proto

    def _add_constant(self, value: Array) -> str:
        name = f"labeldist/constant/{len(self.constants)}"
        self.constants.append(require("onnx.numpy_helper", "onnx").from_array(np.ascontiguousarray(value), name))
        return name


def _convert(graph: _Graph, step: Any, X: Any) -> str:
    """Add a fitted estimator to a graph and return the name of its output. `X` is None for named columns."""
    if hasattr(step, "steps"):
        for part in active_steps(step):
            X = _convert(graph, part, X)
        return str(X)
    if fitted_part(step) is not None:
        return _convert(graph, fitted_part(step), X)
    name, module = type(step).__name__, type(step).__module__
    if name in LEARNERS | STEPS and module.startswith(("labeldist.", "sklearn.")):
        return (LEARNERS | STEPS)[name](graph, step, X)
    raise ModelError(
        f"{name} cannot be exported to ONNX. Supported learners: {', '.join(sorted(LEARNERS))}; supported earlier "
        f"steps: {', '.join(sorted(STEPS))}."
    )


def _linear(graph: _Graph, model: Any, X: str) -> str:
    """Add the scores of BDLDL and its output map, as in `labeldist.simplex.to_distributions`."""
    degrees = _affine(graph, X, model.coef_, model.intercept_)
    if model.output == "softmax":
        degrees = graph("Softmax", degrees, axis=1)
    elif model.output == "project":
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


def _softmax(graph: _Graph, model: Any, X: str) -> str:
    return graph("Softmax", _affine(graph, X, model.coef_, model.intercept_), axis=1)


def _mean(graph: _Graph, model: Any, X: str) -> str:
    return _affine(graph, X, np.zeros((len(model.mean_), model.n_features_in_)), model.mean_)


def _affine(graph: _Graph, X: str, coef: Array, intercept: Array) -> str:
    return graph("Add", graph("MatMul", X, coef.T.astype(np.float64)), np.asarray(intercept, dtype=np.float64))


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


def _one_hot(graph: _Graph, step: Any, X: str) -> str:
    """Add up the codes of the columns, relative to a row that has the first category in each column."""
    base = np.array([[categories[0] for categories in step.categories_]], dtype=object)
    encoded = graph("Identity", _encode(step, base))
    for k, categories in enumerate(step.categories_):
        words = [word if isinstance(word, str) else "" for word in categories]  # a missing text is empty
        if step.handle_unknown == "error" or not _is_text(categories) or len(set(words)) < len(words):
            raise ModelError(
                "OneHotEncoder can be exported if its categories are texts, at most one of them missing, and its "
                "handle_unknown is 'ignore' or 'infrequent_if_exist'."
            )
        rows = np.repeat(base, len(categories) + 1, axis=0)
        rows[:, k] = [*categories, "\0"]  # the last one is unknown
        found = graph("Equal", graph("Gather", X, np.array([k]), axis=1), np.array([words], dtype=object))
        found = graph("Cast", found, to=graph.types.DOUBLE)
        is_unknown = graph("Sub", np.array([1.0]), graph("ReduceSum", found, ROW))
        choice = graph("Concat", found, is_unknown, axis=1)
        encoded = graph("Add", encoded, graph("MatMul", choice, _encode(step, rows) - _encode(step, base)))
    return encoded


def _encode(step: Any, rows: Array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about the unknown category and missing names
        encoded = step.transform(rows)
    return np.asarray(encoded.toarray() if hasattr(encoded, "toarray") else encoded, dtype=np.float64)


def _columns(graph: _Graph, step: Any, X: str | None) -> str:
    """Add a ColumnTransformer. Named columns become inputs of the graph."""
    parts = []
    for name, part, _ in step.transformers_:
        indices = step._transformer_to_input_indices[name]
        if part == "drop" or not len(indices):
            continue
        if X is None:
            names = [str(step.feature_names_in_[index]) for index in indices]
            for k, column in enumerate(names):
                graph.add_input(column, 1, is_text=_takes_text(part, k))
            block = graph("Concat", *names, axis=1)
        else:
            block = graph("Gather", X, np.array(indices), axis=1)
        parts.append(block if part == "passthrough" else _convert(graph, part, block))
    return graph("Concat", *parts, axis=1)


def _takes_text(part: Any, k: int) -> bool:
    """Return whether a fitted transformer expects texts in its column number `k`."""
    steps = active_steps(part) if hasattr(part, "steps") else [part]
    return any(hasattr(step, "categories_") and _is_text(step.categories_[k]) for step in steps)


def _is_text(categories: Array) -> bool:
    return any(isinstance(category, str) for category in categories)


def _identity(graph: _Graph, step: Any, X: str) -> str:
    if getattr(step, "func", None) is not None:
        raise ModelError("FunctionTransformer can be exported if its func is None.")
    return graph("Identity", X)


def _to_words(graph: _Graph, step: Any, X: str) -> str:
    empty = require("pandas", "app").DataFrame([[None] * step.n_features_in_], columns=step.feature_names_in_)
    return graph("Where", graph("Equal", X, np.array([""], dtype=object)), step.transform(empty), X)


def _is_missing(graph: _Graph, _: Any, X: str) -> str:
    return graph("Cast", graph("IsNaN", X), to=graph.types.DOUBLE)


LEARNERS = {
    "BDLDL": _linear,
    "BDLDLCV": _linear,  # of its best estimator
    **dict.fromkeys(["SABFGS", "SAIIS", "LDLLC", "LDLSCL", "EDLLRL"], _softmax),
    "MeanDistribution": _mean,
}
STEPS = {
    "KernelFeatures": _kernel_features,
    "StandardScaler": _standard_scaler,
    "SimpleImputer": _imputer,
    "OneHotEncoder": _one_hot,
    "ColumnTransformer": _columns,
    **dict.fromkeys(["FunctionTransformer", "ToNumbers"], _identity),
    "ToWords": _to_words,
    "IsMissing": _is_missing,
}
