"""Predictions of models from files, which may be damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from labeldist.exceptions import ModelError
from labeldist.models import ModelCard


def predict_distributions(model: Any, X: Any) -> Any:
    """Predict label distributions of new rows with a learner or an enhancer."""
    predict = getattr(model, "predict", None) or getattr(model, "transform", None)
    if predict is None:
        name = type(model).__name__
        raise ModelError(f"{name} cannot predict new rows. Use a learner, BDLE or GLLE.")
    try:
        P = predict(X)
        n_labels = len(ModelCard.of(model).label_names)
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
