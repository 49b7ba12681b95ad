"""What a model says of new rows, whatever kind it is."""

from __future__ import annotations

from typing import Any

from labeldist.exceptions import ModelError


def answers(model: Any, X: Any) -> Any:
    """Return label distributions of the rows of `X`: what a learner predicts, or an enhancer recovers.

    Parameters
    ----------
    model : fitted learner, enhancer, or a pipeline or search that ends in one
    X : array-like of shape (n_samples, n_features)

    Raises
    ------
    ModelError
        If the model has no rule for new rows.

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(100, random_state=0)
    >>> answers(BDLE().fit(X, binarize(D)), X[:2]).shape
    (2, 3)
    """
    answer = getattr(model, "predict", None) or getattr(model, "transform", None)
    if answer is None:
        raise ModelError(
            f"{type(model).__name__} answers for the rows it was fitted on only, by its label_distributions_. For new "
            "rows take a learner, or BDLE or GLLE."
        )
    return answer(X)
