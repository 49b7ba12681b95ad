import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from labeldist._solvers.quadratic import BoundedMinimum
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import ML
from labeldist.enhancement import _ml as ml
from labeldist.simplex import softmax, to_distributions
from tests.references import reconstruction_weights_by_hand


def test_scores_equal_bounded_least_squares(table):
    X, L = table
    factor = np.eye(40) - reconstruction_weights_by_hand(X, 4)
    scores = np.empty(L.shape)
    for k, on in enumerate(L.T > 0):
        low, high = np.where(on, 1.0, -np.inf), np.where(on, np.inf, -1.0)
        scores[:, k] = lsq_linear(factor, np.zeros(40), bounds=(low, high), method="bvls", tol=1e-14).x
    model = ML().fit(X, L)
    assert_allclose(model.label_distributions_, softmax(scores), atol=1e-6)
    assert_allclose(ML(output="clip").fit_transform(X, L), to_distributions(scores, "clip"), atol=1e-6)
    assert model.violation_ <= 1e-10


def test_positive_labels_have_larger_degrees(table):
    X, L = table
    recovered = ML().fit_transform(X, L)
    assert (recovered.min(axis=1, where=L > 0, initial=1) > recovered.max(axis=1, where=L == 0, initial=0)).all()
    assert (ML(output="clip").fit_transform(X, L)[L == 0] == 0).all()


def test_constant_labels_stay_at_their_bounds(table):
    X, L = table
    L[:, 0], L[:, 1] = 1, 0
    scores = np.log(ML().fit_transform(X, L))
    assert_allclose(scores[:, 0] - scores[:, 1], 2, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    X, D = make_artificial(n, random_state=0)
    L = binarize(D)
    recovered = ML(output="clip").fit_transform(X, L)
    assert recovered.shape == (n, 3)
    if n == 1:
        assert_allclose(recovered, L / L.sum())


def test_duplicate_rows_with_different_labels(table):
    X, L = table
    X[:5] = X[5]
    model = ML().fit(X, L)
    assert model.violation_ <= 1e-10


def test_non_convergence_warns(table, monkeypatch):
    monkeypatch.setattr(ml, "minimize_bounded", lambda A: BoundedMinimum(np.ones(A.shape[0]), 0.5, converged=False))
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 labels .* 5\.0e-01"):
        ML().fit(*table)
