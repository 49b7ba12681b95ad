"""Base classes of the label enhancers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist import _validation as validation
from labeldist._compat import Interval, StrOptions
from labeldist._constraints import NON_NEGATIVE, ConstrainedEstimator
from labeldist._solvers.scaling import mean_and_scale, standardise
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.simplex import OUTPUT_MAPS, OutputMap, to_distributions


class LabelEnhancer(TransformerMixin, ConstrainedEstimator, ABC):
    """Base class of the enhancers. Only those with a rule for new rows have `transform`."""

    label_distributions_: Array
    label_names_: list[str]

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Recover the label distributions of the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features. Enhancers that do not use them accept sparse ones.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Logical labels: 1 for the labels that describe the row, 0 for the others.

        Returns
        -------
        self : object
            The fitted enhancer.
        """

    def fit_transform(self, X: Any, y: Any, **fit_params: Any) -> Array:
        """Recover the label distributions of the rows of `X` and return them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Logical labels.
        **fit_params : dict
            Other arguments of ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Label distributions.
        """
        return self.fit(X, y, **fit_params).label_distributions_

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002
        """Return the names of the output columns, which are the labels.

        Parameters
        ----------
        input_features : object, default=None
            Not used.

        Returns
        -------
        ndarray of str
            Names of the labels.
        """
        check_is_fitted(self)
        return np.asarray(self.label_names_, dtype=object)

    def _check_features_and_labels(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Return `X` and the logical labels as float64, and set the names of their columns."""
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        validation.check_rows(X=X, y=y)
        X = validate_data(self, X, **_table_options(self))
        L = validation.label_table(y)
        check_consistent_length(X, L)
        self.label_names_ = validation.label_names(y, L.shape[1])
        return X, validation.check_logical(L)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.transformer_tags.preserves_dtype = []
        return tags


class NewRowsMixin(TransformerMixin):
    """Mixin of the enhancers with a rule for new rows: `_predict` of checked features."""

    def transform(self, X: Any) -> Array:
        """Predict the label distributions of new rows, which need no labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features of the new rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Label distributions.
        """
        check_is_fitted(self)
        return self._predict(validate_data(self, X, reset=False, **_table_options(self)))

    @abstractmethod
    def _predict(self, X: Any) -> Array:
        """Return the label distributions of rows in float64."""


def _table_options(enhancer: Any) -> dict[str, Any]:
    accepts_sparse = get_tags(enhancer).input_tags.sparse
    return {"accept_sparse": "csr" if accepts_sparse else False, "dtype": np.float64}


class ScoringEnhancer(LabelEnhancer):
    """Base class of the enhancers that map scores of standardised features to distributions."""

    _constraints = {
        "output": [StrOptions(set(OUTPUT_MAPS))],
        "sharpness": NON_NEGATIVE,
        "floor": [Interval(Real, 0, 1, closed="both")],
    }

    scale: bool
    output: OutputMap
    sharpness: float
    floor: float
    mean_: Array
    scale_: Array

    def fit(self, X: Any, y: Any) -> Self:
        self._validate_params()
        X, L = self._check_features_and_labels(X, y)
        self.mean_, self.scale_ = mean_and_scale(X, scale=self.scale)
        self._map: dict[str, Any] = {
            "output": self.output,
            "sharpness": self.sharpness,
            "floor": self.floor,
        }
        with threads_for(len(X), len(X)):
            scores = self._score(self._standardised(X), L)
            self.label_distributions_ = self._distributions(scores)
        return self

    @abstractmethod
    def _score(self, X: Array, L: Array) -> Array:
        """Return the scores, (n, c), of standardised rows X with the logical labels L."""

    def _standardised(self, X: Array) -> Array:
        return standardise(X, self.mean_, self.scale_)

    def _distributions(self, scores: Array) -> Array:
        return to_distributions(scores, **self._map)


def accepts_sparse(estimator: Any) -> bool:
    """Return whether an enhancer with an optional part accepts sparse features."""
    if hasattr(estimator, "__sklearn_tags__"):
        return bool(get_tags(estimator).input_tags.sparse)
    return estimator is None
