"""`from_votes`: shapes of tables, normalisation of names, smoothing and errors."""

import json
import sys
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.exceptions import (
    LabelWarning,
    MissingExtraError,
    NotADistributionError,
    TableError,
)
from labeldist.votes import agreement, from_votes
from tests.frames import any_make

# The same votes in three shapes: dog has two for joy and one for fear, cat one for each, owl one
# for fear.
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
LONG_COLUMNS = {"item": "id", "annotator": "who", "label": "emotion"}
WIDE_COLUMNS = {"item": "id", "annotators": ["ann", "bob", "cem"]}
COUNTS_COLUMNS = {"item": "id", "counts": ["fear", "joy"]}
SHAPES = {
    "long": (LONG, LONG_COLUMNS),
    "long without annotators": (LONG, {"item": "id", "label": "emotion"}),
    "wide": (WIDE, WIDE_COLUMNS),
    "counts": (COUNTS, COUNTS_COLUMNS),
}
any_shape = pytest.mark.parametrize(("table", "columns"), SHAPES.values(), ids=SHAPES)


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
    frame = result.to_frame()
    assert list(frame.columns) == ["id", "fear", "joy", "votes"]
    assert frame["votes"].tolist() == [3, 2, 1]


def test_arrays_of_counts_need_no_names():
    result = from_votes([[2, 1], [0, 4]])
    assert_allclose(result.distributions, [[2 / 3, 1 / 3], [0, 1]])
    assert (result.items, result.label_names) == ([0, 1], ["label_0", "label_1"])
    named = from_votes(np.array([[2, 1]]), label_names=["joy", "fear"])
    assert named.label_names == ["joy", "fear"]


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
        }
    )
    result = from_votes(table, annotators=list("abcd"))
    assert result.label_names == ["1", "x", "y"]
    assert_array_equal(result.weights, [2, 1, 2])
    nan = pl.DataFrame({"a": [1.0, 2.0], "b": [float("nan"), 1.0]})
    assert_array_equal(from_votes(nan, annotators=["a", "b"]).weights, [1, 2])


def test_spellings_of_one_name_are_merged():
    labels = ["cafe\u0301 noir", "caf\u00e9\u00a0noir", "caf\u00e9  noir\u200b"]
    table = pd.DataFrame({"id": ["b", "b ", "c"], "label": labels})
    result = from_votes(table, item="id", label="label")
    assert (result.items, result.label_names) == (["b", "c"], ["caf\u00e9 noir"])
    assert_array_equal(result.weights, [2, 1])


@pytest.mark.parametrize("shape", [{"label": "emotion"}, {"annotators": ["emotion"]}])
def test_names_of_items_keep_their_spelling(shape):
    table = pd.DataFrame(
        {"text": ["A  man walks", "cafe\u0301 ", "A man"], "emotion": ["joy", "joy", "fear "]}
    )
    found = from_votes(table, item="text", **shape)
    assert found.items == table["text"].tolist()
    assert found.label_names == ["fear", "joy"]
    assert len(table.merge(found.to_frame(), on="text")) == 3


@any_shape
def test_label_names_set_the_labels_and_their_order(table, columns):
    result = from_votes(pd.DataFrame(table), **columns, label_names=["joy", "calm", "fear"])
    assert result.label_names == ["joy", "calm", "fear"]
    expected = [[2 / 3, 0, 1 / 3], [1 / 2, 0, 1 / 2], [0, 0, 1]]
    assert_allclose(result.distributions, expected, rtol=1e-15)


@any_shape
def test_labels_outside_label_names_raise(table, columns):
    with pytest.raises(TableError, match=r"'fear'.*Did you mean feer"):
        from_votes(pd.DataFrame(table), **columns, label_names=["joy", "feer"])


