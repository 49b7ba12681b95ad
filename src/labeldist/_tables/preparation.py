"""Transformers that turn table columns (numbers, truth values, dates, categories) into features.

The transformers are classes because a saved model may hold types, but no functions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist._extras import require
from labeldist._tables.kinds import PREPARABLE, dates, holds_truth, is_missing, kind_of, numbers, shown, word
from labeldist._tables.tables import cell_at, check_unique, listed
from labeldist._typing import Array
from labeldist.exceptions import TableError

RARE_ROWS = 3
"""Categories with fewer rows share one column."""

MOST_CATEGORIES = 30
"""The largest number of columns for one column of categories; the rarest categories share one."""

MISSING_WORD = "(missing)"
RARE = "(rare)"
DATE_PARTS = ("year", "yearday sine", "yearday cosine", "weekday sine", "weekday cosine")


def prepare_columns(frame: Any, columns: Iterable[str] | None = None) -> ColumnTransformer:
    """Return an unfitted transformer for the columns of a table.

    Numbers are standardised, with missing values replaced by the median. Truth values become 0 and 1, missing ones the
    more frequent of both. Dates become the five numbers of `DateParts`. Categories are one-hot encoded; rare and unseen
    ones share a column, and missing values are a category. For each other column with missing values in `frame`, an
    indicator column is added.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table that determines the kind of each column.
    columns : iterable of str, default=None
        The columns to use; None is all of them.

    Returns
    -------
    ColumnTransformer
        It selects its columns by name and ignores all others.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 40, 50, None], "city": ["Rome", "Bern", "Rome", "Rome"]})
    >>> prepared = prepare_columns(people).set_output(transform="pandas").fit_transform(people)
    >>> list(prepared.columns)
    ['age', 'city=Rome', 'city=(rare)', 'age is missing']
    """
    names = _check_columns(frame, columns)
    kinds = {name: kind_of(frame[name]) for name in names}
    bad = {name: found for name, found in kinds.items() if found.kind not in PREPARABLE}
    if bad:
        problems = "; ".join(f"{name!r} {found.reason} (data row {found.row + 1})" for name, found in bad.items())
        raise TableError(
            f"Columns that cannot be converted to features: {problems}. Leave them out, or replace their cells by "
            "numbers, dates such as 2024-05-31 or categories."
        )
    # keep_empty_features: a fold of cross-validation without a value must have the same columns as the others.
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    encoder = CategoryColumns(
        handle_unknown="infrequent_if_exist",
        min_frequency=RARE_ROWS,
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    pipelines = {
        "number": make_pipeline(ToNumbers(), median, StandardScaler()),
        "truth": make_pipeline(ToNumbers(), most_frequent),
        "date": make_pipeline(DateParts(), median, StandardScaler()),
        "category": make_pipeline(ToWords(), encoder),
    }
    parts = [(kind, part, [name for name in names if kinds[name].kind == kind]) for kind, part in pipelines.items()]
    with_gaps = [name for name in names if kinds[name].kind != "category" and is_missing(frame[name]).any()]
    parts.append(("missing", IsMissing(), with_gaps))
    return ColumnTransformer([part for part in parts if part[2]], verbose_feature_names_out=False)


class CellTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of transformers that convert a table column by column."""

    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012  # scikit-learn's name and form

    def fit(self, X: Any, y: Any = None) -> CellTransformer:  # noqa: ARG002  # a pipeline passes y
        """Store the names of the columns."""
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> Any:
        """Convert the cells of each column of `X`."""
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        table = _as_frame(X)
        return np.column_stack([self._convert(table[name]) for name in table.columns])

    @abstractmethod
    def _convert(self, cells: Any) -> Any:
        """Convert the cells of one column."""


