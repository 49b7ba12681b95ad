"""Readers and writers of tables: CSV, TSV, JSON, Parquet, Feather, ARFF, MATLAB and NumPy files.

Cells of CSV and TSV files stay text, so that unused columns are written back unchanged (``007`` stays ``007``).
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from labeldist._extras import require
from labeldist._files import write_to_standard_output, write_whole
from labeldist._tables import json_tables, kinds
from labeldist._typing import Array
from labeldist.exceptions import DatasetNotFoundError, LabelDistWarning, MissingExtraError, TableError, warn
from labeldist.simplex import check_distributions

if TYPE_CHECKING:
    import pandas as pd

JSON = (".json", ".jsonl")
STANDARD = "-"  # The name of standard input and output, which are CSV.
# Names of the arrays in .mat and .npz files that hold features and labels; the first one present is used.
ARRAYS = {"feature": ("features", "X"), "label": ("labels", "Y", "y", "D", "L")}
WANTED = {*ARRAYS["feature"], *ARRAYS["label"], "feature_names", "label_names"}
# The quantifiers are possessive, so that a line that does not match fails in linear time.
QUOTED = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
VALUE = rf"""\s*+(?:{QUOTED}|[^\s,"'{{}}]*+)\s*+"""
NOMINAL = re.compile(rf"\{{{VALUE}(?:,{VALUE})*+\}}")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{}}%,]+)\s+(.+)", re.IGNORECASE)
MAX_INTEGER = 2**53  # Beyond it, float64 does not represent every integer.
MARK = "\ufdd0 "  # starts with a character that no text contains
DECIMAL_COMMA = r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*"
THOUSANDS = r"\s*[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+)\s*"
QUOTED_CELL = r'"[^"]*"'


def read_table(source: str | os.PathLike[str], *, text: Sequence[str | None] = ()) -> pd.DataFrame:
    r"""Read a table from a file.

    Parameters
    ----------
    source : path-like
        The suffix determines the format: ``.csv`` (separated by commas, semicolons or tabs), ``.tsv``, ``.jsonl`` (one
        record per line), ``.json`` (a list of records, or an object of items, whose keys become the column ``id``),
        ``.parquet``, ``.feather``, ``.arff``, and ``.mat`` or ``.npz`` with the matrices ``features`` and ``labels``
        and, optionally, ``feature_names`` and ``label_names``. ``-`` is CSV from standard input.
    text : sequence of str, default=()
        Names or patterns of columns that do not hold numbers. In other columns of a file that is separated by
        semicolons, decimal commas become points, with a warning that names these columns.

    Returns
    -------
    DataFrame
        Cells of CSV and TSV files are text. Nominal attributes of ARFF files are categories. Nested objects of JSON
        files are columns such as ``example.premise``; lists stay lists.

    See Also
    --------
    read_labelled : Read a table and choose its label and feature columns.
    TableStream : Read a large table in chunks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist.datasets import read_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "songs.csv").write_text("id,joy\n007,0.5\n")
    ...     read_table(Path(folder, "songs.csv"))
        id  joy
    0  007  0.5
    """
    read = FORMATS[check_format(source)][0]
    with reading(source) as file:
        frame = read(file)
        frame.columns = [str(column) for column in frame.columns]
        check_unique(frame.columns, "Standard input" if source == STANDARD else str(source))
        if not frame.size:
            raise ValueError(f"it is empty, or has no rows; its columns are: {listed(frame.columns)}")
        if separator := frame.attrs.pop("separator", ""):
            frame = _with_decimal_points(frame, [name.strip() for name in text if name], separator == ";")
    return frame


def write_table(
    frame: pd.DataFrame, target: str | os.PathLike[str], *, labels: Sequence[str] = (), overwrite: bool = True
) -> None:
    """Write a table to a file, which appears only once it is complete.

    Parameters
    ----------
    frame : DataFrame
        The table to write.
    target : path-like
        The suffix determines the format, as in `read_table`; ``-`` is CSV to standard output.
    labels : sequence of str, default=()
        Columns for the matrix ``labels`` of a ``.mat`` or ``.npz`` file; all others go to ``features``.
    overwrite : bool, default=True
        Whether to replace an existing file; if False, an existing file is an error.

    See Also
    --------
    read_table : Read a table from a file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from labeldist.datasets import write_table
    >>> with TemporaryDirectory() as folder:
    ...     write_table(pd.DataFrame({"joy": [0.25], "fear": [0.75]}), f"{folder}/degrees.csv")
    """
    suffix = check_format(target, frame)
    content = FORMATS[suffix][1](frame if suffix in JSON else json_tables.without_lists(frame), labels)
    if target == STANDARD:
        write_to_standard_output(content)
    else:
        write_whole(target, content, overwrite=overwrite)


