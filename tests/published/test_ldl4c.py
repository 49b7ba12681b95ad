import numpy as np
from numpy.testing import assert_allclose
from scipy.special import entr, logsumexp

from labeldist.metrics import top_label
from labeldist.published import LDL4C
from labeldist.published._softmax_terms import SMOOTHING
from labeldist.published.ldl4c import RunnerUpMarginTerm
from tests.published.softmax_checks import (
    D_T,
    absolute,
    check_minimum,
    check_term,
    hinge,
    squares,
)


def test_margin_term():
    top = D_T.argmax(axis=0)

    def definition(i, _, p):
        return max(0.0, 1 - (p[top[i]] - np.delete(p, top[i]).max()) / 0.3)

    check_term(RunnerUpMarginTerm((top, np.arange(7)), 0.3), definition, atol=1e-4)


def test_minimum(table):
    def objective(D, P, theta):
        top = np.arange(len(D)), D.argmax(axis=1)
        rivals = P.copy()
        rivals[top] = -1
        gap = P[top] - SMOOTHING * logsumexp(rivals / SMOOTHING, axis=1)
        errors = entr(D).sum(axis=1) @ absolute(P - D).sum(axis=1)
        return errors + 0.5 * hinge(1 - gap / 0.5).sum() + 0.15 * squares(theta)

    check_minimum(LDL4C(0.5, 0.3, margin_width=0.5), objective, *table)


def test_one_hot_rows_have_only_margin_and_ridge(rng):
    X = rng.normal(size=(40, 3))
    D = np.eye(3)[X.argmax(axis=1)]
    only_ridge = LDL4C(0, 1.0, tol=1e-9).fit(X, D)
    assert_allclose(only_ridge.predict(X), 1 / 3, atol=1e-6)
    assert top_label(D, LDL4C(1.0, 1e-3).fit(X, D).predict(X)) > 0.9
