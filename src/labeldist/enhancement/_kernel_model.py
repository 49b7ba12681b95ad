"""The kernel model of BD-LE and GLLE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from labeldist._compat import COUNT, StrOptions
from labeldist._kernels.kernels import gaussian_between, gaussian_kernel
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.bidirectional import EnhancementLoss, minimize_exactly, minimum_over_groups
from labeldist._solvers.lbfgs import LBFGSSolution, minimize_lbfgs
from labeldist._solvers.low_rank import row_blocks
from labeldist._solvers.sylvester import FEW_DIGITS
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.enhancement._enhancer import NewRowsMixin
from labeldist.exceptions import IllConditionedWarning, VanishingGraphWarning, warn

# A warning is issued if the median weight of the neighbour graph is smaller, or the relative residual larger.
VANISHING_WEIGHT = LARGE_RESIDUAL = 1e-3
LARGE_EXCESS = 0.01  # and if the loss exceeds its minimum by this share of ‖L‖²


class KernelModelMixin(NewRowsMixin):
    """Mixin of the scoring enhancers with scores ΦW, Φ = [K, 1], that minimise a loss over a neighbour graph."""

    _constraints = {"kernel": [StrOptions({"rbf", "linear"}), callable], "n_neighbors": [*COUNT, None]}

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
        self.dual_coef_, self.intercept_ = W[:-1], W[-1]
        return loss.features @ W

    def _loss(self, X: Array, L: Array) -> EnhancementLoss:
        self.X_fit_, self.bandwidth_ = X, None
        if self.kernel == "rbf":
            kernel, self.bandwidth_ = gaussian_kernel(X, self.bandwidth)
        else:
            kernel = self._kernel_values(X, X)
        features = np.column_stack([kernel, np.ones(len(X))])
        graph = self._laplacian(X, L.shape[1]) if self.smoothness else None
        return EnhancementLoss(features, L, self.reconstruction, self.smoothness, graph)

    def _scores_of(self, X: Array) -> Array:
        """Return the scores of standardised rows."""
        return self._kernel_values(X, self.X_fit_) @ self.dual_coef_ + self.intercept_

    def _kernel_values(self, X: Array, Y: Array) -> Array:
        """Return the kernel values between standardised rows."""
        if callable(self._kernel):
            return np.array(self._kernel(X, Y), dtype=np.float64)  # a copy, since the callable may reuse its array
        if self._kernel == "linear":
            return X @ Y.T
        return gaussian_between(X, Y, self.bandwidth_)

    def _laplacian(self, X: Array, n_labels: int) -> Any:
        graph = neighbor_graph(X, self.n_neighbors or n_labels + 1, self.graph_width)
        median = float(np.median(graph.data)) if graph.nnz else 1.0
        if median < VANISHING_WEIGHT:
            problem = f"Half of the weights of the neighbour graph are below {median:.1g}"
            advice = f"graph_width={self.graph_width:g} is too small. Use graph_width='mean', or smoothness=0."
            warn(f"{problem}, so smoothness has little effect: {advice}", VanishingGraphWarning)
        return laplacian(graph)

    def _solve(self, loss: EnhancementLoss) -> Array:
        minimum = minimize_exactly(loss)
        self.solver_ = "exact"
        self._set_accuracy(minimum.residual, minimum.condition)
        if self.kernel == "rbf" and not self.reconstruction:
            self._check_minimum(loss, minimum.W)
        return minimum.W

    def _check_minimum(self, loss: EnhancementLoss, W: Array) -> None:
        """Warn if rounding of the Gaussian kernel, which is invertible on distinct rows, keeps W from the minimum."""
        _, group = np.unique(self.X_fit_, axis=0, return_inverse=True)
        reached = loss.value_and_gradient(W)[0]
        minimum = minimum_over_groups(loss.labels, group.ravel(), loss.smoothness, loss.laplacian)
        if reached - minimum > LARGE_EXCESS * np.vdot(loss.labels, loss.labels):
            problem = f"so the loss is {reached:.3g}; in exact arithmetic its minimum is {minimum:.3g}"
            advice = f"Decrease bandwidth, which is {self.bandwidth_:.3g}."
            warn(f"The kernel matrix is numerically singular, {problem}. {advice}", IllConditionedWarning)

    def _set_accuracy(self, residual: float, condition: float | None) -> None:
        """Set the residual and the condition number; warn if they are large."""
        self.residual_, self.condition_ = residual, condition
        if residual > LARGE_RESIDUAL or (condition or 1.0) > FEW_DIGITS:
            number = "" if condition is None else f", condition number {condition:.1e}"
            problem = f"The coefficients have few correct digits (relative residual {residual:.1e}{number})"
            advice = "the kernel matrix is nearly singular. Increase reconstruction, or decrease bandwidth."
            warn(f"{problem}: {advice}", IllConditionedWarning)

    def _search(self, loss: EnhancementLoss, **options: Any) -> LBFGSSolution:
        """Minimise by L-BFGS, from zero or from a draw of the standard normal distribution."""
        start = np.zeros(loss.cross.shape)
        if self.random_state is not None:
            start = check_random_state(self.random_state).standard_normal(start.shape)
        solution = minimize_lbfgs(loss.value_and_gradient, start, **options)
        self.solver_, self.residual_, self.condition_ = "lbfgs", solution.gradient, None
        return solution
