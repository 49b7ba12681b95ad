import numpy as np
from numpy.testing import assert_allclose

from labeldist.enhancement._bayes_le.logistic_normal import (
    cholesky_root,
    expected_degrees,
    precision_of,
    regularised_covariance,
)
from labeldist.simplex import softmax


def test_regularised_covariance_equals_formula(rng):
    root = rng.normal(size=(4, 4))
    C, n = root @ root.T, 36.0
    strength = 4 + 2 + 3
    H = np.eye(4) - 1 / 4
    variance = np.trace(H @ C @ H) / 3
    expected = n * H @ C @ H + n * variance / 4 + strength * variance * np.eye(4)
    found, spread = regularised_covariance(C, n)
    assert_allclose(found, expected / (n + strength))
    assert_allclose(spread**2, variance)
    assert_allclose(cholesky_root(found) @ cholesky_root(found).T, found, atol=1e-8)
    assert_allclose(precision_of(found) @ found, np.eye(4), atol=1e-7)


def test_expected_degrees_equal_simulation(rng):
    mean = rng.normal(size=(4, 3))
    covariance = np.diag([0.5, 1.0, 0.2, 0.8])
    found = expected_degrees(mean, covariance, np.random.default_rng(1).standard_normal((4, 2_000)))
    assert_allclose(found.sum(axis=0), 1)
    for column in range(3):
        scores = rng.multivariate_normal(mean[:, column], covariance, size=200_000)
        assert_allclose(found[:, column], softmax(scores).mean(axis=0), atol=0.006)
    # Both signs of each draw are used: with a symmetric mean the labels have equal degrees.
    assert_allclose(expected_degrees(np.zeros((2, 1)), np.eye(2), rng.normal(size=(2, 1))), 0.5)
