"""BD-LE: label enhancement by the bidirectional loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.kernels import mean_pairwise_distance
from labeldist._kernels.low_rank_factors import KernelPivots, draw_pivots
from labeldist._solvers.bidirectional_enhancement import EnhancementLoss
from labeldist._solvers.lbfgs import LBFGSSolution
from labeldist._solvers.row_blocks import row_blocks
from labeldist._typing import Array
from labeldist.enhancement._bdle_low_rank import minimize_low_rank
from labeldist.enhancement._enhancer import NewRowsMixin, ScoringEnhancer
from labeldist.enhancement._kernel_model import KernelModelMixin
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap

EXACT_ROWS = 2_000  # the exact solution takes a second or two
FEASIBLE_ROWS = 10_000  # it takes two minutes and a few gigabytes
WORTHWHILE = 3  # a rank above n / 3 costs as much as the exact solution
SAMPLE_ROWS = 10_000  # sample size of the mean distance between rows
LOW_RANK_WORK = 10**12  # the largest n·rank², about half a minute of matrix products


class BDLE(KernelModelMixin, NewRowsMixin, ScoringEnhancer):
    """Bidirectional label enhancement (BD-LE).

    A kernel model maps features to labels and, with the same coefficients, labels back to features.
    A neighbour graph penalises differences between the scores of similar rows:

        min over W of  ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix with a column of ones, L are the logical labels and S is
    the Laplacian of the graph. The minimiser is the solution of a Sylvester equation. The scores ΦW
    are mapped to distributions.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        α, the weight of the reconstruction of the features from the labels. 0 gives the
        unidirectional method, UD-LE.
    smoothness : float, default=1e-3
        λ, the weight of the neighbour graph.
    kernel : {"rbf", "linear"} or callable, default="rbf"
        A callable maps two arrays of rows to the matrix of their kernel values.
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)); ``"mean"`` is the mean distance between training rows.
    n_neighbors : int or None, default=None
        Neighbours of each row in the graph; None is the number of labels plus one, as published.
    graph_width : float or "mean", default=1.0
        Bandwidth of the weights of the graph; ``"mean"`` is the mean distance between neighbours.
        The published width is 1. With many independent features nearly all weights then vanish, and
        a `VanishingGraphWarning` is issued.
    scale : bool, default=True
        Whether to standardise the features.
    solver : {"auto", "exact", "low_rank", "lbfgs"}, default="auto"
        ``"exact"`` solves the Sylvester equation. ``"lbfgs"`` is the iterative search of the
        paper, at many times the cost. ``"low_rank"`` approximates the kernel matrix, so that time
        and memory grow linearly with the rows. ``"auto"`` is ``"exact"`` up to 2,000 rows, and up
        to 10,000 rows for `reconstruction` 0, callable kernels and ranks above a third of the rows;
        otherwise ``"low_rank"``.
    rank_tolerance : float, default=1e-3
        Largest relative error of the low-rank kernel matrix in the Frobenius norm. The rank is at
        least 500 if the rows allow it.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum. For rows with a single positive label the
        published softmax is too flat, and ``"project"`` is better.
    sharpness : float, default=1.0
        Factor of the scores in the softmax.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Start of ``solver="lbfgs"``: zero if None, otherwise drawn from the standard normal
        distribution. Seed of the rows that ``solver="low_rank"`` draws; None is a fixed seed.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    dual_coef_ : ndarray of shape (n_samples, n_labels) or (rank, n_labels)
        W without its last row: the weight of the kernel value with each row of `X_fit_`.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features) or (rank, n_features)
        The training rows, standardised if `scale` is True; for ``"low_rank"`` only those that were
        drawn.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and scale of each feature; 0 and 1 if `scale` is False.
    bandwidth_ : float or None
        The s of the kernel; None for other kernels.
    solver_ : str
        The solver that was used.
    rank_, kernel_error_ : int and float, or None
        Number of rows that ``"low_rank"`` drew, and estimated relative error of its kernel matrix.
        The error exceeds `rank_tolerance` if the cost limits the rank: n·rank² is at most 10¹².
    residual_ : float
        Relative residual of the Sylvester equation, or final relative gradient of L-BFGS.
    condition_ : float or None
        Condition number of the Sylvester equation; None for L-BFGS and for ``reconstruction=0``. An
        `AccuracyWarning` is issued if fewer than four digits of W are left.

    See Also
    --------
    BayesLE : The default enhancer, by the posterior mean of the degrees.
    labeldist.published.GLLE : The loss without reconstruction.

    Notes
    -----
    With ``"exact"`` memory grows as n² and time as n³; with ``"low_rank"`` memory grows as n·rank
    and time as n·rank². Beyond 20,000 rows with more than ten features the neighbours of
    ``"low_rank"`` are approximate if the extra ``neighbors`` (faiss) is installed. Beyond 10,000
    rows ``bandwidth="mean"`` is the mean distance between 10,000 of the rows. With α = 0 the
    coefficients have minimum norm.

    References
    ----------
    X. Liu et al. Bidirectional loss function for label enhancement and distribution learning. KBS
    213, 2021.

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(200, random_state=0)
    >>> BDLE().fit_transform(X, binarize(D))[:2].round(2)
    array([[0.2 , 0.36, 0.44],
           [0.22, 0.44, 0.34]])
    """

    _constraints = {
        "solver": [StrOptions({"auto", "exact", "low_rank", "lbfgs"})],
        "rank_tolerance": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        reconstruction: float = 1e-3,
        smoothness: float = 1e-3,
        *,
        kernel: Literal["rbf", "linear"] | Callable[[Array, Array], Array] = "rbf",
        bandwidth: float | Literal["mean"] = "mean",
        n_neighbors: int | None = None,
        graph_width: float | Literal["mean"] = 1.0,
        scale: bool = True,
        solver: Literal["auto", "exact", "low_rank", "lbfgs"] = "auto",
        rank_tolerance: float = 1e-3,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.reconstruction = reconstruction
        self.smoothness = smoothness
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.scale = scale
        self.solver = solver
        self.rank_tolerance = rank_tolerance
        self.output = output
        self.sharpness = sharpness
        self.floor = floor
        self.random_state = random_state

    def _score(self, X: Array, L: Array) -> Array:
        self._kernel = self.kernel
        self.rank_: int | None = None
        self.kernel_error_: float | None = None
        if self.solver in ("auto", "low_rank"):
            pivots = self._pivots(X)
            if pivots is not None:
                return self._score_by_low_rank(X, L, pivots)
        return self._score_by_kernel(X, L)

    def _pivots(self, X: Array) -> KernelPivots | None:
        """Draw the rows of the low-rank approximation; return None to solve exactly instead."""
        n = len(X)
        max_rank = min(n, math.isqrt(LOW_RANK_WORK // n))
        exact_is_feasible = self.solver == "auto" and n <= FEASIBLE_ROWS
        if exact_is_feasible:
            unsuitable = self.reconstruction == 0 or callable(self.kernel)
            if n <= EXACT_ROWS or unsuitable:
                return None
            max_rank = n // WORTHWHILE
        generator = check_random_state(0 if self.random_state is None else self.random_state)
        self.bandwidth_ = None if self.kernel != "rbf" else self.bandwidth
        if self.bandwidth_ == "mean":
            self.bandwidth_ = sampled_mean_distance(X, generator)
        pivots = draw_pivots(self._kernel_values, X, self.rank_tolerance, max_rank, generator)
        if exact_is_feasible and pivots.error > self.rank_tolerance:
            return None
        return pivots

    def _score_by_low_rank(self, X: Array, L: Array, pivots: KernelPivots) -> Array:
        self.solver_ = "low_rank"
        self.rank_ = len(pivots.rows)
        self.kernel_error_ = pivots.error
        self.X_fit_ = X[pivots.rows]
        minimum = minimize_low_rank(
            lambda rows: self._kernel_values(X[rows], self.X_fit_),
            pivots.factor,
            L,
            self.reconstruction,
            self.smoothness,
            self._laplacian(X, L.shape[1]),
        )
        self.dual_coef_ = minimum.dual
        self.intercept_ = minimum.intercept
        self._set_accuracy(minimum.residual, minimum.condition)
        blocks = row_blocks(len(X), len(self.X_fit_))
        return np.vstack([self._scores_of(X[rows]) for rows in blocks])

    def _search(self, loss: EnhancementLoss, **options: Any) -> LBFGSSolution:
        solution = super()._search(loss, **options)
        if not solution.converged:
            message = (
                f"L-BFGS did not converge in {solution.n_iter} iterations. Use solver='exact'."
            )
            warn(message, ConvergenceWarning)
        return solution


def sampled_mean_distance(X: Array, generator: np.random.RandomState) -> float:
    """Return `mean_pairwise_distance` of at most `SAMPLE_ROWS` random rows.

    It is accurate to a few thousandths.
    """
    if len(X) > SAMPLE_ROWS:
        X = X[generator.choice(len(X), SAMPLE_ROWS, replace=False)]
    return mean_pairwise_distance(X)
