import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labeldist._solvers.clustered_low_rank import SoftmaxLeastSquares
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist.datasets import make_artificial
from labeldist.learning import EDLLRL


@pytest.fixture(scope="module")
def artificial():
    return make_artificial(150, random_state=0)


def nuclear_norm(model, X):
    P = model.predict(X)
    return sum(np.linalg.norm(P[model.clusters_ == i], "nuc") for i in range(model.clusters_.max() + 1))


def test_without_low_rank_it_is_least_squares(artificial):
    X, D = artificial
    expected = minimize_lbfgs(SoftmaxLeastSquares(X, D, np.full((3, 1), 0.1)).value_and_gradient, np.zeros((3, 3))).X
    model = EDLLRL(ridge=0.1, low_rank=0, tol=1e-8).fit(X, D)
    assert_allclose(model.coef_, expected.T, atol=1e-6)
    assert model.n_iter_ == 1


def test_low_rank_lowers_the_nuclear_norm(artificial):
    norms = [nuclear_norm(EDLLRL(low_rank=strength).fit(*artificial), artificial[0]) for strength in (0, 0.1, 1)]
    assert norms[0] > norms[1] > norms[2]


def test_ridge_shrinks_all_but_the_intercept(artificial):
    X, D = artificial
    model = EDLLRL(ridge=1e6, low_rank=0, fit_intercept=True, tol=1e-8).fit(X, D)
    assert_allclose(model.coef_, 0, atol=1e-4)
    assert_allclose(model.predict(X[:1]), [D.mean(axis=0)], atol=1e-3)
    assert np.abs(EDLLRL().fit(X, D).coef_).max() > 0.1
    assert_allclose(EDLLRL().fit(X, D).intercept_, 0)


def test_clusters_matter(artificial):
    X, D = artificial
    one, many = (EDLLRL(n, low_rank=1.0).fit(X, D) for n in (1, 6))
    assert one.clusters_.max() == 0
    assert many.clusters_.max() == 5
    assert np.abs(one.predict(X) - many.predict(X)).max() > 1e-3


def test_tol_and_max_iter_end_the_search(artificial):
    assert EDLLRL(tol=1e-2).fit(*artificial).n_iter_ < EDLLRL(tol=1e-5).fit(*artificial).n_iter_
    with pytest.warns(ConvergenceWarning, match="EDLLRL stopped after 2 iterations"):
        assert len(EDLLRL(max_iter=2).fit(*artificial).objective_) == 2


def test_sparse_features_are_learned_alike(artificial):
    X, D = artificial
    X = np.where(X > 0, X, 0)
    dense, alike = EDLLRL(tol=1e-6).fit(X, D), EDLLRL(tol=1e-6).fit(sparse.csr_array(X), D)
    assert_allclose(alike.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_few_rows(artificial, n):
    X, D = artificial
    model = EDLLRL().fit(X[:n], D[:n])
    assert model.clusters_.max() == n - 1
    assert_allclose(model.predict(X[:n]).sum(axis=1), 1)


def test_equal_rows_are_answered_with_their_distribution():
    D = np.tile([0.2, 0.5, 0.3], (20, 1))
    model = EDLLRL(low_rank=0).fit(np.ones((20, 2)), D)
    assert_allclose(model.predict(np.ones((1, 2))), D[:1], atol=0.02)
