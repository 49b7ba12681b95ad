"""What a table of labels must be, before anything is learned from it."""

from typing import Any

import numpy as np

from labeldist.exceptions import LabelWarning, NotADistributionError, warn
from labeldist.simplex import Array, check_degrees, normalize

_MAKE_A_TABLE = (
    "Make such a table of one class an item with pandas.get_dummies or OneHotEncoder, of lists of labels with "
    "MultiLabelBinarizer."
)


def column_names(table: Any) -> list[str] | None:
    """Return the names of the columns of a data frame of any make; None for what has none."""
    # On a pyarrow table `columns` are the columns themselves. The class is asked because a pandas column may be called
    # column_names, and is then an attribute of its table.
    names = table.column_names if hasattr(type(table), "column_names") else getattr(table, "columns", None)
    return None if names is None else [str(name) for name in names]


def label_names(y: Any, n_labels: int) -> list[str]:
    """Return the column names of a table of labels, and ``label_0``, ``label_1``, … for what has none."""
    return column_names(y) or [f"label_{k}" for k in range(n_labels)]


def check_label_names(y: Any, known: list[str]) -> None:
    """Refuse a table whose labels have other names than the `known` ones, or another order."""
    names = column_names(y)
    if names is None or names == known or (known == label_names(None, len(known)) and set(names) != set(known)):
        return  # an array has no names, and what was learned from one has none to compare with
    raise ValueError(f"y must have the labels {known}, in this order; got {names}.")


def check_rows_are_equally_long(y: Any) -> None:
    """Refuse lists of labels, a list an item."""
    if not isinstance(y, list | tuple):
        return
    try:
        np.shape(y)
    except ValueError:
        raise NotADistributionError(
            f"y must be a table with a row an item and a column a label; its rows differ in length. {_MAKE_A_TABLE}"
        ) from None


def label_table(y: Any) -> Any:
    """Return labels, sparse or not, as a dense table with one column a label, or refuse."""
    if hasattr(y, "toarray"):  # as a dense table sparse labels are still far smaller than the features
        y = y.toarray()
    if np.ndim(y) != 2:
        raise NotADistributionError(
            f"y must have two dimensions, a row an item and a column a label; got shape {np.shape(y)}. {_MAKE_A_TABLE}"
        )
    if np.shape(y)[1] == 1:
        warn(
            "y has a single label column, and a distribution over one label is always 1. If its values are classes, "
            f"they need a column each. {_MAKE_A_TABLE}",
            LabelWarning,
        )
    return y


def check_logical(L: Any) -> Array:
    """Return logical labels as float64; warn of what can be used, but is hardly meant."""
    logical = check_degrees(L, name="y (the logical labels; those of -1 and 1 are y > 0)")
    other = (logical != 0) & (logical != 1)
    if other.any():
        row, column = np.argwhere(other)[0]
        warn(
            f"The logical labels hold values other than 0 and 1, first {logical[row, column]:g} in row {row}, column "
            f"{column}. They are used as they are. Degrees or counts become logical labels with "
            "labeldist.datasets.binarize(labeldist.simplex.normalize(y)).",
            LabelWarning,
        )
    elif logical.all() and logical.shape[1] > 1:
        warn("Every label is on in every row: there is nothing to tell them apart by.", LabelWarning)
    empty = np.count_nonzero(~logical.any(axis=1))
    if empty:
        warn(
            f"{empty} of {len(logical)} rows have no positive label. Nothing is known of them but their features, and "
            "no measure can be taken against such a row.",
            LabelWarning,
        )
    return logical


def refuse_rows_without_positive(L: Array, reason: str) -> None:
    """Refuse logical labels with rows of zeros, for the reason given."""
    empty = np.flatnonzero(~L.any(axis=1))
    if empty.size:
        raise NotADistributionError(
            f"{empty.size} of {len(L)} rows have no positive label, first row {empty[0]}, and {reason}. Drop those "
            "rows, or use an enhancer that takes them, such as BDLE."
        )


def as_distributions(y: Any, *, name: str) -> Array:
    """Return degrees divided by their row sums; warn of logical labels, which look like degrees but are none.

    Distributions come back as they are, not copied.
    """
    degrees = normalize(y, name=name, copy=False)
    given = np.asarray(y)
    if _is_zero_or_one(given[:1]) and _is_zero_or_one(given) and (given.sum(axis=1) > 1).any():
        warn(
            f"{name} holds only 0 and 1, with several 1 in a row: these look like logical labels, and are taken for "
            "distributions with equal degrees. EnhancedLearner recovers distributions from logical labels first.",
            LabelWarning,
        )
    return degrees


def _is_zero_or_one(values: Array) -> bool:
    return bool(((values == 0) | (values == 1)).all())
