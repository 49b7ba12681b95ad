"""What must not matter does not: order, units where a method promises it, threads, processes, global state."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.enhancement import FCM, GLLE, KM, LP, ML, LogicalSoftmax, Uniform
from labeldist.features import KernelFeatures
from labeldist.learning import (
    AABP,
    AAKNN,
    EDLLRL,
    LDLLC,
    LDLSCL,
    PTSVM,
    SABFGS,
    SAIIS,
    DistributionForest,
    MeanDistribution,
    PTBayes,
)
from labeldist.metrics import kl_divergence
from tests.checks import accuracy
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS
from tests.global_state import global_state
from tests.trust.hard_tables import labels_for, rows_of, table

pytestmark = IGNORE_TAG_WARNINGS

X, D = table(30, 4, 3)

# What a method promises of units. Every feature may have its own:
OWN_UNITS = [
    *(BDLE(), BDLE(solver="low_rank"), BDLE(0, 0.1, kernel="linear"), GLLE()),
    *(FCM(scale=True), KM(scale=True), LP(scale=True), ML(scale=True), Uniform(), LogicalSoftmax()),
    *(BDLDL(scale=True), BDLDLCV(cv=2, scale=True), SABFGS(), SABFGS(fit_intercept=True), SAIIS()),
    *(AABP(max_iter=20, random_state=0), DistributionForest(10, random_state=0), MeanDistribution(), KernelFeatures()),
    EnhancedLearner(BDLE(), BDLDL(scale=True)),
]
# All features may have another, the same for all:
ONE_UNIT = [
    *(FCM(), KM(), LP(width="mean"), ML(), BDLE(scale=False, graph_width="mean"), PTBayes(), PTBayes("diagonal")),
    *(PTSVM(gamma="scale"), AAKNN(), AAKNN(algorithm="brute"), AAKNN(weights="distance"), KernelFeatures(scale=False)),
]
# A penalty or a width sees the units; of very large ones the penalty vanishes, in very small ones the features do:
UNITS_COUNT = [
    *(BDLDL(), BDLDL(fit_intercept=False), BDLDLCV([1e-3], [1e-2], [0.01], cv=2), EDLLRL(tol=1e-6)),
    *(LDLLC(tol=1e-9), LDLLC(fit_intercept=True, tol=1e-9)),
]
INVARIANT = [*OWN_UNITS, *ONE_UNIT]


def refitted(estimator, X):
    return rows_of(clone(estimator).fit(X, labels_for(estimator, D)), X)


@pytest.mark.parametrize("exponent", [-490, -90, -20, 20, 90, 490])
@pytest.mark.parametrize("estimator", INVARIANT, ids=repr)
def test_the_unit_of_all_features_does_not_matter(estimator, exponent):
    assert_allclose(refitted(estimator, X * 2.0**exponent), refitted(estimator, X), atol=1e-12)


@pytest.mark.parametrize("exponent", [20, 240])
@pytest.mark.parametrize("estimator", OWN_UNITS, ids=repr)
def test_the_unit_of_each_feature_does_not_matter(estimator, exponent):
    units = 2.0 ** (exponent * np.array([-2, -1, 0, 2]))
    assert_allclose(refitted(estimator, X * units), refitted(estimator, X), atol=1e-12)


@pytest.mark.parametrize("estimator", UNITS_COUNT, ids=repr)
def test_where_units_count_extreme_ones_have_the_limit_that_they_should(estimator):
    signs = np.array([-1, 0, 1, 1])
    limit = refitted(estimator, X * np.array([0, 1, 2.0**26, 2.0**26]))
    assert_allclose(refitted(estimator, X * 2.0 ** (480 * signs)), limit, atol=1e-6)
    assert_allclose(refitted(estimator, X * 2.0**490), refitted(estimator, X * 2.0**26), atol=1e-6)
    assert_allclose(refitted(estimator, X * 2.0**-490), refitted(estimator, X * 0), atol=1e-5)


@pytest.mark.parametrize("exponent", [-490, -26, 26, 490])
def test_ldlscl_ends_elsewhere_in_other_units_but_does_as_well(exponent):
    learner, unit = LDLSCL(), 2.0**exponent
    usual = kl_divergence(D, refitted(learner, X))
    assert kl_divergence(D, refitted(learner, X * unit)) < 1.1 * usual


SHIFTED = [
    *(e for e in INVARIANT if getattr(e, "fit_intercept", None) is not False),
    BDLDL(),
    EnhancedLearner(BDLE(), BDLDL()),
]


@pytest.mark.parametrize("estimator", SHIFTED, ids=repr)
def test_a_shift_of_the_features_does_not_matter(estimator):
    # The shift itself rounds the features at 1e-8, and what searches or interpolates magnifies that.
    assert_allclose(refitted(estimator, X + 1e8), refitted(estimator, X), atol=1e-5)


CONSTANT_PROOF = [
    *(e for e in SHIFTED if not isinstance(e, AABP | DistributionForest) and getattr(e, "gamma", "") != "scale"),
    *(PTSVM(), LP(), LDLLC(fit_intercept=True, tol=1e-9), EDLLRL(fit_intercept=True, tol=1e-6)),
]


@pytest.mark.parametrize("value", [0.0, 0.1, 1e8, 1e-150, 1e150])
@pytest.mark.parametrize("estimator", CONSTANT_PROOF, ids=repr)
def test_a_constant_feature_does_not_matter(estimator, value):
    wider = np.column_stack([X[:, :2], np.full(len(X), value), X[:, 2:]])
    assert_allclose(refitted(estimator, wider), refitted(estimator, X), atol=max(1e-9, accuracy(estimator)))


@pytest.mark.parametrize("value", [0.1, 1e150])
@pytest.mark.parametrize("learner", [AABP(max_iter=20, random_state=0), DistributionForest(random_state=0)], ids=repr)
def test_where_features_are_drawn_the_value_of_a_constant_one_does_not_matter(learner, value):
    zero, other = (np.column_stack([X, np.full(len(X), constant)]) for constant in (0.0, value))
    assert_allclose(refitted(learner, other), refitted(learner, zero), atol=1e-12)


EVERYONE = [
    *(e for e in ESTIMATORS if "lbfgs" not in repr(e)),
    *(DistributionForest(5, random_state=0), KernelFeatures(), BDLDLCV(cv=2, random_state=3), PTBayes(sampling="draw")),
    *(BDLE(solver="low_rank", random_state=1), BDLE(solver="lbfgs", random_state=1), FCM(random_state=1)),
]
everyone = pytest.mark.parametrize("estimator", EVERYONE, ids=repr)


@everyone
def test_numbers_in_single_precision_are_those_numbers_in_double(estimator):
    single = X.astype(np.float32)
    if isinstance(estimator, PTBayes) and estimator.sampling == "draw":
        estimator = clone(estimator).set_params(random_state=0)
    rows = rows_of(clone(estimator).fit(single, labels_for(estimator, D)), single)
    assert rows.dtype == np.float64
    assert_allclose(rows, refitted(estimator, single.astype(float)), atol=accuracy(estimator))


@everyone
def test_nothing_global_is_read_or_changed(estimator):
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=None)
    y = labels_for(estimator, D)
    np.random.seed(5)  # noqa: NPY002  # the state that must not be touched
    random.seed(5)
    before = global_state()
    rows_of(clone(estimator).fit(X, y), X)
    assert global_state() == before


@pytest.mark.parametrize(
    "estimator",
    [
        *(AABP(max_iter=2), PTBayes(sampling="draw"), PTSVM(sampling="draw"), DistributionForest(3)),
        *(KernelFeatures(n_components=5, random_state=None), BDLDLCV(cv=2, random_state=None)),
    ],
    ids=repr,
)
def test_chance_without_a_seed_is_not_that_of_numpys_global_seed(estimator):
    found = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        fitted = clone(estimator).fit(X, D)
        found.append(fitted.cv_results_["split0_test_score"] if hasattr(fitted, "cv_results_") else rows_of(fitted, X))
    assert not np.array_equal(*found)


@everyone
def test_a_seed_decides_and_refitting_changes_nothing(estimator):
    if "random_state" in estimator.get_params() and estimator.random_state is None:
        estimator = clone(estimator).set_params(random_state=0)
    y = labels_for(estimator, D)
    fitted = clone(estimator).fit(X, y)
    once = rows_of(fitted, X)
    assert_array_equal(rows_of(fitted.fit(X, y), X), once)
    assert_array_equal(refitted(estimator, X), once)


LARGE, LARGE_D = table(200, 30, 4, seed=1)
"""Large enough for a product of matrices to be shared by threads."""

THREADED = [
    *(BDLE(), GLLE(), FCM(), KM(), LP(width="mean"), ML(), BDLDL(), BDLDLCV(cv=3), SABFGS(tol=1e-9)),
    *(SAIIS(tol=1e-7), LDLLC(tol=1e-7), PTBayes(), PTSVM(max_rank=20), AAKNN(), EDLLRL(tol=1e-5)),
    *(AABP(max_iter=10, random_state=0), DistributionForest(5, random_state=0), KernelFeatures(n_components=50)),
    *(BDLE(solver="low_rank", random_state=0), EnhancedLearner(BDLE(), BDLDL())),
]


@pytest.mark.filterwarnings("ignore:Half of the neighbour graph")
@pytest.mark.parametrize("estimator", THREADED, ids=repr)
def test_the_number_of_threads_does_not_matter(estimator):
    y = labels_for(estimator, LARGE_D)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(rows_of(clone(estimator).fit(LARGE, y), LARGE))
    assert_allclose(found[1], found[0], atol=accuracy(estimator))


ELSEWHERE = """
import json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
np.random.seed(int(sys.argv[1]))
from tests.trust.test_invariances import LARGE, LARGE_D, THREADED, labels_for, rows_of
rows = [rows_of(estimator.fit(LARGE, labels_for(estimator, LARGE_D)), LARGE)[:20].tolist() for estimator in THREADED]
print(json.dumps(rows))
"""


@pytest.mark.filterwarnings("ignore:Half of the neighbour graph")
def test_another_process_with_other_threads_and_hashes_finds_the_same():
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "7"}
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, "99"], env=environment, capture_output=True, text=True, check=True
    ).stdout
    for estimator, rows in zip(THREADED, json.loads(told), strict=True):
        here = rows_of(clone(estimator).fit(LARGE, labels_for(estimator, LARGE_D)), LARGE)[:20]
        assert_allclose(here, rows, atol=accuracy(estimator), err_msg=repr(estimator))
