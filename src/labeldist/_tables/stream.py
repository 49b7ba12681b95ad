"""Tables too large for memory, read and written a chunk at a time."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._files import output_errors, whole_file
from labeldist._tables.arrow import UNNAMED_INDEX
from labeldist._typing import Array
from labeldist._unpacking import check_columns
from labeldist.exceptions import DatasetError, DatasetNotFoundError

CHUNK_ROWS = 65_536
"""Rows of a chunk: tens of megabytes for a hundred columns."""

FORMATS = (".parquet", ".csv")
LONGEST_HEADER = 2**20
"""Bytes of a line; Arrow reads so many at a time, and the names of columns must be among the first."""

CSV_CELL = re.compile(r"In CSV column #(\d+): .*invalid value ('.*')", re.DOTALL)
INSTEAD_OF_WORDS = "Name the columns that are numbers in features=[...], or encode it as numbers first."


@dataclass(frozen=True)
class TableStream:
    r"""A file of features and label degrees, read in chunks as often as one iterates over it.

    Parameters
    ----------
    path : path-like
        A Parquet or CSV file, or a folder of Parquet files.
    labels : sequence of str
        The columns that hold the degrees, in the order of the labels. Empty for a table to predict for.
    features : sequence of str or None, default=None
        The columns that hold the features; None is all others but an index that pandas has saved.
    chunk_rows : int
        Rows of a chunk; the last one of a file has fewer.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import TableStream
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "films.csv"
    >>> _ = path.write_text("length,year,good,bad\n1,2,3,1\n2,1,1,1\n3,5,1,3\n")
    >>> model = BDLDL().fit_stream(TableStream(path, labels=["good", "bad"]))
    >>> model.label_names_
    ['good', 'bad']
    >>> folder.cleanup()
    """

    path: str | os.PathLike[str]
    labels: Sequence[str] = ()
    features: Sequence[str] | None = None
    chunk_rows: int = CHUNK_ROWS

    def __post_init__(self) -> None:
        if not isinstance(self.chunk_rows, Integral) or self.chunk_rows < 1:
            raise ValueError(f"chunk_rows must be a whole number, at least 1; got {self.chunk_rows!r}.")
        for what, names in (("labels", self.labels), ("features", self.features)):
            if isinstance(names, str):
                hint = f"Did you mean [{names!r}]?"
                raise ValueError(f"{what} must be a list of columns; got the string {names!r}. {hint}")  # noqa: TRY004  # as for a wrong list
            if names is not None:
                object.__setattr__(self, what, tuple(names))
                if len(set(names)) < len(names):
                    raise ValueError(f"{what} must name a column once; got {list(names)}.")
        if self.features == ():
            raise ValueError("features is empty. Name some columns, or leave it None for all but the labels.")
        both = [name for name in self.features or () if name in self.labels]
        if both:
            raise ValueError(
                f"{_listed(both)} is among both labels and features, so that the answer would be given away. "
                "Leave it out of one of them."
            )

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield features and degrees of each chunk, as data frames if pandas is there, so that names are kept."""
        names = self.feature_names()
        if not self.labels:
            raise ValueError(
                f"Which columns of {self.path} are the degrees? Name them in labels=[...]; to predict, use "
                "chunks_of_features()."
            )
        for batch in self._batches([*names, *self.labels]):
            yield _table(batch, names), _table(batch, list(self.labels))

    def chunks_of_features(self) -> Iterator[Any]:
        """Yield the features of each chunk, for prediction."""
        names = self.feature_names()
        for batch in self._batches(names):
            yield _table(batch, names)

    def feature_names(self) -> list[str]:
        """Return the columns that hold the features."""
        first = self._files()[0]
        present, index = _columns(first)
        _check_columns(first, present, [*self.labels, *(self.features or ())])
        if self.features is not None:
            return list(self.features)
        names = [name for name in present if name not in self.labels and name not in index]
        if not names:
            raise DatasetError(f"{first} has no column for features: all of {_listed(present)} are labels or an index.")
        return names

    def _files(self) -> list[Path]:
        path = Path(self.path)
        if not path.exists():
            raise DatasetNotFoundError(f"There is no file {path}.")
        files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        if not files or files[0].suffix.lower() not in FORMATS:
            raise DatasetError(f"{path} is no {' or '.join(FORMATS)} file, nor a folder of .parquet files.")
        return files

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield chunks when they are asked for, none ahead: a reader that runs ahead fills the memory."""
        files = self._files()
        for file in files:  # a mistake in the last file is said before the first is read
            _check_columns(file, _columns(file)[0], columns)
        for file in files:
            read = _read_csv if _is_csv(file) else _read_parquet
            yield from _regrouped(read(file, columns, self.chunk_rows), self.chunk_rows)


def write_parquet(path: str | os.PathLike[str], chunks: Iterable[Array], names: Sequence[str]) -> int:
    """Write rows that come in chunks, such as predictions, to a Parquet file; return how many.

    The file appears under its name when it is complete: an interruption leaves what was there before. Its folder is
    made if needed.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from labeldist.datasets import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet(Path(folder) / "degrees.parquet", [np.eye(2), np.eye(2)], ["good", "bad"])
    4
    """
    arrow = _import_arrow()
    schema = arrow.schema([(str(name), arrow.float64()) for name in names])
    written = 0
    with whole_file(path) as file:
        writer = arrow.parquet.ParquetWriter(file, schema)
        try:
            for chunk in chunks:  # whose own errors are not ours
                rows = np.asarray(chunk)
                table = arrow.table([arrow.array(column) for column in rows.T], schema=schema)
                with output_errors(path):
                    writer.write_table(table)
                written += len(rows)
            with output_errors(path):
                writer.close()
        finally:
            with suppress(OSError):  # of a disk that is still full
                writer.close()
    return written


def _is_csv(file: Path) -> bool:
    return file.suffix.lower() == ".csv"


def _columns(file: Path) -> tuple[dict[str, Any], set[str]]:
    """Return the types of a file's columns (None where each cell decides), and which of them are a pandas index."""
    arrow = _import_arrow()
    with _named_errors(file):
        if _is_csv(file):
            _check_header(file)
            with arrow.csv.open_csv(file) as reader:
                names, types, index = reader.schema.names, None, {""}  # pandas gives an index no name
        else:
            schema = arrow.parquet.read_schema(file)
            names, types = schema.names, schema.types
            index = {name for name in (schema.pandas_metadata or {}).get("index_columns", ()) if isinstance(name, str)}
            index |= {name for name in names if UNNAMED_INDEX.fullmatch(name)}
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise DatasetError(f"{file} has more than one column {_listed(repeated)}. Rename them.")
    return dict(zip(names, types or [None] * len(names), strict=True)), index


