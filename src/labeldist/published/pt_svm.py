"""PT-SVM: support vector machines for pairs of labels, Platt's sigmoid and pairwise coupling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from labeldist._compat import Interval, StrOptions
from labeldist._constraints import COUNT, POSITIVE
from labeldist._kernels.kernels import squared_distances
from labeldist._solvers.scaling import check_squarable, column_means
from labeldist._typing import Array
from labeldist.exceptions import warn
from labeldist.learning._learner import DistributionLearner
from labeldist.published._problem_transformation import (
    SAMPLING_CONSTRAINT,
    Sampling,
    example_weights,
)
from labeldist.simplex import normalize

TOLERANCE = 1e-9  # largest relative gap and residuals of a solution
MAX_STEPS = 200
SIGNS = np.array([[1.0], [-1.0]])  # of the classes of u and v
STEP_SHARE = 0.995  # share of the way to the nearest bound that a step may take
# Weights are raised to this share of the largest, so that every box has an interior.
LEAST_WEIGHT = 1e-10
# Smaller differences of decision values are within the tolerance of the solver.
ROUNDING_SPREAD = 1e-6


class PTSVM(DistributionLearner):
    """Support vector machines for label distributions (PT-SVM, problem transformation).

    Every row becomes one example of each label, weighted by its degree. For each pair of labels a
    C-SVC with the kernel exp(−γ‖x − y‖²) is fitted to the examples of both, and a sigmoid turns its
    decision values into probabilities (Platt). Pairwise coupling combines the probabilities into a
    distribution. LIBSVM uses the same two steps.

    Parameters
    ----------
    C : float, default=0.1
        Weight of the hinge loss of an example of degree 1.
    gamma : float, "scale" or "auto", default=0.01
        γ. ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    kernel_tolerance : float, default=1e-4
        Largest error of an entry of the low-rank approximation of the kernel matrix, if `max_rank`
        allows.
    max_rank : int, default=200
        Maximum rank of the approximation. Time grows as the square of the rank.
    sampling : {"exact", "draw"}, default="exact"
        ``"exact"`` weights the examples by the degrees. ``"draw"`` draws n_samples · n_labels
        examples, as published.
    random_state : int, RandomState instance or None, default=None
        Determines the examples of ``sampling="draw"``.

    Attributes
    ----------
    gamma_ : float
        γ as a number.
    pivots_ : ndarray of shape (rank, n_features)
        Training rows that span the approximation of the kernel.
    pairs_ : list of tuple of int
        Pairs of labels.
    dual_coef_, intercept_ : ndarray of shape (n_pairs, rank) and (n_pairs,)
        The decision values k(x, pivots) · dual_coef + intercept are positive for the first label.
    sigmoid_ : ndarray of shape (n_pairs, 2)
        A and B: the probability of the first label is 1 / (1 + exp(−A·value − B)).
    gap_ : ndarray of shape (n_pairs,)
        Upper bound of the distance of each objective from its minimum, relative to the weight of
        the examples.

    See Also
    --------
    PTBayes : Bayes classifier on the same examples.

    Notes
    -----
    The sigmoids are fitted to the decision values of the training rows. The cross-validated ones
    of LIBSVM gave worse results. With the published `C` and `gamma` and features of a small spread,
    many pairs predict the mean degrees.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
    2016.

    T.-F. Wu et al. Probability estimates for multi-class classification by pairwise coupling. JMLR
    5, 2004.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import PTSVM
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTSVM().fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE],
        "kernel_tolerance": [Interval(Real, 0, 1, closed="neither")],
        "max_rank": COUNT,
        "sampling": SAMPLING_CONSTRAINT,
    }
    _accepts_sparse = False

    def __init__(
        self,
        C: float = 0.1,
        *,
        gamma: float | Literal["scale", "auto"] = 0.01,
        kernel_tolerance: float = 1e-4,
        max_rank: int = 200,
        sampling: Sampling = "exact",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.kernel_tolerance = kernel_tolerance
        self.max_rank = max_rank
        self.sampling = sampling
        self.random_state = random_state

    def _fit(self, X: Array, D: Array) -> None:
        X = X.astype(np.float64)
        weights = example_weights(D, None, self.sampling, self.random_state).T.copy()
        self.gamma_ = self._gamma(X)
        Z, pivots = gaussian_factor(X, self.gamma_, self.kernel_tolerance, self.max_rank)
        self.pivots_ = X[pivots]
        self._occurring = np.flatnonzero(weights.any(axis=1))
        self.pairs_ = list(combinations(self._occurring.tolist(), 2))
        n_pairs = len(self.pairs_)
        coefs = np.empty((n_pairs, len(pivots)))
        self.intercept_ = np.empty(n_pairs)
        self.sigmoid_ = np.empty((n_pairs, 2))
        self.gap_ = np.empty(n_pairs)
        n_unfinished = 0
        for i, pair in enumerate(self.pairs_):
            pair_weights = weights[list(pair)]
            machine = solve_two_sided_svm(Z, self.C * pair_weights)
            coefs[i] = machine.coef
            self.intercept_[i] = machine.intercept
            self.gap_[i] = machine.gap
            self.sigmoid_[i] = fit_sigmoid(Z @ machine.coef + machine.intercept, pair_weights)
            n_unfinished += not machine.converged
        self.dual_coef_ = solve_triangular(Z[pivots], coefs.T, lower=True, trans="T").T
        if n_unfinished:
            warn(
                f"PTSVM did not converge for {n_unfinished} of {n_pairs} pairs of labels. "
                "Use a smaller C or gamma.",
                ConvergenceWarning,
            )

    def _gamma(self, X: Array) -> float:
        """Return γ as a number."""
        n_features = X.shape[1]
        if self.gamma == "scale":
            return 1 / (n_features * (float(X.var()) or 1.0))
        if self.gamma == "auto":
            return 1 / n_features
        return float(self.gamma)

    def _predict(self, X: Array) -> Array:
        check_squarable(X)
        kernel = np.exp(-self.gamma_ * squared_distances(X, self.pivots_))
        values = kernel @ self.dual_coef_.T + self.intercept_
        probability = expit(values * self.sigmoid_[:, 0] + self.sigmoid_[:, 1])
        n_occurring = len(self._occurring)
        first, second = np.triu_indices(n_occurring, 1)  # in the order of `pairs_`
        R = np.zeros((len(X), n_occurring, n_occurring))
        R[:, first, second] = probability
        R[:, second, first] = 1 - probability
        degrees = np.zeros((len(X), len(self.label_names_)))
        degrees[:, self._occurring] = couple_pairwise(R)
        return normalize(degrees)


def gaussian_factor(X: Array, gamma: float, tol: float, max_rank: int) -> tuple[Array, Array]:
    """Return Z and the pivots of the greedily pivoted Cholesky decomposition ZZᵀ ≈ K.

    K_ij = exp(−γ‖x_i − x_j‖²). Every entry of K − ZZᵀ is at most `tol`, unless `max_rank` columns
    are reached first. The next pivot is the row with the largest residual. For a small tolerance
    this needs the fewest columns; for few columns `draw_pivots` is better. ``Z[pivots]`` is lower
    triangular. For any row x, k(x, X[pivots]) times its inverse transpose is the row of Z.
    """
    n = len(X)
    limit = min(n, max_rank)
    X = X - column_means(X)
    norms = (X**2).sum(axis=1)
    residual = np.ones(n)
    Z = np.empty((n, limit))
    pivots: list[int] = []
    while len(pivots) < limit and residual.max() > tol:
        # All residuals are equal at first. The outermost row is the first pivot, whatever the order
        # of the rows.
        pivot = int((residual if pivots else norms).argmax())
        rank = len(pivots)
        squared = np.maximum(norms + norms[pivot] - 2 * (X @ X[pivot]), 0)
        squared[pivot] = 0  # rounding of large numbers may give another value
        with np.errstate(over="ignore"):  # an infinite distance has weight 0
            column = np.exp(-gamma * squared)
        column -= Z[:, :rank] @ Z[pivot, :rank]
        column /= np.sqrt(residual[pivot])
        column[pivots] = 0  # exactly, not only up to rounding
        Z[:, rank] = column
        residual -= column**2
        residual[pivot] = 0
        pivots.append(pivot)
    return np.ascontiguousarray(Z[:, : len(pivots)]), np.array(pivots)


@dataclass(frozen=True)
class SVMSolution:
    """Result of `solve_two_sided_svm`."""

    coef: Array  # w, (rank,)
    intercept: float  # b
    # Complementarity gap over the total weight; bounds the relative distance to the minimum.
    gap: float
    converged: bool  # whether the gap and the residuals are within the tolerance


def solve_two_sided_svm(Z: Array, weights: Array) -> SVMSolution:
    """Minimise ½‖w‖² + Σ_i p_i (1 − f_i)₊ + q_i (1 + f_i)₊ over w and b, where f = Zw + b.

    This is C-SVC with every row i in both classes, with weights p_i and q_i. The dual has variables
    u_i in [0, p_i] and v_i in [0, q_i] with Σu = Σv and w = Zᵀ(u − v). It is solved by the
    primal-dual interior-point method with Mehrotra's corrector (Fine and Scheinberg 2001) in about
    twenty steps. Both examples of a row share its row of Z, so a step costs about n·rank²
    multiplications, while C-SVC on 2n examples has a kernel matrix of 4n² entries.

    Z, of shape (n, rank), is a factor of the kernel matrix, K = ZZᵀ. The rows of `weights`, of
    shape (2, n), are p and q, which have a positive entry.
    """
    n, rank = Z.shape
    Z = np.column_stack([Z, np.ones(n)])  # the last coefficient is the intercept
    # Division of the objective by the largest weight makes the upper bounds of the dual variables
    # at most one.
    unit = weights.max()
    upper = np.maximum(weights / unit, LEAST_WEIGHT)
    penalty = np.append(np.full(rank, 1 / unit), 0.0)
    total = upper.sum()
    # x, of shape (2, n), holds u and v, which start in the interior with equal sums.
    sums = upper.sum(axis=1, keepdims=True)
    x = upper * (sums.min() / sums / 2)
    theta = np.zeros(rank + 1)
    multipliers = np.ones((2, 2, n))  # of the lower and the upper bounds of x
    for n_steps in range(MAX_STEPS + 1):
        slacks = np.stack([x, upper - x])  # distances from the bounds
        dual = SIGNS * (Z @ theta) - 1 - multipliers[0] + multipliers[1]
        primal = penalty * theta - Z.T @ (x[0] - x[1])
        gap = total_product(slacks, multipliers) / total
        converged = max(gap, np.abs(dual).max(), np.abs(primal).max() / total) <= TOLERANCE
        if converged or n_steps == MAX_STEPS:
            break
        solve = newton_solver(Z, penalty, slacks, multipliers, dual, primal)
        _, d_slacks, d_multipliers = solve(0.0)
        length = longest_step(slacks, multipliers, d_slacks, d_multipliers)
        ahead = total_product(slacks + length * d_slacks, multipliers + length * d_multipliers)
        center = (ahead / total / gap) ** 3 * gap * total / (2 * x.size)
        d_theta, d_slacks, d_multipliers = solve(center - d_multipliers * d_slacks)
        length = STEP_SHARE * longest_step(slacks, multipliers, d_slacks, d_multipliers)
        theta = theta + length * d_theta
        x = x + length * d_slacks[0]
        multipliers = multipliers + length * d_multipliers
    return SVMSolution(theta[:-1], float(theta[-1]), gap, bool(converged))


def newton_solver(
    Z: Array, penalty: Array, slacks: Array, multipliers: Array, dual: Array, primal: Array
) -> Callable[[Array | float], tuple[Array, Array, Array]]:
    """Return a function that computes Newton steps from the given point of `solve_two_sided_svm`.

    Its argument are the products of slacks and multipliers that the step aims at, and its results
    the changes of θ, of the slacks and of the multipliers. Elimination of all unknowns except dθ
    leaves the matrix diag(penalty) + ZᵀΩZ, where Ω sums the inverse curvatures of u and v of each
    row.
    """
    ratios = multipliers / slacks
    curvature = ratios.sum(axis=0)
    normal = (Z.T * (1 / curvature).sum(axis=0)) @ Z
    normal[np.diag_indices_from(normal)] += penalty
    factor = cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)

    def solve(products: Array | float) -> tuple[Array, Array, Array]:
        aims = products / slacks - multipliers
        rho = aims[0] - aims[1] - dual
        right = Z.T @ (SIGNS * rho / curvature).sum(axis=0) - primal
        d_theta = cho_solve(factor, right, check_finite=False)
        d_x = (rho - SIGNS * (Z @ d_theta)) / curvature
        d_slacks = np.stack([d_x, -d_x])
        return d_theta, d_slacks, aims - ratios * d_slacks

    return solve


