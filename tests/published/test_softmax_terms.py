import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers.softmax_loss import CrossEntropy
from labeldist.published._softmax_terms import (
    AbsoluteTerm,
    DivergenceTerm,
    LinearTerm,
    QuadraticTerm,
    SoftmaxObjective,
)
from tests.published.softmax_checks import D_T, check_term

C, N = D_T.shape
WEIGHTS = np.random.default_rng(0).random((C, N))
MATRICES = WEIGHTS @ WEIGHTS.T, np.diag(np.arange(5.0))
GROUPS = np.arange(N) % 2


def test_terms_equal_their_definitions():
    check_term(DivergenceTerm(D_T), lambda _, d, p: -(d * np.log(p)).sum())
    check_term(LinearTerm(WEIGHTS), lambda i, _, p: WEIGHTS[:, i] @ p)
    for weight in (WEIGHTS, WEIGHTS[0]):
        term = AbsoluteTerm(D_T, weight)
        table = np.broadcast_to(weight, (C, N))
        check_term(term, lambda i, d, p, w=table: w[:, i] @ np.abs(p - d), atol=1e-4)
    grouped = QuadraticTerm(MATRICES, [np.flatnonzero(GROUPS == k) for k in (0, 1)])
    check_term(grouped, lambda i, _, p: p @ MATRICES[GROUPS[i]] @ p)
    single = QuadraticTerm(MATRICES[:1], [slice(None)])
    check_term(single, lambda _, d, p: p @ MATRICES[0] @ p)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_objective_is_the_weighted_sum_of_terms(rng, form):
    X = rng.normal(size=(N, 3))
    W = rng.normal(size=(3, C))
    weight = rng.uniform(0, 2, size=N)
    terms = [(2.0, DivergenceTerm(D_T)), (3.0, DivergenceTerm(D_T))]
    found = SoftmaxObjective(form(X), terms, weight).value_and_gradient(W)
    expected = CrossEntropy(form(X), D_T.T, 5 * weight).value_and_gradient(W)
    assert_allclose(found[0], expected[0])
    assert_allclose(found[1], expected[1], atol=1e-12)
