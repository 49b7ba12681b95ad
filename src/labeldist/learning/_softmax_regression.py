"""Softmax regression with a ridge penalty, and its cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labeldist._compat import StrOptions
from labeldist._solvers.softmax_regression import SoftmaxPath
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._cross_validation import check_finite, check_scoring, split_rows, weighted_rows
from labeldist.learning._learner import SampleWeightMixin, linear_scores
from labeldist.learning._softmax_learners import SoftmaxLearner
from labeldist.metrics import MEASURES
from labeldist.simplex import softmax

RIDGES = tuple(float(ridge) for ridge in np.logspace(-7, 3, 21))
PATIENCE = 2  # ridges without improvement, after which smaller ones are not tried
STEPS = ("spearman", "kendall", "top_label")  # measures that are not smooth in the ridge, for which all are tried
ABSENT = -1000.0  # the score of labels without a positive degree: their degree is zero


class SoftmaxRegression(SampleWeightMixin, SoftmaxLearner):
    """Softmax regression on label distributions, with a ridge penalty.

    P = softmax(XW + 1bᵀ) minimises −ΣD log P + (ridge / 2)‖W‖². The intercept b is not penalised. This is multinomial
    logistic regression on rows that are repeated for each label and weighted by its degree, without the repetition.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight of the penalty, 1/C of ``sklearn.linear_model.LogisticRegression``, 2/C for two labels. Features are
        used as given, so their units matter.
    tol : float, default=1e-5
        Stop when the largest entry of the gradient, in coordinates of about equal curvature, is at most this fraction
        of its value at W = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_, intercept_, n_iter_ : ndarray of shape (n_labels, n_features) and (n_labels,), int
        Coefficients Wᵀ, intercepts, and the number of iterations.

    See Also
    --------
    SoftmaxRegressionCV : Choose the ridge by cross-validation.
    SABFGS : The same model without a penalty.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftmaxRegression
    >>> X, D = make_artificial(500, random_state=0)
    >>> SoftmaxRegression(0.1).fit(X, D).predict(X[:1]).shape
    (1, 3)
    """

    def __init__(self, ridge: float = 1.0, *, tol: float = 1e-5, max_iter: int = 1000) -> None:
        self.ridge, self.tol, self.max_iter = ridge, tol, max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        self._solve(_double(X), D, weight, self.ridge)

    def _solve(self, X: Any, D: Array, weight: Array | None, ridge: float) -> None:
        present = _present(D, weight)
        solution = SoftmaxPath.of(X, D[:, present], weight).solve(ridge, tol=self.tol, max_iter=self.max_iter)
        W = np.zeros((X.shape[1] + 1, D.shape[1]))
        W[-1] = ABSENT
        W[:, present] = np.vstack([solution.W, solution.b])
        self._store(W, np.zeros(X.shape[1]), solution.n_iter, solution.converged)


class SoftmaxRegressionCV(SoftmaxRegression):
    """Softmax regression with a ridge penalty that is chosen by cross-validation.

    In each fold one decomposition of the features serves all ridges. Ridges are tried from the largest to the smallest,
    each search starting at the minimum of the last one, until two in a row have brought no improvement. A measure of
    ranks and a callable try all.

    Parameters
    ----------
    ridges : sequence of float, default=21 values from 1e-7 to 1e3
        Values of `ridge` of `SoftmaxRegression`.
    cv : int, splitter or iterable, default=5
        An int is a number of shuffled folds, at most one per row. Otherwise as in scikit-learn.
    scoring : as in `BDLDLCV`
    tol, max_iter : as in `SoftmaxRegression`
    random_state : as in `BDLDLCV`

    Attributes
    ----------
    ridge_ : float
        The chosen ridge.
    best_score_ : float
        Its mean score over the folds.
    cv_results_ : dict
        ``params``, ``param_ridge``, ``mean_test_score``, ``std_test_score`` and ``split0_test_score``, … of all ridges,
        NaN for those that were not tried. Measures for which lower is better change their sign.
    coef_, intercept_, n_iter_ : as in `SoftmaxRegression`
        Of the model with this ridge, fitted to all rows.

    See Also
    --------
    SoftmaxRegression : The model with a given ridge.
    labeldist.BDLDLCV : Linear model by least squares, which is faster.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftmaxRegressionCV
    >>> model = SoftmaxRegressionCV().fit(*make_artificial(300, random_state=0))
    >>> model.ridge_ in model.ridges
    True
    """

    _constraints = {"ridges": ["array-like"], "scoring": [StrOptions(set(MEASURES)), callable]}

    def __init__(
        self,
        ridges: Sequence[float] = RIDGES,
        cv: Any = 5,
        scoring: str | Callable[[Array, Array], float] = "kl_divergence",
        *,
        tol: float = 1e-5,
        max_iter: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.ridges, self.cv, self.scoring = ridges, cv, scoring
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        for ridge in self.ridges:
            SoftmaxRegression(ridge)._validate_params()
        if not len(self.ridges):
            raise ValueError("ridges must hold at least one value.")
        check_scoring(self.scoring)
        weight, X, D = weighted_rows(self.cv, weight, _double(X), D)
        folds = split_rows(X, D, self.cv, random_generator(self.random_state))
        splits = self._scores(X, D, weight, folds)
        mean = splits.mean(axis=0)
        best = int(np.nanargmax(mean))
        self.ridge_, self.best_score_ = float(self.ridges[best]), float(mean[best])
        self.cv_results_ = {
            "params": [{"ridge": float(ridge)} for ridge in self.ridges],
            "param_ridge": np.array(self.ridges, dtype=np.float64),
            **{f"split{i}_test_score": scores for i, scores in enumerate(splits)},
            "mean_test_score": mean,
            "std_test_score": splits.std(axis=0),
        }
        self._solve(X, D, weight, self.ridge_)

    def _scores(self, X: Any, D: Array, weight: Array | None, folds: Sequence[Any]) -> Array:
        """Return the scores, (folds, ridges), and NaN for the ridges after `PATIENCE` in a row without improvement."""
        paths = [_Fold(X, D, weight, *fold) for fold in folds]
        scores = np.full((len(folds), len(self.ridges)), np.nan)
        best, best_step = -np.inf, 0
        patience = len(self.ridges) if callable(self.scoring) or self.scoring in STEPS else PATIENCE
        for step, i in enumerate(np.argsort(self.ridges)[::-1]):
            scores[:, i] = [path.score(self.ridges[i], self.scoring, self.tol, self.max_iter) for path in paths]
            check_finite(scores[:, [i]], i)
            if (mean := scores[:, i].mean()) >= best:
                best, best_step = mean, step
            elif step - best_step >= patience:
                break
        return scores


class _Fold:
    """The minimisers for one training set, each search starting at the last one, and their held-out scores."""

    def __init__(self, X: Any, D: Array, weight: Array | None, train: Any, test: Any) -> None:
        learned = None if weight is None else weight[train]
        self._weight = None if weight is None else weight[test]
        self._present, self._X, self._D = _present(D[train], learned), X[test], D[test]
        self._path = SoftmaxPath.of(X[train], D[train][:, self._present], learned)
        self._start: Array | None = None

    def score(self, ridge: float, scoring: Any, tol: float, max_iter: int) -> float:
        solution = self._path.solve(ridge, start=self._start, tol=tol, max_iter=max_iter)
        self._start = solution.point
        P = np.zeros(self._D.shape)
        P[:, self._present] = softmax(linear_scores(self._X, solution.W.T, solution.b))
        if callable(scoring):
            return float(scoring(self._D, P))
        measure = MEASURES[scoring]
        value = float(np.average(measure.rows(self._D, P), weights=self._weight))
        return value if measure.higher_is_better else -value


def _present(D: Array, weight: Array | None) -> Any:
    """Return which labels have a positive degree in a row with a positive weight."""
    rows = slice(None) if weight is None else weight > 0
    return (D[rows] > 0).any(axis=0)


def _double(X: Any) -> Any:
    return X.astype(np.float64, copy=False) if isinstance(X, np.ndarray) else sparse.csr_array(X, dtype=np.float64)
