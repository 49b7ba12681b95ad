import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLDL
from labeldist.exceptions import LabelWarning, NotADistributionError, TableError
from labeldist.votes import from_votes
from tests.frames import any_make

# The same votes in three shapes: dog has two for joy and one for fear, cat one for each, owl one for fear.
LONG = {
    "id": ["dog", "dog", "cat", "dog", "cat", "owl"],
    "who": ["ann", "bob", "ann", "cem", "bob", "ann"],
    "emotion": ["joy", "fear", "joy", "joy", "fear", "fear"],
}
WIDE = {
    "id": ["dog", "cat", "owl"],
    "ann": ["joy", "joy", "fear"],
    "bob": ["fear", "fear", None],
    "cem": ["joy", None, None],
}
COUNTS = {"id": ["dog", "cat", "owl"], "fear": [1, 1, 1], "joy": [2, 1, 0]}
NAMED = {
    "long": (LONG, {"item": "id", "annotator": "who", "label": "emotion"}),
    "long without annotators": (LONG, {"item": "id", "label": "emotion"}),
    "wide": (WIDE, {"item": "id", "annotators": ["ann", "bob", "cem"]}),
    "counts": (COUNTS, {"item": "id", "labels": ["fear", "joy"]}),
}
any_shape = pytest.mark.parametrize(("table", "columns"), NAMED.values(), ids=NAMED)
LONG_COLUMNS, WIDE_COLUMNS, COUNTS_COLUMNS = (NAMED[shape][1] for shape in ("long", "wide", "counts"))


@any_make
@any_shape
def test_every_shape_and_make_gives_the_same_distributions(make, table, columns):
    found = from_votes(make(table), **columns)
    assert found.label_names == ["fear", "joy"]
    assert found.items == ["dog", "cat", "owl"]
    assert_allclose(found.distributions, [[1 / 3, 2 / 3], [1 / 2, 1 / 2], [1, 0]], rtol=1e-15)
    assert_array_equal(found.weights, [3, 2, 1])
    assert found.weights.dtype == np.float64


def test_an_array_of_counts_needs_no_names():
    found = from_votes([[2, 1], [0, 4]])
    assert_allclose(found.distributions, [[2 / 3, 1 / 3], [0, 1]])
    assert (found.items, found.label_names) == ([0, 1], ["label_0", "label_1"])
    assert from_votes(np.array([[2, 1]]), label_names=["joy", "fear"]).label_names == ["joy", "fear"]


@any_make
def test_a_frame_has_items_degrees_and_numbers_of_votes(make):
    table = from_votes(make(WIDE), **WIDE_COLUMNS).to_frame()
    assert list(table.columns) == ["id", "fear", "joy", "votes"]
    assert table["id"].tolist() == ["dog", "cat", "owl"]
    assert table["votes"].tolist() == [3, 2, 1]
    assert table["votes"].dtype == np.int64
    assert_allclose(table["joy"], [2 / 3, 1 / 2, 0])


def test_rows_are_numbered_where_no_column_names_the_items():
    without = pd.DataFrame(WIDE).drop(columns="id")
    table = from_votes(without, annotators=["ann", "bob", "cem"]).to_frame()
    assert table["item"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["votes", "id"])
def test_a_frame_has_no_two_columns_of_one_name(name):
    found = from_votes(pd.DataFrame({**LONG, "emotion": [name] * 6}), item="id", label="emotion")
    with pytest.raises(TableError, match=f"Two columns of the table would be called '{name}'"):
        found.to_frame()


@any_make
def test_numbers_are_labels_too_and_stay_whole_beside_empty_cells(make):
    found = from_votes(make({"a": [10, 9, 9], "b": [None, 2, None]}), annotators=["a", "b"])
    assert found.label_names == ["2", "9", "10"]  # sorted as numbers
    assert_allclose(found.distributions, [[0, 0, 1], [0.5, 0.5, 0], [0, 1, 0]])


def test_cells_of_spaces_and_every_kind_of_nothing_are_empty():
    table = pd.DataFrame(
        {"a": ["x", "y", "y"], "b": [" ", "", pd.NA], "c": [np.nan, None, pd.NaT], "d": pd.array([1, None, 1], "Int64")}
    )
    found = from_votes(table, annotators=["a", "b", "c", "d"])
    assert found.label_names == ["1", "x", "y"]
    assert_array_equal(found.weights, [2, 1, 2])
    nan = pl.DataFrame({"a": [1.0, 2.0], "b": [float("nan"), 1.0]})
    assert_array_equal(from_votes(nan, annotators=["a", "b"]).weights, [1, 2])


@any_shape
def test_given_names_are_the_labels_and_their_order(table, columns):
    found = from_votes(pd.DataFrame(table), **columns, label_names=["joy", "calm", "fear"])
    assert found.label_names == ["joy", "calm", "fear"]
    assert_allclose(found.distributions, [[2 / 3, 0, 1 / 3], [1 / 2, 0, 1 / 2], [0, 0, 1]], rtol=1e-15)


