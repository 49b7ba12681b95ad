"""Learners from incomplete distributions, in which degrees are missing: IncomLDL, WInLDL and WSLDL-MCSC."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np

from labeldist import _validation as validation
from labeldist._compat import POSITIVE, Interval, StrOptions
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.proximal import ColumnSpace, CompletedTable, IncompleteDegrees
from labeldist._solvers.scaling import mean_and_scale
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.learning._bdldl import FLOOR_SHARE
from labeldist.learning._learner import DistributionEstimator, linear_scores, report_convergence
from labeldist.learning._softmax_learners import SoftmaxLearner
from labeldist.simplex import project, to_distributions

Solver = Literal["admm", "apg"]
Floor = float | Literal["auto"]


class LinearLearner(SoftmaxLearner):
    """Base class of the learners that predict scores XW + 1bᵀ, projected on the simplex and raised to a floor."""

    _constraints = {"floor": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")]}
    _accepts_sparse = False

    floor: Floor

    def _store(self, W: Array, center: Array, n_iter: int, converged: bool) -> None:
        super()._store(W, center, n_iter, converged)
        self.floor_ = FLOOR_SHARE / W.shape[1] if self.floor == "auto" else self.floor

    def _predict(self, X: Any) -> Array:
        return to_distributions(linear_scores(X, self.coef_, self.intercept_), "project", floor=self.floor_)


class IncomLDL(LinearLearner):
    """Label distribution learning from incomplete distributions, by low rank (IncomLDL).

    With Ω = 1 for observed and 0 for missing degrees, and P = XW + 1bᵀ, it minimises over W and b

        ½‖Ω∘(P − D)‖² + λ‖P‖_*  subject to rows of P that are distributions.

    The nuclear norm ‖P‖_*, the sum of the singular values, favours predictions of low rank.

    Parameters
    ----------
    low_rank : float, default=1.0
        λ. The authors choose it from 2⁻¹⁰, …, 2¹⁰.
    solver : {"admm", "apg"}, default="admm"
        ``"admm"``: alternating direction method of multipliers, which finds the minimum. ``"apg"``: accelerated
        proximal gradient with a projection after each step, as published. It is faster, but need
        not end at the minimum.
    floor : float or "auto", default="auto"
        Predicted degrees below it are raised to it before a row is divided by its sum. ``"auto"`` is a tenth of the
        uniform degree, 0.1 / n_labels.
    tol : float, default=1e-4
        Relative tolerance of the residuals (``"admm"``) or of the change of P in a step (``"apg"``).
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        Coefficients Wᵀ, and intercepts.
    floor_, n_iter_ : float, int
        Floor of `predict`, and number of iterations.

    See Also
    --------
    WInLDL : Weights that depend on the degrees, instead of low rank.
    WSLDLMCSC : Missing degrees of rows that are fitted together, without a rule for new rows.

    Notes
    -----
    Missing degrees are NaN. Complete rows are divided by their sums. The degrees of a row with NaN are not; they sum to
    at most one. Rows with NaN only count in the nuclear norm and the constraints.

    The objective is that of the paper. The intercept makes the constraints feasible. The units of the features have no
    effect. The published ADMM solves for W by least squares from the copy on the simplex. This is not a step of the
    method: it may end above the minimum, or at negative degrees. ``"admm"`` has one copy for each of both terms
    instead. The published ``"apg"`` has a line search; here the step follows from an orthonormal basis of the features.
    Predictions of new rows may be negative, hence the projection. A very large λ makes all rows uniform.

    References
    ----------
    M. Xu, Z.-H. Zhou. Incomplete label distribution learning. IJCAI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import IncomLDL
    >>> X, D = make_artificial(500, random_state=0)
    >>> D[np.random.default_rng(0).random(D.shape) < 0.5] = np.nan
    >>> IncomLDL().fit(X, D).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"solver": [StrOptions({"admm", "apg"})]}
    _accepts_missing = True

    def __init__(
        self,
        low_rank: float = 1.0,
        *,
        solver: Solver = "admm",
        floor: Floor = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.low_rank, self.solver, self.floor, self.tol, self.max_iter = low_rank, solver, floor, tol, max_iter

    def _fit(self, X: Array, D: Array) -> None:
        observed = ~np.isnan(D)
        space = ColumnSpace.of(X)
        objective = IncompleteDegrees(space, np.where(observed, D, 0), observed * 1.0, self.low_rank)
        solve = objective.minimize if self.solver == "admm" else objective.descend
        solution = solve(tol=self.tol, max_iter=self.max_iter)
        self._store(space.coefficients(solution.x), space.mean, solution.n_iter, solution.converged)


class WInLDL(LinearLearner):
    """Label distribution learning from incomplete distributions, with weights of the degrees (WInLDL).

    With P = XW + 1bᵀ and a weight a^(1 − d_ij) for an observed degree d_ij, it minimises over W and b

        ½ Σ_{ij observed} (a^(1 − d_ij) (p_ij − d_ij))²  subject to rows of P that are distributions.

    Parameters
    ----------
    base : float, default=2.0
        a. Larger values give more weight to small degrees. 1 is least squares.
    floor, tol, max_iter : as in `IncomLDL`

    Attributes
    ----------
    coef_, intercept_, floor_, n_iter_ : as in `IncomLDL`

    See Also
    --------
    IncomLDL : Equal weights and predictions of low rank, which need fewer observed degrees per feature.

    Notes
    -----
    Missing degrees are NaN, as in `IncomLDL`. The method rests on public code, python-ldl, and on the abstract; the
    method section of the paper was not available. That code replaces missing degrees by the current predictions, with
    weights that grow with the iterations and with the mean degree of the label. At its fixed point these terms vanish,
    so they are omitted here. It also ignores the weights in its projection on the simplex, and adds 1e-5 to the
    diagonal of XᵀX.

    References
    ----------
    X. Li, S. Chen. Weighted incomplete label distribution learning. arXiv and AAAI, 2023 to 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from labeldist.learning import WInLDL
    >>> D = [[0.7, 0.3, 0.0], [np.nan, 0.5, np.nan], [0.1, np.nan, 0.6]]
    >>> WInLDL().fit([[0.0], [1.0], [2.0]], D).predict([[0.5]]).shape
    (1, 3)
    """

    _constraints = {"base": [Interval(Real, 1, None, closed="left")]}
    _accepts_missing = True

    def __init__(self, base: float = 2.0, *, floor: Floor = "auto", tol: float = 1e-4, max_iter: int = 1000) -> None:
        self.base, self.floor, self.tol, self.max_iter = base, floor, tol, max_iter

    def _fit(self, X: Array, D: Array) -> None:
        observed = ~np.isnan(D)
        target, space = np.where(observed, D, 0), ColumnSpace.of(X)
        objective = IncompleteDegrees(space, target, np.where(observed, self.base ** (2 - 2 * target), 0), 0.0)
        solution = objective.minimize(tol=self.tol, max_iter=self.max_iter)
        self._store(space.coefficients(solution.x), space.mean, solution.n_iter, solution.converged)


class WSLDLMCSC(DistributionEstimator):
    """Weakly supervised label distribution learning by matrix completion and sample correlations (WSLDL-MCSC).

    The table of features and degrees of all rows is completed: Z = [A, Y], where A are features and a column of ones,
    minimises, with M = 1 for observed and 0 for missing degrees and the Laplacian G of a graph of neighbours,

        μ‖Z‖_* + ½‖A − [X, 1]‖² + γ‖M∘(Y − D)‖² + λ tr(YᵀGY) + ½‖Y1 − 1‖².

    The method is transductive: rows without degrees are passed to `fit` together with the others. There is no rule for
    further rows, and the degrees of a row depend on the rows it is passed with.

    Parameters
    ----------
    low_rank : float, default=0.01
        μ.
    fidelity : float, default=0.1
        γ, positive.
    smoothness : float, default=1.0
        λ.
    n_neighbors : int, default=5
        Number of neighbours of a row in the graph.
    scale : bool, default=True
        Whether to standardise the features. Neighbours, and the nuclear norm, depend on their units.
    tol : float, default=1e-4
        Relative tolerance of the residuals of the alternating direction method.
    max_iter : int, default=200
        Maximum number of iterations.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The rows of Y, projected on the simplex.
    n_iter_ : int

    See Also
    --------
    IncomLDL : A linear model from incomplete distributions.
    labeldist.enhancement.LP : Propagation of logical labels over a graph.

    Notes
    -----
    Missing degrees are NaN, as in `IncomLDL`. An iteration takes about 4 n_samples (n_features + n_labels)²
    multiplications: reduce thousands of features first, for instance by ``PCA``.

    The objective is that of the authors' code. Its edges are weighted by cosine distances; here their weights are
    exp(−‖x_i − x_j‖² / (2w²)), where w is the mean distance between neighbours. In that code a degree of zero counts as
    missing, and the answers may not be distributions.

    References
    ----------
    X. Jia et al. Weakly supervised label distribution learning based on transductive matrix completion with sample
    correlations. Pattern Recognition Letters 125, 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import WSLDLMCSC
    >>> X, D = make_artificial(500, random_state=0)
    >>> WSLDLMCSC().fit_predict(X[:400], D[:400], X[400:]).shape
    (100, 3)
    """

    _constraints = {"fidelity": POSITIVE}
    _accepts_sparse = False
    _accepts_missing = True

    def __init__(
        self,
        low_rank: float = 0.01,
        fidelity: float = 0.1,
        smoothness: float = 1.0,
        *,
        n_neighbors: int = 5,
        scale: bool = True,
        tol: float = 1e-4,
        max_iter: int = 200,
    ) -> None:
        self.low_rank, self.fidelity, self.smoothness = low_rank, fidelity, smoothness
        self.n_neighbors, self.scale, self.tol, self.max_iter = n_neighbors, scale, tol, max_iter

    def fit_predict(self, X: Any, y: Any, X_new: Any = None) -> Array:
        """Fit to rows with and without degrees together, and return the distributions of the latter.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features of the rows with degrees.
        y : array-like of shape (n_samples, n_labels)
            Their degrees, of which some may be NaN.
        X_new : array-like of shape (n_new, n_features), default=None
            The features of the rows without degrees, in the same columns.

        Returns
        -------
        ndarray of shape (n_new, n_labels)
            The last rows of `label_distributions_`. Without `X_new` all of them.
        """
        if X_new is None:
            return self.fit(X, y).label_distributions_
        self._validate_params()
        validation.check_rows(X_new=X_new)
        X, D = self._check_features_and_distributions(X, y)
        validation.check_feature_order(self, X_new)
        new = validation.validated(self, X_new, reset=False, **self._table_options())
        with threads_for(len(X) + len(new), X.shape[1] + D.shape[1]):
            self._fit(np.vstack([X, new]), np.vstack([D, np.full((len(new), D.shape[1]), np.nan)]))
        return self.label_distributions_[len(X) :]

    def _fit(self, X: Array, D: Array) -> None:
        if self.scale:
            mean, scale = mean_and_scale(X)
            X = (X - mean) / scale
        observed = ~np.isnan(D)
        graph = laplacian(neighbor_graph(X, self.n_neighbors, "mean"))
        strengths = self.low_rank, self.fidelity, self.smoothness
        objective = CompletedTable(X, np.where(observed, D, 0), observed * 1.0, graph, *strengths)
        solution = objective.minimize(tol=self.tol, max_iter=self.max_iter)
        self.label_distributions_ = project(solution.x)
        report_convergence(self, solution.n_iter, solution.converged)
