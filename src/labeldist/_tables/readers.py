"""Files of features and label distributions, read and checked."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from labeldist._tables.matlab import Unread, load_mat
from labeldist._typing import Array
from labeldist._unpacking import UnpackingError, check_size, room_for
from labeldist.exceptions import DatasetError
from labeldist.simplex import check_distributions


def read_mat(path: str | os.PathLike[str]) -> tuple[Array, Array]:
    """Read ``features`` and ``labels`` from a MATLAB file, the format of the benchmark sets.

    Parameters
    ----------
    path : path-like
        A file of MATLAB's version 5 format (what MATLAB's ``save`` writes up to ``-v7``), with two dense
        matrices: ``features``, a row an item, and ``labels``, whose rows are distributions.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    D : ndarray of shape (n_samples, n_labels)
        Both float64 and C-contiguous.

    Raises
    ------
    DatasetNotFoundError
        There is no such file.
    DatasetError
        The file is no MATLAB file, or its matrices are missing, or are not what they should be.
    NotADistributionError
        A row of ``labels`` is not a distribution.
    """
    path = Path(path)
    variables = load_mat(path)
    X, D = (matrix(variables, key, path) for key in ("features", "labels"))
    if len(X) != len(D):
        raise DatasetError(f"{path} has {len(X)} rows of features and {len(D)} rows of labels.")
    not_finite = ~np.isfinite(X)
    if not_finite.any():
        row, column = np.argwhere(not_finite)[0]
        raise DatasetError(
            f"The features of {path} are not finite in {np.count_nonzero(not_finite.any(axis=1))} row(s), "
            f"first in row {row}: column {column} is {X[row, column]}."
        )
    return X, check_distributions(D, name=f"The matrix labels of {path}")


def matrix(variables: dict[str, Any], key: str, path: Path) -> Array:
    """Return the variable `key` as a C-contiguous float64 matrix, or say why it is none."""
    if key not in variables:
        found = ", ".join(sorted(variables)) or "nothing"
        raise DatasetError(f"{path} has no variable {key}: it needs features and labels, and holds {found}.")
    value = variables[key]
    kind = value.kind if isinstance(value, Unread) else str(value.dtype)
    if kind == "sparse":
        # Made dense here, a large sparse matrix would take the machine's memory by surprise.
        raise DatasetError(f"The matrix {key} of {path} is sparse: save it as a dense one, full({key}) in MATLAB.")
    if isinstance(value, Unread) or value.dtype.kind not in "biuf":
        raise DatasetError(f"The variable {key} of {path} must hold real numbers; its type is {kind}.")
    if value.ndim != 2 or value.size == 0:
        raise DatasetError(f"The variable {key} of {path} must be a matrix with entries; its shape is {value.shape}.")
    try:
        check_size(8 * value.size, room_for(path.stat().st_size))  # truth values and bytes grow eightfold
        return np.array(value, dtype=np.float64, order="C")  # a copy, which can be written to
    except (UnpackingError, MemoryError) as error:
        raise DatasetError(f"The variable {key} of {path} cannot be read: {error}.") from None
