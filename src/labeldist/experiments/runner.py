"""Run experiments into a store: in parallel, with what is done already left out, and no run able to stop the others."""

from __future__ import annotations

import platform
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from typing import Any

import joblib

from labeldist.experiments.material import size
from labeldist.experiments.protocols import carry_out
from labeldist.experiments.spec import Experiment, Run, runs_of
from labeldist.experiments.store import Outcome, Store

Watcher = Callable[[int, int, Outcome | None], None]
"""Told how many runs are done, how many there are, and what became of the last."""


def run(
    experiments: Sequence[Experiment],
    store: Store,
    *,
    jobs: int = -1,
    cluster: str | None = None,
    watch: Watcher | None = None,
) -> None:
    """Carry out what the store does not have yet.

    Parameters
    ----------
    experiments : sequence of Experiment
    store : Store
        Written by this process alone, a run at a time. Interrupted at any moment, the next call goes on from there.
    jobs : int
        Processes at once; -1 is one a core. Each computes with one thread.
    cluster : str, default=None
        The address of a Dask scheduler; its workers do the runs. Needs ``labeldist[dask]``.
    watch : callable, default=None
        See `Watcher`.
    """
    every = [one for experiment in experiments for one in runs_of(experiment)]
    finished = store.finished()
    # The longest first, so that the last worker does not begin one when the others are done.
    todo = sorted((one for one in every if one.key not in finished), key=lambda one: -size(one.dataset))
    done = len(every) - len(todo)
    if watch:
        watch(done, len(every), None)
    with _workers(jobs, cluster) as attempt_all:
        for outcome in attempt_all(todo):
            store.add(outcome)
            done += 1
            if watch:
                watch(done, len(every), outcome)


@contextmanager
def _workers(jobs: int, cluster: str | None) -> Iterator[Callable[[Iterable[Run]], Iterable[Outcome]]]:
    if cluster:
        from dask.distributed import Client, as_completed

        with Client(cluster) as client:
            # Keys of their own: two runs of equal arguments must not be taken for one.
            yield lambda runs: (future.result() for future in as_completed(client.map(attempt, list(runs), pure=False)))
    elif jobs == 1:
        yield lambda runs: map(attempt, runs)
    else:
        with joblib.parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
            # One run at a time for each worker: runs differ a thousandfold in length.
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
            yield lambda runs: parallel(joblib.delayed(attempt)(one) for one in runs)


def attempt(run: Run) -> Outcome:
    """Carry out a run; failing and taking too long are outcomes, too."""
    began = time.perf_counter()
    values: tuple[Any, ...] = ()
    status, reason = "ok", ""
    try:
        with _time_limit(run.time_limit):
            values = tuple(carry_out(run))
    except _OutOfTimeError:
        status, reason = "timeout", f"longer than {run.time_limit:g} s"
    except Exception as error:  # whatever a method does, the others go on
        status, reason = "failed", f"{type(error).__name__}: {error}"
    return Outcome(run, values, time.perf_counter() - began, status, reason, versions())


class _OutOfTimeError(BaseException):
    """Passes through a method's own ``except Exception``."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer; only where the system has alarms, and in the main thread, which gets them."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_signal: int, _frame: Any) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@cache
def versions() -> str:
    """Return the versions that decide the figures."""
    packages = ("labeldist", "numpy", "scipy", "scikit-learn")
    return ", ".join(
        [*(f"{name} {metadata.version(name)}" for name in packages), f"Python {platform.python_version()}"]
    )
