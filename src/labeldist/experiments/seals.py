"""Seals: a run carries a checksum of itself and its values, by which it is known whether it is as it was written.

SQLite notices a page that makes no sense, but not a number in which a bit has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

COLUMNS = (
    *("key", "experiment", "kind", "dataset", "method", "variant", "parameters", "seed", "fold", "status", "reason"),
    *("seconds", "versions"),
)
"""The columns of a run that are sealed. Its role is missing: that is the spec's, and may change."""


def seal(row: Sequence[Any], values: Iterable[Sequence[Any]]) -> str:
    """Return the checksum of a run, its `COLUMNS`, and its values, the same before they are stored and after."""
    numbers = sorted([*place, _as_stored(value)] for *place, value in values)
    content = [_as_stored(cell) if isinstance(cell, float) else cell for cell in row]
    return hashlib.sha256(json.dumps([content, numbers]).encode()).hexdigest()


def _as_stored(value: float | None) -> float | None:
    """Return what SQLite makes of a number: NaN is nothing, and zero has no sign."""
    return None if value is None or value != value else float(value) + 0.0