def read_mat(path: str | os.PathLike[str]) -> tuple[Array, Array]:
    """Read features and label distributions from a MATLAB file, the format of the benchmark sets.

    Parameters
    ----------
    path : path-like
        A file of MATLAB up to version 7, with the dense matrices ``features`` (one row per item) and ``labels`` (one
        distribution per row).

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    D : ndarray of shape (n_samples, n_labels)
        The label distributions. Both arrays are float64 and C-contiguous.

    See Also
    --------
    load_dataset : Load a benchmark set by name.

    Examples
    --------
    >>> from labeldist.datasets import read_mat
    >>> X, D = read_mat("Yeast_cold.mat")  # doctest: +SKIP
    """
    with reading(path) as file:
        arrays = _load_mat(file)
        X, D = (_matrix(arrays, key) for key in ("features", "labels"))
        if len(X) != len(D):
            raise ValueError(f"it has {len(X)} rows of features and {len(D)} rows of labels")
        wrong = np.argwhere(~np.isfinite(X))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(f"its features must be finite; row {row}, column {column} is {X[row, column]}")
    return X, check_distributions(D, name=f"The matrix labels of {path}")


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file, or standard input, and convert every error of the block to a TableError that names it."""
    try:
        if path == STANDARD:
            path = "Standard input"
            yield sys.stdin.buffer
        else:
            with Path(path).open("rb") as file:
                yield file
    except (TableError, MissingExtraError):
        raise
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not UTF-8 text (byte {error.start}). Save it as CSV (UTF-8).") from None
    except MemoryError:
        raise TableError(f"{path} does not fit in memory. Read it in chunks with TableStream.") from None
    except Exception as error:  # Each library raises its own errors for a damaged file.
        raise TableError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def keeps_types(target: str | os.PathLike[str]) -> bool:
    """Return whether a format distinguishes numbers from text."""
    return target != STANDARD and Path(target).suffix.lower() not in (".csv", ".tsv")


def check_format(path: str | os.PathLike[str], frame: pd.DataFrame | None = None) -> str:
    """Return the suffix; raise an error if the format is unknown, or cannot hold the columns of `frame`."""
    suffix = ".csv" if path == STANDARD else Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise TableError(f"{path} has an unknown format; known are {listed(FORMATS)}. Save it as CSV (UTF-8).")
    if frame is not None and suffix in (".mat", ".npz"):
        words = [name for name in frame.columns if not _fits_float64(frame[name])]
        if words:
            raise TableError(f"{path} can hold numbers only; not numeric: {listed(words)}. Write CSV or Parquet.")
    return suffix


def _fits_float64(column: pd.Series[Any]) -> bool:
    """Return whether a column holds numbers, and no integers that float64 would round."""
    kind = column.dtype.kind
    return kind in "bf" or (kind in "iu" and bool(((column <= MAX_INTEGER) & (column >= -MAX_INTEGER)).all()))


def check_unique(columns: Iterable[str], name: str = "The table") -> None:
    """Raise an error if two columns of a table have the same name."""
    repeated = [column for column, times in Counter(columns).items() if times > 1]
    if repeated:
        names = listed(column or "without a name (is the first line a title?)" for column in repeated)
        raise TableError(f"{name} has more than one column {names}. Rename them.")


def listed(names: Iterable[Any], most: int = 12) -> str:
    """Join names with commas; after `most` of them, give the number of the others."""
    names = [str(name) for name in names]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def matches(name: str, pattern: str) -> bool:
    """Return whether a pattern such as emotion_* matches a name; brackets are literal, as in Q1[SQ001]."""
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def cell_at(row: Any, column: Any) -> str:
    """Return the subject of messages about a cell; data rows are counted from 1, unless the index has other labels."""
    return f"The cell in data row {row + 1 if isinstance(row, Integral) else row}, column {column!r},"


def _read_separated(file: BinaryIO, separators: str = ",;\t") -> pd.DataFrame:
    """Read CSV; the separator is the most frequent one in the header, outside quotes."""
    text = file.read().decode("utf-8-sig")
    if "\0" in text:
        raise ValueError("it contains NUL characters. Save it as CSV (UTF-8)")
    text = re.sub(r"\Asep=[,;\t]\r?\n", "", text)  # a line for Excel
    header = next(re.finditer(rf"(?:{QUOTED_CELL}|[^\r\n])*+", text))[0]
    separator = max(separators, key=re.sub(QUOTED_CELL, "", header).count)
    csv.field_size_limit(2**31 - 1)  # the largest limit on every platform; by default long texts are errors
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        for row in filter(None, reader):
            rows.append(row)
            # In TSV, an opening quote that is part of the text would silently join rows until the next quote.
            if separator == "\t" and any("\n" in cell and "\t" in cell for cell in row):
                start = reader.line_num - sum(cell.count("\n") for cell in row)
                advice = "If its quotes are part of the text, put the cell in quotes and double its own"
                raise ValueError(f"a cell in quotes, from line {start} on, has tabs and line breaks. {advice}")
            if row == rows[0] and len(rows) > 1:
                raise ValueError(f"line {reader.line_num} repeats the header. Remove it")
            if len(row) != len(rows[0]):
                sizes = f"line {reader.line_num} has {len(row)} cells, the header has {len(rows[0])}"
                raise ValueError(f"{sizes}. Put a cell that contains {separator!r} in double quotes")
    except csv.Error as error:
        raise ValueError(f"{error}, near line {reader.line_num}") from None
    frame = require("pandas", "app").DataFrame(rows[1:], columns=rows[0] if rows else [], dtype=str)
    # Spreadsheets write empty columns at the right.
    frame = frame.loc[:, [bool(name.strip()) or cells.str.strip().ne("").any() for name, cells in frame.items()]]
    frame.attrs["separator"] = separator
    return frame


def _with_decimal_points(frame: pd.DataFrame, text: Sequence[str], semicolons: bool) -> pd.DataFrame:
    """Replace 1,5 by 1.5 in columns of such numbers, as spreadsheets write them between semicolons; skip `text`.

    Points that may be thousands separators are an error or a warning.
    """
    others = [name for name in frame.columns if not any(name == part or matches(name, part) for part in text)]
    filled = {name: frame[name][~kinds.is_missing(frame[name])] for name in others}
    commas = {name: cells for name, cells in filled.items() if semicolons and cells.str.contains(",").any()}
    converted = [name for name, cells in commas.items() if cells.str.fullmatch(DECIMAL_COMMA).all()]
    for name, cells in filled.items():
        with_points = cells[cells.str.contains(".", regex=False)]
        mixed = len(with_points) < len(cells)
        if len(with_points) and (semicolons or mixed) and cells.str.fullmatch(THOUSANDS).all():
            problem = f"{name!r} holds {with_points.iloc[0].strip()}, which may have a thousands separator"
            if semicolons and (converted or mixed):
                raise ValueError(f"column {problem}. Write numbers without these, or all of them with decimals")
            warn(f"Column {problem}. It is read as decimals; if that is wrong, remove the points.", LabelDistWarning)
    if converted:
        warn(f"Column {listed(converted)}: decimal commas are replaced by points.", LabelDistWarning)
        frame[converted] = frame[converted].replace(",", ".", regex=True)
    return frame


def _write_separated(frame: pd.DataFrame, _labels: Any, separator: str = ",") -> bytes:
    options: dict[str, Any] = {"index": False, "sep": separator, "lineterminator": "\n"}
    text = frame.to_csv(**options)
    if "\r" in text:  # pandas does not put lone carriage returns in quotes
        text = frame.to_csv(**options, quoting=csv.QUOTE_NONNUMERIC)
    return text.encode()


def _read_arrow(file: BinaryIO, module: str) -> pd.DataFrame:
    """Read Parquet or Feather; indexes of pandas other than row numbers become columns, lists stay lists."""
    types = require("pyarrow", "tables").types
    library = require(f"pyarrow.{module}", "tables")
    table = library.ParquetFile(file).read() if module == "parquet" else library.read_table(file)
    while any(types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    table.validate(full=True)  # Arrow does not check buffers on reading; invalid ones would crash the process.
    frame = table.to_pandas(integer_object_nulls=True)  # As floats, large integers would lose digits.
    for name in [field.name for field in table.schema if types.is_nested(field.type)]:
        frame[name] = table[name].to_pylist()
    if isinstance(frame.index, require("pandas", "app").RangeIndex) and frame.index.name is None:
        return frame.reset_index(drop=True)
    names = [f"__index_level_{k}__" if name is None else name for k, name in enumerate(frame.index.names)]
    return frame.reset_index(names=names)


def _write_arrow(frame: pd.DataFrame, _labels: Any, module: str) -> bytes:
    arrow, frame = require("pyarrow", "tables"), frame.copy()
    for name in frame.columns:
        try:
            arrow.array(frame[name], from_pandas=True)
        except (arrow.ArrowException, OverflowError):  # several types, or integers that need more than 64 bits
            frame[name] = frame[name].map(str, na_action="ignore")
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    library = require(f"pyarrow.{module}", "tables")
    buffer = io.BytesIO()
    (library.write_table if module == "parquet" else library.write_feather)(table, buffer)
    return buffer.getvalue()


def _load_mat(file: Any) -> dict[str, Any]:
    """Load the wanted variables of a MATLAB file; all others are None."""
    import scipy.io

    try:
        found = [name for name, *_ in scipy.io.whosmat(file)]
        file.seek(0)
        arrays = scipy.io.loadmat(file, variable_names=[name for name in found if name in WANTED])
    except NotImplementedError:
        raise ValueError("it has version 7.3; save it again with save(..., '-v7')") from None
    return {name: arrays.get(name) for name in found}


def _load_npz(file: BinaryIO) -> dict[str, Any]:
    """Load the wanted arrays of an .npz file; all others are None."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] if name in WANTED else None for name in archive.files}
    except ValueError:  # NumPy would advise to allow pickled objects
        raise ValueError("it is damaged, or holds Python objects") from None


