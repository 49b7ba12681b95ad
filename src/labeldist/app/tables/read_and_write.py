"""Reading and writing of tables; the ending of the file name selects the format."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist.app.standard_output import write_to_standard_output
from labeldist.app.tables import (
    arff_files,
    csv_files,
    json_files,
    matlab_and_numpy_files,
    parquet_files,
)
from labeldist.exceptions import LabelDistWarning, MissingExtraError, TableError
from labeldist.utils import listed, require, whole_file

if TYPE_CHECKING:
    import pandas as pd

STANDARD = "-"  # The name of standard input and output, which are CSV.

READERS: dict[str, Callable[[BinaryIO], pd.DataFrame]] = {
    ".csv": csv_files.read_csv,
    ".tsv": csv_files.read_tsv,
    ".json": json_files.read_json,
    ".jsonl": json_files.read_json_lines,
    ".parquet": parquet_files.read_parquet,
    ".arff": arff_files.read_arff,
    ".mat": matlab_and_numpy_files.read_mat,
    ".npz": matlab_and_numpy_files.read_npz,
}
WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    ".csv": csv_files.write_csv,
    ".tsv": csv_files.write_tsv,
    ".json": json_files.write_json,
    ".jsonl": json_files.write_json_lines,
    ".parquet": parquet_files.write_parquet,
}
# Formats of two matrices, which need the names of the labels.
MATRIX_WRITERS: dict[str, Callable[[pd.DataFrame, Sequence[str]], bytes]] = {
    ".mat": matlab_and_numpy_files.write_mat,
    ".npz": matlab_and_numpy_files.write_npz,
}
WRITABLE = (*WRITERS, *MATRIX_WRITERS)


def read_table(source: str | os.PathLike[str], *, text: Sequence[str | None] = ()) -> pd.DataFrame:
    r"""Read a table from a file.

    Parameters
    ----------
    source : path-like
        The suffix determines the format: ``.csv`` (separated by commas, semicolons or tabs),
        ``.tsv``, ``.jsonl`` (one record per line), ``.json`` (a list of records, or an object of
        items, whose keys become the column ``id``), ``.parquet``, ``.arff``, and ``.mat`` or
        ``.npz`` with the matrices ``features`` and ``labels`` and, optionally,
        ``feature_names`` and ``label_names``. ``-`` is CSV from standard input.
    text : sequence of str, default=()
        Names or patterns of columns that do not hold numbers. In other columns of a file that is
        separated by semicolons, decimal commas become points, with a warning that names these
        columns.

    Returns
    -------
    DataFrame
        Cells of CSV and TSV files are text. Nominal attributes of ARFF files are categories. Nested
        objects of JSON files are columns such as ``example.premise``; lists stay lists.

    See Also
    --------
    read_labelled : Read a table and choose its label and feature columns.
    TableStream : Read a large table in chunks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist.app.tables.read_and_write import read_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "songs.csv").write_text("id,joy\n007,0.5\n")
    ...     read_table(Path(folder, "songs.csv"))
        id  joy
    0  007  0.5
    """
    read = READERS[_suffix_of(source, READERS)]
    with reading(source) as file:
        frame = read(file)
    frame.columns = [str(column) for column in frame.columns]
    name = "Standard input" if source == STANDARD else str(source)
    check_unique(frame.columns, name)
    if not frame.size:
        raise TableError(f"{name} has no rows; its columns are: {listed(frame.columns)}.")
    if frame.attrs.pop("separator", "") == ";":
        return _with_decimal_points(frame, text)
    return frame


def write_table(
    frame: pd.DataFrame,
    target: str | os.PathLike[str],
    *,
    labels: Sequence[str] = (),
    overwrite: bool = True,
) -> None:
    """Write a table to a file, which appears only once it is complete.

    Parameters
    ----------
    frame : DataFrame
        The table to write.
    target : path-like
        The suffix determines the format: ``.csv``, ``.tsv``, ``.json``, ``.jsonl``, ``.parquet``,
        ``.mat`` or ``.npz``; ``-`` is CSV to standard output.
    labels : sequence of str, default=()
        Columns for the matrix ``labels`` of a ``.mat`` or ``.npz`` file; all others go to
        ``features``.
    overwrite : bool, default=True
        Whether to replace an existing file; if False, an existing file raises an `OutputError`.

    See Also
    --------
    read_table : Read a table from a file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from labeldist.app.tables.read_and_write import write_table
    >>> with TemporaryDirectory() as folder:
    ...     write_table(pd.DataFrame({"joy": [0.25], "fear": [0.75]}), f"{folder}/degrees.csv")
    """
    suffix = check_format(target, frame)
    if suffix not in (".json", ".jsonl"):
        frame = json_files.without_lists(frame)
    if suffix in MATRIX_WRITERS:
        content = MATRIX_WRITERS[suffix](frame, labels)
    else:
        content = WRITERS[suffix](frame)
    if target == STANDARD:
        write_to_standard_output(content)
    else:
        with whole_file(target, overwrite=overwrite) as file:
            file.write(content)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file, or standard input, and raise errors of the block as a TableError."""
    if path != STANDARD:
        with read_errors(path), Path(path).open("rb") as file:
            yield file
        return
    if sys.stdin is None:
        raise TableError("Standard input is closed.")
    with read_errors("Standard input"):
        yield sys.stdin.buffer


