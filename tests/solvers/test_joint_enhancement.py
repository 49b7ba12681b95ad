import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.joint_enhancement import JointLoss, _improve_degrees, enhance_jointly
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist.simplex import softmax


@pytest.fixture
def data(rng):
    X = np.column_stack([rng.normal(size=(25, 3)), np.ones(25)])
    tags = rng.random((25, 4)) < 0.6
    tags[np.arange(25), rng.integers(0, 4, 25)] = True
    return X, tags, laplacian(neighbor_graph(X, 4, "mean"))


def whole_loss(X, tags, S, D, W, smoothness, flatness, ridge):
    P = softmax(X @ W)
    kl = sum(D[i, j] * np.log(D[i, j] / P[i, j]) for i, j in zip(*np.nonzero(D), strict=True))
    return kl + smoothness * np.trace(D.T @ (S @ D)) + flatness * (D**2).sum() + ridge * (W[:-1] ** 2).sum()


def test_values_are_the_loss_and_never_increase(data):
    X, tags, S = data
    weights = 0.3, 0.2, 0.5
    found = enhance_jointly(JointLoss(X, tags, S, *weights), tol=1e-10, max_iter=300)
    assert found.converged
    assert (np.diff(found.values) <= 0).all()
    assert_allclose(found.values[-1], whole_loss(X, tags, S, found.D, found.W, *weights), rtol=1e-12)
    assert_allclose(found.values[0], whole_loss(X, tags, S, tags / tags.sum(axis=1)[:, None], 0 * found.W, *weights))
    assert not found.D[~tags].any()
    assert_allclose(found.D.sum(axis=1), 1)
    assert len(enhance_jointly(JointLoss(X, tags, S, *weights), tol=1e-10, max_iter=3).values) == 4


def test_gradients_match_differences(data, rng):
    X, tags, S = data
    loss = JointLoss(X, np.ones_like(tags), S, 0.3, 0.2, 0.5)
    D, P, W = rng.uniform(0.1, 0.4, (25, 4)), rng.dirichlet(np.ones(4), 25), rng.normal(size=(4, 4))
    for direction in rng.normal(size=(5, 25, 4)):
        ends = [
            loss.value_and_gradient(D + h * direction, np.log(D + h * direction), np.log(P))[0] for h in (1e-6, -1e-6)
        ]
        gradient = loss.value_and_gradient(D, np.log(D), np.log(P))[1] + 1  # the method omits the constant
        assert_allclose(np.vdot(gradient, direction), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
    for direction in rng.normal(size=(5, 4, 4)):
        ends = [loss.penalty_and_gradient(W + h * direction)[0] for h in (1e-6, -1e-6)]
        assert_allclose(np.vdot(loss.penalty_and_gradient(W)[1], direction), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


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

    slow = minimize(of_scores, np.zeros(100), jac=True, method="BFGS", options={"maxiter": 10_000, "gtol": 1e-11})
    assert_allclose(value, slow.fun, rtol=1e-12)
    assert_allclose(D, degrees(slow.x), atol=1e-6)


def test_without_graph_and_flatness_the_degrees_are_the_model_within_the_tags(data):
    X, tags, _ = data
    found = enhance_jointly(JointLoss(X, tags, None, 0.0, 0.0, 0.1), tol=1e-10, max_iter=10)
    P = tags * softmax(X @ found.W)
    assert_allclose(found.D, P / P.sum(axis=1, keepdims=True), atol=1e-12)
    likelihood = np.log(P.sum(axis=1)).sum()
    assert_allclose(found.values[-1], -likelihood + 0.1 * (found.W[:-1] ** 2).sum())
    assert (np.diff(found.values) < 0).all()


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


def test_strong_smoothness_makes_neighbours_equal(data):
    X, _, _ = data
    chain = sparse.csr_array((np.ones(24), (np.arange(24), np.arange(1, 25))), shape=(25, 25))
    tags = np.ones((25, 4), dtype=bool)
    tags[:12, 0] = False
    spreads = []
    for smoothness in (0.0, 100.0):
        loss = JointLoss(X, tags, laplacian(chain), smoothness, 0.0, 0.1)
        spreads.append(enhance_jointly(loss, tol=1e-8, max_iter=20).D[:, 1:].std(axis=0).max())
    assert spreads[1] < 0.1 * spreads[0]