def longest_step(slacks: Array, multipliers: Array, d_slacks: Array, d_multipliers: Array) -> float:
    """Return the longest step, at most 1, that keeps slacks and multipliers positive."""
    fastest = max((-d_slacks / slacks).max(), (-d_multipliers / multipliers).max())
    return 1 / max(1.0, float(fastest))


def total_product(slacks: Array, multipliers: Array) -> float:
    """Return the sum of the products, which is zero at the solution."""
    return float((slacks * multipliers).sum(axis=(1, 2)).sum())


def fit_sigmoid(f: Array, weights: Array) -> tuple[float, float]:
    """Return A and B such that σ(Af + B) is the probability of the positive class (Platt 2000).

    They minimise the cross-entropy of rows that are positive with weight p_i and negative with
    weight q_i, by Newton's method. The targets are (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1
    and 0, where N± are the total weights, so that A stays finite. A is 0 if the decision values f
    differ only by rounding. f has shape (n,), and the rows of `weights`, (2, n), are p and q.
    """
    positive, negative = weights
    n_positive, n_negative = weights.sum(axis=1)
    weight = positive + negative
    center = float(np.average(f, weights=weight))
    spread = float(np.abs(f - center).max())
    if spread <= ROUNDING_SPREAD:
        return 0.0, float(np.log((n_positive + 1) / (n_negative + 1)))
    values = ((f - center) / spread)[:, None]
    # Every row is an example of both classes.
    target = positive * (n_positive + 1) / (n_positive + 2) + negative / (n_negative + 2)
    classes = np.repeat([1, 0], len(f))
    class_weight = np.concatenate([target, weight - target])
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
    model.fit(np.vstack([values, values]), classes, class_weight)
    slope = float(model.coef_[0, 0]) / spread
    return slope, float(model.intercept_[0]) - slope * center


def couple_pairwise(R: Array) -> Array:
    """Minimise Σ_{j<k} (r_kj p_j − r_jk p_k)² over p on the simplex, for each row.

    This is the second method of Wu, Lin and Weng (2004). R has shape (n, c, c): r_jk is the
    probability of label j given j or k, and the diagonal is zero. The minimiser solves a linear
    system of size c + 1.
    """
    n, c, _ = R.shape
    diagonal = np.arange(c)
    system = np.ones((n, c + 1, c + 1))
    system[:, :c, :c] = -R * R.transpose(0, 2, 1)
    system[:, diagonal, diagonal] = (R**2).sum(axis=1)
    system[:, c, c] = 0
    right = np.append(np.zeros(c), 1.0)[:, None]
    return np.maximum(np.linalg.solve(system, right)[:, :c, 0], 0)
