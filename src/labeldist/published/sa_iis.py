"""SA-IIS, the maximum entropy model of label distributions, and improved iterative scaling."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labeldist._compat import Interval
from labeldist._solvers.softmax_loss import CrossEntropy, preconditioner, softmax_and_log
from labeldist._typing import Array
from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import IterativeSoftmax

# Scaling steps use the exponential series up to the third power. For steps of at most
# LONGEST_STEP the remainder is below 0.3 %.
LONGEST_STEP = 0.5
NEWTON_STEPS = 4


class SAIIS(SampleWeightMixin, IterativeSoftmax):
    """Maximum entropy model of label distributions, fitted by improved iterative scaling (SA-IIS).

    Model and minimum are the same as in `SABFGS`. Uncorrelated combinations of the features and
    Anderson acceleration save most of the hundreds to thousands of updates of plain scaling.

    Parameters
    ----------
    memory : int, default=20
        Number of updates that Anderson acceleration combines. 0 is the published, plain scaling of
        the features.
    fit_intercept : bool, default=False
        Whether to fit an intercept. The published model has none.
    tol : float, default=1e-4
        Stop when the largest violation of a constraint Σ p x = Σ d x is at most this fraction of
        its value at W = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts (zero if ``fit_intercept=False``).
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SABFGS : The same model, fitted by a quasi-Newton method.

    References
    ----------
    X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE
    TPAMI 35(10), 2013.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import SAIIS
    >>> X, D = make_artificial(500, random_state=0)
    >>> SAIIS().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    _constraints = {"memory": [Interval(Integral, 0, None, closed="left")]}

    def __init__(
        self,
        *,
        memory: int = 20,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.memory = memory
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        X, center = self._with_intercept_column(X)
        row_weight = 1.0 if weight is None else weight[:, None]
        columns = X
        if self.memory:
            T = preconditioner(CrossEntropy(X, D, weight).curvature())
            columns = X @ T
        solution = scale_iteratively(
            ScalingProblem(columns, D, row_weight),
            tol=self.tol,
            max_iter=self.max_iter,
            memory=self.memory,
        )
        W = T @ solution.W if self.memory else solution.W
        self._store(W, center, solution.n_iter, solution.converged)


@dataclass(frozen=True)
class ScalingProblem:
    """The constraints Σ_i p_ij x_ik = Σ_i d_ij x_ik of the maximum entropy model.

    With s_i = Σ_k |x_ik|, improved iterative scaling changes w_kj by the root δ of

        Σ_i p_ij x_ik exp(δ · sign(x_ik) · s_i) = Σ_i d_ij x_ik.

    Neither this step nor a shorter one of the same sign lowers the likelihood. The left side is
    replaced by its series in δ. Its coefficients are four matrix products, instead of n·m·c
    exponentials.
    """

    X: Any  # (n, m), dense or sparse
    D: Array  # (n, c), distributions
    weight: Array | float = 1.0  # of each row, (n, 1)

    @cached_property
    def longest_row(self) -> float:
        """The largest s_i."""
        return float(self._row_lengths.max()) or 1.0

    @cached_property
    def target(self) -> Array:
        """XᵀD."""
        return self.X.T @ self._weighted_degrees

    def loss_and_update(self, W: Array) -> tuple[float, float, Array]:
        """Return the cross-entropy at W, the largest violation of a constraint, and the step."""
        P, log_P = softmax_and_log(self.X @ W)
        P *= self.weight
        constant, linear, quadratic, cubic = (power.T @ P for power in self._powers)
        violation = constant - self.target
        step = np.zeros_like(W)
        for _ in range(NEWTON_STEPS):
            square = step * step / 2
            cube = square * step / 3
            value = violation + step * linear + square * quadratic + cube * cubic
            slope = linear + step * quadratic + square * cubic
            with np.errstate(over="ignore"):  # the slope of a label without degrees is near zero
                step -= np.divide(value, slope, out=np.zeros_like(step), where=slope > 0)
            np.clip(step, -LONGEST_STEP, LONGEST_STEP, out=step)
        loss = -float(np.vdot(self._weighted_degrees, log_P))
        return loss, float(np.abs(violation).max(initial=0.0)), step / self.longest_row

    @cached_property
    def _row_lengths(self) -> Array:
        """The s_i."""
        return np.asarray(abs(self.X).sum(axis=1))

    @cached_property
    def _powers(self) -> list[Any]:
        """x_ik · (sign(x_ik) · s_i / max s)^r for r = 0, 1, 2, 3."""
        share = self._row_lengths / self.longest_row
        size = abs(self.X)
        return [
            self.X,
            sparse.diags_array(share) @ size,
            sparse.diags_array(share**2) @ self.X,
            sparse.diags_array(share**3) @ size,
        ]

    @cached_property
    def _weighted_degrees(self) -> Array:
        return self.D * self.weight


@dataclass(frozen=True)
class ScalingSolution:
    """Result of `scale_iteratively`."""

    W: Array  # (m, c)
    n_iter: int
    converged: bool


def scale_iteratively(
    problem: ScalingProblem, *, tol: float, max_iter: int, memory: int
) -> ScalingSolution:
    """Repeat the update of improved iterative scaling until the constraints hold.

    Stop if the largest violation of a constraint is at most `tol` times that at W = 0. Anderson
    acceleration combines an update with at most `memory` earlier ones; a combined step that
    increases the loss is rejected.
    """
    W = np.zeros(problem.target.shape)
    loss, violation, update = problem.loss_and_update(W)
    enough = tol * violation
    history: deque[tuple[Array, Array]] = deque(maxlen=int(memory) + 1)
    n_iter = 0
    while violation > enough and n_iter < max_iter:
        history.append((W, update))
        combined = _combine(history)
        result = problem.loss_and_update(combined)
        if result[0] > loss:
            history.clear()
            combined = W + update
            result = problem.loss_and_update(combined)
        W = combined
        loss, violation, update = result
        n_iter += 1
    return ScalingSolution(W, n_iter, converged=violation <= enough)


def _combine(history: deque[tuple[Array, Array]]) -> Array:
    """Return the next W from the last points and their updates, by Anderson acceleration.

    The last update is corrected by the combination of the earlier changes that explains it best in
    least squares.
    """
    W, update = history[-1]
    moves = np.diff([point for point, _ in history], axis=0)
    changes = np.diff([step for _, step in history], axis=0)
    share = linalg.lstsq(changes.reshape(len(changes), W.size).T, update.ravel(), cond=1e-10)[0]
    return W + (update - np.tensordot(share, moves + changes, axes=1))
