"""What a damaged store still has."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from labeldist.experiments import seals
from labeldist.experiments.errors import StoreError
from labeldist.experiments.store import Store, connect_to_read

SMALLEST_ROW = 16
"""No row takes fewer bytes: so many are tried as would fill the file."""


def rescue(damaged: str | Path, store: Store) -> int:
    """Copy to a store those runs of a damaged one whose seals hold; return how many.

    Rows are asked for by their numbers, so that one that cannot be read costs no other. Runs of the first version of
    stores have no seals: nothing tells whether they are whole.
    """
    damaged = Path(damaged)
    if not damaged.is_file():
        raise StoreError(f"There is no store {damaged}.")
    try:
        connection = connect_to_read(damaged)
    except sqlite3.Error as error:
        raise StoreError(f"Nothing of {damaged} can be rescued: {error}. Run its experiments again.") from None
    if not connection.execute("SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'seal'").fetchone()[0]:
        connection.close()
        raise StoreError(f"{damaged} has no seals, so nothing tells which runs are whole. Run its experiments again.")
    last = damaged.stat().st_size // SMALLEST_ROW
    numbers = defaultdict(list)
    for key, *value in _readable(connection, "SELECT rowid, * FROM numbers", last):
        numbers[key].append(value)
    columns = ", ".join(seals.COLUMNS)
    whole = [
        (row, role, seal, numbers[row[0]])
        for *row, role, seal in _readable(connection, f"SELECT rowid, {columns}, role, seal FROM runs", last)  # noqa: S608
        if _holds(seal, row, numbers[row[0]])
    ]
    connection.close()
    store.take_over(whole)
    return len(whole)


def _holds(seal: str, row: Sequence[Any], numbers: Iterable[Sequence[Any]]) -> bool:
    try:
        return seals.seal(row, numbers) == seal
    except (TypeError, ValueError):  # of damage that made a number a text, or the other way round
        return False


def _readable(connection: sqlite3.Connection, query: str, last: int) -> Iterator[Any]:
    """Yield the rows that can be read, in the order of their numbers; behind damage it goes on number by number."""
    reached = 0
    while reached < last:
        try:
            for number, *row in connection.execute(f"{query} WHERE rowid > ? ORDER BY rowid", (reached,)):
                if number > reached:  # as it is, but for damage
                    reached = number
                    yield row
        except sqlite3.Error:
            reached += 1
        else:
            return
