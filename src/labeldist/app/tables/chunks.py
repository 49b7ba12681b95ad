"""CSV and Parquet tables with cells of any kind, read and written in chunks."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist.app.tables.csv_files import HEADER, find_separator
from labeldist.app.tables.parquet_files import arrow_to_frame
from labeldist.app.tables.read_and_write import read_errors, reading
from labeldist.datasets import TableStream
from labeldist.utils import require, whole_file

if TYPE_CHECKING:
    import pandas as pd

CHUNK_ROWS = 5_000
HEADER_BYTES = 1_000_000  # of the start of a CSV file, with its header
# Formats of input and output. In others, the types of columns depend on all rows.
STREAMED = ((".csv", ".csv"), (".parquet", ".csv"), (".parquet", ".parquet"))


def can_stream(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> bool:
    """Return whether a file can be read, and another one written, in chunks.

    What `read_table` decides by all rows is not streamed: columns without a name, and decimal
    commas of CSV with semicolons.
    """
    formats = (Path(source).suffix.lower(), Path(target).suffix.lower())
    if formats not in STREAMED or find_spec("pyarrow") is None:
        return False
    with read_errors(source):
        if not Path(source).is_file():  # a pipe can be read once only
            return False
    with reading(source) as file:
        return _has_plain_columns(file) if formats[0] == ".parquet" else _has_plain_header(file)


def _has_plain_columns(file: BinaryIO) -> bool:
    """Return whether the columns of Parquet have unique names, and no records or lists."""
    is_nested = require("pyarrow", "tables").types.is_nested
    schema = _schema(file)
    is_unique = len(set(schema.names)) == len(schema.names)
    return is_unique and not any(is_nested(kind) for kind in schema.types)


def _has_plain_header(file: BinaryIO) -> bool:
    """Return whether CSV has rows, and columns with unique names, separated by commas."""
    start = file.read(HEADER_BYTES).decode("utf-8-sig", errors="ignore")
    header = next(HEADER.finditer(start))[0]
    try:
        names = next(csv.reader([header]), [])
    except csv.Error:  # a cell of more than 131,072 characters
        return False
    is_plain = all(names) and len(set(names)) == len(names) > 0
    has_rows = start[len(header) :].strip() != ""
    return is_plain and has_rows and find_separator(header) == ","


def read_chunks(source: str | os.PathLike[str]) -> Iterator[pd.DataFrame]:
    """Read tables of `CHUNK_ROWS` rows as `read_table` would; rows keep their numbers."""
    n_rows = 0
    for table in TableStream(source, chunk_rows=CHUNK_ROWS).tables():
        frame = arrow_to_frame(table)
        frame.index += n_rows
        n_rows += len(frame)
        yield frame


def write_chunks(
    target: str | os.PathLike[str],
    frames: Iterable[pd.DataFrame],
    source: str | os.PathLike[str],
    new: Sequence[str],
    *,
    overwrite: bool,
) -> None:
    """Write tables to one file, which appears only once it is complete.

    Columns of Parquet keep their types in `source`, except the `new` ones.
    """
    with whole_file(target, overwrite=overwrite) as file:
        if Path(target).suffix.lower() == ".csv":
            header = True
            for frame in frames:
                text = frame.to_csv(index=False, header=header, lineterminator="\n")
                file.write(text.encode())
                header = False
        else:
            _write_parquet(file, iter(frames), source, new)


def _write_parquet(
    file: Any, frames: Iterator[pd.DataFrame], source: str | os.PathLike[str], new: Sequence[str]
) -> None:
    arrow = require("pyarrow", "tables")
    first = next(frames)
    types = dict(zip(_schema(source).names, _schema(source).types, strict=True))
    types |= dict.fromkeys(new, arrow.float64())
    schema = arrow.schema([(name, types[name]) for name in first.columns])
    with require("pyarrow.parquet", "tables").ParquetWriter(file, schema) as writer:
        for frame in chain([first], frames):
            writer.write_table(arrow.Table.from_pandas(frame, schema, preserve_index=False))


def _schema(source: str | os.PathLike[str] | BinaryIO) -> Any:
    return require("pyarrow.parquet", "tables").read_schema(source)
