"""Parallel, resumable execution of experiments."""

from __future__ import annotations

import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import metadata
from tempfile import TemporaryDirectory
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from reproduction.data import load
from reproduction.errors import ExperimentError, StoreError
from reproduction.protocols import execute, missing_values
from reproduction.spec import Experiment, Run, expand_grid, runs_of
from reproduction.store import Outcome, Store

RESUME = "Finished runs are in the store; the same command continues from there"

HEARTBEAT = 1.0
"""Seconds after which a worker process notices that its main process was killed."""

SECONDS = {
    "AABP": 31.0,
    "BDLDLCV": 8.0,
    "BDLE": 50.0,
    "BayesLE": 2.0,
    "DFLDL": 40.0,
    "EDLLRL": 6.0,
    "GLLE": 88.0,
    "KM": 9.0,
    "KernelBDLDLCV": 20.0,
    "LDL4C": 20.0,
    "LDLHR": 20.0,
    "LDLSCL": 8.0,
    "LDLSF": 14.0,
    "LDLogitBoost": 12.0,
    "LDSVR": 20.0,
    "LP": 8.0,
    "ML": 36.0,
    "PTBayes": 6.0,
    "PTSVM": 15.0,
    "RidgeLE": 33.0,
    "SAIIS": 14.0,
    "Transductive": 30.0,
    "SoftmaxRegressionCV": 25.0,
}
"""Approximate seconds of a fit on the largest data set; other estimators take about one."""

Watcher = Callable[[int, int, Outcome | None], None]
"""Called with the number of finished runs, the number of all runs, and the last outcome."""


def run(
    experiments: Sequence[Experiment],
    store: Store,
    *,
    jobs: int = -1,
    cluster: str | None = None,
    watch: Watcher | None = None,
) -> None:
    """Execute the runs that are not in the store yet.

    Parameters
    ----------
    experiments : sequence of Experiment
    store : Store
        Written by this process only, one run at a time. After an interruption the next call
        continues.
    jobs : int, default=-1
        Number of processes, each with one thread; -1 is one per core.
    cluster : str, default=None
        Address of a Dask scheduler whose workers execute the runs.
    watch : callable, default=None
        See `Watcher`.
    """
    every = list(
        {one.key: one for experiment in experiments for one in runs_of(experiment)}.values()
    )
    finished = store.finished()
    _check_definitions(every, finished, store)
    todo = [one for one in every if one.key not in finished]
    # A missing data set is one error here instead of a failure of every run.
    sizes = {dataset: load(dataset)[0].shape for dataset in {one.dataset for one in todo}}
    store.update_roles(every)
    done = len(every) - len(todo)
    if watch:
        watch(done, len(every), None)
    shared = _group_by_work(todo)
    # The longest runs start first, so that all workers finish together.
    order = sorted(
        (runs[0] for runs in shared.values()), key=lambda one: -_cost(one, *sizes[one.dataset])
    )
    with TemporaryDirectory() as cache, _workers(jobs, cluster, cache) as attempt_all:
        for outcome in attempt_all(order):
            for one in shared[outcome.run.work]:
                own = replace(outcome, run=one, values=_rename(outcome, one))
                store.add(own)
                done += 1
                if watch:
                    watch(done, len(every), own)


