"""Solver of the symmetric Sylvester equation A X + X B = C."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from scipy import linalg

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.exceptions import LabelDistError

Method = Literal["cholesky", "eigh", "cholesky_svd"]
METHODS: tuple[Method, ...] = get_args(Method)

# Cost of an eigendecomposition in Cholesky factorisations (measured, 100 to 2,500 rows).
EIGH_COST = 12
# Up to SMALL rows, one eigendecomposition is faster than more than FEW Cholesky factorisations.
SMALL = 64
FEW = 2
# Beyond this condition number small eigenvalues are inaccurate, and Cholesky is more accurate.
EIGH_CONDITION = 1e8
FEW_DIGITS = 1e12  # a condition number that leaves four of sixteen digits
SAFETY = 10  # factor by which rounding errors may exceed their expected size


class SingularCoefficientError(LabelDistError, ValueError):
    """A coefficient matrix is singular, but the chosen solver needs a positive definite one.

    Parameters
    ----------
    message : str
        The message.
    coefficient : {"A", "B"}
        The matrix: A is on the feature side of the equation, B on the label side.
    """

    def __init__(self, message: str, coefficient: str) -> None:
        super().__init__(message)
        self.coefficient = coefficient

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # By default only args are pickled, and the error could not be sent from a worker process.
        return type(self), (str(self), self.coefficient)


@dataclass(frozen=True)
class SylvesterSolution:
    """Result of `solve_symmetric_sylvester`.

    The condition number belongs to the worst system that was solved: for Cholesky an estimate
    (`_checked_condition`), otherwise the ratio of the largest to the smallest eigenvalue above
    rounding.
    """

    X: Array  # (m, c)
    # `relative_residual`, about 1e-16 for a solution as accurate as double precision allows.
    residual: float
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

    With B = V diag(b) Vᵀ and Y = XV the equation separates into one system per column, ``(A + b_k
    I) y_k = C v_k``. A has shape (m, m) and B (c, c), where c is the number of labels. The methods
    are:

    - ``"cholesky"``: factor A + b_k I for each k; c·m³/3 multiplications. Independent of the units
      of A. A singular system raises a `SingularCoefficientError`.
    - ``"eigh"``: A = U diag(a) Uᵀ as well; X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ; about 9 m³. Entries with
      a_i + b_k = 0 up to rounding are set to zero, which gives the solution of minimum norm.
    - ``"cholesky_svd"``: the published method. A = PᵀP and B = QQᵀ by Cholesky, then singular value
      decompositions of P and Q. A singular A or B raises a `SingularCoefficientError`.
    - ``"auto"``: the faster accurate one of the first two, and ``"eigh"`` if a system is singular.
    """
    if method == "auto":
        X, condition, used = _solve_fastest(A, B, C)
    else:
        used = method
        X, condition = _SOLVERS[method](A, B, C)
    return SylvesterSolution(X, relative_residual(A, B, C, X), used, condition)


def _solve_fastest(A: Array, B: Array, C: Array) -> tuple[Array, float, Method]:
    eigen = None
    if len(B) > (FEW if len(A) <= SMALL else EIGH_COST):
        eigen = _eigenbases(A, B)
        if eigen.is_well_conditioned:
            return *eigen.solve(C), "eigh"
    try:
        return *_solve_by_cholesky(A, B, C), "cholesky"
    except SingularCoefficientError:
        eigen = eigen or _eigenbases(A, B)
        return *eigen.solve(C), "eigh"


