"""ARFF, the format of Weka and of MULAN's collection of multi-label sets, with MULAN's XML list of the labels."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist._extras import require
from labeldist._unpacking import CELL, check_columns, check_size, room_for
from labeldist.exceptions import DatasetNotFoundError, TableError

if TYPE_CHECKING:
    import pandas as pd


QUOTED = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
QUOTED_NAME = re.compile(rf"@\w+\s++{QUOTED}")
OPENING = re.compile(r"\s\{")
VALUE = rf"""\s*+(?:{QUOTED}|[^\s,"'{{}}]*+)\s*+"""
NOMINAL = re.compile(rf"\{{{VALUE}(?:,{VALUE})*+\}}")
"""The values of a nominal attribute. Nothing that was matched is given back, so that the time is that of one look."""


def read_arff(name: str, file: BinaryIO) -> pd.DataFrame:
    """Read an ARFF file, dense or sparse; nominal cells are text, missing ones are missing."""
    pandas, arff = require("pandas", "app"), require("arff", "tables")
    try:
        content = file.read()
        text = content.decode("utf-8-sig")
        sparse = "@data" in text.lower() and _first_row(text).startswith("{")
        table = _decoder(arff).decode(text, return_type=arff.LOD if sparse else arff.DENSE)
        attributes, rows = table["attributes"], table["data"]
        check_columns(len(attributes))
        check_size(CELL * len(attributes) * len(rows), room_for(len(content)))  # a sparse row takes three bytes
    except UnicodeDecodeError as error:
        raise TableError(f"{name} is no text in UTF-8 (byte {error.start}).") from None
    except Exception as error:  # liac-arff stumbles over what it does not foresee, and then over its own words for it
        raise TableError(f"{name} cannot be read as ARFF: {_said(error)}") from None
    if sparse:  # what a sparse row leaves out is 0, or the first of a nominal attribute's values
        zeros = [kind[0] if isinstance(kind, list) else 0.0 for _, kind in attributes]
        rows = [[row.get(k, zero) for k, zero in enumerate(zeros)] for row in rows]
    return pandas.DataFrame(rows, columns=[column for column, _ in attributes])


def _decoder(arff: Any) -> Any:
    """Return a decoder that looks at nominal attributes before liac-arff does.

    Where a list of values is not what it should be, such as ``{New York, Rome}`` without quotes, the time that
    liac-arff takes to find that out doubles with every value.
    """

    class Decoder(arff.ArffDecoder):  # type: ignore[misc]  # liac-arff has no types
        def _decode_attribute(self, line: str) -> Any:
            line = line.strip()
            name = QUOTED_NAME.match(line)
            # Wherever liac-arff may think that the values begin.
            openings = [match.start() + 1 for match in OPENING.finditer(line, name.end() if name else 0)]
            if any(not NOMINAL.fullmatch(line, opening) for opening in openings):
                raise arff.BadAttributeType
            return super()._decode_attribute(line)

    return Decoder()


def _said(error: Exception) -> str:
    try:
        return str(error)
    except (TypeError, ValueError):  # a % of the file in the words of liac-arff
        return f"{type(error).__name__}."


def _first_row(text: str) -> str:
    data = text[text.lower().index("@data") :].splitlines()[1:]
    return next((line.strip() for line in data if line.strip() and not line.lstrip().startswith("%")), "")


def arff_bytes(frame: pd.DataFrame) -> bytes:
    """Return a table as ARFF: numbers are numeric attributes, everything else strings."""
    arff = require("arff", "tables")
    numeric = {name: frame[name].dtype.kind in "biuf" for name in frame.columns}
    columns = [
        frame[name].astype(float).tolist() if numeric[name] else frame[name].astype(str).tolist()
        for name in frame.columns
    ]
    content: dict[str, Any] = {
        "relation": "labeldist",
        "attributes": [(name, "NUMERIC" if numeric[name] else "STRING") for name in frame.columns],
        "data": [list(row) for row in zip(*columns, strict=True)],
    }
    buffer = io.StringIO()
    arff.dump(content, buffer)
    return buffer.getvalue().encode()


def read_label_names(path: str | os.PathLike[str]) -> list[str]:
    """Read the names of label columns from MULAN's XML, or from a text file with one name a line."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}.") from error
    names = _names_in_xml(content, path) if path.suffix.lower() == ".xml" else _names_in_lines(content, path)
    if not names:
        raise TableError(f"{path} names no labels.")
    return names


def _names_in_lines(content: bytes, path: Path) -> list[str]:
    try:
        return [line.strip() for line in content.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is no text in UTF-8 (byte {error.start}).") from None


def _names_in_xml(content: bytes, path: Path) -> list[str]:
    """Names of all elements ``label``, nested ones of a hierarchy included. Entities are refused by defusedxml."""
    tree = require("defusedxml.ElementTree", "tables")
    defused = require("defusedxml", "tables")
    try:
        root = tree.fromstring(content, forbid_dtd=True)
    except defused.DefusedXmlException as error:
        raise TableError(
            f"{path} is refused: it declares a document type or entities ({type(error).__name__})."
        ) from None
    except (tree.ParseError, ValueError, LookupError) as error:  # the last two of an encoding that nobody knows
        raise TableError(f"{path} cannot be read as XML: {error}.") from None
    found = [element.get("name") for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    return [name for name in found if name]
