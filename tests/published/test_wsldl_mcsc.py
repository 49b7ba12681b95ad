import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize

from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.published import WSLDLMCSC
from labeldist.published.wsldl_mcsc import complete_table

ACCURATE = {"fidelity": 0.6, "tol": 1e-10, "max_iter": 20_000}


@pytest.fixture
def table(rng):
    """Return features, incomplete degrees and the Laplacian of a graph."""
    D = rng.dirichlet(np.ones(3), size=12)
    D[rng.random(D.shape) > 0.8] = np.nan
    D[10:] = np.nan
    A = rng.random((12, 12)) * (rng.random((12, 12)) < 0.4)
    A = A + A.T
    return rng.normal(size=(12, 2)), D, sparse.csr_array(np.diag(A.sum(axis=1)) - A)


def smooth_part(X, D, laplacian, A, Y):
    """Return the terms without the nuclear norm, and their gradients in A and Y."""
    error = np.nan_to_num(Y - D)
    rough = laplacian @ Y
    short = Y.sum(axis=1) - 1
    value = 0.5 * ((A - X) ** 2).sum() + 0.6 * (error**2).sum()
    value += 0.2 * np.vdot(Y, rough) + 0.5 * short @ short
    return value, A - X, 1.2 * error + 0.4 * rough + short[:, None]


def test_completed_table_equals_slow_solution(table, rng):
    def join(z):
        A = z[:24].reshape(12, 2)
        Y = z[24:].reshape(12, 3)
        return A, Y, np.hstack([A, np.ones((12, 1)), Y])

    def objective(z):
        A, Y, Z = join(z)
        U, sigma, Vt = np.linalg.svd(Z, full_matrices=False)
        of_norm = 0.05 * U @ Vt
        value, by_A, by_Y = smooth_part(*table, A, Y)
        gradients = (by_A + of_norm[:, :2]).ravel(), (by_Y + of_norm[:, 3:]).ravel()
        return value + 0.05 * sigma.sum(), np.concatenate(gradients)

    start = np.concatenate([table[0].ravel(), rng.random(36)])
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-10}).x
    A, Y, Z = join(found)
    assert np.linalg.svd(Z, compute_uv=False)[-1] > 1e-2  # where the norm is smooth
    solution = complete_table(*table, low_rank=0.05, smoothness=0.2, **ACCURATE)
    assert solution.converged
    assert_allclose(solution.z[:, :2], A, atol=1e-6)
    assert_allclose(solution.x, Y, atol=1e-6)


def test_completed_table_of_low_rank_satisfies_its_conditions(table):
    solution = complete_table(*table, low_rank=1.5, smoothness=0.2, **ACCURATE)
    Z, multiplier = solution.z, solution.multiplier
    assert solution.converged
    assert np.linalg.matrix_rank(Z, tol=1e-6) < 5
    # The multiplier is a subgradient of the norm, and minus the gradient of the other terms.
    assert np.linalg.norm(multiplier, 2) <= 1.5 + 1e-7
    assert np.vdot(multiplier, Z) == pytest.approx(1.5 * np.linalg.norm(Z, "nuc"))
    _, by_A, by_Y = smooth_part(*table, Z[:, :2], solution.x)
    assert_allclose(by_A + multiplier[:, :2], 0, atol=1e-6)
    assert_allclose(by_Y + multiplier[:, 3:], 0, atol=1e-6)


def test_missing_degrees_share_the_rest_without_norm_and_graph(table):
    D = table[1]
    Y = complete_table(*table, low_rank=0.0, smoothness=0.0, **ACCURATE).x
    missing = np.isnan(D)
    assert_allclose(Y[~missing], D[~missing], atol=1e-6)
    rest = 1 - np.nansum(D, axis=1)
    share = rest / np.maximum(missing.sum(axis=1), 1)
    assert_allclose(Y[missing], np.repeat(share, missing.sum(axis=1)), atol=1e-6)


def test_fit_predict_equals_fit_with_missing_rows(curved):
    X, D = curved[0][:30], curved[1][:30]
    y = D.copy()
    y[20:] = np.nan
    model = WSLDLMCSC().fit(X, y)
    new = WSLDLMCSC().fit_predict(X[:20], D[:20], X[20:])
    assert_allclose(new, model.label_distributions_[20:], atol=1e-12)
    assert_array_equal(WSLDLMCSC().fit_predict(X, y), model.label_distributions_)
    assert not hasattr(model, "predict")
    alone = WSLDLMCSC().fit_predict(X[:20], D[:20], X[20:21])
    assert np.abs(new[:1] - alone).max() > 1e-4  # the rows passed together matter


def test_columns_of_new_rows_are_checked(curved):
    X = pd.DataFrame(curved[0][:30], columns=["a", "b", "c"])
    D = curved[1][:20]
    expected = WSLDLMCSC().fit_predict(curved[0][:20], D, curved[0][20:30])
    assert_allclose(WSLDLMCSC().fit_predict(X[:20], D, X[20:]), expected, atol=1e-12)
    with pytest.raises(ValueError, match="same order"):
        WSLDLMCSC().fit_predict(X[:20], D, X[20:][["b", "a", "c"]])


def test_options_have_effects():
    X, D = make_artificial(100, random_state=0)
    y = D.copy()
    y[70:] = np.nan

    def degrees(**options):
        return WSLDLMCSC(**options, max_iter=2000).fit(X * [1, 10, 100], y).label_distributions_

    def roughness(**options):  # difference from the given degrees
        return kl_divergence(D[:70], degrees(**options)[:70])

    assert roughness(fidelity=10) < roughness(fidelity=0.1) < roughness(fidelity=0.01)
    assert roughness(smoothness=0.1) < roughness(smoothness=10)
    rank = [np.linalg.svd(degrees(low_rank=w), compute_uv=False)[1] for w in (0, 3)]
    assert rank[1] < 0.9 * rank[0]
    for options in ({"n_neighbors": 10}, {"scale": False}):
        assert np.abs(degrees(**options) - degrees()).max() > 1e-2
