"""LDLSF and LDLLCLR."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist.learning import LDLLCLR, LDLSF, SABFGS, SoftmaxRegression
from labeldist.simplex import project, softmax


def data(rng, n=60, m=4, c=4):
    X = rng.normal(size=(n, m))
    return X, softmax(X @ rng.normal(size=(m, c)) + 0.5 * rng.normal(size=(n, c)))


def scores(model, X):
    return X @ model.coef_.T + model.intercept_


@pytest.mark.parametrize("scale", [False, True])
def test_ldlsf_without_penalties_is_least_squares(rng, scale):
    X, D = data(rng)
    model = LDLSF(0, 0, 0, scale=scale, floor=0, tol=1e-8).fit(X, D)
    A = np.column_stack([X, np.ones(len(X))])
    expected = A @ np.linalg.lstsq(A, D, rcond=None)[0]
    assert_allclose(scores(model, X), expected, atol=1e-6)
    assert_allclose(model.predict(X), project(expected), atol=1e-6)


def test_ldlsf_scores_sum_to_one(rng):
    X, D = data(rng)
    model = LDLSF(0.5, 0.5, 0.05).fit(X, D)
    assert_allclose(scores(model, 10 * X).sum(axis=1), 1)
    assert_allclose(model.specific_coef_ + model.common_coef_, model.coef_, atol=1e-3)


def test_ldlsf_penalties_select_features(rng):
    X, D = data(rng, 200)
    X = np.column_stack([X, rng.normal(size=(200, 3))])  # features without effect
    sparse_model = LDLSF(8, 1e3, 0).fit(X, D)
    assert not sparse_model.common_coef_.any()
    assert not sparse_model.specific_coef_[:, 4:].any()
    assert (sparse_model.specific_coef_[:, :4] != 0).any(axis=0).all()
    shared = LDLSF(1e3, 10, 0).fit(X, D)
    assert not shared.specific_coef_.any()
    assert not shared.common_coef_[:, 4:].any()
    assert (shared.common_coef_[:, :4] != 0).all()


def test_ldlsf_scale_removes_units(rng):
    X, D = data(rng)
    units = np.array([1e-3, 1, 10, 1e3])
    expected = LDLSF(1, 1, scale=True).fit(X, D).predict(X)
    assert_allclose(LDLSF(1, 1, scale=True).fit(X * units, D).predict(X * units), expected, atol=1e-9)
    assert np.abs(LDLSF(1, 1).fit(X * units, D).predict(X * units) - expected).max() > 1e-2


def test_ldlsf_correlation_beyond_the_bound_raises(rng):
    X, D = data(rng)
    R = np.corrcoef(D.T)
    bound = -1 / (2 * np.linalg.eigvalsh(np.diag(R.sum(axis=1)) - R)[0])
    assert bound > 0
    with pytest.raises(ValueError, match=re.escape(f"must be below {bound:.3g}")):
        LDLSF(correlation=1.01 * bound).fit(X, D)
    near, without = LDLSF(correlation=0.9 * bound).fit(X, D), LDLSF(correlation=0).fit(X, D)
    assert np.ptp(scores(near, X), axis=0).max() > 1.5 * np.ptp(scores(without, X), axis=0).max()


def test_ldlsf_accepts_constant_labels(rng):
    X, D = data(rng, c=3)
    model = LDLSF().fit(X, np.column_stack([D / 2, np.full(len(D), 0.5)]))
    assert_allclose(scores(model, X)[:, 3], 0.5, atol=1e-3)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_ldllclr_without_penalties_is_softmax_regression(rng, fit_intercept):
    X, D = data(rng)
    model = LDLLCLR(0.3, 0, 0, 0, fit_intercept=fit_intercept, tol=1e-8).fit(X, D)
    if fit_intercept:
        assert_allclose(model.predict(X), SoftmaxRegression(0.6, tol=1e-10).fit(X, D).predict(X), atol=1e-6)
    free = LDLLCLR(0, 0, 0, 0, fit_intercept=fit_intercept, tol=1e-8).fit(X, D)
    expected = SABFGS(fit_intercept=fit_intercept, tol=1e-10).fit(X, D).predict(X)
    assert_allclose(free.predict(X), expected, atol=1e-6)
    assert np.abs(model.predict(X) - expected).max() > 1e-3


def test_ldllclr_penalties_have_effects(rng):
    X, D = data(rng)

    def combinations(**options):
        return LDLLCLR(**{"noise": 0.5, "low_rank": 0.1, **options}).fit(X, D).combinations_

    ranks = [np.linalg.svd(combinations(low_rank=w), compute_uv=False)[-1] for w in (0.01, 5)]
    assert ranks[0] > 0.1
    assert ranks[1] < 1e-3
    N = ((D[:, :, None] - D[:, None]) ** 2).mean(axis=0)
    pulls = [np.vdot(combinations(low_rank=2, local_correlation=w), N) for w in (0, 2.5)]
    assert pulls[1] > pulls[0] + 0.01
    near = LDLLCLR(noise=5).fit(X, D)
    far = LDLLCLR(noise=0.01).fit(X, D)
    errors = [np.linalg.norm(D - m.predict(X) @ m.combinations_, axis=1).sum() for m in (near, far)]
    assert errors[0] < errors[1]


def test_ldllclr_local_correlation_beyond_the_bound_raises(rng):
    X, D = data(rng)
    differences = ((D[:, :, None] - D[:, None]) ** 2).mean(axis=0)
    bound = 1e-4 / np.linalg.norm(differences, 2)
    with pytest.raises(ValueError, match=re.escape(f"which is {bound:.3g}.")):
        LDLLCLR(local_correlation=1.01 * bound).fit(X, D)
    LDLLCLR(local_correlation=0.99 * bound).fit(X, D)


def test_ldllclr_accepts_sparse_features(rng):
    X, D = data(rng)
    X[np.abs(X) < 1] = 0
    expected = LDLLCLR(0.01, tol=1e-6).fit(X, D).predict(X)
    assert_allclose(LDLLCLR(0.01, tol=1e-6).fit(sparse.csr_array(X), D).predict(X), expected, atol=1e-5)
