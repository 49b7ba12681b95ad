"""Tables that do not fit in memory: read and written in chunks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._files import whole_file
from labeldist._tables.columns import UNNAMED_INDEX
from labeldist._tables.tables import check_unique, listed, reading
from labeldist._typing import Array
from labeldist.exceptions import DatasetNotFoundError, TableError


@dataclass(frozen=True)
class TableStream:
    r"""A file of features and label degrees that is read in chunks, each time it is iterated over.

    Iterating yields pairs of data frames, the features and the degrees.

    Parameters
    ----------
    path : path-like
        A Parquet or CSV file, or a folder of Parquet files.
    labels : sequence of str, default=()
        The columns of the degrees. Empty for a table to predict for.
    features : sequence of str, default=None
        The columns of the features; None is all others except a saved pandas index.
    chunk_rows : int, default=65536
        Rows per chunk; the last chunk of a file has fewer.

    See Also
    --------
    write_parquet : Write predictions in chunks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import TableStream
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "films.csv").write_text("length,year,good,bad\n1,2,3,1\n2,1,1,1\n3,5,1,3\n")
    ...     BDLDL().fit_stream(TableStream(Path(folder, "films.csv"), labels=["good", "bad"])).label_names_
    ['good', 'bad']
    """

    path: str | os.PathLike[str]
    labels: Sequence[str] = ()
    features: Sequence[str] | None = None
    chunk_rows: int = 65_536

    def __post_init__(self) -> None:
        if not isinstance(self.chunk_rows, Integral) or self.chunk_rows < 1:
            raise ValueError(f"chunk_rows must be an integer, at least 1; got {self.chunk_rows!r}.")
        names = [*self.labels, *(self.features or ())]
        if isinstance(self.labels, str) or isinstance(self.features, str) or len(set(names)) < len(names):
            raise ValueError(f"labels and features must be lists of different columns; got {names}, {self.labels!r}.")

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        if not self.labels:
            raise ValueError("labels=[...] is empty. Name the label columns, or call chunks_of_features() to predict.")
        names, labels = self.feature_names(), list(self.labels)
        for chunk in self._chunks([*names, *labels]):
            yield _to_frame(chunk, names), _to_frame(chunk, labels)

    def chunks_of_features(self) -> Iterator[Any]:
        """Iterate over the features alone, for prediction.

        Returns
        -------
        iterator of DataFrame
            The features of each chunk.
        """
        names = self.feature_names()
        for chunk in self._chunks(names):
            yield _to_frame(chunk, names)

    def feature_names(self) -> list[str]:
        """Determine the feature columns.

        Returns
        -------
        list of str
            `features`, or else all columns of the first file except the labels and a saved index.
        """
        if self.features is not None:
            return list(self.features)
        file = self._files()[0]
        types, index = _column_types(file)
        names = [name for name in types if name not in self.labels and name not in index]
        if not names:
            raise TableError(f"{file} has no feature column, only {listed(types)}.")
        return names

    def _files(self) -> list[Path]:
        path = Path(self.path)
        if not path.exists():
            raise DatasetNotFoundError(f"There is no file {path}.")
        # part.10 follows part.9, as for Dask.
        files = sorted(path.glob("*.parquet"), key=_numbers_and_texts) if path.is_dir() else [path]
        if not files or files[0].suffix.lower() not in (".parquet", ".csv"):
            raise TableError(f"{path} is not a .parquet or .csv file or a folder of .parquet files.")
        return files

    def _chunks(self, columns: list[str]) -> Iterator[Any]:
        """Read chunks on demand; reading ahead would fill the memory."""
        files = self._files()
        for file in files:  # Check all files before the first one is read.
            _check_columns(file, columns)
        for file in files:
            with reading(file), _open(file, columns, self.chunk_rows) as batches:
                yield from _regroup(batches, self.chunk_rows)


def _numbers_and_texts(path: Path) -> list[Any]:
    """Return the parts of a name, such as ["part.", 10, ".parquet"]."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path.name)]


