"""Preparation of table columns: kinds, transformers, and the column transformer within a model."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from labeldist._tables.kinds import kind_of
from labeldist._tables.preparation import RARE_ROWS, DateParts, ToNumbers, prepare_columns
from labeldist.exceptions import TableError
from labeldist.learning import SABFGS

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
    dates = [f"born {part}" for part in ("year", "yearday sine", "yearday cosine", "weekday sine", "weekday cosine")]
    cities = ["city_Bern", "city_Oslo", "city_Rome"]
    missing = ["age is missing", "married is missing"]
    assert list(table.columns) == ["size", "age", "smokes", "married", *dates, *cities, *missing]
    assert np.isfinite(table.to_numpy()).all()


def test_numbers_are_standardised_and_gaps_are_filled(people):
    table = prepared(people)
    filled = people["age"].fillna(people["age"].median())
    assert_allclose(table["age"], (filled - filled.mean()) / filled.std(ddof=0))
    assert_array_equal(table["age is missing"], people["age"].isna())
    assert_array_equal(table["married"], people["married"].map(lambda cell: cell is True))  # The more frequent value.
    assert_array_equal(table["married is missing"], people["married"].isna())


def test_rare_and_unseen_categories_share_a_column():
    cities = pd.DataFrame({"city": ["Rome"] * 9 + ["Bern"] * 9 + ["Oslo"] * (RARE_ROWS - 1) + ["Riga"]})
    encoder = prepare_columns(cities).set_output(transform="pandas").fit(cities)
    table = encoder.transform(pd.DataFrame({"city": ["Rome", "Oslo", "Atlantis", None]}))
    assert list(table.columns) == ["city_Bern", "city_Rome", "city_infrequent_sklearn"]
    assert_array_equal(table, [[0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])


def test_missing_values_are_a_category():
    table = prepared(pd.DataFrame({"city": ["Rome", "Bern", None, " "] * RARE_ROWS}))
    assert list(table.columns) == ["city_(missing)", "city_Bern", "city_Rome"]
    assert_array_equal(table["city_(missing)"], [0, 0, 1, 1] * RARE_ROWS)


def test_codes_as_text_and_as_numbers_are_equal():
    words = pd.DataFrame({"code": ["1", "2", "x"] * 5})
    encoder = prepare_columns(words).fit(words)
    for column in (["1", "2"], [1, 2], [1.0, 2.0], pd.Categorical([1, 2])):
        assert_array_equal(encoder.transform(pd.DataFrame({"code": column})), [[1, 0, 0], [0, 1, 0]])


def test_date_parts():
    days = pd.DataFrame({"day": ["2023-01-01", "2024-07-02", None, "2024-07-02T12:00"]})  # a Sunday, then Tuesdays
    parts = DateParts().fit(days).transform(days)
    tuesday = [np.sin(2 * np.pi / 7), np.cos(2 * np.pi / 7)]
    assert_allclose(parts[0], [2023, 0, 1, np.sin(12 * np.pi / 7), np.cos(12 * np.pi / 7)], atol=1e-12)
    assert_allclose(parts[1], [2024.5, 0, -1, *tuesday], atol=1e-12)
    assert np.isnan(parts[2]).all()
    assert_allclose(parts[3, 0], 2024.5 + 0.5 / 366)


DATES = {
    "text": ["2024-05-31", "2024-06-01"],
    "text with a zone": ["2024-05-31T02:00+02:00", "2024-06-01 00:00Z"],
    "Python's": [datetime.date(2024, 5, 31), datetime.date(2024, 6, 1)],
    "pandas'": pd.to_datetime(["2024-05-31", "2024-06-01"]),
    "in a zone": pd.to_datetime(["2024-05-31 02:00", "2024-06-01 02:00"]).tz_localize("Europe/Rome"),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_of_all_types_are_equal(kind):
    days = pd.DataFrame({"day": DATES[kind]})
    expected = pd.DataFrame({"day": DATES["text"]})
    assert kind_of(days["day"]).kind == "date"
    assert_allclose(DateParts().fit_transform(days), DateParts().fit_transform(expected))


NUMBERS = {
    "integers with gaps": pd.array([1, None, 3], dtype="Int64"),
    "truth with gaps": pd.array([True, None, True], dtype="boolean"),
    "objects": pd.Series([1.5, None, 2], dtype=object),
    "decimals": [Decimal("1.5"), None, Decimal(2)],
    "text": ["1.5", "", "-2e3"],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_all_types_are_converted(kind):
    table = pd.DataFrame({"x": NUMBERS[kind]})
    values = ToNumbers().fit_transform(table)
    assert values.dtype == np.float64
    assert_array_equal(np.isnan(values[:, 0]), [False, True, False])
    assert kind_of(table["x"]).row == 1


NOT_PREPARABLE = {
    "text": ([f"name {k}" for k in range(ROWS)], 0, "'name 0'"),
    "mixture": (["ten" if k == 9 else k for k in range(ROWS)], 9, "'ten'"),
    "word among numbers": (["no" if k == 9 else str(k) for k in range(ROWS)], 9, "'no'"),
    "infinite": ([np.inf if k == 3 else k for k in range(ROWS)], 3, "inf"),
    "empty": ([None] * ROWS, 0, "no values"),
    "lists": ([[1]] * ROWS, 0, r"list \[1\]"),
    "durations": (pd.to_timedelta(np.arange(ROWS), unit="D"), 0, "Timedelta"),
    "commas": ([f"{k},5" for k in range(ROWS)], 0, "'0,5'"),
    "other dates": ([f"{k % 28 + 1}.3.{1990 + k}" for k in range(ROWS)], 0, "2024-05-31, such as '1.3.1990'"),
}


@pytest.mark.parametrize("kind", NOT_PREPARABLE)
def test_column_that_cannot_be_prepared_is_named(kind):
    cells, row, fact = NOT_PREPARABLE[kind]
    table = pd.DataFrame({"fine": np.arange(ROWS), "it": cells})
    with pytest.raises(TableError, match=f"'it' .*{fact}.*data row {row + 1}"):
        prepare_columns(table)


KINDS = {
    "numbers": ([1, 2, 3, 4], "number"),
    "text of numbers": (["1", " 2.5", "?", "-1e3"], "number"),
    "booleans": ([True, False, True, True], "truth"),
    "yes and no": (["yes", "No", None, "yes"], "truth"),
    "nominal zeros and ones": (pd.Categorical(["0", "1", "1", None]), "truth"),
    "words": ([None, "Rome", "Bern", "Rome"], "category"),
    "nominal numbers": (pd.Categorical(["3", "2", "3", "4"]), "category"),
    "codes with a word": (["0", "1", "2", "3+"] * 10, "category"),
    "a decimal comma among numbers": (["1,5", "3", "4", "4"], "other"),
    "percentages": (["10%", "20 %", "10%", "1.234,5"], "other"),
    "thousands": (["1 000", "2\u00a0000", "1'000,5", "1\u202f000\u202f000"] * 2, "other"),
    "amounts": (["€ 1.000", "$3", "-$3", "1 000 €"] * 2, "other"),
    "Indian thousands": (["1,00,000", "12,00,000.5"] * 2, "other"),
    "other dates": (["31.5.2024", "1/6/2024 12:00", "2024/05/31"] * 2, "other"),
    "units": (["5 kg", "10 km", "2 BHK", "7"] * 2, "category"),
    "versions and formations": (["1.2.3", "4-4-2", "10.12.0"] * 2, "category"),
    "addresses": (["192.168.0.1", "10.100.200.1", "1012 AB"] * 2, "category"),
    "pairs of numbers": (["1,2/1,3", "1,2/1,4"] * 2, "category"),
    "minus signs": (["\u22123", "\u22123", "4"] * 2, "other"),
    "ordinals and ranges": (["1st", "2nd", "18-25", "5 A", "3 x"] * 2, "category"),
    "sentences": ([f"The song number {k} is slow" for k in range(10)], "text"),
    "titles": ([f"Song number {k}" for k in range(10)], "name"),
    "lists": ([[k, k] for k in range(10)], "name"),
    "repeated sentences": (["I agree with all of it", "I agree with none of it"] * 10, "category"),
    "dates with a gap": (pd.to_datetime(["2024-01-01", None, "2024-01-02"]), "date"),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_columns(name):
    cells, kind = KINDS[name]
    assert kind_of(pd.Series(cells)).kind == kind


def test_text_becomes_components_of_each_column(rng):
    words = np.array([f"word{k}" for k in range(30)])
    frame = pd.DataFrame({name: [" ".join(rng.choice(words, 6)) for _ in range(ROWS)] for name in ("said", "heard")})
    table = prepared(frame)
    for name in frame.columns:
        weights = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2).fit_transform(frame[name])
        expected = TruncatedSVD(ROWS, random_state=0).fit_transform(weights)
        assert_allclose(table[[f"{name} text {k}" for k in range(ROWS)]], expected)
    fitted = prepare_columns(frame).fit(frame)
    assert_array_equal(fitted.transform(pd.DataFrame({"said": [None, " ", "unseen"], "heard": np.nan})), 0)


def test_fold_without_repeated_words_has_a_constant_component():
    frame = pd.DataFrame({"said": [f"a{k} b{k} c{k} d{k}" for k in range(ROWS)]})
    table = prepared(frame)
    assert list(table.columns) == ["said text 0"]
    assert_array_equal(table, 0)


def test_columns_are_found_by_name(people):
    D = np.random.default_rng(1).dirichlet(np.ones(3), size=ROWS)
    model = clone(make_pipeline(prepare_columns(people), SABFGS())).fit(people, D)
    expected = model.predict(people)
    assert_array_equal(model.predict(people[people.columns[::-1]].assign(more="?")), expected)
    assert np.isfinite(model.predict(people.assign(city="Atlantis"))).all()
    with pytest.raises(ValueError, match="city"):
        model.predict(people.drop(columns="city"))


@pytest.mark.parametrize(
    ("column", "cell"), [("size", "tall"), ("size", "no"), ("born", "31.5.1990"), ("born", 1990), ("smokes", "maybe")]
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
