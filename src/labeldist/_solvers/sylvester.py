"""The symmetric Sylvester equation A X + X B = C, by whichever decomposition suits its shape."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from scipy import linalg

from labeldist._typing import EPSILON, Array
from labeldist.exceptions import SingularCoefficientError

Method = Literal["cholesky", "eigh", "cholesky_svd"]
METHODS: tuple[Method, ...] = get_args(Method)

EIGH_COST = 12
"""One eigendecomposition costs about as much as this many Cholesky factorisations (measured, 100 to 2,500 rows)."""

SMALL, FEW = 64, 2
"""Up to so many rows of A one eigendecomposition takes less than the calls of more than a few factorisations."""

EIGH_CONDITION = 1e8
"""Beyond this condition number the small eigenvalues have too few digits left, and Cholesky is the better route."""

FEW_DIGITS = 1e12
"""A condition number that leaves four of sixteen digits."""

SAFETY = 10
"""How many times larger than expected the rounding of a zero may come out."""


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
    condition : float
        By how much the worst of the systems that were solved magnifies relative errors: its condition number, which
        eats that many of sixteen digits. Cholesky does not see units, so there it is estimated in columns whose
        diagonal is one; otherwise it is the largest over the smallest eigenvalue, those that are rounding left out.
    """

    X: Array
    residual: float
    method: Method
    condition: float

    @property
    def has_few_digits(self) -> bool:
        """Whether the condition leaves less than four digits of the solution."""
        return self.condition > FEW_DIGITS


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
        - ``"cholesky"``: factor A + b_k I for each k; c·m³/3 multiplications. Cheapest for few labels, and blind to
          the units of the columns of A. A column whose right side vanishes has the solution zero and is not factored.
        - ``"eigh"``: A = U diag(a) Uᵀ as well, and X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ; about 9 m³. Cheapest for many
          labels. Where a_i + b_k vanishes to rounding, the entry is set to zero: the solution of minimum norm.
        - ``"cholesky_svd"``: the published route. A = PᵀP and B = QQᵀ by Cholesky, then the singular value
          decompositions of P and Q in place of the eigendecompositions. It needs both positive definite.
        - ``"auto"``: the cheaper of the first two that keeps the digits, and ``"eigh"`` where a system is singular.

    Raises
    ------
    SingularCoefficientError
        ``"cholesky"`` met a system, or ``"cholesky_svd"`` a coefficient, that is singular to rounding.
    """
    if method == "auto":
        X, condition, used = _solve_cheapest(A, B, C)
    elif method in METHODS:
        (X, condition), used = _SOLVERS[method](A, B, C), method
    else:
        raise ValueError(f"method must be auto, {', '.join(METHODS)}; got {method!r}.")
    return SylvesterSolution(X, relative_residual(A, B, C, X), used, condition)


def _solve_cheapest(A: Array, B: Array, C: Array) -> tuple[Array, float, Method]:
    eigen = _eigenbases(A, B) if len(B) > (FEW if len(A) <= SMALL else EIGH_COST) else None
    if eigen is not None and eigen.is_well_conditioned:
        return *eigen.solve(C), "eigh"
    try:
        return *_solve_by_cholesky(A, B, C), "cholesky"
    except SingularCoefficientError:
        return *(eigen or _eigenbases(A, B)).solve(C), "eigh"


def _solve_by_cholesky(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    b, V = _eigh(B)
    b[b <= SAFETY * len(B) * EPSILON * b[-1]] = (
        0  # rounding of a zero, which must not pass for a penalty where A is small
    )
    right = C @ V
    # Right sides that are rounding error only: their exact counterparts are zero, and so is their solution.
    vanishing = np.abs(right).max(axis=0) <= len(B) * EPSILON * np.abs(C).max()
    Y = np.zeros_like(right)
    directions, condition = np.flatnonzero(~vanishing), 1.0
    for k in directions:
        shifted = A.T.copy(order="F")  # A is symmetric, and its transpose mostly stored by columns already
        np.fill_diagonal(shifted, np.diagonal(A) + b[k])
        # The b ascend, and scaled to a diagonal of one A + bI is the better conditioned, the larger b is.
        what = f"A + {b[k]:.3g} I, the system of label direction {k},"
        factor, worse = _cholesky_or_refuse(shifted, "A", what, check_condition=k == directions[0])
        condition = max(condition, worse)
        Y[:, k], _ = linalg.lapack.dpotrs(factor, right[:, k], lower=True)
    return Y @ V.T, condition


def _solve_by_eigh(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    return _eigenbases(A, B).solve(C)


def _solve_by_cholesky_svd(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    lower_a = np.tril(_cholesky_or_refuse(A.copy(order="F"), "A", "A")[0])
    lower_b = np.tril(_cholesky_or_refuse(B.copy(order="F"), "B", "B")[0])
    U, sigma_a, _ = linalg.svd(lower_a)
    V, sigma_b, _ = linalg.svd(lower_b)
    return _Eigenbases(sigma_a**2, U, sigma_b**2, V).solve(C)


_SOLVERS = {"cholesky": _solve_by_cholesky, "eigh": _solve_by_eigh, "cholesky_svd": _solve_by_cholesky_svd}


def _cholesky_or_refuse(
    matrix: Array, coefficient: str, description: str, *, check_condition: bool = True
) -> tuple[Array, float]:
    """Overwrite the lower triangle of a matrix with its Cholesky factor, if it is safely positive definite.

    Return the factor and an estimate of the condition, which is 1 if that is not to be checked.
    """
    diagonal = np.diagonal(matrix).copy()
    factor, failed = linalg.lapack.dpotrf(matrix, lower=True, overwrite_a=True, clean=False)
    reciprocal = _reciprocal_condition(factor, diagonal) if check_condition and not failed else 1.0
    if failed or reciprocal < SAFETY * len(matrix) * EPSILON:
        raise SingularCoefficientError(
            f"{description} is singular to rounding. Use method='auto' (or 'eigh') for the solution of minimum norm, "
            "or a larger penalty.",
            coefficient,
        )
    return np.asarray(factor), 1 / reciprocal


def _reciprocal_condition(factor: Array, diagonal: Array) -> float:
    """Estimate 1/‖S⁻¹‖ where S is LLᵀ with its diagonal scaled to one, from L and the diagonal of LLᵀ.

    Cholesky's accuracy does not depend on the units of the columns, so what is judged must not, either.
    """
    reciprocal, _ = linalg.lapack.dpocon(factor / np.sqrt(diagonal)[:, None], 1.0, uplo="L")
    return float(reciprocal)


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
        """X = U [UᵀCV ⊘ (a_i + b_k)] Vᵀ, with 1/0 = 0 for sums that are rounding error; and the others' condition."""
        sums, largest = self.sums, self.sums.max()
        solvable = sums > SAFETY * max(sums.shape) * EPSILON * largest
        inner = np.divide(self.U.T @ C @ self.V, sums, out=np.zeros_like(sums), where=solvable)
        condition = largest / sums.min(where=solvable, initial=largest) if largest > 0 else 1.0
        return self.U @ inner @ self.V.T, float(condition)


def _eigenbases(A: Array, B: Array) -> _Eigenbases:
    return _Eigenbases(*_eigh(A), *_eigh(B))


def _eigh(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors by divide and conquer, which is mostly matrix products, without SciPy's checks."""
    values, vectors, failed = linalg.lapack.dsyevd(matrix)
    if failed:  # it does not, for finite numbers
        raise linalg.LinAlgError(f"The eigendecomposition failed (dsyevd returned {failed}).")
    return values, vectors


def relative_residual(A: Array, B: Array, C: Array, X: Array) -> float:
    """Return ‖AX + XB − C‖ / (‖A‖‖X‖ + ‖X‖‖B‖ + ‖C‖)."""
    scale = (_norm(A) + _norm(B)) * _norm(X) + _norm(C)
    return float(_norm(A @ X + X @ B - C) / scale) if scale else 0.0


def _norm(matrix: Array) -> float:
    """Return the Frobenius norm; BLAS keeps the squares within the number range."""
    return float(linalg.norm(matrix.ravel(order="K"), check_finite=False))
