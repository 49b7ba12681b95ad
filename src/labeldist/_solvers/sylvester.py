"""Solver of the symmetric Sylvester equation A X + X B = C."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from scipy import linalg

from labeldist._typing import EPSILON, Array
from labeldist.exceptions import SingularCoefficientError

Method = Literal["cholesky", "eigh", "cholesky_svd"]
METHODS: tuple[Method, ...] = get_args(Method)

EIGH_COST = 12  # cost of an eigendecomposition in Cholesky factorisations (measured, 100 to 2,500 rows)
SMALL, FEW = 64, 2  # up to SMALL rows, one eigendecomposition is faster than more than FEW Cholesky calls
EIGH_CONDITION = 1e8  # beyond this condition number small eigenvalues are inaccurate, and Cholesky is more accurate
FEW_DIGITS = 1e12  # a condition number that leaves four of sixteen digits
SAFETY = 10  # factor by which rounding errors may exceed their expected size


@dataclass(frozen=True)
class SylvesterSolution:
    """Result of `solve_symmetric_sylvester`.

    The condition number is that of the worst system that was solved: for Cholesky an estimate (`_checked_cholesky`),
    otherwise the ratio of the largest to the smallest eigenvalue above rounding.
    """

    X: Array  # (m, c)
    residual: float  # `relative_residual`, about 1e-16 for a solution as accurate as double precision allows
    method: Method  # decomposition that was used
    condition: float

    @property
    def has_few_digits(self) -> bool:
        """Whether the condition number leaves fewer than four digits."""
        return self.condition > FEW_DIGITS


def solve_symmetric_sylvester(
    A: Array, B: Array, C: Array, *, method: Method | Literal["auto"] = "auto"
) -> SylvesterSolution:
    """Solve ``A X + X B = C`` for symmetric positive semidefinite A and B.

    With B = V diag(b) Vᵀ and Y = XV the equation separates into one system per column, ``(A + b_k I) y_k = C v_k``.
    A has shape (m, m) and B (c, c), where c is the number of labels. The methods are:

    - ``"cholesky"``: factor A + b_k I for each k; c·m³/3 multiplications. Independent of the units of A. A singular
      system is a `SingularCoefficientError`.
    - ``"eigh"``: A = U diag(a) Uᵀ as well; X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ; about 9 m³. Entries with a_i + b_k = 0 up to
      rounding are set to zero, which gives the solution of minimum norm.
    - ``"cholesky_svd"``: the published method. A = PᵀP and B = QQᵀ by Cholesky, then singular value decompositions of P
      and Q. A singular A or B is a `SingularCoefficientError`.
    - ``"auto"``: the faster accurate one of the first two, and ``"eigh"`` if a system is singular.
    """
    if method == "auto":
        X, condition, used = _solve_fastest(A, B, C)
    elif method in METHODS:
        (X, condition), used = _SOLVERS[method](A, B, C), method
    else:
        raise ValueError(f"method must be one of auto, {', '.join(METHODS)}; got {method!r}.")
    return SylvesterSolution(X, relative_residual(A, B, C, X), used, condition)


def _solve_fastest(A: Array, B: Array, C: Array) -> tuple[Array, float, Method]:
    eigen = _eigenbases(A, B) if len(B) > (FEW if len(A) <= SMALL else EIGH_COST) else None
    if eigen is not None and eigen.is_well_conditioned:
        return *eigen.solve(C), "eigh"
    try:
        return *_solve_by_cholesky(A, B, C), "cholesky"
    except SingularCoefficientError:
        return *(eigen or _eigenbases(A, B)).solve(C), "eigh"


def _solve_by_cholesky(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    b, V = _eigh(B)
    # The rounding of a zero eigenvalue must not act as a penalty if A is small.
    b[b <= SAFETY * len(B) * EPSILON * b[-1]] = 0
    right = C @ V
    # A right side that is zero up to rounding has the solution zero.
    vanishing = np.abs(right).max(axis=0) <= len(B) * EPSILON * np.abs(C).max()
    Y = np.zeros_like(right)
    directions, condition = np.flatnonzero(~vanishing), 1.0
    for k in directions:
        shifted = A.T.copy(order="F")  # A is symmetric, and its transpose is usually in Fortran order already
        np.fill_diagonal(shifted, np.diagonal(A) + b[k])
        # The b ascend, and the condition improves with b, so only the first system is checked.
        name = f"A + {b[k]:.3g} I, the system of label direction {k},"
        factor, worse = _checked_cholesky(shifted, "A", name, check_condition=k == directions[0])
        condition = max(condition, worse)
        Y[:, k], _ = linalg.lapack.dpotrs(factor, right[:, k], lower=True)
    return Y @ V.T, condition


def _solve_by_cholesky_svd(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    lower_a = np.tril(_checked_cholesky(A.copy(order="F"), "A", "A")[0])
    lower_b = np.tril(_checked_cholesky(B.copy(order="F"), "B", "B")[0])
    U, sigma_a, _ = linalg.svd(lower_a)
    V, sigma_b, _ = linalg.svd(lower_b)
    return _Eigenbases(sigma_a**2, U, sigma_b**2, V).solve(C)


_SOLVERS = {
    "cholesky": _solve_by_cholesky,
    "eigh": lambda A, B, C: _eigenbases(A, B).solve(C),
    "cholesky_svd": _solve_by_cholesky_svd,
}


def _checked_cholesky(
    matrix: Array, coefficient: str, name: str, *, check_condition: bool = True
) -> tuple[Array, float]:
    """Overwrite the lower triangle of a matrix with its Cholesky factor; raise if it is singular up to rounding.

    Return the factor and an estimate of the condition number, which is 1 if it is not checked. It is that of the matrix
    with its diagonal scaled to one, because the accuracy of Cholesky does not depend on the units of the columns.
    """
    diagonal = np.diagonal(matrix).copy()
    factor, failed = linalg.lapack.dpotrf(matrix, lower=True, overwrite_a=True, clean=False)
    reciprocal = 1.0
    if check_condition and not failed:
        reciprocal, _ = linalg.lapack.dpocon(factor / np.sqrt(diagonal)[:, None], 1.0, uplo="L")
    if failed or reciprocal < SAFETY * len(matrix) * EPSILON:
        advice = "Use method='auto' (or 'eigh') for the solution of minimum norm, or a larger penalty."
        raise SingularCoefficientError(f"{name} is singular to rounding. {advice}", coefficient)
    return np.asarray(factor), 1 / float(reciprocal)


@dataclass(frozen=True)
class _Eigenbases:
    """A = U diag(a) Uᵀ and B = V diag(b) Vᵀ."""

    a: Array
    U: Array
    b: Array
    V: Array

    @cached_property
    def sums(self) -> Array:
        """a_i + b_k, the eigenvalues of X ↦ AX + XB."""
        return self.a[:, None] + self.b[None, :]

    @property
    def is_well_conditioned(self) -> bool:
        return bool(self.sums.max() / EIGH_CONDITION < self.sums.min())

    def solve(self, C: Array) -> tuple[Array, float]:
        """Return U [UᵀCV ⊘ (a_i + b_k)] Vᵀ, with 1/0 = 0 for sums that are rounding errors, and the condition."""
        sums, largest = self.sums, self.sums.max()
        solvable = sums > SAFETY * max(sums.shape) * EPSILON * largest
        inner = np.divide(self.U.T @ C @ self.V, sums, out=np.zeros_like(sums), where=solvable)
        condition = largest / sums.min(where=solvable, initial=largest) if largest > 0 else 1.0
        return self.U @ inner @ self.V.T, float(condition)


def _eigenbases(A: Array, B: Array) -> _Eigenbases:
    return _Eigenbases(*_eigh(A), *_eigh(B))


def _eigh(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues and eigenvectors by divide and conquer, without the overhead of SciPy's checks."""
    values, vectors, failed = linalg.lapack.dsyevd(matrix)
    if failed:
        raise linalg.LinAlgError(f"The eigendecomposition failed (dsyevd returned {failed}).")
    return values, vectors


def relative_residual(A: Array, B: Array, C: Array, X: Array) -> float:
    """Return the relative backward error ‖AX + XB − C‖ / (‖A‖‖X‖ + ‖X‖‖B‖ + ‖C‖) in Frobenius norms."""
    scale = (_norm(A) + _norm(B)) * _norm(X) + _norm(C)
    return float(_norm(A @ X + X @ B - C) / scale) if scale else 0.0


def _norm(matrix: Array) -> float:
    """Return the Frobenius norm by BLAS, which prevents overflow of the squares."""
    return float(linalg.norm(matrix.ravel(order="K"), check_finite=False))
