import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.datasets import make_artificial
from labeldist.metrics import top_label
from labeldist.published import LDL4C, LDLHR, SABFGS
from labeldist.published.ldl_hr import MarginTerm
from labeldist.simplex import softmax
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
        return np.maximum(0, 1 - (p[top[i]] - np.delete(p, top[i])) / 0.3).sum()

    others = (np.arange(5)[:, None] != top).astype(float)
    check_term(MarginTerm((top, np.arange(7)), others, 0.3), definition, atol=1e-4)


@pytest.mark.parametrize(("margin", "rest"), [(0.5, 0.8), (0, 0)])
def test_minimum(table, margin, rest):
    def objective(D, P, theta):
        top = np.arange(len(D)), D.argmax(axis=1)
        others = np.ones_like(D)
        others[top] = 0
        highest = P[top][:, None]
        margins = (others * hinge(1 - (highest - P) / 0.5)).sum()
        errors = (others * absolute(P - D)).sum()
        loss = 2 * (1 - highest).sum() + margin * margins + rest * errors
        return loss + 0.15 * squares(theta)

    check_minimum(LDLHR(margin, rest, 0.3, margin_width=0.5), objective, *table)


def test_default_tolerance_of_large_margins_is_close_to_the_minimum(rng):
    # If the margins can be satisfied, the gradient at zero is far larger than any near the minimum.
    wide = rng.normal(size=(100, 60))
    for X, D in (make_artificial(80, random_state=0), (wide, softmax(wide[:, :6]))):
        exact = LDLHR(tol=1e-12).fit(X, D).predict(X)
        assert_allclose(LDLHR().fit(X, D).predict(X), exact, atol=5e-3)


@pytest.mark.parametrize(
    "learner", [LDL4C(10.0, 1e-3), LDLHR(1.0, ridge=1e-3, margin_width=0.1)], ids=repr
)
def test_margins_improve_the_prediction_of_the_largest_label(rng, learner):
    X = rng.normal(size=(300, 2))
    D = softmax(np.column_stack([X[:, 0] ** 3, -(X[:, 0] ** 3), X[:, 1]]))
    plain = top_label(D, SABFGS().fit(X, D).predict(X))
    assert top_label(D, learner.fit(X, D).predict(X)) > plain