def test_smoothing_adds_votes_of_the_prior():
    counts = np.array([[3, 1, 0], [0, 0, 4]])
    result = from_votes(counts, smoothing=3)
    assert_allclose(result.distributions, [[4 / 7, 2 / 7, 1 / 7], [1 / 7, 1 / 7, 5 / 7]])
    assert_array_equal(result.weights, [4, 4])
    expected = (counts + 2 * np.array([3, 1, 4]) / 8) / 6
    for prior in ("overall", [6, 2, 8]):
        assert_allclose(from_votes(counts, smoothing=2, prior=prior).distributions, expected)


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ({**WIDE, "ann": ["joy", None, "fear"], "bob": ["fear", None, None]}, WIDE_COLUMNS),
        ({**COUNTS, "fear": [1, 0, 1], "joy": [2, 0, 0]}, COUNTS_COLUMNS),
    ],
    ids=["wide", "counts"],
)
def test_items_without_votes_raise_or_get_the_prior(table, columns):
    with pytest.raises(TableError, match=r"row 2, item 'cat'\. .* allow_empty=True"):
        from_votes(pd.DataFrame(table), **columns)
    result = from_votes(pd.DataFrame(table), **columns, smoothing=0.5, prior="overall")
    assert_allclose(result.distributions[1], result.weights[[0, 2]] @ [[1 / 3, 2 / 3], [1, 0]] / 4)
    assert_array_equal(result.weights, [3, 0, 1])
    accepted = from_votes(pd.DataFrame(table), **columns, allow_empty=True)
    assert_allclose(accepted.distributions, [[1 / 3, 2 / 3], [1 / 2, 1 / 2], [1, 0]])
    assert_array_equal(accepted.weights, [3, 0, 1])
    assert (accepted.smoothing, accepted.prior) == (0, None)


def test_repeated_votes_are_counted_with_a_warning():
    table = pd.DataFrame({key: [*cells, cells[0], cells[4]] for key, cells in LONG.items()})
    with pytest.warns(LabelWarning, match="2 vote"):
        result = from_votes(table, **LONG_COLUMNS)
    assert_array_equal(result.weights, [4, 3, 1])
    # Without annotators, these are votes of two people.
    assert_array_equal(from_votes(table, item="id", label="emotion").weights, [4, 3, 1])


@pytest.mark.parametrize(
    "cells", [[2, -1, 0], [2.0, 0.5, 1.0], [2, None, 0], ["2", "many", "1"]], ids=str
)
def test_invalid_counts_raise_with_row_and_column(cells):
    with pytest.raises(TableError, match="row 2, column 'joy'"):
        from_votes(pd.DataFrame({**COUNTS, "joy": cells}), **COUNTS_COLUMNS)


@pytest.mark.parametrize("column", ["id", "who", "emotion"])
def test_empty_cells_of_a_long_table_raise(column):
    cells = [*LONG[column][:2], " ", *LONG[column][3:5], None]
    with pytest.raises(TableError, match=rf"row 3, column '{column}', is empty \(2 "):
        from_votes(long(**{column: cells}), **LONG_COLUMNS)


@any_shape
def test_missing_columns_and_empty_tables_raise(table, columns):
    votes = pd.DataFrame(table)
    with pytest.raises(TableError, match="'idd'"):
        from_votes(votes, **{**columns, "item": "idd"})
    with pytest.raises(TableError, match="no rows"):
        from_votes(votes[:0], **columns)


@pytest.mark.parametrize(
    "cell", [["joy", None], "['joy', 'fear']", '["joy", ""]', '{"ImportId": "QID1"}']
)
def test_lists_that_do_not_name_labels_raise(cell):
    table = long(emotion=["joy", cell, *LONG["emotion"][2:]])
    for columns in ({**LONG_COLUMNS, "separator": ","}, {"annotators": ["emotion"]}):
        with pytest.raises(TableError, match="JSON"):
            from_votes(table, **columns)


SEVERAL = {
    "list": ["joy", "fear", "joy"],
    "array": np.array(["joy", "fear", "joy"]),
    "JSON": '["joy", "fear", "joy"]',
}


@pytest.mark.parametrize("cell", SEVERAL.values(), ids=SEVERAL)
def test_lists_of_labels_are_several_votes(cell):
    table = pd.DataFrame(
        {"id": ["dog", "cat"], "r": [cell, "[other]"], "who": [["a", "b", "c"], '["a"]']}
    )
    with pytest.warns(LabelWarning, match="1 vote"):
        wide = from_votes(table, item="id", annotators=["r"])
    assert_array_equal(wide.counts, [[0, 1, 2], [1, 0, 0]])
    for columns in ({"label": "r"}, {"label": "r", "annotator": "who"}):
        result = from_votes(table, item="id", **columns)
        assert result.label_names == ["[other]", "fear", "joy"]
        assert_array_equal(result.counts, [[0, 1, 2], [1, 0, 0]])
    assert result.annotators == ["a", "b", "c"]
    assert_array_equal(result.votes, [[0, 0, 2], [0, 1, 1], [0, 2, 2], [1, 0, 0]])


