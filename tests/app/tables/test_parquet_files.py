"""Parquet files."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from pandas.testing import assert_frame_equal

from labeldist.app.tables.read_and_write import read_table, write_table
from labeldist.exceptions import TableError


@pytest.fixture
def through(tmp_path):
    """Write an Arrow table, and read it."""

    def through(table):
        pa.parquet.write_table(table, tmp_path / "a.parquet")
        return read_table(tmp_path / "a.parquet")

    return through


ARROW = pa.table(
    {
        "word": ["a", None, "c"],
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "when": pa.array([1, None, 3], pa.timestamp("us", tz="UTC")),
        "number": [1.5, None, 2.0],
        "yes": [True, False, True],
    }
)


def test_arrow_types(through):
    found = through(ARROW)
    assert_frame_equal(found, ARROW.to_pandas(), check_dtype=False)
    assert str(found["kind"].dtype) == "category"


def test_integers_and_truth_values_with_gaps_are_exact(through):
    cells = {"id": [2**53 + 1, None], "on": [True, None]}
    assert through(pa.table(cells)).to_dict("list") == cells


@pytest.mark.parametrize(
    ("index", "columns"),
    [
        (pd.Index([7, 3]), ["x", "__index_level_0__"]),
        (pd.Index(["a", "b"], name="item"), ["x", "item"]),
    ],
)
def test_index_of_pandas_other_than_row_numbers_is_a_column(through, index, columns):
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=index)
    assert list(through(pa.Table.from_pandas(frame)).columns) == columns


def test_lists_and_records(through):
    record = {"a": 3, "b": {"c": "x"}}
    found = through(pa.table({"ok": [1], "pair": [[1.0, 2.0]], "record": [record]}))
    expected = {"ok": 1, "pair": [1.0, 2.0], "record.a": 3, "record.b.c": "x"}
    assert found.to_dict("records") == [expected]


def test_cells_of_several_types_raise(tmp_path):
    with pytest.raises(TableError, match="column a"):
        write_table(pd.DataFrame({"a": ["x", 0.5]}), tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())
