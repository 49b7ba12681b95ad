"""The enhancers that use no feature at all: what every other has to beat."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from labeldist.enhancement.base import LabelEnhancer
from labeldist.simplex import softmax


class Uniform(LabelEnhancer):
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
        _, L = self._check_features_and_labels(X, y)
        self.label_distributions_ = np.full(L.shape, 1 / L.shape[1])
        return self


class LogicalSoftmax(LabelEnhancer):
    """Softmax of the logical labels themselves, ``softmax(temperature * L)``.

    Parameters
    ----------
    temperature : float, default=1.0
        How much more a positive label weighs than a negative one: their degrees are as exp(temperature) to 1.

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
        _, L = self._check_features_and_labels(X, y)
        self.label_distributions_ = softmax(L, temperature=self.temperature)
        return self
