"""`from_votes`: shapes of tables, normalisation of names, smoothing and errors."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

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
SHAPES = {
    "long": (LONG, {"item": "id", "annotator": "who", "label": "emotion"}),
    "long without annotators": (LONG, {"item": "id", "label": "emotion"}),
    "wide": (WIDE, {"item": "id", "annotators": ["ann", "bob", "cem"]}),
    "counts": (COUNTS, {"item": "id", "counts": ["fear", "joy"]}),
}
any_shape = pytest.mark.parametrize(("table", "columns"), SHAPES.values(), ids=SHAPES)
LONG_COLUMNS, WIDE_COLUMNS, COUNTS_COLUMNS = (SHAPES[shape][1] for shape in ("long", "wide", "counts"))


def long(**columns):
    return pd.DataFrame({**LONG, **columns})


@any_make
@any_shape
def test_every_shape_and_library_gives_the_same_distributions(make, table, columns):
    result = from_votes(make(table), **columns)
    assert (result.items, result.label_names) == (["dog", "cat", "owl"], ["fear", "joy"])
    assert_allclose(result.distributions, [[1 / 3, 2 / 3], [1 / 2, 1 / 2], [1, 0]], rtol=1e-15)
    assert_array_equal(result.weights, [3, 2, 1])
    assert result.weights.dtype == np.float64
    assert repr(result) == "VoteDistributions(3 items, 2 labels, 6 votes)"
    frame = result.to_frame()
    assert list(frame.columns) == ["id", "fear", "joy", "votes"]
    assert frame["votes"].tolist() == [3, 2, 1]
    assert frame["votes"].dtype == np.int64
    assert_allclose(frame["joy"], [2 / 3, 1 / 2, 0])


def test_arrays_of_counts_need_no_names():
    result = from_votes([[2, 1], [0, 4]])
    assert_allclose(result.distributions, [[2 / 3, 1 / 3], [0, 1]])
    assert (result.items, result.label_names) == ([0, 1], ["label_0", "label_1"])
    assert from_votes(np.array([[2, 1]]), label_names=["joy", "fear"]).label_names == ["joy", "fear"]
    assert from_votes(pd.DataFrame(WIDE), annotators=["ann"]).to_frame()["item"].tolist() == [0, 1, 2]


@any_make
def test_numeric_labels_stay_whole_next_to_empty_cells(make):
    result = from_votes(make({"a": [10, 9, 9], "b": [None, 2, None]}), annotators=["a", "b"])
    assert result.label_names == ["2", "9", "10"]  # sorted as numbers
    assert_allclose(result.distributions, [[0, 0, 1], [0.5, 0.5, 0], [0, 1, 0]])


def test_blank_and_missing_cells_are_not_votes():
    table = pd.DataFrame(
        {
            "a": ["x", "y", "y"],
            "b": [" ", "\u200b", pd.NA],
            "c": [np.nan, None, pd.NaT],
            "d": pd.array([1, None, 1], "Int64"),
            "e": pd.to_datetime([None, None, None]),
        }
    )
    result = from_votes(table, annotators=list("abcde"))
    assert result.label_names == ["1", "x", "y"]
    assert_array_equal(result.weights, [2, 1, 2])
    nan = pl.DataFrame({"a": [1.0, 2.0], "b": [float("nan"), 1.0]})
    assert_array_equal(from_votes(nan, annotators=["a", "b"]).weights, [1, 2])


def test_spellings_of_one_name_are_merged_with_a_warning():
    table = pd.DataFrame({"id": ["b", "b ", "c"], "label": ["cafe\u0301", "caf\u00e9", "caf\u00e9\u200b"]})
    with pytest.warns(LabelWarning) as caught:
        result = from_votes(table, item="id", label="label")
    assert (result.items, result.label_names) == (["b", "c"], ["caf\u00e9"])
    assert_array_equal(result.weights, [2, 1])
    assert "'b', 'b '" in str(caught[0].message)
    assert "1 name(s)" in str(caught[1].message)
    with pytest.raises(TableError, match=r"row 2, column 'id'.* row 1"):
        from_votes(table, item="id", annotators=["label"])


def test_numerals_are_merged_in_labels_and_not_in_items():
    table = pd.DataFrame({"id": ["3", "03", "3.0"], "label": ["3", "03", "3.0"]})
    with pytest.warns(LabelWarning, match="'3', '03', '3.0'"):
        result = from_votes(table, item="id", label="label")
    assert (result.items, result.label_names) == (["3", "03", "3.0"], ["3"])
    named = from_votes(pd.DataFrame({"a": ["1.0", "2"]}), annotators=["a"], label_names=["02", "1"])
    assert_array_equal(named.distributions, [[0, 1], [1, 0]])
    with pytest.warns(LabelWarning, match="'.5', '0.50'"):
        assert from_votes(pd.DataFrame({"a": [".5", "0.50"]}), annotators=["a"]).label_names == ["0.5"]


def test_columns_of_counts_with_one_name_are_added_with_a_warning():
    table = pd.DataFrame([[1, 2, 3]], columns=["joy", "fear", "joy\u00ad "])
    with pytest.warns(LabelWarning, match="'joy', 'joy"):
        result = from_votes(table, counts=list(table.columns))
    assert result.label_names == ["joy", "fear"]
    assert_allclose(result.distributions, [[2 / 3, 1 / 3]])


@any_shape
def test_label_names_set_the_labels_and_their_order(table, columns):
    result = from_votes(pd.DataFrame(table), **columns, label_names=["joy", "calm", "fear"])
    assert result.label_names == ["joy", "calm", "fear"]
    assert_allclose(result.distributions, [[2 / 3, 0, 1 / 3], [1 / 2, 0, 1 / 2], [0, 0, 1]], rtol=1e-15)


@pytest.mark.parametrize(
    ("shape", "place"),
    [("long", "row 2, column 'emotion'"), ("wide", "row 1, column 'bob'"), ("counts", "Column 'fear'")],
)
def test_labels_outside_label_names_are_errors(shape, place):
    table, columns = SHAPES[shape]
    with pytest.raises(TableError, match=rf"{place}.* 'fear', .*joy, feer\. Did you mean feer"):
        from_votes(pd.DataFrame(table), **columns, label_names=["joy", "feer"])


def test_smoothing_adds_votes_of_the_prior():
    counts = np.array([[3, 1, 0], [0, 0, 4]])
    assert_allclose(from_votes(counts, smoothing=3).distributions, [[4 / 7, 2 / 7, 1 / 7], [1 / 7, 1 / 7, 5 / 7]])
    expected = (counts + 2 * np.array([3, 1, 4]) / 8) / 6
    assert_allclose(from_votes(counts, smoothing=2, prior="overall").distributions, expected)
    assert_allclose(from_votes(counts, smoothing=2, prior=[6, 2, 8]).distributions, expected)
    assert_array_equal(from_votes(counts, smoothing=2).weights, [4, 4])


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ({**WIDE, "ann": ["joy", None, "fear"], "bob": ["fear", None, None]}, WIDE_COLUMNS),
        ({**COUNTS, "fear": [1, 0, 1], "joy": [2, 0, 0]}, COUNTS_COLUMNS),
    ],
    ids=["wide", "counts"],
)
def test_items_without_votes_are_errors_or_get_the_prior(table, columns):
    with pytest.raises(TableError, match="row 2, item 'cat'"):
        from_votes(pd.DataFrame(table), **columns)
    result = from_votes(pd.DataFrame(table), **columns, smoothing=0.5, prior="overall")
    assert_allclose(result.distributions[1], result.weights[[0, 2]] @ [[1 / 3, 2 / 3], [1, 0]] / 4)
    assert_array_equal(result.weights, [3, 0, 1])


def test_repeated_votes_are_counted_with_a_warning_at_the_callers_line():
    table = pd.DataFrame({key: [*cells, cells[0], cells[4]] for key, cells in LONG.items()})
    with pytest.warns(LabelWarning, match=r"2 row.*row 7: 'ann' .*'joy' on item 'dog'") as caught:
        result = from_votes(table, **LONG_COLUMNS)
    assert caught[0].filename == __file__
    assert_array_equal(result.weights, [4, 3, 1])


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ([2, -1, 0], "-1"),
        ([2.0, 0.5, 1.0], "0.5"),
        ([2, None, 0], "empty"),
        ([2.0, float("inf"), 0.0], "inf"),
        ([2.0, 1e300, 0.0], "1e.300"),
        (["2", "many", "1"], "'many'"),
        (["2", "1_000", "1"], "'1_000'"),  # float accepts this and the next
        (["2", "٣", "1"], "'٣'"),
        (["2", "1,000", "1"], "'1,000'"),
        ([1, pd.Timestamp("2024-01-01"), 1], "2024-01-01"),
    ],
    ids=str,
)
def test_invalid_counts_are_errors_with_row_and_column(cells, value):
    with pytest.raises(TableError, match=f"row 2, column 'joy', is {value}"):
        from_votes(pd.DataFrame({**COUNTS, "joy": cells}), **COUNTS_COLUMNS)
    place = "row 1, column 1, is '2'" if isinstance(cells[0], str) else f"row 2, column 1, is {value}"
    with pytest.raises(TableError, match=place):
        from_votes(np.array([[1, cell] for cell in cells], dtype=object))


@pytest.mark.parametrize("column", ["id", "who", "emotion"])
def test_empty_cells_of_a_long_table_are_errors(column):
    cells = [*LONG[column][:2], " ", *LONG[column][3:5], None]
    with pytest.raises(TableError, match=rf"row 3, column '{column}', is empty \(2 "):
        from_votes(long(**{column: cells}), **LONG_COLUMNS)


@any_make
@any_shape
def test_missing_columns_and_empty_tables_are_errors(make, table, columns):
    with pytest.raises(TableError, match=r"'idd'\. Did you mean id\? It has id, "):
        from_votes(make(table), **{**columns, "item": "idd"})
    with pytest.raises(TableError, match="no rows"):
        from_votes(make({name: cells[:0] for name, cells in table.items()}), **columns)


def test_cells_with_several_values_are_errors():
    for cell in ([1, 2], frozenset({1, 2})):
        with pytest.raises(TableError, match=r"row 2, column 'id', holds a (list|frozenset)"):
            from_votes(long(id=["dog", cell, *LONG["id"][2:]]), **LONG_COLUMNS)


@pytest.mark.parametrize("cell", [["joy", None], ["joy", ["fear"]], "['joy', 'fear']", "[joy fear]", '["joy", ""]'])
def test_lists_that_do_not_name_labels_are_errors(cell):
    table = long(emotion=["joy", cell, *LONG["emotion"][2:]])
    with pytest.raises(TableError, match=r"row 2, column 'emotion', is .*JSON"):
        from_votes(table, **LONG_COLUMNS, separator=",")
    with pytest.raises(TableError, match=r"row 2, column 'emotion', is .*JSON"):
        from_votes(table, annotators=["emotion"])


@pytest.mark.parametrize("cell", [["joy", "fear", "joy"], np.array(["joy", "fear", "joy"]), '["joy", "fear", "joy"]'])
def test_lists_of_labels_are_several_votes(cell):
    table = pd.DataFrame({"id": ["dog", "cat"], "r": [cell, "[other]"], "who": [["a", "b", "c"], '["a"]']})
    with pytest.warns(LabelWarning, match="'r' votes for 'joy' on item 'dog' again"):
        assert_array_equal(from_votes(table, item="id", annotators=["r"]).counts, [[0, 1, 2], [1, 0, 0]])
    for columns in ({"label": "r"}, {"label": "r", "annotator": "who"}):
        result = from_votes(table, item="id", **columns)
        assert result.label_names == ["[other]", "fear", "joy"]
        assert_array_equal(result.counts, [[0, 1, 2], [1, 0, 0]])
    assert result.annotators == ["a", "b", "c"]
    assert_array_equal(result.votes, [[0, 0, 2], [0, 1, 1], [0, 2, 2], [1, 0, 0]])


def test_separator_in_names_of_annotators_is_an_error():
    table = pd.DataFrame({"id": ["dog", "cat"], "who": ["Smith, J", "Lee, K"], "emotion": ["joy, fear", "joy"]})
    with pytest.raises(TableError, match=r"row 2, column 'who', holds 2 name\(s\), but column 'emotion' holds 1"):
        from_votes(table, **LONG_COLUMNS, separator=",")
    result = from_votes(table.assign(emotion=["joy| fear", "joy"]), **LONG_COLUMNS, separator="|")
    assert result.annotators == ["Smith, J", "Lee, K"]


def test_truth_values_and_numbers_are_different_labels():
    result = from_votes(
        pd.DataFrame({"a": [True, 1, 1.0, "1"], "b": [1, True, False, 0]}, dtype=object), annotators=["a", "b"]
    )
    assert result.label_names == ["0", "1", "False", "True"]
    assert_array_equal(result.counts, [[0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]])


def test_null_in_objects_of_counts_is_zero():
    votes = pd.DataFrame({"n": ['{"joy": 2, "fear": null}', '{"fear": 1}']})
    assert_array_equal(from_votes(votes, counts=["n"]).counts, [[0, 2], [1, 0]])


def test_repeated_items_and_columns_are_errors():
    result = from_votes(long(emotion="votes"), item="id", label="emotion")
    with pytest.raises(TableError, match="'votes'"):
        result.to_frame()
    with pytest.raises(TableError, match=r"row 3, column 'id', is 'dog', .* row 1"):
        from_votes(pd.DataFrame({**COUNTS, "id": ["dog", "cat", "dog"]}), **COUNTS_COLUMNS)
    twice = pd.DataFrame([["dog", "joy", "joy"]], columns=["id", "emotion", "emotion"])
    with pytest.raises(TableError, match="2 column 'emotion'"):
        from_votes(twice, item="id", label="emotion")


@pytest.mark.parametrize(
    ("votes", "options", "error", "fact"),
    [
        ([[1, 2], [-3, 1]], {}, TableError, "row 2, column 0, is -3"),
        ([[1, "x"], [3, 1]], {}, TableError, "dtype <U"),
        (np.empty((0, 2)), {}, TableError, r"\(0, 2\)"),
        (np.ma.masked_equal([[1, 2], [3, 999]], 999), {}, TableError, "row 2, column 1, is empty"),
        (long(), {"label": "emotion"}, ValueError, r"item=.*annotators=.*counts="),
        (long(), {"item": "id", "label": "emotion", "counts": ["emotion"]}, ValueError, "item=.*counts="),
        ([[1, 2]], {"counts": ["a", "b"]}, ValueError, "label_names"),
        ({"a": [1]}, {"counts": ["a"]}, TypeError, "dict"),
        ([np.ma.masked_equal([1, 999], 999), [2, 3]], {}, TableError, "row 1, column 1, is empty"),
        (pl.LazyFrame(COUNTS), COUNTS_COLUMNS, TypeError, "LazyFrame"),
        (pd.DataFrame(COUNTS), {"counts": "joy"}, ValueError, "counts .* 'joy'"),
        (pd.DataFrame(WIDE), {"annotators": []}, ValueError, "annotators"),
        ([[1, 2]], {"label_names": "ab"}, ValueError, "'ab'"),
        ([[1, 2]], {"label_names": ["a", "a "]}, ValueError, "label_names"),
        ([[1, 2]], {"label_names": ["a", ""]}, ValueError, "empty"),
        ([[1, 2]], {"label_names": ["a"]}, ValueError, "2 columns"),
        (pd.DataFrame(COUNTS), {"counts": ["joy", "fear", "joy"]}, ValueError, "more than once: joy, fear, joy"),
        (pd.DataFrame(WIDE), {"item": "ann", "annotators": ["ann"]}, ValueError, "more than once: ann, ann"),
        ([[1, 2]], {"smoothing": -1}, ValueError, "smoothing .* -1"),
        ([[1, 2]], {"smoothing": "much"}, ValueError, "'auto'; got 'much'"),
        ([[1, 2]], {"separator": ";"}, ValueError, "separator .* ';'"),
        (pd.DataFrame(WIDE), {"annotators": ["ann"], "separator": ""}, ValueError, "separator .* ''"),
        ([[1, 2]], {"prior": [0.5, 0.5]}, ValueError, "smoothing"),
        ([[1, 2]], {"prior": [1, 2, 3], "smoothing": 1}, ValueError, "2 labels"),
        ([[1, 2]], {"prior": [1, -1], "smoothing": 1}, NotADistributionError, "prior"),
    ],
)
def test_invalid_options_are_errors(votes, options, error, fact):
    with pytest.raises(error, match=fact):
        from_votes(votes, **options)


def test_counters_in_one_column():
    votes = pd.DataFrame({"id": ["a", "b"], "n": [Counter([1, 1, 3]), Counter([10])]})
    found = from_votes(votes, item="id", counts=["n"])
    assert found.label_names == ["1", "3", "10"]
    assert_allclose(found.distributions, [[2 / 3, 1 / 3, 0], [0, 0, 1]])
    assert found.weights.tolist() == [3, 1]


def test_counts_and_single_votes_are_kept():
    result = from_votes(pd.DataFrame(LONG), **LONG_COLUMNS, smoothing=1)
    assert_array_equal(result.counts, [[1, 2], [1, 1], [1, 0]])
    assert result.annotators == ["ann", "bob", "cem"]
    assert result.votes.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 1], [0, 2, 1], [1, 1, 0], [2, 0, 0]]
    assert (result.smoothing, result.prior.tolist()) == (1, [0.5, 0.5])
    counted = from_votes(pd.DataFrame(COUNTS), **COUNTS_COLUMNS)
    assert_array_equal(counted.counts, result.counts)
    assert (counted.annotators, counted.votes, counted.smoothing, counted.prior) == ([], None, 0, None)


@any_make
def test_each_label_that_an_annotator_names_is_a_vote(make):
    wide = {"id": ["dog", "cat"], "ann": ["joy; fear", "calm"], "bob": ["joy;", None]}
    long = {"id": ["dog", "cat", "dog"], "who": ["ann", "ann", "bob"], "emotion": ["joy; fear", "calm", "joy;"]}
    rows = {"id": ["dog", "dog", "cat", "dog"], "who": ["ann", "ann", "ann", "bob"]}
    rows["emotion"] = ["joy", "fear", "calm", "joy"]
    for table, columns in ((wide, {"annotators": ["ann", "bob"]}), (long, {"annotator": "who", "label": "emotion"})):
        result = from_votes(make(table), item="id", **columns, separator=";")
        assert result.label_names == ["calm", "fear", "joy"]
        assert_array_equal(result.counts, [[0, 1, 2], [1, 0, 0]])
        assert_array_equal(result.weights, [3, 1])
        assert_array_equal(np.sort(result.votes, axis=0), [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 1, 2]])
    assert_array_equal(from_votes(make(rows), **LONG_COLUMNS).counts, result.counts)
    assert from_votes(make(wide), annotators=["ann", "bob"]).label_names == ["calm", "joy;", "joy; fear"]
    with pytest.raises(TableError, match=r"row 1, column '(ann|emotion)', is the label ' ?fear'"):
        from_votes(make(long), **LONG_COLUMNS, separator=";", label_names=["joy", "calm"])
    with pytest.warns(LabelWarning, match=r"row 2: 'bob' votes for 'joy' on item 'dog' again"):
        from_votes(
            pd.DataFrame({"id": ["dog"] * 2, "who": ["ann", "bob"], "emotion": ["joy;fear", "joy;joy"]}),
            **LONG_COLUMNS,
            separator=";",
        )


def test_weights_of_a_series_belong_to_the_labels_of_its_index():
    weights = pd.Series({"joy": 0.7, "fear": 0.2, "calm": 0.1})
    counts = pd.DataFrame({"calm": [1, 0], "joy": [0, 2], "fear": [1, 1]})
    result = from_votes(counts, counts=list(counts), smoothing=1, prior=weights)
    assert result.label_names == ["calm", "joy", "fear"]
    assert_allclose(result.prior, [0.1, 0.7, 0.2])
    numbers = from_votes([[1, 0]], label_names=["2", "1"], smoothing=1, prior=pd.Series({1: 3, 2: 1}))
    assert_allclose(numbers.prior, [0.25, 0.75])
    with pytest.raises(ValueError, match=r"index of prior must hold the labels, .*got \['0', '1', '2'\]"):
        from_votes(counts, counts=list(counts), smoothing=1, prior=weights.reset_index(drop=True))


def test_ordered_categories_are_the_labels_in_their_order():
    sizes = pd.CategoricalDtype(["small", "medium", "large", "huge"], ordered=True)
    long = pd.DataFrame({"id": ["dog", "dog", "cat"], "size": pd.Series(["large", "small", "large"], dtype=sizes)})
    result = from_votes(long, item="id", label="size")
    assert result.label_names == list(sizes.categories)
    assert_array_equal(result.counts, [[1, 0, 1, 0], [0, 0, 1, 0]])
    wide = pd.DataFrame({"ann": ["large", None], "bob": ["small", "large"]}).astype(sizes)
    assert_array_equal(from_votes(wide, annotators=["ann", "bob"]).counts, result.counts)
    fewer = wide.assign(bob=wide["bob"].cat.remove_unused_categories())
    assert_array_equal(from_votes(fewer, annotators=["ann", "bob"]).counts, result.counts)
    turned = wide.assign(bob=wide["bob"].cat.reorder_categories(["large", "small", "medium", "huge"]))
    for mixed in (wide.astype({"bob": str}), turned):
        with pytest.warns(LabelWarning, match="different categories, so that the labels are sorted"):
            assert from_votes(mixed, annotators=["ann", "bob"]).label_names == ["large", "small"]
    unordered = long.assign(size=long["size"].cat.as_unordered())
    assert from_votes(unordered, item="id", label="size").label_names == ["large", "small"]
    ranks = pd.DataFrame({"id": [1, 1], "rank": pd.Categorical([2.0, 1.0], categories=[3.0, 2.0, 1.0], ordered=True)})
    assert from_votes(ranks, item="id", label="rank").label_names == ["3", "2", "1"]


def test_a_label_twice_in_a_cell_of_an_annotator_is_counted_with_a_warning():
    table = pd.DataFrame({"id": ["dog"], "ann": ["joy;joy"]})
    with pytest.warns(LabelWarning, match="1 row.*row 1: 'ann' votes for 'joy' on item 'dog' again"):
        assert from_votes(table, item="id", annotators=["ann"], separator=";").weights == [2]
    assert from_votes(table, item="id", label="ann", separator=";").weights == [2]  # votes of two people
    with pytest.raises(TableError, match="no votes"):
        from_votes(pd.DataFrame({"ann": [None, None]}), annotators=["ann"])


def test_numbers_that_may_be_counts_warn():
    tidy = pd.DataFrame({"id": [1, 1, 2, 2], "emotion": ["joy", "fear"] * 2, "n": [9, 1, 2, 8]})
    with pytest.warns(LabelWarning, match="counted as one vote, and column 'n' is not used"):
        assert_array_equal(from_votes(tidy, item="id", label="emotion").counts, np.ones((2, 2)))
    repeated = pd.concat([tidy, tidy]).assign(sex=list("mmmmffff"), seconds=range(8))
    with pytest.warns(LabelWarning) as caught:
        from_votes(repeated, item="id", label="emotion")
    assert ["column 'n' is not used" in str(warning.message) for warning in caught] == [True]
    # Features of items, fractions, a saved index, and numbers next to votes of which some agree are no counts.
    others = [
        tidy.assign(n=[9, 9, 2, 2]),
        tidy.assign(n=tidy["n"] / 4),
        tidy.assign(emotion="joy").rename(columns={"n": "age"}),
    ]
    twice = pd.concat([tidy, tidy[["n"]]], axis=1).rename(columns={"n": "x"}).assign(x=0.5)
    for other in (*others, twice, tidy.rename(columns={"n": "Unnamed: 0"})):
        from_votes(other, item="id", label="emotion")


def test_totals_in_an_array_warn():
    votes = np.array([[1, 2, 3], [2, 2, 4], [5, 1, 6]])
    with pytest.warns(LabelWarning, match="The label label_2 is as large as all others together"):
        from_votes(votes)
    with pytest.warns(LabelWarning, match="The item 2 is as large as all others together"):
        from_votes(np.array([[1, 3], [2, 2], [3, 5]]))


def test_spaces_around_separators_are_no_other_spelling():
    table = pd.DataFrame({"id": [1, 2], "emotion": ["joy, fear", "fear, joy"]})
    result = from_votes(table, item="id", label="emotion", separator=",")
    assert_array_equal(result.counts, np.ones((2, 2)))


def test_tuples_are_lists_of_labels():
    table = pd.DataFrame({"id": ["dog", "dog", "cat"], "emotion": [("joy", "fear"), ("joy",), ("awe",)]})
    result = from_votes(table, item="id", label="emotion")
    assert result.label_names == ["awe", "fear", "joy"]
    assert_array_equal(result.counts, [[0, 1, 2], [1, 0, 0]])


def test_order_of_categories_is_kept_with_a_separator():
    sizes = pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"], ordered=True)
    table = pd.DataFrame({"id": ["dog", "cat"], "size": sizes})
    assert from_votes(table, item="id", label="size", separator=";").label_names == ["lo", "mid", "hi"]
    several = pd.Categorical(["hi;lo", "lo"], categories=["lo", "hi;lo"], ordered=True)
    assert from_votes(table.assign(size=several), item="id", label="size", separator=";").label_names == ["hi", "lo"]


def test_index_names_the_items_if_no_column_does():
    votes = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3], "label": list("aabbab")})
    counts = votes.groupby("item")["label"].value_counts().unstack(fill_value=0)
    items = pd.DataFrame({"item": [1, 2, 3], "x": [0.1, 0.2, 0.3]})
    merged = items.merge(from_votes(counts, counts=["a", "b"]).to_frame(), on="item")
    assert merged["a"].tolist() == [1.0, 0.0, 0.5]
    wide = pd.DataFrame({"ann": ["joy", "fear", "joy"], "bob": ["joy", "fear", "fear"]}).iloc[[2, 0, 1]]
    joined = wide.join(from_votes(wide, annotators=["ann", "bob"]).to_frame())
    assert joined["joy"].tolist() == [0.5, 1.0, 0.0]
    twice = pd.concat([wide, wide])
    assert from_votes(twice, annotators=["ann", "bob"]).items == list(range(6))


def test_labels_are_sorted_as_text_if_one_is_not_a_number():
    table = pd.DataFrame({"id": [1] * 4, "emotion": ["3", "nan", "1", "2"]})
    assert from_votes(table, item="id", label="emotion").label_names == ["1", "2", "3", "nan"]


def test_gaps_between_paired_labels_and_annotators_are_errors():
    columns = {"item": "id", "annotator": "who", "label": "emotion", "separator": ","}
    for who, labels, place in (("a,,c", "1,0,", "'emotion'"), ("a,,c", "1,0", "'who'"), ("a,b", ",1,0", "'emotion'")):
        table = pd.DataFrame({"id": ["x", "y"], "who": [who, "a,b,c"], "emotion": [labels, "1,1,0"]})
        with pytest.raises(TableError, match=f"row 1, column {place}, .*with a gap.*paired by position"):
            from_votes(table, **columns)


def test_columns_may_be_an_index_or_numbers():
    counts = pd.DataFrame([[1, 2], [3, 0]], columns=["joy", "fear"])
    assert_array_equal(from_votes(counts, counts=counts.columns).counts, counts)
    votes = pd.DataFrame([["dog", "ann", "joy"], ["dog", "bob", "fear"]])
    assert from_votes(votes, item=0, annotator=1, label=2).annotators == ["ann", "bob"]
    assert from_votes(votes, annotators=votes.columns[1:]).label_names == ["ann", "bob", "fear", "joy"]


def test_spaces_within_names_are_normalised():
    table = pd.DataFrame({"id": [1, 1, 1], "emotion": ["Strongly agree", "Strongly\u00a0agree", "Strongly  agree"]})
    with pytest.warns(LabelWarning, match="several spellings"):
        assert from_votes(table, item="id", label="emotion").label_names == ["Strongly agree"]


def test_names_that_are_numbers_and_text_warn():
    table = pd.DataFrame({"id": [1, "1", 2], "emotion": ["joy", "joy", "fear"]})
    with pytest.warns(LabelWarning, match="both numbers and text"):
        assert from_votes(table, item="id", label="emotion").items == [1, "1", 2]


@pytest.mark.parametrize("shape", [{"label": "emotion"}, {"annotators": ["emotion"]}])
def test_names_of_items_keep_their_spelling(shape):
    table = pd.DataFrame({"text": ["A  man walks", "cafe\u0301 ", "A man"], "emotion": ["joy", "joy", "fear "]})
    found = from_votes(table, item="text", **shape)
    assert found.items == table["text"].tolist()
    assert found.label_names == ["fear", "joy"]
    assert len(table.merge(found.to_frame(), on="text")) == 3


def test_choices_of_label_studio_are_several_votes():
    table = pd.DataFrame({"id": [1, 2], "emotion": ['{"choices":["joy","fear"]}', "joy"]})
    result = from_votes(table, item="id", label="emotion")
    assert result.label_names == ["fear", "joy"]
    assert_array_equal(result.counts, [[1, 1], [0, 1]])
    objects = table.assign(emotion=[{"choices": ["joy", "fear"]}, "joy"])
    assert_array_equal(from_votes(objects, item="id", label="emotion").counts, result.counts)
    for cell in ('{"ImportId":"QID1"}', "{'joy', 'fear'}", "('joy', 'fear')", 'c("joy", "fear")'):
        with pytest.raises(TableError, match=r"row 1, column 'emotion'.*Write a list as JSON"):
            from_votes(table.assign(emotion=[cell, "joy"]), item="id", label="emotion")
    labels = ["(other)", "calm"]
    assert from_votes(table.assign(emotion=labels), item="id", label="emotion").label_names == labels
