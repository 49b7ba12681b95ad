"""What a file of records must not be, when it comes from somebody else: another database, or records made up."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from labeldist.experiments.errors import StoreError
from labeldist.experiments.methods import ROLES
from labeldist.experiments.spec import KINDS, NAME, folds_of
from labeldist.metrics import MEASURES

TABLES = ("numbers", "runs")
STATUSES = ("ok", "failed", "timeout")


def is_store(connection: sqlite3.Connection) -> bool:
    """Whether a database has the tables of a store and nothing else.

    A view in the place of a table may never come to an end, and a trigger may change what is written.
    """
    connection.execute("PRAGMA trusted_schema = OFF")
    objects = connection.execute("SELECT name, type FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    if objects != [(name, "table") for name in TABLES]:
        return False
    stored = connection.execute("SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND strict").fetchone()
    computed = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden"
    return stored == (len(TABLES),) and all(connection.execute(computed, (name,)).fetchone() == (0,) for name in TABLES)


def check_records(frame: Any, where: Any) -> None:
    """Refuse records that no run can have left: reports rely on their names, and files are named by them."""
    known: dict[str, Callable[[str], object]] = {
        "run": folds_of,
        "experiment": NAME.fullmatch,
        "kind": KINDS.__contains__,
        "role": ROLES.__contains__,
        "measure": ("", *MEASURES).__contains__,
        "status": STATUSES.__contains__,
        "parameters": lambda text: isinstance(json.loads(text), dict),
    }
    for column, is_known in known.items():
        for value in frame[column].unique():
            try:
                refused = not is_known(value)
            except (ValueError, TypeError, IndexError, RecursionError):
                refused = True
            if refused:
                raise StoreError(f"{where} has records that no experiment leaves: {column} {value!r:.100}.")
