import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist.datasets import binarize, make_artificial
from labeldist.exceptions import LabelWarning
from labeldist.published import DLDL
from labeldist.published.dldl import JointLoss, _improve_degrees, enhance_jointly
from labeldist.simplex import softmax


def test_objective_is_that_of_the_attributes(tags):
    X, L = tags
    model = DLDL(0.2, 0.3, 0.4, n_neighbors=5, tol=1e-8, max_iter=50).fit(X, L)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    W = np.vstack([model.scaled_coef_.T, model.intercept_])
    Z1 = np.column_stack([Z, np.ones(40)])
    S = laplacian(neighbor_graph(Z, 5, "mean"))
    expected = whole_loss(Z1, S, model.label_distributions_, W, 0.2, 0.3, 0.4)
    assert_allclose(model.objective_[-1], expected)
    assert_allclose(model.transform(X), softmax(Z1 @ W))
    assert len(model.objective_) == model.n_iter_ + 1 > 3
    assert (np.diff(model.objective_) <= 0).all()


def test_degrees_are_those_of_the_model_within_the_tags(tags):
    X, L = tags
    model = DLDL(0, 0, tol=1e-10).fit(X, L)
    P = L * model.transform(X)
    assert_allclose(model.label_distributions_, P / P.sum(axis=1, keepdims=True), atol=1e-9)


def test_untagged_labels_have_no_degree_without_a_floor(tags):
    X, L = tags
    assert not DLDL().fit(X, L).label_distributions_[L == 0].any()
    raised = DLDL(floor=0.1).fit(X, L)
    assert raised.label_distributions_.min() > 0.08
    assert raised.transform(X).min() > 0.08


def test_rows_without_tags_have_any_degrees(tags):
    X, L = tags
    L[:3] = 0
    with pytest.warns(LabelWarning, match="3 of 40 rows"):
        model = DLDL(0, 0, tol=1e-10).fit(X, L)
    assert_allclose(model.label_distributions_[:3], model.transform(X[:3]), atol=1e-9)


def test_flatness_makes_degrees_equal(tags):
    X, L = tags
    D = DLDL(0, 1e4).fit(X, L).label_distributions_
    assert_allclose(D, L / L.sum(axis=1, keepdims=True), atol=1e-3)


def test_new_rows_are_predicted():
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(100, random_state=1)
    model = DLDL().fit(X, binarize(D))
    assert np.mean(model.transform(new).argmax(axis=1) == truth.argmax(axis=1)) > 0.7


@pytest.fixture
def data(rng):
    X = np.column_stack([rng.normal(size=(25, 3)), np.ones(25)])
    tags = rng.random((25, 4)) < 0.6
    tags[np.arange(25), rng.integers(0, 4, 25)] = True
    return X, tags, laplacian(neighbor_graph(X, 4, "mean"))


def whole_loss(X, S, D, W, smoothness, flatness, ridge):
    P = softmax(X @ W)
    kl = sum(D[i, j] * np.log(D[i, j] / P[i, j]) for i, j in zip(*np.nonzero(D), strict=True))
    return (
        kl
        + smoothness * np.trace(D.T @ (S @ D))
        + flatness * (D**2).sum()
        + ridge * (W[:-1] ** 2).sum()
    )


def test_degrees_are_the_minimum_of_a_general_search(data, rng):
    X, tags, S = data
    loss = JointLoss(X, tags, S, 0.5, 0.4, 0.0)
    log_p = np.log(rng.dirichlet(np.ones(4), 25))
    start = tags / tags.sum(axis=1, keepdims=True)
    log_start = np.log(start, out=np.zeros_like(start), where=tags)
    D, _, value = _improve_degrees(loss, start, log_start, log_p, 1e-14)

    def degrees(Z):
        return softmax(np.where(tags, Z.reshape(25, 4), -1e3))

    def of_scores(Z):
        D = degrees(Z)
        gap = np.log(np.maximum(D, 1e-300)) - log_p
        reached = np.vdot(D, gap) + 0.5 * np.trace(D.T @ (S @ D)) + 0.4 * (D**2).sum()
        G = gap + 1.0 * (S @ D) + 0.8 * D
        return reached, (D * (G - (D * G).sum(axis=1, keepdims=True))).ravel()

    slow = minimize(
        of_scores,
        np.zeros(100),
        jac=True,
        method="BFGS",
        options={"maxiter": 10_000, "gtol": 1e-11},
    )
    assert_allclose(value, slow.fun, rtol=1e-12)
    assert_allclose(D, degrees(slow.x), atol=1e-6)


def test_rounds_are_those_of_em(data):
    X, tags, _ = data
    D = tags / tags.sum(axis=1, keepdims=True)
    for rounds in (1, 2, 3):
        found = enhance_jointly(JointLoss(X, tags, None, 0.0, 0.0, 0.1), tol=1e-12, max_iter=rounds)

        def maximisation(W, D=D):
            P = softmax(X @ W)
            shrunk = 0.1 * W * np.array([1, 1, 1, 0])[:, None]
            return -np.vdot(D, np.log(P)) + np.vdot(W, shrunk), X.T @ (P - D) + 2 * shrunk

        P = tags * softmax(X @ minimize_lbfgs(maximisation, np.zeros((4, 4)), tol=1e-12).X)
        D = P / P.sum(axis=1, keepdims=True)
        assert_allclose(found.D, D, atol=1e-6)
