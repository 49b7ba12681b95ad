import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_triangular
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from labeldist._kernels import low_rank_factors
from labeldist._kernels.low_rank_factors import draw_pivots, kernel_diagonal
from labeldist._solvers.sylvester import SingularCoefficientError


@pytest.fixture
def X(rng):
    return rng.normal(size=(150, 3))


def kernel(X, Y):
    return rbf_kernel(X, Y, gamma=0.1)


def drawn(X, tol, *, kernel=kernel, max_rank=1000, seed=0):
    return draw_pivots(kernel, X, tol, max_rank, np.random.RandomState(seed))


def approximation(X, pivots, kernel=kernel):
    Z = solve_triangular(pivots.factor, kernel(X[pivots.rows], X), lower=True)
    return Z.T @ Z


def relative_error(X, pivots):
    K = kernel(X, X)
    return np.linalg.norm(K - approximation(X, pivots)) / np.linalg.norm(K)


@pytest.fixture(autouse=True)
def no_free_rank(monkeypatch):
    monkeypatch.setattr(low_rank_factors, "FREE_RANK", 0)


@pytest.fixture
def rows(rng):
    return rng.normal(size=(600, 6))


def test_error_of_drawn_pivots_meets_tolerance_and_estimate(rows):
    ranks = []
    for tol in (3e-2, 3e-3, 3e-4):
        pivots = drawn(rows, tol)
        assert relative_error(rows, pivots) <= 1.3 * tol
        assert pivots.error <= tol
        assert_allclose(pivots.error, relative_error(rows, pivots), rtol=0.4)
        assert len(set(pivots.rows)) == len(pivots.rows)
        assert_array_equal(pivots.factor, np.tril(pivots.factor))
        assert_allclose(
            pivots.factor @ pivots.factor.T,
            kernel(rows[pivots.rows], rows[pivots.rows]),
            atol=1e-12,
        )
        ranks.append(len(pivots.rows))
    assert ranks == sorted(set(ranks))


def test_zero_tolerance_gives_exact_factor(rows):
    pivots = drawn(rows[:150], 0)
    assert pivots.error == 0
    assert_allclose(approximation(rows[:150], pivots), kernel(rows[:150], rows[:150]), atol=1e-9)


def test_number_of_drawn_pivots_has_limits(rows, monkeypatch):
    pivots = drawn(rows, 1e-6, max_rank=40)
    assert len(pivots.rows) <= 40
    assert pivots.error > 1e-6
    monkeypatch.setattr(low_rank_factors, "FREE_RANK", 150)
    assert 150 <= len(drawn(rows, 0.5).rows) < 150 + low_rank_factors.PIVOT_BLOCK


def test_drawing_by_residual_beats_uniform_drawing(rng):
    # Most rows are close together; the few others need columns of their own.
    X = np.vstack([0.1 * rng.normal(size=(900, 6)), 4 * rng.normal(size=(100, 6))])
    pivots = drawn(X, 1e-12, max_rank=100)
    uniform = rng.choice(1000, len(pivots.rows), replace=False)
    K = kernel(X, X)
    nystrom = K[:, uniform] @ np.linalg.pinv(K[np.ix_(uniform, uniform)], rcond=1e-12) @ K[uniform]
    assert np.linalg.norm(K - approximation(X, pivots)) < 0.5 * np.linalg.norm(K - nystrom)


def test_pivots_of_many_rows_come_from_a_sample(rows, monkeypatch):
    monkeypatch.setattr(low_rank_factors, "PIVOT_ROWS", 300)
    pivots, again, other = (drawn(rows, 1e-2, seed=seed) for seed in (1, 1, 2))
    assert_array_equal(pivots.rows, again.rows)
    assert not np.array_equal(pivots.rows, other.rows)
    assert pivots.rows.max() >= 300
    assert relative_error(rows, pivots) < 2e-2


def test_repeated_rows_need_few_pivots(rng):
    X = np.repeat(rng.normal(size=(5, 3)), 40, axis=0)
    assert len(drawn(X, 0).rows) == 5


@pytest.mark.parametrize(
    "indefinite", [lambda X, Y: -linear_kernel(X, Y), lambda X, Y: 1 - rbf_kernel(X, Y)]
)
def test_indefinite_kernel_raises(rows, indefinite):
    def shifted(X, Y):  # a positive diagonal, so that rows can be drawn
        return indefinite(X, Y) + 0.5 * (X[:, None] == Y[None]).all(axis=2)

    with pytest.raises(SingularCoefficientError, match="positive semidefinite"):
        drawn(rows, 1e-6, kernel=shifted)


def test_entry_tolerance_bounds_largest_difference(rows):
    assert_allclose(kernel_diagonal(linear_kernel, rows), (rows**2).sum(axis=1))
    for tol in (1e-1, 1e-3):
        pivots = draw_pivots(kernel, rows, 0.0, 600, np.random.RandomState(0), entry_tolerance=tol)
        difference = np.abs(kernel(rows, rows) - approximation(rows, pivots)).max()
        assert 0.1 * tol < difference <= tol
