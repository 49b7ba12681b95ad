"""A hidden layer of standardised features with random initial weights, and its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labeldist._solvers.lbfgs import LBFGSSolution, minimize_lbfgs
from labeldist._solvers.scaling import mean_and_scale
from labeldist._typing import Array

Objective = Callable[[Array], tuple[float, Array]]
GRADIENT_TOLERANCE = 1e-4  # training stops when the gradient is this fraction of its initial value


@dataclass(frozen=True)
class HiddenLayer:
    """Linear units ZV + 1aᵀ of the standardised features Z. Their weights are V, and a below it."""

    Z: Array  # (n, m)
    start: Array  # (m + 1, u), initial weights
    mean: Array  # (m,)
    deviation: Array  # (m,), infinite for features that are ignored

    @classmethod
    def of(cls, X: Array, D: Array, n_units: int, rng: Any, *, scale: bool = True) -> HiddenLayer:
        """Standardise the features, unless `scale` is False, and draw initial weights."""
        # One memory layout, so that sums round equally: training amplifies rounding.
        X = X.astype(np.float64, order="C")
        mean, deviation = mean_and_scale(X, scale=scale)
        Z = (X - mean) / deviation
        start = np.vstack([random_weights(Z, D, n_units, rng), np.zeros(n_units)])
        if scale:  # rounding errors of large constant features would have an effect
            deviation = np.where(X.min(axis=0) == X.max(axis=0), np.inf, deviation)
        return cls(Z, start, mean, deviation)

    def split(self, parameters: Array) -> tuple[Array, Array]:
        """Split the parameters of a network into the weights of this layer and the others."""
        weights, others = np.split(parameters, [self.start.size])
        return weights.reshape(self.start.shape), others

    def in_original_units(self, weights: Array) -> tuple[Array, Array]:
        """Return V and a for features that are not standardised."""
        V = weights[:-1] / self.deviation[:, None]
        return V, weights[-1] - self.mean @ V


def train_network(
    estimator: Any, layer: HiddenLayer, output: Array, objective: Objective
) -> tuple[Array, Array, Array]:
    """Minimise a function of the weights of a layer and the other parameters, by L-BFGS.

    The function takes one vector and returns its value and gradient. The other parameters start at
    `output`. Set `loss_` and `n_iter_` of the estimator, and return V and a of the layer, for
    features that are not standardised, and the other parameters.
    """
    start = np.concatenate([layer.start.ravel(), output.ravel()])
    solution = minimize_from(start, objective, tol=GRADIENT_TOLERANCE, max_iter=estimator.max_iter)
    estimator.loss_ = solution.value
    estimator.n_iter_ = solution.n_iter
    weights, trained = layer.split(solution.X)
    return *layer.in_original_units(weights), trained.reshape(output.shape)


def minimize_from(
    start: Array, objective: Objective, *, tol: float, max_iter: int
) -> LBFGSSolution:
    """Minimise a function by L-BFGS; compare gradients with the one at `start` instead of zero."""
    solution = minimize_lbfgs(
        lambda step: objective(start + step), np.zeros_like(start), tol=tol, max_iter=max_iter
    )
    return replace(solution, X=start + solution.X)


def random_weights(Z: Array, D: Array, n_units: int, rng: Any) -> Array:
    """Return random weights of the features, (m, n_units)."""
    m = Z.shape[1]
    # Random numbers are assigned by covariance with the labels, so that the order of the features
    # has no effect.
    covariance = Z.T @ (D - D.mean(axis=0))
    order = np.argsort(np.linalg.norm(covariance, axis=1), kind="stable")
    bound = np.sqrt(6 / (m + n_units))
    V = np.empty((m, n_units))
    V[order] = rng.uniform(-bound, bound, size=(m, n_units))
    return V
