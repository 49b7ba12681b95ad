"""Tasks, and the resumable execution of those that no specification describes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from labeldist.comparison import Store


class Task(NamedTuple):
    """A function without arguments that returns numbers, with its identity and its name."""

    key: str
    title: str
    function: Callable[[], Mapping[str, float]]

    def __call__(self) -> Mapping[str, float]:
        """Call the function."""
        return self.function()


def task_of(function: Callable[..., Mapping[str, float]], *arguments: Any) -> Task:
    """Return the task to call a function; its arguments are the identity of the task."""
    key = ":".join(map(str, arguments))
    return Task(key, key, partial(function, *arguments))


def run_all(tasks: Iterable[Task], path: Path) -> pd.DataFrame:
    """Execute the tasks that a store does not contain yet, with one process per core.

    Returns
    -------
    DataFrame
        One row of numbers per task, indexed by the arguments as text.
    """
    with Store(path) as store:
        store.forget_failures()
        for result in store.run(tasks, n_jobs=-1):
            if result["reason"]:
                sys.exit(f"{result['key']}: {result['reason']}")
        results = store.results()
    numbers = {tuple(key.split(":")): result["values"] for key, result in results.items()}
    return pd.DataFrame.from_dict(numbers, orient="index")
