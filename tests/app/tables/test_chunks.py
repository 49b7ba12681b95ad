import errno
import os
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from labeldist.app.tables import chunks
from labeldist.app.tables.chunks import can_stream, read_chunks, write_chunks
from labeldist.app.tables.read_and_write import read_table
from labeldist.exceptions import TableError


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 4)


@pytest.fixture
def frame(rng):
    words = ["a", "b, c", 'd "e"', "", "007", "ü"]
    return pd.DataFrame(
        {"x": rng.normal(size=11), "word": rng.choice(words, size=11), "n": range(11)}
    )


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_chunks_joined_are_the_whole_table(frame, suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False, encoding="utf-8-sig")
    else:
        frame.to_parquet(path)
    found = list(read_chunks(path))
    assert max(map(len, found)) <= 4
    assert_frame_equal(pd.concat(found), read_table(path), check_index_type=False)


@pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
def test_written_chunks_are_the_whole_table(frame, target, tmp_path):
    frame["gap"] = [None] * 10 + ["late"]  # the first chunk does not show its type
    source = tmp_path / "in.parquet"
    frame.to_parquet(source)
    parts = [part.assign(new=part["x"] + 1) for part in read_chunks(source)]
    write_chunks(tmp_path / target, parts, source, ["new"], overwrite=False)
    whole = tmp_path / f"whole_{target}"
    expected = frame.assign(new=frame["x"] + 1)
    if target.endswith(".csv"):
        expected.to_csv(whole, index=False)
    else:
        expected.to_parquet(whole)
    assert_frame_equal(read_table(tmp_path / target), read_table(whole))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", True),
        ('"a;b;c;d",b\n1,2\n', True),
        ("a,b\n", False),
        ("a;b\n1;2\n", False),
        ("a\tb\n1\t2\n", False),
        ("sep=,\na,b\n1,2\n", False),
        ("a,,b\n1,2,3\n", False),
        ("a,a\n1,2\n", False),
        ("", False),
    ],
)
def test_tables_whose_columns_depend_on_all_rows_are_not_streamed(tmp_path, content, expected):
    path = tmp_path / "table.csv"
    path.write_text(content)
    assert can_stream(path, tmp_path / "out.csv") is expected


def test_formats_that_are_not_streamed(frame, tmp_path):
    csv, parquet = tmp_path / "table.csv", tmp_path / "table.parquet"
    frame.to_csv(csv, index=False)
    frame.to_parquet(parquet)
    assert can_stream(parquet, "out.parquet")
    assert can_stream(parquet, "out.csv")
    assert not can_stream(csv, "out.parquet")  # types depend on all rows
    assert not can_stream(csv, "-")
    assert not can_stream(tmp_path / "missing.csv", "out.csv")
    pd.DataFrame({"list": [[1], [2]]}).to_parquet(parquet)
    assert not can_stream(parquet, "out.csv")


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"a,b\n1,\xe4\n", r"UTF8.*Save it as CSV \(UTF-8\)"),
        (b"a,b\n1,2\n3\n", r"Row #3: Expected 2 columns, got 1"),
    ],
)
def test_errors_in_csv_are_named(tmp_path, content, fact):
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=f"in\\.csv cannot be read: .*{fact}"):
        list(read_chunks(path))


def test_csv_is_not_streamed_without_arrow(frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "in.csv", index=False)
    monkeypatch.setattr(chunks, "find_spec", lambda _: None)
    assert not can_stream(tmp_path / "in.csv", "out.csv")


def test_an_error_leaves_no_file(frame, tmp_path):
    def broken():
        yield frame
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write_chunks(tmp_path / "out.csv", broken(), "in.csv", [], overwrite=False)
    assert not (tmp_path / "out.csv").exists()
    assert not list(tmp_path.iterdir())


def test_table_with_two_columns_of_one_name_is_not_streamed(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], ["x", "x"]), path)
    assert not can_stream(path, "out.csv")
    with pytest.raises(TableError, match="duplicate columns: x"):
        read_table(path)


@pytest.mark.parametrize("kept", [0, 100])
def test_damaged_parquet_is_named(frame, tmp_path, kept):
    path = tmp_path / "in.parquet"
    frame.to_parquet(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(TableError, match=r"in\.parquet cannot be read"):
        can_stream(path, "out.csv")


def test_unreadable_file_is_named(frame, tmp_path, monkeypatch):
    path = tmp_path / "in.csv"
    frame.to_csv(path)

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(TableError, match=r"in\.csv cannot be read: Permission denied\.$"):
        can_stream(path, "out.csv")


def test_header_cell_of_any_length_is_read(tmp_path):
    path = tmp_path / "in.csv"
    name = "x" * 200_000
    path.write_text(f"{name},y\n1,2\n")
    assert not can_stream(path, "out.csv")
    assert list(read_table(path).columns) == [name, "y"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_pipe_is_not_opened_twice(tmp_path):
    os.mkfifo(tmp_path / "in.csv")
    assert not can_stream(tmp_path / "in.csv", "out.csv")
