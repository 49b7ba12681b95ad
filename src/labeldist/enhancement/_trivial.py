"""The enhancers that use no feature at all: what every other has to beat."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq

from labeldist._compat import Interval, StrOptions
from labeldist._typing import EPSILON, Array
from labeldist.enhancement._enhancer import LabelEnhancer
from labeldist.exceptions import LabelWarning, warn
from labeldist.simplex import softmax

THRESHOLD = 0.5
"""The mass that `labeldist.datasets.binarize`, and with it the literature, asks of the positive labels."""

LARGEST_TEMPERATURE = 30.0
"""Here softmax of logical labels is down to rounding from dividing them by their sum."""


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

    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012  # scikit-learn's name and form

    def fit(self, X: Any, y: Any) -> Uniform:
        """Note the number of rows and labels."""
        L = self._logical_labels(X, y)
        self.label_distributions_ = np.full(L.shape, 1 / L.shape[1])
        return self


class LogicalSoftmax(FeatureBlindEnhancer):
    """Softmax of the logical labels themselves, ``softmax(sharpness * L)``.

    Parameters
    ----------
    sharpness : float or "threshold", default=1.0
        How much more a positive label weighs than a negative one: their degrees are as exp(sharpness) to 1, so that
        larger is more pointed. ``"threshold"`` finds the sharpness that agrees with how logical labels are made from
        distributions; see Notes.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str
    sharpness_ : float
        The sharpness that was used.

    Notes
    -----
    `labeldist.datasets.binarize` takes the largest degrees of a row until their sum exceeds 0.5, so the mass on a row's
    positive labels lies between 0.5 and 0.5 plus the smallest of them. ``sharpness="threshold"`` is the t ≥ 0 that
    puts it in the middle, on average: mean of (mass − ½ smallest positive degree) = 0.5 over the rows that have both
    positive and negative labels.

    With five labels or more it is close to the best sharpness there is (Yeast_alpha: 0.14; SBU_3DFE: 0.78). With
    fewer the interval is too wide to say much, and there may be no such t: a row with a single positive label pulls t
    up without end, one with most labels on down to less than 0. Then a warning tells, and t = 1.

    Examples
    --------
    >>> from labeldist.enhancement import LogicalSoftmax
    >>> LogicalSoftmax().fit_transform([[0.0], [1.0]], [[1, 0], [0, 1]]).round(3)
    array([[0.731, 0.269],
           [0.269, 0.731]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "sharpness": [Interval(Real, 0, None, closed="left"), StrOptions({"threshold"})]
    }

    def __init__(self, sharpness: float | Literal["threshold"] = 1.0) -> None:
        self.sharpness = sharpness

    def fit(self, X: Any, y: Any) -> LogicalSoftmax:
        """Map the logical labels."""
        self._validate_params()
        L = self._logical_labels(X, y)
        self.sharpness_ = threshold_sharpness(L) if self.sharpness == "threshold" else float(self.sharpness)
        self.label_distributions_ = softmax(L, sharpness=self.sharpness_)
        return self


def threshold_sharpness(L: Array) -> float:
    """Return the t ≥ 0 at which softmax(tL) agrees with the threshold of the logical labels L, or 1 with a warning.

    Over the rows with both positive and negative labels, mean of (mass on the positive labels − ½ the smallest degree
    among them) = 0.5 at that t. Where no row is such, t changes nothing, and is 1.
    """
    positive = L > 0
    telling = positive.any(axis=1) & ~positive.all(axis=1)
    if not telling.any():
        return 1.0
    L, positive = L[telling], positive[telling]

    def excess(t: float) -> float:
        D = softmax(L, sharpness=t)
        mass = D.sum(axis=1, where=positive)
        smallest = D.min(axis=1, where=positive, initial=1.0)
        return float((mass - smallest / 2).mean() - THRESHOLD)

    low, high = excess(0.0), excess(LARGEST_TEMPERATURE)
    if low <= 0 and high > np.sqrt(EPSILON):
        return float(brentq(excess, 0, LARGEST_TEMPERATURE, xtol=1e-14))
    cause = (
        "the positive labels have that much mass at any sharpness"
        if low > 0
        else "too many rows have a single positive label, which would pull the sharpness up without end"
    )
    warn(
        f"No sharpness agrees with the threshold {THRESHOLD:g} of the logical labels: {cause}. sharpness=1 is "
        "used; pass a number to choose another.",
        LabelWarning,
    )
    return 1.0
