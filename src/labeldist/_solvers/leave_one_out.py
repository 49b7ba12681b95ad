"""Ridge regression with closed-form leave-one-out predictions."""

from dataclasses import dataclass

import numpy as np

from labeldist._typing import Array

# Penalties for features of norm at most 1. With smaller ones, scores drawn around a prediction would confirm it.
RIDGES = np.geomspace(0.3, 300, 7)


@dataclass(frozen=True)
class RidgeFit:
    """Result of `LeaveOneOutRidge.fit`."""

    coef: Array  # B, (n_features, n_targets)
    intercept: Array  # a, (n_targets,)
    left_out: Array  # (n_rows, n_targets), prediction of each row by a fit without it
    ridge: float


class LeaveOneOutRidge:
    """Minimise Σ_i w_i ‖t_i − Bᵀx_i − a‖² + ridge·‖B‖² over B and a, for many targets t on the same features x.

    With principal components P of the centred features and eigenvalues e, row i has the leverage
    h_i = w_i Σ_k p_ik²/(e_k + ridge) + w_i/Σw. The fit without row i predicts (f_i − h_i t_i)/(1 − h_i), where f_i is
    the fitted value. `features` has shape (n_rows, n_features), `weight` (n_rows,), and targets (n_rows, n_targets).
    """

    def __init__(self, features: Array, weight: Array) -> None:
        self.weight, self.total = weight, float(weight.sum())
        self.center = weight @ features / self.total
        centered = features - self.center
        eigenvalues, self.axes = np.linalg.eigh((centered * weight[:, None]).T @ centered)
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self.components = centered @ self.axes
        self.squares = self.components**2

    def fit(self, targets: Array, ridge: float) -> RidgeFit:
        """Fit targets with the given penalty."""
        average = self.weight @ targets / self.total
        penalised = self.eigenvalues + ridge
        shrunk = self.components.T @ (self.weight[:, None] * (targets - average)) / penalised[:, None]
        fitted = average + self.components @ shrunk
        leverage = self.weight * (self.squares @ (1 / penalised) + 1 / self.total)
        rest = np.maximum(1 - leverage, 1e-6)[:, None]
        left_out = (fitted - leverage[:, None] * targets) / rest
        coef = self.axes @ shrunk
        return RidgeFit(coef, average - self.center @ coef, left_out, ridge)

    def fit_best(self, targets: Array) -> RidgeFit:
        """Fit with the penalty of `RIDGES` that has the smallest leave-one-out error."""
        fits = [self.fit(targets, ridge) for ridge in RIDGES]
        errors = [self.weight @ ((targets - fit.left_out) ** 2).sum(axis=1) for fit in fits]
        return fits[int(np.argmin(errors))]
