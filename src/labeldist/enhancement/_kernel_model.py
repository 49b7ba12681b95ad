"""The kernel model of BD-LE and GLLE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from labeldist._compat import StrOptions
from labeldist._constraints import COUNT
from labeldist._kernels.kernels import gaussian_between, gaussian_kernel
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.bidirectional_enhancement import EnhancementLoss, minimize_exactly
from labeldist._solvers.lbfgs import LBFGSSolution, minimize_lbfgs
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.sylvester import FEW_DIGITS
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.exceptions import AccuracyWarning, VanishingGraphWarning, warn

# A warning is issued if the median weight of the neighbour graph is smaller, or the relative
# residual larger.
VANISHING_WEIGHT = 1e-3
LARGE_RESIDUAL = 1e-3


class KernelModelMixin:
    """Mixin of the scoring enhancers with scores ΦW, Φ = [K, 1], and a neighbour graph."""

    _constraints = {
        "kernel": [StrOptions({"rbf", "linear"}), callable],
        "n_neighbors": [*COUNT, None],
    }

    reconstruction: float = 0.0
    smoothness: float
    kernel: Literal["rbf", "linear"] | Callable[[Array, Array], Array]
    bandwidth: float | Literal["mean"]
    n_neighbors: int | None
    graph_width: float | Literal["mean"]
    solver: str
    random_state: int | np.random.RandomState | None
    bandwidth_: Any  # None unless the kernel is Gaussian
    _kernel: Any  # the kernel of the last fit
    _standardised: Callable[[Array], Array]
    _distributions: Callable[[Array], Array]

    def _predict(self, X: Array) -> Array:
        scores = np.empty((len(X), len(self.intercept_)))
        for rows in row_blocks(len(X), len(self.X_fit_)):
            with threads_for(len(X), len(self.X_fit_)):
                scores[rows] = self._scores_of(self._standardised(X[rows]))
        return self._distributions(scores)

    def _score_by_kernel(self, X: Array, L: Array) -> Array:
        loss = self._loss(X, L)
        W = self._search(loss).X if self.solver == "lbfgs" else self._solve(loss)
        self.dual_coef_ = W[:-1]
        self.intercept_ = W[-1]
        return loss.features @ W

    def _loss(self, X: Array, L: Array) -> EnhancementLoss:
        self.X_fit_ = X
        self.bandwidth_ = None
        if self.kernel == "rbf":
            kernel, self.bandwidth_ = gaussian_kernel(X, self.bandwidth)
        else:
            kernel = self._kernel_values(X, X)
        features = np.column_stack([kernel, np.ones(len(X))])
        graph = self._laplacian(X, L.shape[1])
        return EnhancementLoss(features, L, self.reconstruction, self.smoothness, graph)

    def _scores_of(self, X: Array) -> Array:
        """Return the scores of standardised rows."""
        return self._kernel_values(X, self.X_fit_) @ self.dual_coef_ + self.intercept_

    def _kernel_values(self, X: Array, Y: Array) -> Array:
        """Return the kernel values between standardised rows."""
        if callable(self._kernel):  # copied, since the callable may reuse its array
            return np.array(self._kernel(X, Y), dtype=np.float64)
        if self._kernel == "linear":
            return X @ Y.T
        return gaussian_between(X, Y, self.bandwidth_)

    def _laplacian(self, X: Array, n_labels: int) -> Any:
        """Return the Laplacian of the neighbour graph, or None if it has no weight."""
        if not self.smoothness:
            return None
        graph = neighbor_graph(X, self.n_neighbors or n_labels + 1, self.graph_width)
        median = float(np.median(graph.data)) if graph.nnz else 1.0
        if median < VANISHING_WEIGHT:
            message = (
                f"Half of the weights of the neighbour graph are below {median:.1g}, so smoothness "
                f"has little effect: graph_width={self.graph_width:g} is too small. Use "
                "graph_width='mean', or smoothness=0."
            )
            warn(message, VanishingGraphWarning)
        return laplacian(graph)

    def _solve(self, loss: EnhancementLoss) -> Array:
        minimum = minimize_exactly(loss)
        self.solver_ = "exact"
        self._set_accuracy(minimum.residual, minimum.condition)
        return minimum.W

    def _set_accuracy(self, residual: float, condition: float | None) -> None:
        """Set the residual and the condition number; warn if they are large."""
        self.residual_ = residual
        self.condition_ = condition
        number = condition or 1.0
        if residual > LARGE_RESIDUAL or number > FEW_DIGITS:
            message = (
                f"The coefficients have few correct digits (relative residual {residual:.1e}, "
                f"condition number {number:.1e}): the kernel matrix is nearly singular. Increase "
                "reconstruction, or decrease bandwidth."
            )
            warn(message, AccuracyWarning)

    def _search(self, loss: EnhancementLoss, **options: Any) -> LBFGSSolution:
        """Minimise by L-BFGS, from zero or from a draw of the standard normal distribution."""
        start = np.zeros(loss.cross.shape)
        if self.random_state is not None:
            start = check_random_state(self.random_state).standard_normal(start.shape)
        solution = minimize_lbfgs(loss.value_and_gradient, start, **options)
        self.solver_ = "lbfgs"
        self.residual_ = solution.gradient
        self.condition_ = None
        return solution
