"""Proximal operators of the sum of the row norms and of the nuclear norm."""

import numpy as np
from scipy import linalg

from labeldist._float_limits import TINY
from labeldist._typing import Array


def shrink_rows(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·Σ_i ‖z_i‖: A with shortened rows."""
    lengths = np.sqrt(np.einsum("ij,ij->i", A, A))
    return A * _kept_share(lengths, threshold)[:, None]


def shrink_singular_values(A: Array, threshold: float) -> Array:
    """Return the minimiser of ½‖Z − A‖² + threshold·‖Z‖_*: A with reduced singular values."""
    n_rows, n_columns = A.shape
    # The triangular factor has the singular values and the right vectors of A.
    factor = np.linalg.qr(A, mode="r") if n_rows > n_columns else A
    try:
        _, sigma, Vt = linalg.svd(factor, full_matrices=False)
    except linalg.LinAlgError:  # the default algorithm fails on some matrices
        _, sigma, Vt = linalg.svd(factor, full_matrices=False, lapack_driver="gesvd")
    return A @ (Vt.T * _kept_share(sigma, threshold)) @ Vt


def _kept_share(sizes: Array, threshold: float) -> Array:
    """Return max(1 − threshold / size, 0), and 0 for a size of zero."""
    return 1 - threshold / np.maximum(sizes, threshold + TINY)
