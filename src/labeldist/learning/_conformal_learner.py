"""ConformalLearner: intervals of predicted degrees from out-of-fold residuals."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils import get_tags

from labeldist._compat import HasMethods, Interval
from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist._validation import check_rows, label_names, validate_data
from labeldist.exceptions import LabelWarning
from labeldist.learning._cross_validation import fit_copy, held_out, weighted_rows
from labeldist.learning._enhanced_learner import EnhancedLearner
from labeldist.learning._learner import NestedLearner, SampleWeightMixin, check_weights
from labeldist.simplex import normalize


class ConformalLearner(SampleWeightMixin, NestedLearner):
    """Add intervals to the predictions of a learner, by the residuals of held-out rows.

    Residuals, true minus predicted degrees, are computed by cross-validation, and the learner is
    fitted to all rows. The interval of a degree is its prediction plus quantiles of the residuals,
    so that the widths do not depend on the features. If the rows are exchangeable, about the stated
    share of new degrees is inside; more if the learner gains much from the rows that the folds
    leave out, which a larger `cv` reduces.

    Intervals cover degrees such as those in `y`. If these are shares of votes, the intervals cover
    observed shares of as many votes, not the true degrees, and are wider.

    Parameters
    ----------
    learner : distribution learner, or pipeline that ends in one
        The sample weights of `fit` are used for the quantiles and, if it takes weights, for the
        learner.
    coverage : float, default=0.9
        Share of the new degrees of each label that are inside their intervals. With `joint`, share
        of the new rows with all degrees inside.
    joint : bool, default=False
        False uses quantiles of the residuals of each label. True uses a quantile of the largest
        residual of a row, in units of the root mean squares of the labels.
    cv : int, splitter or iterable, default=5
        Number of shuffled folds, at most one per row, or a splitter that holds out each row once.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds if `cv` is an int.

    Attributes
    ----------
    learner_ : distribution learner
        The learner, fitted to all rows.
    residuals_, weights_ : ndarray of shape (n_samples, n_labels) and (n_samples,)
        True degrees minus out-of-fold predictions, and weights of the rows. Rows of weight zero are
        left out.

    See Also
    --------
    labeldist.BayesLE : Intervals of degrees that are recovered from tags.

    References
    ----------
    V. Vovk, Cross-conformal predictors, Annals of Mathematics and Artificial Intelligence 74, 2015.

    R. Barber, E. Candès, A. Ramdas and R. Tibshirani, Predictive inference with the jackknife+,
    Annals of Statistics 49, 2021.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import ConformalLearner
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = ConformalLearner(BDLDL(), random_state=0).fit(X, D)
    >>> X_new, D_new = make_artificial(500, random_state=1)
    >>> lower, upper = model.predict_interval(X_new)
    >>> ((lower <= D_new) & (D_new <= upper)).mean(axis=0).round(1)
    array([0.9, 0.9, 0.9])
    """

    _constraints = {
        "learner": [HasMethods(["fit", "predict"])],
        "coverage": [Interval(Real, 0, 1, closed="neither")],
        "joint": ["boolean"],
    }

    def __init__(
        self,
        learner: Any,
        coverage: float = 0.9,
        joint: bool = False,
        *,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.coverage = coverage
        self.joint = joint
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._validate_params()
        if isinstance(self.learner, EnhancedLearner):
            raise TypeError(
                "The residuals of tags differ from the residuals of degrees. "
                "Fit a learner of distributions to the label_distributions_ of the enhancer."
            )
        check_rows(X=X, y=y, sample_weight=sample_weight)
        validate_data(self, X, skip_check_array=True)  # sets number and names of the features
        weight, X, y = weighted_rows(self.cv, check_weights(sample_weight, X), X, y)
        learner = fit_copy(self.learner, X, y, weight)
        D = normalize(y, copy=False)  # checked by the learner
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LabelWarning)  # the fit above has issued them
            predicted = held_out(
                self.learner,
                X,
                D,
                cv=self.cv,
                sample_weight=weight,
                random_state=self.random_state,
            )
        self.label_names_ = label_names(y, D.shape[1])
        self.learner_ = learner
        self.residuals_ = D - predicted
        self.weights_ = np.ones(len(D)) if weight is None else weight
        return self

    def predict_interval(self, X: Any, coverage: float | None = None) -> tuple[Array, Array]:
        """Predict an interval for each degree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features, in the columns and the order of `fit`.
        coverage : float, default=None
            Share of the new degrees inside; None uses the parameter `coverage`.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_labels)
            Bounds between 0 and 1. With too few training rows for the coverage they are 0 and 1.
        """
        predicted = self.predict(X)
        level = self.coverage if coverage is None else coverage
        if not 0 < level < 1:
            raise ValueError(f"coverage must be between 0 and 1; got {level}.")
        below, above = self._widths(level)
        lower = np.clip(predicted - below, 0, 1)
        upper = np.clip(predicted + above, 0, 1)
        return lower, upper

    def _widths(self, level: float) -> tuple[Array, Array]:
        """Return the distances of the bounds below and above the predictions of each label."""
        residuals = self.residuals_
        weight = self.weights_
        if not self.joint:
            tail = (1 + level) / 2
            return _quantiles(-residuals, tail, weight), _quantiles(residuals, tail, weight)
        scale = np.sqrt(np.average(residuals**2, axis=0, weights=weight))
        scale = np.maximum(scale, EPSILON)
        largest = np.abs(residuals / scale).max(axis=1, keepdims=True)
        width = scale * _quantiles(largest, level, weight)
        return width, width

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.learner).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def _quantiles(values: Array, level: float, weight: Array) -> Array:
    """Return a quantile of each column of n rows and a new row.

    The new row has the mean weight, and its values may be infinite.
    """
    share = level * (1 + 1 / np.count_nonzero(weight)) * (1 - 1e-12)  # up to rounding
    if share > 1:
        return np.full(values.shape[1], np.inf)
    found: Any = np.quantile(values, share, axis=0, weights=weight, method="inverted_cdf")
    return np.asarray(found)
