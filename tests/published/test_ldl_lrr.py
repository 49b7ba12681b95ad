import numpy as np
from numpy.testing import assert_allclose

from labeldist.published import LDLLRR
from labeldist.published.ldl_lrr import RankingTerm
from tests.published.softmax_checks import (
    D_T,
    check_minimum,
    check_term,
    cross_entropy,
    squares,
)


def ranking(D, P, s):
    d, p = (A[..., :, None] - A[..., None, :] for A in (D, P))
    return (np.where(d > 0, d**2, 0) * np.logaddexp(0, -s * p)).sum()


def test_ranking_term():
    check_term(RankingTerm(D_T, 100.0), lambda _, d, p: ranking(d, p, 100.0))
    term = RankingTerm(np.full_like(D_T, 0.2), 100.0)
    assert_allclose(term.value_and_gradient(D_T, np.log(D_T))[0], 0)


def test_minimum(table):
    def objective(D, P, theta):
        return cross_entropy(D, P) + 100 / len(D) * ranking(D, P, 50.0) + 0.15 * squares(theta)

    check_minimum(LDLLRR(100.0, 0.3, sharpness=50.0), objective, *table)


def test_ranking_decreases_the_ranking_loss(table):
    X, D = table
    losses = [ranking(D, LDLLRR(s, 0.1).fit(X, D).predict(X), 100.0) for s in (0, 100.0, 1e4)]
    assert losses[0] > losses[1] > losses[2]
