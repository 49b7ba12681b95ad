import numpy as np
from numpy.testing import assert_allclose
from scipy.special import expit, logit

from labeldist._kernels.kernels import gaussian_kernel
from labeldist.published import LDSVR
from tests.references import kernel_ridge_scores


def test_epsilon_zero_is_kernel_ridge_on_the_log_odds(table):
    X, D = table
    model = LDSVR(C=3.0, epsilon=0, floor=0.02).fit(X, D)
    F = kernel_ridge_scores(X, logit(np.clip(D, 0.02, 0.98)), 8 / 3)
    assert_allclose(model.predict(X), expit(F) / expit(F).sum(axis=1, keepdims=True), atol=1e-10)
    assert model.n_iter_ == 1


def test_gradient_vanishes_at_the_solution(table):
    X, D = table
    C, epsilon = 5.0, 0.1
    model = LDSVR(C, epsilon, tol=1e-9, max_iter=500).fit(X, D)
    K, _ = gaussian_kernel((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), "mean")
    T = logit(np.clip(D, 0.01, 0.99))

    def objective(parameters):
        B, b = parameters[:-1], parameters[-1]
        u = np.linalg.norm(T - K @ B - b, axis=1)
        return np.trace(B.T @ K @ B) / 2 + C * (np.maximum(0, u / 4 - epsilon) ** 2).sum()

    assert (np.abs(model.dual_coef_).max(axis=1) < 1e-12).any()
    found = np.vstack([model.dual_coef_, model.intercept_])
    for change in 1e-5 * np.eye(found.size).reshape(-1, *found.shape):
        assert abs(objective(found + change) - objective(found - change)) / 2e-5 < 1e-6


def test_degrees_of_zero_and_one_are_clipped(table):
    X, D = table
    corners = np.eye(3)[D.argmax(axis=1)]
    model = LDSVR(1e4, 0, bandwidth=0.1, floor=0.05).fit(X, corners)
    row = np.where(corners > 0, 0.95, 0.05)
    assert_allclose(model.predict(X), row / row.sum(axis=1, keepdims=True), atol=0.01)
