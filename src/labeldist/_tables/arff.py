"""Reader and writer of ARFF, the format of Weka and of the MULAN multi-label data sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist._extras import require

if TYPE_CHECKING:
    import pandas as pd

# The quantifiers are possessive, so that a line that does not match fails in linear time.
QUOTED = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
VALUE = rf"""\s*+(?:{QUOTED}|[^\s,"'{{}}]*+)\s*+"""
NOMINAL = re.compile(rf"\{{{VALUE}(?:,{VALUE})*+\}}")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{}}%,]+)\s+(.+)", re.IGNORECASE)


def read_arff(file: BinaryIO) -> pd.DataFrame:
    """Read an ARFF file, dense or sparse; nominal attributes become categories."""
    pandas, arff = require("pandas", "app"), require("arff", "tables")
    try:
        content = _decoder(arff).decode(file.read().decode("utf-8-sig"))
    except arff.ArffException as error:
        # str(error) would fail on a percent sign that the message quotes from the file.
        raise ValueError(error.message.replace("%d", str(error.line))) from None
    frame = pandas.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])
    for name, kind in content["attributes"]:
        if isinstance(kind, list):
            frame[name] = pandas.Categorical(frame[name], categories=[value for value in kind if value is not None])
    return frame


def write_arff(frame: pd.DataFrame, _labels: Any = None) -> bytes:
    """Encode a table: numbers as numeric attributes, categories as nominal ones, everything else as strings."""
    attributes: list[tuple[str, str | list[str]]] = []
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "biuf":
            attributes.append((name, "NUMERIC"))
            cells = column.astype(float)
        else:
            is_category = str(column.dtype) == "category"
            attributes.append((name, list(map(str, column.cat.categories)) if is_category else "STRING"))
            cells = column.astype(object).map(str)
        columns.append(cells.astype(object).where(column.notna(), None))
    rows = [list(row) for row in zip(*columns, strict=True)]
    content = {"relation": "labeldist", "attributes": attributes, "data": rows}
    return require("arff", "tables").dumps(content).encode()


def _decoder(arff: Any) -> Any:
    """Return a decoder with its own parser of attributes.

    The parser of liac-arff does not unescape names, and takes exponential time on values without quotes, such as
    ``{New York, Rome}``.
    """

    class Decoder(arff.ArffDecoder):  # type: ignore[misc]  # liac-arff has no types
        def _decode_attribute(self, line: str) -> Any:
            match = ATTRIBUTE.fullmatch(line.strip())
            if match is None:
                raise arff.BadAttributeFormat
            name, kind = match[1], match[2].strip()
            if kind.startswith("{") and not NOMINAL.fullmatch(kind):
                raise arff.BadAttributeType
            if name[0] in "\"'":
                name = re.sub(r"\\(.)", r"\1", name[1:-1])
            return name, super()._decode_attribute(f"@attribute name {kind}")[1]

    return Decoder()
