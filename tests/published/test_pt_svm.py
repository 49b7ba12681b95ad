import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from labeldist.published import PTSVM, pt_svm
from labeldist.published.pt_svm import (
    couple_pairwise,
    fit_sigmoid,
    gaussian_factor,
    solve_two_sided_svm,
)


@pytest.mark.parametrize(("C", "gamma"), [(0.1, 0.01), (10.0, 0.2)])
def test_decision_values_equal_libsvm(table, C, gamma):
    X, D = table
    libsvm = SVC(C=C, gamma=gamma, tol=1e-9, decision_function_shape="ovo")
    libsvm.fit(np.repeat(X, 3, axis=0), np.tile(np.arange(3), 50), sample_weight=D.ravel())
    model = PTSVM(C, gamma=gamma, kernel_tolerance=1e-10).fit(X, D)
    values = rbf_kernel(X, model.pivots_, gamma=gamma) @ model.dual_coef_.T + model.intercept_
    assert model.pairs_ == [(0, 1), (0, 2), (1, 2)]
    assert_allclose(values, libsvm.decision_function(X), atol=1e-4)


def test_kernel_tolerance_trades_rank_for_accuracy(table):
    X, D = table
    tolerances = (1e-9, 1e-4, 0.1)
    models = [PTSVM(10, gamma=0.02, kernel_tolerance=tol).fit(X, D) for tol in tolerances]
    ranks = [len(model.pivots_) for model in models]
    assert ranks[0] > ranks[1] > ranks[2]
    exact, fine, coarse = (model.predict(X) for model in models)
    assert np.abs(fine - exact).max() < 1e-3 < np.abs(coarse - exact).max()
    assert len(PTSVM(10, gamma=1.0, max_rank=10).fit(X, D).pivots_) == 10


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_by_name_equals_svc(table, gamma):
    X, D = table
    reference = SVC(gamma=gamma).fit(X, D.argmax(axis=1))
    assert_allclose(PTSVM(gamma=gamma).fit(X, D).gamma_, reference._gamma)
    assert PTSVM(gamma=gamma).fit(np.ones((50, 2)), D).gamma_ == 0.5


@pytest.mark.parametrize("spread", [0, 1e-6])
def test_uninformative_features_give_the_mean(table, spread):
    X, D = 1 + spread * table[0], table[1]
    means = np.tile(D.mean(axis=0), (50, 1))
    # Platt's targets add a row or two.
    assert_allclose(PTSVM().fit(X, D).predict(X), means, atol=0.01)


def test_absent_labels_have_no_pairs(table):
    X, D = table
    assert PTSVM().fit(X, np.insert(D, 1, 0, axis=1)).pairs_ == [(0, 2), (0, 3), (2, 3)]
    one_only = np.tile([0.0, 1.0], (50, 1))
    assert_array_equal(PTSVM().fit(X, one_only).predict(X), one_only)


def test_unfinished_pairs_warn(table, monkeypatch):
    assert PTSVM().fit(*table).gap_.max() <= 1e-9
    monkeypatch.setattr(pt_svm, "MAX_STEPS", 3)
    with pytest.warns(ConvergenceWarning, match="3 of 3 pairs"):
        assert PTSVM().fit(*table).gap_.max() > 1e-3


@pytest.fixture
def X(rng):
    return rng.normal(size=(150, 3))


@pytest.mark.parametrize("gamma", [0.01, 1.0])
@pytest.mark.parametrize("tol", [1e-2, 1e-6])
def test_greedy_factor_meets_tolerance(X, gamma, tol):
    Z, pivots = gaussian_factor(X, gamma, tol, 150)
    gap = rbf_kernel(X, gamma=gamma) - Z @ Z.T
    assert np.abs(gap).max() <= tol * (1 + 1e-9)
    assert len(set(pivots)) == Z.shape[1]
    assert_allclose(gap[pivots], 0, atol=1e-9)
    L = Z[pivots]
    assert_array_equal(L, np.tril(L))
    if tol == 1e-2:
        assert_allclose(
            solve_triangular(L, rbf_kernel(X[pivots], X, gamma=gamma), lower=True).T, Z, atol=1e-9
        )


