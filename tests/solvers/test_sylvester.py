import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from labeldist._solvers import sylvester
from labeldist._solvers.sylvester import (
    METHODS,
    SingularCoefficientError,
    solve_symmetric_sylvester,
)
from tests.references import sylvester_by_kronecker

every_method = pytest.mark.parametrize("method", METHODS)


def gram(rng, size, rank=None):
    """A random positive (semi)definite matrix."""
    factor = rng.normal(size=(rank or size + 3, size))
    return factor.T @ factor


@every_method
@pytest.mark.parametrize(("m", "c"), [(1, 1), (5, 3), (3, 5), (12, 2)])
def test_known_solution_is_recovered(rng, method, m, c):
    A = gram(rng, m)
    B = gram(rng, c)
    known = rng.normal(size=(m, c))
    solution = solve_symmetric_sylvester(A, B, A @ known + known @ B, method=method)
    assert_allclose(solution.X, known, rtol=1e-9, atol=1e-9)
    assert solution.residual < 1e-14
    assert solution.method == method


def test_residual_is_relative_backward_error(rng, monkeypatch):
    A = gram(rng, 6)
    B = gram(rng, 4)
    C = rng.normal(size=(6, 4))
    X = sylvester_by_kronecker(A, B, C) + 1e-3
    monkeypatch.setitem(sylvester._SOLVERS, "eigh", lambda *_: (X, 1.0))
    norm = np.linalg.norm
    expected = norm(A @ X + X @ B - C) / (norm(A) * norm(X) + norm(X) * norm(B) + norm(C))
    assert_allclose(solve_symmetric_sylvester(A, B, C, method="eigh").residual, expected)


@pytest.mark.parametrize("method", ["eigh", "auto"])
@settings(max_examples=200)
@given(seed=st.integers(0, 10_000), rank_a=st.integers(1, 5), rank_b=st.integers(1, 3))
def test_singular_equation_gives_solution_of_minimum_norm(method, seed, rank_a, rank_b):
    rng = np.random.default_rng(seed)
    A = gram(rng, 5, rank_a)
    B = gram(rng, 3, rank_b)
    known = rng.normal(size=(5, 3))
    C = A @ known + known @ B
    solution = solve_symmetric_sylvester(A, B, C, method=method)
    assert solution.residual < 1e-12
    assert_allclose(solution.X, sylvester_by_kronecker(A, B, C), atol=1e-6)


@pytest.mark.parametrize("c", [1, 3])
def test_auto_uses_eigh_if_cholesky_fails(rng, c):
    A = gram(rng, 5, 2)
    B = np.zeros((c, c))
    C = A @ rng.normal(size=(5, c))
    solution = solve_symmetric_sylvester(A, B, C)
    assert solution.method == "eigh"
    assert_allclose(solution.X, np.linalg.pinv(A) @ C, rtol=1e-9)
    with pytest.raises(SingularCoefficientError, match="A is singular") as caught:
        solve_symmetric_sylvester(A, B, C, method="cholesky")
    assert caught.value.coefficient == "A"


def test_cholesky_skips_label_directions_with_zero_right_side(rng):
    # A label without any positive: its row and column of B and its column of C are zero, and A is
    # singular.
    A = gram(rng, 5, 2)
    B = gram(rng, 3)
    C = rng.normal(size=(5, 3))
    B[2, :] = B[:, 2] = C[:, 2] = 0
    solution = solve_symmetric_sylvester(A, B, C, method="cholesky")
    assert_allclose(solution.X[:, 2], 0, atol=1e-15)
    assert solution.residual < 1e-14


def test_auto_depends_on_numbers_of_labels_and_features(rng):
    few, many = sylvester.EIGH_COST, sylvester.EIGH_COST + 1
    small, large = sylvester.SMALL, sylvester.SMALL + 1
    for m, c, method in ((large, few, "cholesky"), (large, many, "eigh"), (small, few, "eigh")):
        assert (
            solve_symmetric_sylvester(gram(rng, m), gram(rng, c), rng.normal(size=(m, c))).method
            == method
        )


@pytest.mark.parametrize("method", ["cholesky", "cholesky_svd"])
def test_factorable_but_ill_conditioned_system_raises(method):
    nearly = np.array([[1.0, 1 - 4e-16], [1 - 4e-16, 1.0]])
    np.linalg.cholesky(nearly)
    with pytest.raises(SingularCoefficientError):
        solve_symmetric_sylvester(
            nearly, 0 * nearly if method == "cholesky" else np.eye(2), np.eye(2), method=method
        )


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_solution_does_not_depend_on_scale(rng, scale):
    A = gram(rng, 6)
    B = gram(rng, 4)
    known = rng.normal(size=(6, 4))
    solution = solve_symmetric_sylvester(A * scale, B * scale, (A @ known + known @ B) * scale)
    assert_allclose(solution.X, known, rtol=1e-9)
    assert solution.residual < 1e-14


@every_method
@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_condition_is_that_of_worst_system(rng, method, unit):
    A = unit * np.diag([1.0, 1e-2, 1e-5])
    B = unit * np.diag([1e-4, 1.0])
    solution = solve_symmetric_sylvester(A, B, rng.normal(size=(3, 2)), method=method)
    # Cholesky does not depend on units, and a diagonal system becomes the identity by a change of
    # units.
    expected = 1.0 if method == "cholesky" else 2 / 1.1e-4
    assert_allclose(solution.condition, expected)
    assert not solution.has_few_digits


@pytest.mark.parametrize("method", ["cholesky", "eigh", "auto"])
def test_nearly_singular_system_has_few_digits(rng, method):
    X = rng.normal(size=(50, 4))
    X[:, 3] = X[:, 0] + 3e-7 * rng.normal(size=50)
    A = X.T @ X
    solution = solve_symmetric_sylvester(
        A, np.zeros((2, 2)), A @ rng.normal(size=(4, 2)), method=method
    )
    assert solution.has_few_digits
    assert solution.residual < 1e-14
    assert_allclose(
        solution.condition, np.linalg.cond(A), rtol=0.9
    )  # LAPACK's estimate is in another norm


def test_condition_ignores_directions_set_to_zero(rng):
    A = gram(rng, 5, 2)
    solution = solve_symmetric_sylvester(A, np.zeros((3, 3)), A @ rng.normal(size=(5, 3)))
    values = np.linalg.eigvalsh(A)
    assert_allclose(solution.condition, values[-1] / values[-2])
    nothing = solve_symmetric_sylvester(
        np.zeros((3, 3)), np.zeros((2, 2)), np.zeros((3, 2)), method="eigh"
    )
    assert (nothing.condition, nothing.residual) == (1, 0)
    assert_allclose(nothing.X, 0)


@pytest.mark.parametrize("c", [3, sylvester.EIGH_COST + 3])
def test_solution_does_not_depend_on_units_of_columns(rng, c):
    units = 10.0 ** np.array([8, -4, 0, 3, -8, 6])
    A = gram(rng, 6)
    B = 1e-3 * gram(rng, c)
    known = rng.normal(size=(6, c))
    scaled_A = A * np.outer(units, units)
    solution = solve_symmetric_sylvester(scaled_A, 0 * B, scaled_A @ (known / units[:, None]))
    assert_allclose(solution.X * units[:, None], known, rtol=1e-6)
    assert solution.method == "cholesky"


def test_singular_coefficient_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(SingularCoefficientError("B is singular", "B")))
    assert str(error) == "B is singular"
    assert error.coefficient == "B"
