"""Rows that are held out: how a table is split, and what a learner that has not seen a row predicts of it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from labeldist._typing import Array
from labeldist._validation import random_generator

Fold = tuple[Any, Any]
"""Positions of the rows to learn from, and of those that are held out."""


def held_out(
    estimator: Any, X: Any, D: Any, *, cv: Any = 5, sample_weight: Array | None = None, random_state: Any = None
) -> Array:
    """Predict each row by a copy of a learner that has not seen it.

    Parameters
    ----------
    estimator : estimator
        What must not see the row either, such as what prepares the features, belongs into it; see `prepared`.
    X : array-like, table or sparse matrix of shape (n_samples, n_features)
    D : array-like of shape (n_samples, n_labels)
    cv : int or splitter, default=5
        An int is that many shuffled folds, or as many as there are rows; a splitter must hold each row out once.
    sample_weight : array-like of shape (n_samples,), default=None
        For those parts of the learner that take weights.
    random_state : int, RandomState instance or None, default=None
        How folds are drawn.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
    """
    from sklearn.model_selection import cross_val_predict

    folds = split_rows(X, D, cv, random_generator(random_state))
    return np.asarray(cross_val_predict(estimator, X, D, cv=folds, params=_weights_for(estimator, sample_weight)))


def split_rows(X: Any, D: Any, cv: Any, random: np.random.RandomState) -> list[Fold]:
    """Return the folds of a splitter, or so many that are shuffled: at least two."""
    from sklearn.model_selection import KFold

    n = len(D)
    if n < 2:
        raise ValueError(f"No row can be held out of {n} row(s): at least two are needed.")
    if isinstance(cv, Integral):
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random.randint(2**31))
    elif not hasattr(cv, "get_n_splits"):
        raise TypeError(f"cv must be a number of folds or a splitter such as KFold(5); got {cv!r}.")
    folds = list(cv.split(X, D))
    if len(folds) < 2:
        raise ValueError(
            f"cv must split the rows at least twice, or nothing tells how far scores vary by chance; got {cv!r}."
        )
    return folds


def take_rows(table: Any, rows: Any) -> Any:
    """Return some rows of a table of any kind."""
    # Private to scikit-learn, but nothing public takes rows of pandas, polars, sparse matrices and lists alike.
    return _safe_indexing(table, rows)


def prepared(prepare: Any, learner: Any) -> Any:
    """Put a transformer, if there is one, before a learner or a pipeline: it is then fitted on the same rows."""
    if prepare is None:
        return learner
    from sklearn.pipeline import Pipeline

    steps = learner.steps if isinstance(learner, Pipeline) else [(type(learner).__name__.lower(), learner)]
    return Pipeline([("prepare", prepare), *steps])


def fit_weighted(estimator: Any, X: Any, y: Any, weight: Array | None) -> Any:
    """Fit a learner, or a pipeline that ends in one, with weights for those parts that take them."""
    return estimator.fit(X, y, **_weights_for(estimator, weight))


def takes_weights(estimator: Any) -> bool:
    """Whether a learner, or the one that a pipeline ends in, counts rows by their weight when it is fitted."""
    _, last = _parts(estimator)[-1]
    return bool(has_fit_parameter(last, "sample_weight"))


def _weights_for(estimator: Any, weight: Array | None) -> dict[str, Array]:
    if weight is None:
        return {}
    takers = [
        name for name, part in _parts(estimator) if hasattr(part, "fit") and has_fit_parameter(part, "sample_weight")
    ]
    return {f"{name}sample_weight": weight for name in takers}


def _parts(estimator: Any) -> list[tuple[str, Any]]:
    """Return an estimator's steps, with what their arguments begin with, or itself if it has none."""
    if hasattr(estimator, "steps"):
        return [(f"{name}__", step) for name, step in estimator.steps]
    return [("", estimator)]
