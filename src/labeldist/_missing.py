"""Masked entries and NaT, which a conversion to floats reads as numbers."""

from typing import Any

import numpy as np

NAT = -(2.0**63)  # the float that NumPy makes of NaT


def check_not_missing(given: Any, numbers: Any = None, *, name: str) -> None:
    """Raise an error if `given` has masked entries or, with its conversion `numbers` to floats, NaT."""
    if np.ma.is_masked(given):
        missing = np.ma.getmaskarray(given)
    elif not isinstance(numbers, np.ndarray) or getattr(getattr(given, "dtype", None), "kind", "O") in "biuf":
        return  # only dates and durations have NaT
    elif not (missing := numbers == NAT).any():
        return
    rows = np.flatnonzero(missing.any(axis=1) if missing.ndim > 1 else missing)
    advice = "Fill these entries, or drop the rows."
    raise ValueError(f"{name} has masked entries or NaT in {len(rows)} row(s), first in row {rows[0]}. {advice}")
