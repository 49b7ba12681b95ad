import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import entropy

from labeldist._solvers.maximum_entropy import CrossEntropy, softmax_and_log
from labeldist._solvers.softmax_terms import (
    SMOOTHING,
    AbsoluteTerm,
    DeltaTerm,
    DivergenceTerm,
    JeffreyTerm,
    LinearTerm,
    MarginTerm,
    QuadraticTerm,
    RankingTerm,
    SoftmaxObjective,
    VarianceTerm,
    smooth_absolute,
)

C, N = 5, 7
RNG = np.random.default_rng(0)
D = RNG.dirichlet(np.ones(C), size=N).T
OBSERVED = RNG.random((C, N)) < 0.6
SYMMETRIC = [a + a.T for a in RNG.normal(size=(2, C, C))]
GROUPS = RNG.integers(0, 2, size=N)
TOP = D.argmax(axis=0)


def pairs(d, p, s):
    return sum(
        (d[u] - d[v]) ** 2 * np.logaddexp(0, -s * (p[u] - p[v])) for u in range(C) for v in range(C) if d[u] > d[v]
    )


def hinges(p, top, width):
    return [max(0.0, 1 - (p[top] - p[j]) / width) for j in range(C) if j != top]


# Each term, and its value for row i, d = D_i and p = P_i.
TERMS = {
    "divergence": (DivergenceTerm(D), lambda _, d, p: -(d * np.log(p)).sum()),
    "missing degrees": (DivergenceTerm(OBSERVED * D), lambda i, d, p: -(OBSERVED[:, i] * d * np.log(p)).sum()),
    "Jeffrey": (JeffreyTerm(D), lambda _, d, p: entropy(d, p) + entropy(p, d)),
    "absolute": (AbsoluteTerm(D, np.arange(N)), lambda i, d, p: i * np.abs(p - d).sum()),
    "weighted labels": (AbsoluteTerm(D, OBSERVED), lambda i, d, p: (OBSERVED[:, i] * np.abs(p - d)).sum()),
    "top": (LinearTerm(2.0 * (np.arange(C)[:, None] != TOP)), lambda i, d, p: np.abs(p - np.eye(C)[TOP[i]]).sum()),
    "linear": (LinearTerm(SYMMETRIC[0] @ D), lambda _, d, p: d @ SYMMETRIC[0] @ p),
    "margin": (MarginTerm(TOP, 0.3), lambda i, d, p: sum(hinges(p, TOP[i], 0.3))),
    "runner-up": (MarginTerm(TOP, 0.3, runner_up=True), lambda i, d, p: max(hinges(p, TOP[i], 0.3))),
    "quadratic": (
        QuadraticTerm(SYMMETRIC, [np.flatnonzero(GROUPS == k) for k in (0, 1)]),
        lambda i, d, p: p @ SYMMETRIC[GROUPS[i]] @ p,
    ),
    "one matrix": (QuadraticTerm(SYMMETRIC[:1], [slice(None)]), lambda i, d, p: p @ SYMMETRIC[0] @ p),
    "ranking": (RankingTerm(D, 100.0), lambda _, d, p: pairs(d, p, 100.0)),
    "variance": (VarianceTerm(D), lambda _, d, p: (p.var() - d.var()) ** 2),
    "delta": (DeltaTerm(D, 0.7), lambda _, d, p: quad(lambda t: expit(entropy(d, p) - t), 0, 0.7)[0]),
}
every_term = pytest.mark.parametrize("name", TERMS)


def values(term, Z):
    return term.value_and_gradient(*softmax_and_log(Z, axis=0))[0]


@every_term
def test_gradient_equals_finite_differences(name):
    term, Z, step = TERMS[name][0], RNG.normal(size=(C, N)), 1e-6
    numeric = np.empty((C, N))
    for j in range(C):  # rows are independent, so that one label of all rows is changed at once
        change = step * (np.arange(C) == j)[:, None]
        numeric[j] = (values(term, Z + change) - values(term, Z - change)) / (2 * step)
    gradient = term.value_and_gradient(*softmax_and_log(Z, axis=0))[1]
    assert np.abs(gradient - numeric).max() < 1e-6
    assert np.abs(gradient).max() > 1e-3


