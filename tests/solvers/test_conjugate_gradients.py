import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._solvers import conjugate_gradients
from labeldist._solvers.conjugate_gradients import solve_conjugate_gradient


@pytest.fixture
def system(rng):
    root = rng.normal(size=(30, 30))
    return root @ root.T / 30 + np.eye(30), rng.normal(size=(30, 4))


def test_conjugate_gradient_residual_vanishes_in_every_column(system):
    A, B = system
    B = B * [1e-8, 1, 1e8, 1]
    solution = solve_conjugate_gradient(lambda V: A @ V, B)
    assert (np.linalg.norm(A @ solution.X - B, axis=0) <= 1e-13 * np.linalg.norm(B, axis=0)).all()
    assert solution.residual <= 1e-15


def test_conjugate_gradient_keeps_zero_columns(system):
    A, B = system
    B[:, 1] = 0
    solution = solve_conjugate_gradient(lambda V: A @ V, B)
    assert_array_equal(solution.X[:, 1], 0)
    assert_allclose(solution.X, np.linalg.solve(A, B), atol=1e-12)
    nothing = solve_conjugate_gradient(lambda V: A @ V, np.zeros((30, 2)))
    assert nothing.residual == 0.0
    assert solve_conjugate_gradient(lambda V: V, np.zeros((30, 0))).residual == 0.0


def test_conjugate_gradient_stops_at_tolerance_or_limit(system, monkeypatch):
    A, B = system
    rough = solve_conjugate_gradient(lambda V: A @ V, B, tol=1e-2)
    assert 1e-12 < rough.residual <= 1e-2
    relative = np.linalg.norm(A @ rough.X - B, axis=0) / np.linalg.norm(B, axis=0)
    assert rough.residual == pytest.approx(relative.max())
    monkeypatch.setattr(conjugate_gradients, "MAX_ITERATIONS", 3)
    assert solve_conjugate_gradient(lambda V: A @ V, B).residual > 1e-12
