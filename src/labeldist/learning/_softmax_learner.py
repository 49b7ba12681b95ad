"""Base class of the softmax learners."""

from __future__ import annotations

from typing import Any

from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.simplex import softmax


class SoftmaxLearner(DistributionLearner):
    """Base class of the learners whose model is P = softmax(XW + 1bᵀ)."""

    def _predict(self, X: Any) -> Array:
        return softmax(linear_scores(X, self.coef_, self.intercept_))
