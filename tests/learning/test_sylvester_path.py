import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.learning._sylvester_path import SylvesterPath

GRID = 10.0 ** np.arange(-4, 4)


def problem(rng, m=12, c=4, n=40):
    X = rng.normal(size=(n, m))
    D = rng.dirichlet(np.ones(c), size=n)
    return X.T @ X, D.T @ D, X.T @ D


# 20 rows of 50 features determine A, which has rank 20.
@pytest.mark.parametrize(("m", "c", "n"), [(12, 1, 40), (12, 4, 40), (1, 4, 40), (50, 4, 20)])
def test_every_point_solves_its_equation(rng, m, c, n):
    A, B, C = problem(rng, m=m, c=c, n=n)
    path = SylvesterPath(A, B, C, max_rank=n)
    solutions = path.solve(GRID, GRID)
    for i, reconstruction in enumerate(GRID):
        for j, ridge in enumerate(GRID):
            X = solutions[i, j]
            left = (A + ridge * np.eye(m)) @ X + X @ (reconstruction * B)
            right = (1 + reconstruction) * C
            assert_allclose(left, right, atol=1e-12 * np.abs(right).max())


def test_solutions_in_the_range_are_those_without_a_known_rank(rng):
    A, B, C = problem(rng, m=50, n=20)
    in_range = SylvesterPath(A, B, C, max_rank=20).solve(GRID, GRID)
    assert_allclose(in_range, SylvesterPath(A, B, C).solve(GRID, GRID), rtol=1e-7, atol=1e-10)
    constant = SylvesterPath(0 * A, B, 0 * C, max_rank=20).solve(GRID, GRID)
    assert not constant.any()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("ridge", [0.0, 1e-15])
def test_singular_system_gives_solution_of_minimum_norm(rng, unit, ridge):
    # A ridge below the rounding of A counts as zero.
    A, B, C = problem(rng, m=30, n=20)
    path = SylvesterPath(unit * A, B, unit * C)
    found = path.solve(np.zeros(1), np.array([unit * ridge]))[0, 0]
    assert_allclose(found, np.linalg.lstsq(A, C, rcond=1e-10)[0], atol=1e-8)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_null_directions_of_labels_are_not_penalised(rng, unit):
    # Four labels that are combinations of two: half the eigenvalues of B are zero, but for
    # rounding.
    A, _, C = problem(rng)
    labels = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 4))
    _, V = np.linalg.eigh(labels.T @ labels)
    path = SylvesterPath(A, unit * labels.T @ labels, C)
    found = path.solve(np.array([1e9 / unit]), np.array([0.1]))[0, 0]
    expected = np.linalg.solve(A + 0.1 * np.eye(12), (1 + 1e9 / unit) * C @ V[:, :2])
    assert_allclose(found @ V[:, :2], expected, rtol=1e-7)
