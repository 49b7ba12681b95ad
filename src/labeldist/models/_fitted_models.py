"""Names and attributes of fitted models, including those inside pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from labeldist._pipelines import attribute_of, layers
from labeldist.exceptions import ModelError


def predict_distributions(model: Any, X: Any) -> Any:
    """Predict label distributions of new rows with a learner or an enhancer."""
    predict = getattr(model, "predict", None) or getattr(model, "transform", None)
    if predict is None:
        name = type(model).__name__
        raise ModelError(f"{name} cannot predict new rows. Use a learner, BDLE or GLLE.")
    try:
        P = predict(X)
        n_labels = len(label_names_of(model))
    except NotFittedError:
        raise
    except AttributeError as error:  # such as a file without coef_
        raise ModelError(f"The model is incomplete: {error}.") from error
    except TypeError as error:  # such as a file with text as coef_
        if "ufunc" not in str(error):
            raise
        raise ModelError(f"The model has data of a wrong type: {error}.") from error
    if np.shape(P)[1:] != (n_labels,):
        found = f"{np.shape(P)[1:]} outputs for {n_labels} labels"
        raise ModelError(f"The model is damaged: it has {found}.")
    return P


def label_names_of(model: Any) -> list[str]:
    """Return the names of the labels of a fitted model, in the order of its output columns."""
    check_is_fitted(model)
    names = attribute_of(model, "label_names_")
    if names is None:
        *_, learner = layers(model)
        raise ModelError(f"{type(learner).__name__} is not a learner or enhancer of labeldist.")
    return list(names)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the features of a fitted model, None if it was fitted without names."""
    check_is_fitted(model)
    names = attribute_of(model, "feature_names_in_", step=0)
    return None if names is None else [str(name) for name in names]
