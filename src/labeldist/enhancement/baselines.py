"""The enhancers that use no feature at all: what every other has to beat."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from labeldist.enhancement.base import LabelEnhancer
from labeldist.simplex import Array, softmax


class FeatureBlindEnhancer(LabelEnhancer):
    """Base of the enhancers that look at no feature, and so take sparse ones as well."""

    def _logical_labels(self, X: Any, y: Any) -> Array:
        return self._check_features_and_labels(X, y, accept_sparse=True)[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Uniform(FeatureBlindEnhancer):
    """Give every label the same degree.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str

    Examples
    --------
    >>> from labeldist.enhancement import Uniform
    >>> Uniform().fit_transform([[0.0], [1.0]], [[1, 0], [0, 1]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    def fit(self, X: Any, y: Any) -> Uniform:
        """Note the number of rows and labels."""
        L = self._logical_labels(X, y)
        self.label_distributions_ = np.full(L.shape, 1 / L.shape[1])
        return self


class LogicalSoftmax(FeatureBlindEnhancer):
    """Softmax of the logical labels themselves, ``softmax(temperature * L)``.

    Parameters
    ----------
    temperature : float, default=1.0
        How much more a positive label weighs than a negative one: their degrees are as exp(temperature) to 1, so that
        larger is more pointed.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str

    Examples
    --------
    >>> from labeldist.enhancement import LogicalSoftmax
    >>> LogicalSoftmax().fit_transform([[0.0], [1.0]], [[1, 0], [0, 1]]).round(3)
    array([[0.731, 0.269],
           [0.269, 0.731]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "temperature": [Interval(Real, 0, None, closed="left")]
    }

    def __init__(self, temperature: float = 1.0) -> None:
        self.temperature = temperature

    def fit(self, X: Any, y: Any) -> LogicalSoftmax:
        """Map the logical labels."""
        self._validate_params()
        L = self._logical_labels(X, y)
        self.label_distributions_ = softmax(L, temperature=self.temperature)
        return self
