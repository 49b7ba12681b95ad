"""Parquet files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist.exceptions import TableError
from labeldist.utils import require

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(file: BinaryIO) -> pd.DataFrame:
    """Read Parquet."""
    library = require("pyarrow.parquet", "tables")
    return arrow_to_frame(library.ParquetFile(file).read())


def write_parquet(frame: pd.DataFrame) -> bytes:
    """Encode a table as Parquet."""
    arrow = require("pyarrow", "tables")
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer, index=False)
    except arrow.ArrowException as error:
        raise TableError(f"Parquet cannot hold the table: {error}. Write CSV or JSON.") from None
    return buffer.getvalue()


def arrow_to_frame(table: Any) -> pd.DataFrame:
    """Convert a table of Arrow; records become columns, lists stay lists, an index is a column."""
    types = require("pyarrow", "tables").types
    while any(types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    # As floats, large integers would lose digits.
    frame = table.to_pandas(ignore_metadata=True, integer_object_nulls=True)
    for field in table.schema:
        if types.is_nested(field.type):
            frame[field.name] = table[field.name].to_pylist()
    return frame
