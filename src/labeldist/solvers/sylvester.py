"""The symmetric Sylvester equation A X + X B = C, by whichever decomposition suits its shape."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import linalg

from labeldist.exceptions import SingularCoefficientError
from labeldist.simplex import Array

Method = Literal["cholesky", "eigh", "cholesky_svd"]
METHODS: tuple[Method, ...] = get_args(Method)

EPSILON = float(np.finfo(np.float64).eps)

EIGH_COST = 12
"""One eigendecomposition costs about as much as this many Cholesky factorisations (measured, 200 to 4,000 rows)."""


@dataclass(frozen=True)
class SylvesterSolution:
    """What `solve_symmetric_sylvester` returns.

    Attributes
    ----------
    X : ndarray of shape (m, c)
    residual : float
        ‖AX + XB − C‖ / (‖A‖‖X‖ + ‖X‖‖B‖ + ‖C‖) in Frobenius norms: the relative backward error, about 1e-16 for a
        solution as good as double precision allows.
    method : str
        The decomposition that was used.
    """

    X: Array
    residual: float
    method: Method


def solve_symmetric_sylvester(
    A: Array, B: Array, C: Array, *, method: Method | Literal["auto"] = "auto"
) -> SylvesterSolution:
    """Solve ``A X + X B = C`` for symmetric positive semidefinite A and B.

    With B = V diag(b) Vᵀ and Y = XV the equation falls apart into one system a column,
    ``(A + b_k I) y_k = C v_k``.

    Parameters
    ----------
    A : ndarray of shape (m, m)
        Symmetric and positive semidefinite, as is `B`.
    B : ndarray of shape (c, c)
        The small side: c is the number of labels.
    C : ndarray of shape (m, c)
    method : {"auto", "cholesky", "eigh", "cholesky_svd"}
        - ``"cholesky"``: factor A + b_k I for each k; c·m³/3 multiplications. Cheapest for few labels. A column
          whose right side vanishes has the solution zero and is not factored.
        - ``"eigh"``: A = U diag(a) Uᵀ as well, and X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ; about 9 m³. Cheapest for many
          labels. Where a_i + b_k vanishes to rounding, the entry is set to zero: the solution of minimum norm.
        - ``"cholesky_svd"``: the published route. A = PᵀP and B = QQᵀ by Cholesky, then the singular value
          decompositions of P and Q in place of the eigendecompositions. It needs both positive definite.
        - ``"auto"``: Cholesky if it is cheaper and every system is safely positive definite, else ``"eigh"``.

    Raises
    ------
    SingularCoefficientError
        ``"cholesky"`` met a system, or ``"cholesky_svd"`` a coefficient, that is singular to rounding.
    """
    if method == "auto":
        X, used = _solve_cheapest(A, B, C)
    elif method in METHODS:
        X, used = _SOLVERS[method](A, B, C), method
    else:
        raise ValueError(f"method must be auto, {', '.join(METHODS)}; got {method!r}.")
    return SylvesterSolution(X, _relative_residual(A, B, C, X), used)


def _solve_cheapest(A: Array, B: Array, C: Array) -> tuple[Array, Method]:
    if len(B) <= EIGH_COST:
        try:
            return _solve_by_cholesky(A, B, C), "cholesky"
        except SingularCoefficientError:
            pass  # the eigendecomposition finds the solution of minimum norm
    return _solve_by_eigh(A, B, C), "eigh"


def _solve_by_cholesky(A: Array, B: Array, C: Array) -> Array:
    b, V = linalg.eigh(B)
    right = C @ V
    # Right sides that are rounding error only: their exact counterparts are zero, and so is their solution.
    vanishing = linalg.norm(right, axis=0) <= len(B) * EPSILON * linalg.norm(C)
    norm = linalg.norm(A, 1)
    Y = np.zeros_like(right)
    diagonal = np.diagonal(A)
    shifted = np.empty_like(A, order="F")
    for k in np.flatnonzero(~vanishing):
        shift = max(b[k], 0.0)
        shifted[...] = A
        np.fill_diagonal(shifted, diagonal + shift)
        factor, info = linalg.lapack.dpotrf(shifted, lower=True, overwrite_a=True, clean=False)
        if info == 0:
            reciprocal_condition, _ = linalg.lapack.dpocon(factor, norm + shift, uplo="L")
        if info != 0 or reciprocal_condition < len(A) * EPSILON:
            raise SingularCoefficientError(
                f"A + {shift:.3g} I, the system of label direction {k}, is singular to rounding. Use "
                "method='eigh' (or 'auto') for the solution of minimum norm, or a larger penalty.",
                coefficient="A",
            )
        Y[:, k], _ = linalg.lapack.dpotrs(factor, right[:, k], lower=True)
    return Y @ V.T


def _solve_by_eigh(A: Array, B: Array, C: Array) -> Array:
    a, U = linalg.eigh(A, driver="evd")  # divide and conquer: mostly matrix products
    b, V = linalg.eigh(B)
    return _solve_in_eigenbases(a, U, b, V, C)


def _solve_by_cholesky_svd(A: Array, B: Array, C: Array) -> Array:
    P = _cholesky_or_refuse(A, "A")
    Q = _cholesky_or_refuse(B, "B")
    _, sigma_a, right_a = linalg.svd(P.T)
    left_b, sigma_b, _ = linalg.svd(Q)
    return _solve_in_eigenbases(sigma_a**2, right_a.T, sigma_b**2, left_b, C)


def _cholesky_or_refuse(matrix: Array, name: str) -> Array:
    """Return the lower Cholesky factor of a matrix that is positive definite beyond rounding."""
    factor, info = linalg.lapack.dpotrf(matrix, lower=True)
    if info == 0:
        reciprocal_condition, _ = linalg.lapack.dpocon(factor, linalg.norm(matrix, 1), uplo="L")
    if info != 0 or reciprocal_condition < len(matrix) * EPSILON:
        raise SingularCoefficientError(
            f"The published Cholesky + SVD route needs positive definite coefficients, and {name} is singular to "
            "rounding. Use method='auto', which needs no such thing.",
            coefficient=name,
        )
    return np.asarray(factor)


def _solve_in_eigenbases(a: Array, U: Array, b: Array, V: Array, C: Array) -> Array:
    """X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ, with 1/0 = 0 for sums that are rounding error."""
    sums = np.maximum(a, 0)[:, None] + np.maximum(b, 0)[None, :]
    solvable = sums > max(U.shape[0], V.shape[0]) * EPSILON * sums.max(initial=0)
    inner = np.divide(U.T @ C @ V, sums, out=np.zeros_like(sums), where=solvable)
    return U @ inner @ V.T


_SOLVERS = {"cholesky": _solve_by_cholesky, "eigh": _solve_by_eigh, "cholesky_svd": _solve_by_cholesky_svd}


def _relative_residual(A: Array, B: Array, C: Array, X: Array) -> float:
    norm_x = linalg.norm(X)
    scale = linalg.norm(A) * norm_x + norm_x * linalg.norm(B) + linalg.norm(C)
    return float(linalg.norm(A @ X + X @ B - C) / scale) if scale else 0.0
