"""Tables too large for memory, read and written a chunk at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labeldist.exceptions import DatasetError, DatasetNotFoundError
from labeldist.simplex import Array

CHUNK_ROWS = 65_536
"""Rows of a chunk: tens of megabytes for a hundred columns."""

FORMATS = (".parquet", ".csv")


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
        The columns that hold the features; None is all others.
    chunk_rows : int
        Rows of a chunk.

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

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield features and degrees of each chunk, as data frames if pandas is there, so that names are kept."""
        names = self.feature_names()
        for batch in self._batches([*names, *self.labels]):
            yield _table(batch, names), _table(batch, list(self.labels))

    def chunks_of_features(self) -> Iterator[Any]:
        """Yield the features of each chunk, for prediction."""
        names = self.feature_names()
        for batch in self._batches(names):
            yield _table(batch, names)

    def feature_names(self) -> list[str]:
        """Return the columns that hold the features."""
        present = self._column_names()
        missing = [name for name in (*self.labels, *(self.features or ())) if name not in present]
        if missing:
            raise DatasetError(f"{self.path} has no column {', '.join(missing)}; it has {', '.join(present)}.")
        return list(self.features or [name for name in present if name not in self.labels])

    def _files(self) -> list[Path]:
        path = Path(self.path)
        if not path.exists():
            raise DatasetNotFoundError(f"There is no file {path}.")
        files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        if not files or files[0].suffix.lower() not in FORMATS:
            raise DatasetError(f"{path} is no {' or '.join(FORMATS)} file, nor a folder of .parquet files.")
        return files

    def _column_names(self) -> list[str]:
        arrow, first = _import_arrow(), self._files()[0]
        if first.suffix.lower() == ".csv":
            return list(arrow.csv.open_csv(first).schema.names)
        return list(arrow.parquet.read_schema(first).names)

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield chunks when they are asked for, none ahead: a reader that runs ahead fills the memory."""
        arrow = _import_arrow()
        for file in self._files():
            if file.suffix.lower() == ".csv":
                convert = arrow.csv.ConvertOptions(include_columns=columns)
                for batch in arrow.csv.open_csv(file, convert_options=convert):
                    yield from (batch.slice(at, self.chunk_rows) for at in range(0, batch.num_rows, self.chunk_rows))
            else:
                # pre_buffer would keep the whole file, in case that it is far away.
                with arrow.parquet.ParquetFile(file, pre_buffer=False) as parquet:
                    yield from parquet.iter_batches(batch_size=self.chunk_rows, columns=columns)


def write_parquet(path: str | os.PathLike[str], chunks: Iterable[Array], names: Sequence[str]) -> int:
    """Write rows that come in chunks, such as predictions, to a Parquet file; return how many.

    The file appears under its name when it is complete: an interruption leaves what was there before.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from labeldist.datasets import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet(Path(folder) / "degrees.parquet", [np.eye(2), np.eye(2)], ["good", "bad"])
    4
    """
    arrow = _import_arrow()
    path = Path(path)
    schema = arrow.schema([(str(name), arrow.float64()) for name in names])
    unfinished = path.with_name(path.name + ".part")
    written = 0
    try:
        with arrow.parquet.ParquetWriter(unfinished, schema) as writer:
            for chunk in chunks:
                rows = np.asarray(chunk)
                writer.write_table(arrow.table([arrow.array(column) for column in rows.T], schema=schema))
                written += len(rows)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return written


def _table(batch: Any, names: list[str]) -> Any:
    """Return columns of a batch as one block of numbers, column after column as Arrow has them."""
    dtype = np.float32 if all(str(batch.schema.field(name).type) == "float" for name in names) else np.float64
    block = np.empty((len(names), batch.num_rows), dtype=dtype)
    for row, name in zip(block, names, strict=True):
        row[:] = batch.column(name).to_numpy(zero_copy_only=False)
    try:
        import pandas as pd
    except ImportError:  # numbers without names
        return block.T
    return pd.DataFrame(block.T, columns=names, copy=False)


def _import_arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise DatasetError("Reading tables in chunks needs pyarrow: pip install 'labeldist[tables]'.") from None
    return pyarrow
