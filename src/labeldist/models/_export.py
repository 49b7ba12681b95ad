"""Export a model to ONNX, which other runtimes and languages serve."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist.exceptions import LabelDistError, ModelError
from labeldist.learning import EnhancedLearner
from labeldist.models._card import ModelCard, card_of
from labeldist.models._converters import LEARNERS, for_skl2onnx
from labeldist.models._graph import Operators
from labeldist.models._wrapping import answering_part, inner, layers, receiving_part, working_steps

INPUT, OUTPUT = "features", "distributions"
"""What the graph calls its table of features and its answer."""


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
    force: bool = False,
) -> Any:
    """Return a fitted model as an ONNX graph, and write it to `path` if one is given.

    The graph computes in double precision what the model computes, and has the model's card in its metadata, beside the
    names of labels and features.

    Parameters
    ----------
    model : fitted estimator
        BDLDL, BDLDLCV, SABFGS, SAIIS, LDLLC, LDLSCL, EDLLRL, AABP, DistributionForest, MeanDistribution, an
        EnhancedLearner around one of them, BDLE and GLLE with their rule for new rows, and a pipeline of these with
        `KernelFeatures` or preprocessing that skl2onnx knows.
    path : str or path, default=None
        The file appears whole or not at all.
    summary, measures, training_rows
        For the card, as in `save`.
    force : bool, default=False
        Whether a file that is there may be replaced.

    Returns
    -------
    onnx.ModelProto
        Its input is ``features``, a float64 tensor of shape (rows, features). If the model begins with a
        ``ColumnTransformer`` on columns with names, every column that it uses is an input of shape (rows, 1) with that
        name, float64 or text; a missing text is the empty one. Its output is ``distributions``, float64 of shape
        (rows, labels).

    Raises
    ------
    ModelError
        If the model, or a step before it, cannot be exported.

    Examples
    --------
    >>> from onnxruntime import InferenceSession
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.models import to_onnx
    >>> X, D = make_artificial(100, random_state=0)
    >>> model = BDLDL().fit(X, D)
    >>> session = InferenceSession(to_onnx(model).SerializeToString())
    >>> (degrees,) = session.run(None, {"features": X})
    >>> abs(degrees - model.predict(X)).max() < 1e-12
    np.True_
    """
    if path is not None:
        check_free(path, force=force)
    card = card_of(model, summary=summary, measures=measures, training_rows=training_rows)
    served = _served(model)
    _refuse_unknown(served)
    inputs = _inputs(served, card)
    output = OUTPUT
    while output in dict(inputs):
        output += "_"
    try:
        graph = require("skl2onnx", "onnx").convert_sklearn(
            served,
            name=type(model).__name__,
            initial_types=inputs,
            final_types=[(output, None)],
            target_opset=Operators.VERSION,
            **for_skl2onnx(),
        )
    except LabelDistError:
        raise
    except Exception as error:  # skl2onnx has many for what it does not know
        raise ModelError(f"{type(model).__name__} cannot be exported to ONNX: {_first_line(error)}") from error
    _restore_names(graph.graph, [name for name, _ in inputs])
    _check(graph)
    graph.producer_name, graph.producer_version = "labeldist", card.versions["labeldist"]
    require("onnx.helper", "onnx").set_model_props(graph, _metadata(card))
    if path is not None:
        write_whole(path, graph.SerializeToString(), overwrite=force)
    return graph


def exportable(estimator: Any) -> bool:
    """Whether `to_onnx` knows the learner, or enhancer, in an estimator, fitted or not; steps before it are not asked.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from labeldist import BDLDL
    >>> from labeldist.learning import AAKNN
    >>> exportable(make_pipeline(StandardScaler(), BDLDL())), exportable(AAKNN())
    (True, False)
    """
    parts = list(layers(estimator))
    if isinstance(parts[-1], EnhancedLearner):  # not fitted; without a learner it takes BDLDL
        return parts[-1].learner is None or exportable(parts[-1].learner)
    if hasattr(parts[-1], "estimator"):  # a search, not fitted
        return exportable(parts[-1].estimator)
    return any(type(part) in LEARNERS and not callable(getattr(part, "kernel", None)) for part in parts)


def _restore_names(graph: Any, names: list[str]) -> None:
    """Call inputs as the columns are called: skl2onnx makes identifiers of them, ONNX takes any text."""
    renamed = {entry.name: name for entry, name in zip(graph.input, names, strict=True) if entry.name != name}
    for entry in graph.input:
        entry.name = renamed.get(entry.name, entry.name)
    for node in graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]


def _check(graph: Any) -> None:
    """Refuse a graph that no runtime takes: some converters of skl2onnx mix single and double precision."""
    try:
        require("onnx.checker", "onnx").check_model(graph, full_check=True)
    except Exception as error:
        raise ModelError(
            "Of a step before the learner skl2onnx makes a graph that is not valid; put another one in its place. "
            f"{_first_line(error)}"
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _served(model: Any) -> Any:
    """Return what answers at prediction: without enhancers and searches, which have done their work."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, _served(step)) for name, step in working_steps(model)])
    if type(model) not in LEARNERS and inner(model) is not None:
        return _served(inner(model))
    if isinstance(model, ColumnTransformer) and hasattr(model, "feature_names_in_"):
        return _by_name(model)
    return model


