"""Resumable execution of tasks by worker processes, and the store of their results."""

from __future__ import annotations

import math
import os
import platform
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, Self

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from labeldist.exceptions import LabelDistError

VERSION = 1  # of the tables
TABLES = (
    "runs (key TEXT PRIMARY KEY, seconds REAL NOT NULL, reason TEXT NOT NULL, versions TEXT)",
    "numbers (key TEXT REFERENCES runs, name TEXT, value REAL, PRIMARY KEY (key, name))",
)
HEARTBEAT = 1.0  # seconds after which a worker notices that its main process was killed
ALL_RESULTS = (
    "SELECT key, seconds, reason, versions, name, value FROM runs LEFT JOIN numbers USING (key)"
)


class Task(Protocol):
    """A computation with named numbers as its result.

    Attributes
    ----------
    key : str
        The identity of the task: everything that determines its result.
    title : str
        Its name in the display of progress.
    """

    @property
    def key(self) -> str: ...

    @property
    def title(self) -> str: ...

    def __call__(self) -> Mapping[str, float]: ...


Result = dict[str, Any]
"""The key of a task, its numbers, seconds, the reason of a failure, and versions of packages."""


class Store:
    """Results in an SQLite file.

    Each result is written in one transaction: after a crash it is stored as a whole or not at all.
    Other processes may read while one writes.

    Parameters
    ----------
    path : path-like or None, default=None
        The file, which is created if needed. None keeps the results in memory.

    See Also
    --------
    compare : Compare learners; `store` is the file of their results.

    Examples
    --------
    >>> from labeldist.comparison import Store
    >>> class Square:
    ...     key = title = "square of 3"
    ...
    ...     def __call__(self):
    ...         return {"square": 3.0**2}
    >>> with Store() as store:
    ...     [result["values"] for result in store.run([Square()])]
    [{'square': 9.0}]
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = ":memory:" if path is None else Path(path)
        with self._errors():
            if isinstance(self.path, Path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=60)
        try:
            with self._errors():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            ((version,),) = connection.execute("PRAGMA user_version")
            ((n_tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
            if n_tables and version != VERSION:
                problem = f"{self.path} is not a store of this version"
                raise LabelDistError(f"{problem}. Use another file.")
            for table in TABLES:
                connection.execute(f"CREATE TABLE IF NOT EXISTS {table} STRICT")
            connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise LabelDistError(f"{self.path} cannot be used as a store: {error}.") from None

    def add(self, result: Result) -> None:
        """Write a result; an earlier one with the same key is replaced.

        Parameters
        ----------
        result : dict
            ``key`` of the task; ``values``, its numbers by name, empty after a failure;
            ``seconds``; ``reason``, empty if it did not fail; ``versions`` of the packages.
        """
        key = result["key"]
        row = (key, result["seconds"], result["reason"], result["versions"])
        numbers = [(key, name, float(value)) for name, value in result["values"].items()]
        with self._errors(), self._connection:
            self._connection.execute("DELETE FROM numbers WHERE key = ?", (key,))
            self._connection.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", row)
            self._connection.executemany("INSERT INTO numbers VALUES (?, ?, ?)", numbers)

    def results(self) -> dict[str, Result]:
        """Return all results by their keys.

        Returns
        -------
        dict of str to dict
            The entries are as in `add`. Failed tasks are included.
        """
        found: dict[str, Result] = {}
        # One statement, since another process may write between two of them.
        with self._errors():
            for *about, name, value in self._connection.execute(ALL_RESULTS):
                result = found.setdefault(about[0], _result(*about))
                if name is not None:
                    result["values"][name] = math.nan if value is None else value
        return found

    def run(self, tasks: Iterable[Task], *, n_jobs: int | None = None) -> Iterator[Result]:
        """Execute the tasks whose results are not in the store, and add the results.

        A task that raises an error is a result with its reason. Progress is shown on a terminal.

        Parameters
        ----------
        tasks : iterable of callable
            Callables without arguments that return numbers by name, with the attributes ``key``
            (everything that determines the numbers) and ``title``. They are started in this order.
        n_jobs : int, default=None
            Number of processes, each with one thread; -1 is one per core. None is one, or what
            ``joblib.parallel_config`` says.

        Yields
        ------
        dict
            New results, as soon as they are stored.

        Raises
        ------
        LabelDistError
            If a worker process was killed. The next call continues with the tasks that are left.
        """
        unique = {task.key: task for task in tasks}
        known = self.results()
        todo = [task for key, task in unique.items() if key not in known]
        done = len(unique) - len(todo)
        # One task at a time per worker, since their times may differ by a factor of a thousand.
        options = {"return_as": "generator_unordered", "batch_size": 1, "pre_dispatch": "2*n_jobs"}
        with _workers(n_jobs), _progress(len(unique)) as show:
            results = joblib.Parallel(**options)(joblib.delayed(attempt)(task) for task in todo)
            try:
                for result in results:
                    self.add(result)
                    done += 1
                    show(done, unique[result["key"]].title)
                    yield result
            except TerminatedWorkerError:
                raise LabelDistError(
                    "A worker process was killed, perhaps by a lack of memory; fewer processes "
                    "need less. Finished results are in the store, and the next call continues "
                    "from there."
                ) from None

    def forget_failures(self) -> None:
        """Remove the results of tasks that failed, so that they run again."""
        with self._errors(), self._connection:
            self._connection.execute("DELETE FROM runs WHERE reason != ''")

    def forget(self, keys: Iterable[str]) -> None:
        """Remove results, so that their tasks run again.

        Parameters
        ----------
        keys : iterable of str
            Their keys; unknown ones have no effect.
        """
        rows = [(key,) for key in keys]
        with self._errors(), self._connection:
            self._connection.executemany("DELETE FROM numbers WHERE key = ?", rows)
            self._connection.executemany("DELETE FROM runs WHERE key = ?", rows)

    def close(self) -> None:
        """Close the file."""
        if hasattr(self, "_connection"):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def attempt(task: Task) -> Result:
    """Execute a task and return its result, also if it raises an error."""
    began = time.perf_counter()
    values: dict[str, float] = {}
    reason = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would repeat in every fold
            values = dict(task())
    except Exception as error:  # one failing method must not stop the others
        reason = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - began
    return _result(task.key, seconds, reason, versions()) | {"values": values}


def _result(key: str, seconds: float, reason: str, versions: str) -> Result:
    """Return a result without numbers."""
    about = {"seconds": seconds, "reason": reason, "versions": versions}
    return {"key": key, "values": {}, **about}


@cache
def versions() -> str:
    """Return the versions of the packages that determine the numbers."""
    packages = ("labeldist", "numpy", "scipy", "scikit-learn")
    named = [f"{name} {metadata.version(name)}" for name in packages]
    return ", ".join([*named, f"Python {platform.python_version()}"])


def _workers(n_jobs: int | None) -> Any:
    if n_jobs is None:
        return nullcontext()
    return joblib.parallel_config(
        "loky",
        n_jobs=n_jobs,
        inner_max_num_threads=1,
        initializer=_end_with,
        initargs=(os.getpid(),),
    )


def _end_with(main: int) -> None:
    """End this worker when its main process was killed; loky would wait for a lock forever."""

    def watch() -> None:
        while os.getppid() == main:
            time.sleep(HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Show on a terminal how many tasks are done, on one line that is removed at the end."""
    is_terminal = sys.stderr.isatty()
    clear = "\r\x1b[K"

    def show(done: int, title: str) -> None:
        if is_terminal:
            print(f"{clear}{done} of {total}: {title}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if is_terminal:
            print(clear, end="", file=sys.stderr, flush=True)
