"""Names and attributes of fitted models, including those inside pipelines and searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from labeldist.exceptions import ModelError


def predict_distributions(model: Any, X: Any) -> Any:
    """Predict label distributions of new rows with a learner or an enhancer.

    Parameters
    ----------
    model : fitted estimator
        A learner, an enhancer with ``transform``, or a pipeline or search that ends in one.
    X : array-like of shape (n_samples, n_features)
        Features.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        One distribution per row.
    """
    predict = getattr(model, "predict", None) or getattr(model, "transform", None)
    if predict is None:
        raise ModelError(
            f"{type(model).__name__} cannot predict new rows: it has label_distributions_ of its training rows only. "
            "Use a learner, BDLE or GLLE."
        )
    return predict(X)


def label_names_of(model: Any) -> list[str]:
    """Return the names of the labels of a fitted model, in the order of its output columns.

    Parameters
    ----------
    model : fitted estimator
        A learner, an enhancer, or a pipeline or search that ends in one.

    Returns
    -------
    list of str
        One name per label.
    """
    check_is_fitted(model)
    names = attribute_of(model, "label_names_")
    if names is None:
        *_, last = layers(model)
        raise ModelError(f"{type(last).__name__} has no label names: it is not a learner or enhancer of labeldist.")
    return list(names)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the features of a fitted model.

    Parameters
    ----------
    model : fitted estimator
        A learner, an enhancer, or a pipeline or search that ends in one.

    Returns
    -------
    list of str or None
        One name per input column, or None if the model was fitted without names.
    """
    check_is_fitted(model)
    names = first_attribute(first_layers(model), "feature_names_in_")
    return None if names is None else [str(name) for name in names]


def layers(model: Any) -> Iterator[Any]:
    """Yield a model and what predicts inside it: the last step of a pipeline, the best estimator of a search, …."""
    return _descend(model, -1)


def first_layers(model: Any) -> Iterator[Any]:
    """Yield a model and what receives its features: as `layers`, but through the first steps of pipelines."""
    return _descend(model, 0)


def attribute_of(model: Any, name: str) -> Any:
    """Return an attribute of the outermost of the `layers` that has it, or None."""
    return first_attribute(layers(model), name)


def first_attribute(parts: Iterator[Any], name: str) -> Any:
    """Return an attribute of the first object that has it, or None."""
    return next((getattr(part, name) for part in parts if hasattr(part, name)), None)


def receiving_part(model: Any) -> Any:
    """Return the innermost part that receives the features of a model."""
    *_, part = first_layers(model)
    return part


def active_steps(pipeline: Any) -> list[Any]:
    """Return the steps of a pipeline without those that pass their input through."""
    return [step for _, step in pipeline.steps if step is not None and step != "passthrough"]


def fitted_part(model: Any) -> Any:
    """Return the fitted estimator inside a search or an `EnhancedLearner`, or None."""
    return getattr(model, "best_estimator_", getattr(model, "learner_", None))


def _descend(model: Any, step: int) -> Iterator[Any]:
    while model is not None:
        yield model
        model = active_steps(model)[step] if hasattr(model, "steps") else fitted_part(model)
