"""Raw records of experiments in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pandas as pd

from labeldist.metrics import PAPER_MEASURES
from reproduction.errors import StoreError
from reproduction.protocols import Value
from reproduction.spec import PAPER, Run

VERSION = 3
"""Version of the tables; files of other versions are rejected."""

RUNS = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, place TEXT NOT NULL, experiment TEXT NOT NULL, kind TEXT NOT NULL,
    dataset TEXT NOT NULL, method TEXT NOT NULL, role TEXT NOT NULL, variant TEXT NOT NULL,
    parameters TEXT NOT NULL, folds INTEGER NOT NULL, seed INTEGER NOT NULL, fold INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL, versions TEXT NOT NULL
) STRICT"""
NUMBERS = """
CREATE TABLE IF NOT EXISTS numbers (
    key TEXT NOT NULL REFERENCES runs, variant TEXT NOT NULL, fold INTEGER NOT NULL,
    measure TEXT NOT NULL, value REAL, PRIMARY KEY (key, variant, fold, measure)
) STRICT"""
RECORDS = """
SELECT key AS run, experiment, kind, dataset, method, role, numbers.variant, parameters, folds,
       seed, numbers.fold, measure, value, seconds, status, reason, versions
FROM runs JOIN numbers USING (key)
ORDER BY experiment, dataset, method, parameters, seed, numbers.fold, numbers.variant, measure"""


@dataclass(frozen=True)
class Outcome:
    """A run with its values, or with the reason why it has none."""

    run: Run
    values: tuple[Value, ...]
    seconds: float
    status: str = "ok"
    reason: str = ""
    versions: str = ""


class Store:
    """Raw records of experiments.

    A run and its values are written in one transaction: after a crash a run is stored with all its
    values or not at all. Other processes may read while one writes.

    Parameters
    ----------
    path : path-like
        Created if it does not exist, unless `read_only`.
    read_only : bool, default=False
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        if read_only and not self.path.is_file():
            raise StoreError(
                f"{path} does not exist. `python -m reproduction run --store {path}` creates it."
            )
        with self._errors():
            if not read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            mode = "ro" if read_only else "rwc"
            self._connection = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}", uri=True, timeout=60
            )
        try:
            with self._errors():
                self._prepare(read_only)
        except BaseException:
            self.close()
            raise

    def _prepare(self, read_only: bool) -> None:
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if tables and version != VERSION:
            raise StoreError(f"{self.path} is not a store of this version. Use another file.")
        if read_only:
            return
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(RUNS)
            self._connection.execute(NUMBERS)
            self._connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be used as a store: {error}.") from None
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path} cannot be used as a store: {error.strerror}.") from None

    def finished(self) -> dict[str, str]:
        """Return the places of the finished runs, failed ones included, by their keys."""
        with self._errors():
            return dict(self._connection.execute("SELECT key, place FROM runs"))

    def forget_failures(self) -> int:
        """Remove the runs that failed or exceeded their time limit, and return their number."""
        with self._errors(), self._connection:
            self._connection.execute(
                "DELETE FROM numbers WHERE key IN (SELECT key FROM runs WHERE status != 'ok')"
            )
            return self._connection.execute("DELETE FROM runs WHERE status != 'ok'").rowcount

    def update_roles(self, runs: Iterable[Run]) -> None:
        """Give finished runs the roles that their specs have now; a role does not affect values."""
        roles = [(run.method.role, run.key) for run in runs]
        with self._errors(), self._connection:
            self._connection.executemany("UPDATE runs SET role = ? WHERE key = ?", roles)

    def add(self, outcome: Outcome) -> None:
        """Write a run and its values in one transaction."""
        run = outcome.run
        parameters = json.dumps({**run.method.parameters, **run.method.grid}, sort_keys=True)
        row = (
            *(
                run.key,
                run.place,
                run.experiment,
                run.kind,
                run.dataset,
                run.method.name,
                run.method.role,
            ),
            *(
                run.variant,
                parameters,
                run.n_folds,
                run.seed,
                run.fold,
                outcome.status,
                outcome.reason,
            ),
            *(outcome.seconds, outcome.versions),
        )
        with self._errors(), self._connection:
            self._connection.execute("DELETE FROM numbers WHERE key = ?", (run.key,))
            places = ", ".join("?" * len(row))
            statement = f"INSERT OR REPLACE INTO runs VALUES ({places})"  # noqa: S608
            self._connection.execute(statement, row)
            numbers = [(run.key, *value) for value in outcome.values]
            self._connection.executemany("INSERT INTO numbers VALUES (?, ?, ?, ?, ?)", numbers)

    def records(self, *, attributes: bool = False) -> pd.DataFrame:
        """Return one row for each measured value, and one for each run that has none.

        Parameters
        ----------
        attributes : bool, default=False
            Whether to return the other numbers, attributes of estimators and measures that the
            paper does not have, instead of the values of the paper's measures.

        Returns
        -------
        DataFrame
            The experiments of the paper come first, in its order.
        """
        with self._errors():
            cursor = self._connection.execute(RECORDS)
            frame = pd.DataFrame(
                cursor.fetchall(), columns=[column for column, *_ in cursor.description]
            )
        frame = frame[frame["measure"].isin(["", *PAPER_MEASURES]) != attributes]
        frame["value"] = frame["value"].astype(float)
        order = {name: place for place, name in enumerate(PAPER)}
        place = frame["experiment"].map(lambda name: order.get(name, len(order)))
        return frame.loc[place.sort_values(kind="stable").index].reset_index(drop=True)

    def close(self) -> None:
        """Close the file."""
        if hasattr(self, "_connection"):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_store(path: str | Path, *, attributes: bool = False) -> Any:
    """Return the records of a store; see `Store.records`."""
    with Store(path, read_only=True) as store:
        records = store.records(attributes=attributes)
    if records.empty and not attributes:
        raise StoreError(
            f"{path} has no records. `python -m reproduction run --store {path}` adds them."
        )
    return records
