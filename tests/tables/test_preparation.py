import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

from labeldist._tables.feature_cells import DateParts, IsMissing, ToNumbers, ToWords
from labeldist._tables.kinds import look_at, selected
from labeldist._tables.preparation import MOST_CATEGORIES, RARE_ROWS, prepare_columns
from labeldist.exceptions import TableError
from labeldist.learning import SABFGS, MeanDistribution

ROWS = 40


@pytest.fixture
def people(rng):
    """One column of each kind that becomes numbers."""
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


def problems_with(frame, columns=None):
    """What the columns hold that are not plain numbers."""
    return [problem for name in selected(frame, columns) if (problem := look_at(frame[name])).reason]


def prepared(frame, columns=None):
    return prepare_columns(frame, columns).set_output(transform="pandas").fit_transform(frame)


def test_columns_become_numbers_with_names_that_explain_themselves(people):
    table = prepared(people)
    dates = [f"born {part}" for part in ("year", "yearday sine", "yearday cosine", "weekday sine", "weekday cosine")]
    cities = ["city=Bern", "city=Oslo", "city=Rome"]
    missing = ["age is missing", "married is missing"]
    assert list(table.columns) == ["size", "age", "smokes", "married", *dates, *cities, *missing]
    assert np.isfinite(table.to_numpy()).all()
    plain = prepare_columns(people).fit(people)
    assert_array_equal(plain.transform(people), table.to_numpy())
    assert list(plain.get_feature_names_out()) == list(table.columns)


def test_numbers_are_standardised_and_filled_with_the_median(people):
    table = prepared(people)
    assert_allclose(table[["size", "age"]].mean(), 0, atol=1e-12)
    assert_allclose(table[["size", "age"]].std(ddof=0), 1)
    filled = people["age"].fillna(people["age"].median())
    assert_allclose(table["age"], (filled - filled.mean()) / filled.std(ddof=0))
    assert_array_equal(table["age is missing"], people["age"].isna())


def test_truth_becomes_0_and_1_and_what_is_missing_the_more_frequent(people):
    table = prepared(people)
    assert_array_equal(table["smokes"], people["smokes"])
    assert_array_equal(table["married"], people["married"].map(lambda cell: cell is True))
    assert_array_equal(table["married is missing"], people["married"].isna())


