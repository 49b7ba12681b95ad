from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from labeldist.learning import PTSVM, PTBayes
from labeldist.learning import _problem_transformation as problem_transformation


def single_label_examples(X, D):
    """Return every row once with each label, weighted by its degree."""
    n, c = D.shape
    return np.repeat(X, c, axis=0), np.tile(np.arange(c), n), D.ravel()


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.1])
def test_diagonal_ptbayes_equals_gaussian_naive_bayes(table, var_smoothing):
    X, D = table
    rows, labels, weights = single_label_examples(X, D)
    reference = GaussianNB(var_smoothing=var_smoothing).fit(rows, labels, sample_weight=weights)
    model = PTBayes("diagonal", var_smoothing=var_smoothing).fit(X, D)
    assert_allclose(model.prior_, D.mean(axis=0))
    assert_allclose(model.mean_, reference.theta_)
    assert_allclose(model.covariance_root_**2, reference.var_)
    assert_allclose(model.predict(2 * X), reference.predict_proba(2 * X), atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_ptbayes_posterior_matches_bayes_rule(table, covariance):
    X, D = table
    model = PTBayes(covariance, var_smoothing=0.05).fit(X, D)
    smoothing = 0.05 * X.var(axis=0).max()
    x, joint = X[7] + 0.3, []
    for k in range(3):
        share = D[:, k] / D[:, k].sum()
        mean = share @ X
        S = sum(s * np.outer(row - mean, row - mean) for s, row in zip(share, X, strict=True)) + smoothing * np.eye(4)
        if covariance == "diagonal":
            S = np.diag(np.diagonal(S))
        density = np.exp(-(x - mean) @ np.linalg.solve(S, x - mean) / 2) / np.sqrt(np.linalg.det(S))
        joint.append(D[:, k].mean() * density)
    assert_allclose(model.predict([x])[0], np.array(joint) / sum(joint), atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_ptbayes_absent_label_gets_zero(table, covariance):
    X, D = table
    D = np.insert(D, 1, 0, axis=1)
    predicted = PTBayes(covariance).fit(X, D).predict(X * 100)
    assert_array_equal(predicted[:, 1], 0)
    assert_allclose(predicted[:, [0, 2, 3]], PTBayes(covariance).fit(X, D[:, [0, 2, 3]]).predict(X * 100), atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_ptbayes_ignores_shifts_and_constant_features(table, covariance):
    X, D = table
    expected = PTBayes(covariance).fit(X, D).predict(X)
    assert_allclose(PTBayes(covariance).fit(X + 1e6, D).predict(X + 1e6), expected, atol=1e-8)
    padded = np.column_stack([X, np.full(50, 7.0)])
    assert_allclose(PTBayes(covariance).fit(padded, D).predict(padded), expected, atol=1e-12)
    constant = np.ones((50, 2))
    assert_allclose(PTBayes(covariance).fit(constant, D).predict(constant), np.tile(D.mean(axis=0), (50, 1)))


@pytest.mark.parametrize("learner", [PTBayes, PTSVM])
def test_draws_are_reproducible(table, learner):
    X, D = table
    first, again, other = (learner(sampling="draw", random_state=s).fit(X, D).predict(X) for s in (0, 0, 1))
    assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - learner().fit(X, D).predict(X)).max() > 1e-3


def test_ptbayes_draws_are_unbiased(table):
    X, D = table
    exact = PTBayes().fit(X, D)
    means = np.mean([PTBayes(sampling="draw", random_state=s).fit(X, D).mean_ for s in range(300)], axis=0)
    assert_allclose(means, exact.mean_, atol=0.1)


def test_ptbayes_singular_covariance_raises(table):
    X, D = table
    dependent = np.column_stack([X, X.sum(axis=1)])
    with pytest.raises(ValueError, match=r"var_smoothing=1e-18"):
        PTBayes(var_smoothing=1e-18).fit(dependent, D)


def libsvm_decision_values(X, D, C, gamma):
    """Return LIBSVM's decision values for each pair of labels, positive for the first."""
    rows, labels, weights = single_label_examples(X, D)
    machine = SVC(C=C, gamma=gamma, tol=1e-9, decision_function_shape="ovo").fit(rows, labels, sample_weight=weights)
    return machine.decision_function(X)


@pytest.mark.parametrize(("C", "gamma"), [(0.1, 0.01), (10.0, 0.2)])
def test_ptsvm_decision_values_equal_libsvm(table, C, gamma):
    X, D = table
    model = PTSVM(C, gamma=gamma, kernel_tolerance=1e-10).fit(X, D)
    values = rbf_kernel(X, model.pivots_, gamma=gamma) @ model.dual_coef_.T + model.intercept_
    assert model.pairs_ == [(0, 1), (0, 2), (1, 2)]
    assert_allclose(values, libsvm_decision_values(X, D, C, gamma), atol=1e-4)
    probability = expit(values * model.sigmoid_[:, 0] + model.sigmoid_[:, 1])
    # Coupling changes probabilities little that are almost consistent.
    predicted = model.predict(X)
    pair = predicted[:, [0, 0, 1]] / (predicted[:, [0, 0, 1]] + predicted[:, [1, 2, 2]])
    assert np.abs(pair - probability).max() < 0.1


def test_kernel_tolerance_trades_rank_for_accuracy(table):
    X, D = table
    exact, fine, coarse = (PTSVM(10, gamma=0.02, kernel_tolerance=t).fit(X, D) for t in (1e-9, 1e-4, 0.1))
    assert len(exact.pivots_) > len(fine.pivots_) > len(coarse.pivots_)
    gaps = [np.abs(model.predict(X) - exact.predict(X)).max() for model in (fine, coarse)]
    assert gaps[0] < 1e-3 < gaps[1]
    assert len(PTSVM(10, gamma=1.0, max_rank=10).fit(X, D).pivots_) == 10


def test_gamma_by_name_equals_svc(table):
    X, D = table
    for gamma in ("scale", "auto"):
        reference = SVC(gamma=gamma).fit(X, D.argmax(axis=1))
        assert_allclose(PTSVM(gamma=gamma).fit(X, D).gamma_, reference._gamma)
    assert PTSVM(gamma="scale").fit(np.ones((50, 2)), D).gamma_ == 0.5


def test_ptsvm_uninformative_features_give_the_mean(table):
    X, D = table
    for constant in (np.ones((50, 2)), 1e-6 * X):
        predicted = PTSVM().fit(constant, D).predict(constant)
        assert_allclose(predicted, np.tile(D.mean(axis=0), (50, 1)), atol=0.01)  # Platt's targets add a row or two


def test_ptsvm_absent_label_gets_zero(table):
    X, D = table
    without = PTSVM().fit(X, D).predict(X)
    model = PTSVM().fit(X, np.insert(D, 1, 0, axis=1))
    assert model.pairs_ == [(0, 2), (0, 3), (2, 3)]
    assert_array_equal(model.predict(X)[:, 1], 0)
    assert_allclose(model.predict(X)[:, [0, 2, 3]], without, atol=1e-12)
    one_only = np.tile([0.0, 1.0], (50, 1))
    assert_array_equal(PTSVM().fit(X, one_only).predict(X), one_only)


def test_ptsvm_warns_if_a_pair_did_not_converge(table, monkeypatch):
    model = PTSVM().fit(*table)
    assert model.gap_.shape == (len(model.pairs_),)
    assert model.gap_.max() <= 1e-9
    impatient = partial(problem_transformation.solve_two_sided_svm, max_iter=3)
    monkeypatch.setattr(problem_transformation, "solve_two_sided_svm", impatient)
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 pairs .* \(0, 1\)"):
        assert PTSVM().fit(*table).gap_.max() > 1e-3