def _solve_by_cholesky(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    b, V = eigh(B)
    # The rounding of a zero eigenvalue must not act as a penalty if A is small.
    b[b <= SAFETY * len(B) * EPSILON * b[-1]] = 0
    right = C @ V
    # A right side that is zero up to rounding has the solution zero.
    rounding = SAFETY * max(C.shape) * EPSILON * np.abs(C).max()
    vanishing = np.abs(right).max(axis=0) <= rounding
    Y = np.zeros_like(right)
    directions = np.flatnonzero(~vanishing)
    condition = 1.0
    for k in directions:
        # A is symmetric, and its transpose is usually in Fortran order already.
        shifted = A.T.copy(order="F")
        np.fill_diagonal(shifted, np.diagonal(A) + b[k])
        factor = _cholesky(shifted, "A")
        Y[:, k], _ = linalg.lapack.dpotrs(factor, right[:, k], lower=True)
        # The b ascend, and the condition improves with b, so only the first system is checked.
        if k == directions[0]:
            condition = _checked_condition(factor, np.diagonal(A) + b[k], "A")
    return Y @ V.T, condition


def _solve_by_cholesky_svd(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    lower_a = _checked_lower_factor(A, "A")
    lower_b = _checked_lower_factor(B, "B")
    U, sigma_a, _ = linalg.svd(lower_a)
    V, sigma_b, _ = linalg.svd(lower_b)
    return Eigenbases(sigma_a**2, U, sigma_b**2, V).solve(C)


_SOLVERS = {
    "cholesky": _solve_by_cholesky,
    "eigh": lambda A, B, C: _eigenbases(A, B).solve(C),
    "cholesky_svd": _solve_by_cholesky_svd,
}


def _checked_lower_factor(matrix: Array, coefficient: str) -> Array:
    factor = _cholesky(matrix.copy(order="F"), coefficient)
    lower = np.tril(factor)
    _checked_condition(factor, np.diagonal(matrix), coefficient)
    return lower


def _cholesky(matrix: Array, coefficient: str) -> Array:
    """Overwrite the lower triangle of a matrix with its Cholesky factor."""
    factor, failed = linalg.lapack.dpotrf(matrix, lower=True, overwrite_a=True, clean=False)
    if failed:
        raise _singular(coefficient)
    return np.asarray(factor)


def _checked_condition(factor: Array, diagonal: Array, coefficient: str) -> float:
    """Estimate the condition number from a Cholesky factor, which is overwritten.

    It belongs to the matrix with its diagonal scaled to one, because the accuracy of Cholesky does
    not depend on the units of the columns. Raise an error if it is singular up to rounding.
    """
    factor /= np.sqrt(diagonal)[:, None]
    reciprocal, _ = linalg.lapack.dpocon(factor, 1.0, uplo="L")
    if reciprocal < SAFETY * len(factor) * EPSILON:
        raise _singular(coefficient)
    return 1 / float(reciprocal)


def _singular(coefficient: str) -> SingularCoefficientError:
    columns = "features" if coefficient == "A" else "labels"
    return SingularCoefficientError(
        f"{coefficient} is singular to rounding: the {columns} are linearly dependent, or their "
        "penalty is zero. Use solver='auto' or 'eigh' for the solution of minimum norm.",
        coefficient,
    )


@dataclass(frozen=True)
class Eigenbases:
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
        """Return U [UᵀCV ⊘ (a_i + b_k)] Vᵀ and the condition number.

        1/0 = 0 for sums that are rounding errors.
        """
        sums = self.sums
        largest = sums.max()
        solvable = sums > SAFETY * max(sums.shape) * EPSILON * largest
        inner = np.divide(self.U.T @ C @ self.V, sums, out=np.zeros_like(sums), where=solvable)
        smallest = sums.min(where=solvable, initial=largest)
        condition = largest / smallest if largest > 0 else 1.0
        return self.U @ inner @ self.V.T, float(condition)


def _eigenbases(A: Array, B: Array) -> Eigenbases:
    return Eigenbases(*eigh(A), *eigh(B))


def eigh(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues and eigenvectors by LAPACK, without the overhead of SciPy's checks."""
    values, vectors, failed = linalg.lapack.dsyevd(matrix)
    if failed:
        raise linalg.LinAlgError(f"The eigendecomposition failed (dsyevd returned {failed}).")
    return values, vectors


def relative_residual(A: Array, B: Array, C: Array, X: Array) -> float:
    """Return ‖AX + XB − C‖ / (‖A‖‖X‖ + ‖X‖‖B‖ + ‖C‖), the relative backward error."""
    scale = (_norm(A) + _norm(B)) * _norm(X) + _norm(C)
    if scale == 0:
        return 0.0
    return _norm(A @ X + X @ B - C) / scale


def _norm(matrix: Array) -> float:
    """Return the Frobenius norm by BLAS, which prevents overflow of the squares."""
    return float(linalg.norm(matrix.ravel(order="K"), check_finite=False))
