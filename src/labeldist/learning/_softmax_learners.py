"""SA-BFGS and SA-IIS: the maximum entropy model, by quasi-Newton search and by iterative scaling."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy, Preconditioner, ScalingProblem, scale_iteratively
from labeldist._solvers.scaling import column_means, column_units, divide_columns
from labeldist._solvers.storage import hold_for_products
from labeldist._typing import Array
from labeldist.exceptions import warn
from labeldist.learning._learner import DistributionLearner, check_weights, linear_scores
from labeldist.simplex import softmax

WOLFE_CONSTANTS = {"c1": 1e-4, "c2": 0.9}
"""The line search of the published BFGS."""


class SoftmaxLearner(DistributionLearner):
    """Base of the learners whose model is P = softmax(XW), with or without an intercept."""

    fit_intercept: bool
    max_iter: int

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, accept_sparse=True)
        return softmax(linear_scores(X, self.coef_, self.intercept_))

    def _with_intercept_column(self, X: Any) -> tuple[Any, Array]:
        """Return X, held for products, and what was subtracted; beside a column of ones if there is an intercept.

        With an intercept dense features are centred, which changes nothing but the digits: a large shift of them would
        drown what they say. Mostly zero ones cannot have one.
        """
        X, center = hold_for_products(X), np.zeros(X.shape[1])
        if not self.fit_intercept:
            return X, center
        ones = np.ones((X.shape[0], 1))
        if not isinstance(X, np.ndarray):
            return sparse.hstack([X, sparse.csr_array(ones)], "csr"), center
        center = column_means(X)
        return np.hstack([X - center, ones]), center

    def _keep(self, W: Array, center: Array, n_iter: int, converged: bool, unit: Array | float = 1.0) -> None:
        """Note the coefficients of the columns of `_with_intercept_column`, and tell if the search was cut short.

        `unit` is what the features had been divided by.
        """
        coefficients, intercept = (W[:-1], W[-1]) if self.fit_intercept else (W, np.zeros(W.shape[1]))
        self.coef_ = np.ascontiguousarray(coefficients.T) / unit
        self.intercept_ = intercept - coefficients.T @ center
        self.n_iter_ = max(n_iter, 1)  # that there was nothing to do took one look
        if not converged:
            warn(
                f"{type(self).__name__} stopped after {self.n_iter_} iterations, before it met its tolerance. Raise "
                "max_iter or tol, or standardise the features.",
                ConvergenceWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SABFGS(SoftmaxLearner):
    """Maximum entropy model of label distributions by a quasi-Newton search (SA-BFGS).

    P = softmax(XW) minimises the Kullback-Leibler divergence from the training distributions, −ΣD log P + constant.

    Parameters
    ----------
    fit_intercept : bool, default=False
        The published model has none.
    solver : {"lbfgs", "bfgs"}, default="lbfgs"
        ``"lbfgs"``: limited-memory BFGS in coordinates in which the features are uncorrelated. ``"bfgs"``: the
        published full BFGS, whose matrix has (n_features · n_labels)² entries.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is this share of what it is at W = 0; for ``"lbfgs"`` in the
        coordinates of its search, so that the features' units do not count.
    max_iter : int, default=1000

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    n_iter_ : int
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SABFGS
    >>> X, D = make_artificial(500, random_state=0)
    >>> SABFGS().fit(X, D).predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"lbfgs", "bfgs"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        fit_intercept: bool = False,
        solver: Literal["lbfgs", "bfgs"] = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SABFGS:
        """Learn from features and distributions; a row of weight w counts as w equal rows."""
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        weight = check_weights(sample_weight, X)
        unit = column_units(X)
        X, center = self._with_intercept_column(divide_columns(X, unit))
        loss = CrossEntropy(X, D, None if weight is None else weight[:, None])
        search = self._search_published if self.solver == "bfgs" else self._search
        W, n_iter, converged = search(loss, (X.shape[1], D.shape[1]))
        self._keep(W, center, n_iter, converged, unit)
        return self

    def _search(self, loss: CrossEntropy, shape: tuple[int, int]) -> tuple[Array, int, bool]:
        precondition = Preconditioner.of(loss.curvature())
        start = np.zeros((precondition.T.shape[1], shape[1]))
        solution = minimize_lbfgs(
            precondition.compose(loss.value_and_gradient), start, tol=self.tol, max_iter=self.max_iter
        )
        return precondition.T @ solution.X, solution.n_iter, solution.converged

    def _search_published(self, loss: CrossEntropy, shape: tuple[int, int]) -> tuple[Array, int, bool]:
        def flat(w: Array) -> tuple[float, Array]:
            value, gradient = loss.value_and_gradient(w.reshape(shape))
            return value, gradient.ravel()

        start = np.zeros(shape[0] * shape[1])
        gradient_tolerance = self.tol * float(np.abs(flat(start)[1]).max())
        options: Any = {**WOLFE_CONSTANTS, "gtol": gradient_tolerance, "maxiter": self.max_iter}
        result = minimize(flat, start, jac=True, method="BFGS", options=options)
        return result.x.reshape(shape), int(result.nit), bool(np.abs(result.jac).max() <= gradient_tolerance)


class SAIIS(SoftmaxLearner):
    """Maximum entropy model of label distributions by improved iterative scaling (SA-IIS).

    The same model and the same minimum as `SABFGS`. Scaling by itself needs hundreds to thousands of updates. Over
    uncorrelated combinations of the features, and with Anderson's acceleration, which combines the last few updates, it
    needs a dozen on the Yeast sets.

    Parameters
    ----------
    memory : int, default=20
        How many updates acceleration combines. 0 is the published, plain scaling of the features as they are.
    fit_intercept : bool, default=False
        The published model has none.
    tol : float, default=1e-4
        Stop when the largest violation of a constraint Σ p x = Σ d x is this share of what it is at W = 0. In plain
        scaling that says little of features with small numbers.
    max_iter : int, default=1000

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    n_iter_ : int
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    References
    ----------
    X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE Transactions on
    Pattern Analysis and Machine Intelligence 35(10), 2013.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SAIIS
    >>> X, D = make_artificial(500, random_state=0)
    >>> SAIIS().fit(X, D).predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "memory": [Interval(Integral, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, memory: int = 20, fit_intercept: bool = False, tol: float = 1e-4, max_iter: int = 1000
    ) -> None:
        self.memory = memory
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SAIIS:
        """Learn from features and distributions; a row of weight w counts as w equal rows."""
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        weight = check_weights(sample_weight, X)
        unit = column_units(X)
        X, center = self._with_intercept_column(divide_columns(X, unit))
        row_weight = None if weight is None else weight[:, None]
        T = Preconditioner.of(CrossEntropy(X, D, row_weight).curvature()).T if self.memory else None
        problem = ScalingProblem(X if T is None else X @ T, D, row_weight)
        solution = scale_iteratively(problem, tol=self.tol, max_iter=self.max_iter, memory=self.memory)
        W = solution.W if T is None else T @ solution.W
        self._keep(W, center, solution.n_iter, solution.converged, unit)
        return self
