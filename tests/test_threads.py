import os
import subprocess
import sys
from pathlib import Path

import pytest
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from labeldist import BDLDL, BDLDLCV, BDLE
from labeldist._threads import one_thread, threads_for
from labeldist.datasets import binarize, make_artificial
from labeldist.features import KernelFeatures
from labeldist.learning import SABFGS

ROOT = Path(__file__).parents[1]


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


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


def test_threads_are_restored_after_fits_in_several_python_threads():
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    subprocess.run([sys.executable, "-c", IN_FOUR_THREADS], check=True, env=environment, cwd=ROOT)


@pytest.mark.parametrize("estimator", [BDLE(), BDLDL(), BDLDLCV(), SABFGS(), KernelFeatures()], ids=repr)
def test_estimators_limit_the_threads_of_small_tables(estimator, monkeypatch):
    entered = []
    monkeypatch.setattr("labeldist._threads._blas", lambda: entered.append(1) or ThreadpoolController())
    X, D = make_artificial(40, random_state=0)
    estimator.fit(X, binarize(D) if isinstance(estimator, BDLE) else D)
    assert entered
    entered.clear()
    (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(X)
    assert entered
