"""Learners that ignore the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import StrOptions, _num_samples
from labeldist._typing import Array
from labeldist.learning._learner import ONLY_NAMES, DistributionLearner, SampleWeightMixin
from labeldist.metrics import MEASURES
from labeldist.metrics._best_constants import best_constant


class MeanDistribution(SampleWeightMixin, DistributionLearner):
    """Predict the mean of the training distributions for every row.

    This is the trivial baseline: its score on the training rows is 0.

    Attributes
    ----------
    mean_ : ndarray of shape (n_labels,)
        The (weighted) mean of the training distributions.

    See Also
    --------
    labeldist.enhancement.Uniform : The trivial baseline of label enhancement.

    Examples
    --------
    >>> from labeldist.learning import MeanDistribution
    >>> MeanDistribution().fit([[0.0], [1.0]], [[0.5, 0.5], [1.0, 0.0]]).predict([[7.0]])
    array([[0.75, 0.25]])
    """

    _squares_features = False

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:  # noqa: ARG002
        self.mean_ = np.average(D, axis=0, weights=weight)

    def _predict(self, X: Any) -> Array:
        return np.tile(self.mean_, (X.shape[0], 1))


class BestConstant(MeanDistribution):
    """Predict the constant that is best for a measure, for features of any type."""

    _constraints = {"measure": [StrOptions({*MEASURES})]}

    def __init__(self, measure: str = "kl_divergence") -> None:
        self.measure = measure

    def _table_options(self, X: Any) -> dict[str, Any]:  # noqa: ARG002
        return ONLY_NAMES

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:  # noqa: ARG002
        self.mean_ = best_constant(D, self.measure, weight)

    def _check_features_and_distributions(self, *tables: Any, **options: Any) -> tuple[Any, Array]:
        X, D = super()._check_features_and_distributions(*tables, **options)
        return np.empty((_num_samples(X), 0)), D  # lists of texts have no shape

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.tile(self.mean_, (_num_samples(X), 1))
