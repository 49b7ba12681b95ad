"""What a trusted type must not hold: values that would make it write, read or call what a file has chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from labeldist.exceptions import ModelError


def check_sound(model: Any) -> None:
    """Refuse a model of which a part would do more than compute, when it is asked or fitted again."""
    for part in _parts(model):
        name = type(part).__name__
        if isinstance(part, Pipeline) and vars(part).get("memory") is not None:
            raise ModelError(
                f"{name} has a memory, a folder where it would write and read pickles, which execute code. A file must "
                "not name one: set memory=None before you save."
            )
        if isinstance(part, FunctionTransformer) and not all(
            function is None or isinstance(function, np.ufunc)
            for function in (vars(part).get("func"), vars(part).get("inverse_func"))
        ):
            raise ModelError(f"{name} holds a function that is none of NumPy's (a ufunc).")
        if isinstance(part, OneHotEncoder) and "categories_" in vars(part) and not _fits_its_columns(part):
            raise ModelError(f"{name} would write into columns that it does not have.")


def _parts(model: Any) -> Iterator[Any]:
    """Yield every object with attributes that a model consists of, wherever it is kept."""
    waiting, seen = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set) or (isinstance(part, np.ndarray) and part.dtype.hasobject):
            waiting.extend(part)
        elif hasattr(part, "__dict__") and not isinstance(part, type):
            yield part
            waiting.extend(vars(part).values())


def _fits_its_columns(encoder: Any) -> bool:
    """Whether no category can lead to a column beyond those that come out: scikit-learn does not look."""
    mappings = [None] * len(encoder.categories_)
    rare = mappings
    if encoder._infrequent_enabled:
        mappings, rare = encoder._default_to_infrequent_mappings, encoder._infrequent_indices
    dropped = encoder._drop_idx_after_grouping
    dropped = [None] * len(encoder.categories_) if dropped is None else list(dropped)
    per_column = (encoder.categories_, mappings, rare, dropped, encoder._n_features_outs)
    if len({len(values) for values in per_column}) > 1:
        return False
    return all(_column_fits(*values) for values in zip(*per_column, strict=True))


def _column_fits(categories: Any, mapping: Any, rare: Any, drop: Any, width: int) -> bool:
    places = np.arange(len(categories)) if mapping is None else np.asarray(mapping)
    if (mapping is None) != (rare is None) or len(places) != len(categories) or not len(places):
        return False
    is_float = categories.dtype.kind == "f"
    # Numbers are looked up by bisection, which in a list that is not sorted ends anywhere; words in a dictionary.
    in_order = categories.dtype.hasobject or np.array_equal(np.unique(categories), categories, equal_nan=is_float)
    last = int(places.max()) - (drop is not None)
    return bool(in_order and places.min() >= 0 and last < width and (drop is None or 0 <= drop <= places.max()))