def _check_header(file: Path) -> None:
    """Refuse a CSV file of so many columns that Arrow would take gigabytes before it says how many they are."""
    with file.open("rb") as lines:
        check_columns(lines.readline(LONGEST_HEADER).count(b",") + 1)


def _check_columns(file: Path, present: dict[str, Any], needed: Sequence[str]) -> None:
    """Refuse a file that lacks a column, or has it as something else than numbers."""
    arrow = _import_arrow()
    missing = [name for name in needed if name not in present]
    if missing:
        raise DatasetError(f"{file} has no column {_listed(missing)}; it has {_listed(present)}.")
    kinds = (arrow.types.is_integer, arrow.types.is_floating, arrow.types.is_boolean, arrow.types.is_decimal)
    for name in needed:
        kind = present[name]
        if kind is not None and not any(is_kind(kind) for is_kind in kinds):
            raise DatasetError(f"Column {name} of {file} holds {kind}, not numbers. {INSTEAD_OF_WORDS}")


def _read_parquet(file: Path, columns: list[str], rows: int) -> Iterator[Any]:
    # pre_buffer would keep the whole file, in case that it is far away.
    with _named_errors(file), _import_arrow().parquet.ParquetFile(file, pre_buffer=False) as parquet:
        yield from parquet.iter_batches(batch_size=rows, columns=columns)


def _read_csv(file: Path, columns: list[str], _rows: int) -> Iterator[Any]:
    """Yield batches as long as Arrow's blocks of bytes happen to be."""
    arrow = _import_arrow()
    # Without types Arrow would guess them from the first block, and stumble over what comes later.
    types = dict.fromkeys(columns, arrow.float64())
    convert = arrow.csv.ConvertOptions(include_columns=columns, column_types=types)
    with _named_errors(file), arrow.csv.open_csv(file, convert_options=convert) as reader:
        yield from reader


def _regrouped(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield the rows of a file in batches of that many, the last one shorter."""
    arrow = _import_arrow()
    waiting: list[Any] = []
    count = 0
    for batch in batches:
        at = 0
        while count + batch.num_rows - at >= rows:
            waiting.append(batch.slice(at, rows - count))
            at += rows - count
            yield waiting[0] if len(waiting) == 1 else arrow.concat_batches(waiting)
            waiting, count = [], 0
        if at < batch.num_rows:
            waiting.append(batch.slice(at))
            count += batch.num_rows - at
    if waiting:
        yield arrow.concat_batches(waiting)


@contextmanager
def _named_errors(file: Path) -> Iterator[None]:
    """Say which file, and which column of a CSV file, could not be read."""
    try:
        yield
    except DatasetError:
        raise
    except Exception as error:  # what a damaged file raises depends on where the damage is
        text = str(error)
        if text == "Empty CSV file":
            raise DatasetError(f"{file} is empty: not even names of columns are in it.") from None
        cell = CSV_CELL.search(text)
        if cell:
            name = list(_columns(file)[0])[int(cell[1])]
            raise DatasetError(f"Column {name} of {file} holds {cell[2]}, not numbers. {INSTEAD_OF_WORDS}") from None
        raise DatasetError(f"{file} cannot be read: {text}") from error


def _table(batch: Any, names: list[str]) -> Any:
    """Return columns of a batch as one block of numbers, column after column as Arrow has them."""
    arrow = _import_arrow()
    types = [batch.schema.field(name).type for name in names]
    dtype = np.float32 if all(kind == arrow.float32() for kind in types) else np.float64
    block = np.empty((len(names), batch.num_rows), dtype=dtype)
    for row, name, kind in zip(block, names, types, strict=True):
        column = batch.column(name)
        column = column if arrow.types.is_floating(kind) else column.cast(arrow.float64(), safe=False)
        row[:] = column.to_numpy(zero_copy_only=False)
    try:
        import pandas as pd
    except ImportError:  # numbers without names
        return block.T
    return pd.DataFrame(block.T, columns=names, copy=False)


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def _import_arrow() -> Any:
    for part in ("csv", "parquet"):
        require(f"pyarrow.{part}", "tables")
    return require("pyarrow", "tables")
