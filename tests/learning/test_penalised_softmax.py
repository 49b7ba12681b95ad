"""The learners that minimise a sum of terms of softmax predictions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import entr
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from labeldist._solvers.clustering import cluster_rows
from labeldist._solvers.softmax_terms import SMOOTHING
from labeldist.datasets import make_artificial
from labeldist.learning import EDL, LDL4C, LDLDPA, LDLHR, LDLLDM, LDLLRR, SABFGS, DeltaLDL, SoftmaxRegression
from labeldist.learning._penalised_softmax import reconstruction_error
from labeldist.metrics import kl_divergence, top_label
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 4))
    return X, softmax(X @ rng.normal(size=(4, 3)) + 0.5 * rng.normal(size=(60, 3)))


def absolute(t):
    return np.sqrt(t**2 + SMOOTHING**2)


def hinge(t):
    return (t + absolute(t)) / 2


def cross_entropy(D, P):
    return -(D * np.log(P)).sum()


def ranking(D, P, s):
    d, p = (A[:, :, None] - A[:, None, :] for A in (D, P))
    return (np.where(d > 0, d**2, 0) * np.logaddexp(0, -s * p)).sum()


def reconstruction(D, P):
    total = 0.0
    for j in range(D.shape[1]):
        others = np.delete(np.arange(D.shape[1]), j)
        differences = D[:, others] - D[:, [j]]
        gram = differences.T @ differences
        gram += 1e-3 * np.trace(gram) * np.eye(len(others))
        w = np.linalg.solve(gram, np.ones(len(others)))
        total += ((P[:, j] - P[:, others] @ (w / w.sum())) ** 2).sum()
    return total


def lrr(model, D, P, theta):
    value = cross_entropy(D, P) + model.ranking / len(D) * ranking(D, P, model.sharpness)
    return value + model.ridge / 2 * (theta**2).sum()


def dpa(model, D, P, theta):
    percentile = -(rankdata(D, axis=1) * P).sum() / D.shape[1]
    variance = ((P.var(axis=1) - D.var(axis=1)) ** 2).sum()
    ridge = model.ridge / 2 * (theta**2).sum()
    return cross_entropy(D, P) + model.percentile * percentile + model.variance * variance + ridge


def ldm(model, D, P, theta):
    clusters = cluster_rows(D, model.n_clusters)
    local = sum(reconstruction(D[clusters == k], P[clusters == k]) for k in range(clusters.max() + 1))
    manifold = model.global_manifold * reconstruction(D, P) + model.local_manifold * local
    return cross_entropy(D, P) + manifold + model.ridge / 2 * (theta**2).sum()


def ldl4c(model, D, P, theta):
    rows, top = np.arange(len(D)), D.argmax(axis=1)
    others = P.copy()
    others[rows, top] = -1
    largest = SMOOTHING * np.log(np.exp((others - others.max(axis=1, keepdims=True)) / SMOOTHING).sum(axis=1))
    gap = P[rows, top] - others.max(axis=1) - largest
    value = (entr(D).sum(axis=1) * absolute(P - D).sum(axis=1)).sum()
    value += model.margin * hinge(1 - gap / model.margin_width).sum()
    return value + model.ridge / 2 * (theta**2).sum()


def hr(model, D, P, theta):
    rows, top = np.arange(len(D)), D.argmax(axis=1)
    rest = np.arange(D.shape[1]) != top[:, None]
    margin = (rest * hinge(1 - (P[rows, top][:, None] - P) / model.margin_width)).sum()
    value = 2 * (1 - P[rows, top]).sum() + model.margin * margin + model.rest * (rest * absolute(P - D)).sum()
    return value + model.ridge / 2 * (theta**2).sum()


def delta(model, D, P, theta):
    k, b = (D * np.log(D / P)).sum(axis=1), (D * np.log(3 * D)).sum(axis=1).mean()
    tolerances = (np.arange(2000) + 0.5) / 2000 * b
    return (b / (1 + np.exp(tolerances - k[:, None]))).mean(axis=1).sum() + model.ridge / 2 * (theta**2).sum()


def edl(model, D, P, theta):
    pairs = (np.asarray(model.affinity) * (P[:, :, None] - P[:, None, :]) ** 2).sum()
    penalties = model.ridge * (theta**2).sum() + model.correlation * pairs
    return ((D - P) * np.log(D / P)).sum() + penalties / len(D)


AFFINITY = [[0, 1, -0.5], [1, 0, 0.3], [-0.5, 0.3, 0]]
OBJECTIVES = [
    (LDLLRR(100.0, 0.3), lrr),
    (LDLDPA(0.5, 20.0, 0.3), dpa),
    (LDLLDM(3, ridge=0.3, global_manifold=2.0, local_manifold=0.7), ldm),
    (LDL4C(0.5, 0.3, margin_width=0.5), ldl4c),
    (LDLHR(0.5, 0.8, 0.3, margin_width=0.5), hr),
    (LDLHR(0, 0, 0.3), hr),
    (DeltaLDL(0.3), delta),
    (EDL(8.0, 20.0, affinity=AFFINITY), edl),
]
LEARNERS = list({type(learner): learner for learner, _ in reversed(OBJECTIVES)}.values())
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)


@pytest.mark.parametrize(("learner", "objective"), OBJECTIVES, ids=lambda one: getattr(one, "__name__", None))
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_gradient_of_the_objective_vanishes_at_the_solution(table, learner, objective, fit_intercept):
    X, D = table
    model = clone(learner).set_params(fit_intercept=fit_intercept, tol=1e-9, max_iter=10_000).fit(X, D)
    found = np.vstack([model.coef_.T, model.intercept_])
    free = 5 if fit_intercept else 4

    def value(W):
        return objective(model, D, softmax(X @ W[:4] + W[4]), W[:4])

    def gradient(W, step=1e-7):
        moves = step * np.eye(15).reshape(15, 5, 3)[: 3 * free]
        return np.array([value(W + move) - value(W - move) for move in moves]) / (2 * step)

    assert np.abs(gradient(np.zeros((5, 3)))).max() > 1
    assert np.abs(gradient(found)).max() < 1e-6
    assert fit_intercept or not model.intercept_.any()


@pytest.mark.parametrize(
    "learner",
    [
        LDLLRR(0, ridge=0.7, tol=1e-9),
        LDLDPA(0, 0, 0.7, tol=1e-9),
        LDLLDM(ridge=0.7, global_manifold=0, local_manifold=0, tol=1e-9),
    ],
    ids=lambda one: type(one).__name__,
)
def test_without_further_terms_is_cross_entropy_with_ridge(table, learner):
    X, D = table
    expected = SoftmaxRegression(0.7, tol=1e-10).fit(X, D).predict(X)
    assert_allclose(clone(learner).set_params(fit_intercept=True).fit(X, D).predict(X), expected, atol=1e-7)
    expected = SABFGS(tol=1e-9).fit(X, D).predict(X)
    assert_allclose(clone(learner).set_params(ridge=0).fit(X, D).predict(X), expected, atol=1e-7)


def test_two_labels_reconstruct_each_other(rng):
    D = rng.dirichlet(np.ones(2), size=8)
    p = np.array([0.2, 0.8])
    assert_allclose(p @ reconstruction_error(D.T) @ p, 2 * (p[0] - p[1]) ** 2)


def test_uniform_distributions_are_fitted_by_every_learner(rng):
    X, D = rng.normal(size=(20, 3)), np.full((20, 3), 1 / 3)
    for learner in (LDLLRR(50.0), LDLDPA(50.0, 50.0), LDLLDM(), DeltaLDL(), EDL(affinity=np.ones((3, 3)))):
        assert_allclose(learner.fit(X, D).predict(X), D, atol=1e-9)


def test_ldl4c_on_one_hot_rows_has_only_margin_and_ridge(rng):
    X = rng.normal(size=(40, 3))
    D = np.eye(3)[X.argmax(axis=1)]
    assert_allclose(LDL4C(0, 1.0, tol=1e-9).fit(X, D).predict(X), 1 / 3, atol=1e-6)  # the ridge alone
    assert top_label(D, LDL4C(1.0, 1e-3).fit(X, D).predict(X)) > 0.9


def test_edl_without_penalties_is_jeffreys_divergence(table):
    X, D = table
    model = EDL(0, 0, tol=1e-9).fit(X, D)
    assert_allclose(EDL(0, affinity=np.zeros((3, 3)), tol=1e-9).fit(X, D).coef_, model.coef_, atol=1e-6)

    def jeffrey(P):
        return ((D - P) * np.log(D / P)).sum()

    assert jeffrey(model.predict(X)) < jeffrey(SABFGS(tol=1e-9).fit(X, D).predict(X)) - 1e-4


def test_edl_default_affinity_is_a_circle(table):
    X, D = table
    cosine = [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]]
    assert_allclose(EDL(affinity=cosine).fit(X, D).coef_, EDL().fit(X, D).coef_, atol=1e-8)


def test_edl_affinity_makes_degrees_similar(table):
    X, D = table
    affinity = np.zeros((3, 3))
    affinity[0, 1] = affinity[1, 0] = 1
    gaps = [np.abs(np.diff(EDL(affinity=sign * affinity, correlation=100.0).fit(X, D).predict(X)[:, :2])).mean()
            for sign in (-1, 0, 1)]  # fmt: skip
    assert gaps[0] > gaps[1] > gaps[2]


@pytest.mark.parametrize("affinity", [np.eye(2), [[0, 1, 0], [0, 0, 0], [0, 0, 0]]], ids=["shape", "asymmetric"])
def test_edl_affinity_must_be_a_symmetric_matrix_of_the_labels(table, affinity):
    with pytest.raises(ValueError, match=r"affinity must be a symmetric matrix .* \(3, 3\)"):
        EDL(affinity=affinity).fit(*table)


def test_edl_accepts_degrees_of_zero(rng):
    X = rng.normal(size=(30, 3))
    D = np.eye(3)[X.argmax(axis=1)]
    assert kl_divergence(D, EDL().fit(X, D).predict(X)) < 0.5


def test_delta_ldl_ignores_rows_that_fit_badly(rng):
    X = rng.normal(size=(200, 3))
    D = softmax(2 * X)
    spoiled = D.copy()
    spoiled[:30] = np.eye(3)[D[:30].argmin(axis=1)] * 0.998 + 0.002 / 3
    robust, plain = DeltaLDL().fit(X, spoiled), SABFGS().fit(X, spoiled)
    assert kl_divergence(D, robust.predict(X)) < 0.5 * kl_divergence(D, plain.predict(X))
    assert_allclose(robust.limit_, kl_divergence(spoiled, np.full_like(D, 1 / 3)))


def test_ranking_decreases_the_ranking_loss(table):
    X, D = table
    losses = [ranking(D, LDLLRR(strength, 0.1).fit(X, D).predict(X), 100.0) for strength in (0, 100.0, 1e4)]
    assert losses[0] > losses[1] > losses[2]


def test_default_tolerance_of_large_margins_is_close_to_the_minimum():
    # If the margins can be satisfied, the gradient at zero is far larger than any near the minimum.
    wide = np.random.default_rng(0).normal(size=(100, 60))
    for X, D in (make_artificial(80, random_state=0), (wide, softmax(wide[:, :6]))):
        exact = LDLHR(tol=1e-12).fit(X, D).predict(X)
        assert_allclose(LDLHR().fit(X, D).predict(X), exact, atol=5e-3)


@pytest.mark.parametrize("learner", [LDL4C(10.0, 1e-3), LDLHR(1.0, ridge=1e-3, margin_width=0.1)], ids=repr)
def test_margins_improve_the_prediction_of_the_largest_label(rng, learner):
    X = rng.normal(size=(300, 2))
    D = softmax(np.column_stack([X[:, 0] ** 3, -(X[:, 0] ** 3), X[:, 1]]))
    plain = top_label(D, SABFGS().fit(X, D).predict(X))
    assert top_label(D, learner.fit(X, D).predict(X)) > plain


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (LDLLRR, {"ranking": 1e4, "ridge": 10.0, "fit_intercept": True, "tol": 0.3}),
        (LDLDPA, {"percentile": 1.0, "variance": 10.0, "ridge": 10.0, "fit_intercept": True, "tol": 0.3}),
        (
            LDLLDM,
            {"global_manifold": 9.0, "local_manifold": 9.0, "n_clusters": 1, "ridge": 10.0, "fit_intercept": True},
        ),
        (LDL4C, {"margin": 9.0, "margin_width": 0.5, "ridge": 10.0, "fit_intercept": True, "tol": 0.3}),
        (LDLHR, {"margin": 9.0, "margin_width": 0.5, "rest": 9.0, "ridge": 1e4, "fit_intercept": True, "tol": 0.3}),
        (DeltaLDL, {"ridge": 10.0, "fit_intercept": True, "tol": 0.3}),
        (EDL, {"ridge": 99.0, "correlation": 99.0, "affinity": AFFINITY, "fit_intercept": True, "tol": 0.3}),
    ],
)
@pytest.mark.filterwarnings("ignore:LDLHR stopped after 1000 iterations:sklearn.exceptions.ConvergenceWarning")
def test_every_option_has_an_effect(table, learner, options):
    X, D = table
    plain = learner().fit(X, D).predict(X)
    for name, value in options.items():
        assert np.abs(learner(**{name: value}).fit(X, D).predict(X) - plain).max() > 1e-5, name
    sharp = LDLLRR(1e4, sharpness=5.0).fit(X, D).predict(X)
    assert np.abs(sharp - LDLLRR(1e4).fit(X, D).predict(X)).max() > 1e-3


@every_learner
def test_max_iter_limits_the_search_and_warns(table, learner):
    with pytest.warns(ConvergenceWarning, match=f"{type(learner).__name__} stopped.*max_iter"):
        assert clone(learner).set_params(max_iter=2, tol=1e-9).fit(*table).n_iter_ <= 3


@every_learner
def test_sparse_features_give_the_same_predictions(table, rng, learner):
    X, D = table
    X = X * (rng.random(X.shape) < 0.5)
    model = clone(learner).set_params(tol=1e-9, max_iter=10_000)
    expected = model.fit(X, D).predict(X)
    assert_allclose(model.fit(sparse.csr_array(X), D).predict(sparse.csr_array(X)), expected, atol=1e-5)


@every_learner
def test_intercept_and_features_of_zeros_are_not_penalised(rng, learner):
    X, D = make_artificial(60, random_state=0)
    model = clone(learner).set_params(fit_intercept=True, ridge=1e9).fit(np.column_stack([X, np.zeros(60)]), D)
    assert_allclose(model.coef_, 0, atol=1e-5)
    assert np.abs(model.intercept_).max() > 0.01


def test_edl_affinity_in_another_order_raises(table):
    X, D = table
    names = [f"label {k}" for k in range(D.shape[1])]
    y, affinity = pd.DataFrame(D, columns=names), pd.DataFrame(np.ones((len(names), len(names))), names, names)
    EDL(affinity=affinity).fit(X, y)
    with pytest.raises(ValueError, match="affinity must have the columns"):
        EDL(affinity=affinity).fit(X, y[names[::-1]])
