"""LDLLC: the maximum entropy model with the correlations between labels as a penalty."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from labeldist._compat import Interval
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import CrossEntropy, Preconditioner, squared_norm
from labeldist._typing import Array
from labeldist.learning._learner import check_weights
from labeldist.learning._softmax_learners import SoftmaxLearner

START_TOLERANCE = 1e-2


class LDLLC(SoftmaxLearner):
    """Label distribution learning by exploiting label correlations (LDLLC).

    With θ_j the coefficients of label j, P = softmax(Xθ) minimises

        −ΣD log P + λ₁‖θ‖² + λ₂ Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖,

    where corr is Pearson's: coefficients that correlate are drawn together, those that correlate negatively apart.

    Parameters
    ----------
    ridge : float, default=0.1
        λ₁, positive unless `correlation` is 0: without it the objective has no lower bound.
    correlation : float, default=0.01
        λ₂.
    fit_intercept : bool, default=False
        The published model has none. An intercept is not penalised.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient, in the coordinates of the search, is this share of what it is at
        the zero matrix.
    max_iter : int, default=1000

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    n_iter_ : int
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    The defaults of λ₁ and λ₂ are those of the authors' code. Its gradient does not match its objective; this one does.

    Features that are zero throughout, and with `fit_intercept` constant ones, have the coefficient 0 and do not count
    in the correlations.

    The penalty has kinks where two labels have equal coefficients or one has constant ones; it counts as 0 there. The
    search starts from the solution without it.

    References
    ----------
    X. Jia, W. Li, J. Liu, Y. Zhang. Label distribution learning by exploiting label correlations. AAAI 2018.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLLC
    >>> X, D = make_artificial(500, random_state=0)
    >>> LDLLC().fit(X, D).predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "ridge": [Interval(Real, 0, None, closed="left")],
        "correlation": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        ridge: float = 0.1,
        correlation: float = 0.01,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ridge = ridge
        self.correlation = correlation
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LDLLC:
        """Learn from features and distributions; a row of weight w counts as w equal rows."""
        self._validate_params()
        if self.correlation and not self.ridge:
            raise ValueError(
                "With correlation > 0 the objective has no lower bound unless ridge > 0: it falls for ever as "
                "negatively correlated coefficients grow. Give a positive ridge."
            )
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        weight = check_weights(sample_weight, X)
        X, center = self._with_intercept_column(X)
        loss = CrossEntropy(X, D, None if weight is None else weight[:, None])
        curvature = loss.curvature()
        # A feature that is zero throughout has the coefficient 0, and no place in the correlation of coefficients.
        penalised = np.flatnonzero(curvature.diagonal()[: X.shape[1] - self.fit_intercept] > 0)

        def objective(W: Array, correlation: float) -> tuple[float, Array]:
            value, gradient = loss.value_and_gradient(W)
            theta = W[penalised]
            norm, norm_gradient = squared_norm(theta)
            distance, distance_gradient = correlated_distance(theta) if correlation else (0.0, np.zeros_like(theta))
            gradient[penalised] += self.ridge * norm_gradient + correlation * distance_gradient
            return value + self.ridge * norm + correlation * distance, gradient

        curvature[penalised, penalised] += 2 * self.ridge
        precondition = Preconditioner.of(curvature)
        start, n_iter = np.zeros((precondition.T.shape[1], D.shape[1])), 0
        for correlation in dict.fromkeys([0.0, self.correlation]):
            solution = minimize_lbfgs(
                precondition.compose(partial(objective, correlation=correlation)),
                start,
                # The solution without the penalty is only a start for the one with it.
                tol=self.tol if correlation == self.correlation else max(self.tol, START_TOLERANCE),
                max_iter=max(self.max_iter - n_iter, 1),
            )
            start, n_iter = solution.X, n_iter + solution.n_iter
        self._keep(precondition.T @ solution.X, center, n_iter, solution.converged)
        return self


def correlated_distance(theta: Array) -> tuple[float, Array]:
    """Return Σ_{i<j} corr(θ_i, θ_j) · ‖θ_i − θ_j‖ over pairs of columns, and its gradient.

    A pair without a correlation or a distance, because a column is constant or the two are equal, counts as 0.
    """
    if not theta.size:
        return 0.0, theta
    centred = theta - theta.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    correlation = unit.T @ unit
    distance = cdist(theta.T, theta.T)
    pull = np.divide(correlation, distance, out=np.zeros_like(distance), where=distance > 0)
    along = unit @ distance - unit * (distance * correlation).sum(axis=0)
    gradient = np.divide(along, norms, out=np.zeros_like(along), where=norms > 0)
    gradient += theta * pull.sum(axis=0) - theta @ pull
    return float((correlation * distance).sum() / 2), gradient
