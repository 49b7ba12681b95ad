"""What a damaged store still has."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labeldist.experiments import seals
from labeldist.experiments.errors import StoreError
from labeldist.experiments.store import Store, connect_to_read

SMALLEST_ROW = 16
"""No row takes fewer bytes: so many are tried as would fill the file."""


def rescue(damaged: str | Path, store: Store) -> int:
    """Copy to a store those runs of a damaged one whose seals hold; return how many.

    Each row is asked for by its number, so that one that cannot be read costs no other. Runs of the first version of
    stores have no seals and are left behind: nothing tells whether they are whole.
    """
    damaged = Path(damaged)
    if not damaged.is_file():
        raise StoreError(f"There is no store {damaged}.")
    try:
        connection = connect_to_read(damaged)
    except sqlite3.Error as error:
        raise StoreError(f"Nothing of {damaged} can be rescued: {error}. Run its experiments again.") from None
    last = damaged.stat().st_size // SMALLEST_ROW
    numbers = defaultdict(list)
    for key, *value in _readable(connection, "SELECT * FROM numbers", last):
        numbers[key].append(value)
    columns = ", ".join(seals.COLUMNS)
    whole = [
        (row, role, seal, numbers[row[0]])
        for *row, role, seal in _readable(connection, f"SELECT {columns}, role, seal FROM runs", last)  # noqa: S608
        if seals.seal(row, numbers[row[0]]) == seal
    ]
    connection.close()
    store.take_over(whole)
    return len(whole)


def _readable(connection: sqlite3.Connection, query: str, last: int) -> Iterator[Any]:
    for number in range(1, last + 1):
        try:
            row = connection.execute(f"{query} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.Error:
            continue
        if row:
            yield row