def test_rare_categories_share_a_column_with_those_never_seen():
    cities = pd.DataFrame({"city": ["Rome"] * 9 + ["Bern"] * 9 + ["Oslo"] * (RARE_ROWS - 1) + ["Riga"]})
    encoder = prepare_columns(cities).set_output(transform="pandas").fit(cities)
    table = encoder.transform(pd.DataFrame({"city": ["Rome", "Oslo", "Atlantis", None]}))
    assert list(table.columns) == ["city=Bern", "city=Rome", "city=(rare)"]
    assert_array_equal(table, [[0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])


def test_without_rare_ones_a_category_never_seen_is_none_of_them(people):
    encoder = prepare_columns(people, ["city"]).fit(people)
    assert_array_equal(encoder.transform(pd.DataFrame({"city": ["Atlantis"]})), [[0, 0, 0]])


def test_missing_categories_are_a_category():
    table = prepared(pd.DataFrame({"city": ["Rome", "Bern", None, " "] * RARE_ROWS}))
    assert list(table.columns) == ["city=(missing)", "city=Bern", "city=Rome"]
    assert_array_equal(table["city=(missing)"], [0, 0, 1, 1] * RARE_ROWS)


def test_many_categories_make_a_limited_number_of_columns():
    words = [f"w{k}" for k in range(100)] * 5
    assert prepared(pd.DataFrame({"word": words})).shape[1] == MOST_CATEGORIES


def test_codes_are_the_same_read_as_words_or_as_numbers():
    words = pd.DataFrame({"code": ["1", "2", "x"] * 5})
    encoder = prepare_columns(words).fit(words)
    for column in (["1", "2"], [1, 2], [1.0, 2.0], pd.Categorical([1, 2])):
        assert_array_equal(encoder.transform(pd.DataFrame({"code": column})), [[1, 0, 0], [0, 1, 0]])


def test_dates_tell_year_season_and_weekday():
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
def test_dates_of_all_kinds_are_the_same(kind):
    days = pd.DataFrame({"day": DATES[kind]})
    expected = pd.DataFrame({"day": DATES["text"]})
    assert problems_with(days)[0].kind == "date"
    assert_allclose(DateParts().fit_transform(days), DateParts().fit_transform(expected))


NUMBERS = {
    "integers with gaps": pd.array([1, None, 3], dtype="Int64"),
    "truth with gaps": pd.array([True, None, True], dtype="boolean"),
    "objects": pd.Series([1.5, None, 2], dtype=object),
    "decimals": [Decimal("1.5"), None, Decimal(2)],
    "text": ["1.5", "", "-2e3"],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_all_kinds_are_read(kind):
    table = pd.DataFrame({"x": NUMBERS[kind]})
    values = ToNumbers().fit_transform(table)
    assert values.dtype == np.float64
    assert_array_equal(np.isnan(values[:, 0]), [False, True, False])
    (problem,) = problems_with(table)
    assert (problem.position, problem.reason) == (1, "has 1 empty cell")
    assert problem.preparable


def test_words_are_plain_and_arrays_are_taken():
    words = ToWords().fit_transform(np.array([[1.0, " a "], [None, 2.5]], dtype=object))
    assert words.tolist() == [["1", "a"], ["(missing)", "2.5"]]
    assert_array_equal(IsMissing().fit_transform(pd.DataFrame({"a": [1, None]})), [[0], [1]])


REFUSED = {
    "text": ([f"name {k}" for k in range(ROWS)], 0, "text that differs in almost every row, such as 'name 0'"),
    "long text": (["x" * 90 + str(k) for k in range(ROWS)], 0, f"such as '{'x' * 38}…"),
    "slip": (["ten" if k == 9 else k for k in range(ROWS)], 9, "holds numbers, but also 'ten'"),
    "infinite": ([np.inf if k == 3 else k for k in range(ROWS)], 3, "holds the infinite number inf"),
    "nothing": ([None] * ROWS, 0, "has no filled cell"),
    "lists": ([[1]] * ROWS, 0, r"holds the list \[1\]"),
    "complex": (np.ones(ROWS) * 1j, 0, "holds the complex"),
    "durations": (pd.to_timedelta(np.arange(ROWS), unit="D"), 0, "holds the Timedelta"),
    "commas": ([f"{k},5" for k in range(ROWS)], 0, "a comma for the decimal point, such as '0,5'"),
    "other dates": (
        [f"{k % 28 + 1}.3.{1990 + k}" for k in range(ROWS)],
        0,
        "not written as 2024-05-31, such as '1.3.1990'",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_rule_makes_sense_of_is_refused_by_name(kind):
    cells, position, reason = REFUSED[kind]
    table = pd.DataFrame({"fine": np.arange(ROWS), "it": cells})
    (problem,) = problems_with(table)
    assert (problem.column, problem.position, problem.preparable) == ("it", position, False)
    with pytest.raises(TableError, match=f"column 'it' .*{reason}.*data row {position + 1}.*Leave them out"):
        prepare_columns(table)
    assert prepared(table, ["fine"]).shape == (ROWS, 1)


def test_problems_are_told_in_words_with_their_first_row():
    table = pd.DataFrame(
        {
            "fine": [1, 2, 3, 4],
            "true": [True, False, True, True],
            "age": [1, np.nan, np.nan, 2],
            "city": [None, "Rome", "Bern", "Rome"],
            "grade": pd.Categorical([3, 2, 3, 2]),
        }
    )
    told = [(p.column, p.kind, p.position, p.reason) for p in problems_with(table)]
    assert told == [
        ("age", "number", 1, "has 2 empty cells"),
        ("city", "category", 1, "holds words such as 'Rome'"),
        ("grade", "category", 0, "holds categories such as 3"),
    ]
    assert [p.column for p in problems_with(table, ["grade", "fine"])] == ["grade"]


def test_few_categories_with_numbers_among_them_are_categories():
    (problem,) = problems_with(pd.DataFrame({"children": ["0", "1", "2", "3+"] * 10}))
    assert problem.kind == "category"


def test_columns_are_found_by_name(people):
    D = np.random.default_rng(1).dirichlet(np.ones(3), size=ROWS)
    model = make_pipeline(prepare_columns(people), SABFGS()).fit(people, D)
    expected = model.predict(people)
    assert_array_equal(model.predict(people[people.columns[::-1]].assign(more="?")), expected)
    with pytest.raises(ValueError, match=r"columns are missing: \{'city'\}"):
        model.predict(people.drop(columns="city"))


def test_a_wrong_cell_is_named_at_prediction(people):
    fitted = prepare_columns(people).fit(people)
    with pytest.raises(TableError, match=r"data row 1, column 'size', is 'tall', not a number"):
        fitted.transform(people.assign(size="tall"))
    with pytest.raises(TableError, match=r"column 'born', is '31.5.1990', not a date such as 2024-05-31"):
        fitted.transform(people.assign(born="31.5.1990"))
    with pytest.raises(TableError, match=r"column 'born', .*not a date"):
        fitted.transform(people.assign(born=1990))


def test_a_fold_without_a_value_keeps_the_columns(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fold = people.assign(age=np.nan)
        table = prepare_columns(people).fit(fold).transform(fold)
    assert table.shape == prepared(people).shape
    assert np.isfinite(table).all()


def test_unknown_and_doubled_columns_and_other_tables_are_refused(people):
    with pytest.raises(TableError, match=r"no column town\. It has size, age"):
        prepare_columns(people, ["size", "town"])
    doubled = pd.concat([people, people[["age"]]], axis=1)
    with pytest.raises(TableError, match="More than one column is called age"):
        problems_with(doubled)
    assert problems_with(doubled, ["size"]) == []
    with pytest.raises(TableError, match="no feature columns"):
        prepare_columns(people, [])
    with pytest.raises(TypeError, match=r"got dict.*to_pandas\(\)"):
        prepare_columns({"a": [1]})


def test_it_can_be_kept_with_types_of_ours_and_scikit_learns_only(people):
    skops = pytest.importorskip("skops.io")
    D = np.full((ROWS, 2), 0.5)
    model = make_pipeline(prepare_columns(people), MeanDistribution()).fit(people, D)
    archive = skops.dumps(model)
    types = skops.get_untrusted_types(data=archive)
    assert all(name.startswith(("labeldist.", "sklearn.")) or name == "numpy.dtype" for name in types)
    again = skops.loads(archive, trusted=types)
    assert_array_equal(again[0].transform(people), model[0].transform(people))
