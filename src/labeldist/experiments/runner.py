"""Run experiments into a store: in parallel, with what is done already left out; a method that fails stops no other."""

from __future__ import annotations

import json
import os
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
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from labeldist.experiments.errors import ExperimentError, StoreError
from labeldist.experiments.material import material, size
from labeldist.experiments.protocols import carry_out, without_values
from labeldist.experiments.spec import Experiment, Run, runs_of
from labeldist.experiments.store import Outcome, Store

GOES_ON = "What was finished is in the store, and the same command goes on from there"

HEARTBEAT = 1.0
"""So many seconds a worker process may outlive a main process that was killed."""

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
    every = list({one.key: one for experiment in experiments for one in runs_of(experiment)}.values())
    finished = store.finished()
    _refuse_other_definitions(every, finished, store)
    for dataset in {one.dataset for one in every if one.key not in finished}:
        material(dataset)  # a set that cannot be had is better known now than as a failure of every run
    store.update_roles(every)
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


def _refuse_other_definitions(runs: Iterable[Run], finished: Iterable[str], store: Store) -> None:
    """Refuse to mix, under one name, the records of an experiment before and after it was changed."""
    known = {}
    for key in finished:
        experiment, kind, dataset, variant, transductive, _, seed, fold, _, methods = json.loads(key)
        point = methods[0][2] if kind == "grid" else {}
        place = [experiment, kind, dataset, variant, transductive, methods[0][0], point, seed, fold]
        known[json.dumps(place, sort_keys=True)] = key
    for one in runs:
        if known.get(one.place, one.key) != one.key:
            raise StoreError(
                f"{store.path} has runs of {one.experiment!r} with other settings of {one.method.name}. Give the "
                "changed experiment another name, or use another --store."
            )


@contextmanager
def _workers(jobs: int, cluster: str | None) -> Iterator[Callable[[Iterable[Run]], Iterable[Outcome]]]:
    if cluster:
        from dask.distributed import Client

        try:
            client = Client(cluster)
        except (OSError, ValueError) as error:
            raise ExperimentError(f"There is no Dask scheduler at {cluster}: {error}.") from None
        with client:
            yield lambda runs: _by_cluster(client, runs)
    elif jobs == 1:
        with threadpool_limits(1):
            yield lambda runs: map(attempt, runs)
    else:
        with joblib.parallel_config(
            "loky", n_jobs=jobs, inner_max_num_threads=1, initializer=_end_with, initargs=(os.getpid(),)
        ):
            yield _by_processes


def _end_with(main: int) -> None:
    """End this worker when its main process has: loky's wait for a lock that a main process took to its grave."""

    def watch() -> None:
        while os.getppid() == main:
            time.sleep(HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _by_processes(runs: Iterable[Run]) -> Iterator[Outcome]:
    # One run at a time for each worker: runs differ a thousandfold in length.
    parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
    try:
        yield from parallel(joblib.delayed(attempt)(one) for one in runs)
    except TerminatedWorkerError:
        raise ExperimentError(
            f"A worker process was killed, perhaps for want of memory. {GOES_ON}; --jobs 1 needs the least memory."
        ) from None


def _by_cluster(client: Any, runs: Iterable[Run]) -> Iterator[Outcome]:
    """Yield what comes back. A run whose worker is lost is done by another; Dask gives it up after some losses."""
    from dask.distributed import CancelledError, KilledWorker, as_completed

    # Keys of their own: two runs of equal arguments must not be taken for one.
    futures = dict(zip(client.map(attempt, todo := list(runs), pure=False), todo, strict=True))
    try:
        for future in as_completed(futures):
            one = futures[future]
            yield future.result()
    except KilledWorker:
        raise ExperimentError(
            f"Every worker that tried {one.title!r} was lost, perhaps for want of memory. {GOES_ON}."
        ) from None
    except (OSError, CancelledError):
        raise ExperimentError(f"The Dask scheduler was lost. {GOES_ON}.") from None


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
    values = values or tuple(without_values(run))
    return Outcome(run, values, time.perf_counter() - began, status, reason, versions())


class _OutOfTimeError(BaseException):
    """Passes through a method's own ``except Exception``."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, as soon as Python gets a word in: a single long call of LAPACK ends first.

    Only where the system has alarms, and in the main thread, which gets them.
    """
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
