"""Base class of the learners that are fitted from sums over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, overload

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labeldist._solvers.moments import Moments
from labeldist._solvers.scaling import too_large_message
from labeldist._typing import Array
from labeldist._validation import is_lazy
from labeldist.learning._dask_blocks import Block, DaskCollection, blocks_of, predict_blocks
from labeldist.learning._learner import NO_WEIGHT, DistributionLearner


class BlockLearner(DistributionLearner):
    """Base class of the learners of sums over blocks of rows.

    They can be fitted to a table in memory, and to Dask collections, whose predictions are lazy.
    """

    _squares_features = False  # the statistics show which features are too large or not finite
    _checks_finite = False
    _fit_blocks: Callable[[list[Block]], Self]
    _fit_rows: Callable[[Any, Any, Any], Self]  # of X, y and the weights

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to features and label distributions.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            The features. Dask collections are read block by block; their predictions are lazy Dask
            collections.
        y : array-like or Dask collection of shape (n_samples, n_labels)
            Non-negative degrees. Each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w equal rows: in all losses, means and scores, and in the
            scaling.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        if is_lazy(X):
            return self._fit_blocks(blocks_of(X, y, sample_weight))
        return self._fit_rows(X, y, sample_weight)

    @overload
    def predict(self, X: DaskCollection) -> Any: ...

    @overload
    def predict(self, X: Any) -> Array: ...

    def predict(self, X: Any) -> Any:
        if not is_lazy(X):
            return super().predict(X)
        check_is_fitted(self)
        return predict_blocks(self, X)


def block_moments(_: int, X: Any, D: Array, weight: Array | None) -> Moments:
    """Return the statistics of a block; its number has no effect."""
    return Moments.of(X, D, weight)


def check_moments(moments: Moments) -> None:
    """Raise an error for statistics without weight and for those that overflow."""
    if moments.weight == 0:
        raise ValueError(NO_WEIGHT)
    overflown = np.flatnonzero(~np.isfinite(moments.xx.diagonal()))
    if overflown.size:
        raise ValueError(too_large_message(overflown[0]))
