"""Tables of Parquet and Feather files, whose sizes are known before they are unpacked.

Both formats can say in a few bytes what takes terabytes in memory: runs of one value, long texts that many cells refer
to, packed columns. Feather files are not checked when they are read, either, and what is wrong in them would end the
process when it is used.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from labeldist._extras import require
from labeldist._tables.arrow_messages import MAGIC, unpacked_size
from labeldist._unpacking import CELL, check_size, room_for
from labeldist.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

UNNAMED_INDEX = re.compile(r"__index_level_\d+__")
"""How pandas calls an index without a name: it only counts the rows."""


def read_parquet(name: str, file: BinaryIO) -> pd.DataFrame:
    """Read a Parquet file."""
    parquet = require("pyarrow.parquet", "tables")
    room = room_for(os.fstat(file.fileno()).st_size)
    with _named_errors(name, "parquet"):
        closed = parquet.ParquetFile(file)
        schema = closed.schema_arrow
        _refuse_nested(name, schema)
        check_size(_declared_size(closed.metadata, schema), room)
        # Texts that repeat are read as references to one copy, so that it is known what they come to before they do;
        # one column after the other, so that the pages of one at a time are unpacked.
        table = parquet.ParquetFile(file, read_dictionary=_texts(schema)).read(use_threads=False)
        return _frame(table, schema, room)


def read_feather(name: str, file: BinaryIO) -> pd.DataFrame:
    """Read a Feather file of version 2, which is a file of Arrow's messages."""
    arrow, ipc = require("pyarrow", "tables"), require("pyarrow.ipc", "tables")
    content = file.read()
    if not (content.startswith(MAGIC) and content.endswith(MAGIC)):
        raise TableError(
            f"{name} cannot be read as a feather file: it is cut off, of version 1, or something else. Write it again "
            "with pandas.DataFrame.to_feather or pyarrow.feather.write_feather."
        )
    room = room_for(len(content))
    with _named_errors(name, "feather"):
        check_size(unpacked_size(arrow.py_buffer(content)), room)
        reader = ipc.open_file(arrow.py_buffer(content))
        _refuse_nested(name, reader.schema)
        table = reader.read_all()
        return _frame(table, table.schema, room)


def arrow_bytes(frame: pd.DataFrame, module: str, function: str) -> bytes:
    """Return a table as a Parquet or Feather file."""
    table = require("pyarrow", "tables").Table.from_pandas(frame, preserve_index=False)
    buffer = io.BytesIO()
    getattr(require(f"pyarrow.{module}", "tables"), function)(table, buffer)
    return buffer.getvalue()


@contextmanager
def _named_errors(name: str, kind: str) -> Iterator[None]:
    try:
        yield
    except TableError:
        raise
    except Exception as error:  # what a damaged file raises depends on where the damage is
        raise TableError(f"{name} cannot be read as a {kind} file: {error}") from error


def _refuse_nested(name: str, schema: Any) -> None:
    """Refuse columns of lists and records: a cell of them may hold any number of values, in a few bytes of a file."""
    types = require("pyarrow", "tables").types
    for field in schema:
        kind = _storage(field.type)
        if types.is_nested(kind) or types.is_run_end_encoded(kind):
            raise TableError(
                f"Column {field.name} of {name} holds {kind}: a table has one value a cell. Give each of the values a "
                "column of its own, or leave the column out."
            )


def _storage(kind: Any) -> Any:
    """Return the type that a type with a name of its own, such as a period of pandas, is stored as."""
    return getattr(kind, "storage_type", kind)


def _texts(schema: Any) -> list[str]:
    types = require("pyarrow", "tables").types
    kinds = (types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary)
    return [field.name for field in schema if any(is_kind(_storage(field.type)) for is_kind in kinds)]


def _declared_size(metadata: Any, schema: Any) -> int:
    """Return how many bytes the columns of a Parquet file take, by its own word; its texts may take more."""
    row = sum(max(CELL, _width(_storage(field.type))) for field in schema)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(max(row * group.num_rows, group.total_byte_size) for group in groups)


def _width(kind: Any) -> int:
    try:
        return int(kind.byte_width)
    except ValueError:  # it differs from cell to cell
        return 0


def _frame(table: Any, schema: Any, room: int) -> pd.DataFrame:
    """Return a table, in which texts may be references, as a data frame with the columns of `schema`."""
    arrow = require("pyarrow", "tables")
    table.validate()  # that all buffers are there; where they lead takes as long to check as all texts are
    # Columns of references become categories, which refer to one copy in memory, too.
    texts = [not arrow.types.is_dictionary(field.type) for field in schema]
    check_size(sum(_text_bytes(part) for k in np.flatnonzero(texts) for part in table.column(int(k)).chunks), room)
    table.validate(full=True)
    columns = _counted_rows(schema, len(table)) + [
        (name, _long(column) if text and arrow.types.is_dictionary(column.type) else column)
        for name, column, text in zip(table.column_names, table.columns, texts, strict=True)
        if not UNNAMED_INDEX.fullmatch(name)
    ]
    names, values = [name for name, _ in columns], [column for _, column in columns]
    frame = arrow.table(values, names=names).to_pandas(ignore_metadata=True)
    nullable = _nullable()
    for k, column in enumerate(values):
        if column.null_count and column.type in nullable:  # as floats they would lose digits
            frame.isetitem(k, column.to_pandas(types_mapper=nullable.get))
    return frame


def _counted_rows(schema: Any, rows: int) -> list[tuple[str, Any]]:
    """Return the index with a name that only counts the rows, as a column: pandas keeps no column for it."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, OverflowError):  # whatever else pandas has noted
        (index,) = schema.pandas_metadata["index_columns"]
        if index["kind"] == "range" and isinstance(index["name"], str):
            numbers = np.int64(index["start"]) + np.int64(index["step"]) * np.arange(rows)
            return [(index["name"], require("pyarrow", "tables").chunked_array([numbers]))]
    return []


def _nullable() -> dict[Any, Any]:
    """Return the types of pandas for whole numbers and truth values among which there are empty cells."""
    arrow, pandas = require("pyarrow", "tables"), require("pandas", "app")
    names = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
    whole = {getattr(arrow, name.lower())(): pandas.api.types.pandas_dtype(name) for name in names}
    return {**whole, arrow.bool_(): pandas.BooleanDtype()}


def _long(column: Any) -> Any:
    """Return references to texts, or bytes, as themselves, which may be more than two gigabytes in all."""
    arrow = require("pyarrow", "tables")
    text = arrow.types.is_string(column.type.value_type)
    return column.cast(arrow.large_string() if text else arrow.large_binary())


def _text_bytes(array: Any) -> int:
    """Return how many bytes texts come to that an array only refers to."""
    arrow, compute = require("pyarrow", "tables"), require("pyarrow.compute", "tables")
    kind = array.type
    if arrow.types.is_dictionary(kind) and array.null_count < len(array):
        return int(compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0)
    if kind in (arrow.string_view(), arrow.binary_view()):
        lengths = np.frombuffer(array.buffers()[1], dtype="<i4")[::4]
        lengths = lengths[array.offset : array.offset + len(array)].astype(np.int64)
        return int(lengths[array.is_valid().to_numpy(zero_copy_only=False)].sum())
    return 0
