"""The cells of a person's table as numbers or as plain words: what stands before scikit-learn's transformers.

They are classes, not functions in a ``FunctionTransformer``: a saved model names types, and holds no function.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist._extras import require
from labeldist._tables.kinds import dates, is_missing, numbers, word
from labeldist._tables.tables import cell_at
from labeldist._typing import Array
from labeldist.exceptions import TableError

MISSING_WORD = "(missing)"
"""The word for a cell that holds none."""

RARE = "(rare)"
"""What stands for all categories that are too rare to have a column."""

DATE_PARTS = ("year", "yearday sine", "yearday cosine", "weekday sine", "weekday cosine")
"""What is told of a date: the year with its fraction, and where in the year and in the week it lies, as on a clock."""


class CellTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the transformers that look at one column of a pandas table after the other."""

    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012  # scikit-learn's name and form

    def fit(self, X: Any, y: Any = None) -> CellTransformer:  # noqa: ARG002  # a pipeline passes y
        """Note the names of the columns; there is nothing else to learn."""
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> Any:
        """Return a table of what the cells of `X` become."""
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        table = X if hasattr(X, "columns") else require("pandas", "app").DataFrame(X)
        return np.column_stack([self._column(table[name]) for name in table.columns])

    @abstractmethod
    def _column(self, cells: Any) -> Any:
        """Return what the cells of one column become."""


class ToNumbers(OneToOneFeatureMixin, CellTransformer):  # type: ignore[misc]
    """Numbers, numbers that are written as text, and truth values as float64; NaN where a cell is empty."""

    def _column(self, cells: Any) -> Array:
        return _all_read(numbers(cells), cells, "a number")


class ToWords(OneToOneFeatureMixin, CellTransformer):  # type: ignore[misc]
    """Every cell as a word: 3 and 3.0 are ``"3"``, an empty cell is ``"(missing)"``.

    A column of codes may be read as words from one file and as numbers from another; here they are the same.
    """

    def _column(self, cells: Any) -> Any:
        words = [word(cell) for cell in cells.astype(object)]
        return np.where(is_missing(cells), MISSING_WORD, np.array(words, dtype=object))


class IsMissing(CellTransformer):
    """1 where a cell is empty, and 0 elsewhere."""

    def _column(self, cells: Any) -> Array:
        return is_missing(cells).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"age is missing"`` for the column ``age``."""
        names = self.feature_names_in_ if input_features is None else input_features
        return np.array([f"{name} is missing" for name in names], dtype=object)


class DateParts(CellTransformer):
    """Five numbers a date, those of `DATE_PARTS`; NaN where a cell is empty.

    Dates are pandas' or Python's, or text such as 2024-05-31 or 2024-05-31T14:00+02:00. Those that have a time zone are
    taken at UTC.
    """

    def _column(self, cells: Any) -> Array:
        found = dates(cells)
        year = found.dt.year.to_numpy(np.float64)
        hours = (found.dt.day_of_year - 1) * 24 + found.dt.hour + found.dt.minute / 60
        passed = hours.to_numpy(np.float64) / (365 * 24 + 24 * found.dt.is_leap_year.to_numpy(np.float64))
        week = found.dt.day_of_week.to_numpy(np.float64) / 7
        angles = [2 * np.pi * share for share in (passed, week)]
        parts = [year + passed, *(wave(angle) for angle in angles for wave in (np.sin, np.cos))]
        _all_read(year, cells, "a date such as 2024-05-31")
        return np.column_stack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"born year"``, ``"born yearday sine"``, … for the column ``born``."""
        names = self.feature_names_in_ if input_features is None else input_features
        return np.array([f"{name} {part}" for name in names for part in DATE_PARTS], dtype=object)


class CategoryColumns(OneHotEncoder):  # type: ignore[misc]
    """A column of 0 and 1 for each category, named by it: a saved model can hold no function that would do that."""

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return ``"city=Rome"``, …, and last ``"city=(rare)"`` if there are rare ones, for the column ``city``."""
        columns = self.feature_names_in_ if input_features is None else input_features
        names: list[str] = []
        for column, categories, rare in zip(columns, self.categories_, self.infrequent_categories_, strict=True):
            kept = categories if rare is None else [*(word for word in categories if word not in set(rare)), RARE]
            names += [f"{column}={word}" for word in kept]
        return np.array(names, dtype=object)


def _all_read(values: Array, cells: Any, wanted: str) -> Array:
    """Return `values`, or name the first cell that is filled and gave none."""
    unread = np.isnan(values) & ~is_missing(cells)
    if unread.any():
        position = int(unread.argmax())
        raise TableError(
            f"{cell_at(position, cells.name)} is {cells.iloc[position]!r}, not {wanted}. Correct it, or leave it empty."
        )
    return values
