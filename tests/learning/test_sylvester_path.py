import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.learning._sylvester_path import SylvesterPath

GRID = 10.0 ** np.arange(-4, 4)


def problem(rng, m=12, c=4, n=40):
    X = rng.normal(size=(n, m))
    D = rng.dirichlet(np.ones(c), size=n)
    return X.T @ X, D.T @ D, X.T @ D


@pytest.mark.parametrize("c", [1, 4])
def test_every_point_solves_its_equation(rng, c):
    A, B, C = problem(rng, c=c)
    path = SylvesterPath(A, B, C)
    for reconstruction in GRID:
        for ridge, X in zip(GRID, path.solve(reconstruction, GRID), strict=True):
            left = (A + ridge * np.eye(12)) @ X + X @ (reconstruction * B)
            assert_allclose(
                left, (1 + reconstruction) * C, atol=1e-12 * np.abs(C).max() * (1 + reconstruction)
            )


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("ridge", [0.0, 1e-15])
def test_singular_system_gives_solution_of_minimum_norm(rng, unit, ridge):
    # A ridge below the rounding of A counts as zero.
    A, B, C = problem(rng, m=30, n=20)
    found = SylvesterPath(unit * A, B, unit * C).solve(0.0, np.array([unit * ridge]))[0]
    assert_allclose(found, np.linalg.lstsq(A, C, rcond=1e-10)[0], atol=1e-8)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_null_directions_of_labels_are_not_penalised(rng, unit):
    # Four labels that are combinations of two: half the eigenvalues of B are zero, but for
    # rounding.
    A, _, C = problem(rng)
    labels = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 4))
    _, V = np.linalg.eigh(labels.T @ labels)
    found = SylvesterPath(A, unit * labels.T @ labels, C).solve(1e9 / unit, np.array([0.1]))[0]
    expected = np.linalg.solve(A + 0.1 * np.eye(12), (1 + 1e9 / unit) * C @ V[:, :2])
    assert_allclose(found @ V[:, :2], expected, rtol=1e-7)
