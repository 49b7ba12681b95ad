"""Base class of the learners that predict linear scores, projected on the simplex."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

from labeldist._compat import Interval, StrOptions
from labeldist._typing import Array
from labeldist.learning._learner import (
    DistributionLearner,
    default_floor,
    linear_scores,
    report_convergence,
)
from labeldist.simplex import to_distributions

Floor = float | Literal["auto"]


class LinearLearner(DistributionLearner):
    """Base class of the learners that predict XW + 1bᵀ, projected on the simplex.

    Predicted degrees below the parameter `floor` are raised to it.
    """

    _constraints = {"floor": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")]}
    _accepts_sparse = False

    floor: Floor

    def _store(self, W: Array, intercept: Array, center: Array, solution: Any) -> None:
        """Set the attributes of the scores (X − center) W + intercept; report the convergence."""
        self.coef_ = W.T.copy()
        self.intercept_ = intercept - center @ W
        self.floor_ = default_floor(len(intercept)) if self.floor == "auto" else self.floor
        report_convergence(self, solution.n_iter, solution.converged)

    def _predict(self, X: Any) -> Array:
        scores = linear_scores(X, self.coef_, self.intercept_)
        return to_distributions(scores, "project", floor=self.floor_)
