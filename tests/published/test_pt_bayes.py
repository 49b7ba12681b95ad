import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB

from labeldist.published import PTSVM, PTBayes

both = pytest.mark.parametrize("covariance", ["full", "diagonal"])


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.1])
def test_diagonal_equals_gaussian_naive_bayes(table, var_smoothing):
    X, D = table
    reference = GaussianNB(var_smoothing=var_smoothing)
    reference.fit(np.repeat(X, 3, axis=0), np.tile(np.arange(3), 50), sample_weight=D.ravel())
    model = PTBayes("diagonal", var_smoothing=var_smoothing).fit(X, D)
    assert_allclose(model.prior_, D.mean(axis=0))
    assert_allclose(model.mean_, reference.theta_)
    assert_allclose(model.covariance_root_**2, reference.var_)
    assert_allclose(model.predict(2 * X), reference.predict_proba(2 * X), atol=1e-12)


@both
def test_posterior_matches_bayes_rule(table, covariance):
    X, D = table
    x, joint = X[7] + 0.3, []
    for degrees in D.T:
        mean = np.average(X, axis=0, weights=degrees)
        S = np.cov(X.T, aweights=degrees, ddof=0) + 0.05 * X.var(axis=0).max() * np.eye(4)
        S = S if covariance == "full" else np.diag(np.diagonal(S))
        density = np.exp(-(x - mean) @ np.linalg.solve(S, x - mean) / 2) / np.sqrt(np.linalg.det(S))
        joint.append(degrees.mean() * density)
    model = PTBayes(covariance, var_smoothing=0.05).fit(X, D)
    assert_allclose(model.predict([x])[0], np.array(joint) / sum(joint), atol=1e-12)


@pytest.mark.parametrize("learner", [PTBayes, PTSVM])
def test_draws_are_reproducible(table, learner):
    X, D = table
    drawn = [learner(sampling="draw", random_state=s).fit(X, D).predict(X) for s in (0, 0, 1)]
    assert_array_equal(drawn[0], drawn[1])
    for other in (drawn[2], learner().fit(X, D).predict(X)):
        assert np.abs(drawn[0] - other).max() > 1e-3


def test_draws_are_unbiased(table):
    means = [PTBayes(sampling="draw", random_state=s).fit(*table).mean_ for s in range(300)]
    assert_allclose(np.mean(means, axis=0), PTBayes().fit(*table).mean_, atol=0.1)


def test_singular_covariance_raises(table):
    X, D = table
    dependent = np.column_stack([X, X.sum(axis=1)])
    with pytest.raises(ValueError, match="var_smoothing=1e-18"):
        PTBayes(var_smoothing=1e-18).fit(dependent, D)