@contextmanager
def read_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise errors of the block as a TableError that names a file."""
    try:
        yield
    except (TableError, MissingExtraError):
        raise
    except FileNotFoundError:
        raise TableError(f"There is no file {path}.") from None
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8 text (byte {error.start})"
        raise TableError(f"{problem}. Save it as CSV (UTF-8).") from None
    except RecursionError:
        raise TableError(f"{path} cannot be read: it is nested too deeply.") from None
    except MemoryError:
        raise TableError(f"{path} cannot be read: there is not enough memory.") from None
    except Exception as error:  # Each library raises its own errors for a damaged file.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise TableError(f"{path} cannot be read: {reason}.") from error


def keeps_types(target: str | os.PathLike[str]) -> bool:
    """Return whether a format distinguishes numbers from text."""
    return _suffix_of(target, WRITABLE) not in (".csv", ".tsv")


def check_format(path: str | os.PathLike[str], frame: pd.DataFrame | None = None) -> str:
    """Return the suffix of a file to write.

    A TableError is raised if the format cannot be written, or cannot hold the columns of `frame`.
    """
    suffix = _suffix_of(path, WRITABLE)
    if frame is not None and suffix in MATRIX_WRITERS:
        words = [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]
        if words:
            problem = f"{path} can hold numbers only; not numeric: {listed(words)}"
            raise TableError(f"{problem}. Write CSV or Parquet.")
    return suffix


def check_unique(columns: Iterable[str], name: str) -> None:
    """Raise a TableError if two columns of a table have the same name."""
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        names = listed(column or "(without a name)" for column in repeated)
        raise TableError(f"{name} has duplicate columns: {names}.")


def matches(name: str, pattern: str) -> bool:
    """Return whether a pattern such as emotion_* matches a name.

    Brackets are literal, since survey tools use them in names such as Q1[SQ001].
    """
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def with_columns(frame: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """Return a table with some columns replaced or added.

    Unlike DataFrame.assign, it takes a column named self, and thousands of columns take no longer
    than their number demands.
    """
    table = {**dict(frame.items()), **columns}
    return require("pandas", "app").DataFrame(table, index=frame.index)


def _suffix_of(path: str | os.PathLike[str], formats: Iterable[str]) -> str:
    suffix = ".csv" if path == STANDARD else Path(path).suffix.lower()
    if suffix not in formats:
        raise TableError(f"{path} has an unsupported format; supported: {listed(formats)}.")
    return suffix


def _with_decimal_points(frame: pd.DataFrame, text: Sequence[str | None]) -> pd.DataFrame:
    """Replace 1,5 by 1.5 in columns of such numbers, except those that `text` names."""
    converted = {}
    for name, cells in frame.items():
        is_text = any(matches(name, pattern.strip()) for pattern in text if pattern)
        if not is_text and csv_files.has_decimal_commas(cells):
            converted[name] = cells.str.replace(",", ".")
    if converted:
        problem = f"Column {listed(converted)}: decimal commas are replaced by points."
        warnings.warn(problem, LabelDistWarning, stacklevel=3)
    return with_columns(frame, converted)
