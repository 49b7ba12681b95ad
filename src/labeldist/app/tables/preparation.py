"""Transformers that turn table columns into features.

Columns hold numbers, truth values, dates, categories or text. The transformers are classes because
a saved model may hold types, but no functions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import validate_data

from labeldist.app.tables.column_kinds import (
    TableKinds,
    dates,
    is_missing,
    mean_words,
    stripped,
    to_numbers,
)
from labeldist.app.text import cell_at, counted, shortened, word
from labeldist.app.types import Array
from labeldist.exceptions import TableError

RARE_ROWS = 3  # Categories with fewer rows share one column.
MOST_CATEGORIES = 30  # If there are more, the rarest share one column.
TEXT_COMPONENTS = 100  # Features of a column of text, fewer if there are fewer rows or terms.
WORDS = "words"
CHARACTERS = "character n-grams"
VECTORIZERS: dict[str, dict[str, Any]] = {
    WORDS: {"ngram_range": (1, 2)},
    CHARACTERS: {"analyzer": "char_wb", "ngram_range": (2, 5)},
}


def prepare_columns(
    frame: Any, terms: Sequence[str] = (), kinds: TableKinds | None = None
) -> ColumnTransformer:
    """Return an unfitted transformer for the columns of a data frame.

    Their `kinds` are determined if they are not given.

    Numbers are standardised, with gaps filled by the median; truth values become 0 and 1, with gaps
    filled by the more frequent value; dates become `DateParts`; categories, and gaps in them, are
    one-hot encoded, with rare and unseen ones in one column. Text becomes `TextComponents`, or the
    sparse `TextWeights` of the given `terms`, for linear learners. An indicator column is added for
    each other column with gaps.
    """
    if kinds is None:
        kinds = TableKinds(frame)
    parts = _unfitted_parts()
    if terms:
        parts["text"] = TextWeights(terms)
    columns: dict[str, list[str]] = {kind: [] for kind in parts}
    problems = []
    for name in frame.columns:
        found = kinds[name]
        if found.kind in ("name", "other"):
            problems.append(f"{name!r} {found.reason} (data row {found.row + 1})")
            continue
        columns[found.kind].append(name)
        if found.kind != "category" and found.missing.any():
            columns["missing"].append(name)
    if problems:
        raise TableError(
            f"Columns that cannot be converted to features: {'; '.join(problems)}. Leave them out, "
            "or write numbers, dates such as 2024-05-31, categories or longer text."
        )
    used = [(kind, parts[kind], names) for kind, names in columns.items() if names]
    # With a threshold of one, all features are sparse if those of text are.
    return ColumnTransformer(used, sparse_threshold=1.0, verbose_feature_names_out=False)


def prepare_for_linear(frame: Any, kinds: TableKinds) -> dict[str, ColumnTransformer]:
    """Return transformers with sparse features of text by their name, none without text."""
    if not any(kinds[name].kind == "text" for name in frame.columns):
        return {}
    return {terms: prepare_columns(frame, [terms], kinds) for terms in (CHARACTERS, WORDS)}


def describe_column(kinds: TableKinds, name: str) -> str:
    """Describe what `prepare_columns` makes of a column, such as ``"category: 5 values"``."""
    found = kinds[name]
    if found.kind in ("name", "other"):
        return f"cannot be converted: it {found.reason}"
    text: str = found.kind
    if found.kind in ("text", "category"):
        cells = stripped(kinds.frame[name][~found.missing])
        describe = _describe_text if found.kind == "text" else _describe_category
        text = f"{text}: {describe(cells)}"
    elif found.kind == "truth":
        text = "yes or no"
    n_empty = int(found.missing.sum())
    return f"{text}, {counted(n_empty, 'empty cell')}" if n_empty else text


def _describe_text(texts: Any) -> str:
    distinct = texts.unique()
    average = f"{mean_words(distinct):.1f} words on average"
    return f"{counted(len(distinct), 'different text')}, {average}"


def _describe_category(cells: Any) -> str:
    n_rows = cells.value_counts()
    n_frequent = int((n_rows >= RARE_ROWS).sum())
    n_rare = len(n_rows) - min(n_frequent, MOST_CATEGORIES - 1)
    text = counted(len(n_rows), "value")
    return f"{text}; the rarest {n_rare:,} count as one" if n_rare > 1 else text


def _unfitted_parts() -> dict[str, Any]:
    """Return the transformer of each kind of column."""
    # keep_empty_features: a fold of cross-validation without a value must have the same columns as
    # the others.
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
        min_frequency=RARE_ROWS,
        max_categories=MOST_CATEGORIES,
    )
    return {
        "number": make_pipeline(ToNumbers(), median, StandardScaler()),
        "truth": make_pipeline(ToNumbers(truth_words=True), most_frequent),
        "date": make_pipeline(DateParts(), median, StandardScaler()),
        "category": make_pipeline(ToWords(), encoder),
        "text": TextComponents(),
        "missing": IsMissing(),
    }


def unseen_categories(preparation: ColumnTransformer, frame: Any) -> dict[str, list[str]]:
    """Return the words in columns of categories that the fitted transformer has not seen."""
    unseen = {}
    for (to_words, encoder), names in _fitted_parts(preparation, ToWords):
        words = to_words.transform(frame[names])
        for name, cells, categories in zip(names, words.T, encoder.categories_, strict=True):
            known = set(categories)
            unseen[name] = [cell for cell in cells if cell not in known]
    return {name: cells for name, cells in unseen.items() if cells}


def texts_without_known_words(preparation: ColumnTransformer, frame: Any) -> dict[str, int]:
    """Return how many filled cells of columns of text have no word that the transformer knows."""
    counts = {}
    for part, names in _fitted_parts(preparation, TextComponents, TextWeights):
        for name in names:
            n_terms = part.weights(frame[name]).getnnz(axis=1)
            counts[name] = int((~is_missing(frame[name]) & (n_terms == 0)).sum())
    return {name: count for name, count in counts.items() if count}


def new_gaps(preparation: ColumnTransformer, frame: Any) -> dict[str, int]:
    """Return the numbers of gaps in columns that had none in training, except categories."""
    known = [name for _, names in _fitted_parts(preparation, IsMissing) for name in names]
    counts = {}
    for _, names in _fitted_parts(preparation, ToNumbers, DateParts, TextComponents, TextWeights):
        for name in names:
            if name not in known:
                counts[name] = int(is_missing(frame[name]).sum())
    return {name: count for name, count in counts.items() if count}


def _fitted_parts(preparation: ColumnTransformer, *kinds: type) -> Iterator[tuple[Any, list[str]]]:
    """Yield the fitted transformers that start with one of the `kinds`, and their columns."""
    for _, part, names in preparation.transformers_:
        first = part[0] if isinstance(part, Pipeline) else part
        if isinstance(first, kinds):
            yield part, names


class CellTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """Base class of transformers that convert a data frame column by column."""

    # Endings of the names of the columns that one column becomes.
    suffixes: tuple[str, ...] = ("",)

    def fit(self, X: Any, y: Any = None) -> CellTransformer:  # noqa: ARG002  # a pipeline passes y
        """Store the names of the columns."""
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> Any:
        """Convert the cells of each column of `X`."""
        return np.column_stack([self._convert(X[name]) for name in X.columns])

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002
        """Return the names of the converted columns, such as ``"age is missing"``."""
        names = []
        for name in self.feature_names_in_:
            names += [f"{name}{suffix}" for suffix in self._suffixes_of(name)]
        return np.array(names, dtype=object)

    def _suffixes_of(self, name: str) -> Sequence[str]:  # noqa: ARG002  # for TextComponents
        return self.suffixes

    @abstractmethod
    def _convert(self, cells: Any) -> Any:
        """Convert the cells of one column."""


class ToNumbers(CellTransformer):
    """Convert numbers, also as text, to float64; missing cells are NaN.

    Parameters
    ----------
    truth_words : bool, default=False
        Whether yes and true are 1, and no and false are 0.
    """

    def __init__(self, truth_words: bool = False) -> None:
        self.truth_words = truth_words

    def _convert(self, cells: Any) -> Array:
        values = to_numbers(cells, truth_words=self.truth_words)
        _check_converted(values, cells, "a number")
        return values


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
    """Convert dates to the year, and sine and cosine of the position in the year and in the week.

    The year has a fraction. Dates are those of pandas or Python, or text such as 2024-05-31 or
    2024-05-31T14:00+02:00, converted to UTC.
    """

    suffixes = (" year", " yearday sine", " yearday cosine", " weekday sine", " weekday cosine")

    def _convert(self, cells: Any) -> Array:
        found = dates(cells).dt
        _check_converted(found.year, cells, "a date such as 2024-05-31")
        hours = (found.day_of_year - 1) * 24 + found.hour + found.minute / 60
        passed = hours / (365 * 24 + 24 * found.is_leap_year)
        yearday = 2 * np.pi * passed
        weekday = 2 * np.pi * (found.day_of_week / 7)
        waves = [np.sin(yearday), np.cos(yearday), np.sin(weekday), np.cos(weekday)]
        return np.column_stack([found.year + passed, *waves])


class TextWeights(CellTransformer):
    """Convert text to sparse TF-IDF weights, column by column.

    A missing cell has no terms, so that all its weights are 0.

    Parameters
    ----------
    terms : sequence of {"words", "character n-grams"}
        Words and pairs of words; two to five characters within words.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = terms

    def fit(self, X: Any, y: Any = None) -> TextWeights:
        """Learn the terms that occur in at least two rows."""
        super().fit(X, y)
        self.vectorizers_: dict[str, list[Any]] = {}
        for name in X.columns:
            fitted = [_fit_vectorizer(kind, X[name]) for kind in self.terms]
            self.vectorizers_[name] = [one for one in fitted if one is not None]
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of all terms of all columns as a CSR matrix."""
        return sparse.hstack([self.weights(X[name]) for name in X.columns], "csr")

    def weights(self, cells: Any) -> Any:
        """Return the weights of the terms of one column."""
        texts = _texts(cells)
        blocks = [vectorizer.transform(texts) for vectorizer in self.vectorizers_[cells.name]]
        return sparse.hstack([sparse.csr_matrix((len(texts), 0)), *blocks], "csr")

    def _suffixes_of(self, name: str) -> Sequence[str]:
        suffixes = []
        for vectorizer in self.vectorizers_[name]:
            # Quotation marks show spaces, and distinguish n-grams from words.
            quote = "'" if vectorizer.analyzer == "char_wb" else ""
            terms = vectorizer.get_feature_names_out()
            suffixes += [f": {quote}{term}{quote}" for term in terms]
        return suffixes

    def _convert(self, cells: Any) -> Any:
        return self.weights(cells)


class TextComponents(CellTransformer):
    """Convert text to the first singular vectors of TF-IDF weights, column by column.

    The terms are words and pairs of words. A missing cell has no words, so that all its components
    are 0.
    """

    def fit(self, X: Any, y: Any = None) -> TextComponents:
        """Learn the terms that occur in at least two rows, and their components."""
        super().fit(X, y)
        self.weights_ = TextWeights([WORDS]).fit(X)
        self.decompositions_ = {}
        for name in X.columns:
            weights = self.weights(X[name])
            if weights.shape[1]:
                n_components = min(TEXT_COMPONENTS, *weights.shape)
                decomposition = TruncatedSVD(n_components, random_state=0)
                with np.errstate(invalid="ignore"):  # equal texts have no variance
                    self.decompositions_[name] = decomposition.fit(weights)
        return self

    def weights(self, cells: Any) -> Any:
        """Return the weights of the terms of one column."""
        return self.weights_.weights(cells)

    def _suffixes_of(self, name: str) -> Sequence[str]:
        decomposition = self.decompositions_.get(name)
        n_components = 1 if decomposition is None else decomposition.n_components
        return [f" text {component}" for component in range(n_components)]

    def _convert(self, cells: Any) -> Array:
        if cells.name not in self.decompositions_:
            return np.zeros((len(cells), 1))
        return np.asarray(self.decompositions_[cells.name].transform(self.weights(cells)))


def _fit_vectorizer(kind: str, cells: Any) -> TfidfVectorizer | None:
    """Return a vectorizer of the terms of a column, None if no term occurs twice."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **VECTORIZERS[kind])
    try:
        return vectorizer.fit(_texts(cells))
    except ValueError:  # for example in a small fold
        return None


def _texts(cells: Any) -> list[str]:
    return cells.astype(str).mask(is_missing(cells), "").tolist()


def _check_converted(values: Array, cells: Any, wanted: str) -> None:
    """Raise a TableError that names the first filled cell without a value."""
    unread = np.flatnonzero(np.isnan(values) & ~is_missing(cells))
    if unread.size:
        row = unread[0]
        cell = shortened(cells.iloc[row])
        place = cell_at(row, cells.name)
        raise TableError(f"{place} is {cell}, not {wanted}. Correct it, or leave it empty.")
