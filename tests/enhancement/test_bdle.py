import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from labeldist import BDLE
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform, _kernel_model
from labeldist.exceptions import VanishingGraphWarning
from labeldist.metrics import score_all
from labeldist.simplex import project, softmax
from tests.references import enhancement_system_by_hand, sylvester_by_kronecker


def coefficients(model):
    return np.vstack([model.dual_coef_, model.intercept_])


@pytest.mark.parametrize("reconstruction", [1e-3, 0.1])
@pytest.mark.parametrize("smoothness", [0, 1e-3, 0.5])
@pytest.mark.parametrize("solver", ["exact", "auto"])
def test_coefficients_solve_the_sylvester_equation(table, reconstruction, smoothness, solver):
    X, L = table
    model = BDLE(reconstruction, smoothness, solver=solver).fit(X, L)
    Phi, A, B, C = enhancement_system_by_hand(X, L, reconstruction, smoothness, n_neighbors=4)
    W = sylvester_by_kronecker(A, B, C)
    assert_allclose(coefficients(model), W, rtol=1e-6, atol=1e-7 * np.abs(W).max())
    assert_allclose(model.label_distributions_, softmax(Phi @ W), atol=1e-9)
    assert model.residual_ < 1e-14
    assert model.solver_ == "exact"


def test_zero_reconstruction_is_the_unidirectional_method(table):
    X, L = table
    # With a narrow kernel K is invertible, and the scores are (I + λS)⁻¹ L.
    model = BDLE(0, 0.5, bandwidth=0.2).fit(X, L)
    graph = laplacian(neighbor_graph(model.X_fit_, 4)).toarray()
    scores = np.linalg.solve(np.eye(len(X)) + 0.5 * graph, L)
    assert_allclose(model.label_distributions_, softmax(scores), atol=1e-9)


def test_without_reconstruction_the_coefficients_have_minimum_norm(table):
    X, L = table
    model = BDLE(0, 0, kernel="linear").fit(X, L)
    Phi = np.column_stack([model.X_fit_ @ model.X_fit_.T, np.ones(len(X))])
    assert_allclose(coefficients(model), np.linalg.pinv(Phi, rcond=1e-10) @ L, atol=1e-9)


def test_lbfgs_reaches_the_exact_solution(table):
    X, L = table
    exact = BDLE(solver="exact").fit(X, L)
    searched = BDLE(solver="lbfgs").fit(X, L)
    assert_allclose(searched.label_distributions_, exact.label_distributions_, atol=1e-5)
    assert searched.solver_ == "lbfgs"
    assert searched.residual_ <= 1e-7


def test_lbfgs_non_convergence_warns(table, monkeypatch):
    X, L = table
    monkeypatch.setattr(
        _kernel_model, "minimize_lbfgs", lambda *args: minimize_lbfgs(*args, max_iter=3)
    )
    with pytest.warns(ConvergenceWarning, match="3 iterations"):
        BDLE(solver="lbfgs").fit(X, L)


def test_transform_of_new_rows(table):
    X, L = table
    model = BDLE().fit(X, L)
    assert_allclose(model.transform(X), model.label_distributions_, atol=1e-10)
    new = make_artificial(5, random_state=9)[0]
    mean = X.mean(axis=0)
    deviation = X.std(axis=0, ddof=1)
    Z, New = (X - mean) / deviation, (new - mean) / deviation
    K = np.exp(-((New[:, None] - Z[None]) ** 2).sum(axis=2) / (2 * model.bandwidth_**2))
    assert_allclose(
        model.transform(new), softmax(K @ model.dual_coef_ + model.intercept_), atol=1e-10
    )


def test_callable_kernel_transforms_new_rows(table):
    X, L = table
    model = BDLE(kernel=lambda A, B: A @ B.T).fit(X, L)
    assert_allclose(
        model.transform(X[:6]), BDLE(kernel="linear").fit(X, L).transform(X[:6]), atol=1e-12
    )


def test_output_maps_apply_to_the_scores(table):
    X, L = table
    scores = np.log(BDLE().fit_transform(X, L))
    assert_allclose(BDLE(sharpness=3).fit_transform(X, L), softmax(scores, sharpness=3), atol=1e-12)
    raw = BDLE(output="project").fit(X, L)
    assert_allclose(
        raw.label_distributions_, project(scores - scores.mean(axis=1, keepdims=True)), atol=1e-9
    )


@pytest.mark.parametrize(("pairs", "warns"), [(14, True), (16, False)])
def test_vanishing_graph_warning_depends_on_median_weight(pairs, warns):
    # In the first clusters two rows are equal and the graph weight is 1; in the others it vanishes.
    X = np.repeat(100.0 * np.arange(30), 2)
    X[2 * pairs + 1 :: 2] += 50
    L = np.eye(2)[np.arange(60) % 2]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        BDLE(n_neighbors=1, scale=False).fit(X[:, None], L)
    assert [w.category for w in caught] == [VanishingGraphWarning] * warns


@pytest.mark.parametrize("smoothness", [0, 1e-3])
def test_zero_reconstruction_is_minimal_for_ill_conditioned_kernel(smoothness):
    X, D = make_artificial(300, random_state=0)
    L = binarize(D).astype(float)
    model = BDLE(0, smoothness).fit(X, L)
    loss = BDLE(0, smoothness)._loss(model.X_fit_, L)
    reached = loss.value_and_gradient(coefficients(model))[0]
    # The normal equations lose half of the digits of this kernel: with them the loss stays above
    # 30.
    by_lstsq = np.linalg.lstsq(loss.features, L, rcond=None)[0]
    assert reached <= 1.05 * loss.value_and_gradient(by_lstsq)[0]
    assert reached < 7


def test_constant_labels_and_more_labels_than_rows(rng):
    X = rng.normal(size=(10, 3))
    L = (rng.random((10, 20)) < 0.5).astype(int)
    L[:, 0], L[:, 1] = 0, 1
    model = BDLE().fit(X, L)
    assert model.residual_ < 1e-13
    assert_allclose(model.dual_coef_[:, 0], 0, atol=1e-12)
    assert (model.label_distributions_[:, 1] > model.label_distributions_[:, 0]).all()


def test_recovery_is_better_than_trivial_enhancers():
    X, D = make_artificial(500, random_state=0)
    L = binarize(D)
    recovered = score_all(D, BDLE().fit_transform(X, L))
    uniform = score_all(D, Uniform().fit_transform(X, L))
    plain = score_all(D, LogicalSoftmax().fit_transform(X, L))
    assert recovered["chebyshev"] < min(uniform["chebyshev"], plain["chebyshev"])
    assert recovered["cosine"] > max(uniform["cosine"], plain["cosine"])
