"""Checks of features, tables of labels and random states, shared by all estimators."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from labeldist._text import listed
from labeldist._typing import Array
from labeldist.exceptions import Hint, LabelWarning, NotADistributionError, TableError, warn
from labeldist.simplex import SUM_TOLERANCE, check_distributions, normalize

# scikit-learn is imported inside the functions: it loads pandas where that is installed, which
# takes a second.

_HOW_TO_MAKE_A_TABLE = (
    "pandas.get_dummies or OneHotEncoder makes such a table from one class per item, "
    "MultiLabelBinarizer from lists of labels."
)


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed or a generator; for None, a new one with a random seed."""
    from sklearn.utils import check_random_state

    # For None, check_random_state would return NumPy's global generator, which other code may use.
    if random_state is None:
        return np.random.RandomState()
    return check_random_state(random_state)


def is_lazy(X: Any) -> bool:
    """Return whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def validate_data(estimator: Any, X: Any, *args: Any, **options: Any) -> Any:
    """Validate X, and y if it is given, by scikit-learn's function of the same name.

    Dask collections raise an error, because scikit-learn would load them into memory.
    """
    from sklearn.utils.validation import validate_data

    if is_lazy(X):
        raise TypeError(
            "X is a Dask collection. Only fit and predict of BDLDL, BDLDLCV, SoftmaxRegression and "
            "SoftmaxRegressionCV accept these. Use one of them, or X.compute() if the table fits "
            "into memory."
        )
    names = column_names(X) or []
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"X has several columns named {repeated}. Rename them.")
    try:
        return validate_data(estimator, X, *args, **options)
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        advice = "Convert words to numbers, for instance by OneHotEncoder or TfidfVectorizer."
        raise ValueError(f"X holds text: {error}. {advice}") from error


def check_rows(**tables: Any) -> None:
    """Raise an error if two tables name the same rows at different positions.

    Rows are named by the index of a pandas object and by the items of votes.
    """
    named = {name: _row_names(table) for name, table in tables.items()}
    for first, second in combinations(named, 2):
        if _are_mispaired(named[first], named[second]):
            reordered = f"{second}.loc[{first}.index]"
            if _is_votes(tables[first]):
                reordered = f"{second}.loc[{first}.items]"
            elif _is_votes(tables[second]):
                reordered = f"{first}.loc[{second}.items]"
            raise ValueError(
                f"The indexes of {first} and {second} hold the same labels in different orders, "
                "or at different positions, but rows are paired by position. Reorder the rows, for "
                f"instance by {reordered}, or pass arrays without names."
            )


def _is_votes(table: Any) -> bool:
    return hasattr(table, "item_name")


def _row_names(table: Any) -> Any:
    """Return the names of the rows of a table, or None if it has none."""
    if _is_votes(table):
        numbers = range(len(table.items))
        return numbers if table.items == list(numbers) else table.items
    # Arrays of pandas have no index, and the index of a Dask collection is not known.
    return table.index if hasattr(table, "iloc") and not is_lazy(table) else None


def _are_mispaired(names: Any, others: Any) -> bool:
    """Return whether two lists hold some of the same names at different positions.

    Row numbers are no names beside names that are no range, such as those of a sample of rows.
    """
    if names is None or others is None or len(names) != len(others):
        return False
    have_names = _are_names(names, others) and _are_names(others, names)
    if hasattr(names, "isin") and hasattr(others, "isin") and names.dtype == others.dtype != object:
        are_equal = names.equals(others)  # much faster for large tables
        are_shared = names.isin(others)
    else:
        texts = [_text(name) for name in names]
        other_texts = [_text(name) for name in others]
        are_equal = texts == other_texts
        known = set(other_texts)
        are_shared = np.array([text in known for text in texts])
    if are_equal or not are_shared.any():
        return False
    return bool(are_shared.all() or have_names)


def _are_names(names: Any, others: Any) -> bool:
    """Return whether names are more than the row numbers beside others that are no range."""
    is_range = [type(one).__name__ in {"RangeIndex", "range"} for one in (names, others)]
    return is_range != [True, False] or names[0] != 0 or names[-1] != len(names) - 1


def _text(name: Any) -> str:
    """Return the name of a row as text, the same for 3, 3.0 and "3"."""
    is_whole = isinstance(name, float) and name.is_integer()
    return str(int(name) if is_whole else name)


def check_columns(**tables: Any) -> None:
    """Raise an error if two tables have different column names, or another order of them."""
    named = {name: column_names(table) for name, table in tables.items()}
    for (first, names), (second, others) in combinations(named.items(), 2):
        if names and others and names != others:
            raise ValueError(
                f"{first} and {second} must have the same labels in the same order: "
                f"{names}, {others}."
            )


def check_unique(columns: Iterable[str], name: str) -> None:
    """Raise a TableError if two columns of a table have the same name."""
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise TableError(f"{name} has duplicate columns: {listed(repeated)}.")


def weights_for(estimator: Any, weight: Array | None) -> dict[str, Array]:
    """Return the weights as fit parameters of an estimator, a pipeline or a search."""
    from sklearn.utils.validation import has_fit_parameter

    if weight is None:
        return {}
    if has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weight}
    if hasattr(estimator, "refit"):
        return weights_for(estimator.estimator, weight)
    parameters = {}
    for name, step in getattr(estimator, "steps", ()):
        for parameter in weights_for(step, weight):
            parameters[f"{name}__{parameter}"] = weight
    return parameters


def column_names(table: Any) -> list[str] | None:
    """Return the column names of a data frame of any library, or None if `table` has none."""
    # The attribute `columns` of a pyarrow table holds the columns themselves. The class is
    # inspected because a pandas column may be named column_names.
    if hasattr(type(table), "column_names"):
        names = table.column_names
    else:
        names = getattr(table, "columns", None)
    return None if names is None else [str(name) for name in names]


def label_names(y: Any, n_labels: int) -> list[str]:
    """Return the column names of a table of labels; ``label_0``, … if it has none."""
    return column_names(y) or [f"label_{k}" for k in range(n_labels)]


def check_label_names(y: Any, known: list[str], name: str = "y") -> None:
    """Raise an error if the columns of `y` have other names than `known`, or another order."""
    names = column_names(y)
    if names is None or names == known:
        return
    # A model fitted to an array has no names to compare with.
    if known == label_names(None, len(known)) and set(names) != set(known):
        return
    raise ValueError(f"{name} must have the labels {known}, in this order; got {names}.")


def label_table(y: Any) -> Array:
    """Return labels, sparse or dense, as a float64 table with one column per label."""
    if hasattr(y, "toarray"):  # dense labels take far less memory than the features
        y = y.toarray()
    try:
        table = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NotADistributionError(
            "y must be a table of numbers with one row per item and one column per label: "
            f"{error}. {_HOW_TO_MAKE_A_TABLE}"
        ) from None
    if table.ndim != 2:
        raise NotADistributionError(
            "y must have two dimensions, one row per item and one column per label; "
            f"got shape {table.shape}. {_HOW_TO_MAKE_A_TABLE}"
        )
    if table.shape[1] == 1:
        warn(
            "y has a single label column, and a distribution over one label is always 1. "
            f"If its values are classes, each class needs a column. {_HOW_TO_MAKE_A_TABLE}",
            LabelWarning,
        )
    return table


def check_logical(L: Any) -> Array:
    """Return logical labels as float64; warn about valid values that are probably not intended."""
    name = "y (logical labels; convert labels of -1 and 1 by y > 0)"
    logical = check_distributions(L, name=name, tol=np.inf)
    other = (logical != 0) & (logical != 1)
    if other.any():
        row, column = np.argwhere(other)[0]
        warn(
            "The logical labels hold values other than 0 and 1, first "
            f"{logical[row, column]:g} in row {row}, column {column}. Convert degrees or counts "
            "with labeldist.datasets.binarize(labeldist.simplex.normalize(y)).",
            LabelWarning,
        )
    elif logical.all() and logical.shape[1] > 1:
        warn("Every label is 1 in every row, so the labels carry no information.", LabelWarning)
    n_empty = np.count_nonzero(~logical.any(axis=1))
    if n_empty:
        warn(
            f"{n_empty} of {len(logical)} rows have no positive label. "
            "Their labels do not determine their degrees.",
            LabelWarning,
        )
    return logical


def as_distributions(y: Any, *, name: str, accept_missing: bool = False) -> Array:
    """Return degrees divided by their row sums; warn if they look like logical labels.

    Missing degrees (NaN) raise an error unless they are accepted. Then rows with NaN are returned
    as they are. Their other degrees must be non-negative and sum to at most one.
    """
    given = label_table(y)
    if given.size and np.isnan(given.min()):
        if accept_missing:
            return _with_missing_degrees(given, name)
        raise NotADistributionError(
            f"Input {name} contains NaN. IncomLDL, WInLDL and WSLDLMCSC accept missing degrees. "
            "For other learners drop those rows."
        )
    degrees = normalize(given, name=name, copy=False)
    if looks_logical(given):
        problem = f"{name} holds only 0 and 1, with several 1 in a row"
        effect = "these look like logical labels, and are used as distributions with equal degrees"
        warn(LabelWarning(f"{problem}: {effect}.", hint=Hint.TAGS))
    return degrees


def is_logical(degrees: Array) -> bool:
    """Return whether degrees are 0 and 1 only."""
    return bool(((degrees == 0) | (degrees == 1)).all())


def looks_logical(degrees: Array) -> bool:
    """Return whether degrees are 0 and 1 only, with several 1 in a row."""
    # The first row decides quickly in most tables.
    if not is_logical(degrees[:1]):
        return False
    return is_logical(degrees) and bool((degrees.sum(axis=1) > 1).any())


def _with_missing_degrees(y: Array, name: str) -> Array:
    missing = np.isnan(y)
    if missing.all():
        raise NotADistributionError(f"All degrees of {name} are missing.")
    degrees = check_distributions(np.where(missing, 0, y), name=name, tol=np.inf)
    incomplete = missing.any(axis=1)
    large = np.flatnonzero(incomplete & (degrees.sum(axis=1) > 1 + SUM_TOLERANCE))
    if large.size:
        raise NotADistributionError(
            f"{name} has {large.size} row(s) with missing degrees whose others sum to more than 1, "
            f"first row {large[0]}. Only complete rows are divided by their sum; "
            "pass degrees, not counts."
        )
    if not incomplete.all():
        degrees[~incomplete] = normalize(degrees[~incomplete], name=f"{name}, complete rows only,")
    degrees[missing] = np.nan
    return degrees


def interval_levels(probability: float, name: str) -> Array:
    """Return the levels of the two quantiles that bound an interval."""
    if not 0 < probability < 1:
        raise ValueError(f"{name} must be between 0 and 1; got {probability}.")
    return np.array([0.5 - probability / 2, 0.5 + probability / 2])


def check_at_least(minimum: int, number: int, name: str) -> None:
    """Raise an error if the parameter `name` is less than its minimum."""
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}; got {number}.")