def _group_by_work(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Group runs of several experiments that are the same computation."""
    groups: dict[str, list[Run]] = {}
    for one in runs:
        groups.setdefault(one.work, []).append(one)
    return groups


def _rename(outcome: Outcome, run: Run) -> tuple[Any, ...]:
    """Return the values of an outcome under the variant of another run of the same work."""
    if run.kind == "chain":
        names = dict(
            zip(
                (one.name for one in outcome.run.learners),
                (one.name for one in run.learners),
                strict=True,
            )
        )
        suffix = ", transductive" if run.transductive else ""
        variants = {old + suffix: new + suffix for old, new in names.items()}
        return tuple(value._replace(variant=variants[value.variant]) for value in outcome.values)
    return tuple(value._replace(variant=run.variant) for value in outcome.values)


def _cost(run: Run, n_samples: int, n_features: int) -> float:
    """Estimate the relative time of a run."""
    seconds = sum(SECONDS.get(method.use, 1.0) for method in (run.method, *run.learners))
    n_fits = len(expand_grid(run.method)) * (run.folds if run.fold < 0 and run.n_folds > 1 else 1)
    return seconds * n_fits * n_samples**2 * n_features


def _check_definitions(runs: Iterable[Run], finished: dict[str, str], store: Store) -> None:
    """Raise if the store has runs of an experiment whose definition has changed."""
    keys = {place: key for key, place in finished.items()}
    for one in runs:
        if keys.get(one.place, one.key) != one.key:
            raise StoreError(
                f"{store.path} has runs of {one.experiment!r} with other settings of "
                f"{one.method.name}. Rename the changed experiment, or use another --store."
            )


@contextmanager
def _workers(
    jobs: int, cluster: str | None, cache: str
) -> Iterator[Callable[[Iterable[Run]], Iterable[Outcome]]]:
    if cluster:
        from dask.distributed import Client

        try:
            client = Client(cluster)
        except (OSError, ValueError) as error:
            raise ExperimentError(f"No Dask scheduler answers at {cluster}: {error}.") from None
        with client:
            yield lambda runs: _by_cluster(client, runs)
    elif jobs == 1:
        with threadpool_limits(1):
            yield lambda runs: (attempt(one, cache) for one in runs)
    else:
        with joblib.parallel_config(
            "loky",
            n_jobs=jobs,
            inner_max_num_threads=1,
            initializer=_end_with,
            initargs=(os.getpid(),),
        ):
            yield lambda runs: _by_processes(runs, cache)


def _end_with(main: int) -> None:
    """End this worker when its main process was killed; loky would wait for a lock forever."""

    def watch() -> None:
        while os.getppid() == main:
            time.sleep(HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _by_processes(runs: Iterable[Run], cache: str) -> Iterator[Outcome]:
    # One run at a time per worker, since their times differ by a factor of a thousand.
    parallel = joblib.Parallel(
        return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
    )
    try:
        yield from parallel(joblib.delayed(attempt)(one, cache) for one in runs)
    except TerminatedWorkerError:
        raise ExperimentError(
            f"A worker process was killed, perhaps by a lack of memory. {RESUME}; "
            "--jobs 1 needs the least memory."
        ) from None


def _by_cluster(client: Any, runs: Iterable[Run]) -> Iterator[Outcome]:
    """Yield the outcomes. Dask gives the run of a lost worker to another one, a few times."""
    from dask.distributed import CancelledError, KilledWorker, as_completed

    # Without pure=False, Dask would merge runs with equal arguments.
    futures = dict(zip(client.map(attempt, todo := list(runs), pure=False), todo, strict=True))
    try:
        for future in as_completed(futures):
            one = futures[future]
            yield future.result()
    except KilledWorker:
        raise ExperimentError(
            f"Every worker that tried {one.title!r} was lost, perhaps by a lack of memory. "
            f"{RESUME}."
        ) from None
    except (OSError, CancelledError):
        raise ExperimentError(f"The Dask scheduler was lost. {RESUME}.") from None


def attempt(run: Run, cache: str | None = None) -> Outcome:
    """Execute a run and return its outcome, also if it fails or exceeds its time limit.

    Parameters
    ----------
    run : Run
    cache : str, default=None
        A folder for distributions that several runs need; see `reproduction.protocols.recover`.

    Returns
    -------
    Outcome
    """
    began = time.perf_counter()
    values: tuple[Any, ...] = ()
    status, reason = "ok", ""
    try:
        with _time_limit(run.time_limit):
            values = tuple(execute(run, cache))
    except _OutOfTimeError:
        status, reason = "timeout", f"longer than {run.time_limit:g} s"
    except Exception as error:  # one failing method must not stop the others
        status, reason = "failed", f"{type(error).__name__}: {error}"
    values = values or tuple(missing_values(run))
    return Outcome(run, values, time.perf_counter() - began, status, reason, versions())


class _OutOfTimeError(BaseException):
    """Raised at the time limit; a BaseException, which ``except Exception`` does not catch."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, once the interpreter is in control; a LAPACK call ends first.

    Needs alarms (not on Windows) and the main thread (not on Dask workers).
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
    """Return the versions of the packages that determine the values."""
    packages = ("labeldist", "numpy", "scipy", "scikit-learn")
    return ", ".join(
        [
            *(f"{name} {metadata.version(name)}" for name in packages),
            f"Python {platform.python_version()}",
        ]
    )
