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
from labeldist._kernels.kernels import sampled_mean_distance
from labeldist._kernels.low_rank_factors import KernelPivots, draw_pivots
from labeldist._solvers.bidirectional import EnhancementLoss
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.low_rank import minimize_low_rank, row_blocks
from labeldist._typing import Array
from labeldist.enhancement._kernel_enhancer import KernelEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import OutputMap

EXACT_ROWS = 2_000
"""Up to so many rows the exact solution takes a second or two, and ``solver="auto"`` is exact."""

FEASIBLE_ROWS = 10_000
"""Up to so many rows the exact solution can be had at all, in a minute or two and a few gigabytes."""

WORTHWHILE = 3
"""A rank of more than one row in three is no cheaper than the exact solution."""

LOW_RANK_WORK = 10**12
"""n·rank² is at most this: what a product of matrices takes half a minute for."""


class BDLE(KernelEnhancer):
    """Bidirectional label enhancement (BD-LE).

    A kernel model maps features to labels and, with the same coefficients, labels back to features, while a
    neighbour graph keeps the scores of similar rows similar:

        min over W of  ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix beside a column of ones, L are the logical labels and S is the Laplacian of
    the graph. The minimiser solves a Sylvester equation, so it is computed, not searched for. Its scores ΦW become
    distributions by softmax.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        α, the weight of the way back from labels to features. 0 gives the unidirectional method, UD-LE.
    smoothness : float, default=1e-3
        λ, the weight of the neighbour graph.
    kernel : {"rbf", "linear"} or callable, default="rbf"
        A callable takes two arrays of rows and returns the matrix of their kernel values.
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)) of the rbf kernel; ``"mean"`` is the mean distance between training rows.
    n_neighbors : int or None, default=None
        Neighbours of each row in the graph; None is one more than there are labels, as published.
    graph_width : float or "mean", default=1.0
        The same as `bandwidth` for the weights of the graph, where ``"mean"`` is the mean distance between neighbours.
        1.0 is the published width. With many independent features it lets nearly all weights vanish, of which a
        warning tells.
    scale : bool, default=True
        Whether to standardise the features first.
    solver : {"auto", "exact", "low_rank", "lbfgs"}, default="auto"
        ``"exact"`` solves the Sylvester equation; ``"lbfgs"`` searches for the same minimum as the paper does, at many
        times the cost. ``"low_rank"`` solves the equation of an approximate kernel matrix, whose size is its rank: it
        takes time and memory in proportion to the rows. ``"auto"`` is ``"exact"`` up to 2,000 rows and
        ``"low_rank"`` beyond, unless ``"exact"`` is the better choice up to 10,000 rows: where the rank would be more
        than a third of the rows, where `reconstruction` is 0, and for a callable kernel.
    rank_tolerance : float, default=1e-3
        How far ``solver="low_rank"`` may be from the kernel matrix: the Frobenius norm of the difference as a share of
        the matrix's. A rank of 500 is taken in any case, as far as rows are independent. The default
        keeps all six measures within 1 % of the exact ones on the thirteen benchmark sets.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`. Softmax, as published, suits labels
        of which several are on at once; where one is on at a time it is flat, and ``"project"`` is the better choice.
    sharpness : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Where ``solver="lbfgs"`` starts: at zero if None, else at a draw from the standard normal distribution. Which
        rows ``solver="low_rank"`` draws; None is a fixed seed, so that fits can be repeated.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.
    label_names_ : list of str
    dual_coef_ : ndarray of shape (n_samples, n_labels) or (rank, n_labels)
        The weight of the kernel value with each row of `X_fit_`: W but for its last row, unless by low rank.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features) or (rank, n_features)
        The training rows, standardised if `scale`; by low rank those of them that were drawn.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises a feature; 0 and 1 if not `scale`.
    bandwidth_ : float or None
        The kernel's s; None for a kernel without one.
    solver_ : str
        The solver that was used.
    rank_ : int or None
        How many rows ``"low_rank"`` drew; None for the other solvers.
    kernel_error_ : float or None
        An estimate of what `rank_tolerance` limits. It is larger than that where the rank is limited by work: n·rank²
        is at most 10¹², a rank of 1,000 for a million rows.
    residual_ : float
        How well W solves its equation: the relative residual of the Sylvester equation, or the relative gradient that
        L-BFGS stopped at.
    condition_ : float or None
        The condition number of the Sylvester equation: by how much it magnifies rounding. A warning tells if it leaves
        less than four digits of W. None for L-BFGS and without reconstruction, where the scores are solved for first.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    ``"exact"`` takes memory as n², time as n³: 2,000 rows a second or two, 8,000 most of a minute. ``"low_rank"``
    takes memory as n·rank and time as n·rank², and never forms an n × n matrix; the rank is mostly a few hundred,
    however many the rows. Its neighbours are approximate beyond 20,000 rows of more than ten features, where the extra
    ``neighbors`` (faiss) is installed, and beyond 10,000 rows ``bandwidth="mean"`` is the mean distance of 10,000 of
    them. With α = 0 its scores depend on the rank, for nothing else limits them.

    With α = 0 the coefficients are not unique and the ones of minimum norm are taken, zero for rows that repeat others;
    the training rows' distributions do not depend on that choice, those of new rows do.

    The penalty of a row of W includes the intercept's: the column of ones is a feature like the others, in the
    published loss and here.

    References
    ----------
    X. Liu, J. Zhu, Q. Zheng, Z. Li, R. Liu, J. Wang. Bidirectional loss function for label enhancement and
    distribution learning. Knowledge-Based Systems 213, 2021.

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(200, random_state=0)
    >>> recovered = BDLE().fit_transform(X, binarize(D))
    >>> recovered.shape
    (200, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **KernelEnhancer._parameter_constraints,
        "reconstruction": [Interval(Real, 0, None, closed="left")],
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
        pivots = self._pivots(X)
        self.rank_: int | None = None
        self.kernel_error_: float | None = None
        if pivots is None:
            return super()._score(X, L)
        return self._score_by_low_rank(X, L, pivots)

    def _pivots(self, X: Array) -> KernelPivots | None:
        """Draw the rows to which the kernel is reduced, or None where it is not to be."""
        n, automatic = len(X), self.solver == "auto"
        if not automatic and self.solver != "low_rank":
            return None
        unsuitable = self.reconstruction == 0 or callable(self.kernel)
        if automatic and (n <= EXACT_ROWS or (n <= FEASIBLE_ROWS and unsuitable)):
            return None
        generator = check_random_state(0 if self.random_state is None else self.random_state)
        self.bandwidth_ = None
        if self.kernel == "rbf":
            given = self.bandwidth != "mean"
            self.bandwidth_ = float(self.bandwidth) if given else sampled_mean_distance(X, generator)
        max_rank = min(n, math.isqrt(LOW_RANK_WORK // n))
        exact_may_be_cheaper = automatic and n <= FEASIBLE_ROWS
        if exact_may_be_cheaper:
            max_rank = n // WORTHWHILE
        pivots = draw_pivots(self._kernel_values, X, self.rank_tolerance, max_rank, generator)
        return None if exact_may_be_cheaper and pivots.error > self.rank_tolerance else pivots

    def _score_by_low_rank(self, X: Array, L: Array, pivots: KernelPivots) -> Array:
        self.X_fit_ = X[pivots.rows]
        self.solver_, self.rank_, self.kernel_error_ = "low_rank", len(pivots.rows), pivots.error
        minimum = minimize_low_rank(
            lambda rows: self._kernel_values(X[rows], self.X_fit_),
            pivots.factor,
            L,
            self.reconstruction,
            self.smoothness,
            self._laplacian(X, L.shape[1]) if self.smoothness else None,
        )
        self.dual_coef_, self.intercept_ = minimum.dual, minimum.intercept
        self._note_accuracy(minimum.residual, minimum.condition)
        return np.vstack([self._scores_of(X[rows]) for rows in row_blocks(len(X), len(self.X_fit_))])

    def _search(self, loss: EnhancementLoss) -> Array:
        solution = minimize_lbfgs(loss.value_and_gradient, self._start(loss))
        self.solver_, self.residual_, self.condition_ = "lbfgs", solution.gradient, None
        if not solution.converged:
            warn(
                f"L-BFGS stopped after {solution.n_iter} iterations at {solution.gradient:.1e} of the initial gradient "
                "and is not at the minimum. solver='exact' computes it.",
                ConvergenceWarning,
            )
        return solution.X
