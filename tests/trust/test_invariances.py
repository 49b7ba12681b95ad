"""Invariances of the estimators: units, shifts, constant features, threads, processes and global state."""

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
from labeldist.enhancement import FCM, GLLE, KM, LP, ML
from labeldist.features import KernelFeatures
from labeldist.learning import AABP, AAKNN, EDLLRL, LDLLC, PTSVM, SABFGS, SAIIS, DistributionForest, PTBayes
from tests.checks import accuracy
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS
from tests.global_state import global_state
from tests.trust.hard_tables import labels_for, rows_of, table

pytestmark = [pytest.mark.slow, *IGNORE_TAG_WARNINGS]
X, D = table(30, 4, 3)

# The unit of each feature has no effect on these:
OWN_UNITS = [
    *(BDLE(), BDLE(solver="low_rank"), BDLE(0, 0.1, kernel="linear"), GLLE()),
    *(FCM(scale=True), KM(scale=True), LP(scale=True), ML(scale=True)),
    *(BDLDL(scale=True), BDLDLCV(cv=2, scale=True), SABFGS(), SABFGS(fit_intercept=True), SAIIS()),
    *(AABP(max_iter=20, random_state=0), DistributionForest(10, random_state=0), KernelFeatures()),
    EnhancedLearner(BDLE(), BDLDL(scale=True)),
]
# A common unit of all features has no effect on these:
ONE_UNIT = [
    *(FCM(), KM(), LP(width="mean"), ML(), BDLE(scale=False, graph_width="mean"), PTBayes(), PTBayes("diagonal")),
    *(PTSVM(gamma="scale"), AAKNN(), AAKNN(weights="distance"), KernelFeatures(scale=False)),
]
# Units have an effect on these, because of a penalty:
PENALISED = [
    *(BDLDL(), BDLDL(fit_intercept=False), BDLDLCV([1e-3], [1e-2], [0.01], cv=2), EDLLRL(tol=1e-6)),
    *(LDLLC(tol=1e-9), LDLLC(fit_intercept=True, tol=1e-9)),
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


@pytest.mark.parametrize("estimator", PENALISED, ids=repr)
def test_extreme_units_have_the_right_limit(estimator):
    signs = np.array([-1, 0, 1, 1])
    limit = refit(estimator, X * np.array([0, 1, 2.0**26, 2.0**26]))
    assert_allclose(refit(estimator, X * 2.0 ** (480 * signs)), limit, atol=1e-6)
    assert_allclose(refit(estimator, X * 2.0**490), refit(estimator, X * 2.0**26), atol=1e-6)
    assert_allclose(refit(estimator, X * 2.0**-490), refit(estimator, X * 0), atol=1e-5)


SHIFTED = [
    *(e for e in [*OWN_UNITS, *ONE_UNIT] if getattr(e, "fit_intercept", None) is not False),
    *(BDLDL(), EnhancedLearner(BDLE(), BDLDL())),
]


@pytest.mark.parametrize("estimator", SHIFTED, ids=repr)
def test_shift_has_no_effect(estimator):
    # The shift rounds the features at 1e-8, which iterative methods magnify.
    assert_allclose(refit(estimator, X + 1e8), refit(estimator, X), atol=1e-5)


DRAWING_FEATURES = (AABP, DistributionForest)
IGNORING_CONSTANTS = [
    *(e for e in SHIFTED if not isinstance(e, DRAWING_FEATURES) and getattr(e, "gamma", "") != "scale"),
    *(PTSVM(), LP(), LDLLC(fit_intercept=True, tol=1e-9), EDLLRL(fit_intercept=True, tol=1e-6)),
]


@pytest.mark.parametrize("estimator", IGNORING_CONSTANTS, ids=repr)
def test_constant_feature_has_no_effect(estimator):
    expected = refit(estimator, X)
    for value in (0.1, 1e8, 1e-150, 1e150):
        wider = np.column_stack([X[:, :2], np.full(len(X), value), X[:, 2:]])
        assert_allclose(refit(estimator, wider), expected, atol=max(1e-9, accuracy(estimator)))


DRAWING = [
    *(AABP(max_iter=2), PTBayes(sampling="draw"), PTSVM(sampling="draw"), DistributionForest(3)),
    *(KernelFeatures(n_components=5, random_state=None), BDLDLCV(cv=2, random_state=None)),
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
    *(BDLE(), GLLE(), FCM(), KM(), LP(width="mean"), ML(), BDLDL(), BDLDLCV(cv=3), SABFGS(tol=1e-9)),
    *(SAIIS(tol=1e-7), LDLLC(tol=1e-7), PTBayes(), PTSVM(max_rank=20), AAKNN(), EDLLRL(tol=1e-5)),
    *(AABP(max_iter=10, random_state=0), DistributionForest(5, random_state=0), KernelFeatures(n_components=50)),
    *(BDLE(solver="low_rank", random_state=0), EnhancedLearner(BDLE(), BDLDL())),
]
OTHER_PROCESS = """
import json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
np.random.seed(int(sys.argv[1]))
from tests.trust.test_invariances import LARGE, LARGE_D, THREADED, labels_for, rows_of
rows = [rows_of(estimator.fit(LARGE, labels_for(estimator, LARGE_D)), LARGE)[:20].tolist() for estimator in THREADED]
print(json.dumps(rows))
"""


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.VanishingGraphWarning")
def test_threads_processes_and_hash_seeds_have_no_effect():
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "7"}
    output = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, "99"], env=environment, capture_output=True, text=True, check=True
    ).stdout
    for estimator, rows in zip(THREADED, json.loads(output), strict=True):
        with threadpool_limits(1, user_api="blas"):
            here = rows_of(clone(estimator).fit(LARGE, labels_for(estimator, LARGE_D)), LARGE)[:20]
        assert_allclose(here, rows, atol=accuracy(estimator), err_msg=repr(estimator))
