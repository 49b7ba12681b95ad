"""Preparation of table columns: kinds, transformers, and the column transformer within a model."""

import datetime

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from labeldist.app.tables.column_kinds import TableKinds, kind_of
from labeldist.app.tables.preparation import (
    CHARACTERS,
    RARE_ROWS,
    WORDS,
    DateParts,
    describe_column,
    new_gaps,
    prepare_columns,
    prepare_for_linear,
    unseen_categories,
)
from labeldist.exceptions import TableError

ROWS = 40


@pytest.fixture
def people(rng):
    """One column of each kind that can be prepared."""
    k = np.arange(ROWS)
    return pd.DataFrame(
        {
            "size": 170 + 10 * rng.normal(size=ROWS),
            "age": np.where(k % 7 == 3, np.nan, 20 + k),
            "smokes": k % 2 == 0,
            "city": rng.choice(["Rome", "Bern", "Oslo"], ROWS),
            "born": pd.date_range("1990-01-01", periods=ROWS, freq="100D").astype(str),
            "married": [None if i % 5 == 2 else i % 3 == 0 for i in range(ROWS)],
        }
    )


def prepared(frame):
    return prepare_columns(frame).set_output(transform="pandas").fit_transform(frame)


def test_feature_names_out(people):
    table = prepared(people)
    dates = [
        f"born {part}"
        for part in ("year", "yearday sine", "yearday cosine", "weekday sine", "weekday cosine")
    ]
    cities = ["city_Bern", "city_Oslo", "city_Rome"]
    missing = ["age is missing", "married is missing"]
    assert list(table.columns) == ["size", "age", "smokes", "married", *dates, *cities, *missing]
    assert np.isfinite(table.to_numpy()).all()


def test_numbers_are_standardised_and_gaps_are_filled(people):
    table = prepared(people)
    filled = people["age"].fillna(people["age"].median())
    assert_allclose(table["age"], (filled - filled.mean()) / filled.std(ddof=0))
    assert_array_equal(table["age is missing"], people["age"].isna())
    married = people["married"].map(lambda cell: cell is True)
    assert_array_equal(table["married"], married)  # The more frequent value.
    assert_array_equal(table["married is missing"], people["married"].isna())


def test_rare_and_unseen_categories_share_a_column():
    cities = pd.DataFrame({"city": ["Rome", "Bern"] * 9 + ["Oslo"] * (RARE_ROWS - 1)})
    encoder = prepare_columns(cities).fit(cities)
    table = encoder.transform(pd.DataFrame({"city": ["Rome", "Oslo", "Atlantis", None]}))
    assert_array_equal(table, [[0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])


def test_missing_values_are_a_category():
    table = prepared(pd.DataFrame({"city": ["Rome", "Bern", None, " "] * RARE_ROWS}))
    assert list(table.columns) == ["city_(missing)", "city_Bern", "city_Rome"]
    assert_array_equal(table["city_(missing)"], [0, 0, 1, 1] * RARE_ROWS)


def test_codes_as_text_and_as_numbers_are_equal():
    words = pd.DataFrame({"code": ["1", "2", "x"] * 5})
    encoder = prepare_columns(words).fit(words)
    encoded = encoder.transform(pd.DataFrame({"code": [1.0, 2.0]}))
    assert_array_equal(encoded, [[1, 0, 0], [0, 1, 0]])


def test_date_parts():
    days = pd.DataFrame({"day": ["2024-07-01", "2024-07-02", None, "2024-07-02T12:00"]})
    monday, tuesday, missing, noon = DateParts().fit(days).transform(days)
    assert_allclose(monday[3:], [0, 1], atol=1e-12)
    angle = 2 * np.pi / 7
    assert_allclose(tuesday, [2024.5, 0, -1, np.sin(angle), np.cos(angle)], atol=1e-12)
    assert np.isnan(missing).all()
    assert_allclose(noon[0], 2024.5 + 0.5 / 366)


DATES = {
    "text": ["2024-05-31", "2024-06-01"],
    "text with a zone": ["2024-05-31T02:00+02:00", "2024-06-01 00:00Z"],
    "Python's": [datetime.date(2024, 5, 31), datetime.date(2024, 6, 1)],
    "pandas'": pd.to_datetime(["2024-05-31", "2024-06-01"]),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_of_all_types_are_equal(kind):
    days = pd.DataFrame({"day": DATES[kind]})
    expected = pd.DataFrame({"day": DATES["text"]})
    assert kind_of(days["day"]).kind == "date"
    assert_allclose(DateParts().fit_transform(days), DateParts().fit_transform(expected))


def test_converted_columns_become_the_same_features(people):
    texts = people.astype(object).where(people.notna(), "").astype(str)
    kinds = TableKinds(texts)
    converted = kinds.converted(list(texts))
    fitted = prepare_columns(converted, kinds=kinds).fit(converted)
    expected = prepare_columns(texts).fit_transform(texts)
    assert_array_equal(fitted.transform(converted), expected)
    assert_array_equal(fitted.transform(texts), expected)


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([1, 2, None], "number, 1 empty cell"),
        (["yes", "no", "yes"], "yes or no"),
        (["2024-05-31"] * 3, "date"),
        (
            ["31.5.2024"] * 9,
            "cannot be converted: it holds numbers or dates not written as 1234.5 "
            "or 2024-05-31, such as '31.5.2024'",
        ),
        (["Rome", "Bern", "", ""] * 3, "category: 2 values, 6 empty cells"),
        ([f"place {k // 3}" for k in range(90)], "category: 30 values"),
        ([f"place {k // 3}" for k in range(93)], "category: 31 values; the rarest 2 count as one"),
        (["Rome", "Bern"] * 3 + ["Oslo", "Paris"], "category: 4 values; the rarest 2 count as one"),
        (
            [f"The song number {k} is slow" for k in range(8)] * 9,
            "text: 8 different texts, 5.0 words on average",
        ),
    ],
)
def test_descriptions_of_columns(cells, text):
    assert describe_column(TableKinds(pd.DataFrame({"x": cells})), "x") == text


