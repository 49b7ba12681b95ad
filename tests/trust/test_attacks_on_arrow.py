"""Parquet and Feather files that were made to fill the memory, to end the process or to run something."""

import io
import json
import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from labeldist import _unpacking as unpacking
from labeldist._tables.tables import read_table
from labeldist.datasets import TableStream
from tests.trust import attacks
from tests.trust.attacks import MEGABYTE, Touch

TOO_LARGE = "unpacks to more than the 4,294,967,296 bytes"
LONG = "x" * MEGABYTE
ONE_TEXT = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10_000, dtype=np.int32)), pa.array([LONG]))
"""Ten gigabytes of text, of which there is one copy."""


def stream(path):
    return list(TableStream(path).chunks_of_features())


def test_parquet_with_a_text_that_ten_thousand_cells_refer_to(refuses):
    table = pa.table({"a": ONE_TEXT})
    content = attacks.parquet(table, store_schema=False, dictionary_pagesize_limit=4 * MEGABYTE)
    assert len(content) < MEGABYTE
    refuses(read_table, "a.parquet", content, TOO_LARGE)


def test_parquet_of_more_rows_than_there_is_room_for(refuses, monkeypatch):
    monkeypatch.setattr(unpacking, "LARGEST", 64 * MEGABYTE)
    content = attacks.parquet(pa.table(dict.fromkeys("abcdefghij", pa.nulls(MEGABYTE))))
    assert len(content) < 100_000
    refuses(read_table, "a.parquet", content, "unpacks to more than the 67,108,864 bytes", room=64 * MEGABYTE)


def test_parquet_of_wide_cells(refuses, monkeypatch):
    """Eight cells, each of a megabyte."""
    wide = pa.array([b"x" * MEGABYTE], pa.binary(MEGABYTE))
    dictionary = pa.DictionaryArray.from_arrays(pa.array(np.zeros(8, dtype=np.int32)), wide)
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table({"a": dictionary.cast(pa.binary(MEGABYTE))}), buffer, compression="gzip")
    assert len(buffer.getvalue()) < MEGABYTE
    monkeypatch.setattr(unpacking, "LARGEST", 4 * MEGABYTE)
    refuses(read_table, "a.parquet", buffer.getvalue(), "unpacks to more than")


def test_lists_and_records_are_refused_before_they_are_read(refuses):
    for cells in ([[1.0], []], [{"a": 1}, None]):
        table = pa.table({"ok": [1, 2], "l": pa.array(cells)})
        for name, content in (("a.parquet", attacks.parquet(table)), ("a.feather", attacks.feather(table))):
            refuses(read_table, name, content, r"Column l of .* holds (list|struct)<.*a table has one value a cell")


def test_feather_of_nothing_in_a_billion_rows(refuses):
    batch = pa.record_batch({"a": pa.nulls(2**30)})
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, batch.schema) as writer:
        writer.write_batch(batch)
    assert len(buffer.getvalue()) < 1000
    refuses(read_table, "a.feather", buffer.getvalue(), TOO_LARGE)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_feather_that_expands_enormously(refuses, monkeypatch, compression):
    monkeypatch.setattr(unpacking, "LARGEST", 10 * MEGABYTE)
    content = attacks.feather(pa.table({"a": np.zeros(2 * MEGABYTE)}), compression=compression)
    assert len(content) < MEGABYTE
    refuses(read_table, "a.feather", content, "unpacks to more than the 10,485,760 bytes", room=64 * MEGABYTE)


def test_feather_with_buffers_that_say_that_they_are_enormous(refuses):
    content = bytearray(attacks.feather(pa.table({"a": np.arange(1000.0)}), compression="lz4"))
    at = content.index((8000).to_bytes(8, "little"))
    for size in (2**40, 2**62, 2**63 + 1):
        content[at : at + 8] = size.to_bytes(8, "little")
        refuses(read_table, "a.feather", bytes(content), "cannot be read as a feather file")


def test_feather_with_views_of_one_text(refuses):
    """Ten gigabytes of text, of which there is one copy; to look at all of them would take long."""
    table = pa.table({"a": attacks.views_of_one_text(MEGABYTE, 10_000)})
    refuses(read_table, "a.feather", attacks.feather(table, compression="uncompressed"), TOO_LARGE)


def test_feather_whose_texts_lead_out_of_it(refuses):
    """Arrow does not look where offsets lead when it reads them, and crashes when it follows them."""
    table = pa.table({"a": ["one", "two", "three"]})
    content = attacks.feather(table, compression="uncompressed")
    offsets = np.array([0, 3, 6, 11], dtype="<i4").tobytes()
    assert content.count(offsets) == 1
    for wrong in ([0, 3, 6, 2**30], [0, 2**30, 6, 11], [-5, 3, 6, 11], [11, 6, 3, 0]):
        spoiled = content.replace(offsets, np.array(wrong, dtype="<i4").tobytes())
        refuses(read_table, "a.feather", spoiled, "cannot be read as a feather file")


def test_feather_of_version_1_and_cut_files(refuses):
    refuses(read_table, "a.feather", b"FEA1 and so on FEA1", "of version 1, .*Write it again")
    whole = attacks.feather(pa.table({"a": [1.0, 2.0]}))
    for length in range(0, len(whole) - 1, 7):
        refuses(read_table, "a.feather", whole[:length], "cannot be read as a feather file")


@pytest.mark.filterwarnings("ignore:pickle-based deserialization", "ignore:pyarrow.PyExtensionType")  # older Arrow
def test_a_column_type_of_python_that_would_be_unpickled(refuses, tmp_path):
    """An old way of Arrow's to keep types: their class, pickled."""
    trace = tmp_path / "trace"
    notes = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": pickle.dumps(Touch(trace))}
    table = pa.table([pa.array([1.0])], schema=pa.schema([pa.field("a", pa.float64(), metadata=notes)]))
    for name, content in (("a.parquet", attacks.parquet(table)), ("a.feather", attacks.feather(table))):
        (tmp_path / name).write_bytes(content)
        try:
            assert read_table(tmp_path / name)["a"].tolist() == [1.0]
        finally:
            assert not trace.exists()


@pytest.mark.parametrize("notes", [b"{", b"\xff", b'{"columns": 7}', json.dumps({"index_columns": [[]]}).encode()])
def test_what_pandas_has_noted_is_not_needed(tmp_path, notes):
    table = pa.table({"a": [1.0, 2.0]}).replace_schema_metadata({b"pandas": notes})
    for name, content in (("a.parquet", attacks.parquet(table)), ("a.feather", attacks.feather(table))):
        (tmp_path / name).write_bytes(content)
        assert read_table(tmp_path / name)["a"].tolist() == [1.0, 2.0]


def test_a_stream_whose_notes_are_damaged(refuses):
    table = pa.table({"a": [1.0, 2.0]}).replace_schema_metadata({b"pandas": b"{"})
    refuses(stream, "a.parquet", attacks.parquet(table), r"a\.parquet cannot be read")


def test_files_of_polars_are_read(tmp_path):
    """Its texts are views, and its streams end in its own way."""
    frame = pl.DataFrame({"word": ["a", None, "c" * 40], "x": [1.5, None, 2.0]})
    frame.write_ipc(tmp_path / "a.feather")
    frame.write_parquet(tmp_path / "a.parquet")
    for name in ("a.feather", "a.parquet"):
        table = read_table(tmp_path / name)
        assert table["word"].fillna("-").tolist() == ["a", "-", "c" * 40]
        assert table["x"].fillna(0).tolist() == [1.5, 0, 2.0]
