"""Cross-validation of estimators on tables of any kind, with sample weights."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from labeldist._compat import _safe_indexing
from labeldist._typing import Array
from labeldist._validation import random_generator

Fold = tuple[Any, Any]
"""Positions of the training rows and of the held-out rows."""


def held_out(
    estimator: Any, X: Any, D: Any, *, cv: Any = 5, sample_weight: Array | None = None, random_state: Any = None
) -> Array:
    """Predict each row with a copy of `estimator` that was fitted without it.

    Preprocessing must be part of the estimator; see `prepared`. `cv` is a number of shuffled folds, at most one per
    row, or a splitter that holds out each row once. Weights are passed to the steps that accept them.
    """
    from sklearn.model_selection import cross_val_predict

    folds = split_rows(X, D, cv, random_generator(random_state))
    return np.asarray(cross_val_predict(estimator, X, D, cv=folds, params=_weights_for(estimator, sample_weight)))


def split_rows(X: Any, D: Any, cv: Any, random: np.random.RandomState) -> list[Fold]:
    """Return the folds of a splitter, or the given number of shuffled folds; at least two."""
    from sklearn.model_selection import KFold

    n = len(D)
    if n < 2:
        raise ValueError(f"Cross-validation needs at least two rows; got {n}.")
    if isinstance(cv, Integral):
        cv = KFold(min(int(cv), n), shuffle=True, random_state=random.randint(2**31))
    elif not hasattr(cv, "get_n_splits"):
        raise TypeError(f"cv must be a number of folds or a splitter such as KFold(5); got {cv!r}.")
    folds = list(cv.split(X, D))
    if len(folds) < 2:
        raise ValueError(
            f"cv must make at least two splits, so that the spread of scores can be estimated; got {cv!r}."
        )
    return folds


def take_rows(table: Any, rows: Any) -> Any:
    """Return some rows of an array, a sparse matrix, a list or a data frame."""
    return _safe_indexing(table, rows)


def prepared(prepare: Any, learner: Any) -> Any:
    """Return a pipeline of a transformer, if it is not None, and a learner or the steps of another pipeline."""
    if prepare is None:
        return learner
    from sklearn.pipeline import Pipeline

    steps = learner.steps if isinstance(learner, Pipeline) else [(type(learner).__name__.lower(), learner)]
    return Pipeline([("prepare", prepare), *steps])


def fit_weighted(estimator: Any, X: Any, y: Any, weight: Array | None) -> Any:
    """Fit a learner or a pipeline, and pass the weights to the steps that accept them."""
    return estimator.fit(X, y, **_weights_for(estimator, weight))


def takes_weights(estimator: Any) -> bool:
    """Return whether a learner, or the last step of a pipeline, accepts sample weights in `fit`."""
    _, last = _steps(estimator)[-1]
    return bool(has_fit_parameter(last, "sample_weight"))


def _weights_for(estimator: Any, weight: Array | None) -> dict[str, Array]:
    if weight is None:
        return {}
    steps = [(prefix, step) for prefix, step in _steps(estimator) if hasattr(step, "fit")]
    return {f"{prefix}sample_weight": weight for prefix, step in steps if has_fit_parameter(step, "sample_weight")}


def _steps(estimator: Any) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline with the prefixes of their fit parameters, or the estimator itself."""
    if hasattr(estimator, "steps"):
        return [(f"{name}__", step) for name, step in estimator.steps]
    return [("", estimator)]
