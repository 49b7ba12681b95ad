"""Tables from files and into files, whatever their format.

A table is a pandas data frame. Text formats give every cell as it was written, so that what goes through a command
untouched comes out untouched (``007`` stays ``007``); `labeldist._tables.columns` makes numbers of the columns that
are used.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from labeldist._extras import require
from labeldist._files import write_to_standard_output, write_whole
from labeldist._tables.arff import arff_bytes, read_arff
from labeldist._tables.arrow import arrow_bytes, read_feather, read_parquet
from labeldist._tables.matlab import Unread, load_mat
from labeldist._tables.readers import matrix
from labeldist._unpacking import UnpackingError, check_columns, read_member, room_for
from labeldist.exceptions import DatasetNotFoundError, TableError

if TYPE_CHECKING:
    import pandas as pd

STANDARD = "-"
"""Standard input or output, as CSV."""

DECIMAL_COMMA = r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*"
MATRICES = (".mat", ".npz")
SAVE_AS_CSV = "Save it as CSV (UTF-8) from the program that made it."
NAMES = {"feature": ("features", "X"), "label": ("labels", "Y", "y", "D", "L")}
"""The arrays of .mat and .npz files that hold the columns of each kind."""

WANTED = {*NAMES["feature"], *NAMES["label"], *(f"{kind}_names" for kind in NAMES)}


def read_table(source: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table from a file; its format follows from the end of its name.

    Parameters
    ----------
    source : path-like
        ``.csv`` (commas or semicolons), ``.tsv``, ``.parquet``, ``.feather``, ``.arff``, and ``.mat`` or ``.npz`` with
        the matrices ``features`` and ``labels``, whose columns are called ``feature_0``, …, ``label_0``, …; ``-`` is
        CSV from standard input.

    Returns
    -------
    DataFrame
        Cells of text formats are text, as they were written.

    Raises
    ------
    DatasetNotFoundError
        There is no such file.
    TableError
        It cannot be read, is empty, has rows of different lengths or two columns of one name.
    """
    if source == STANDARD:
        return _checked(_read_separated("standard input", sys.stdin.buffer, ",;\t"), "standard input")
    path = Path(source)
    read = _format_of(path)[0]
    try:
        with path.open("rb") as file:
            frame = read(str(path), file)
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}.") from error
    except MemoryError:
        raise TableError(
            f"{path} takes more memory than there is. labeldist.datasets.TableStream reads .csv and .parquet in chunks."
        ) from None
    return _checked(frame, str(path))


def write_table(
    frame: pd.DataFrame, target: str | os.PathLike[str], *, labels: Sequence[str] = (), overwrite: bool = True
) -> None:
    """Write a table whole or not at all.

    Parameters
    ----------
    frame : DataFrame
    target : path-like
        The end of its name says the format, as in `read_table`; ``-`` is CSV to standard output.
    labels : sequence of str
        The columns that go to the matrix ``labels`` of a ``.mat`` or ``.npz`` file; the others go to ``features``.
    overwrite : bool, default=True
        Replace an existing file. If false, an existing file is an error.
    """
    if target == STANDARD:
        write_to_standard_output(_separated(frame, ","))
        return
    path = Path(target)
    write = _format_of(path)[1]
    if path.suffix.lower() not in MATRICES:
        write_whole(path, write(frame), overwrite=overwrite)
        return
    check_room(frame, path)
    arrays: dict[str, Any] = {}
    for kind, columns in (("feature", [name for name in frame.columns if name not in labels]), ("label", list(labels))):
        if columns:
            arrays[f"{kind}s"] = frame[columns].to_numpy(dtype=np.float64)
            arrays[f"{kind}_names"] = np.array(columns, dtype=str)
    write_whole(path, write(arrays), overwrite=overwrite)


def keeps_types(target: str | os.PathLike[str]) -> bool:
    """Whether a format tells numbers from text."""
    return target != STANDARD and Path(target).suffix.lower() not in (".csv", ".tsv")


def check_room(frame: pd.DataFrame, target: str | os.PathLike[str]) -> None:
    """Refuse words where the format has room for numbers only."""
    words = [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]
    if words and Path(target).suffix.lower() in MATRICES:
        raise TableError(f"{target} has room for numbers only, and {listed(words)} are none. Write CSV or Parquet.")


def check_format(path: str | os.PathLike[str]) -> None:
    """Raise an error, before any work is done, for a file name without the suffix of a known format."""
    if path != STANDARD:
        _format_of(Path(path))


def listed(names: Any, most: int = 12) -> str:
    """Names with commas between them, the first dozen of them."""
    names = [str(name) for name in names]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def cell_at(row: int, column: Any) -> str:
    """Return how errors name a cell: by its row of data, the first of which people call 1, and its column."""
    return f"The cell in data row {row + 1}, column {column!r},"


def _format_of(path: Path) -> tuple[Callable[[str, BinaryIO], pd.DataFrame], Callable[[Any], bytes]]:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise TableError(f"{path} has no known format: a table ends in {listed(FORMATS)}. {SAVE_AS_CSV}")
    return FORMATS[suffix]


