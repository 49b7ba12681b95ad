"""Invariances of the estimators: units, shifts, constant features, threads and global state."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionForest
from labeldist.published import (
    AABP,
    AAKNN,
    EDLLRL,
    FCM,
    GLLE,
    KM,
    LDLLC,
    LP,
    ML,
    PTSVM,
    SABFGS,
    SAIIS,
    PTBayes,
)
from tests.checks import accuracy
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS
from tests.global_state import global_state
from tests.numerics.hard_tables import labels_for, rows_of, table

pytestmark = [pytest.mark.slow, IGNORE_TAG_WARNINGS]
X, D = table(30, 4, 3)

# The unit of each feature has no effect on these:
OWN_UNITS = [
    BDLE(),
    BDLE(solver="low_rank"),
    BDLE(0, 0.1, kernel="linear"),
    GLLE(),
    FCM(scale=True),
    KM(scale=True),
    LP(scale=True),
    ML(scale=True),
    BDLDL(scale=True),
    BDLDL(scale=True, fit_intercept=False),
    BDLDLCV(cv=2, scale=True),
    SABFGS(),
    SABFGS(fit_intercept=True),
    SAIIS(),
    AABP(max_iter=20, random_state=0),
    DistributionForest(10, random_state=0),
    KernelFeatures(),
    EnhancedLearner(BDLE(), BDLDL(scale=True)),
]
# A common unit of all features has no effect on these:
ONE_UNIT = [
    FCM(),
    KM(),
    LP(graph_width="mean"),
    ML(),
    BDLE(scale=False, graph_width="mean"),
    PTBayes(),
    PTBayes("diagonal"),
    PTSVM(gamma="scale"),
    AAKNN(),
    AAKNN(weights="distance"),
    KernelFeatures(scale=False),
]


def refit(estimator, X):
    return rows_of(clone(estimator).fit(X, labels_for(estimator, D)), X)


@pytest.mark.parametrize("estimator", [*OWN_UNITS, *ONE_UNIT], ids=repr)
def test_common_unit_has_no_effect(estimator):
    expected = refit(estimator, X)
    for exponent in (-490, -20, 20, 490):
        assert_allclose(refit(estimator, X * 2.0**exponent), expected, atol=1e-12)


@pytest.mark.parametrize("estimator", OWN_UNITS, ids=repr)
def test_unit_of_each_feature_has_no_effect(estimator):
    expected = refit(estimator, X)
    for exponent in (20, 240):
        units = 2.0 ** (exponent * np.array([-2, -1, 0, 2]))
        assert_allclose(refit(estimator, X * units), expected, atol=1e-12)


SHIFTED = [e for e in OWN_UNITS + ONE_UNIT if getattr(e, "fit_intercept", None) is not False]
SHIFTED += [BDLDL(), EnhancedLearner(BDLE(), BDLDL())]


@pytest.mark.parametrize("estimator", SHIFTED, ids=repr)
def test_shift_has_no_effect(estimator):
    # The shift rounds the features at 1e-8, which iterative methods magnify.
    assert_allclose(refit(estimator, X + 1e8), refit(estimator, X), atol=1e-5)


IGNORING_CONSTANTS = [
    *(e for e in SHIFTED if not isinstance(e, AABP | DistributionForest | PTSVM)),
    PTSVM(),
    LP(),
    LDLLC(fit_intercept=True, tol=1e-9),
    EDLLRL(fit_intercept=True, tol=1e-6),
]


@pytest.mark.parametrize("estimator", IGNORING_CONSTANTS, ids=repr)
def test_constant_feature_has_no_effect(estimator):
    expected = refit(estimator, X)
    for value in (0.1, 1e8, 1e-150, 1e150):
        wider = np.column_stack([X[:, :2], np.full(len(X), value), X[:, 2:]])
        assert_allclose(refit(estimator, wider), expected, atol=max(1e-9, accuracy(estimator)))


DRAWING = [
    AABP(max_iter=2),
    PTBayes(sampling="draw"),
    PTSVM(sampling="draw"),
    DistributionForest(3),
    KernelFeatures(n_components=5, random_state=None),
    BDLDLCV(cv=2, random_state=None),
]


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *DRAWING], ids=repr)
def test_fit_does_not_change_global_state(estimator):
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=None)
    y = labels_for(estimator, D)
    np.random.seed(5)  # noqa: NPY002  # the state under test
    random.seed(5)
    before = global_state()
    rows_of(clone(estimator).fit(X, y), X)
    assert global_state() == before


@pytest.mark.parametrize("estimator", DRAWING, ids=repr)
def test_random_state_none_ignores_the_global_seed(estimator):
    results = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        fitted = clone(estimator).fit(X, D)
        scores = getattr(fitted, "cv_results_", {}).get("split0_test_score")
        results.append(rows_of(fitted, X) if scores is None else scores)
    assert not np.array_equal(*results)


LARGE, LARGE_D = table(200, 30, 4, seed=1)
"""Large enough for multithreaded matrix products."""

THREADED = [
    BDLE(),
    BDLE(solver="low_rank", random_state=0),
    GLLE(),
    FCM(),
    KM(),
    LP(graph_width="mean"),
    ML(),
    BDLDL(),
    BDLDLCV(cv=3),
    SABFGS(tol=1e-9),
    SAIIS(tol=1e-7),
    LDLLC(tol=1e-7),
    EDLLRL(tol=1e-5),
    PTBayes(),
    PTSVM(max_rank=20),
    AAKNN(),
    AABP(max_iter=10, random_state=0),
    DistributionForest(5, random_state=0),
    KernelFeatures(n_components=50),
]


def first_rows(estimator):
    """Fit a copy to the large table, and return the first of its rows."""
    fitted = clone(estimator).fit(LARGE, labels_for(estimator, LARGE_D))
    return rows_of(fitted, LARGE)[:20]


OTHER_PROCESS = """
import json, warnings
import numpy as np
warnings.simplefilter("ignore")
np.random.seed(99)
from tests.numerics.test_invariances import THREADED, first_rows
print(json.dumps([first_rows(estimator).tolist() for estimator in THREADED]))
"""


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.VanishingGraphWarning")
def test_threads_processes_and_hash_seeds_have_no_effect():
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", OTHER_PROCESS]
    output = subprocess.check_output(command, env=os.environ | threads)
    for estimator, rows in zip(THREADED, json.loads(output), strict=True):
        with threadpool_limits(1, user_api="blas"):
            here = first_rows(estimator)
        assert_allclose(here, rows, atol=accuracy(estimator), err_msg=repr(estimator))
