"""ARFF files, dense or sparse, as MULAN and Weka write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from labeldist.utils import require

if TYPE_CHECKING:
    import pandas as pd

INTEGER = re.compile(r"^(@attribute\s.*\s)integer\s*$", re.IGNORECASE | re.MULTILINE)


def read_arff(file: BinaryIO) -> pd.DataFrame:
    """Read an ARFF file; nominal attributes become categories."""
    pandas = require("pandas", "app")
    library = require("arff", "tables")
    text = file.read().decode("utf-8-sig")
    # liac-arff cuts off the fractions of values that files declare as integers.
    text = INTEGER.sub(r"\1numeric", text)
    try:
        content = library.loads(text)
    except library.ArffException as error:
        # str(error) would fail on a percent sign that the message quotes from the file.
        raise ValueError(error.message.replace("%d", str(error.line))) from None
    columns = {}
    for position, (name, kind) in enumerate(content["attributes"]):
        cells = [row[position] for row in content["data"]]
        if isinstance(kind, list):
            cells = pandas.Categorical(cells, categories=kind)
        columns[re.sub(r"\\(.)", r"\1", name)] = cells  # liac-arff keeps the escapes of names
    return pandas.DataFrame(columns)
