"""Names and attributes of fitted models, including those inside pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from labeldist._pipelines import attribute_of, layers
from labeldist.exceptions import ModelError


def predict_distributions(model: Any, X: Any) -> Any:
    """Predict label distributions of new rows with a learner or an enhancer.

    Parameters
    ----------
    model : fitted learner, enhancer with ``transform``, or pipeline or search that ends in one
        The model.
    X : array-like of shape (n_samples, n_features)
        Features of the new rows.

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
    >>> model = BDLE().fit([[0.0], [1.0], [3.0]], [[1, 0], [1, 1], [0, 1]])
    >>> predict_distributions(model, [[2.0]]).round(2)
    array([[0.31, 0.69]])
    """
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
    """Return the names of the labels of a fitted model, in the order of its output columns.

    Parameters
    ----------
    model : fitted learner, enhancer, or pipeline or search that ends in one
        The model.

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
        *_, learner = layers(model)
        raise ModelError(f"{type(learner).__name__} is not a learner or enhancer of labeldist.")
    return list(names)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the features of a fitted model.

    Parameters
    ----------
    model : fitted learner, enhancer, or pipeline or search that ends in one
        The model.

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
