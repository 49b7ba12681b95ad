"""MATLAB and NumPy files with matrices of features and labels."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from labeldist.app.types import Array
from labeldist.utils import require

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("feature", "label")
ARRAYS = ("features", "labels", "feature_names", "label_names")


def read_mat(file: Any) -> pd.DataFrame:
    """Read a MATLAB file."""
    import scipy.io

    return _join(scipy.io.loadmat(file, variable_names=list(ARRAYS)))


def read_npz(file: BinaryIO) -> pd.DataFrame:
    """Read a NumPy archive."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in ARRAYS if name in archive}
    except ValueError:  # NumPy would advise to allow pickled objects.
        raise ValueError("it is damaged, or holds Python objects") from None
    return _join(arrays)


def write_mat(frame: pd.DataFrame, labels: Sequence[str]) -> bytes:
    """Encode features and labels as two matrices with their names in a MATLAB file."""
    import scipy.io

    buffer: Any = io.BytesIO()  # SciPy's types lack open files
    scipy.io.savemat(buffer, _split(frame, labels), do_compression=True)
    return buffer.getvalue()


def write_npz(frame: pd.DataFrame, labels: Sequence[str]) -> bytes:
    """Encode features and labels as two matrices with their names in a NumPy archive."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **_split(frame, labels))
    return buffer.getvalue()


def _join(arrays: Mapping[str, Any]) -> pd.DataFrame:
    """Join the matrices of features and labels to one table."""
    pandas = require("pandas", "app")
    parts = []
    for kind in KINDS:
        if f"{kind}s" in arrays:
            values = _matrix(arrays, f"{kind}s")
            names = _column_names(arrays, kind, values.shape[1])
            parts.append(pandas.DataFrame(values, columns=names))
    if not parts:
        raise ValueError("it has neither features nor labels")
    n_features = len(parts[0])
    n_labels = len(parts[-1])
    if n_features != n_labels:
        raise ValueError(f"it has {n_features} rows of features and {n_labels} rows of labels")
    return pandas.concat(parts, axis=1)


def _split(frame: pd.DataFrame, labels: Sequence[str]) -> dict[str, Any]:
    """Return matrices of the feature and the label columns, and their names."""
    features = [name for name in frame.columns if name not in labels]
    arrays: dict[str, Any] = {}
    for kind, columns in zip(KINDS, (features, list(labels)), strict=True):
        if columns:
            arrays[f"{kind}s"] = frame[columns].to_numpy(dtype=np.float64)
            arrays[f"{kind}_names"] = np.array(columns, dtype=str)
    return arrays


def _matrix(arrays: Mapping[str, Any], key: str) -> Array:
    """Return a variable as a float64 matrix."""
    value = np.asarray(arrays[key])
    if value.dtype.kind not in "biuf" or value.ndim != 2:
        raise ValueError(f"{key} must be a dense matrix of real numbers")
    return value.astype(np.float64)


def _column_names(arrays: Mapping[str, Any], kind: str, count: int) -> list[str]:
    """Return the names in an array of text or a MATLAB cell array, or else numbered names."""
    key = f"{kind}_names"
    if key not in arrays:
        return [f"{kind}_{column}" for column in range(count)]
    # A cell of MATLAB is an array of one text.
    return ["".join(np.ravel(cell)).strip() for cell in np.ravel(arrays[key])]
