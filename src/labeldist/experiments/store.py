"""The raw records, in one SQLite file that is whole whenever the power fails."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from labeldist.experiments import seals
from labeldist.experiments.errors import StoreError
from labeldist.experiments.protocols import Value
from labeldist.experiments.spec import DEFAULT, Run, folds_of
from labeldist.experiments.strangers import check_records, is_store

SCHEMA = (
    """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL, method TEXT NOT NULL,
    role TEXT NOT NULL, variant TEXT NOT NULL, parameters TEXT NOT NULL, seed INTEGER NOT NULL, fold INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL, versions TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT ''
) STRICT""",
    """
CREATE TABLE IF NOT EXISTS numbers (
    key TEXT NOT NULL REFERENCES runs, variant TEXT NOT NULL, fold INTEGER NOT NULL, measure TEXT NOT NULL,
    value REAL, PRIMARY KEY (key, variant, fold, measure)
) STRICT""",
)

VERSION = 2
"""Of the tables above; a file of a later version is refused, not guessed at. The first one had no seals."""

WITH_SEALS = "ALTER TABLE runs ADD COLUMN seal TEXT NOT NULL DEFAULT ''"

RESCUE = (
    "Restore a copy of it, or go on with `labeldist reproduce --rescue {path} --store another.sqlite`, which takes "
    "over what is whole and runs the rest again."
)

RECORDS = """
SELECT key AS run, experiment, kind, dataset, method, role,
       coalesce(numbers.variant, runs.variant) AS variant, parameters, seed,
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
    or not at all. Several processes may read while one writes; a second writer waits for the first. A run is sealed:
    values that are not those that were written are never taken for its.

    Parameters
    ----------
    path : path-like
        Made if it is not there, unless `read_only`.
    read_only : bool
        Leave the file as it is; it may lie in a folder that cannot be written to.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        with self._errors("cannot be used as a store of records"):
            if read_only:
                self._connection = connect_to_read(self.path)
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = sqlite3.connect(self.path, timeout=60)
        try:
            with self._errors("cannot be used as a store of records"):
                version = self._check(read_only)
                if not read_only:
                    self._prepare()
        except BaseException:
            self.close()
            raise
        self._sealed = version == VERSION or not read_only

    def _check(self, read_only: bool) -> int:
        """Refuse a file that is damaged or no store; return the version of one that is."""
        # In this order: another process may make the store in between, tables and version at once.
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        known = 1 <= version <= VERSION and is_store(self._connection)
        if not known and (tables or read_only):
            raise StoreError(
                f"{self.path} is no store of records that this version of labeldist knows. Use another file."
            )
        (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{self.path} is damaged: {' '.join(verdict.split())}. {RESCUE.format(path=self.path)}")
        return int(version)

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        with self._connection:
            # Before looking: of two processes that find a file of the first version, one changes it.
            self._connection.execute("BEGIN IMMEDIATE")
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            for statement in [WITH_SEALS] if version == 1 else SCHEMA:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than is needed
            damaged = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
            advice = f" {RESCUE.format(path=self.path)}" if damaged else ""
            raise StoreError(f"{self.path} {what}: {error}.{advice}") from None
        except (OSError, UnicodeError) as error:  # the latter of words that are not UTF-8
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path} {what}: {error}.") from None

    def finished(self) -> set[str]:
        """Return the keys of the runs that are done, well or badly; not of those that are damaged."""
        with self._errors("cannot be read"):
            keys = {key for (key,) in self._connection.execute("SELECT key FROM runs")}
        return keys - self._damaged()

    def _damaged(self) -> set[str]:
        """Return the keys of the runs that are not as they were written."""
        if not self._sealed:
            return set()
        numbers = defaultdict(list)
        with self._errors("cannot be read"):
            for key, *value in self._connection.execute("SELECT * FROM numbers"):
                numbers[key].append(value)
            runs = self._connection.execute(f"SELECT {', '.join(seals.COLUMNS)}, seal FROM runs WHERE seal != ''")  # noqa: S608
            return {row[0] for *row, seal in runs if seals.seal(row, numbers[row[0]]) != seal}

    def forget_failures(self, keys: Iterable[str]) -> int:
        """Remove those of the runs named that failed or took too long, so that they are tried again; say how many."""
        chosen = [(key,) for key in keys]
        failed = "key = ? AND EXISTS (SELECT 1 FROM runs WHERE runs.key = numbers.key AND status != 'ok')"
        with self._errors("cannot be written"), self._connection:
            self._connection.executemany(f"DELETE FROM numbers WHERE {failed}", chosen)  # noqa: S608  # our own text
            return self._connection.executemany("DELETE FROM runs WHERE key = ? AND status != 'ok'", chosen).rowcount

    def forget_damaged(self) -> int:
        """Remove the runs that are not as they were written, so that they are done again; say how many."""
        damaged = [(key,) for key in self._damaged()]
        with self._errors("cannot be written"), self._connection:
            self._connection.executemany("DELETE FROM numbers WHERE key = ?", damaged)
            self._connection.executemany("DELETE FROM runs WHERE key = ?", damaged)
        return len(damaged)

    def update_roles(self, runs: Iterable[Run]) -> None:
        """Give finished runs the roles of the specs as they are now: how a run is shown, not what came of it."""
        with self._errors("cannot be written"), self._connection:
            self._connection.executemany(
                "UPDATE runs SET role = ? WHERE key = ? AND role != ?",
                [(run.method.role, run.key, run.method.role) for run in runs],
            )

    def add(self, outcome: Outcome) -> None:
        """Write a run and its values, both or neither."""
        run = outcome.run
        row = (
            *(run.key, run.experiment, run.kind, run.dataset, run.method.name, run.variant),
            json.dumps({**run.method.parameters, **run.method.grid}, sort_keys=True),
            *(run.seed, run.fold, outcome.status, outcome.reason, float(outcome.seconds), outcome.versions),
        )
        self.take_over([(row, run.method.role, seals.seal(row, outcome.values), outcome.values)])

    def take_over(self, runs: Iterable[tuple[Sequence[Any], str, str, Iterable[Sequence[Any]]]]) -> None:
        """Write runs, the sealed columns, role, seal and values of each, all or none."""
        columns, marks = ", ".join((*seals.COLUMNS, "role", "seal")), ", ".join("?" * (len(seals.COLUMNS) + 2))
        insert = f"INSERT OR REPLACE INTO runs ({columns}) VALUES ({marks})"  # noqa: S608  # our own text
        with self._errors("has not taken the last record; those before it are safe"), self._connection:
            for row, role, seal, values in runs:
                self._connection.execute("DELETE FROM numbers WHERE key = ?", (row[0],))
                self._connection.execute(insert, (*row, role, seal))
                self._connection.executemany(
                    "INSERT INTO numbers VALUES (?, ?, ?, ?, ?)", [(row[0], *value) for value in values]
                )

    def records(self) -> Any:
        """Return a pandas data frame with a row a value, and one for each run that has none, in the paper's order."""
        import pandas as pd

        damaged = self._damaged()
        if damaged:
            raise StoreError(
                f"{self.path} is damaged: {len(damaged)} run(s) are not as they were written. "
                f"`labeldist reproduce --store {self.path}` does them again."
            )
        with self._errors("cannot be read as a store of records"):
            cursor = self._connection.execute(RECORDS)
            frame = pd.DataFrame(cursor.fetchall(), columns=[column for column, *_ in cursor.description])
        check_records(frame, self.path)
        frame["value"] = frame["value"].astype(float)
        frame["folds"] = frame["run"].map({key: folds_of(key) for key in frame["run"].unique()})
        places = {name: place for place, name in enumerate(DEFAULT)}
        frame = frame.sort_values(
            "experiment", key=lambda names: names.map(lambda name: places.get(name, len(places))), kind="stable"
        )
        return frame.reset_index(drop=True).assign(store=self.path.name)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.close()


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a file and leave it, and its folder, as they are."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=60)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.DatabaseError as error:
        connection.close()
        if not isinstance(error, sqlite3.OperationalError):
            raise
        # A folder where SQLite cannot put its index of the log: then nobody writes.
        connection = sqlite3.connect(f"{address}&immutable=1", uri=True)
    return connection


def read_stores(paths: Iterable[str | Path]) -> Any:
    """Return the records of several stores, one below the other, each named by its file, or path if that repeats."""
    import pandas as pd

    files = list(dict.fromkeys(map(Path, paths)))
    unique = len({path.name for path in files}) == len(files)
    frames = []
    for path in files:
        if not path.is_file():
            raise StoreError(f"There is no store {path}. `labeldist reproduce --store {path}` makes one.")
        with Store(path, read_only=True) as store:
            frames.append(store.records().assign(store=path.name if unique else str(path)))
    records = pd.concat(frames, ignore_index=True)
    if records.empty:
        raise StoreError(f"{', '.join(map(str, files))}: there are no records yet. `labeldist reproduce` makes them.")
    return records
