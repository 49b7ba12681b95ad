"""The bidirectional loss of BD-LE, as the quadratic function that it is."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.kernel_range import minimize_over_kernel_range
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist._typing import EPSILON, Array

PRODUCT_BLOCK = 1024


@dataclass(frozen=True)
class EnhancementLoss:
    """‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)), to be minimised over W.

    Attributes
    ----------
    features : ndarray of shape (n, p)
        Φ, the kernel matrix beside a column of ones.
    labels : ndarray of shape (n, c)
        L, the logical labels.
    reconstruction : float
        α, the weight of the way back from labels to features. 0 gives the unidirectional loss, UD-LE.
    smoothness : float
        λ, the weight of the neighbour graph.
    laplacian : sparse array of shape (n, n) or None
        S, symmetric; needed unless `smoothness` is 0.
    """

    features: Array
    labels: Array
    reconstruction: float
    smoothness: float
    laplacian: Any = None

    @cached_property
    def cross(self) -> Array:
        """ΦᵀL."""
        return self.features.T @ self.labels

    @cached_property
    def label_gram(self) -> Array:
        """LᵀL."""
        return self.labels.T @ self.labels

    @cached_property
    def squared_features(self) -> float:
        """‖Φ‖²."""
        return float(np.vdot(self.features, self.features))

    def value_and_gradient(self, W: Array) -> tuple[float, Array]:
        """Return the loss at W and its gradient, 2Φᵀ(ΦW − L + λSΦW) + 2α(W LᵀL − ΦᵀL)."""
        scores = self.features @ W
        error = scores - self.labels
        back = W @ self.label_gram
        value = np.vdot(error, error) + self.reconstruction * (
            self.squared_features + np.vdot(W, back - 2 * self.cross)
        )
        pull = error
        if self.smoothness:
            smoothed = self.smoothness * (self.laplacian @ scores)
            value += np.vdot(scores, smoothed)
            pull = error + smoothed
        gradient = 2 * (self.features.T @ pull + self.reconstruction * (back - self.cross))
        return float(value), gradient

    def normal_equations(self) -> tuple[Array, Array, Array]:
        """Return A, B, C of the Sylvester equation AW + WB = C that the minimiser solves.

        A = Φᵀ(I + λS)Φ, B = α LᵀL, C = (1 + α) ΦᵀL.
        """
        features = self.features
        if self.smoothness:
            A = _symmetric_product(features, features + self.smoothness * (self.laplacian @ features))
        else:
            A = features.T @ features
        return A, self.reconstruction * self.label_gram, (1 + self.reconstruction) * self.cross


@dataclass(frozen=True)
class ExactMinimum:
    """What `minimize_exactly` returns.

    Attributes
    ----------
    W : ndarray of shape (p, c)
    residual : float
        How well W satisfies the equation that it solves.
    condition : float or None
        The equation's condition number; None without reconstruction, where the scores are solved for first, from a
        system that is always well conditioned.
    """

    W: Array
    residual: float
    condition: float | None


def minimize_exactly(loss: EnhancementLoss) -> ExactMinimum:
    """Compute the minimiser of the bidirectional loss, the one of minimum norm where there are many.

    With reconstruction it solves the Sylvester equation. Without, the loss is the plain least-squares problem
    ‖R(ΦW) − R⁻ᵀL‖² + constant with RᵀR = I + λS. Over a kernel matrix it is solved from the scores,
    `minimize_over_kernel_range`; where that fails, as it stands, by an orthogonal factorisation. The normal equations
    would square the condition number of a kernel matrix, which is large already.
    """
    if loss.reconstruction:
        A, B, C = loss.normal_equations()
        solution = solve_symmetric_sylvester(A, B, C)
        return ExactMinimum(solution.X, solution.residual, solution.condition)
    W = None
    n, p = loss.features.shape
    if p == n + 1 and (loss.features[:, -1] == 1).all():
        W = minimize_over_kernel_range(loss.features[:, :-1], loss.labels, loss.smoothness, loss.laplacian)
    if W is None:
        W = _least_squares(loss)
    return ExactMinimum(W, _relative_gradient(loss, W), None)


def _least_squares(loss: EnhancementLoss) -> Array:
    features, labels = loss.features, loss.labels
    if loss.smoothness:
        R = linalg.cholesky(np.eye(len(features)) + loss.smoothness * loss.laplacian.toarray())
        features, labels = R @ features, linalg.solve_triangular(R, labels, trans="T")
    W, *_ = linalg.lstsq(features, labels, cond=len(features) * EPSILON, lapack_driver="gelsy")
    return W


def _relative_gradient(loss: EnhancementLoss, W: Array) -> float:
    """‖Φᵀ(ΦW − L + λSΦW)‖ / ‖Φ‖(‖ΦW + λSΦW‖ + ‖L‖) of the unidirectional loss, without forming ΦᵀΦ."""
    pull = loss.features @ W
    if loss.smoothness:
        pull = pull + loss.smoothness * (loss.laplacian @ pull)
    scale = math.sqrt(loss.squared_features) * (linalg.norm(pull) + linalg.norm(loss.labels))
    return float(linalg.norm(loss.features.T @ (pull - loss.labels)) / scale) if scale else 0.0


def _symmetric_product(P: Array, Q: Array) -> Array:
    """PᵀQ where it is known to be symmetric: its lower blocks are computed, the upper ones copied."""
    size = P.shape[1]
    product = np.empty((size, size))
    for start in range(0, size, PRODUCT_BLOCK):
        block = slice(start, min(start + PRODUCT_BLOCK, size))
        np.matmul(P[:, start:].T, Q[:, block], out=product[start:, block])
        product[block, block.stop :] = product[block.stop :, block].T
    return product
