import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.published._admm import minimize_by_admm


@pytest.mark.parametrize("rho", [1e-3, 1.0, 1e3])
def test_admm_reaches_the_minimum_from_any_penalty(rng, rho):
    A = rng.normal(size=(20, 4))
    b = rng.normal(size=20)

    def least_squares(T, rho, x):
        x = np.linalg.solve(A.T @ A + rho * np.eye(4), A.T @ b + rho * T)
        return x, x

    def soft_threshold(T, rho):
        return np.sign(T) * np.maximum(np.abs(T) - 2 / rho, 0)

    def search(max_iter):
        return minimize_by_admm(
            least_squares, soft_threshold, None, np.zeros(4), rho=rho, tol=1e-9, max_iter=max_iter
        )

    found = search(500)
    assert found.converged
    gradient = A.T @ (A @ found.z - b)
    assert_allclose(found.multiplier, -gradient, atol=1e-6)
    assert (np.abs(gradient) <= 2 + 1e-6).all()
    used = found.z != 0
    assert_allclose(gradient[used], -2 * np.sign(found.z[used]), atol=1e-6)
    short = search(3)
    assert not short.converged
    assert short.n_iter == 3