def _by_name(columns: ColumnTransformer) -> ColumnTransformer:
    """Return a column transformer that calls its columns by name, however it was told them."""
    named = copy(columns)
    indices, names = columns._transformer_to_input_indices, columns.feature_names_in_
    named.transformers_ = [
        (name, _served(step), [str(names[i]) for i in indices[name]]) for name, step, _ in columns.transformers_
    ]
    return named


def _refuse_unknown(model: Any) -> None:
    model = answering_part(model)
    if type(model) not in LEARNERS:
        known = ", ".join(sorted(kind.__name__ for kind in LEARNERS))
        raise ModelError(
            f"{type(model).__name__} cannot be exported to ONNX. These can, alone or behind preprocessing: {known}."
        )


def _inputs(model: Any, card: ModelCard) -> list[tuple[str, Any]]:
    """Return the name and type of each input: one for the table, or one for each named column."""
    types = require("skl2onnx.common.data_types", "onnx")
    first = receiving_part(model)
    if not isinstance(first, ColumnTransformer) or card.feature_names is None:
        return [(INPUT, types.DoubleTensorType([None, card.n_features]))]
    holds_text = dict(_column_kinds(first))
    return [
        (name, (types.StringTensorType if holds_text[name] else types.DoubleTensorType)([None, 1]))
        for name in card.feature_names
        if name in holds_text
    ]


def _column_kinds(columns: ColumnTransformer) -> Iterator[tuple[str, bool]]:
    """Yield the name of each column that is used, and whether it holds text."""
    for _, transformer, names in columns.transformers_:
        if transformer != "drop":
            yield from ((name, _takes_text(transformer, position)) for position, name in enumerate(names))


def _takes_text(transformer: Any, position: int) -> bool:
    """Whether what a fitted transformer has learned of a column are texts."""
    steps = [step for _, step in transformer.steps] if isinstance(transformer, Pipeline) else [transformer]
    for step in steps:
        if hasattr(step, "categories_"):
            return any(isinstance(category, str) for category in step.categories_[position])
        if hasattr(step, "statistics_") and step.statistics_[position] is not None:  # what fills gaps may be one
            return isinstance(step.statistics_[position], str)
    return False


def _metadata(card: ModelCard) -> dict[str, str]:
    names = {"label_names": card.label_names, "feature_names": card.feature_names}
    return {"card": card.to_json(), **{name: json.dumps(value, ensure_ascii=False) for name, value in names.items()}}
