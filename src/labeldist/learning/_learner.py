"""Base classes of the distribution learners."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted

from labeldist import _validation as validation
from labeldist._compat import _check_sample_weight
from labeldist._constraints import ConstrainedEstimator
from labeldist._solvers.scaling import check_squarable
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.exceptions import warn
from labeldist.metrics import skill
from labeldist.simplex import normalize

NO_WEIGHT = "sample_weight is zero for every row. At least one row needs a positive weight."
# Attributes that describe the columns of the training data.
COLUMN_ATTRIBUTES = ("label_names_", "n_features_in_", "feature_names_in_")
# Options of `validate_data` for features that other estimators validate, which may be texts: only
# their number and names are stored or compared.
ONLY_NAMES = {"skip_check_array": True}
FLOOR_SHARE = 0.1  # the default floor, as a share of the uniform degree


def default_floor(n_labels: int) -> float:
    """Return the smallest predicted degree of the linear learners with ``floor="auto"``."""
    return FLOOR_SHARE / n_labels


class DistributionEstimator(ConstrainedEstimator):
    """Base class of estimators that are fitted to features and distributions.

    A subclass implements `_fit`.

    Attributes
    ----------
    label_names_ : list of str
        Names of the label columns of `y`; ``label_0``, ``label_1``, … if it has none.
    """

    label_names_: list[str]
    n_features_in_: int

    _accepts_sparse = True  # whether `_fit` and `_predict` accept CSR matrices
    _accepts_missing = False  # whether D of `_fit` may have NaN
    _squares_features = True  # whether `fit` raises for features too large to be squared
    _checks_finite = True  # whether `fit` checks features for NaN and infinity before `_fit`

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to features and label distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features. Learners that need dense features raise a ``TypeError`` for sparse ones.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees, one row per item and one column per label. Each row is divided by
            its sum. Learners that accept missing degrees (NaN) leave incomplete rows as they are;
            these sum to at most one.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y)
        with threads_for(len(D), max(X.shape[1], D.shape[1])):
            self._fit(X, D)
        return self

    def _fit(self, X: Any, D: Array, *args: Any, **kwargs: Any) -> None:
        """Fit to X, dense or CSR, float32 or float64, and distributions D.

        Set at least one attribute with a final "_". With `SampleWeightMixin` the third argument is
        the weights of the rows, (n,), or None.
        """
        raise NotImplementedError

    def _table_options(self, X: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return options of scikit-learn's `validate_data` for the features."""
        accept_sparse = "csr" if get_tags(self).input_tags.sparse else False
        return {"accept_sparse": accept_sparse, "dtype": [np.float64, np.float32]}

    def _check_features_and_distributions(
        self, X: Any, y: Any, sample_weight: Any = None, *, reset: bool = True
    ) -> tuple[Any, Array]:
        """Validate training data and return them.

        Column names are stored, or compared with the stored ones if `reset` is False.
        """
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        options = {"ensure_all_finite": self._checks_finite, **self._table_options(X)}
        X = validation.validate_data(self, X, reset=reset, **options)
        D = validation.as_distributions(
            y, name="y (the label distributions)", accept_missing=self._accepts_missing
        )
        check_consistent_length(X, D)
        if self._squares_features:
            check_squarable(X)
        if reset:
            self.label_names_ = validation.label_names(y, D.shape[1])
        validation.check_label_names(y, self.label_names_)
        if D.shape[1] != len(self.label_names_):
            raise ValueError(
                f"y must have the labels of the first rows, {self.label_names_}; "
                f"got {D.shape[1]} columns."
            )
        return X, D

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that fails may have set the attributes of the columns.
        return any(name.endswith("_") and name not in COLUMN_ATTRIBUTES for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class DistributionLearner(RegressorMixin, DistributionEstimator):
    """Base class of the learners, which predict label distributions from features.

    For scikit-learn they are multi-output regressors. A subclass implements `_fit` and `_predict`.
    """

    def predict(self, X: Any) -> Array:
        """Predict a label distribution for each row of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features, in the columns and the order of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            The predicted distributions: non-negative rows that sum to one.
        """
        check_is_fitted(self)
        X = validation.validate_data(self, X, reset=False, **self._table_options(X))
        with threads_for(*X.shape):
            return self._predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the skill 1 − KL(y, prediction) / KL(y, mean of y).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            The true distributions. With logical labels the score favours predictions close to 0 and
            1.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            1 for a perfect prediction, 0 for one as good as the mean of `y`, without a lower bound;
            NaN for one row.
        """
        check_is_fitted(self)
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        validation.check_label_names(y, self.label_names_)
        D = normalize(validation.label_table(y), name="y", copy=False)
        if len(D) < 2:
            warn("The skill of one row is not defined. Use more rows.", UndefinedMetricWarning)
            return np.nan
        weight = check_weights(sample_weight, D)
        return skill(D, self.predict(X), sample_weight=weight)

    def _predict(self, X: Any) -> Array:
        """Return the distributions of validated rows, float64 of shape (n, n_labels)."""
        raise NotImplementedError


class NestedLearner(DistributionLearner):
    """Base class of the learners that predict by another learner, `learner_`."""

    learner_: Any

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(self.learner_.predict(X))


class SampleWeightMixin(DistributionEstimator):
    """Mixin of the learners whose `fit` takes sample weights; it is the first base."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to features and label distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees. Each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. In the loss, a row of weight w counts as w equal rows.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, sample_weight)
        weight = check_weights(sample_weight, X)
        with threads_for(len(D), max(X.shape[1], D.shape[1])):
            self._fit(X, D, weight)
        return self


def columns_of(learner: DistributionLearner) -> dict[str, Any]:
    """Return the attributes of a learner that describe the columns of its training data."""
    return {name: getattr(learner, name) for name in COLUMN_ATTRIBUTES if hasattr(learner, name)}


def set_columns(learner: DistributionLearner, columns: dict[str, Any]) -> None:
    """Set the attributes that `columns_of` has returned, and remove those that it has not."""
    for name in COLUMN_ATTRIBUTES:
        if name in columns:
            setattr(learner, name, columns[name])
        elif hasattr(learner, name):
            delattr(learner, name)


def same_columns(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two results of `columns_of` are equal."""
    names = one.keys() | other.keys()
    return all(np.array_equal(one.get(name, []), other.get(name, [])) for name in names)


def report_convergence(
    estimator: Any, n_iter: int, converged: bool, advice: str = "standardise the features"
) -> None:
    """Set `n_iter_`, and warn if the search did not converge."""
    estimator.n_iter_ = max(n_iter, 1)  # scikit-learn expects at least one
    if not converged:
        warn(
            f"{type(estimator).__name__} stopped after {estimator.n_iter_} iterations, before it "
            f"met its tolerance. Raise max_iter or tol, or {advice}.",
            ConvergenceWarning,
        )


def linear_scores(X: Any, coef: Array, intercept: Array) -> Array:
    """Return Xθ + b for coefficients θᵀ; the output maps raise an error if values overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(X @ coef.T + intercept)


def check_weights(sample_weight: Any, X: Any, *, all_zero: bool = False) -> Array | None:
    """Return the weights of the rows as float64, or None.

    They may be `all_zero` in a part of a table only.
    """
    if sample_weight is None:
        return None
    if np.asarray(sample_weight).any():
        checked = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return np.asarray(checked)
    if not all_zero:
        raise ValueError(NO_WEIGHT)
    return np.zeros(X.shape[0])  # scikit-learn raises an error for these
