"""Checks of features, tables of labels and random states, shared by all estimators."""

from itertools import combinations
from typing import Any

import numpy as np

from labeldist._entries import check_entries
from labeldist._typing import Array
from labeldist.exceptions import LabelWarning, NotADistributionError, warn
from labeldist.simplex import SUM_TOLERANCE, check_distributions, normalize

# scikit-learn is imported inside the functions: it loads pandas where that is installed, which takes a second.

_HOW_TO_MAKE_A_TABLE = (
    "pandas.get_dummies or OneHotEncoder makes such a table from one class per item, MultiLabelBinarizer from lists of "
    "labels."
)


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed or a generator; for None, a new one with a random seed."""
    from sklearn.utils import check_random_state

    # For None, check_random_state would return NumPy's global generator, which other code may seed or use.
    return np.random.RandomState() if random_state is None else check_random_state(random_state)


def validated(estimator: Any, *tables: Any, **options: Any) -> Any:
    """Call ``validate_data``, and raise an error for masked entries, dates and durations in X."""
    from sklearn.utils.validation import validate_data

    check_entries(tables[0], name="X", times=options.get("skip_check_array", False))
    with np.errstate(over="ignore", invalid="ignore"):  # the sum over very large values
        result = validate_data(estimator, *tables, **options)
    if options.get("reset", True):  # scikit-learn stores only names that are text
        estimator._column_names = column_names(tables[0])
    return result


def validated_pair(estimator: Any, X: Any, y: Any, *, reset: bool, **options: Any) -> Any:
    """Validate features and a table of degrees, which may contain NaN; see `as_distributions`."""
    from sklearn.utils import check_consistent_length

    for_y = {"accept_sparse": "csr", "ensure_2d": False, "dtype": None, "ensure_all_finite": "allow-nan"}
    X, y = validated(estimator, X, y, reset=reset, validate_separately=(options, for_y))
    check_consistent_length(X, y)
    return X, y


def check_rows(**tables: Any) -> None:
    """Raise an error if a table has masked entries, or if two have the same pandas index in different orders."""
    for name, table in tables.items():
        check_entries(table, name=name, times=True)
    indexes = [(name, table.index) for name, table in tables.items() if _has_index(table)]
    for (first, index), (second, other) in combinations(indexes, 2):
        same = index.equals(other) or len(index) != len(other)
        if not same and index.isin(other).all() and other.isin(index).all():
            problem = f"The indexes of {first} and {second} hold the same labels in different orders"
            advice = f"Reorder the rows, for instance by {second}.loc[{first}.index]."
            raise ValueError(f"{problem}, but rows are paired by position. {advice}")


def _has_index(table: Any) -> bool:
    return type(table).__module__.startswith("pandas") and hasattr(table, "index")  # an array of pandas has none


def weights_for(estimator: Any, weight: Array | None) -> dict[str, Array]:
    """Return the weights as fit parameters of an estimator, of the steps of a pipeline or of what a search fits."""
    from sklearn.utils.validation import has_fit_parameter

    if weight is None:
        return {}
    if has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weight}
    if hasattr(estimator, "refit"):
        return weights_for(estimator.estimator, weight)
    steps = getattr(estimator, "steps", ())
    return {f"{name}__{parameter}": weight for name, step in steps for parameter in weights_for(step, weight)}


def column_names(table: Any) -> list[str] | None:
    """Return the column names of a data frame of any library, or None if `table` has none."""
    # The attribute `columns` of a pyarrow table holds the columns themselves. The class is inspected because a pandas
    # column may be named column_names, and is then an attribute of its table.
    names = table.column_names if hasattr(type(table), "column_names") else getattr(table, "columns", None)
    return None if names is None else [str(name) for name in names]


def check_feature_order(estimator: Any, X: Any) -> None:
    """Raise an error if `X` has the features of fit in another order, and name the first that differs."""
    known = getattr(estimator, "feature_names_in_", getattr(estimator, "_column_names", None))
    expected, given = [] if known is None else list(known), column_names(X)
    if given is None or given == expected or sorted(given) != sorted(expected):
        return
    first = next(k for k, (name, other) in enumerate(zip(given, expected, strict=True)) if name != other)
    raise ValueError(
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        f"Column {first} is {given[first]!r} where fit had {expected[first]!r}. "
        "Select the columns in the order of fit."
    )


def label_names(y: Any, n_labels: int) -> list[str]:
    """Return the column names of a table of labels; ``label_0``, ``label_1``, … if it has none."""
    return column_names(y) or [f"label_{k}" for k in range(n_labels)]


def check_label_names(y: Any, known: list[str], name: str = "y") -> None:
    """Raise an error if the columns of `y` have other names than `known`, or another order."""
    names = column_names(y)
    if names is None or names == known or (known == label_names(None, len(known)) and set(names) != set(known)):
        return  # an array has no names, and a model fitted to an array has none to compare with
    raise ValueError(f"{name} must have the labels {known}, in this order; got {names}.")


def check_rows_are_equally_long(y: Any) -> None:
    """Raise an error if `y` is a list of lists that differ in length."""
    if not isinstance(y, list | tuple):
        return
    try:
        np.shape(y)
    except ValueError:
        problem = "y must be a table with one row per item and one column per label; its rows differ in length"
        raise NotADistributionError(f"{problem}. {_HOW_TO_MAKE_A_TABLE}") from None


def label_table(y: Any) -> Any:
    """Return labels, sparse or dense, as a dense table with one column per label, or raise an error."""
    if hasattr(y, "toarray"):  # dense labels take far less memory than the features
        y = y.toarray()
    if np.ndim(y) != 2:
        problem = f"y must have two dimensions, one row per item and one column per label; got shape {np.shape(y)}"
        raise NotADistributionError(f"{problem}. {_HOW_TO_MAKE_A_TABLE}")
    if np.shape(y)[1] == 1:
        advice = f"If its values are classes, each class needs a column. {_HOW_TO_MAKE_A_TABLE}"
        warn(f"y has a single label column, and a distribution over one label is always 1. {advice}", LabelWarning)
    return y


def check_logical(L: Any) -> Array:
    """Return logical labels as float64; warn about values that are valid but probably not intended."""
    logical = check_distributions(L, name="y (logical labels; convert labels of -1 and 1 by y > 0)", tol=np.inf)
    other = (logical != 0) & (logical != 1)
    if other.any():
        row, column = np.argwhere(other)[0]
        problem = f"values other than 0 and 1, first {logical[row, column]:g} in row {row}, column {column}"
        advice = "become logical labels with labeldist.datasets.binarize(labeldist.simplex.normalize(y))."
        warn(f"The logical labels hold {problem}. Degrees or counts {advice}", LabelWarning)
    elif logical.all() and logical.shape[1] > 1:
        warn("Every label is 1 in every row, so the labels carry no information.", LabelWarning)
    empty = np.count_nonzero(~logical.any(axis=1))
    if empty:
        effect = "Their labels do not determine their degrees, and no measure is defined for such a row."
        warn(f"{empty} of {len(logical)} rows have no positive label. {effect}", LabelWarning)
    return logical


def check_rows_have_a_positive(L: Array, reason: str) -> None:
    """Raise an error with the given reason if logical labels contain rows of zeros."""
    empty = np.flatnonzero(~L.any(axis=1))
    if empty.size:
        problem = f"{empty.size} of {len(L)} rows have no positive label, first row {empty[0]}, and {reason}"
        advice = "Drop those rows, or use an enhancer that accepts them, such as BDLE."
        raise NotADistributionError(f"{problem}. {advice}")


def as_distributions(y: Any, *, name: str, accept_missing: bool = False) -> Array:
    """Return degrees divided by their row sums; warn if they look like logical labels.

    Missing degrees (NaN) are an error unless they are accepted. Then rows with NaN are returned as they are. Their
    other degrees must be non-negative and sum to at most one. Single rows may have only NaN.
    """
    missing = _missing(y)
    if missing.any():
        if not accept_missing:
            advice = "IncomLDL, WInLDL and WSLDLMCSC accept missing degrees. For other learners drop those rows."
            raise NotADistributionError(f"Input {name} contains NaN. {advice}")
        return _with_missing_degrees(np.asarray(y, dtype=np.float64), missing, name)
    degrees = normalize(y, name=name, copy=False)
    given = np.asarray(y)
    # The first row decides quickly in most tables.
    if all(np.isin(rows, (0, 1)).all() for rows in (given[:1], given)) and (given.sum(axis=1) > 1).any():
        problem = f"{name} holds only 0 and 1, with several 1 in a row: these look like logical labels"
        advice = "EnhancedLearner first recovers distributions from logical labels."
        warn(f"{problem}, and are used as distributions with equal degrees. {advice}", LabelWarning)
    return degrees


def _missing(y: Any) -> Any:
    try:
        return np.isnan(np.asarray(y, dtype=np.float64))
    except (TypeError, ValueError):
        return np.zeros(1, dtype=bool)  # `normalize` raises an error for these


def _with_missing_degrees(y: Array, missing: Any, name: str) -> Array:
    if missing.all():
        raise NotADistributionError(f"All degrees of {name} are missing. At least one row needs degrees.")
    incomplete = missing.any(axis=1)
    degrees = check_distributions(np.where(missing, 0, y), name=name, tol=np.inf).copy()
    large = np.flatnonzero(incomplete & (degrees.sum(axis=1) > 1 + SUM_TOLERANCE))
    if large.size:
        problem = f"{large.size} row(s) with missing degrees whose others sum to more than 1, first row {large[0]}"
        advice = "Only complete rows are divided by their sum; pass degrees, not counts."
        raise NotADistributionError(f"{name} has {problem}. {advice}")
    if not incomplete.all():
        degrees[~incomplete] = normalize(degrees[~incomplete], name=f"{name}, complete rows only,")
    degrees[missing] = np.nan
    return degrees
