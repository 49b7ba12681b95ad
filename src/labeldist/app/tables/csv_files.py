"""CSV and TSV files.

Cells stay text, so that unused columns are written back unchanged (``007`` stays ``007``).
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, BinaryIO

from labeldist.app.tables import column_kinds as kinds
from labeldist.utils import require

if TYPE_CHECKING:
    import pandas as pd

EXCEL_LINE = re.compile(r"\Asep=[,;\t]\r?\n")  # This line states the separator for Excel.
QUOTED_CELL = re.compile(r'"[^"]*"')
HEADER = re.compile(r'("[^"]*"|[^\r\n])*+')  # Cells in quotes may contain line ends.
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*")


def read_csv(file: BinaryIO, separators: str = ",;\t") -> pd.DataFrame:
    """Read CSV; the separator is the most frequent one in the header, outside quotes.

    The attribute ``attrs["separator"]`` of the table is the separator.
    """
    text = EXCEL_LINE.sub("", file.read().decode("utf-8-sig"))
    separator = find_separator(next(HEADER.finditer(text))[0], separators)
    # With header=None, pandas does not rename duplicate columns.
    table = require("pandas", "app").read_csv(
        io.StringIO(text), sep=separator, header=None, dtype=str, keep_default_na=False
    )
    is_used = (table.to_numpy(object) != "").any(axis=0)
    table = table.loc[:, is_used]  # Spreadsheets write empty columns at the right.
    if separator == "\t":
        _check_quotes(table)
    frame = table.iloc[1:].reset_index(drop=True)
    frame.columns = table.iloc[0].tolist()
    frame.attrs["separator"] = separator
    return frame


def find_separator(header: str, separators: str = ",;\t") -> str:
    """Return the most frequent separator in a header, outside quotes."""
    return max(separators, key=QUOTED_CELL.sub("", header).count)


def read_tsv(file: BinaryIO) -> pd.DataFrame:
    """Read TSV."""
    return read_csv(file, "\t")


def write_csv(frame: pd.DataFrame, separator: str = ",") -> bytes:
    """Encode a table as CSV."""
    return frame.to_csv(index=False, sep=separator, lineterminator="\n").encode()


def write_tsv(frame: pd.DataFrame) -> bytes:
    """Encode a table as TSV."""
    return write_csv(frame, "\t")


def has_decimal_commas(cells: pd.Series[str]) -> bool:
    """Return whether a column holds only numbers, some of them with a decimal comma."""
    filled = cells.to_numpy(object)[~kinds.is_missing(cells)]
    has_comma = any("," in cell for cell in filled)
    return has_comma and all(DECIMAL_COMMA.fullmatch(cell) for cell in filled)


def _check_quotes(table: pd.DataFrame) -> None:
    """Raise an error if a quote at the start of a text joined rows of TSV until the next quote."""
    for name in table.columns:
        joined = table[name].str.contains("\t") & table[name].str.contains("\n")
        if joined.any():
            start = table[name][joined].iloc[0][:20]
            advice = "If its quotes are part of the text, put the cell in quotes and double its own"
            raise ValueError(f"the cell {start!r} in quotes has tabs and line breaks. {advice}")
