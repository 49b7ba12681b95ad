"""Files of features and label distributions, read and checked."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from labeldist.exceptions import DatasetError, DatasetNotFoundError
from labeldist.simplex import Array, check_distributions


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


def load_mat(path: Path) -> dict[str, Any]:
    """Return the variables of a MATLAB file by name."""
    import scipy.io  # 0.2 s and more, which only a reader of files should wait for

    try:
        content = scipy.io.loadmat(str(path), appendmat=False)
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except NotImplementedError:
        raise DatasetError(
            f"{path} is a MATLAB file of version 7.3, which cannot be read here. Save it again in MATLAB "
            "with save(..., '-v7')."
        ) from None
    except Exception as error:  # what a damaged file raises depends on where the damage is
        raise DatasetError(f"{path} cannot be read as a MATLAB file of version 5: {error}.") from error
    return {key: value for key, value in content.items() if not key.startswith("__")}


def matrix(variables: dict[str, Any], key: str, path: Path) -> Array:
    """Return the variable `key` as a C-contiguous float64 matrix, or say why it is none."""
    if key not in variables:
        found = ", ".join(sorted(variables)) or "nothing"
        raise DatasetError(f"{path} has no variable {key}: it needs features and labels, and holds {found}.")
    value = variables[key]
    if not isinstance(value, np.ndarray):
        # Made dense here, a large sparse matrix would take the machine's memory by surprise.
        raise DatasetError(f"The matrix {key} of {path} is sparse: save it as a dense one, full({key}) in MATLAB.")
    if value.dtype.kind not in "biuf":
        raise DatasetError(f"The variable {key} of {path} must hold real numbers; its type is {value.dtype}.")
    if value.ndim != 2 or value.size == 0:
        raise DatasetError(f"The variable {key} of {path} must be a matrix with entries; its shape is {value.shape}.")
    return np.ascontiguousarray(value, dtype=np.float64)
