"""Base class of the distribution learners, and the learner that ignores the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import _check_sample_weight
from labeldist._solvers.scaling import check_squarable
from labeldist._typing import Array
from labeldist._validation import (
    as_distributions,
    check_feature_order,
    check_label_names,
    check_rows_are_equally_long,
    label_names,
    label_table,
    validated,
)
from labeldist.metrics import kl_divergence
from labeldist.metrics._skill import skill

NO_WEIGHT = "sample_weight is zero for every row. At least one row needs a positive weight."


class DistributionLearner(RegressorMixin, BaseEstimator):
    """Base class of the learners, which predict label distributions from features.

    For scikit-learn they are multi-output regressors.

    Attributes
    ----------
    label_names_ : list of str
        Names of the label columns of `y`; ``label_0``, ``label_1``, … if it has none.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of str
        Names of the features, if `X` is a data frame.
    """

    label_names_: list[str]
    n_features_in_: int

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the model to features and label distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features. Learners that need dense features raise a ``TypeError`` for sparse ones.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees, one row per item and one column per label. Each row is divided by its sum.

        Returns
        -------
        self : DistributionLearner
            The fitted learner.
        """
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """Predict a label distribution for each row of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features, in the columns and the order of `fit`.

        Returns
        -------
        D : ndarray of shape (n_samples, n_labels)
            The predicted distributions: non-negative rows that sum to one.
        """
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the skill 1 − KL(y, prediction) / KL(y, mean of y).

        If all rows of `y` are equal, the score is 1 for a perfect prediction and 0 for any other.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            The true distributions. With logical labels the score measures how close predictions are to 0 and 1, so
            it must not be used to choose a sharpness or an output map.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            1 for a perfect prediction, 0 for one as good as the mean of `y`. There is no lower bound.
        """
        check_is_fitted(self)
        check_label_names(y, self.label_names_)
        D = as_distributions(label_table(y), name="y")
        mean = np.average(D, axis=0, weights=sample_weight)
        trivial = kl_divergence(D, np.tile(mean, (len(D), 1)), sample_weight=sample_weight)
        achieved = kl_divergence(D, self.predict(X), sample_weight=sample_weight)
        return skill(achieved, trivial)

    def _check_features_and_distributions(
        self,
        X: Any,
        y: Any,
        *,
        accept_sparse: bool = False,
        reset: bool = True,
        check_finite: bool = True,
        squares: bool = True,
    ) -> tuple[Any, Array]:
        """Validate training data; return X, dense or CSR, and y as distributions.

        The names of the columns are stored; without `reset` they are compared with the stored ones. Without
        `check_finite` the caller must check that X is finite. With `squares`, values too large to be squared are
        an error.
        """
        check_rows_are_equally_long(y)
        if not reset:
            check_feature_order(self, X)
        X, D = validated(
            self,
            X,
            y,
            multi_output=True,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=check_finite,
            reset=reset,
        )
        if squares:
            check_squarable(X)
        D = label_table(D)
        names = label_names(y, D.shape[1])
        if not reset and names != self.label_names_:
            raise ValueError(f"y must have the labels of the first rows, {self.label_names_}; got {names}.")
        D = as_distributions(D, name="y (the label distributions)")
        self.label_names_ = names
        return X, D

    def _check_new_features(self, X: Any, *, accept_sparse: bool = False, squares: bool = False) -> Any:
        """Validate the rows to predict for; return them dense or CSR.

        With `squares`, values too large to be squared are an error.
        """
        check_feature_order(self, X)
        X = validated(
            self,
            X,
            reset=False,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
        )
        if squares:
            check_squarable(X)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class MeanDistribution(DistributionLearner):
    """Predict the mean of the training distributions, whatever the features.

    This is the trivial baseline: its score on the training rows is 0.

    Attributes
    ----------
    mean_ : ndarray of shape (n_labels,)
        The (weighted) mean of the training distributions.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X is a data frame

    See Also
    --------
    labeldist.enhancement.Uniform : The trivial baseline of label enhancement.

    Examples
    --------
    >>> from labeldist.learning import MeanDistribution
    >>> MeanDistribution().fit([[0.0], [1.0]], [[0.5, 0.5], [1.0, 0.0]]).predict([[7.0]])
    array([[0.75, 0.25]])
    """

    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012  # scikit-learn's name and form

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MeanDistribution:
        """Compute the mean of the rows of `y`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features, which are validated but not used.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees. Each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : MeanDistribution
            The fitted learner.
        """
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        self.mean_ = np.average(D, axis=0, weights=check_weights(sample_weight, X))
        return self

    def predict(self, X: Any) -> Array:
        check_is_fitted(self, "mean_")
        X = self._check_new_features(X, accept_sparse=True)
        return np.tile(self.mean_, (X.shape[0], 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def linear_scores(X: Any, coef: Array, intercept: Array) -> Array:
    """Return Xθ + b for coefficients θᵀ. Values may overflow, which the output maps report as an error."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores: Array = X @ coef.T + intercept
    return scores


def check_weights(sample_weight: Any, X: Any, *, all_zero: bool = False) -> Array | None:
    """Return the weights of the rows as float64, or None if there are none.

    Weights that are all zero are an error, unless `all_zero` is set because `X` is only a part of a table.
    """
    if sample_weight is None:
        return None
    if not np.asarray(sample_weight).any():
        if all_zero:
            return np.zeros(X.shape[0])  # scikit-learn raises an error for these
        raise ValueError(NO_WEIGHT)
    return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
