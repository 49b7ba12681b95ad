"""Tables of Arrow's formats as they come from pandas, polars and others."""

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from labeldist._tables.tables import read_table
from labeldist.exceptions import TableError
from tests.trust import attacks

SUFFIXES = {".parquet": attacks.parquet, ".feather": attacks.feather}


@pytest.fixture(params=SUFFIXES)
def through(request, tmp_path):
    """Write a table, and read it again."""

    def through(table, **options):
        path = tmp_path / f"a{request.param}"
        path.write_bytes(SUFFIXES[request.param](table, **options))
        return read_table(path)

    return through


TYPES = pa.table(
    {
        "word": ["a", None, "c"],
        "long": pa.array(["a", None, "c"], pa.large_string()),
        "raw": pa.array([b"a", None, b"c"]),
        "fixed": pa.array([b"ab", None, b"cd"], pa.binary(2)),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "when": pa.array([1, None, 3], pa.timestamp("us", tz="UTC")),
        "number": [1.5, None, 2.0],
        "whole": pa.array([1, 2, 3], pa.int8()),
        "yes": [True, False, True],
        "none": pa.nulls(3),
    }
)


def test_cells_of_all_types(through):
    found = through(TYPES)
    assert_frame_equal(found, TYPES.to_pandas(), check_dtype=False)
    assert str(found["kind"].dtype) == "category"
    assert str(found["word"].dtype) == str(found["long"].dtype) == str(pd.Series(["a"]).dtype)


def test_tables_in_parts(through):
    table = pa.concat_tables([TYPES.slice(0, 2), TYPES.slice(2)] * 2)
    assert_frame_equal(through(table), table.to_pandas(), check_dtype=False)


def test_columns_that_hold_nothing(through):
    table = pa.table({"a": pa.array([None, None], pa.string()), "b": [1, 2]})
    assert through(table)["a"].isna().all()


def test_an_index_without_a_name_only_counts_the_rows(through):
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=[7, 3])
    assert through(pa.Table.from_pandas(frame)).columns.tolist() == ["x"]


def test_several_indices_are_columns(through):
    index = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["song", "part"])
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=index)
    assert set(through(pa.Table.from_pandas(frame)).columns) == {"x", "song", "part"}


def test_periods_of_pandas_are_read(through):
    frame = pd.DataFrame({"when": pd.period_range("2024-01", periods=2, freq="M"), "x": [1.0, 2.0]})
    assert through(pa.Table.from_pandas(frame))["x"].tolist() == [1.0, 2.0]


def test_an_index_with_a_name_that_counts_the_rows_is_a_column(through):
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.RangeIndex(10, 4, -3, name="song"))
    assert_frame_equal(through(pa.Table.from_pandas(frame)), pd.DataFrame({"song": [10, 7], "x": [1.0, 2.0]}))


def test_whole_numbers_and_truth_values_stay_what_they_are_beside_empty_cells(through):
    table = pa.table({"id": pa.array([2**53 + 1, None], pa.int64()), "on": [True, None], "n": pa.array([1, 2])})
    found = through(table)
    assert found["id"].tolist() == [2**53 + 1, pd.NA]
    assert found["on"].tolist() == [True, pd.NA]
    assert found["n"].dtype == "int64"


def test_two_columns_of_one_name_are_refused(through):
    with pytest.raises(TableError, match="has more than one column a"):
        through(pa.table([[1.0, 2.0], [3.0, 4.0]], names=["a", "a"]))