@every_term
def test_value_equals_the_definition(name):
    term, definition = TERMS[name]
    Z = np.random.default_rng(1).normal(size=(C, N))
    P = softmax_and_log(Z, axis=0)[0]
    expected = [definition(i, D[:, i], P[:, i]) for i in range(N)]
    smoothed = isinstance(term, AbsoluteTerm | MarginTerm)
    assert_allclose(values(term, Z), expected, atol=1e-4 if smoothed else 1e-12)


def test_kinks_are_smooth_on_the_scale_of_the_constant():
    t, step = SMOOTHING * np.linspace(-2, 2, 9), 1e-8
    value, slope = smooth_absolute(t)
    assert_allclose(slope, (smooth_absolute(t + step)[0] - smooth_absolute(t - step)[0]) / (2 * step), atol=1e-6)
    assert_allclose(value - np.abs(t), np.sqrt(t**2 + SMOOTHING**2) - np.abs(t), atol=1e-15)
    assert value.min() == SMOOTHING


def test_runner_up_of_one_label_is_zero():
    term = MarginTerm(np.zeros(3, dtype=int), 0.1, runner_up=True)
    value, gradient = term.value_and_gradient(*softmax_and_log(np.zeros((1, 3)), axis=0))
    assert_allclose(value, 0, atol=1e-9)
    assert_allclose(gradient, 0, atol=1e-12)


def test_uniform_degrees_have_no_ranking():
    uniform = np.full((C, N), 1 / C)
    Z = RNG.normal(size=(C, N))
    assert_allclose(values(RankingTerm(uniform, 100.0), Z), 0)


def test_delta_without_limit_is_softplus_and_its_weight_is_symmetric():
    Z = RNG.normal(size=(C, N))
    P = softmax_and_log(Z, axis=0)[0]
    divergence = entropy(D, P, axis=0)
    assert_allclose(values(DeltaTerm(D, 1e3), Z), np.logaddexp(0, divergence))
    for limit in 2 * divergence[0] + np.array([-0.2, 0.0, 0.2]):
        gradient = DeltaTerm(D[:, :1], limit).value_and_gradient(P[:, :1], np.log(P[:, :1]))[1]
        mirrored = limit - divergence[0]
        assert_allclose(gradient, (expit(mirrored) - expit(mirrored - limit)) * (P - D)[:, :1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_objective_of_the_divergence_is_the_cross_entropy(form):
    X, weight, W = RNG.normal(size=(N, 3)), RNG.uniform(0, 2, size=N), RNG.normal(size=(3, C))
    for rows in (None, weight):
        expected = CrossEntropy(form(X), D.T, None if rows is None else rows[:, None]).value_and_gradient(W)
        found = SoftmaxObjective(form(X), [(1.0, DivergenceTerm(D))], rows).value_and_gradient(W)
        assert_allclose(found[0], expected[0])
        assert_allclose(found[1], expected[1], atol=1e-12)


def test_objective_weights_terms_and_rows():
    X, W = RNG.normal(size=(N, 3)), RNG.normal(size=(3, C))
    weight = RNG.integers(0, 3, size=N)
    value, gradient = SoftmaxObjective(
        X, [(2.0, DivergenceTerm(D)), (3.0, VarianceTerm(D))], weight.astype(float)
    ).value_and_gradient(W)
    repeated = np.repeat(D, weight, axis=1)
    parts = [
        SoftmaxObjective(np.repeat(X, weight, axis=0), [(1.0, kind(repeated))]).value_and_gradient(W)
        for kind in (DivergenceTerm, VarianceTerm)
    ]
    assert_allclose(value, 2 * parts[0][0] + 3 * parts[1][0])
    assert_allclose(gradient, 2 * parts[0][1] + 3 * parts[1][1], atol=1e-12)
