"""What the kernel enhancers BD-LE and GLLE share: all but the weight of the way back and how far to search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.kernels import gaussian_between, gaussian_kernel
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.bidirectional import EnhancementLoss, minimize_exactly
from labeldist._solvers.low_rank import row_blocks
from labeldist._solvers.sylvester import FEW_DIGITS
from labeldist._typing import Array
from labeldist._validation import check_feature_order, validated
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import IllConditionedWarning, VanishingGraphWarning, warn

VANISHING_WEIGHT = 1e-3
"""A neighbour graph whose median weight is below this cannot pull most rows anywhere."""

LARGE_RESIDUAL = 1e-3
"""With such a share of the gradient left, scores are off by as much."""


class KernelEnhancer(ScoringEnhancer):
    """Base of the enhancers with scores ΦW, Φ = [K, 1], that minimise a bidirectional loss over a neighbour graph."""

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **ScoringEnhancer._parameter_constraints,
        "smoothness": [Interval(Real, 0, None, closed="left")],
        "kernel": [StrOptions({"rbf", "linear"}), callable],
        "bandwidth": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "graph_width": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    reconstruction: float = 0.0
    smoothness: float
    kernel: Literal["rbf", "linear"] | Callable[[Array, Array], Array]
    bandwidth: float | Literal["mean"]
    n_neighbors: int | None
    graph_width: float | Literal["mean"]
    solver: str
    random_state: int | np.random.RandomState | None

    def _score(self, X: Array, L: Array) -> Array:
        loss = self._loss(X, L)
        W = self._minimise(loss)
        self.dual_coef_, self.intercept_ = W[:-1], W[-1]
        return loss.features @ W

    def transform(self, X: Any) -> Array:
        """Return the label distributions that the fitted map gives to new rows, which need no labels."""
        check_is_fitted(self)
        check_feature_order(self, X)
        X = validated(self, X, reset=False, dtype=np.float64)
        scores = np.empty((len(X), len(self.intercept_)))
        for rows in row_blocks(len(X), len(self.X_fit_)):
            scores[rows] = self._scores_of(self._standardised(X[rows]))
        return self._distributions(scores)

    def _scores_of(self, X: Array) -> Array:
        """Scores of standardised rows."""
        return self._kernel_values(X, self.X_fit_) @ self.dual_coef_ + self.intercept_

    def _loss(self, X: Array, L: Array) -> EnhancementLoss:
        """Set up the loss whose minimum is sought."""
        self.X_fit_, n = X, len(X)
        features = np.empty((n, n + 1))
        features[:, :n] = self._training_kernel()
        features[:, n] = 1
        graph = self._laplacian(X, L.shape[1]) if self.smoothness else None
        return EnhancementLoss(features, L, self.reconstruction, self.smoothness, graph)

    def _training_kernel(self) -> Array:
        self.bandwidth_: Any = None
        if self.kernel != "rbf":
            return self._kernel_values(self.X_fit_, self.X_fit_)
        kernel, self.bandwidth_ = gaussian_kernel(self.X_fit_, self.bandwidth)
        return kernel

    def _kernel_values(self, X: Array, Y: Array) -> Array:
        """Kernel values between standardised rows."""
        if callable(self.kernel):
            return np.array(self.kernel(X, Y), dtype=np.float64)  # a copy: the callable may keep its own
        if self.kernel == "linear":
            return X @ Y.T
        return gaussian_between(X, Y, self.bandwidth_)

    def _laplacian(self, X: Array, n_labels: int) -> Any:
        graph = neighbor_graph(X, self.n_neighbors or n_labels + 1, self.graph_width)
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
        self.solver_ = "exact"
        self._note_accuracy(minimum.residual, minimum.condition)
        return minimum.W

    def _note_accuracy(self, residual: float, condition: float | None) -> None:
        """Note how well the coefficients were computed, and tell if that is not well."""
        self.residual_, self.condition_ = residual, condition
        if residual > LARGE_RESIDUAL or (condition or 1.0) > FEW_DIGITS:
            number = "" if condition is None else f", condition number {condition:.1e}"
            warn(
                f"The coefficients have few digits (relative residual {residual:.1e}{number}): the kernel matrix is "
                f"all but singular, and reconstruction={self.reconstruction:g} too small to help. A larger one, or a "
                "smaller bandwidth, does.",
                IllConditionedWarning,
            )

    @abstractmethod
    def _search(self, loss: EnhancementLoss) -> Array:
        """Return the W that L-BFGS finds, and note how far it came."""

    def _start(self, loss: EnhancementLoss) -> Array:
        """Where a search starts: at zero, or at a draw from the standard normal distribution."""
        shape = loss.cross.shape
        if self.random_state is None:
            return np.zeros(shape)
        return check_random_state(self.random_state).standard_normal(shape)
