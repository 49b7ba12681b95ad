import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_triangular
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from labeldist._kernels import random_pivots
from labeldist._kernels.low_rank_factors import gaussian_factor
from labeldist._kernels.low_rank_factors import draw_pivots, kernel_diagonal
from labeldist.exceptions import SingularCoefficientError


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
    monkeypatch.setattr(random_pivots, "FREE_RANK", 0)


@pytest.fixture
def X(rng):
    return rng.normal(size=(600, 6))


@pytest.mark.parametrize("tol", [3e-2, 3e-3, 3e-4])
def test_the_error_is_about_what_is_tolerated_and_estimated_well(X, tol):
    pivots = drawn(X, tol)
    assert relative_error(X, pivots) <= 1.3 * tol
    assert pivots.error <= tol
    assert_allclose(pivots.error, relative_error(X, pivots), rtol=0.4)


def test_a_smaller_tolerance_takes_more_rows_and_each_once(X):
    ranks = [len(drawn(X, tol).rows) for tol in (1e-1, 1e-2, 1e-3)]
    assert ranks == sorted(set(ranks))
    rows = drawn(X, 1e-3).rows
    assert len(set(rows)) == len(rows)


def test_a_few_rows_are_taken_whatever_is_tolerated(X, monkeypatch):
    monkeypatch.setattr(random_pivots, "FREE_RANK", 150)
    assert 150 <= len(drawn(X, 0.5).rows) < 150 + random_pivots.BLOCK


def test_the_factor_is_that_of_the_pivots(X):
    pivots = drawn(X, 1e-3)
    assert_array_equal(pivots.factor, np.tril(pivots.factor))
    assert_allclose(pivots.factor @ pivots.factor.T, kernel(X[pivots.rows], X[pivots.rows]), atol=1e-12)


def test_without_tolerance_nothing_is_left(X):
    pivots = drawn(X[:150], 0)
    assert pivots.error == 0
    assert_allclose(approximation(X[:150], pivots), kernel(X[:150], X[:150]), atol=1e-9)


def test_the_rank_has_a_limit_and_the_error_says_so(X):
    pivots = drawn(X, 1e-6, max_rank=40)
    assert len(pivots.rows) <= 40
    assert pivots.error > 1e-6


def test_drawing_by_the_residual_beats_drawing_evenly(rng):
    # Most rows lie close together; the few others need columns of their own.
    X = np.vstack([0.1 * rng.normal(size=(900, 6)), 4 * rng.normal(size=(100, 6))])
    pivots = drawn(X, 1e-12, max_rank=100)
    evenly = rng.choice(1000, len(pivots.rows), replace=False)
    K = kernel(X, X)
    nystrom = K[:, evenly] @ np.linalg.pinv(K[np.ix_(evenly, evenly)], rcond=1e-12) @ K[evenly]
    assert np.linalg.norm(K - approximation(X, pivots)) < 0.5 * np.linalg.norm(K - nystrom)


def test_rows_are_chosen_from_a_sample_of_many(X, monkeypatch):
    monkeypatch.setattr(random_pivots, "SAMPLE_ROWS", 300)
    pivots = drawn(X, 1e-2)
    assert pivots.rows.max() >= 300
    assert relative_error(X, pivots) < 2e-2


def test_the_same_seed_draws_the_same_rows(X):
    first, again, other = (drawn(X, 1e-2, seed=seed).rows for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_repeated_rows_are_not_taken_twice(rng):
    X = np.repeat(rng.normal(size=(5, 3)), 40, axis=0)
    assert len(drawn(X, 0).rows) == 5


def test_a_kernel_of_zeros_needs_no_rows():
    pivots = drawn(np.zeros((4, 2)), 1e-3, kernel=linear_kernel)
    assert pivots.rows.shape == (0,)
    assert pivots.factor.shape == (0, 0)


@pytest.mark.parametrize("indefinite", [lambda X, Y: -linear_kernel(X, Y), lambda X, Y: 1 - rbf_kernel(X, Y)])
def test_an_indefinite_kernel_is_refused(X, indefinite):
    def shifted(X, Y):  # a positive diagonal, so that the drawing begins
        return indefinite(X, Y) + 0.5 * (X[:, None] == Y[None]).all(axis=2)

    with pytest.raises(SingularCoefficientError, match="not positive semidefinite"):
        drawn(X, 1e-6, kernel=shifted)


def test_the_diagonal_is_put_together_from_blocks(X):
    assert_allclose(kernel_diagonal(linear_kernel, X), (X**2).sum(axis=1))


def test_entries_can_be_held_to_a_tolerance_instead(X):
    for tol in (1e-1, 1e-3):
        pivots = draw_pivots(kernel, X, 0.0, 600, np.random.RandomState(0), entry_tolerance=tol)
        difference = np.abs(kernel(X, X) - approximation(X, pivots)).max()
        assert 0.1 * tol < difference <= tol


def test_outliers_get_few_of_few_pivots(rng):
    X = np.vstack([rng.normal(size=(200, 2)), 1e3 * rng.normal(size=(20, 2))])

    greedy, _ = gaussian_factor(X, 0.1, 1e-6, max_rank=20)
    pivots = drawn(X, 0.0, max_rank=20)
    assert 220 - np.trace(approximation(X, pivots)) < 0.5 * (220 - (greedy**2).sum())
