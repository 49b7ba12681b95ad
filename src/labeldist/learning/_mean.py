"""The learner that uses no feature at all: what every other has to beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, check_weights


class MeanDistribution(DistributionLearner):
    """Predict the mean of the training distributions, whatever the features.

    Attributes
    ----------
    mean_ : ndarray of shape (n_labels,)
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Examples
    --------
    >>> from labeldist.learning import MeanDistribution
    >>> MeanDistribution().fit([[0.0], [1.0]], [[0.5, 0.5], [1.0, 0.0]]).predict([[7.0]])
    array([[0.75, 0.25]])
    """

    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012  # scikit-learn's name and form

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MeanDistribution:
        """Take the (weighted) mean of the rows of `y`."""
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        self.mean_ = np.average(D, axis=0, weights=check_weights(sample_weight, X))
        return self

    def predict(self, X: Any) -> Array:
        """Return the mean, once for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, accept_sparse=True)
        return np.tile(self.mean_, (X.shape[0], 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
