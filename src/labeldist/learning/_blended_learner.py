"""BlendedLearner: a log-linear pool of learners, with weights from held-out predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from labeldist import _validation as validation
from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist._typing import Array
from labeldist.learning._cross_validation import fit_copy, held_out, split_rows
from labeldist.learning._learner import (
    ONLY_NAMES,
    DistributionLearner,
    SampleWeightMixin,
    check_weights,
)
from labeldist.simplex import softmax

FLOOR = 1e-6  # Smaller predicted degrees are raised to it, because zero has no logarithm.
MIN_WEIGHT = 0.2  # Learners with smaller weights are left out.

Named = Sequence[tuple[str, Any]]


class BlendedLearner(SampleWeightMixin, DistributionLearner):
    """Combine the predictions of several learners in a log-linear pool.

    P ∝ Π_k P_k^{w_k}. The weights w ≥ 0 minimise the Kullback-Leibler divergence of predictions of
    held-out rows, which is a convex problem. Their sum is free: a sum below one makes predictions
    less certain. Predicted degrees are at least 1e-6 before they are pooled. Learners with a
    weight below 0.2 are dropped and the weights refitted until all are at least 0.2. The learner
    with the largest weight always stays.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Learners, or pipelines that end in one, by name.
    cv : int or splitter, default=5
        Number of shuffled folds for the held-out predictions, at most one per row, or a splitter
        that holds out each row once.
    random_state : int, RandomState instance or None, default=None
        Determines the folds if `cv` is an int.

    Attributes
    ----------
    weights_ : ndarray of shape (n_estimators,)
        The weights of `estimators`, 0 for those that are left out.
    estimators_ : list of (str, estimator)
        The learners with a positive weight, fitted on all rows.

    See Also
    --------
    choose_learner : It compares the blend of its candidates with each of them.

    References
    ----------
    C. Genest, J. V. Zidek. Combining probability distributions: a critique and an annotated
    bibliography. Statistical Science 1(1), 1986.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import BDLDL, BlendedLearner
    >>> from labeldist.published import AAKNN
    >>> X, D = make_artificial(300, random_state=0)
    >>> blend = BlendedLearner([("linear", BDLDL()), ("neighbours", AAKNN())], random_state=0)
    >>> [name for name, _ in blend.fit(X, D).estimators_]
    ['linear', 'neighbours']
    """

    _constraints = {"estimators": [list, tuple]}
    _squares_features = False

    def __init__(self, estimators: Named, *, cv: Any = 5, random_state: Any = None) -> None:
        self.estimators = estimators
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, D = self._check(X, y, sample_weight)
        weight = check_weights(sample_weight, D)
        folds = split_rows(X, D, self.cv, validation.random_generator(self.random_state))
        predictions = []
        for _, learner in self.estimators:
            predictions.append(held_out(learner, X, D, cv=folds, sample_weight=weight))
        return self._fit_learners(X, D, weight, pool_weights(predictions, D, weight))

    def _fit_with_weights(self, X: Any, y: Any, sample_weight: Any, weights: Array) -> Self:
        """Fit the learners with known weights of the pool, for `choose_learner`."""
        X, D = self._check(X, y, sample_weight)
        return self._fit_learners(X, D, check_weights(sample_weight, D), weights)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array]:
        """Validate parameters and training data."""
        self._validate_params()
        if not self.estimators:
            raise ValueError("estimators must name at least one learner.")
        return self._check_features_and_distributions(X, y, sample_weight)

    def _table_options(self, X: Any) -> dict[str, Any]:  # noqa: ARG002
        return ONLY_NAMES  # the learners validate the features

    def _fit_learners(self, X: Any, D: Array, weight: Array | None, weights: Array) -> Self:
        """Fit the learners with a positive weight in the pool."""
        fitted = []
        for (name, learner), share in zip(self.estimators, weights, strict=True):
            if share:
                fitted.append((name, fit_copy(learner, X, D, weight)))
        self.weights_ = weights
        self.estimators_ = fitted
        return self

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        predictions = [learner.predict(X) for _, learner in self.estimators_]
        return pool(predictions, self.weights_[self.weights_ > 0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(learner).input_tags for _, learner in self.estimators]
        tags.input_tags.sparse = all(one.sparse for one in inner)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inner)
        return tags


def pool(predictions: Sequence[Array], weights: Array) -> Array:
    """Return the log-linear pool of distributions."""
    return softmax(_logarithms(predictions) @ weights)


def pool_weights(predictions: Sequence[Array], D: Array, weight: Array | None = None) -> Array:
    """Return the weights, at least one of them positive, that minimise the divergence from D."""
    logarithms = _logarithms(predictions)
    rows = np.ones(len(D)) if weight is None else weight
    share = rows / rows.sum()
    kept = np.arange(len(predictions))
    while True:
        found = _minimise_divergence(logarithms[:, :, kept], D, share)
        is_large = found >= min(MIN_WEIGHT, found.max())
        if is_large.all():
            break
        kept = kept[is_large]
    weights = np.zeros(len(predictions))
    weights[kept] = found
    if not weights.any():  # nothing is better than the uniform distribution
        weights[0] = MIN_WEIGHT
    return weights


def _logarithms(predictions: Sequence[Array]) -> Array:
    """Return the logarithms of the floored predictions, (n, n_labels, n_learners)."""
    return np.stack([np.log(np.maximum(P, FLOOR)) for P in predictions], axis=2)


def _minimise_divergence(logarithms: Array, D: Array, share: Array) -> Array:
    """Minimise −Σ_i s_i Σ_j d_ij log p_ij over w ≥ 0, where P = softmax(logarithms · w)."""
    n_learners = logarithms.shape[2]

    def value_and_gradient(w: Array) -> tuple[float, Array]:
        P, log_P = softmax_and_log(logarithms @ w)
        value = -float(share @ (D * log_P).sum(axis=1))
        residuals = share[:, None] * (P - D)
        return value, np.tensordot(residuals, logarithms, axes=2)

    start = np.full(n_learners, 1 / n_learners)
    bounds = [(0, None)] * n_learners
    options: Any = {"ftol": 1e-12, "gtol": 1e-8}
    found = minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return np.array(found.x)