def test_columns_that_cannot_be_prepared_are_named():
    rows = np.arange(ROWS)
    table = pd.DataFrame({"fine": rows, "title": [f"name {k}" for k in rows], "none": None})
    table["size"] = ["ten" if k == 9 else str(k) for k in rows]
    with pytest.raises(TableError, match=r"'title' .*'none' .*'size' .*'ten' \(data row 10\)"):
        prepare_columns(table)


def test_text_becomes_components_of_each_column(rng):
    words = rng.choice([f"word{k}" for k in range(30)], size=(2, ROWS, 6))
    said, heard = [[" ".join(row) for row in rows] for rows in words]
    frame = pd.DataFrame({"said": said, "heard": heard})
    table = prepared(frame)
    for name in frame.columns:
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
        weights = vectorizer.fit_transform(frame[name])
        expected = TruncatedSVD(ROWS, random_state=0).fit_transform(weights)
        assert_allclose(table[[f"{name} text {k}" for k in range(ROWS)]], expected)
    fitted = prepare_columns(frame).fit(frame)
    unknown = pd.DataFrame({"said": [None, " ", "unseen"], "heard": np.nan})
    assert_array_equal(fitted.transform(unknown), 0)


def test_text_becomes_sparse_weights_of_words_and_character_n_grams(rng):
    words = rng.choice([f"word{k}" for k in range(30)], size=(2, ROWS, 6))
    said, heard = [[" ".join(row) for row in rows] for rows in words]
    size = rng.normal(size=ROWS)
    frame = pd.DataFrame({"said": said, "size": size, "heard": heard, "place": ["a", "b"] * 20})
    fitted = prepare_columns(frame, [WORDS, CHARACTERS]).fit(frame)
    weights = fitted.transform(frame)
    assert sparse.issparse(weights)
    names = fitted.get_feature_names_out().tolist()
    assert len(set(names)) == len(names) == weights.shape[1]
    table = pd.DataFrame(weights.toarray(), columns=names)
    for name in ("said", "heard"):
        for quote, options in (
            ("", {"ngram_range": (1, 2)}),
            ("'", {"analyzer": "char_wb", "ngram_range": (2, 5)}),
        ):
            vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **options)
            expected = vectorizer.fit_transform(frame[name]).toarray()
            terms = vectorizer.get_feature_names_out()
            assert_allclose(table[[f"{name}: {quote}{term}{quote}" for term in terms]], expected)
    assert_allclose(table["size"], StandardScaler().fit_transform(size[:, None])[:, 0])
    assert_array_equal(table["place_a"], [1, 0] * 20)
    kinds = TableKinds(frame)
    assert list(prepare_for_linear(frame, kinds)) == [CHARACTERS, WORDS]
    assert prepare_for_linear(frame[["size", "place"]], kinds) == {}


def test_equal_texts_become_equal_components():
    frame = pd.DataFrame({"text": ["the same words in each row"] * 20})
    kinds = TableKinds(frame, text=["text"])
    with np.errstate(all="raise"):
        components = prepare_columns(frame, kinds=kinds).fit_transform(frame)
    assert_allclose(components, np.tile(components[0], (20, 1)))


def test_columns_without_repeated_terms_have_no_sparse_weights():
    different = [f"{k}a {k}b {k}c {k}d {k}e" for k in range(10, 30)]
    frame = pd.DataFrame({"text": different, "size": np.arange(20.0)})
    fitted = prepare_columns(frame, [WORDS]).fit(frame)
    assert fitted.get_feature_names_out().tolist() == ["size"]
    assert fitted.transform(frame).shape == (20, 1)


def test_columns_are_found_by_name(people):
    fitted = clone(prepare_columns(people)).fit(people)
    changed = people[people.columns[::-1]].assign(more="?")
    assert_array_equal(fitted.transform(changed), fitted.transform(people))
    with pytest.raises(ValueError, match="city"):
        fitted.transform(people.drop(columns="city"))


def test_new_gaps_and_unseen_categories_are_found(people):
    fitted = prepare_columns(people).fit(people)
    new = people[:2].assign(city=["Atlantis", "Rome"], size=[np.nan, 1])
    assert np.isfinite(fitted.transform(new)).all()
    assert unseen_categories(fitted, new) == {"city": ["Atlantis"]}
    assert new_gaps(fitted, new) == {"size": 1}


@pytest.mark.parametrize(
    ("column", "cell"),
    [("size", "tall"), ("born", "31.5.1990"), ("smokes", "maybe")],
)
def test_wrong_cell_is_named_at_prediction(people, column, cell):
    fitted = prepare_columns(people).fit(people)
    with pytest.raises(TableError, match=f"row 1, column '{column}', is {cell!r}"):
        fitted.transform(people.assign(**{column: cell}))


def test_fold_without_a_value_keeps_the_columns(people):
    fold = people.assign(age=np.nan)
    table = prepare_columns(people).fit(fold).transform(fold)
    assert table.shape == prepared(people).shape
    assert np.isfinite(table).all()
