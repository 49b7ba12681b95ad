"""Ridge regression with the predictions of each row by a fit without it, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeldist._typing import Array

RIDGES = np.geomspace(0.3, 300, 7)
"""Penalties for features with norm 1 or less. Smaller ones would let scores that were drawn around a prediction confirm
that prediction."""


@dataclass(frozen=True)
class RidgeFit:
    """Coefficients for features and an intercept, predictions of left-out rows, and the penalty behind both."""

    coef: Array
    intercept: Array
    left_out: Array
    ridge: float


class LeaveOneOutRidge:
    """Ridge regressions of many targets on the same features.

    minimise Σ_i w_i ‖t_i − Bᵀb_i − a‖² + ridge·‖B‖²

    With P the principal components of the centred features and eigenvalues e, the leverage of row i is
    h_i = w_i Σ_k p_ik²/(e_k + ridge) + w_i/Σw, and its prediction by the other rows (f_i − h_i t_i)/(1 − h_i).

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
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
        """Fit targets, (n_rows, n_targets), with the given penalty."""
        average = self.weight @ targets / self.total
        shrunk = (self.components.T @ (self.weight[:, None] * (targets - average))) / (self.eigenvalues + ridge)[
            :, None
        ]
        fitted = average + self.components @ shrunk
        leverage = self.weight * (self.squares @ (1 / (self.eigenvalues + ridge)) + 1 / self.total)
        rest = np.maximum(1 - leverage, 1e-6)[:, None]
        left_out = (fitted - leverage[:, None] * targets) / rest
        coef = self.axes @ shrunk
        return RidgeFit(coef, average - self.center @ coef, left_out, ridge)

    def fit_best(self, targets: Array) -> RidgeFit:
        """Fit with the penalty of `RIDGES` that predicts left-out rows best."""
        fits = [self.fit(targets, ridge) for ridge in RIDGES]
        errors = [self.weight @ ((targets - fit.left_out) ** 2).sum(axis=1) for fit in fits]
        return fits[int(np.argmin(errors))]
