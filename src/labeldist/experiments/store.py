"""The raw records, in one SQLite file that is whole whenever the power fails."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from labeldist.experiments.errors import StoreError
from labeldist.experiments.protocols import Value
from labeldist.experiments.spec import Run

SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL, method TEXT NOT NULL,
    role TEXT NOT NULL, variant TEXT NOT NULL, parameters TEXT NOT NULL, seed INTEGER NOT NULL, fold INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL, versions TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS numbers (
    key TEXT NOT NULL REFERENCES runs, variant TEXT NOT NULL, fold INTEGER NOT NULL, measure TEXT NOT NULL,
    value REAL, PRIMARY KEY (key, variant, fold, measure)
) STRICT;
"""

VERSION = 1
"""Of the tables above; a file of another version is refused, not guessed at."""

RECORDS = """
SELECT experiment, kind, dataset, method, role, coalesce(numbers.variant, runs.variant) AS variant, parameters, seed,
       coalesce(numbers.fold, max(runs.fold, 0)) AS fold, coalesce(measure, '') AS measure, value, seconds, status,
       reason, versions
FROM runs LEFT JOIN numbers USING (key) ORDER BY experiment, dataset, method, parameters, seed, fold, variant, measure
"""


@dataclass(frozen=True)
class Outcome:
    """What became of a run: its values, or why there are none."""

    run: Run
    values: tuple[Value, ...]
    seconds: float
    status: str = "ok"
    reason: str = ""
    versions: str = ""


class Store:
    """Raw records of experiments.

    A run and its values are written in one transaction: after a crash at any moment a run is there with all its values,
    or not at all. Several processes may read while one writes; a second writer waits for the first.

    Parameters
    ----------
    path : path-like
        Made if it is not there.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=60)
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.path} cannot be used as a store of records: {error}.") from None

    def _prepare(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise StoreError(
                f"{self.path} was written by another version of labeldist (tables of version {version}, this one knows "
                f"{VERSION}). Use another file."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        with self._connection:
            self._connection.executescript(SCHEMA)
            self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def finished(self) -> set[str]:
        """Return the keys of the runs that are done, well or badly."""
        return {key for (key,) in self._connection.execute("SELECT key FROM runs")}

    def forget_failures(self) -> int:
        """Remove the runs that failed or took too long, so that they are tried again; return how many."""
        with self._connection:
            return self._connection.execute("DELETE FROM runs WHERE status != 'ok'").rowcount

    def add(self, outcome: Outcome) -> None:
        """Write a run and its values, both or neither."""
        run = outcome.run
        row = (
            *(run.key, run.experiment, run.kind, run.dataset, run.method.name, run.method.role, run.variant),
            json.dumps({**run.method.parameters, **run.method.grid}, sort_keys=True),
            *(run.seed, run.fold, outcome.status, outcome.reason, outcome.seconds, outcome.versions),
        )
        values = [(run.key, *value) for value in outcome.values]
        try:
            with self._connection:
                self._connection.execute(f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * 14)})", row)  # noqa: S608
                self._connection.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?, ?, ?, ?)", values)
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path}: a record could not be written ({error}); those before it are safe."
            ) from None

    def records(self) -> Any:
        """Return a pandas data frame with a row a value, and one for each run that has none."""
        import pandas as pd

        try:
            frame = pd.read_sql_query(RECORDS, self._connection)
        except (sqlite3.Error, pd.errors.DatabaseError) as error:
            raise StoreError(f"{self.path} cannot be read as a store of records: {error}.") from None
        return frame.assign(store=self.path.name)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.close()


def read_stores(paths: Iterable[str | Path]) -> Any:
    """Return the records of several stores, one below the other."""
    import pandas as pd

    frames = []
    for path in map(Path, paths):
        if not path.is_file():
            raise StoreError(f"There is no store {path}. `labeldist reproduce --store {path}` makes one.")
        with Store(path) as store:
            frames.append(store.records())
    return pd.concat(frames, ignore_index=True)