def _read_matrices(file: BinaryIO, load: Callable[[BinaryIO], dict[str, Any]]) -> pd.DataFrame:
    """Join the matrices of features and labels."""
    pandas, arrays = require("pandas", "app"), load(file)
    parts = []
    for kind, keys in ARRAYS.items():
        for key in [key for key in keys if key in arrays][:1]:
            values = _matrix(arrays, key)
            names = _column_names(arrays.get(f"{kind}_names"), kind, values.shape[1])
            parts.append(pandas.DataFrame(values, columns=names))
    if not parts:
        raise ValueError(f"it has neither features nor labels, only {listed(sorted(arrays))}")
    if len(parts[0]) != len(parts[-1]):
        raise ValueError(f"it has {len(parts[0])} rows of features and {len(parts[-1])} rows of labels")
    return pandas.concat(parts, axis=1)


def _matrix(arrays: dict[str, Any], key: str) -> Array:
    """Return a variable as a C-contiguous float64 matrix."""
    if key not in arrays:
        raise ValueError(f"it has no variable {key}, but {listed(sorted(arrays)) or 'nothing'}")
    value = arrays[key]
    if hasattr(value, "toarray"):  # A large sparse matrix may not fit in memory as a dense one.
        raise ValueError(f"the matrix {key} is sparse; save it as a dense one, full({key}) in MATLAB")
    value = np.asarray(value)
    if value.dtype.kind not in "biuf" or value.ndim != 2 or not value.size:
        raise ValueError(f"{key} must be a matrix of real numbers; got type {value.dtype} and shape {value.shape}")
    return np.array(value, dtype=np.float64, order="C")


