import numpy as np
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from labeldist.published import SABFGS
from tests.published.softmax_checks import check_minimum, cross_entropy


def test_minimum(table):
    check_minimum(SABFGS(), lambda D, P, _: cross_entropy(D, P), *table)


def test_equals_weighted_logistic_regression(table):
    X, D = table
    single = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    single.fit(np.repeat(X, 3, axis=0), np.tile([0, 1, 2], len(X)), sample_weight=D.ravel())
    model = SABFGS(fit_intercept=True, tol=1e-9).fit(X, D)
    assert_allclose(model.predict(X), single.predict_proba(X), atol=1e-5)
