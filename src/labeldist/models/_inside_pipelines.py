"""Names of the labels and features of fitted models, including those inside pipelines."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from labeldist._pipelines import attribute_of, layers
from labeldist.exceptions import ModelError


def label_names_of(model: Any) -> list[str]:
    """Return the names of the labels of a fitted model, in the order of its output columns."""
    check_is_fitted(model)
    names = attribute_of(model, "label_names_")
    if names is None:
        *_, learner = layers(model)
        raise ModelError(f"{type(learner).__name__} is not a learner or enhancer of labeldist.")
    return list(names)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the features of a fitted model; None if it was fitted without names."""
    check_is_fitted(model)
    names = attribute_of(model, "feature_names_in_", step=0)
    return None if names is None else [str(name) for name in names]