class ToNumbers(OneToOneFeatureMixin, CellTransformer):  # type: ignore[misc]
    """Convert numbers, also as text, and truth values to float64; missing cells are NaN.

    Words such as yes and no are numbers only in columns that held nothing else when the transformer was fitted.
    """

    def fit(self, X: Any, y: Any = None) -> ToNumbers:
        """Store the names of the columns, and which of them hold truth values."""
        super().fit(X, y)
        table = _as_frame(X)
        self.truth_columns_ = [name for name in table if holds_truth(table[name][~is_missing(table[name])])]
        return self

    def _convert(self, cells: Any) -> Array:
        return _check_converted(numbers(cells, truth_words=cells.name in self.truth_columns_), cells, "a number")


class ToWords(OneToOneFeatureMixin, CellTransformer):  # type: ignore[misc]
    """Convert cells to words: 3 and 3.0 are ``"3"``, a missing cell is ``"(missing)"``."""

    def _convert(self, cells: Any) -> Any:
        words = [word(cell) for cell in cells.astype(object)]
        return np.where(is_missing(cells), MISSING_WORD, np.array(words, dtype=object))


class IsMissing(CellTransformer):
    """Indicate missing cells by 1, others by 0."""

    def _convert(self, cells: Any) -> Array:
        return is_missing(cells).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"age is missing"`` for the column ``age``."""
        names = self.feature_names_in_ if input_features is None else input_features
        return np.array([f"{name} is missing" for name in names], dtype=object)


class DateParts(CellTransformer):
    """Convert dates to the year with its fraction, and sine and cosine of the position in the year and in the week.

    Dates are those of pandas or Python, or text such as 2024-05-31 or 2024-05-31T14:00+02:00, converted to UTC.
    """

    def _convert(self, cells: Any) -> Array:
        found = dates(cells)
        year = _check_converted(found.dt.year.to_numpy(np.float64), cells, "a date such as 2024-05-31")
        hours = (found.dt.day_of_year - 1) * 24 + found.dt.hour + found.dt.minute / 60
        passed = hours.to_numpy(np.float64) / (365 * 24 + 24 * found.dt.is_leap_year.to_numpy(np.float64))
        week = found.dt.day_of_week.to_numpy(np.float64) / 7
        angles = 2 * np.pi * passed, 2 * np.pi * week
        return np.column_stack([year + passed, *(wave(angle) for angle in angles for wave in (np.sin, np.cos))])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"born year"``, ``"born yearday sine"``, … for the column ``born``."""
        names = self.feature_names_in_ if input_features is None else input_features
        return np.array([f"{name} {part}" for name in names for part in DATE_PARTS], dtype=object)


class CategoryColumns(OneHotEncoder):  # type: ignore[misc]
    """One-hot encoder with readable feature names."""

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"city=Rome"``, …, and last ``"city=(rare)"`` if there are rare ones, for the column ``city``."""
        columns = self.feature_names_in_ if input_features is None else input_features
        names: list[str] = []
        for column, categories, rare in zip(columns, self.categories_, self.infrequent_categories_, strict=True):
            kept = categories if rare is None else [*(word for word in categories if word not in set(rare)), RARE]
            names += [f"{column}={word}" for word in kept]
        return np.array(names, dtype=object)


def _as_frame(X: Any) -> Any:
    return X if hasattr(X, "columns") else require("pandas", "app").DataFrame(X)


def _check_columns(frame: Any, columns: Iterable[str] | None) -> list[str]:
    """Return the names of the columns to prepare, each of which must be present once."""
    if not isinstance(frame, require("pandas", "app").DataFrame):
        raise TypeError(f"A pandas.DataFrame is needed; got {type(frame).__name__}. Convert it with to_pandas().")
    present = list(frame.columns)
    names = present if columns is None else list(columns)
    unknown = [name for name in names if name not in present]
    if unknown or not names:
        raise TableError(f"The table has no feature column {listed(unknown)}. It has {listed(present)}.")
    check_unique(name for name in present if name in names)
    return names


def _check_converted(values: Array, cells: Any, wanted: str) -> Array:
    """Return `values`, or raise an error that names the first filled cell without a value."""
    unread = np.isnan(values) & ~is_missing(cells)
    if unread.any():
        row = int(unread.argmax())
        raise TableError(
            f"{cell_at(row, cells.name)} is {shown(cells.iloc[row])}, not {wanted}. Correct it, or leave it empty."
        )
    return values
