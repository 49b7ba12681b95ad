"""Graphs of the transformers that fill gaps and encode categories, in double precision and with gaps among texts.

skl2onnx has its own. They work in single precision, have no word for a missing text and do not know rare categories;
here a missing text is the empty one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from labeldist._extras import require
from labeldist._tables.preparation import MISSING_WORD, CategoryColumns, IsMissing, ToNumbers, ToWords
from labeldist._typing import Array
from labeldist.exceptions import ModelError
from labeldist.models._graph import DOUBLE, ROW, Operators


def convert_imputer(scope: Any, operator: Any, container: Any) -> None:
    """Fill what is missing: NaN, or the empty text."""
    ops, imputer, X = Operators(), operator.raw_operator, operator.inputs[0]
    marker, is_text = imputer.missing_values, holds_text(X)
    is_nan = isinstance(marker, float) and np.isnan(marker)
    if imputer.add_indicator or not (is_nan or (is_text and marker is None)):
        raise ModelError("A SimpleImputer can be exported if it fills NaN or None and adds no indicator.")
    values = np.array([str(v) for v in imputer.statistics_]) if is_text else imputer.statistics_.astype(np.float64)
    filled = ops("Where", _is_missing(ops, X), values, X)
    known = np.array([value == value for value in imputer.statistics_])
    if not known.all():  # a column without a single value has no statistic, and is left out
        filled = ops("Gather", filled, np.flatnonzero(known), axis=1)
    ops("Identity", filled, output_names=operator.outputs).add_to(scope, container)


def note_imputer_shape(operator: Any) -> None:
    """As many columns as come out, of the type that goes in."""
    rows, columns = operator.inputs[0].get_first_dimension(), len(operator.raw_operator.get_feature_names_out())
    operator.outputs[0].type = type(operator.inputs[0].type)([rows, columns])


def convert_one_hot(scope: Any, operator: Any, container: Any) -> None:
    """Give each category a column of 0 and 1."""
    ops, encoder = Operators(), operator.raw_operator
    columns = [(table, place) for table in operator.inputs for place in range(table.type.shape[1])]
    encoded = []
    for k, (table, place) in enumerate(columns):
        if holds_text(table):
            _refuse_two_gaps(encoder.categories_[k], filled=_is_filled(table))
        column = ops("Gather", table, np.array([place]), axis=1)
        encoded.append(_one_hot(ops, encoder, k, column, holds_text(table)))
    ops("Concat", *encoded, axis=1, output_names=operator.outputs).add_to(scope, container)


def note_one_hot_shape(operator: Any) -> None:
    """As many columns as come out, in double precision."""
    types, encoder = require("skl2onnx.common.data_types", "onnx"), operator.raw_operator
    columns = sum(_groups(encoder, k)[0].shape[1] for k in range(len(encoder.categories_)))
    operator.outputs[0].type = types.DoubleTensorType([operator.inputs[0].get_first_dimension(), columns])


def holds_text(table: Any) -> bool:
    """Whether a variable of skl2onnx holds texts."""
    return isinstance(table.type, require("skl2onnx.common.data_types", "onnx").StringTensorType)


def _is_missing(ops: Operators, X: Any) -> Any:
    return ops("Equal", X, np.array([""])) if holds_text(X) else ops("IsNaN", X)


def _is_filled(table: Any) -> bool:
    """Whether gaps among the texts were given words before, by whichever of the steps on the way here."""
    return any(
        (isinstance(source.raw_operator, SimpleImputer) and set(source.raw_operator.statistics_) != {""})
        or any(map(_is_filled, source.inputs))
        for source in table.operators_outputs_
    )


def _refuse_two_gaps(categories: Array, *, filled: bool) -> None:
    """Refuse categories of texts that the graph, which has one empty text, would take for each other."""
    gaps = [category for category in categories if category == "" or not isinstance(category, str)]
    if len(gaps) + filled <= 1:
        return
    found = " and ".join(map(repr, gaps))
    before = "A SimpleImputer fills the gaps of a column, and yet" if filled else "In one column"
    raise ModelError(
        f"{before} {found} {'are categories' if len(gaps) > 1 else 'is a category'}. An ONNX graph has one word for "
        "what is missing, the empty text, and could not tell them apart; write them alike and fit again."
    )


def _one_hot(ops: Operators, encoder: Any, k: int, column: Any, is_text: bool) -> Any:
    """Encode column number `k`; a category that the encoder would refuse becomes NaN."""
    categories = encoder.categories_[k]
    if is_text:
        words = [word if isinstance(word, str) else "" for word in categories]
        same = ops("Equal", column, np.array([words]))
    else:
        values = np.array([categories], dtype=np.float64)
        both_missing = ops("And", ops("IsNaN", column), np.isnan(values))
        same = ops("Or", ops("Equal", column, values), both_missing)
    found = ops("Cast", same, to=DOUBLE)
    known = ops("ReduceSum", found, ROW, keepdims=1)
    groups, of_unknown = _groups(encoder, k)
    encoded = ops("MatMul", found, groups)
    if encoder.handle_unknown == "error":
        return ops("Div", encoded, known)
    return ops("Add", encoded, ops("MatMul", ops("Sub", np.array([1.0]), known), of_unknown))


def _groups(encoder: Any, k: int) -> tuple[Array, Array]:
    """Return which column each category of column `k` belongs to, as rows of 0 and 1, and that of unknown ones.

    Rare categories share the last column, and so do unknown ones where they are to be taken for rare.
    """
    categories = encoder.categories_[k]
    rare = (getattr(encoder, "infrequent_categories_", None) or [None] * (k + 1))[k]
    is_rare = np.isin(categories, [] if rare is None else rare)
    groups = np.eye(len(categories))[:, ~is_rare]
    of_unknown = np.zeros((1, groups.shape[1]))
    if is_rare.any():
        groups = np.column_stack([groups, is_rare.astype(np.float64)])
        of_unknown = np.append(of_unknown, [[float(encoder.handle_unknown != "ignore")]], axis=1)
    if encoder.drop_idx_ is None or encoder.drop_idx_[k] is None:
        return groups, of_unknown
    kept = groups[encoder.drop_idx_[k]] == 0
    return groups[:, kept], of_unknown[:, kept]


def convert_cells(scope: Any, operator: Any, container: Any) -> None:
    """Take numbers as they are, texts as words, or say which of them are missing."""
    ops, transformer, X = Operators(), operator.raw_operator, operator.inputs[0]
    if isinstance(transformer, ToNumbers):
        cells = X
    elif isinstance(transformer, IsMissing):
        cells = ops("Cast", _is_missing(ops, X), to=DOUBLE)
    else:
        cells = ops("Where", _is_missing(ops, X), np.array([MISSING_WORD]), X)
    ops("Identity", cells, output_names=operator.outputs).add_to(scope, container)


def note_cells_shape(operator: Any) -> None:
    """As many columns as go in: words, or numbers in double precision."""
    types, shape = require("skl2onnx.common.data_types", "onnx"), operator.inputs[0].type.shape
    is_words = isinstance(operator.raw_operator, ToWords)
    operator.outputs[0].type = (types.StringTensorType if is_words else types.DoubleTensorType)(shape)


CONVERTERS = {
    SimpleImputer: convert_imputer,
    **dict.fromkeys([OneHotEncoder, CategoryColumns], convert_one_hot),
    **dict.fromkeys([ToNumbers, ToWords, IsMissing], convert_cells),
}
SHAPES = {
    SimpleImputer: note_imputer_shape,
    **dict.fromkeys([OneHotEncoder, CategoryColumns], note_one_hot_shape),
    **dict.fromkeys([ToNumbers, ToWords, IsMissing], note_cells_shape),
}
