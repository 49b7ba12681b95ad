"""Numerically difficult tables: estimators return accurate distributions or name the problem."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.testing import assert_allclose
from sklearn.base import clone

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import AccuracyWarning
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionForest, MeanDistribution
from labeldist.published import (
    AABP,
    AAKNN,
    CPNN,
    DLDL,
    EDLLRL,
    FCM,
    GLLE,
    KM,
    LDLLC,
    LDLSCL,
    LDSVR,
    LP,
    ML,
    PTSVM,
    SABFGS,
    SAIIS,
    PTBayes,
)
from labeldist.simplex import normalize, softmax, to_distributions
from tests.cases import named
from tests.checks import accuracy
from tests.numerics.hard_tables import hard_tables, is_right_or_named, labels_for, rows_of, table
from tests.references import (
    bidirectional_learning_in_fractions,
    in_fractions,
    sylvester_in_fractions,
)

pytestmark = pytest.mark.slow

BDLE_SOLVERS = [BDLE(), BDLE(solver="low_rank"), BDLE(solver="lbfgs")]
ENHANCERS = [GLLE(), FCM(), KM(), LP(), ML(), Uniform(), LogicalSoftmax("threshold"), DLDL()]
LINEAR = [BDLDL(), BDLDL(fit_intercept=False), BDLDL(scale=True), BDLDL(0, 0), BDLDLCV(cv=2)]
SOFTMAX = [
    SABFGS(),
    SABFGS(fit_intercept=True),
    SAIIS(),
    EDLLRL(max_iter=50),
    LDLSCL(max_iter=30),
    LDLLC(fit_intercept=True, max_iter=100),
]
OTHERS = [
    PTBayes(),
    PTBayes("diagonal"),
    PTSVM(),
    AAKNN(1),
    AABP(max_iter=20, random_state=0),
    CPNN(10, max_iter=20, random_state=0),
    DistributionForest(5, random_state=0),
    LDSVR(epsilon=0.3),
    MeanDistribution(),
    EnhancedLearner(BDLE(), BDLDL()),
    KernelFeatures(),
]
ALL = BDLE_SOLVERS + ENHANCERS + LINEAR + SOFTMAX + OTHERS
every_estimator = pytest.mark.parametrize("estimator", ALL, ids=repr)

X, D = table()
CORNERS = np.eye(3)[D.argmax(axis=1)]
RNG = np.random.default_rng(1)


def with_column(values):
    return np.column_stack([X, np.broadcast_to(values, len(X))])


CASES = {
    "one constant feature": (with_column(0.1), D),
    "constant features": (np.full_like(X, 0.1), D),
    "features of zeros": (np.zeros_like(X), D),
    "a feature twice": (with_column(X[:, 0]), D),
    "a feature all but twice": (with_column(X[:, 0] + 1e-9 * RNG.normal(size=len(X))), D),
    **{f"units of 1e{k}": (X * 10.0**k, D) for k in (-150, -30, 30, 150)},
    "features in units far apart": (X * 10.0 ** np.array([-150, -20, 20, 150]), D),
    "features far from zero": (X + 1e8, D),
    "one row far away": (np.vstack([X[:-1], np.full((1, X.shape[1]), 1e100)]), D),
    "a factor model, a nearly singular Gram matrix": (
        RNG.normal(size=(12, 2)) @ RNG.normal(size=(2, 8)) + 1e-9 * RNG.normal(size=(12, 8)),
        D,
    ),
    "fewer rows than features": table(4, 9),
    "one row": table(1),
    "fewer rows than neighbours": table(3),
    "more labels than rows": table(5, 3, 8),
    "a label that is never on": (X, D * [1, 0, 1]),
    "a label that is always on": (X, D + np.array([2, 0, 0])),
    "only one label is ever on": (X, np.tile([0.0, 1.0, 0.0], (len(X), 1))),
    "zeros and ones": (X, CORNERS),
    "degrees of 1e-300": (X, np.where(CORNERS > 0, 1.0, 1e-300)),
    "equal distributions": (X, np.tile(D[0], (len(X), 1))),
    "rows that repeat": (np.repeat(X[:4], 3, axis=0), np.repeat(D[:4], 3, axis=0)),
    "rows that repeat, with other labels": (np.repeat(X[:4], 3, axis=0), D),
}


@every_estimator
@pytest.mark.parametrize("case", CASES)
def test_difficult_tables_are_fitted(estimator, case):
    X, D = CASES[case]
    fitted = is_right_or_named(estimator, X, labels_for(estimator, normalize(D)), new=X[:2])
    cannot_split = case == "one row" and isinstance(estimator, BDLDLCV)
    assert fitted != cannot_split


# Drawing a table takes long compared with fitting five rows.
SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@settings(max_examples=10, suppress_health_check=SLOW_DRAWS)
@given(hard_tables())
def test_random_extreme_tables_are_fitted_or_named(hard):
    X, D, new = hard
    for estimator in ALL:
        with named(estimator):
            is_right_or_named(estimator, X, labels_for(estimator, D), new)


@pytest.mark.soak
@every_estimator
@settings(max_examples=1_000, derandomize=False, suppress_health_check=SLOW_DRAWS)
@given(hard=hard_tables())
def test_long_search_for_tables_that_fail(estimator, hard):
    X, D, new = hard
    is_right_or_named(estimator, X, labels_for(estimator, D), new)


@pytest.mark.parametrize("value", [0.1, 1e150])
@pytest.mark.parametrize(
    ("learner", "atol"),
    [
        (BDLDL(floor=0), 1e-6),
        (BDLDLCV(floors=[0.0], cv=2), 1e-6),
        (SABFGS(tol=1e-9), 1e-6),
        (SAIIS(tol=1e-9), 1e-6),
        (LDLLC(fit_intercept=True, tol=1e-9), 1e-6),
        (PTBayes(), 1e-6),
        (PTBayes("diagonal"), 1e-6),
        (AAKNN(12), 1e-6),
        (AABP(random_state=0), 1e-6),
        (DistributionForest(20, random_state=0), 0.1),  # each tree has other rows
    ],
    ids=repr,
)
def test_constant_features_give_the_mean(learner, atol, value):
    constant = np.full_like(X, value)
    predicted = clone(learner).fit(constant, D).predict(constant)
    assert_allclose(predicted, np.tile(D.mean(axis=0), (len(X), 1)), atol=atol)


@pytest.mark.filterwarnings("ignore:No sharpness agrees with the threshold")
@pytest.mark.filterwarnings("ignore:LDLSCL stopped")
@every_estimator
def test_equal_rows_have_equal_distributions(estimator):
    X, D = CASES["rows that repeat"]
    rows = rows_of(clone(estimator).fit(X, labels_for(estimator, D)), X)
    assert_allclose(rows, np.repeat(rows[::3], 3, axis=0), atol=accuracy(estimator))


ISOMETRY = np.linalg.qr(RNG.normal(size=(7, 4)))[0].T
"""A map from four features to seven dependent ones that keeps distances and inner products."""


@pytest.mark.parametrize(
    "estimator",
    [
        BDLE(scale=False),
        BDLE(0, scale=False),
        BDLE(scale=False, solver="low_rank"),
        GLLE(scale=False),
        FCM(),
        KM(),
        LP(),
        ML(),
        BDLDL(),
        BDLDL(0, 0),
        BDLDLCV(cv=2),
        SABFGS(tol=1e-9),
        SAIIS(tol=1e-7, max_iter=10_000),
        EDLLRL(tol=1e-6),
        LDLLC(correlation=0, tol=1e-9),
        PTSVM(),
        AAKNN(),
        KernelFeatures(scale=False),
    ],
    ids=repr,
)
def test_isometry_of_features_has_no_effect(estimator):
    y = labels_for(estimator, D)
    expected = rows_of(clone(estimator).fit(X, y), X)
    turned = X @ ISOMETRY
    found = rows_of(clone(estimator).fit(turned, y), turned)
    assert_allclose(found, expected, atol=accuracy(estimator))


EXACTLY = {
    "plain": (X, 1e-9),
    "a feature all but twice": (with_column(X[:, 0] + 1e-7 * RNG.normal(size=len(X))), 1e-9),
    "features in units far apart": (X * 10.0 ** np.array([-8, -4, 4, 8]), 1e-9),
    "features far from zero": (X + 1e8, 1e-7),
    "fewer rows than features": (np.column_stack([X, X**2])[:5], 1e-9),
}


@pytest.mark.parametrize("case", EXACTLY)
@pytest.mark.parametrize("solver", ["auto", "cholesky"])
@pytest.mark.parametrize(("reconstruction", "ridge"), [(1e-3, 1e-2), (10.0, 1e-4)])
def test_bdldl_equals_exact_arithmetic(case, solver, reconstruction, ridge):
    X, tol = EXACTLY[case]
    model = BDLDL(reconstruction, ridge, solver=solver, floor=0).fit(X, D[: len(X)])
    exact = bidirectional_learning_in_fractions(X, D[: len(X)], reconstruction, ridge)
    assert_allclose(model.predict(X), to_distributions(exact, "clip"), atol=tol)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 0.0])
def test_bdle_equals_exact_arithmetic_for_nearly_singular_kernels(gap):
    X, D = table(6, 2, 2)
    X[3:] = X[:3] + gap * X[3:]
    L = labels_for(BDLE(), D)
    model = BDLE().fit(X, L)
    loss = BDLE()._loss(model.X_fit_, L)
    exact = sylvester_in_fractions(*(in_fractions(part) for part in loss.normal_equations()))
    scores = loss.features @ exact.astype(float)
    assert_allclose(model.label_distributions_, to_distributions(scores), atol=1e-9)
    assert model.residual_ < 1e-14


def redundant(spread, seed=0):
    """Return many features that are nearly combinations of a few, like those of SBU_3DFE."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(80, 6))
    X = factors @ rng.normal(size=(6, 30)) + spread * rng.normal(size=(80, 30))
    return X, softmax(factors[:, :4])