LISTS_OF_VOTES = {
    "binary": ["0,0,1,0,1", "1,1,1,0,0", "0,0,0,0,0"],
    "two votes": ["joy;fear", "fear; joy", "calm;joy", "joy;calm", "fear;calm", "joy"],
    "with single votes": ["0|0|1", "0", "1|1", "-1|-1"],
}


@pytest.mark.parametrize("cells", LISTS_OF_VOTES.values(), ids=LISTS_OF_VOTES)
def test_lists_of_votes_need_a_separator(cells):
    table = pd.DataFrame({"id": range(len(cells)), "r": cells})
    separator = next(character for character in cells[0] if character in ",;|")
    for columns in ({"label": "r"}, {"annotators": ["r"]}):
        with pytest.raises(TableError, match=rf"separated by '\{separator}'.* separator="):
            from_votes(table, item="id", **columns)
    result = from_votes(table, item="id", label="r", separator=separator)
    assert len(result.label_names) <= 3


SINGLE_LABELS = {
    "text": ["Yes, always", "No, never", "Yes,  always", "Yes, sometimes", "No, sometimes"],
    "two properties": [f"{size}, {hue}" for size in ("small", "large") for hue in "rgb"],
    "decimals": ["0,0", "0,5", "1,0", "1,5", "2,0", "2,5", "3,0", "3,3", "3,5"],
    "one odd label": ["so, so", "good", "bad", "bad"],
    "ratings": ["5/5", "4/5", "5/5"],
}


@pytest.mark.parametrize("cells", SINGLE_LABELS.values(), ids=SINGLE_LABELS)
def test_labels_with_commas_are_single_labels(cells):
    table = pd.DataFrame({"id": range(len(cells)), "r": cells})
    result = from_votes(table, item="id", label="r")
    assert result.label_names == sorted({" ".join(cell.split()) for cell in cells})


def test_labels_that_contain_another_label_are_warned_about():
    table = pd.DataFrame({"id": [1, 2], "r": ["joy", "joy/fear"]})
    with pytest.warns(LabelWarning, match=r"Cells with '/' are .*: joy/fear\..* separator="):
        result = from_votes(table, item="id", label="r")
    assert result.label_names == ["joy", "joy/fear"]


def test_separator_in_names_of_annotators_raises():
    table = pd.DataFrame(
        {"id": ["dog", "cat"], "who": ["Smith, J", "Lee, K"], "emotion": ["joy, fear", "joy"]}
    )
    with pytest.raises(TableError, match="one label per annotator in column 'who'"):
        from_votes(table, **LONG_COLUMNS, separator=",")
    result = from_votes(table.assign(emotion=["joy| fear", "joy"]), **LONG_COLUMNS, separator="|")
    assert result.annotators == ["Smith, J", "Lee, K"]


def test_objects_of_counts_in_one_column():
    votes = pd.DataFrame({"id": ["a", "b"], "n": [Counter([1, 1, 3]), Counter([10])]})
    found = from_votes(votes, item="id", counts=["n"])
    assert found.label_names == ["1", "3", "10"]
    assert_array_equal(found.counts, [[2, 1, 0], [0, 0, 1]])
    votes = pd.DataFrame({"n": ['{"joy": 2, "fear": null}', '{"fear": 1}']})
    assert_array_equal(from_votes(votes, counts=["n"]).counts, [[0, 2], [1, 0]])


BY_ANNOTATOR = [{"Ann2": "x", "Ann1": "y"}, {"Ann1": "x", "Ann3": None}]


def nested(objects):
    """Return the table that `read_table` makes of a JSON file with objects."""
    return pd.DataFrame(objects).rename(columns="votes.{}".format)


@pytest.mark.parametrize("name", ["votes", ["votes"]], ids=["text", "list"])
@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"votes": BY_ANNOTATOR}),
        pd.DataFrame({"votes": [json.dumps(cell) for cell in BY_ANNOTATOR]}),
        nested(BY_ANNOTATOR),
        pl.DataFrame({"votes": BY_ANNOTATOR}),
    ],
    ids=["objects", "json", "nested", "polars"],
)
def test_objects_of_votes_by_annotator(table, name):
    found = from_votes(table, annotators=name)
    assert found.label_names == ["x", "y"]
    assert sorted(found.annotators) == ["Ann1", "Ann2"]
    assert_array_equal(found.counts, [[1, 1], [1, 0]])
    people = [found.annotators[a] for a in found.votes[:, 1]]
    assert sorted(zip(found.votes[:, 0].tolist(), people, strict=True)) == [
        (0, "Ann1"),
        (0, "Ann2"),
        (1, "Ann1"),
    ]