@pytest.mark.parametrize(
    ("table", "columns", "place"),
    [
        (LONG, LONG_COLUMNS, "The cell in data row 2, column 'emotion',"),
        (WIDE, WIDE_COLUMNS, "The cell in data row 1, column 'bob',"),
        (COUNTS, COUNTS_COLUMNS, "Column 'fear'"),
    ],
    ids=["long", "wide", "counts"],
)
def test_a_label_that_is_not_among_the_given_names_is_named_with_its_place(table, columns, place):
    with pytest.raises(TableError, match=rf"^{place} is the label 'fear', .*joy, feer\. Did you mean feer\?"):
        from_votes(pd.DataFrame(table), **columns, label_names=["joy", "feer"])


def test_smoothing_adds_votes_of_the_prior():
    counts = np.array([[3, 1, 0], [0, 0, 4]])
    assert_allclose(from_votes(counts, smoothing=3).distributions, [[4 / 7, 2 / 7, 1 / 7], [1 / 7, 1 / 7, 5 / 7]])
    overall = np.array([3, 1, 4]) / 8
    expected = (counts + 2 * overall) / 6
    assert_allclose(from_votes(counts, smoothing=2, prior="overall").distributions, expected)
    assert_allclose(from_votes(counts, smoothing=2, prior=[6, 2, 8]).distributions, expected)
    assert_array_equal(from_votes(counts, smoothing=2).weights, [4, 4])  # those of the prior are nobody's


@any_make
@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ({**WIDE, "ann": ["joy", None, "fear"], "bob": ["fear", None, None]}, WIDE_COLUMNS),
        ({**COUNTS, "fear": [1, 0, 1], "joy": [2, 0, 0]}, COUNTS_COLUMNS),
    ],
    ids=["wide", "counts"],
)
def test_an_item_without_votes_is_refused_or_given_the_prior(make, table, columns):
    with pytest.raises(TableError, match=r"1 item\(s\) have no vote, first data row 2, item 'cat'.*use smoothing"):
        from_votes(make(table), **columns)
    found = from_votes(make(table), **columns, smoothing=0.5, prior="overall")
    assert_allclose(found.distributions[1], found.weights[[0, 2]] @ [[1 / 3, 2 / 3], [1, 0]] / 4)
    assert_array_equal(found.weights, [3, 0, 1])


def test_repeated_votes_count_and_are_told_at_the_callers_line():
    table = pd.DataFrame({key: [*cells, cells[0], cells[4]] for key, cells in LONG.items()})
    message = r"2 row\(s\) repeat a vote, first data row 7: 'ann' has voted for 'joy' on item 'dog' before"
    with pytest.warns(LabelWarning, match=message) as caught:
        found = from_votes(table, **LONG_COLUMNS)
    assert caught[0].filename == __file__
    assert_array_equal(found.weights, [4, 3, 1])


def test_an_annotator_may_vote_for_several_labels():
    table = pd.DataFrame({"id": [1, 1], "who": ["ann", "ann"], "emotion": ["joy", "fear"]})
    assert_array_equal(from_votes(table, **LONG_COLUMNS).distributions, [[0.5, 0.5]])


def test_the_result_goes_straight_into_a_learner():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    found = from_votes(rng.multinomial(5, [0.5, 0.3, 0.2], size=30))
    assert BDLDL().fit(X, found.distributions, sample_weight=found.weights).predict(X).shape == (30, 3)


BAD_COUNTS = {
    "negative": ([2, -1, 0], r"data row 2, column 'joy', is -1, a negative number of votes"),
    "fractional": ([2.0, 1.0, 0.5], r"data row 3, column 'joy', is 0.5, no whole number of votes"),
    "empty": ([2, None, 0], r"data row 2, column 'joy', is empty: write 0"),
    "NaN": ([2.0, float("nan"), 0.0], r"data row 2, column 'joy', is empty: write 0"),
    "infinite": ([2.0, float("inf"), 0.0], r"data row 2, column 'joy', is inf, no whole number of votes"),
    "word": (["2", "1", "many"], r"data row 3, column 'joy', is 'many', which is no number of votes"),
}