def test_nearly_singular_gram_matrix_warns_and_predicts():
    X, D = redundant(3e-6)
    with pytest.warns(AccuracyWarning, match="condition number"):
        model = BDLDL(0, 0, floor=0).fit(X, D)
    assert model.condition_ > 1e12
    assert model.residual_ < 1e-15
    # The predictions are accurate although the coefficients are not. The reference is a QR
    # factorisation.
    Z = np.column_stack([X, np.ones(len(X))])
    Q, _ = np.linalg.qr(Z)
    assert_allclose(model.predict(X), to_distributions(Q @ (Q.T @ D), "clip"), atol=1e-3)


def test_singular_gram_matrix_has_the_minimum_norm_solution():
    X, D = redundant(0.0)
    model = BDLDL(0, 0, floor=0).fit(X, D)
    assert model.solver_ == "eigh"
    assert model.condition_ < 1e4
    Z, E = X - X.mean(axis=0), D - D.mean(axis=0)
    assert_allclose(model.coef_.T, np.linalg.lstsq(Z, E, rcond=1e-10)[0], atol=1e-10)


def test_feature_below_the_rounding_of_others_is_warned_about():
    twice = np.column_stack([1e6 * X, 1e6 * X[:, 0], 1e-6 * RNG.normal(size=len(X))])
    with pytest.warns(AccuracyWarning, match="units are far apart"):
        BDLDL(0, 0).fit(twice, D)
    assert BDLDL(0, 0, scale=True).fit(twice, D).coef_[:, 5].all()


def test_bdle_warns_if_reconstruction_is_too_small():
    X, D = table(60, 2)
    L = labels_for(BDLE(), D)
    with pytest.warns(AccuracyWarning, match="condition number"):
        model = BDLE(1e-12).fit(X, L)
    assert model.condition_ > 1e12
    assert BDLE().fit(X, L).condition_ < 1e8
    assert BDLE(solver="lbfgs").fit(X, L).condition_ is None
