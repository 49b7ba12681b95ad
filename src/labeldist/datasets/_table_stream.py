"""Tables that do not fit in memory, read in chunks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labeldist._extras import require
from labeldist._validation import check_unique
from labeldist.exceptions import TableError

# Names of a saved pandas index.
UNNAMED_INDEX = re.compile(r"|Unnamed: \d+(\.\d+)*|__index_level_\d+__")


@dataclass(frozen=True)
class TableStream:
    r"""A file of features and label degrees that is read in chunks.

    The file is read each time the stream is iterated over. Iterating yields pairs of data frames,
    the features and the degrees.

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
    labeldist.utils.whole_file : Write a file that appears only once it is complete.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import TableStream
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "films.csv")
    ...     _ = path.write_text("length,year,good,bad\n1,2,3,1\n2,1,1,1\n3,5,1,3\n")
    ...     BDLDL().fit_stream(TableStream(path, labels=["good", "bad"])).label_names_
    ['good', 'bad']
    """

    path: str | os.PathLike[str]
    labels: Sequence[str] = ()
    features: Sequence[str] | None = None
    chunk_rows: int = 65_536

    def __post_init__(self) -> None:
        if isinstance(self.labels, str) or isinstance(self.features, str):
            raise TypeError("labels and features must be lists of columns.")

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        if not self.labels:
            raise ValueError("labels is empty. Call chunks_of_features() to predict.")
        return self._chunks(self.feature_names(), list(self.labels))

    def chunks_of_features(self) -> Iterator[Any]:
        """Iterate over the features alone, for prediction.

        Returns
        -------
        iterator of DataFrame
            The features of each chunk.
        """
        for (chunk,) in self._chunks(self.feature_names()):
            yield chunk

    def tables(self) -> Iterator[Any]:
        """Iterate over all columns as they are, without a choice of features and labels.

        Returns
        -------
        iterator of pyarrow.Table
            The chunks. Cells of CSV are text, and columns of Parquet keep their types.
        """
        for file in self._files():
            with _read_errors(file), _open(file, None, self.chunk_rows) as batches:
                yield from _regroup(batches, self.chunk_rows)

    def feature_names(self) -> list[str]:
        """Determine the feature columns.

        Returns
        -------
        list of str
            `features`, or else all columns of the first file except the labels and a saved index.
        """
        if self.features is not None:
            return list(self.features)
        schema = _schema(self._files()[0])
        left_out = {*self.labels, *_index_columns(schema)}
        return [name for name in schema.names if name not in left_out]

    def _files(self) -> list[Path]:
        path = Path(self.path)
        if not path.is_dir():
            return [path]
        files = list(path.glob("*.parquet"))
        if not files:
            raise TableError(f"There is no .parquet file in {path}.")
        return sorted(files, key=_length_and_name)  # part.10 follows part.9, as for Dask.

    def _chunks(self, *groups: list[str]) -> Iterator[tuple[Any, ...]]:
        """Read data frames of groups of columns on demand; reading ahead would fill the memory."""
        columns = [name for group in groups for name in group]
        for file in self._files():
            with _read_errors(file), _open(file, columns, self.chunk_rows) as batches:
                for table in _regroup(batches, self.chunk_rows):
                    yield tuple(_to_frame(table, group) for group in groups)


def _length_and_name(path: Path) -> tuple[int, str]:
    return len(path.name), path.name


@contextmanager
def _read_errors(file: Path) -> Iterator[None]:
    """Raise errors of Arrow in the block as a TableError that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise TableError(f"There is no file {file}.") from None
    except (OSError, KeyError, require("pyarrow", "tables").ArrowException) as error:
        advice = " Save it as CSV (UTF-8)." if "invalid UTF8" in str(error) else ""
        raise TableError(f"{file} cannot be read: {error}.{advice}") from error


def _schema(file: Path) -> Any:
    """Return the names and types of the columns of a file; those of CSV are only guesses."""
    with _read_errors(file):
        if _is_csv(file):
            with require("pyarrow.csv", "tables").open_csv(file) as reader:
                schema = reader.schema
        else:
            schema = require("pyarrow.parquet", "tables").read_schema(file)
    check_unique(schema.names, str(file))
    return schema


def _index_columns(schema: Any) -> list[str]:
    """Return the columns that are a saved pandas index."""
    metadata = schema.pandas_metadata or {"index_columns": []}
    saved = metadata["index_columns"]  # a saved range is not a name
    return [name for name in schema.names if name in saved or UNNAMED_INDEX.fullmatch(name)]


@contextmanager
def _open(file: Path, columns: list[str] | None, rows: int) -> Iterator[Iterable[Any]]:
    """Open a file, and yield its batches of rows; see `_open_csv` for `columns`."""
    if _is_csv(file):
        with _open_csv(file, columns) as reader:
            yield reader
    else:
        # pre_buffer would keep the whole file in memory.
        with require("pyarrow.parquet", "tables").ParquetFile(file, pre_buffer=False) as parquet:
            yield parquet.iter_batches(batch_size=rows, columns=columns)


def _open_csv(file: Path, columns: list[str] | None) -> Any:
    """Open a CSV file to read some columns of numbers; None is all columns as text."""
    arrow = require("pyarrow", "tables")
    library = require("pyarrow.csv", "tables")
    kind = arrow.string() if columns is None else arrow.float64()
    names = _schema(file).names if columns is None else columns
    # Without types, Arrow guesses them from the first block and fails on later ones.
    convert = library.ConvertOptions(include_columns=names, column_types=dict.fromkeys(names, kind))
    parse = library.ParseOptions(newlines_in_values=True)
    return library.open_csv(file, parse_options=parse, convert_options=convert)


def _is_csv(file: Path) -> bool:
    return file.suffix.lower() == ".csv"


def _regroup(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield tables of `rows` rows each, the last one shorter."""
    concat = require("pyarrow", "tables").Table.from_batches
    waiting: list[Any] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        while count >= rows:
            table = concat(waiting)
            yield table.slice(0, rows)
            waiting = table.slice(rows).to_batches()
            count -= rows
    if count:
        yield concat(waiting)


def _to_frame(table: Any, names: list[str]) -> Any:
    """Convert columns to one block of numbers; single precision is kept if all columns have it."""
    arrow = require("pyarrow", "tables")
    selected = table.select(names)
    is_single = set(selected.schema.types) == {arrow.float32()}
    kind = arrow.float32() if is_single else arrow.float64()
    schema = arrow.schema([(name, kind) for name in names])
    return selected.cast(schema, safe=False).to_pandas()
