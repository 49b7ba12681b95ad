"""Resumable execution of experiments, and the records of a store."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from labeldist.comparison import Store
from labeldist.exceptions import LabelDistError
from labeldist.metrics import PAPER_MEASURES
from reproduction.data import load
from reproduction.protocols import execute
from reproduction.significance import place
from reproduction.spec import PAPER, Experiment, Run, expand_grid, runs_of
from reproduction.tasks import Task

COLUMNS = [
    *("run", "experiment", "kind", "dataset", "method", "role", "variant", "parameters", "folds"),
    *("seed", "fold", "measure", "value", "seconds", "status", "reason", "versions"),
]
ORDER = ["dataset", "method", "parameters", "seed", "fold", "variant", "measure"]
PLACE = ("experiment", "kind", "variant", "dataset", "seed", "fold")


def run(experiments: Sequence[Experiment], store: Store, *, jobs: int = -1) -> None:
    """Execute the runs that are not in the store yet.

    Parameters
    ----------
    experiments : sequence of Experiment
    store : Store
        Written by this process only, one run at a time. After an interruption the next call
        continues.
    jobs : int, default=-1
        Number of processes, each with one thread; -1 is one per core.
    """
    every = {one.key: one for experiment in experiments for one in runs_of(experiment)}
    finished = store.results()
    _check_definitions(every, finished, store)
    todo = [one for key, one in every.items() if key not in finished]
    groups: dict[str, list[Run]] = {}
    for one in todo:  # Several experiments may share the same work.
        groups.setdefault(one.work, []).append(one)
    twins = {runs[0].key: runs[1:] for runs in groups.values()}
    with TemporaryDirectory() as cache:
        tasks = [
            Task(one.key, one.title, partial(_execute_in_time, one, cache))
            for one in sorted((runs[0] for runs in groups.values()), key=_cost, reverse=True)
        ]
        for result in store.run(tasks, n_jobs=jobs):
            for one in twins[result["key"]]:
                store.add(result | {"key": one.key})


def _cost(one: Run) -> int:
    """Estimate the time of a run; the longest start first, so that all workers finish together."""
    # A missing data set is one error here instead of a failure of every run.
    n_samples, n_features = load(one.dataset)[0].shape
    return len(expand_grid(one.method)) * n_samples**2 * n_features


def _check_definitions(runs: dict[str, Run], finished: Iterable[str], store: Store) -> None:
    """Raise if the store has runs of an experiment whose definition has changed."""
    places = {_place(key): key for key in runs}
    for key in finished:
        expected = places.get(_place(key), key)
        if expected != key:
            raise LabelDistError(
                f"{store.path} has other settings of {runs[expected].title}. "
                "Rename the changed experiment, or use another --store."
            )


def _place(key: str) -> str:
    """Return the cell of a table that shows the values of a run."""
    content = json.loads(key)
    method = content["method"]
    point = method["parameters"] if content["kind"] == "grid" else {}
    return json.dumps([*(content[name] for name in PLACE), method["name"], point], sort_keys=True)


class _OutOfTimeError(BaseException):
    """Raised at the time limit; a BaseException, which ``except Exception`` does not catch."""


def _execute_in_time(one: Run, cache: str) -> dict[str, float]:
    with _time_limit(one.time_limit):
        return execute(one, cache)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, once the interpreter is in control; a LAPACK call ends first.

    Needs alarms (not on Windows).
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(_signal: int, _frame: Any) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _OutOfTimeError:
        raise TimeoutError(f"longer than {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read_store(path: str | Path, *, attributes: bool = False) -> pd.DataFrame:
    """Return the records of a store: one row for each value, and one for each failed run.

    Parameters
    ----------
    path : path-like
    attributes : bool, default=False
        Whether to return also attributes of estimators, and measures that the paper does not have.

    Returns
    -------
    DataFrame
        The experiments of the paper come first, in its order.
    """
    if not Path(path).is_file():
        raise LabelDistError(
            f"{path} does not exist. `python -m reproduction run --store {path}` creates it."
        )
    with Store(path) as store:
        results = store.results()
    rows = []
    for key, result in results.items():
        content = json.loads(key)
        method = content.pop("method")
        about = (
            result
            | content
            | method
            | {
                "run": key,
                "method": method["name"],
                "parameters": json.dumps(method["parameters"] | method["grid"]),
                "status": _status(result["reason"]),
                "reason": result["reason"].removeprefix("TimeoutError: "),
            }
        )
        for measure, value in (result["values"] or {"": float("nan")}).items():
            if attributes or measure in ("", *PAPER_MEASURES):
                rows.append(about | {"measure": measure, "value": value})
    if not rows:
        raise LabelDistError(
            f"{path} has no records. `python -m reproduction run --store {path}` adds them."
        )
    rows.sort(key=_place_in_tables)
    return pd.DataFrame(rows, columns=COLUMNS)


def _status(reason: str) -> str:
    if reason.startswith("TimeoutError"):
        return "timeout"
    return "failed" if reason else "ok"


def _place_in_tables(row: dict[str, Any]) -> list[Any]:
    return [place(row["experiment"], PAPER), *(row[name] for name in ORDER)]
