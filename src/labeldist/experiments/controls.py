"""Controls for the ablation: a plain ridge of the size that the reconstruction term amounts to, in place of that term.

In the eigenbasis of the labels' Gram matrix the way back is a ridge too, α·s_k for direction k (and a factor 1 + α on
the right side). If the same α·mean(s) for every direction does as well, what helps is shrinkage, not reconstruction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.bidirectional import EnhancementLoss
from labeldist._solvers.sylvester import SylvesterSolution
from labeldist._typing import Array
from labeldist.enhancement import BDLE
from labeldist.learning import BDLDL


class RidgeLE(BDLE):
    """BD-LE with α·mean(s)‖W‖² in place of α‖Φ − LWᵀ‖²."""

    def _minimise(self, loss: EnhancementLoss) -> Array:
        A, B, C = loss.normal_equations()
        A[np.diag_indices_from(A)] += np.trace(B) / len(B)
        right = C / (1 + loss.reconstruction)
        W = linalg.solve(A, right, assume_a="pos")
        self.solver_ = "exact"
        self.residual_ = float(linalg.norm(A @ W - right) / linalg.norm(right))
        return W


class RidgeLDL(BDLDL):
    """BD-LDL with (λ₂ + λ₁·mean(s))‖θ‖² in place of both its penalties."""

    def _solve_sylvester(self, A: Array, B: Array, C: Array) -> SylvesterSolution:
        A[np.diag_indices_from(A)] += np.trace(B) / len(B)
        solution: Any = super()._solve_sylvester(A, np.zeros_like(B), C / (1 + self.reconstruction))
        return solution
