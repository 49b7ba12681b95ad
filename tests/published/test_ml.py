import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from labeldist.published import ML, ml
from labeldist.published.ml import BoundedMinimum, by_active_set, minimize_bounded
from labeldist.simplex import softmax, to_distributions
from tests.references import reconstruction_weights_by_hand


@pytest.mark.parametrize("steps", [1, 50])  # 1: the active-set method fails
def test_scores_equal_bounded_least_squares(tags, monkeypatch, steps):
    monkeypatch.setattr(ml, "ACTIVE_SET_STEPS", steps)
    X, L = tags
    factor = np.eye(40) - reconstruction_weights_by_hand(X, 4)
    scores = np.empty(L.shape)
    for k, on in enumerate(L.T > 0):
        low = np.where(on, 1.0, -np.inf)
        high = np.where(on, np.inf, -1.0)
        scores[:, k] = lsq_linear(
            factor, np.zeros(40), bounds=(low, high), method="bvls", tol=1e-14
        ).x
    model = ML().fit(X, L)
    assert_allclose(model.label_distributions_, softmax(scores), atol=1e-6)
    assert_allclose(
        ML(output="clip").fit_transform(X, L), to_distributions(scores, "clip"), atol=1e-6
    )
    assert model.violation_ <= 1e-10


def test_constant_labels_stay_at_their_bounds(tags):
    X, L = tags
    L[:, 0], L[:, 1] = 1, 0
    scores = np.log(ML().fit_transform(X, L))
    assert_allclose(scores[:, 0] - scores[:, 1], 2, atol=1e-9)


def test_single_row_keeps_its_labels():
    assert_allclose(ML(output="clip").fit_transform([[3.0]], [[1, 0, 1]]), [[0.5, 0, 0.5]])


def test_duplicate_rows_with_different_labels(tags):
    X, L = tags
    X[:5] = X[5]
    model = ML().fit(X, L)
    assert model.violation_ <= 1e-10


def test_non_convergence_warns(tags, monkeypatch):
    monkeypatch.setattr(
        ml, "minimize_bounded", lambda A, _: BoundedMinimum(np.ones(A.shape[0]), 0.5)
    )
    with pytest.warns(ConvergenceWarning, match=r"5\.0e-01"):
        ML().fit(*tags)


def test_small_tables_whose_active_set_becomes_empty_are_solved():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(5, 4))
        L = (rng.random((5, 4)) < 0.5).astype(float)
        L[:, 0] = 1
        assert ML().fit(X, L).violation_ <= ml.TOLERANCE


def test_minimum_at_the_bound_is_kept():
    # Equal entries are in the null space of the Laplacian of a ring.
    factor = sparse.csr_array(np.eye(6) - np.roll(np.eye(6), 1, axis=0))
    found = minimize_bounded(factor.T @ factor, factor)
    assert_array_equal(found.x, 1)
    assert found.violation == 0


def test_singular_free_block_is_solved():
    # Entries 0 and 1 are free together, and only their sum matters: x0 + x1 = 3 x2 has the value 0.
    factor = sparse.csr_array([[1.0, 1.0, -3.0]])
    A = sparse.csr_array(factor.T @ factor)
    assert by_active_set(A).violation == np.inf
    found = minimize_bounded(A, factor)
    assert found.violation <= ml.TOLERANCE
    assert found.x @ [1.0, 1.0, -3.0] == pytest.approx(0, abs=1e-9)