def test_objects_of_several_votes_by_annotator():
    table = pd.DataFrame({"id": ["a", "b"], "v": [{"Ann1": "x,y", "Ann2": ["y"]}, {"Ann1": "x"}]})
    found = from_votes(table, item="id", annotators="v", separator=",")
    assert_array_equal(found.counts, [[1, 2], [1, 0]])


@pytest.mark.parametrize(
    ("objects", "shape", "reading"),
    [
        ([{"Ann1": "2", "Ann2": "1"}] * 2, "annotators", r"\{annotator: vote\}, for example"),
        ([{"joy": 3, "fear": 0}] * 2, "counts", r"\{label: number of votes\}, for example"),
    ],
    ids=["text", "numbers"],
)
def test_values_of_objects_decide_how_labels_are_read(objects, shape, reading):
    table = pd.DataFrame({"id": ["a", "b"], "v": objects})
    with pytest.warns(LabelWarning, match=reading):
        found = from_votes(table, item="id", label="v")
    expected = from_votes(table, item="id", **{shape: "v"})
    assert found.label_names == expected.label_names
    assert found.annotators == expected.annotators
    assert_array_equal(found.counts, expected.counts)
    with pytest.raises(TableError, match="Remove annotator='id2'"):
        from_votes(table.assign(id2=1), item="id", annotator="id2", label="v")


def test_ratings_by_annotator_are_not_counts():
    texts = pd.DataFrame({"v": [{"Ann1": "2", "Ann2": "3"}]})
    with pytest.raises(TableError, match=r"'2', not a number of votes.* annotators=\."):
        from_votes(texts, counts="v")
    numbers = pd.DataFrame({"v": [{f"Ann{k}": 2, f"Ann{k + 1}": 3} for k in range(30)]})
    with pytest.warns(LabelWarning, match=r"number of votes\}.*name it in annotators="):
        from_votes(numbers, counts="v")
    with pytest.warns(LabelWarning, match=r"\{annotator: vote\}.*name it in counts="):
        found = from_votes(numbers, annotators="v")
    assert found.label_names == ["2", "3"]
    assert len(found.annotators) == 31


@pytest.mark.parametrize("role", ["annotators", "counts"])
@pytest.mark.parametrize(
    "first", [{"A": 1, "C": {"x": 1}}, '{"A": "joy", "C": {"x": 1}}', {"C": {"x": 1}}]
)
@pytest.mark.filterwarnings("ignore:Column 'v' is read as")
def test_objects_within_objects_raise(role, first):
    table = pd.DataFrame({"v": [{"A": 1}, first]})
    with pytest.raises(TableError, match=r"data row 2, column 'v', has an object, .* for 'C'"):
        from_votes(table, **{role: "v"})


def test_objects_in_some_cells_only_raise():
    table = pd.DataFrame({"v": [{"Ann1": "x"}, "x"]})
    with pytest.raises(TableError, match="row 2, column 'v', is 'x', not an object"):
        from_votes(table, annotators="v")


def test_name_of_a_column_is_not_taken_as_letters():
    table = pd.DataFrame({"joy": [1, 2]})
    assert from_votes(table, counts="joy").label_names == ["joy"]
    assert from_votes(table, annotators="joy").annotators == ["joy"]
    assert from_votes(pd.DataFrame([[1], [2]]), counts=0).label_names == ["0"]
    with pytest.raises(TableError, match="no vote column 'fear'"):
        from_votes(table, counts="fear")


@pytest.mark.parametrize(
    "option",
    [
        {"item": "id"},
        {"annotator": "x"},
        {"label": "x"},
        {"annotators": ["x"]},
        {"counts": range(2)},
        {"separator": ";"},
        {"drop_copies": True},
    ],
    ids=str,
)
def test_arrays_refuse_options_of_tables(option):
    with pytest.raises(ValueError, match=f"{next(iter(option))} has no meaning"):
        from_votes([[1, 2]], **option)


@pytest.mark.parametrize(
    "columns",
    [
        {"item": "id", "label": "id"},
        {"item": "id", "annotator": "who", "label": "who"},
        {"item": "id", "annotators": ["id", "who"]},
        {"counts": ["id", "id"]},
    ],
    ids=str,
)
def test_one_column_for_two_roles_raises(columns):
    with pytest.raises(ValueError, match=r"Column '(id|who)' is named as"):
        from_votes(long(), **columns)