@any_make
@pytest.mark.parametrize(("cells", "message"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts_are_named_with_row_and_column(make, cells, message):
    with pytest.raises(TableError, match=message):
        from_votes(make({**COUNTS, "joy": cells}), **COUNTS_COLUMNS)


def test_bad_arrays_of_counts_are_refused_alike():
    with pytest.raises(TableError, match="data row 2, column 0, is -3, a negative"):
        from_votes([[1, 2], [-3, 1]])
    with pytest.raises(TableError, match="data row 1, column 1, is 'x', which is no number"):
        from_votes([[1, "x"], [3, 1]])
    with pytest.raises(TableError, match=r"got shape \(2,\)"):
        from_votes([1, 2])
    with pytest.raises(TableError, match=r"got shape \(0, 2\)"):
        from_votes(np.empty((0, 2)))
    with pytest.raises(ValueError, match="name each of the 2 columns"):
        from_votes([[1, 2]], label_names=["joy"])


@any_make
@pytest.mark.parametrize("column", ["id", "who", "emotion"])
@pytest.mark.parametrize("empty", [None, " "])
def test_empty_cells_of_a_long_table_are_named(make, column, empty):
    cells = [*LONG[column][:2], empty, *LONG[column][3:5], None]
    with pytest.raises(TableError, match=rf"data row 3, column '{column}', is empty \(2 in all\)"):
        from_votes(make({**LONG, column: cells}), **LONG_COLUMNS)


@any_make
@any_shape
def test_a_missing_column_is_named_with_what_is_like_it(make, table, columns):
    with pytest.raises(TableError, match=r"no column 'idd'\. Did you mean id\? It has id, "):
        from_votes(make(table), **{**columns, "item": "idd"})


@any_make
@any_shape
def test_an_empty_table_is_refused(make, table, columns):
    with pytest.raises(TableError, match="has no rows"):
        from_votes(make({name: cells[:0] for name, cells in table.items()}), **columns)


@any_make
def test_a_table_without_any_vote_is_refused_even_when_smoothed(make):
    nothing = make({"a": ["x", "x"], "b": [None, " "], "c": [0, 0]})
    with pytest.raises(TableError, match="no vote in the table"):
        from_votes(nothing, annotators=["b"], smoothing=1)
    with pytest.raises(TableError, match="no vote in the table"):
        from_votes(nothing, labels=["c"], smoothing=1, prior="overall")


@any_make
@pytest.mark.parametrize(("table", "columns"), [NAMED["wide"], NAMED["counts"]], ids=["wide", "counts"])
def test_an_item_has_one_row_where_a_row_is_an_item(make, table, columns):
    with pytest.raises(TableError, match="data row 3, column 'id', is 'dog', which data row 1 is already"):
        from_votes(make({**table, "id": ["dog", "cat", "dog"]}), **columns)


def test_columns_must_be_told_apart():
    twice = pd.DataFrame([["dog", "joy", "joy"]], columns=["id", "emotion", "emotion"])
    with pytest.raises(TableError, match="columns of the same name"):
        from_votes(twice, item="id", label="emotion")
    with pytest.raises(ValueError, match="Column 'id' is named more than once"):
        from_votes(pd.DataFrame(LONG), item="id", label="id")


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"item": "id"},
        {"label": "emotion"},
        {"item": "id", "annotator": "who"},
        {"item": "id", "label": "emotion", "labels": ["emotion"]},
        {"annotator": "who", "annotators": ["who"]},
    ],
    ids=str,
)
def test_it_must_be_clear_which_shape_the_table_has(columns):
    with pytest.raises(ValueError, match="Say which columns hold the votes"):
        from_votes(pd.DataFrame(LONG), **columns)


@pytest.mark.parametrize(
    ("votes", "options", "error", "message"),
    [
        ([[1, 2]], {"labels": ["a", "b"]}, ValueError, "An array has no columns with names"),
        ({"a": [1]}, {"labels": ["a"]}, TypeError, "pandas, polars or pyarrow table.*got dict"),
        (pl.LazyFrame(COUNTS), COUNTS_COLUMNS, TypeError, "got LazyFrame.*collected"),
        (pd.DataFrame(COUNTS), {"labels": "joy"}, ValueError, "labels must be a list of columns; got 'joy'"),
        (pd.DataFrame(WIDE), {"annotators": []}, ValueError, "annotators must be a list of columns"),
        ([[1, 2]], {"label_names": "ab"}, ValueError, "label_names must be a list of labels, each once"),
        ([[1, 2]], {"label_names": ["a", "a"]}, ValueError, "label_names must be a list of labels, each once"),
        ([[1, 2]], {"smoothing": -1}, ValueError, "smoothing must be a number of votes, 0 or more; got -1"),
        ([[1, 2]], {"smoothing": "1"}, ValueError, "smoothing must be a number"),
        ([[1, 2]], {"prior": "overall"}, ValueError, "no effect without smoothing"),
        ([[1, 2]], {"prior": [0.5, 0.5]}, ValueError, "no effect without smoothing"),
        ([[1, 2]], {"prior": "flat", "smoothing": 1}, ValueError, "'uniform', 'overall' or degrees.*got 'flat'"),
        ([[1, 2]], {"prior": [1, 2, 3], "smoothing": 1}, ValueError, "a degree for each of the 2 labels"),
        ([[1, 2]], {"prior": [1, -1], "smoothing": 1}, NotADistributionError, "prior is negative"),
    ],
)
def test_wrong_options_are_refused(votes, options, error, message):
    with pytest.raises(error, match=message):
        from_votes(votes, **options)


def test_arrays_of_counts_need_neither_pandas_nor_narwhals_and_tables_say_what_they_need():
    code = """
import sys
sys.modules["narwhals"] = sys.modules["pandas"] = None
from labeldist.votes import from_votes
from labeldist.exceptions import MissingExtraError
found = from_votes([[1, 3]])
assert found.distributions.tolist() == [[0.25, 0.75]]
for ask in (found.to_frame, lambda: from_votes(object(), labels=["a"])):
    try:
        ask()
    except MissingExtraError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "This needs pandas, which is not installed: pip install 'labeldist[votes]'.",
        "This needs narwhals, which is not installed: pip install 'labeldist[votes]'.",
    ]
