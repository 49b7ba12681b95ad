"""Resumable execution of functions that are not described by a specification."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from labeldist.comparison import Store, run_tasks


@dataclass(frozen=True)
class Call:
    """A call of a function that returns numbers; its arguments are the key of the task."""

    function: Callable[..., Mapping[str, float]]
    arguments: tuple[Any, ...]

    @property
    def key(self) -> str:
        """The identity of the task."""
        return ":".join(map(str, self.arguments))

    title = key

    def __call__(self) -> Mapping[str, float]:
        """Call the function."""
        return self.function(*self.arguments)


def run_calls(calls: Iterable[Call], path: Path) -> pd.DataFrame:
    """Execute the calls that a store does not contain yet, with one process per core.

    Returns
    -------
    DataFrame
        One row of numbers per call, indexed by the arguments as text.
    """
    with Store(path) as store:
        store.forget_failures()
        for result in run_tasks(calls, store, n_jobs=-1):
            if result.reason:
                sys.exit(f"{result.key}: {result.reason}")
        results = store.results()
    numbers = {tuple(key.split(":")): result.values for key, result in results.items()}
    return pd.DataFrame.from_dict(numbers, orient="index")