def write_parquet(path: str | os.PathLike[str], chunks: Iterable[Array], names: Sequence[str]) -> int:
    """Write chunks of rows, such as predictions, to a Parquet file, which appears only once it is complete.

    Parameters
    ----------
    path : path-like
        The file to write.
    chunks : iterable of ndarray of shape (n_rows, n_columns)
        The rows.
    names : sequence of str
        The names of the columns.

    Returns
    -------
    int
        The number of rows.

    See Also
    --------
    TableStream : Read a table in chunks.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from labeldist.datasets import write_parquet
    >>> with TemporaryDirectory() as folder:
    ...     write_parquet(f"{folder}/degrees.parquet", [np.eye(2), np.eye(2)], ["good", "bad"])
    4
    """
    arrow, parquet = require("pyarrow", "tables"), require("pyarrow.parquet", "tables")
    schema = arrow.schema([(str(name), arrow.float64()) for name in names])
    written = 0
    with whole_file(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for chunk in chunks:
            rows = np.asarray(chunk)
            writer.write_table(arrow.table(list(rows.T), schema=schema))
            written += len(rows)
    return written


def _column_types(file: Path) -> tuple[dict[str, Any], set[str]]:
    """Return the types of a file's columns (None in CSV) and the names of those that are a pandas index."""
    with reading(file):
        if file.suffix.lower() == ".csv":
            with require("pyarrow.csv", "tables").open_csv(file) as reader:
                names = reader.schema.names
            types, index = [None] * len(names), set()
        else:
            schema = require("pyarrow.parquet", "tables").read_schema(file)
            names, types = schema.names, schema.types
            index = {name for name in (schema.pandas_metadata or {}).get("index_columns", ()) if isinstance(name, str)}
    index |= {name for name in names if UNNAMED_INDEX.fullmatch(name)}
    check_unique(names, str(file))
    return dict(zip(names, types, strict=True)), index


def _check_columns(file: Path, columns: Sequence[str]) -> None:
    """Raise an error if a file does not have all columns, or not as numbers."""
    types, present = require("pyarrow", "tables").types, _column_types(file)[0]
    missing = [name for name in columns if name not in present]
    if missing:
        raise TableError(f"{file} has no column {listed(missing)}. It has {listed(present)}.")
    is_numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    for name in columns:
        kind = present[name]
        if kind is not None and not any(is_kind(kind) for is_kind in is_numeric):
            raise TableError(f"Column {name} of {file} holds {kind}, not numbers. Name other columns in features.")


@contextmanager
def _open(file: Path, columns: list[str], rows: int) -> Iterator[Iterable[Any]]:
    """Open a file, and yield its batches of rows."""
    if file.suffix.lower() == ".csv":
        library = require("pyarrow.csv", "tables")
        # Without types, Arrow guesses them from the first block and fails on later ones.
        types = dict.fromkeys(columns, require("pyarrow", "tables").float64())
        options = library.ConvertOptions(include_columns=columns, column_types=types)
        with library.open_csv(file, convert_options=options) as reader:
            yield reader
    else:
        # pre_buffer would keep the whole file in memory.
        with require("pyarrow.parquet", "tables").ParquetFile(file, pre_buffer=False) as parquet:
            yield parquet.iter_batches(batch_size=rows, columns=columns)


def _regroup(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield tables of `rows` rows each, the last one shorter."""
    arrow = require("pyarrow", "tables")
    waiting: list[Any] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        while count >= rows:
            table = arrow.Table.from_batches(waiting)
            yield table.slice(0, rows)
            waiting, count = table.slice(rows).to_batches(), count - rows
    if count:
        yield arrow.Table.from_batches(waiting)


def _to_frame(table: Any, names: list[str]) -> Any:
    """Convert columns to one block of numbers; single precision is kept if all columns have it."""
    arrow, selected = require("pyarrow", "tables"), table.select(names)
    kind = arrow.float32() if set(selected.schema.types) == {arrow.float32()} else arrow.float64()
    return selected.cast(arrow.schema([(name, kind) for name in names]), safe=False).to_pandas()
