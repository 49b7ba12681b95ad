import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from labeldist.datasets import make_artificial
from labeldist.learning import SoftmaxRegression
from labeldist.published import (
    EDL,
    EDLLRL,
    LDL4C,
    LDLDPA,
    LDLHR,
    LDLLC,
    LDLLDM,
    LDLLRR,
    LDLSCL,
    SABFGS,
    SAIIS,
    DeltaLDL,
)

PENALISED = [
    LDLLRR(100.0, 0.3),
    LDLDPA(0.5, 20.0, 0.3),
    LDLLDM(3, ridge=0.3),
    LDL4C(0.5, 0.3, margin_width=0.5),
    LDLHR(0.5, 0.8, 0.3, margin_width=0.5),
    DeltaLDL(0.3),
    EDL(8.0, 20.0),
]


OTHERS = [SABFGS(), SAIIS(), LDLLC(), LDLSCL(), EDLLRL()]


def each(learners):
    return pytest.mark.parametrize("learner", learners, ids=repr)


@each(PENALISED)
def test_intercept_and_features_of_zeros_are_not_penalised(learner):
    X, D = make_artificial(60, random_state=0)
    model = clone(learner).set_params(fit_intercept=True, ridge=1e9)
    model.fit(np.column_stack([X, np.zeros(len(X))]), D)
    assert_allclose(model.coef_, 0, atol=1e-5)
    assert np.abs(model.intercept_).max() > 0.01


@each(
    [
        LDLLRR(0, ridge=0.7),
        LDLDPA(0, 0, 0.7),
        LDLLDM(ridge=0.7, global_manifold=0, local_manifold=0),
    ]
)
def test_without_further_terms_is_cross_entropy_with_ridge(table, learner):
    X, D = table
    model = clone(learner).set_params(fit_intercept=True, tol=1e-9).fit(X, D)
    expected = SoftmaxRegression(0.7, tol=1e-10).fit(X, D)
    assert_allclose(model.predict(X), expected.predict(X), atol=1e-7)
    model.set_params(fit_intercept=False, ridge=0).fit(X, D)
    assert_allclose(model.predict(X), SABFGS(tol=1e-9).fit(X, D).predict(X), atol=1e-7)


@each([LDLLRR(50.0), LDLDPA(50.0, 50.0), LDLLDM(), DeltaLDL(), EDL(affinity=np.ones((3, 3)))])
def test_uniform_distributions_are_fitted(rng, learner):
    X = rng.normal(size=(20, 3))
    assert_allclose(learner.fit(X, np.full((20, 3), 1 / 3)).predict(X), 1 / 3, atol=1e-9)


@pytest.mark.parametrize("learner", [SABFGS, SAIIS, LDLLC, EDLLRL])
def test_shift_of_the_features_does_not_matter_with_an_intercept(table, learner):
    X, D = table
    plain, shifted = (learner(fit_intercept=True, tol=1e-7).fit(X + shift, D) for shift in (0, 1e6))
    assert_allclose(shifted.predict(X + 1e6), plain.predict(X), atol=1e-6)


@each([SABFGS(), SAIIS(), LDLLC(0, 0), EDLLRL(ridge=0), EDLLRL()])
def test_zero_features_give_uniform_distributions(learner):
    model = learner.fit(np.zeros((6, 2)), np.eye(3)[[0, 0, 0, 1, 1, 2]])
    assert_allclose(model.predict([[0.0, 0.0]]), 1 / 3)
