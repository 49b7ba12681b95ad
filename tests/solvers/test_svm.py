import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.svm import SVC

from labeldist._kernels.low_rank_factors import gaussian_factor
from labeldist._solvers import svm
from labeldist._solvers.svm import couple_pairwise, fit_sigmoid, solve_two_sided_svm


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(60, 3))
    share = expit(X[:, 0] + 0.5 * rng.normal(size=60))
    return X, share, (1 - share) * rng.uniform(0.5, 1, size=60)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_two_sided_svm_equals_libsvm_on_doubled_examples(problem, C, gamma):
    X, p, q = problem
    Z, _ = gaussian_factor(X, gamma, 1e-12)
    solution = solve_two_sided_svm(Z, C * p, C * q)
    classes, weights = np.repeat([1, 0], 60), np.concatenate([p, q])
    reference = SVC(C=C, gamma=gamma, tol=1e-9).fit(np.vstack([X, X]), classes, sample_weight=weights)
    # With a large C, the free vectors of LIBSVM are off their margin by 1e-5.
    assert_allclose(Z @ solution.coef + solution.intercept, reference.decision_function(X), atol=1e-4)
    assert solution.gap < 1e-9
    assert solution.n_iter <= 12  # without Mehrotra's corrector it takes up to 23


def test_svm_stops_at_tolerance_or_max_iter(problem):
    X, p, q = problem
    Z, _ = gaussian_factor(X, 0.5, 1e-6)
    loose, short = solve_two_sided_svm(Z, p, q, tol=1e-2), solve_two_sided_svm(Z, p, q, max_iter=2)
    assert short.n_iter == 2 < loose.n_iter < solve_two_sided_svm(Z, p, q).n_iter
    assert short.gap > loose.gap
    assert loose.converged
    assert not short.converged


@pytest.mark.parametrize("unit", [1.0, 1e-6])
def test_sigmoid_minimises_platts_cross_entropy(problem, unit):
    X, p, q = problem
    p, q = unit * p, unit * q
    f = X[:, 0] / 1e3 + 5
    A, B = fit_sigmoid(f, p, q)
    high, low = (p.sum() + 1) / (p.sum() + 2), 1 / (q.sum() + 2)

    def loss(ab):
        probability = expit(ab[0] * X[:, 0] + ab[1])
        positive = p @ (high * np.log(probability) + (1 - high) * np.log(1 - probability))
        return (-positive - q @ (low * np.log(probability) + (1 - low) * np.log(1 - probability))) / unit

    searched = minimize(loss, [0, 0], tol=1e-12)
    assert_allclose([A / 1e3, B + 5 * A], searched.x, atol=1e-5)
    assert_allclose(fit_sigmoid(f, p, q, max_iter=6), [A, B], rtol=1e-9)  # Newton's method needs at most six steps


def test_sigmoid_of_separable_values_is_finite(rng):
    f = np.concatenate([rng.uniform(1, 2, size=30), rng.uniform(-2, -1, size=30)])
    y = (f > 0).astype(float)
    A, B = fit_sigmoid(f, y, 1 - y)
    assert 1 < A < 100
    assert (expit(A * f + B)[y == 1] > 0.9).all()


def test_sigmoid_of_equal_values_is_ratio_of_classes(problem):
    _, p, q = problem
    A, B = fit_sigmoid(np.ones(60), p, q)
    assert A == 0
    assert_allclose(expit(B), (p.sum() + 1) / (p.sum() + q.sum() + 2))


def test_coupling_recovers_distribution_of_consistent_pairs(rng):
    P = rng.dirichlet(np.ones(5), size=20)
    R = P[:, :, None] / (P[:, :, None] + P[:, None, :])
    assert_allclose(couple_pairwise(R), P, atol=1e-12)
    assert_allclose(couple_pairwise(np.zeros((3, 1, 1))), 1)


def test_coupling_minimises_sum_of_squares(rng):
    upper = np.triu(rng.uniform(0.05, 0.95, size=(4, 4)), 1)
    R = upper + np.tril(1 - upper.T, -1)
    p = couple_pairwise(R[None])[0]

    def loss(p):
        return sum((R[k, j] * p[j] - R[j, k] * p[k]) ** 2 for j in range(4) for k in range(j))

    assert_allclose(p.sum(), 1)
    for other in rng.dirichlet(np.ones(4), size=300):
        assert loss(other) >= loss(p) - 1e-12


def test_newton_step_solves_linearised_conditions(rng):
    Z, sign, penalty = rng.normal(size=(7, 3)), np.array([[1.0], [-1.0]]), np.array([2.0, 3.0, 0.0])
    x, slack, s, t = rng.uniform(0.5, 2, size=(4, 2, 7))
    dual, lower, upper = rng.normal(size=(3, 2, 7))
    primal = rng.normal(size=3)
    d_theta, d_x, d_s, d_t = svm._linearise(Z, sign, penalty, x, slack, s, t, dual, primal)(lower, upper)
    assert_allclose(sign * (Z @ d_theta) - d_s + d_t, -dual)
    assert_allclose(penalty * d_theta - Z.T @ (d_x[0] - d_x[1]), -primal)
    assert_allclose(s * d_x + x * d_s, lower - s * x)
    assert_allclose(t * -d_x + slack * d_t, upper - t * slack)


@pytest.mark.parametrize("first", range(4))
def test_longest_step_ends_at_first_bound(rng, first):
    values, changes = rng.uniform(1, 2, size=(4, 2, 7)), rng.uniform(-0.9, 0.9, size=(4, 2, 7))
    x, slack, s, t = values
    d_x, _, d_s, d_t = changes
    assert svm._longest(x, slack, s, t, d_x, d_s, d_t) == 1  # no bound is reached
    assert svm._longest(x, slack, s, t, 0 * d_x, abs(d_s), abs(d_t)) == 1
    bound, change = ((x, d_x), (slack, d_x), (s, d_s), (t, d_t))[first]
    change[1, 4] = 8 if first == 1 else -8
    assert svm._longest(x, slack, s, t, d_x, d_s, d_t) == pytest.approx(bound[1, 4] / 8)
