import numpy as np
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import entr, expit
from scipy.stats import entropy

from labeldist.metrics import kl_divergence
from labeldist.published import SABFGS, DeltaLDL
from labeldist.published.delta_ldl import DeltaTerm
from labeldist.simplex import normalize, softmax
from tests.published.softmax_checks import D_T, check_minimum, check_term, squares


def test_term():
    own_entropy = entr(D_T).sum(axis=0)

    def definition(_, d, p):
        return quad(lambda tolerance: expit(entropy(d, p) - tolerance), 0, 0.7)[0]

    check_term(DeltaTerm(D_T, own_entropy, 0.7), definition)
    without_limit = DeltaTerm(D_T, own_entropy, 1e3)
    check_term(without_limit, lambda _, d, p: np.logaddexp(0, entropy(d, p)))


def test_minimum(table):
    def objective(D, P, theta):
        limit = entropy(D, np.full(D.shape, 1 / 3), axis=1).mean()
        tolerances = (np.arange(2000) + 0.5) / 2000 * limit
        loss = limit * expit(entropy(D, P, axis=1)[:, None] - tolerances).mean(axis=1)
        return loss.sum() + 0.15 * squares(theta)

    X, D = table
    check_minimum(DeltaLDL(0.3), objective, X, normalize(D**3))


def test_rows_that_fit_badly_are_ignored(rng):
    X = rng.normal(size=(200, 3))
    D = softmax(2 * X)
    spoiled = D.copy()
    spoiled[:30] = np.eye(3)[D[:30].argmin(axis=1)] * 0.998 + 0.002 / 3
    robust = DeltaLDL().fit(X, spoiled)
    plain = SABFGS().fit(X, spoiled)
    assert kl_divergence(D, robust.predict(X)) < 0.5 * kl_divergence(D, plain.predict(X))
    assert_allclose(robust.limit_, kl_divergence(spoiled, np.full_like(D, 1 / 3)))