def test_duplicate_columns_and_lists_of_labels_raise():
    table = pd.DataFrame([["a", "x", "y"]], columns=["id", "label", "label"])
    with pytest.raises(TableError, match="duplicate columns: label"):
        from_votes(table, item="id", label="label")
    for votes in (["joy", "fear"], [["joy"], ["fear"]], [{"id": 1}], [[1, 2], [1]]):
        with pytest.raises(TableError, match="Counts must be numbers"):
            from_votes(votes)


def test_numbers_and_their_texts_are_one_name():
    table = pd.DataFrame(
        {"id": [3, "3", 3.0, "4"], "who": [1, 2, "2.0", "1"], "emotion": [5, "5", 6, 5.0]},
        dtype=object,
    )
    found = from_votes(table, **LONG_COLUMNS)
    assert (found.items, found.annotators, found.label_names) == ([3, "4"], [1, 2], ["5", "6"])
    assert_array_equal(found.counts, [[2, 1], [1, 0]])
    repeated = pd.DataFrame({"id": [3, "3"], "joy": [1, 1]}, dtype=object)
    with pytest.raises(TableError, match="several rows"):
        from_votes(repeated, item="id", counts=["joy"])


def test_copies_of_votes_are_dropped():
    table = long()
    copies = pd.concat([table, table[:2], table[:1]])
    expected = from_votes(table, **LONG_COLUMNS)
    found = from_votes(copies, **LONG_COLUMNS, drop_copies=True)
    assert_array_equal(found.counts, expected.counts)
    assert_array_equal(found.votes, expected.votes)
    assert agreement(found, random_state=0).alpha == agreement(expected, random_state=0).alpha
    with pytest.warns(LabelWarning, match=r"3 vote\(s\) are repeated.*drop_copies=True"):
        counted = from_votes(copies, **LONG_COLUMNS)
    with pytest.raises(TableError, match="drop_copies=True"):
        agreement(counted)
    with pytest.raises(TableError, match="only if the annotators are known"):
        from_votes(copies, item="id", label="emotion", drop_copies=True)


def test_repr_has_grammatical_numbers():
    assert repr(from_votes([[1, 0]])) == "VoteDistributions(1 item, 2 labels, 1 vote)"
    assert repr(from_votes([[2], [1]])) == "VoteDistributions(2 items, 1 label, 3 votes)"


def test_different_labels_of_an_annotator_are_not_copies():
    table = long(who="ann")
    found = from_votes(table, **LONG_COLUMNS, drop_copies=True)
    assert_array_equal(found.counts, [[1, 1], [1, 1], [1, 0]])
    with pytest.raises(TableError, match=r"Keep at most one vote per annotator and item\.$"):
        agreement(found)


def test_polars_without_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow.*\[tables\]"):
        from_votes(pl.DataFrame(LONG), **LONG_COLUMNS)


def test_repeated_items_and_names_raise():
    result = from_votes(long(emotion="votes"), item="id", label="emotion")
    with pytest.raises(TableError, match="'votes'"):
        result.to_frame()
    with pytest.raises(TableError, match="'id' names 'dog'"):
        from_votes(pd.DataFrame({**COUNTS, "id": ["dog", "cat", "dog"]}), **COUNTS_COLUMNS)


@pytest.mark.parametrize(
    ("votes", "options", "error", "fact"),
    [
        ([[1, 2], [-3, 1]], {}, TableError, "row 2, column 0"),
        (np.empty((0, 2)), {}, TableError, r"\(0, 2\)"),
        (pd.DataFrame({"ann": [None]}), {"annotators": ["ann"]}, TableError, "no votes"),
        (long(), {"label": "emotion"}, ValueError, "item=.*counts="),
        ([[1, 2]], {"label_names": ["a"]}, ValueError, "2 columns"),
        ([[1, 2]], {"smoothing": -1}, ValueError, "smoothing .* -1"),
        ([[1, 2]], {"prior": [0.5, 0.5]}, ValueError, "smoothing"),
        ([[1, 2]], {"prior": [1, 2, 3], "smoothing": 1}, ValueError, "2 labels"),
        ([[1, 2]], {"prior": [1, -1], "smoothing": 1}, NotADistributionError, "prior"),
    ],
)
def test_invalid_options_raise(votes, options, error, fact):
    with pytest.raises(error, match=fact):
        from_votes(votes, **options)


