"""ALDL: label distributions of one ordered label per row, with widths that adapt to the predictions."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils.validation import check_is_fitted, column_or_1d

from labeldist import _validation as validation
from labeldist._compat import COUNT, POSITIVE, Interval
from labeldist._solvers.maximum_entropy import softmax_and_log
from labeldist._solvers.scaling import check_squarable
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.learning._learner import linear_scores
from labeldist.learning._softmax_learners import PenalisedSoftmax
from labeldist.metrics._skill import skill
from labeldist.simplex import softmax

LEAST_WIDTH = 0.1  # in units of the distance between labels; the degree of the label itself is then one


class ALDL(PenalisedSoftmax):
    """Adaptive label distribution learning for one ordered label per row, such as an age (ALDL).

    A row with the label a gets the distribution D_i ∝ exp(−(y − a)² / 2σ_a²) over all labels y, and `SABFGS` learns
    these distributions. Then each σ_a is the minimiser of Σ_i KL(D_i, P_i) over the reliable rows i of label a, those
    whose predicted label differs from a by at most the mean absolute error (MAE) of the training rows. Both steps are
    repeated until the MAE no longer decreases. Rows thus also train the labels next to their own, which helps labels
    with few rows.

    Parameters
    ----------
    width : float, default=2.0
        Initial value of all σ_a, in units of the median distance between consecutive labels.
    max_rounds : int, default=10
        Maximum number of rounds. One round is `SABFGS` on distributions of the initial width.
    min_decrease : float, default=1e-3
        Stop when a round decreases the MAE by less than this fraction. The model of the lowest MAE is kept.
    fit_intercept, tol, max_iter : bool, float and int, default=False, 1e-3 and 1000
        As in `SABFGS`, in each round. With many labels a smaller tolerance takes many iterations, to little effect.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The distinct labels in ascending order: the columns of predicted distributions.
    widths_ : ndarray of shape (n_labels,)
        σ_a of the model, in units of the labels.
    errors_ : list of float
        Mean absolute error of the training rows after each round.
    coef_, intercept_, n_iter_ : as in `SABFGS`
        Of the model; the number of iterations is that of the last round.

    See Also
    --------
    SABFGS : Learn given distributions.

    Notes
    -----
    The steps follow a third party's description of the paper; the default width and `min_decrease` were chosen here.
    The paper finds σ_a by a log barrier method, this class by a bounded search from 0.1 distances between labels to the
    range of the labels. Labels without reliable rows keep their width. ``predict`` returns distributions;
    ``classes_[distributions.argmax(axis=1)]`` are the predicted labels.

    References
    ----------
    X. Geng, Q. Wang, Y. Xia. Facial age estimation by adaptive label distribution learning. ICPR 2014.

    Examples
    --------
    >>> from labeldist.learning import ALDL
    >>> ALDL(fit_intercept=True).fit([[0.0], [1.0], [2.0], [3.0]], [20, 20, 30, 40]).predict([[1.5]]).shape
    (1, 3)
    """

    _constraints = {"width": POSITIVE, "max_rounds": COUNT, "min_decrease": [Interval(Real, 0, 1, closed="left")]}

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
        self.width, self.max_rounds, self.min_decrease = width, max_rounds, min_decrease
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

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
        X, y = validation.validated(self, X, y, y_numeric=True, **self._table_options())
        check_squarable(X)
        y = y.astype(np.float64) if y.dtype.kind in "US" else y  # numerals; other text raises an error
        classes, labels = np.unique(y, return_inverse=True)
        places = classes.astype(np.float64)
        self.classes_, self.label_names_ = classes, [str(label) for label in classes]
        with threads_for(len(y), max(X.shape[1], len(classes))):
            self._fit_rounds(X, labels, places)
        return self

    def _fit_rounds(self, X: Any, labels: Any, places: Array) -> None:
        unit = float(np.median(np.diff(places))) if len(places) > 1 else 1.0
        places = places / unit
        squares = (places - places[:, None]) ** 2
        widths = np.full(len(places), float(self.width))
        errors: list[float] = []
        for _ in range(self.max_rounds):
            self._fit(X, softmax(-squares / (2 * widths[:, None] ** 2))[labels])
            P, log_P = softmax_and_log(linear_scores(X, self.coef_, self.intercept_))
            error = np.abs(places[P.argmax(axis=1)] - places[labels])
            errors.append(float(error.mean()))
            if errors[-1] <= min(errors):
                kept = self.coef_, self.intercept_, unit * widths
            if len(errors) > 1 and errors[-1] > (1 - self.min_decrease) * errors[-2]:
                break
            widths = widths.copy()
            for a in np.unique(labels[error <= errors[-1]]):
                reliable = (labels == a) & (error <= errors[-1])
                widths[a] = best_width(squares[a], log_P[reliable].mean(axis=0))
        self.coef_, self.intercept_, self.widths_ = kept
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
            1 for a perfect prediction, 0 for one as good as the median of `y`, without a lower bound.
        """
        check_is_fitted(self)
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        predicted = self.classes_[self.predict(X).argmax(axis=1)]
        truth = column_or_1d(y, dtype=np.float64)
        order, weight = np.argsort(truth), np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight)
        median = truth[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)]
        errors = (np.average(np.abs(truth - label), weights=weight) for label in (predicted, median))
        return skill(*map(float, errors))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = tags.target_tags.multi_output = False
        tags.target_tags.single_output = True
        return tags


def best_width(squares: Array, mean_log_P: Array) -> float:
    """Return σ that minimises Σ_y d_y (log d_y − mean log p_y) for d ∝ exp(−(y − a)² / 2σ²), given (y − a)²."""

    def divergence(log_width: float) -> float:
        d, log_d = softmax_and_log(-squares[None] / (2 * np.exp(2 * log_width)))
        return float(np.vdot(d, log_d - mean_log_P))

    bounds = float(np.log(LEAST_WIDTH)), float(np.log(max(1.0, np.sqrt(squares.max()))))
    return float(np.exp(minimize_scalar(divergence, bounds=bounds, method="bounded", options={"xatol": 1e-8}).x))
