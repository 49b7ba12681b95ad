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
    model : fitted learner, enhancer with ``transform``, or pipeline or search that ends in one
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        One distribution per row.

    See Also
    --------
    label_names_of : Names of the columns of the result.

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.models import predict_distributions
    >>> predict_distributions(BDLE().fit([[0.0], [1.0], [3.0]], [[1, 0], [1, 1], [0, 1]]), [[2.0]]).shape
    (1, 2)
    """
    predict = getattr(model, "predict", None) or getattr(model, "transform", None)
    if predict is None:
        raise ModelError(f"{type(model).__name__} cannot predict new rows. Use a learner, BDLE or GLLE.")
    return predict(X)


def label_names_of(model: Any) -> list[str]:
    """Return the names of the labels of a fitted model, in the order of its output columns.

    Parameters
    ----------
    model : fitted learner, enhancer, or pipeline or search that ends in one

    Returns
    -------
    list of str
        One name per label.

    See Also
    --------
    feature_names_of : Names of the features.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.models import label_names_of
    >>> label_names_of(BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]))
    ['label_0', 'label_1']
    """
    check_is_fitted(model)
    names = attribute_of(model, "label_names_")
    if names is None:
        raise ModelError(f"{type(list(layers(model))[-1]).__name__} is not a learner or enhancer of labeldist.")
    return list(names)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the features of a fitted model.

    Parameters
    ----------
    model : fitted learner, enhancer, or pipeline or search that ends in one

    Returns
    -------
    list of str or None
        One name per input column, or None if the model was fitted without names.

    See Also
    --------
    label_names_of : Names of the labels.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist import BDLDL
    >>> from labeldist.models import feature_names_of
    >>> feature_names_of(BDLDL().fit(pd.DataFrame({"age": [30, 40]}), [[0.2, 0.8], [0.6, 0.4]]))
    ['age']
    """
    check_is_fitted(model)
    names = attribute_of(model, "feature_names_in_", step=0)
    return None if names is None else [str(name) for name in names]


def layers(model: Any, step: int = -1) -> Iterator[Any]:
    """Yield a model and what predicts inside it, or with ``step=0`` what receives the features."""
    while model is not None:
        yield model
        model = active_steps(model)[step] if hasattr(model, "steps") else fitted_part(model)


def attribute_of(model: Any, name: str, step: int = -1) -> Any:
    """Return an attribute of the outermost of the `layers` that has it, or None."""
    return next((getattr(part, name) for part in layers(model, step) if hasattr(part, name)), None)


def active_steps(pipeline: Any) -> list[Any]:
    """Return the steps of a pipeline without those that pass their input through."""
    return [step for _, step in pipeline.steps if step is not None and step != "passthrough"]


def fitted_part(model: Any) -> Any:
    """Return the fitted estimator inside a search, an `EnhancedLearner` or a `ConformalLearner`, or None."""
    return getattr(model, "best_estimator_", getattr(model, "learner_", None))
