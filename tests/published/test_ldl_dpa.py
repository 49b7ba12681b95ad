from scipy.stats import rankdata

from labeldist.published import LDLDPA
from labeldist.published.ldl_dpa import VarianceTerm
from tests.published.softmax_checks import (
    D_T,
    check_minimum,
    check_term,
    cross_entropy,
    squares,
)


def test_variance_term():
    check_term(VarianceTerm(D_T.var(axis=0)), lambda _, d, p: (p.var() - d.var()) ** 2)


def test_minimum(table):
    def objective(D, P, theta):
        ranking = -(rankdata(D, axis=1) * P).sum() / D.shape[1]
        variance = ((P.var(axis=1) - D.var(axis=1)) ** 2).sum()
        return cross_entropy(D, P) + 0.5 * ranking + 20 * variance + 0.15 * squares(theta)

    check_minimum(LDLDPA(0.5, 20.0, 0.3), objective, *table)
