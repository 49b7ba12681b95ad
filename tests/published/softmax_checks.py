"""Checks of softmax learners and of the terms of their objectives against definitions."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import clone

from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist.published._softmax_terms import SMOOTHING
from labeldist.simplex import softmax

D_T = np.random.default_rng(0).dirichlet(np.ones(5), size=7).T


def check_term(term, definition, atol=1e-12):
    """Compare a term of `D_T` with ``definition(i, d, p)``, and its gradient with differences."""
    Z = np.random.default_rng(1).normal(size=D_T.shape)

    def value_and_gradient(Z):
        return term.value_and_gradient(*softmax_and_log(Z, axis=0))

    value, gradient = value_and_gradient(Z)
    pairs = zip(D_T.T, softmax(Z.T), strict=True)
    assert_allclose(value, [definition(i, d, p) for i, (d, p) in enumerate(pairs)], atol=atol)
    assert np.abs(gradient).max() > 1e-3
    for j, change in enumerate(1e-6 * np.eye(len(Z))):  # one label of all samples at once
        above = value_and_gradient(Z + change[:, None])[0]
        below = value_and_gradient(Z - change[:, None])[0]
        assert_allclose(gradient[j], (above - below) / 2e-6, rtol=0, atol=1e-6)


def check_minimum(learner, objective, X, D):
    """Check that the gradient of ``objective(D, P, theta)`` vanishes at the solution."""
    n_labels = D.shape[1]
    for fit_intercept in (False, True):
        model = clone(learner).set_params(fit_intercept=fit_intercept, tol=1e-9, max_iter=10_000)
        model.fit(X, D)
        found = np.vstack([model.coef_.T, model.intercept_])
        n_free = n_labels * (X.shape[1] + fit_intercept)
        moves = 1e-7 * np.eye(found.size)[:n_free].reshape(n_free, *found.shape)

        def value(W):
            return objective(D, softmax(X @ W[:-1] + W[-1]), W[:-1])

        def gradient(W, value=value, moves=moves):
            return np.array([value(W + move) - value(W - move) for move in moves]) / 2e-7

        assert np.abs(gradient(0 * found)).max() > 1
        # Rounding of the values alone gives differences of about 1e-6.
        assert np.abs(gradient(found)).max() < 1e-5
        assert fit_intercept or not model.intercept_.any()


def absolute(t):
    return np.sqrt(t**2 + SMOOTHING**2)


def hinge(t):
    return (t + absolute(t)) / 2


def cross_entropy(D, P):
    return -(D * np.log(P)).sum()


def squares(theta):
    return (theta**2).sum()
