"""Limits of the number of BLAS and OpenMP threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController, threadpool_limits

# NumPy and SciPy have a pool of threads each, and idle threads of one slow down the other. Below
# this number of multiplications (about a second of one thread) that costs more than a second thread
# gains.
SMALL = 1e10

_PROCESS = os.getpid()  # another one in processes that are forked later


def threads_for(n: int, m: int) -> AbstractContextManager[None]:
    """Use one BLAS thread in the block if the product of n rows of m columns is small."""
    return one_thread() if n * m * m < SMALL else nullcontext()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one BLAS thread in the block, and everywhere while a Python thread is in such a block."""
    _LIMIT.enter()
    try:
        with _openmp_blas().limit(limits=1):  # has a limit for each Python thread
            yield
    finally:
        _LIMIT.leave()


def fork_safe() -> AbstractContextManager[Any]:
    """Use one OpenMP thread in the block if this process was forked.

    With more threads OpenMP hangs in a forked process, if the parent had started some as well.
    """
    return nullcontext() if os.getpid() == _PROCESS else threadpool_limits(1, "openmp")


class _Limit:
    """The limit of BLAS threads, which all Python threads inside `one_thread` share."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.before: list[int] | None = None  # numbers of threads to restore

    def enter(self) -> None:
        with self.lock:
            self.n_inside += 1
            numbers = [library.num_threads for library in _shared_blas()]
            if self.before is None and max(numbers, default=1) > 1:
                self.before = numbers
                _set_threads([1] * len(numbers))

    def leave(self) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0 and self.before is not None:
                _set_threads(self.before)
                self.before = None


_LIMIT = _Limit()


def _set_threads(numbers: list[int]) -> None:
    _release_control()
    for library, number in zip(_shared_blas(), numbers, strict=True):
        library.set_num_threads(number)
    _release_control()


def _release_control() -> None:
    """Let any Python thread set limits: threadpoolctl 3.8 ignores all but the first one."""
    for library in _shared_blas():
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache  # finding the libraries takes milliseconds
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


@cache
def _openmp_blas() -> ThreadpoolController:
    return _blas().select(threading_layer="openmp")


@cache
def _shared_blas() -> list[Any]:
    """Return the libraries with one limit for all Python threads."""
    per_thread = _openmp_blas().lib_controllers
    return [library for library in _blas().lib_controllers if library not in per_thread]
