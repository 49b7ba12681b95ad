"""BD-LE: label enhancement by the bidirectional loss."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist.enhancement.base import LabelEnhancer
from labeldist.exceptions import VanishingGraphWarning, warn
from labeldist.features.graph import laplacian, neighbor_graph
from labeldist.features.kernel import gaussian, resolve_bandwidth, squared_distances
from labeldist.features.scaling import mean_and_scale
from labeldist.simplex import OUTPUT_MAPS, Array, OutputMap, to_distributions
from labeldist.solvers.bidirectional import EnhancementLoss, minimize_exactly
from labeldist.solvers.lbfgs import minimize_lbfgs

VANISHING_WEIGHT = 1e-3
"""A neighbour graph whose median weight is below this cannot pull most rows anywhere."""


class BDLE(LabelEnhancer):
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
    solver : {"auto", "exact", "lbfgs"}, default="auto"
        ``"exact"`` solves the Sylvester equation; ``"lbfgs"`` searches for the same minimum as the paper does, at many
        times the cost. ``"auto"`` is ``"exact"``.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`. Softmax, as published, suits labels
        of which several are on at once; where one is on at a time it is flat, and ``"project"`` is the better choice.
    temperature : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Where ``solver="lbfgs"`` starts: at zero if None, else at a draw from the standard normal distribution.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.
    label_names_ : list of str
    dual_coef_ : ndarray of shape (n_samples, n_labels)
        W but for its last row: the weight of each training row's kernel value.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training rows, standardised if `scale`.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises a feature; 0 and 1 if not `scale`.
    bandwidth_ : float or None
        The kernel's s; None for a kernel without one.
    solver_ : str
        The solver that was used.
    residual_ : float
        How well W solves its equation: the relative residual of the Sylvester equation, or the relative gradient that
        L-BFGS stopped at.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Memory grows as n², time as n³: 2,000 rows take a second or two, 8,000 most of a minute. Beyond, fit on a sample and
    `transform` the rest.

    With α = 0 the coefficients are not unique and the ones of minimum norm are taken; the training rows' distributions
    do not depend on that choice, those of new rows do.

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
        "reconstruction": [Interval(Real, 0, None, closed="left")],
        "smoothness": [Interval(Real, 0, None, closed="left")],
        "kernel": [StrOptions({"rbf", "linear"}), callable],
        "bandwidth": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "graph_width": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
        "scale": ["boolean"],
        "solver": [StrOptions({"auto", "exact", "lbfgs"})],
        "output": [StrOptions(set(OUTPUT_MAPS))],
        "temperature": [Interval(Real, 0, None, closed="left")],
        "floor": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
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
        solver: Literal["auto", "exact", "lbfgs"] = "auto",
        output: OutputMap = "softmax",
        temperature: float = 1.0,
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
        self.output = output
        self.temperature = temperature
        self.floor = floor
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BDLE:
        """Recover the label distributions of the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Logical labels: 1 where a label describes the row, 0 where not.
        """
        self._validate_params()
        X, L = self._check_features_and_labels(X, y)
        loss = self._loss(X, L)
        W = self._minimise(loss)
        self.dual_coef_, self.intercept_ = W[:-1], W[-1]
        self.label_distributions_ = self._distributions(loss.features @ W)
        return self

    def transform(self, X: Any) -> Array:
        """Return the label distributions that the fitted map gives to new rows, which need no labels."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        kernel = self._kernel_with_training((X - self.mean_) / self.scale_)
        return self._distributions(kernel @ self.dual_coef_ + self.intercept_)

    def _loss(self, X: Array, L: Array) -> EnhancementLoss:
        """Standardise, and set up the loss whose minimum is sought."""
        n, m = X.shape
        mean, scale = mean_and_scale(X) if self.scale else (np.zeros(m), np.ones(m))
        self.mean_, self.scale_ = mean, scale
        self.X_fit_ = (X - mean) / scale
        features = np.empty((n, n + 1))
        features[:, :n] = self._training_kernel()
        features[:, n] = 1
        graph = self._laplacian(L.shape[1]) if self.smoothness else None
        return EnhancementLoss(features, L, self.reconstruction, self.smoothness, graph)

    def _training_kernel(self) -> Array:
        self.bandwidth_: Any = None
        if self.kernel != "rbf":
            return self._kernel_with_training(self.X_fit_)
        squared = squared_distances(self.X_fit_)
        self.bandwidth_ = resolve_bandwidth(self.bandwidth, squared)
        return gaussian(squared, self.bandwidth_)

    def _kernel_with_training(self, X: Array) -> Array:
        """Kernel values between standardised rows and the training rows."""
        if callable(self.kernel):
            return np.asarray(self.kernel(X, self.X_fit_), dtype=np.float64)
        if self.kernel == "linear":
            return X @ self.X_fit_.T
        return gaussian(squared_distances(X, self.X_fit_), self.bandwidth_)

    def _laplacian(self, n_labels: int) -> Any:
        graph = neighbor_graph(self.X_fit_, self.n_neighbors or n_labels + 1, self.graph_width)
        median = float(np.median(graph.data)) if graph.nnz else 1.0
        if median < VANISHING_WEIGHT:
            warn(
                f"Half of the neighbour graph's weights are below {median:.1g}, so smoothness={self.smoothness:g} does "
                f"next to nothing: graph_width={self.graph_width:g} is small beside the distances between neighbours. "
                "Use graph_width='mean' for a graph that counts, or smoothness=0 to go without.",
                VanishingGraphWarning,
            )
        return laplacian(graph)

    def _minimise(self, loss: EnhancementLoss) -> Array:
        if self.solver == "lbfgs":
            return self._search(loss)
        minimum = minimize_exactly(loss)
        self.solver_, self.residual_ = "exact", minimum.residual
        return minimum.W

    def _search(self, loss: EnhancementLoss) -> Array:
        shape = loss.cross.shape
        if self.random_state is None:
            start = np.zeros(shape)
        else:
            start = check_random_state(self.random_state).standard_normal(shape)
        solution = minimize_lbfgs(loss.value_and_gradient, start)
        self.solver_, self.residual_ = "lbfgs", solution.gradient
        if not solution.converged:
            warn(
                f"L-BFGS stopped after {solution.n_iter} iterations at {solution.gradient:.1e} of the initial gradient "
                "and is not at the minimum. solver='exact' computes it.",
                ConvergenceWarning,
            )
        return solution.X

    def _distributions(self, scores: Array) -> Array:
        return to_distributions(scores, self.output, temperature=self.temperature, floor=self.floor)