def test_rank_of_greedy_factor_depends_on_smoothness_and_limit(X):
    assert gaussian_factor(X, 0.01, 1e-4, 150)[0].shape[1] < 20
    Z, pivots = gaussian_factor(X, 1e3, 1e-4, 150)
    assert Z.shape[1] > 140  # more than the initial capacity
    some, first = gaussian_factor(X, 1e3, 1e-4, 90)
    assert_array_equal(first, pivots[:90])
    assert_array_equal(some, Z[:, :90])
    Z, pivots = gaussian_factor(np.ones((5, 2)), 0.1, 1e-6, 5)
    assert_array_equal(Z, np.ones((5, 1)))
    assert len(pivots) == 1


def test_greedy_factor_does_not_depend_on_row_order_or_shift(X, rng):
    order = rng.permutation(150)
    Z, pivots = gaussian_factor(X, 0.2, 1e-4, 150)
    shuffled, others = gaussian_factor(X[order] + 1e6, 0.2, 1e-4, 150)
    assert_array_equal(order[others], pivots)
    assert_allclose(shuffled @ shuffled.T, (Z @ Z.T)[np.ix_(order, order)], atol=1e-6)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(60, 3))
    share = expit(X[:, 0] + 0.5 * rng.normal(size=60))
    return X, np.stack([share, (1 - share) * rng.uniform(0.5, 1, size=60)])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_two_sided_svm_equals_libsvm_on_doubled_examples(problem, C, gamma, monkeypatch):
    X, weights = problem
    monkeypatch.setattr(pt_svm, "MAX_STEPS", 12)  # up to 23 without Mehrotra's corrector
    Z, _ = gaussian_factor(X, gamma, 1e-12, 60)
    solution = solve_two_sided_svm(Z, C * weights)
    reference = SVC(C=C, gamma=gamma, tol=1e-9)
    reference.fit(np.vstack([X, X]), np.repeat([1, 0], 60), sample_weight=weights.ravel())
    values = Z @ solution.coef + solution.intercept
    # With a large C, the free vectors of LIBSVM are off their margin by 1e-5.
    assert_allclose(values, reference.decision_function(X), atol=1e-4)
    assert solution.gap < 1e-9
    assert solution.converged


def test_svm_stops_at_the_limit(problem, monkeypatch):
    X, weights = problem
    Z, _ = gaussian_factor(X, 0.5, 1e-6, 60)
    monkeypatch.setattr(pt_svm, "MAX_STEPS", 2)
    short = solve_two_sided_svm(Z, weights)
    assert short.gap > 1e-9
    assert not short.converged


@pytest.mark.parametrize("unit", [1.0, 1e-6])
def test_sigmoid_minimises_platts_cross_entropy(problem, unit):
    X, (p, q) = problem[0], unit * problem[1]
    A, B = fit_sigmoid(X[:, 0] / 1e3 + 5, np.stack([p, q]))
    positive = p * (p.sum() + 1) / (p.sum() + 2) + q / (q.sum() + 2)

    def loss(ab):
        scores = ab[0] * X[:, 0] + ab[1]
        return -(positive @ log_expit(scores) + (p + q - positive) @ log_expit(-scores)) / unit

    searched = minimize(loss, [0, 0], tol=1e-12)
    assert_allclose([A / 1e3, B + 5 * A], searched.x, atol=1e-5)


def test_sigmoid_of_equal_values_is_ratio_of_classes(problem):
    _, weights = problem
    A, B = fit_sigmoid(np.ones(60), weights)
    assert A == 0
    assert_allclose(expit(B), (weights[0].sum() + 1) / (weights.sum() + 2))


def test_coupling_recovers_distribution_of_consistent_pairs(rng):
    P = rng.dirichlet(np.ones(5), size=20)
    R = P[:, :, None] / (P[:, :, None] + P[:, None, :])
    assert_allclose(couple_pairwise(np.where(np.eye(5), 0, R)), P, atol=1e-12)
    assert_allclose(couple_pairwise(np.zeros((3, 1, 1))), 1)


def test_coupling_minimises_sum_of_squares(rng):
    upper = np.triu(rng.uniform(0.05, 0.95, size=(4, 4)), 1)
    R = upper + np.tril(1 - upper.T, -1)
    p = couple_pairwise(R[None])[0]

    def loss(p):
        return ((R.T * p[:, None] - R * p) ** 2).sum()

    assert_allclose(p.sum(), 1)
    assert min(loss(other) for other in rng.dirichlet(np.ones(4), size=300)) >= loss(p) - 1e-12
