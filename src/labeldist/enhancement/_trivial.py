"""Trivial enhancers that use no features, as baselines."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, Self

import numpy as np
from scipy.optimize import brentq

from labeldist._compat import StrOptions
from labeldist._constraints import NON_NEGATIVE
from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.enhancement._enhancer import LabelEnhancer
from labeldist.exceptions import LabelWarning, warn
from labeldist.simplex import softmax

# The sum that the degrees of positive labels exceed: the default of `labeldist.datasets.binarize`.
THRESHOLD = 0.5
MAX_SHARPNESS = 30.0  # beyond it, softmax equals division by the row sum up to rounding


class FeatureFreeEnhancer(LabelEnhancer):
    """Base class of the enhancers that ignore the features, and therefore accept sparse ones."""

    def fit(self, X: Any, y: Any) -> Self:
        self._validate_params()
        _, L = self._check_features_and_labels(X, y)
        self.label_distributions_ = self._recover(L)
        return self

    @abstractmethod
    def _recover(self, L: Array) -> Array:
        """Return the distributions of rows with the logical labels L."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Uniform(FeatureFreeEnhancer):
    """Give every label the same degree.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.

    See Also
    --------
    LogicalSoftmax : The trivial enhancer that uses the labels.

    Examples
    --------
    >>> from labeldist.enhancement import Uniform
    >>> Uniform().fit_transform([[0.0], [1.0]], [[1, 0], [0, 1]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    def _recover(self, L: Array) -> Array:
        return np.full(L.shape, 1 / L.shape[1])


class LogicalSoftmax(FeatureFreeEnhancer):
    """Softmax of the logical labels themselves, ``softmax(sharpness * L)``.

    Parameters
    ----------
    sharpness : float or "threshold", default=1.0
        A positive label has exp(sharpness) times the degree of a negative one.
        ``"threshold"`` estimates the sharpness from the rule by which logical labels are made; see
        Notes.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    sharpness_ : float
        The sharpness that was used.

    See Also
    --------
    labeldist.BayesLE : The enhancer that models how degrees become tags.

    Notes
    -----
    `labeldist.datasets.binarize` tags the largest degrees of a row until their sum exceeds 0.5, so
    the positive labels have a mass between 0.5 and 0.5 plus the smallest of their degrees.
    ``sharpness="threshold"`` is the t ≥ 0 at which the mass is in the middle on average: the mean
    of (mass − ½ smallest positive degree) is 0.5 over the rows that have both positive and negative
    labels.

    With five labels or more it is close to the best sharpness. With fewer, such a t may not exist.
    Then t = 1, and a `LabelWarning` is issued.

    Examples
    --------
    >>> from labeldist.enhancement import LogicalSoftmax
    >>> LogicalSoftmax().fit_transform([[0.0], [1.0]], [[1, 0], [0, 1]]).round(3)
    array([[0.731, 0.269],
           [0.269, 0.731]])
    """

    _constraints = {"sharpness": [*NON_NEGATIVE, StrOptions({"threshold"})]}

    def __init__(self, sharpness: float | Literal["threshold"] = 1.0) -> None:
        self.sharpness = sharpness

    def _recover(self, L: Array) -> Array:
        if self.sharpness == "threshold":
            self.sharpness_ = threshold_sharpness(L)
        else:
            self.sharpness_ = float(self.sharpness)
        return softmax(L, sharpness=self.sharpness_)


def threshold_sharpness(L: Array) -> float:
    """Return the t ≥ 0 at which softmax(tL) agrees with the threshold of the logical labels L.

    Return 1 with a warning if there is none. If no row has both positive and negative labels, t has
    no effect and is 1.
    """
    positive = L > 0
    mixed = positive.any(axis=1) & ~positive.all(axis=1)
    if not mixed.any():
        return 1.0
    L = L[mixed]
    positive = positive[mixed]

    def excess(t: float) -> float:
        D = softmax(L, sharpness=t)
        mass = D.sum(axis=1, where=positive)
        smallest = D.min(axis=1, where=positive, initial=1.0)
        return float((mass - smallest / 2).mean() - THRESHOLD)

    if excess(0.0) <= 0 and excess(MAX_SHARPNESS) > np.sqrt(EPSILON):
        return float(brentq(excess, 0, MAX_SHARPNESS, xtol=1e-14))
    message = (
        f"No sharpness agrees with the threshold {THRESHOLD:g} of the logical labels: the positive "
        "labels exceed it in any case, or too many rows have a single one. sharpness=1 is used."
    )
    warn(message, LabelWarning)
    return 1.0
