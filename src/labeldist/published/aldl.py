"""ALDL: distributions around one ordered label per row, with widths that adapt to predictions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.metrics import d2_absolute_error_score
from sklearn.utils.validation import check_is_fitted

from labeldist import _validation as validation
from labeldist._compat import Interval
from labeldist._constraints import COUNT, POSITIVE
from labeldist._solvers.scaling import check_squarable
from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.learning._learner import linear_scores
from labeldist.published._softmax_learners import PenalisedSoftmax
from labeldist.simplex import softmax

# In units of the distance between labels. The degree of the label itself is then one.
LEAST_WIDTH = 0.1


class ALDL(PenalisedSoftmax):
    """Adaptive label distribution learning for one ordered label per row, such as an age (ALDL).

    Other learners are fitted to a table of degrees. ALDL is fitted to one number per row, and
    predicts distributions over the distinct numbers, `classes_`.

    A row with the label a gets the distribution D_i ∝ exp(−(y − a)² / 2σ_a²) over all labels y, and
    `SABFGS` learns these distributions. Then each σ_a is the minimiser of Σ_i KL(D_i, P_i) over the
    reliable rows i of label a, those whose predicted label differs from a by at most the mean
    absolute error (MAE) of the training rows. Both steps are repeated until the MAE no longer
    decreases. So rows also train the labels next to their own, which helps labels with few rows.

    Parameters
    ----------
    width : float, default=2.0
        Initial value of all σ_a, in units of the median distance between consecutive labels.
    max_rounds : int, default=10
        Maximum number of rounds. One round is `SABFGS` on distributions of the initial width.
    min_decrease : float, default=1e-3
        Stop when a round decreases the MAE by less than this fraction. The model of the lowest MAE
        is kept.
    fit_intercept : bool, default=False
        Whether to fit an intercept.
    tol : float, default=1e-3
        Stop a round when the largest entry of the gradient is at most this fraction of its value
        for coefficients of zero. With many labels a smaller tolerance takes many iterations, to
        little effect.
    max_iter : int, default=1000
        Maximum number of iterations of a round.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The distinct labels in ascending order: the columns of predicted distributions.
    widths_ : ndarray of shape (n_labels,)
        σ_a of the model, in units of the labels.
    errors_ : list of float
        Mean absolute error of the training rows after each round.
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the softmax model.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts (zero if ``fit_intercept=False``).
    n_iter_ : int
        Number of iterations of the last round.

    See Also
    --------
    SABFGS : Learn given distributions.

    Notes
    -----
    The steps follow a third party's description of the paper; the default width and `min_decrease`
    were chosen here. The paper finds σ_a by a log barrier method, this class by a bounded search
    from 0.1 distances between labels to the range of the labels. Labels without reliable rows keep
    their width. ``predict`` returns distributions; ``classes_[distributions.argmax(axis=1)]`` are
    the predicted labels.

    References
    ----------
    X. Geng, Q. Wang, Y. Xia. Facial age estimation by adaptive label distribution learning. ICPR
    2014.

    Examples
    --------
    >>> from labeldist.published import ALDL
    >>> model = ALDL(fit_intercept=True).fit([[0.0], [1.0], [2.0], [3.0]], [20, 20, 30, 40])
    >>> model.classes_[model.predict([[0.0], [3.0]]).argmax(axis=1)]
    array([20, 40])
    """

    _constraints = {
        "width": POSITIVE,
        "max_rounds": COUNT,
        "min_decrease": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        width: float = 2.0,
        *,
        max_rounds: int = 10,
        min_decrease: float = 1e-3,
        fit_intercept: bool = False,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.width = width
        self.max_rounds = max_rounds
        self.min_decrease = min_decrease
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to features and one ordered label per row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The labels, numbers whose differences have a meaning.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        validation.check_rows(X=X, y=y)
        X, y = validation.validate_data(self, X, y, y_numeric=True, **self._table_options(X))
        check_squarable(X)
        if y.dtype.kind == "U":
            y = y.astype(np.float64)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.label_names_ = list(map(str, self.classes_))
        with threads_for(len(y), max(X.shape[1], len(self.classes_))):
            self._fit_rounds(X, labels)
        return self

    def _fit_rounds(self, X: Any, labels: Any) -> None:
        """Fit the model and the widths in turn, and keep the model of the lowest error."""
        positions = self.classes_.astype(np.float64)
        gaps = np.diff(positions)
        unit = float(np.median(gaps)) if gaps.size else 1.0
        positions = positions / unit
        squares = (positions - positions[:, None]) ** 2
        widths = np.full_like(positions, self.width)
        errors: list[float] = []
        for _ in range(self.max_rounds):
            distributions = softmax(-squares / (2 * widths[:, None] ** 2))
            self._fit(X, distributions[labels])
            P, log_P = softmax_and_log(linear_scores(X, self.coef_, self.intercept_))
            row_errors = np.abs(positions[P.argmax(axis=1)] - positions[labels])
            error = float(row_errors.mean())
            if not errors or error <= min(errors):
                best = self.coef_, self.intercept_, widths
            stalled = bool(errors) and error > (1 - self.min_decrease) * errors[-1]
            errors.append(error)
            if stalled:
                break
            widths = adapt_widths(widths, squares, log_P, labels, row_errors <= error)
        self.coef_, self.intercept_, widths = best
        self.widths_ = unit * widths
        self.errors_ = [unit * error for error in errors]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the skill 1 − MAE of the predicted labels / MAE of the median of `y`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The true labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in both errors.

        Returns
        -------
        score : float
            1 for a perfect prediction, 0 for one as good as the median of `y`, without a lower
            bound.
        """
        check_is_fitted(self)
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        predicted = self.classes_[self.predict(X).argmax(axis=1)]
        return float(d2_absolute_error_score(y, predicted, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = False
        tags.target_tags.multi_output = False
        tags.target_tags.single_output = True
        return tags


def adapt_widths(
    widths: Array, squares: Array, log_P: Array, labels: Any, is_reliable: Any
) -> Array:
    """Return the widths, with the best one for each label that has reliable rows.

    `squares` are the squared distances between the labels, (c, c), `log_P` the logarithms of the
    predicted degrees, (n, c), and `labels` the numbers of the labels of the rows, (n,).
    """
    widths = widths.copy()
    for label in np.unique(labels[is_reliable]):
        rows = is_reliable & (labels == label)
        widths[label] = best_width(squares[label], log_P[rows].mean(axis=0))
    return widths


def best_width(squares: Array, mean_log_P: Array) -> float:
    """Return the σ that minimises Σ_y d_y (log d_y − mean log p_y) for d ∝ exp(−(y − a)² / 2σ²).

    `squares` are the (y − a)² of the labels y.
    """

    def divergence(log_width: float) -> float:
        d, log_d = softmax_and_log(-squares[None] / (2 * np.exp(2 * log_width)))
        return float(np.vdot(d, log_d - mean_log_P))

    bounds = math.log(LEAST_WIDTH), math.log(max(1.0, squares.max())) / 2
    found = minimize_scalar(divergence, bounds=bounds, method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x))
