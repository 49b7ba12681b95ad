"""Masked entries, dates and durations, which a conversion to floats reads as numbers."""

import re
from typing import Any

import numpy as np

_TIME = re.compile("date|time|duration|period", re.IGNORECASE)  # names of types in NumPy, pandas, polars and Arrow


def check_entries(given: Any, *, name: str, times: bool = False) -> None:
    """Raise an error if `given` has masked entries or, unless `times` are allowed, a type of dates or durations."""
    if np.ma.is_masked(given):
        missing = np.ma.getmaskarray(given)
        rows = np.flatnonzero(missing.any(axis=1) if missing.ndim > 1 else missing)
        advice = "Fill these entries, or drop the rows."
        raise ValueError(f"{name} has masked entries in {len(rows)} row(s), first in row {rows[0]}. {advice}")
    types = getattr(given, "dtypes", getattr(getattr(given, "schema", given), "types", getattr(given, "dtype", ())))
    for column, kind in enumerate(() if times else np.atleast_1d(np.asarray(types, dtype=object))):
        if _TIME.match(str(kind)):
            problem = f"{name} has dates or durations, first in column {column} ({kind})"
            raise ValueError(f"{problem}. Convert them to numbers, such as days since a date.")
