import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import lsq_linear

from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._solvers import bounded
from labeldist._solvers.quadratic import by_active_set, by_conjugate_gradients, minimize_bounded

TOLERANCE = 1e-10
every_method = pytest.mark.parametrize("method", [by_active_set, by_conjugate_gradients])


def problem(rng, n=60, m=3, k=4, positive=0.6):
    """The matrix that ML minimises over, with the factor of which it is the square."""
    X = rng.normal(size=(n, m))
    signs = np.where(rng.random(n) < positive, 1.0, -1.0)
    factor = (np.eye(n) - reconstruction_weights(X, k).toarray()) * signs
    return factor, sparse.csr_array(factor.T @ factor)


@pytest.mark.parametrize("method", [minimize_bounded, by_conjugate_gradients])
@pytest.mark.parametrize("positive", [0.1, 0.5, 0.8])
def test_the_conditions_of_a_minimum_hold(rng, method, positive):
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
def test_the_minimum_is_that_of_bounded_least_squares(method, seed):
    factor, A = problem(np.random.default_rng(seed), n=30)
    reference = lsq_linear(factor, np.zeros(30), bounds=(1, np.inf), method="bvls", tol=1e-14)
    found = method(A, TOLERANCE)
    assert found.x @ A @ found.x == pytest.approx(2 * reference.cost, rel=1e-8, abs=1e-12)
    assert_allclose(found.x, reference.x, atol=1e-5)


@every_method
@pytest.mark.parametrize("tol", [TOLERANCE, 0.0])
def test_what_is_minimal_at_the_bound_stays_there(method, tol):
    # The Laplacian of a ring does not move equal entries.
    ring = sparse.csr_array(2 * np.eye(6) - np.roll(np.eye(6), 1, axis=0) - np.roll(np.eye(6), -1, axis=0))
    found = method(ring, tol)
    assert_array_equal(found.x, 1)
    assert found.converged


def test_what_the_active_set_settles_is_taken(rng):
    _, A = problem(rng)
    assert_array_equal(minimize_bounded(A).x, by_active_set(A, TOLERANCE).x)


def test_a_matrix_of_zeros_is_minimal_anywhere():
    assert_array_equal(minimize_bounded(sparse.csr_array((3, 3))).x, 1)


def test_conjugate_gradients_take_over_where_the_active_set_fails(rng, monkeypatch):
    _, A = problem(rng)
    expected = minimize_bounded(A).x
    monkeypatch.setattr(bounded, "ACTIVE_SET_STEPS", 1)
    assert not by_active_set(A, TOLERANCE).converged
    assert_allclose(minimize_bounded(A).x, expected, atol=1e-6)


def test_a_singular_free_block_is_no_obstacle():
    # Entries 0 and 1 are free together, and only their sum counts: x0 + x1 = 3 x2 costs nothing.
    factor = np.array([1.0, 1.0, -3.0])
    A = sparse.csr_array(np.outer(factor, factor))
    tried = by_active_set(A, TOLERANCE)
    assert tried.converged is False
    assert tried.violation == np.inf
    assert tried.x.shape == (3,)
    found = minimize_bounded(A)
    assert found.converged
    assert found.x @ factor == pytest.approx(0, abs=1e-9)


def test_stopping_short_is_told(rng):
    _, A = problem(rng)
    found = by_conjugate_gradients(A, TOLERANCE, max_iter=2)
    assert not found.converged
    assert found.violation > TOLERANCE


@pytest.mark.parametrize("max_iter", [0, 1, 5, 20, 60])
def test_the_violation_is_that_of_the_conditions_of_a_minimum(rng, max_iter):
    _, A = problem(rng)
    found = by_conjugate_gradients(A, TOLERANCE, max_iter=max_iter)
    gradient, free = A @ found.x, found.x > 1
    worst = max(np.abs(gradient[free]).max(initial=0), -gradient[~free].min())
    assert found.violation == pytest.approx(worst / abs(A).sum(axis=1).max())


def test_a_step_that_meets_a_bound_goes_that_far_and_then_down_the_projected_gradient(rng):
    _, A = problem(rng, n=200)
    points = [by_conjugate_gradients(A, TOLERANCE, max_iter=steps).x for steps in range(60)]
    step, checked = 1 / abs(A).sum(axis=1).max(), 0
    for before, x, after in zip(points, points[1:], points[2:], strict=False):
        free = x > 1
        afresh = (free != (before > 1)).any()  # the directions begin with the gradient again
        if not afresh or np.count_nonzero(after > 1) >= np.count_nonzero(free):
            continue
        p = np.where(free, A @ x, 0.0)
        met = x - ((x - 1)[p > 0] / p[p > 0]).min() * p
        assert_allclose(after, np.maximum(met - step * np.where(free, A @ met, 0.0), 1), rtol=1e-12)
        checked += 1
    assert checked > 0


def test_conjugate_directions_save_steps(rng):
    # Steepest descent, or directions that are not conjugate, take some thousands.
    assert by_conjugate_gradients(problem(rng)[1], TOLERANCE, max_iter=500).converged


@every_method
@pytest.mark.parametrize("exponent", [-40, 40])
def test_the_unit_of_the_matrix_does_not_matter(rng, method, exponent):
    _, A = problem(rng)
    in_other_units = method(A * 2.0**exponent, TOLERANCE)
    assert in_other_units.converged
    assert_array_equal(in_other_units.x, method(A, TOLERANCE).x)
    assert in_other_units.violation == method(A, TOLERANCE).violation


def test_the_gradient_must_vanish_where_x_is_free_and_not_be_negative_elsewhere():
    gradient, free = np.array([-1.0, 2.0, -3.0, 4.0]), np.array([True, True, False, False])
    on_free, on_bound = bounded._split(gradient, free)
    assert_array_equal(on_free, [-1, 2, 0, 0])
    assert_array_equal(on_bound, [0, 0, -3, 0])
