"""What every learner of label distributions shares: its input, its score and its manners towards scikit-learn."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from labeldist._compat import validate_parameter_constraints
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

NO_WEIGHT = "sample_weight is zero for every row: there is nothing to learn from."


class DistributionLearner(RegressorMixin, BaseEstimator):
    """Base of the learners: ``fit(X, y)`` on distributions y, ``predict(X)`` gives rows on the simplex.

    To scikit-learn they are multi-output regressors.

    Attributes
    ----------
    label_names_ : list of str
    """

    label_names_: list[str]
    n_features_in_: int

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 − KL(y, prediction) / KL(y, mean of y).

        0 is no better than always answering the mean of `y`, 1 is perfect, and there is no lower bound. Where all
        rows of `y` are equal, the mean is perfect: then 1 for a perfect prediction and 0 for any other.

        `y` are true distributions. Against logical labels this would measure how much predictions look like 0 and 1,
        and must not be used to choose a sharpness or an output map.
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
        """Return X, dense or CSR, and y as distributions, and note the names of the columns of both.

        Without `reset` they must be the columns that were noted before. Without `check_finite` numbers of X that are
        not finite may pass: a caller whose sums show them spares a look at each. With `squares`, those too large to be
        squared are refused.
        """
        plain = is_plain_table(X, check_finite=check_finite) and is_plain_table(y) and len(X) == len(y)
        if plain and (reset or (X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"))):
            self.n_features_in_, D = X.shape[1], y
            self.__dict__.pop("feature_names_in_", None)
        else:
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
                reset=reset,
            )
        if squares:
            check_squarable(X)
        D = label_table(D)
        names = label_names(y, D.shape[1])
        if not reset and names != self.label_names_:
            raise ValueError(f"y must have the labels of the first rows, {self.label_names_}; got {names}.")
        self.label_names_ = names
        return X, as_distributions(D, name="y (the label distributions)")

    def _check_new_features(self, X: Any, *, accept_sparse: bool = False, squares: bool = False) -> Any:
        """Return the rows to predict for, dense or CSR, with the columns that `fit` saw.

        With `squares`, numbers too large to be squared are refused.
        """
        X = self._checked_table(X, accept_sparse=accept_sparse)
        if squares:
            check_squarable(X)
        return X

    def _checked_table(self, X: Any, *, accept_sparse: bool) -> Any:
        if is_plain_table(X) and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
            return X
        check_feature_order(self, X)
        return validated(
            self,
            X,
            reset=False,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
        )

    def _validate_params(self) -> None:
        """Check the parameters as scikit-learn does, but the same ones only once: it takes a tenth of a small fit."""
        parameters = tuple((name, type(value), value) for name, value in vars(self).items() if name[-1] != "_")
        learner: Any = type(self)
        try:
            _check_parameters(learner, parameters)
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            super()._validate_params()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


@lru_cache(maxsize=64)
def _check_parameters(learner: Any, parameters: tuple[tuple[str, type, Any], ...]) -> None:
    # The types are in the key because 1, 1.0 and True are equal, and not equally right. Errors are not remembered.
    values = {name: value for name, _, value in parameters}
    validate_parameter_constraints(learner._parameter_constraints, values, caller_name=learner.__name__)


def is_plain_table(table: Any, *, check_finite: bool = True) -> bool:
    """Whether there is nothing to convert and nothing to refuse: a matrix of finite floating-point numbers.

    What ``validate_data`` finds out as well, but takes longer for than a small fit; it is asked where the answer is no.
    """
    return (
        type(table) is np.ndarray
        and table.dtype in (np.float64, np.float32)
        and table.ndim == 2
        and table.size > 0
        and (not check_finite or _has_finite_sum(table))
    )


def _has_finite_sum(table: Array) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that is not finite sends the table to `validate_data`
        return bool(np.isfinite(table.sum(dtype=np.float64)))


def linear_scores(X: Any, coef: Array, intercept: Array) -> Array:
    """Return Xθ + b for coefficients θᵀ; scores that leave the number range are what output maps refuse."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores: Array = X @ coef.T + intercept
    return scores


def check_weights(sample_weight: Any, X: Any, *, all_zero: bool = False) -> Array | None:
    """Return the weights of the rows as float64, or None where there are none.

    Those of a whole table must not all be zero; `all_zero` lets those of a part of one be.
    """
    if sample_weight is None:
        return None
    if not np.asarray(sample_weight).any():
        if all_zero:
            return np.zeros(X.shape[0])  # scikit-learn would refuse them
        raise ValueError(NO_WEIGHT)
    return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
