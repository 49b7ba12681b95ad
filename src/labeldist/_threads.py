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

_LIMIT = Lock()
_PROCESS = os.getpid()  # another one in processes that are forked later


def threads_for(n: int, m: int) -> AbstractContextManager[Any]:
    """Use one BLAS thread in the block if the product of n rows of m columns is small."""
    return one_thread() if n * m * m < SMALL else nullcontext()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one BLAS thread in the block, unless a block sets the limit already.

    The limit holds for the process. Of several Python threads only one sets and restores it:
    a second one would restore the limit of the first.
    """
    if not _LIMIT.acquire(blocking=False):
        yield
        return
    try:
        with _blas().limit(limits=1):
            yield
    finally:
        _LIMIT.release()


def fork_safe() -> AbstractContextManager[Any]:
    """Use one OpenMP thread in the block if this process was forked.

    With more threads OpenMP hangs in a forked process, if the parent had started some as well.
    """
    return nullcontext() if os.getpid() == _PROCESS else threadpool_limits(1, "openmp")


@cache  # finding the libraries takes milliseconds
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
