"""Transformers that turn table columns (numbers, truth values, dates, categories, text) into features.

The transformers are classes because a saved model may hold types, but no functions.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import validate_data

from labeldist._tables.kinds import dates, holds_truth, is_missing, kind_of, numbers, shown, word
from labeldist._tables.tables import cell_at
from labeldist._typing import Array
from labeldist.exceptions import TableError

RARE_ROWS = 3  # Categories with fewer rows share one column.
MOST_CATEGORIES = 30  # If there are more, the rarest share one column.
TEXT_COMPONENTS = 100  # Features of a column of text, fewer if there are fewer rows or terms.


def prepare_columns(frame: Any) -> ColumnTransformer:
    """Return an unfitted transformer for the columns of a pandas data frame, which determines their kinds.

    Numbers are standardised, with gaps filled by the median; truth values become 0 and 1, with gaps filled by the more
    frequent value; dates become `DateParts`; categories, and gaps in them, are one-hot encoded, with rare and unseen
    ones in one column; text becomes `TextComponents`. An indicator column is added for each other column with gaps.
    """
    kinds = {name: kind_of(frame[name]) for name in frame.columns}
    bad = {name: found for name, found in kinds.items() if found.kind in ("name", "other")}
    if bad:
        problems = "; ".join(f"{name!r} {found.reason} (data row {found.row + 1})" for name, found in bad.items())
        advice = "replace their cells by numbers, dates such as 2024-05-31, categories or longer text."
        raise TableError(f"Columns that cannot be converted to features: {problems}. Leave them out, or {advice}")
    # keep_empty_features: a fold of cross-validation without a value must have the same columns as the others.
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    limits = {"min_frequency": RARE_ROWS, "max_categories": MOST_CATEGORIES}
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", sparse_output=False, **limits)
    pipelines = {
        "number": make_pipeline(ToNumbers(), median, StandardScaler()),
        "truth": make_pipeline(ToNumbers(), most_frequent),
        "date": make_pipeline(DateParts(), median, StandardScaler()),
        "category": make_pipeline(ToWords(), encoder),
        "text": TextComponents(),
    }
    parts = [(kind, part, [name for name in kinds if kinds[name].kind == kind]) for kind, part in pipelines.items()]
    with_gaps = [name for name in kinds if kinds[name].kind != "category" and is_missing(frame[name]).any()]
    parts.append(("missing", IsMissing(), with_gaps))
    return ColumnTransformer([part for part in parts if part[2]], verbose_feature_names_out=False)


def unseen_categories(preparation: ColumnTransformer, frame: Any) -> dict[str, Any]:
    """Return, for columns of categories, the cells as words that the fitted transformer has not seen."""
    unseen = {}
    for _, part, names in preparation.transformers_:
        if isinstance(part, Pipeline) and isinstance(part[0], ToWords):
            words = part[0].transform(frame[names])
            for name, cells, known in zip(names, words.T, map(set, part[-1].categories_), strict=True):
                unseen[name] = [cell for cell in cells if cell not in known]
    return {name: cells for name, cells in unseen.items() if cells}


def texts_without_known_words(preparation: ColumnTransformer, frame: Any) -> dict[str, int]:
    """Return, for columns of text, the number of cells without a word that the fitted transformer knows."""
    parts = [part for _, part, _ in preparation.transformers_ if isinstance(part, TextComponents)]
    counts = {
        name: int((vectorizer.transform(_texts(frame[name])).getnnz(axis=1) == 0).sum())
        for part in parts
        for name, vectorizer in part.vectorizers_.items()
    }
    return {name: count for name, count in counts.items() if count}


def new_gaps(preparation: ColumnTransformer, frame: Any) -> dict[str, int]:
    """Return the numbers of missing cells in columns of numbers and dates that had none when they were fitted.

    Numbers other than 0 and 1 in columns of truth values are errors.
    """
    filled: list[str] = []
    with_gaps: list[str] = []
    for kind, part, names in preparation.transformers_:
        first = part[0] if isinstance(part, Pipeline) else part
        filled += names if isinstance(first, ToNumbers | DateParts) else []
        with_gaps += names if isinstance(first, IsMissing) else []
        for name in names if kind == "truth" and isinstance(first, ToNumbers) else ():
            values = numbers(frame[name], truth_words=True)
            wrong = np.flatnonzero(~np.isnan(values) & (values != 0) & (values != 1))
            if wrong.size:
                cell = f"{cell_at(wrong[0], name)} is {shown(frame[name].iloc[wrong[0]])}"
                raise TableError(
                    f"{cell}, but the model has seen only yes and no (1 and 0) in this column. Correct it."
                )
    gaps = {name: int(is_missing(frame[name]).sum()) for name in filled if name not in with_gaps}
    return {name: count for name, count in gaps.items() if count}


class CellTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of transformers that convert a data frame column by column."""

    suffixes: tuple[str, ...] = ("",)  # Endings of the names of the columns that one column becomes.

    def fit(self, X: Any, y: Any = None) -> CellTransformer:  # noqa: ARG002  # a pipeline passes y
        """Store the names of the columns."""
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> Any:
        """Convert the cells of each column of `X`."""
        return np.column_stack([self._convert(X[name]) for name in X.columns])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the converted columns, such as ``"age is missing"``."""
        names = self.feature_names_in_ if input_features is None else input_features
        return np.array([f"{name}{suffix}" for name in names for suffix in self.suffixes], dtype=object)

    @abstractmethod
    def _convert(self, cells: Any) -> Any:
        """Convert the cells of one column."""


class ToNumbers(CellTransformer):
    """Convert numbers, also as text, and truth values to float64; missing cells are NaN.

    Words such as yes and no are numbers only in columns that held nothing else when the transformer was fitted.
    """

    def fit(self, X: Any, y: Any = None) -> ToNumbers:
        """Store the names of the columns, and which of them hold truth values."""
        super().fit(X, y)
        self.truth_columns_ = [name for name in X.columns if holds_truth(X[name][~is_missing(X[name])])]
        return self

    def _convert(self, cells: Any) -> Array:
        return _check_converted(numbers(cells, truth_words=cells.name in self.truth_columns_), cells, "a number")


class ToWords(CellTransformer):
    """Convert cells to words: 3 and 3.0 are ``"3"``, a missing cell is ``"(missing)"``."""

    def _convert(self, cells: Any) -> Any:
        words = [word(cell) for cell in cells.astype(object)]
        return np.where(is_missing(cells), "(missing)", np.array(words, dtype=object))


class IsMissing(CellTransformer):
    """Indicate missing cells by 1, others by 0."""

    suffixes = (" is missing",)

    def _convert(self, cells: Any) -> Array:
        return is_missing(cells).astype(np.float64)


class DateParts(CellTransformer):
    """Convert dates to the year with its fraction, and sine and cosine of the position in the year and in the week.

    Dates are those of pandas or Python, or text such as 2024-05-31 or 2024-05-31T14:00+02:00, converted to UTC.
    """

    suffixes = (" year", " yearday sine", " yearday cosine", " weekday sine", " weekday cosine")

    def _convert(self, cells: Any) -> Array:
        found = dates(cells)
        year = _check_converted(found.dt.year.to_numpy(np.float64), cells, "a date such as 2024-05-31")
        hours = (found.dt.day_of_year - 1) * 24 + found.dt.hour + found.dt.minute / 60
        passed = hours.to_numpy(np.float64) / (365 * 24 + 24 * found.dt.is_leap_year.to_numpy(np.float64))
        week = found.dt.day_of_week.to_numpy(np.float64) / 7
        angles = 2 * np.pi * passed, 2 * np.pi * week
        return np.column_stack([year + passed, *(wave(angle) for angle in angles for wave in (np.sin, np.cos))])


class TextComponents(CellTransformer):
    """Convert text to the first singular vectors of TF-IDF weights of words and pairs of words, column by column.

    A missing cell has no words, so that all its components are 0.
    """

    def fit(self, X: Any, y: Any = None) -> TextComponents:
        """Learn the terms that occur in at least two rows, and their components."""
        super().fit(X, y)
        self.vectorizers_, self.decompositions_ = {}, {}
        for name in X.columns:
            texts = _texts(X[name])
            vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
            try:
                weights = vectorizer.fit_transform(texts)
            except ValueError:  # no term occurs twice, for example in a small fold of cross-validation
                continue
            n_components = min(TEXT_COMPONENTS, *weights.shape)
            self.vectorizers_[name] = vectorizer
            self.decompositions_[name] = TruncatedSVD(n_components, random_state=0).fit(weights)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002  # scikit-learn passes it
        """Return the names of the components, such as ``"title text 0"``."""
        sizes = {name: self._size(name) for name in self.feature_names_in_}
        return np.array([f"{name} text {k}" for name, size in sizes.items() for k in range(size)], dtype=object)

    def _size(self, name: str) -> int:
        return self.decompositions_[name].n_components if name in self.decompositions_ else 1

    def _convert(self, cells: Any) -> Array:
        if cells.name not in self.vectorizers_:
            return np.zeros((len(cells), 1))
        weights = self.vectorizers_[cells.name].transform(_texts(cells))
        return np.asarray(self.decompositions_[cells.name].transform(weights))


def _texts(cells: Any) -> list[str]:
    return ["" if gap else str(cell) for cell, gap in zip(cells, is_missing(cells), strict=True)]


def _check_converted(values: Array, cells: Any, wanted: str) -> Array:
    """Return `values`, or raise an error that names the first filled cell without a value."""
    unread = np.isnan(values) & ~is_missing(cells)
    if unread.any():
        row = int(unread.argmax())
        cell = f"{cell_at(row, cells.name)} is {shown(cells.iloc[row])}"
        raise TableError(f"{cell}, not {wanted}. Correct it, or leave it empty.")
    return values
