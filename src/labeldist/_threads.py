"""Limit of the number of BLAS threads where matrices are small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

# NumPy and SciPy have a pool of threads each, and idle threads of one slow down the other. Below this number of
# multiplications (about a second of one thread) that costs more than a second thread gains.
SMALL = 1e10

_LOCK = Lock()


def threads_for(n: int, m: int) -> AbstractContextManager[None]:
    """Use one BLAS thread in the block if the product of an m × n matrix with its transpose is `SMALL`."""
    return one_thread() if n * m * m < SMALL else nullcontext()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one BLAS thread in the block."""
    limiter = None
    with _LOCK:  # BLAS has one setting for all Python threads; the one that changed it restores it
        if any(library.num_threads > 1 for library in _blas().lib_controllers):
            limiter = _blas().limit(limits=1).__enter__()
    try:
        yield
    finally:
        if limiter is not None:
            with _LOCK:
                limiter.__exit__(None, None, None)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")  # finding the libraries takes milliseconds
