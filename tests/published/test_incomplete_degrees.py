import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from labeldist.published._incomplete_degrees import (
    ColumnSpace,
    minimize_incomplete,
    weighted_simplex,
)
from labeldist.simplex import project, softmax


def test_weighted_simplex_equals_bisection(rng):
    H = rng.normal(size=(50, 6))
    H[0] = 0.0  # ties
    weight = rng.uniform(0.1, 3, size=(50, 6))
    for h, w, m in zip(H, weight, weighted_simplex(H, weight), strict=True):

        def degrees(tau, h=h, w=w):
            return np.maximum((h - tau) / w, 0)

        tau = brentq(lambda tau: degrees(tau).sum() - 1, h.min() - w.sum(), h.max(), xtol=1e-14)
        assert_allclose(m, degrees(tau), atol=1e-11)
    assert_allclose(weighted_simplex(H, np.ones_like(H)), project(H), atol=1e-12)


def test_column_space_projects_and_returns_coefficients(rng):
    X = rng.normal(size=(30, 4)) * [1e-6, 1, 1e6, 1] + 5
    dependent = X[:, 1] + X[:, 3]
    X = np.column_stack([X, dependent, np.full(30, 7.0)])
    T = rng.normal(size=(30, 3))
    space = ColumnSpace.of(X)
    assert space.basis.shape == (30, 5)
    scores = space.project(T)
    with_ones = np.column_stack([X / np.abs(X).max(axis=0), np.ones(30)])
    assert_allclose(scores, with_ones @ np.linalg.lstsq(with_ones, T, rcond=1e-12)[0], atol=1e-6)
    W, intercept = space.coefficients(scores)
    assert_allclose((X - space.mean) @ W + intercept, scores, atol=1e-9)


def problem(rng, n):
    X = rng.normal(size=(n, 2))
    D = softmax(3 * X @ rng.normal(size=(2, 3)) + rng.normal(size=(n, 3)))
    weight = np.where(rng.random(D.shape) < 0.3, 0.0, 1.0)
    return ColumnSpace.of(X), D, weight


def test_minimum_of_low_rank_satisfies_its_conditions(rng):
    low_rank = 1.5
    space, D, weight = problem(rng, 30)
    solution = minimize_incomplete(space, D, weight, low_rank, tol=1e-10, max_iter=50_000)
    Y = solution.x
    of_rows, of_norm = solution.multiplier
    assert np.linalg.matrix_rank(Y, tol=1e-6) < 3
    assert_allclose(solution.z[0], Y, atol=1e-8)
    # The multipliers are subgradients of both terms, and their sum is orthogonal to all possible
    # scores.
    assert_allclose(space.project(of_rows + of_norm), 0, atol=1e-7)
    assert np.linalg.norm(of_norm, 2) <= low_rank + 1e-7
    assert np.vdot(of_norm, Y) == pytest.approx(low_rank * np.linalg.norm(Y, "nuc"))
    # The rest is constant in a row, or smaller where a degree is zero.
    normal = of_rows - weight * (Y - D)
    constant = np.where(Y > 1e-6, normal, -np.inf).max(axis=1, keepdims=True)
    assert_allclose(np.where(Y > 1e-6, normal - constant, 0), 0, atol=1e-6)
    assert (normal <= constant + 1e-6).all()
