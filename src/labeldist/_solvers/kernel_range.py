"""The unidirectional loss over the range of a positive semidefinite kernel matrix, by one pivoted Cholesky."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labeldist._solvers.conjugate_gradient import solve_conjugate_gradient
from labeldist._solvers.sylvester import SAFETY
from labeldist._typing import EPSILON, Array

REPRODUCTION = 1e-3
"""How far the scores of the coefficients may be from those sought. Its square is what the loss may lose."""

BLOCK = 512


@dataclass(frozen=True)
class KernelRange:
    """K_:R = E K_RR, where R are rows whose columns span the range of K to rounding: E is the identity on R.

    Attributes
    ----------
    chosen, others : ndarray of int
        R, and the rows outside it: repetitions, and what rounding cannot tell from combinations of R.
    factor : ndarray of shape (r, r)
        Lower triangular Cholesky factor of K_RR.
    combinations : ndarray of shape (n - r, r)
        The rows of E outside R.
    """

    chosen: Array
    others: Array
    factor: Array
    combinations: Array

    @classmethod
    def of(cls, K: Array) -> "KernelRange":
        """Factor a symmetric positive semidefinite K; n³/3 multiplications."""
        # What rounding leaves of a pivot is a share of the diagonal, however large the largest eigenvalue is.
        tol = SAFETY * len(K) * EPSILON * float(np.diagonal(K).max())
        L, pivots, rank, _ = linalg.lapack.dpstrf(K.T, lower=1, tol=tol)
        order = pivots - 1
        factor = np.asfortranarray(L[:rank, :rank])
        combinations = linalg.solve_triangular(factor, L[rank:, :rank].T, trans="T", lower=True, check_finite=False).T
        return cls(order[:rank], order[rank:], factor, np.ascontiguousarray(combinations))

    def extend(self, F: Array) -> Array:
        """EF."""
        extended = np.empty((len(self.chosen) + len(self.others), F.shape[1]))
        extended[self.chosen], extended[self.others] = F, self.combinations @ F
        return extended

    def gather(self, V: Array) -> Array:
        """EᵀV."""
        return V[self.chosen] + self.combinations.T @ V[self.others]


def minimize_over_kernel_range(K: Array, labels: Array, smoothness: float, laplacian: Any) -> Array | None:
    """Minimise ‖F − L‖² + λ tr(FᵀSF) over F = [K, 1] W, and return W, or None where this fails.

    The best scores solve Eᵀ(I + λS)E f = EᵀL, a system whose condition does not depend on that of K: where K is
    invertible, E is the identity and the features count through the graph alone. W then solves KW + 1bᵀ = Ef on the
    chosen rows, and is zero on the others. Of those solutions the shortest has b = vᵀu / (1 + vᵀv), u and v being
    K_RR⁻¹f and K_RR⁻¹1; it is the shortest of all where K is invertible.

    It fails where the constant is not in the range of K, for then the column of ones counts, and where K is no
    positive semidefinite matrix or has lost the digits that would reproduce the scores.
    """
    if not _is_symmetric(K):
        return None
    span = KernelRange.of(K)
    ones = np.ones((len(K), 1))
    if linalg.norm(ones - span.extend(ones[: len(span.chosen)])) > REPRODUCTION * linalg.norm(ones):
        return None

    def system(F: Array) -> Array:
        scores = span.extend(F)
        return span.gather(scores + smoothness * (laplacian @ scores) if smoothness else scores)

    best = solve_conjugate_gradient(system, span.gather(labels)).X
    solved, _ = linalg.lapack.dpotrs(span.factor, np.column_stack([best, ones[: len(best)]]), lower=True)
    u, v = solved[:, :-1], solved[:, -1:]
    sought = span.extend(best)
    # Where rounding keeps the constant from being quite in the range, a large intercept would show it.
    for intercept in (v.T @ u / (1 + v.T @ v), np.zeros((1, labels.shape[1]))):
        dual = np.zeros_like(labels)
        dual[span.chosen] = u - v @ intercept
        if linalg.norm(K @ dual + intercept - sought) <= REPRODUCTION * linalg.norm(sought):
            return np.vstack([dual, intercept])
    return None


def _is_symmetric(K: Array) -> bool:
    """Whether K is symmetric but for rounding, block by block: a whole transposed matrix is slow to read."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(K), BLOCK)]
    return all(_agree(K[a, b], K[b, a].T) for i, a in enumerate(blocks) for b in blocks[i:])


def _agree(A: Array, B: Array) -> bool:
    return bool(np.array_equal(A, B) or np.allclose(A, B, rtol=1e-12, atol=0))