def _column_names(given: Any, kind: str, count: int) -> list[str]:
    """Return the names in an array of text or in a MATLAB cell array, or numbered names if there are none."""
    cells = [] if given is None else [np.ravel(cell).tolist() for cell in np.ravel(given)]
    names = [cell[0].decode() if isinstance(cell[0], bytes) else str(cell[0]).strip() for cell in cells if cell]
    if given is not None and len(names) != count:
        raise ValueError(f"{kind}_names must hold one name for each of the {count} columns; it holds {len(names)}")
    return names or [f"{kind}_{k}" for k in range(count)]


def _write_matrices(frame: pd.DataFrame, labels: Sequence[str], *, is_mat: bool) -> bytes:
    """Encode feature columns and label columns as two matrices with their names."""
    import scipy.io

    arrays: dict[str, Any] = {}
    for kind, columns in (("feature", [name for name in frame.columns if name not in labels]), ("label", list(labels))):
        if columns:
            arrays[f"{kind}s"] = frame[columns].to_numpy(dtype=np.float64)
            arrays[f"{kind}_names"] = np.array(columns, dtype=str)
    buffer: Any = io.BytesIO()
    if is_mat:
        scipy.io.savemat(buffer, arrays, do_compression=True)
    else:
        np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _read_arff(file: BinaryIO) -> pd.DataFrame:
    """Read an ARFF file, dense or sparse; nominal attributes become categories."""
    pandas, arff = require("pandas", "app"), require("arff", "tables")
    decoder = _arff_decoder(arff)
    try:
        content = decoder.decode(file.read().decode("utf-8-sig"))
    except arff.ArffException as error:
        # str(error) would fail on a percent sign that the message quotes from the file.
        raise ValueError(error.message.replace("%d", str(error.line))) from None
    frame = pandas.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])
    for name, kind in content["attributes"]:
        if isinstance(kind, list):
            frame[name] = pandas.Categorical(frame[name], categories=[value for value in kind if value is not None])
    for name in decoder.integers:
        cells = [None if pandas.isna(cell) else _whole(cell) for cell in frame[name]]
        frame[name] = pandas.Series(cells, dtype=object) if None in cells else cells
    return frame


