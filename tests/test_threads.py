"""Tests of the threads of matrix products."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from labeldist import BDLDL, BDLDLCV, BDLE
from labeldist._threads import one_thread, threads_for
from labeldist.datasets import binarize, make_artificial
from labeldist.features import KernelFeatures
from labeldist.published import SABFGS

ROOT = Path(__file__).parents[1]


def blas_threads():
    """Return the numbers of threads of NumPy and SciPy; faiss has a library of its own."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {pool["num_threads"] for pool in pools if "py.libs" in pool["filepath"]}


@pytest.mark.parametrize(("n", "m", "threads"), [(400, 300, 1), (10**6, 200, 2)])
def test_only_small_products_use_one_thread(n, m, threads):
    with threadpool_limits(2, "blas"):
        with threads_for(n, m):
            assert blas_threads() == {threads}
        assert blas_threads() == {2}


def test_threads_are_restored_after_an_error():
    with threadpool_limits(2, "blas"):
        with pytest.raises(ZeroDivisionError), one_thread():
            _ = 1 / 0
        assert blas_threads() == {2}


IN_FOUR_THREADS = """
from concurrent.futures import ThreadPoolExecutor
from labeldist import BDLDL
from labeldist.datasets import make_artificial
from tests.test_threads import blas_threads

X, D = make_artificial(40, random_state=0)
before = blas_threads()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda _: BDLDL().fit(X, D), range(100)))
assert before == blas_threads() == {2}, (before, blas_threads())
"""


@pytest.mark.slow
def test_threads_are_restored_after_fits_in_several_python_threads():
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    subprocess.run([sys.executable, "-c", IN_FOUR_THREADS], check=True, env=environment, cwd=ROOT)


IN_A_FORKED_PROCESS = """
import os
import numpy as np
from labeldist.datasets import make_artificial
from labeldist.published import AAKNN, EDLLRL, LDLLDM, LDLSCL

X, D = make_artificial(60, random_state=0)
X = np.tile(X, 6)  # trees of neighbours with fewer features use no OpenMP
for learner in (LDLSCL(max_iter=2), EDLLRL(max_iter=2), LDLLDM(max_iter=2), AAKNN()):
    learner.fit(X, D).predict(X)
    child = os.fork()
    if child == 0:
        learner.fit(X, D).predict(X)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fits_in_a_forked_process():
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-W", "ignore", "-c", IN_A_FORKED_PROCESS]
    # A child that hangs is ended with its group.
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        assert process.wait(timeout=30) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "estimator", [BDLE(), BDLDL(), BDLDLCV(), SABFGS(), KernelFeatures()], ids=repr
)
def test_estimators_limit_the_threads_of_small_tables(estimator, monkeypatch):
    entered = []

    def limit():
        entered.append(1)
        return nullcontext()

    monkeypatch.setattr("labeldist._threads.one_thread", limit)
    X, D = make_artificial(40, random_state=0)
    estimator.fit(X, binarize(D) if isinstance(estimator, BDLE) else D)
    assert entered
    entered.clear()
    (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(X)
    assert entered