def _checked(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Refuse a table without rows, without columns or with two columns of one name."""
    frame.columns = [str(column) for column in frame.columns]
    _refuse_repeated(list(frame.columns), name)
    if not frame.shape[1]:
        raise TableError(f"{name} is empty: not even names of columns are in it.")
    if not len(frame):
        raise TableError(f"{name} has no rows below its names of columns ({listed(frame.columns)}).")
    return frame


def _refuse_repeated(columns: list[str], name: str) -> None:
    repeated = [column for column, times in Counter(columns).items() if times > 1]
    if repeated:
        raise TableError(f"{name} has more than one column {listed(repeated)}. Rename them.")


def _read_separated(name: str, file: BinaryIO, separators: str) -> pd.DataFrame:
    pandas = require("pandas", "app")
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{name} is no text in UTF-8 (byte {error.start}). {SAVE_AS_CSV}") from None
    if "\0" in text:  # as in UTF-16, and in files that are no text
        line = text.count("\n", 0, text.index("\0")) + 1
        raise TableError(f"Line {line} of {name} has a NUL character, as no text in UTF-8 has. {SAVE_AS_CSV}")
    header = text.partition("\n")[0]
    separator = max(separators, key=header.count)  # of equal ones the first
    columns, rows = _rows(name, text, separator)
    frame = pandas.DataFrame(rows, columns=columns, dtype=str)
    return _with_decimal_points(frame) if separator == ";" else frame


def _with_decimal_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Write 1,5 as 1.5 in columns of such numbers: a file has semicolons because its commas are decimal ones."""
    for name in frame.columns:
        filled = frame[name][frame[name] != ""]
        if filled.str.fullmatch(DECIMAL_COMMA).all() and filled.str.contains(",").any():
            frame[name] = frame[name].str.replace(",", ".")
    return frame


def _rows(name: str, text: str, separator: str) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows; refuse a row that is longer or shorter than the names."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        columns = next((row for row in reader if row), [])
        _refuse_repeated(columns, name)
        check_columns(len(columns))
        for row in reader:
            if row and len(row) != len(columns):
                raise TableError(
                    f"Line {reader.line_num} of {name} has {len(row)} cells where the names of columns are "
                    f"{len(columns)}. Give every line as many; put a cell with {separator!r} in it in double quotes."
                )
            if row:
                rows.append(row)
    except (csv.Error, UnpackingError) as error:
        raise TableError(f"{name} cannot be read, near line {reader.line_num}: {error}.") from None
    return columns, rows


def _separated(frame: pd.DataFrame, separator: str) -> bytes:
    return frame.to_csv(index=False, sep=separator, lineterminator="\n").encode()


def _read_mat(name: str, _file: BinaryIO) -> pd.DataFrame:
    return _from_arrays(load_mat(Path(name)), Path(name))


def _mat_bytes(arrays: dict[str, Any]) -> bytes:
    import scipy.io

    buffer = io.BytesIO()
    scipy.io.savemat(buffer, arrays, do_compression=True)  # type: ignore[arg-type]  # it takes open files
    return buffer.getvalue()


def _read_npz(name: str, file: BinaryIO) -> pd.DataFrame:
    arrays: dict[str, Any] = {}
    room = room_for(os.fstat(file.fileno()).st_size)
    try:
        with ZipFile(file) as archive:
            for member in archive.namelist():
                key = member.removesuffix(".npy")
                if key in WANTED:
                    content = read_member(archive, member, room)
                    room -= len(content)
                    arrays[key] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
                else:
                    arrays[key] = Unread("not read")
    except Exception as error:  # what a damaged archive raises depends on where the damage is
        raise TableError(f"{name} cannot be read as an .npz file of plain arrays: {error}.") from error
    return _from_arrays(arrays, Path(name))


def _npz_bytes(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _from_arrays(arrays: dict[str, Any], path: Path) -> pd.DataFrame:
    """Make a table of the matrices of features and labels; names of columns may stand beside them."""
    pandas = require("pandas", "app")
    parts = []
    for kind, keys in NAMES.items():
        key = next((key for key in keys if key in arrays), None)
        if key is None:
            continue
        values = matrix(arrays, key, path)
        parts.append(pandas.DataFrame(values, columns=_names(arrays.get(f"{kind}_names"), kind, values.shape[1], path)))
    if not parts:
        raise TableError(f"{path} has neither features nor labels: it holds {listed(sorted(arrays)) or 'nothing'}.")
    if len({len(part) for part in parts}) > 1:
        raise TableError(f"{path} has {len(parts[0])} rows of features and {len(parts[1])} rows of labels.")
    return pandas.concat(parts, axis=1)


def _names(given: Any, kind: str, count: int, path: Path) -> list[str]:
    """Return the names of columns that stand in an array, and numbered ones where there are none for each column."""
    if not isinstance(given, np.ndarray) or given.dtype.kind not in "USiu" or given.size != count:
        return [f"{kind}_{k}" for k in range(count)]
    try:
        names = [(name.decode() if isinstance(name, bytes) else str(name)).strip() for name in given.ravel().tolist()]
        "".join(names).encode().decode()  # which refuses numbers that stand for no character
    except (ValueError, SystemError):
        raise TableError(f"The names of the {kind}s of {path} are no text.") from None
    return names


FORMATS: dict[str, tuple[Callable[[str, BinaryIO], Any], Callable[[Any], bytes]]] = {
    ".csv": (lambda name, file: _read_separated(name, file, ",;\t"), lambda frame: _separated(frame, ",")),
    ".tsv": (lambda name, file: _read_separated(name, file, "\t"), lambda frame: _separated(frame, "\t")),
    ".parquet": (read_parquet, lambda frame: arrow_bytes(frame, "parquet", "write_table")),
    ".feather": (read_feather, lambda frame: arrow_bytes(frame, "feather", "write_feather")),
    ".arff": (read_arff, arff_bytes),
    ".mat": (_read_mat, _mat_bytes),
    ".npz": (_read_npz, _npz_bytes),
}
"""What reads and what writes each format, by the end of a file's name."""