def _whole(cell: str) -> float:
    """Return a cell of type INTEGER; a float would lose digits of large integers."""
    return int(cell) if re.fullmatch(r"[+-]?\d+", cell) else float(cell)


def _write_arff(frame: pd.DataFrame, _labels: Any = None) -> bytes:
    """Encode a table: numbers as numeric attributes, categories as nominal ones, everything else as strings."""
    attributes: list[tuple[str, str | list[str]]] = []
    columns = []
    for name in frame.columns:
        column = frame[name]
        if _fits_float64(column):
            attributes.append((_quoted(name), "NUMERIC"))
            cells = column.astype(float)
        else:
            is_category = str(column.dtype) == "category"
            attributes.append((_quoted(name), list(map(_marked, column.cat.categories)) if is_category else "STRING"))
            cells = column.astype(object).map(_marked)
        columns.append(cells.astype(object).where(column.notna(), None))
    rows = [list(row) for row in zip(*columns, strict=True)]
    content = {"relation": "labeldist", "attributes": attributes, "data": rows}
    return require("arff", "tables").dumps(content).replace(MARK, "").encode()


def _quoted(name: str) -> str:
    """Return a name with escaped quotes, and with a mark by which liac-arff puts it in quotes if it needs them."""
    return MARK + re.sub(r"([\"'\\])", r"\\\1", name) if re.search(r"[\"'\\\t]", name) else name


def _marked(cell: Any) -> str:
    """Return a cell as text, with a mark by which liac-arff puts it in quotes if it looks like a gap or sparse row."""
    return f"{MARK}{cell}" if str(cell) == "?" or re.search("[{}]", str(cell)) else str(cell)


def _arff_decoder(arff: Any) -> Any:
    """Return a decoder with its own parser of attributes.

    That of liac-arff does not unescape names, and takes exponential time on ``{New York, Rome}`` without quotes. In
    attributes of type INTEGER it cuts off fractions, so these are decoded as text, and their names are collected.
    """

    class Decoder(arff.ArffDecoder):  # type: ignore[misc]  # liac-arff has no types
        def __init__(self) -> None:
            super().__init__()
            self.integers: list[str] = []

        def _decode_attribute(self, line: str) -> Any:
            match = ATTRIBUTE.fullmatch(line.strip())
            if match is None:
                raise arff.BadAttributeFormat
            name, kind = match[1], match[2].strip()
            if kind.startswith("{") and not NOMINAL.fullmatch(kind):
                raise arff.BadAttributeType
            if name[0] in "\"'":
                name = re.sub(r"\\(.)", r"\1", name[1:-1])
            if kind.upper() == "INTEGER":
                self.integers.append(name)
                kind = "STRING"
            return name, super()._decode_attribute(f"@attribute name {kind}")[1]

    return Decoder()


# Reader and writer of each format by the suffix of a file.
FORMATS: dict[str, tuple[Callable[[BinaryIO], Any], Callable[[Any, Any], bytes]]] = {
    ".csv": (_read_separated, _write_separated),
    ".tsv": (partial(_read_separated, separators="\t"), partial(_write_separated, separator="\t")),
    ".json": (json_tables.read_json, json_tables.write_json),
    ".jsonl": (json_tables.read_json_lines, json_tables.write_json_lines),
    ".parquet": (partial(_read_arrow, module="parquet"), partial(_write_arrow, module="parquet")),
    ".feather": (partial(_read_arrow, module="feather"), partial(_write_arrow, module="feather")),
    ".arff": (_read_arff, _write_arff),
    ".mat": (partial(_read_matrices, load=_load_mat), partial(_write_matrices, is_mat=True)),
    ".npz": (partial(_read_matrices, load=_load_npz), partial(_write_matrices, is_mat=False)),
}
