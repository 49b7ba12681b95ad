"""What a table of labels must be, before anything is learned from it."""

import warnings
from typing import Any

import numpy as np

from labeldist.exceptions import LogicalLabelWarning, NotADistributionError
from labeldist.simplex import Array, check_degrees


def label_names(y: Any, n_labels: int) -> list[str]:
    """Return the column names of a table of labels, and ``label_0``, ``label_1``, … for what has none."""
    columns = getattr(y, "columns", None)
    return [f"label_{k}" for k in range(n_labels)] if columns is None else [str(name) for name in columns]


def label_table(y: Any) -> Any:
    """Return labels, sparse or not, as a dense table with one column a label, or refuse."""
    if hasattr(y, "toarray"):  # as a dense table sparse labels are still far smaller than the features
        y = y.toarray()
    if np.ndim(y) != 2:
        raise NotADistributionError(
            f"y must have two dimensions, a row an item and a column a label; got shape {np.shape(y)}. One class an "
            "item becomes such a table with sklearn.preprocessing.LabelBinarizer or pandas.get_dummies."
        )
    return y


def check_logical(L: Any) -> Array:
    """Return logical labels as float64; warn of values other than 0 and 1 and of rows without a positive label."""
    logical = check_degrees(L, name="y (the logical labels)")
    other = (logical != 0) & (logical != 1)
    if other.any():
        row, column = np.argwhere(other)[0]
        warnings.warn(
            f"The logical labels hold values other than 0 and 1, first {logical[row, column]:g} in row {row}, column "
            f"{column}. They are used as they are; labeldist.datasets.binarize makes distributions logical.",
            LogicalLabelWarning,
            stacklevel=4,
        )
    empty = np.count_nonzero(~logical.any(axis=1))
    if empty:
        warnings.warn(
            f"{empty} of {len(logical)} rows have no positive label. Nothing is known of them but their features.",
            LogicalLabelWarning,
            stacklevel=4,
        )
    return logical
