import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import lsq_linear

from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._solvers import quadratic
from labeldist._solvers.quadratic import (
    by_active_set,
    by_conjugate_gradients,
    minimize_bounded,
    solve_conjugate_gradient,
)

TOLERANCE = 1e-10
every_method = pytest.mark.parametrize("method", [by_active_set, by_conjugate_gradients])


def problem(rng, n=60, m=3, k=4, positive=0.6):
    """Return a matrix of the problem of ML and its factor."""
    X = rng.normal(size=(n, m))
    signs = np.where(rng.random(n) < positive, 1.0, -1.0)
    factor = (np.eye(n) - reconstruction_weights(X, k).toarray()) * signs
    return factor, sparse.csr_array(factor.T @ factor)


@pytest.mark.parametrize("method", [minimize_bounded, by_conjugate_gradients])
@pytest.mark.parametrize("positive", [0.1, 0.5, 0.8])
def test_conditions_for_a_minimum_hold(rng, method, positive):
    _, A = problem(rng, positive=positive)
    found = method(A, tol=TOLERANCE)
    assert found.converged
    gradient, largest = A @ found.x, abs(A).sum(axis=1).max()
    assert found.x.min() >= 1
    assert gradient.min() >= -TOLERANCE * largest
    assert np.abs(gradient[found.x > 1]).max() <= TOLERANCE * largest
    assert found.violation <= TOLERANCE
    assert 0 < np.count_nonzero(found.x > 1) < len(found.x)


@every_method
@pytest.mark.parametrize("seed", range(5))
def test_minimum_equals_bounded_least_squares(method, seed):
    factor, A = problem(np.random.default_rng(seed), n=30)
    reference = lsq_linear(factor, np.zeros(30), bounds=(1, np.inf), method="bvls", tol=1e-14)
    found = method(A, TOLERANCE)
    assert found.x @ A @ found.x == pytest.approx(2 * reference.cost, rel=1e-8, abs=1e-12)
    assert_allclose(found.x, reference.x, atol=1e-5)


@every_method
@pytest.mark.parametrize("tol", [TOLERANCE, 0.0])
def test_minimum_at_the_bound_is_kept(method, tol):
    # Equal entries are in the null space of the Laplacian of a ring.
    ring = sparse.csr_array(2 * np.eye(6) - np.roll(np.eye(6), 1, axis=0) - np.roll(np.eye(6), -1, axis=0))
    for A in (ring, sparse.csr_array((3, 3))):
        found = method(A, tol)
        assert_array_equal(found.x, 1)
        assert found.converged


def test_conjugate_gradients_are_used_if_active_set_fails(rng, monkeypatch):
    _, A = problem(rng)
    expected = minimize_bounded(A).x
    monkeypatch.setattr(quadratic, "ACTIVE_SET_STEPS", 1)
    assert not by_active_set(A, TOLERANCE).converged
    assert_allclose(minimize_bounded(A).x, expected, atol=1e-6)


def test_singular_free_block_is_solved():
    # Entries 0 and 1 are free together, and only their sum matters: x0 + x1 = 3 x2 has the value 0.
    factor = np.array([1.0, 1.0, -3.0])
    A = sparse.csr_array(np.outer(factor, factor))
    tried = by_active_set(A, TOLERANCE)
    assert tried.converged is False
    assert tried.violation == np.inf
    assert tried.x.shape == (3,)
    found = minimize_bounded(A)
    assert found.converged
    assert found.x @ factor == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("max_iter", [0, 1, 5, 20, 60])
def test_violation_measures_conditions_for_a_minimum(rng, max_iter):
    _, A = problem(rng)
    found = by_conjugate_gradients(A, TOLERANCE, max_iter=max_iter)
    gradient, free = A @ found.x, found.x > 1
    worst = max(np.abs(gradient[free]).max(initial=0), -gradient[~free].min())
    assert found.violation == pytest.approx(worst / abs(A).sum(axis=1).max())
    assert not found.converged


def test_step_to_a_bound_is_followed_by_projected_gradient(rng):
    _, A = problem(rng, n=200)
    points = [by_conjugate_gradients(A, TOLERANCE, max_iter=steps).x for steps in range(60)]
    step, checked = 1 / abs(A).sum(axis=1).max(), 0
    for before, x, after in zip(points, points[1:], points[2:], strict=False):
        free = x > 1
        afresh = (free != (before > 1)).any()  # the search direction is the gradient again
        if not afresh or np.count_nonzero(after > 1) >= np.count_nonzero(free):
            continue
        p = np.where(free, A @ x, 0.0)
        met = x - ((x - 1)[p > 0] / p[p > 0]).min() * p
        assert_allclose(after, np.maximum(met - step * np.where(free, A @ met, 0.0), 1), rtol=1e-12)
        checked += 1
    assert checked > 0


def test_conjugate_directions_reduce_iterations(rng):
    # Steepest descent, or directions that are not conjugate, take thousands of iterations.
    assert by_conjugate_gradients(problem(rng)[1], TOLERANCE, max_iter=500).converged


@every_method
@pytest.mark.parametrize("exponent", [-40, 40])
def test_minimum_does_not_depend_on_scale(rng, method, exponent):
    _, A = problem(rng)
    in_other_units = method(A * 2.0**exponent, TOLERANCE)
    assert in_other_units.converged
    assert_array_equal(in_other_units.x, method(A, TOLERANCE).x)
    assert in_other_units.violation == method(A, TOLERANCE).violation


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
    assert (nothing.n_iter, nothing.residual) == (0, 0.0)
    assert solve_conjugate_gradient(lambda V: V, np.zeros((30, 0))).residual == 0.0


def test_conjugate_gradient_stops_at_tolerance_or_max_iter(system):
    A, B = system
    assert solve_conjugate_gradient(lambda V: A @ V, B, max_iter=3).n_iter == 3
    rough, fine = (solve_conjugate_gradient(lambda V: A @ V, B, tol=t) for t in (1e-2, 1e-12))
    assert rough.n_iter < fine.n_iter
    assert 1e-12 < rough.residual <= 1e-2
    relative = np.linalg.norm(A @ rough.X - B, axis=0) / np.linalg.norm(B, axis=0)
    assert rough.residual == pytest.approx(relative.max())