def test_counts_and_single_votes_are_kept():
    result = from_votes(pd.DataFrame(LONG), **LONG_COLUMNS, smoothing=1)
    assert_array_equal(result.counts, [[1, 2], [1, 1], [1, 0]])
    assert result.annotators == ["ann", "bob", "cem"]
    expected = [[0, 0, 1], [0, 1, 0], [1, 0, 1], [0, 2, 1], [1, 1, 0], [2, 0, 0]]
    assert result.votes.tolist() == expected
    assert (result.smoothing, result.prior.tolist()) == (1, [0.5, 0.5])
    counted = from_votes(pd.DataFrame(COUNTS), **COUNTS_COLUMNS)
    assert_array_equal(counted.counts, result.counts)
    assert (counted.annotators, counted.votes) == ([], None)
    assert (counted.smoothing, counted.prior) == (0, None)


@any_make
def test_each_label_that_an_annotator_names_is_a_vote(make):
    wide = {"id": ["dog", "cat"], "ann": ["joy; fear", "calm"], "bob": ["joy;", None]}
    long = {
        "id": ["dog", "cat", "dog"],
        "who": ["ann", "ann", "bob"],
        "emotion": ["joy; fear", "calm", "joy;"],
    }
    for table, columns in (
        (wide, {"item": "id", "annotators": ["ann", "bob"]}),
        (long, LONG_COLUMNS),
    ):
        result = from_votes(make(table), **columns, separator=";")
        assert result.label_names == ["calm", "fear", "joy"]
        assert_array_equal(result.counts, [[0, 1, 2], [1, 0, 0]])
        votes = np.sort(result.votes, axis=0)
        assert_array_equal(votes, [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 1, 2]])
    with pytest.raises(TableError, match="'fear' is not among"):
        from_votes(make(long), **LONG_COLUMNS, separator=";", label_names=["joy", "calm"])


def test_weights_of_a_series_belong_to_the_labels_of_its_index():
    weights = pd.Series({"joy": 0.7, "fear": 0.2, "calm": 0.1})
    counts = pd.DataFrame({"calm": [1, 0], "joy": [0, 2], "fear": [1, 1]})
    result = from_votes(counts, counts=counts.columns, smoothing=1, prior=weights)
    assert result.label_names == ["calm", "joy", "fear"]
    assert_allclose(result.prior, [0.1, 0.7, 0.2])
    with pytest.raises(ValueError, match="prior is not finite"):
        from_votes(counts, counts=list(counts), smoothing=1, prior=weights.reset_index(drop=True))


def test_ordered_categories_are_the_labels_in_their_order():
    sizes = pd.CategoricalDtype(["small", "medium", "large", "huge"], ordered=True)
    long = pd.DataFrame(
        {"id": ["dog", "dog", "cat"], "size": pd.Series(["large", "small", "large"], dtype=sizes)}
    )
    result = from_votes(long, item="id", label="size", separator=";")
    assert result.label_names == list(sizes.categories)
    assert_array_equal(result.counts, [[1, 0, 1, 0], [0, 0, 1, 0]])
    wide = pd.DataFrame({"ann": ["large", None], "bob": ["small", "large"]}).astype(sizes)
    assert_array_equal(from_votes(wide, annotators=["ann", "bob"]).counts, result.counts)


def test_index_names_the_items_if_no_column_does():
    votes = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3], "label": list("aabbab")})
    counts = votes.groupby("item")["label"].value_counts().unstack(fill_value=0)
    items = pd.DataFrame({"item": [1, 2, 3], "x": [0.1, 0.2, 0.3]})
    merged = items.merge(from_votes(counts, counts=["a", "b"]).to_frame(), on="item")
    assert merged["a"].tolist() == [1.0, 0.0, 0.5]
    wide = pd.DataFrame({"ann": ["joy", "fear", "joy"], "bob": ["joy", "fear", "fear"]})
    wide = wide.iloc[[2, 0, 1]]
    joined = wide.join(from_votes(wide, annotators=["ann", "bob"]).to_frame())
    assert joined["joy"].tolist() == [0.5, 1.0, 0.0]


def test_names_of_columns_may_be_numbers():
    votes = pd.DataFrame([["dog", "ann", "joy"], ["dog", "bob", "fear"]])
    assert from_votes(votes, item=0, annotator=1, label=2).annotators == ["ann", "bob"]
    wide = from_votes(votes, annotators=votes.columns[1:])
    assert wide.label_names == ["ann", "bob", "fear", "joy"]
