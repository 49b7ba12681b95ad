import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.published import LDLSF
from labeldist.published.ldl_sf import minimize_sparse, soft_threshold
from labeldist.simplex import project, softmax


def data(rng, n=60, m=4, c=4):
    X = rng.normal(size=(n, m))
    return X, softmax(X @ rng.normal(size=(m, c)) + 0.5 * rng.normal(size=(n, c)))


def scores(model, X):
    return X @ model.coef_.T + model.intercept_


def test_soft_threshold_moves_entries_towards_zero():
    A = np.array([[-3.0, 0.5], [1.0, -1.0]])
    assert_allclose(soft_threshold(A, 1.0), [[-2, 0], [0, 0]])
    assert_allclose(soft_threshold(A, 0.0), A)


def test_solution_satisfies_conditions_for_a_minimum(rng):
    X = rng.normal(size=(25, 4))
    D = softmax(X[:, 1:] @ rng.normal(size=(3, 3)))
    X -= X.mean(axis=0)
    D -= D.mean(axis=0)
    R = np.corrcoef(D.T)
    repulsion = 0.1 * (np.diag(R.sum(axis=1)) - R)
    solution = minimize_sparse(X, D, 1.0, 1.5, repulsion, tol=1e-10, max_iter=20_000)
    specific, common = solution.z
    assert solution.converged
    assert_allclose(solution.x.sum(axis=1), 0, atol=1e-10)
    assert_allclose(specific + common, solution.x, atol=1e-8)
    assert (solution.z[:, 0] == 0).all()  # the labels do not depend on this feature
    assert specific.any()
    assert common.any()

    # The multipliers are subgradients of both norms, and minus the gradient up to a constant per
    # row.
    P = X @ solution.x
    sums = X.T @ (P - D + P @ repulsion) + solution.multiplier
    assert_allclose(sums - sums.mean(axis=2, keepdims=True), 0, atol=1e-8)
    of_entries, of_rows = solution.multiplier
    assert (np.abs(of_entries) <= 1.0 + 1e-8).all()
    assert_allclose(of_entries[specific != 0], np.sign(specific[specific != 0]), atol=1e-8)
    assert (np.linalg.norm(of_rows, axis=1) <= 1.5 + 1e-8).all()
    used = common[common.any(axis=1)]
    directions = used / np.linalg.norm(used, axis=1, keepdims=True)
    assert_allclose(of_rows[common.any(axis=1)], 1.5 * directions, atol=1e-8)


@pytest.mark.parametrize("scale", [False, True])
def test_model_without_penalties_is_least_squares(rng, scale):
    X, D = data(rng)
    model = LDLSF(0, 0, 0, scale=scale, floor=0, tol=1e-8).fit(X, D)
    A = np.column_stack([X, np.ones(len(X))])
    expected = A @ np.linalg.lstsq(A, D, rcond=None)[0]
    assert_allclose(scores(model, X), expected, atol=1e-6)
    assert_allclose(model.predict(X), project(expected), atol=1e-6)


def test_scores_sum_to_one(rng):
    X, D = data(rng)
    model = LDLSF(0.5, 0.5, 0.05).fit(X, D)
    assert_allclose(scores(model, 10 * X).sum(axis=1), 1)
    assert_allclose(model.specific_coef_ + model.common_coef_, model.coef_, atol=1e-3)


def test_penalties_select_features(rng):
    X, D = data(rng, 200)
    X = np.column_stack([X, rng.normal(size=(200, 3))])  # features without effect
    specific = LDLSF(8, 1e3, 0).fit(X, D)
    assert not specific.common_coef_.any()
    assert not specific.specific_coef_[:, 4:].any()
    assert (specific.specific_coef_[:, :4] != 0).any(axis=0).all()
    common = LDLSF(1e3, 10, 0).fit(X, D)
    assert not common.specific_coef_.any()
    assert not common.common_coef_[:, 4:].any()
    assert (common.common_coef_[:, :4] != 0).all()


def test_scale_removes_units(rng):
    X, D = data(rng)
    large = X * [1e-3, 1, 10, 1e3]
    expected = LDLSF(1, 1, scale=True).fit(X, D).predict(X)
    found = LDLSF(1, 1, scale=True).fit(large, D).predict(large)
    assert_allclose(found, expected, atol=1e-9)
    assert np.abs(LDLSF(1, 1).fit(large, D).predict(large) - expected).max() > 1e-2


def test_correlation_beyond_the_bound_raises(rng):
    X, D = data(rng)
    R = np.corrcoef(D.T)
    bound = -1 / (2 * np.linalg.eigvalsh(np.diag(R.sum(axis=1)) - R)[0])
    with pytest.raises(ValueError, match=f"below {bound:.3g}"):
        LDLSF(correlation=1.01 * bound).fit(X, D)
    near, without = (
        np.ptp(scores(LDLSF(correlation=strength).fit(X, D), X), axis=0).max()
        for strength in (0.9 * bound, 0)
    )
    assert near > 1.5 * without


def test_constant_labels_are_predicted(rng):
    X, D = data(rng, c=3)
    model = LDLSF().fit(X, np.column_stack([D / 2, np.full(len(D), 0.5)]))
    assert_allclose(scores(model, X)[:, 3], 0.5, atol=1e-3)
