import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import entropy

from labeldist.metrics import kl_divergence
from labeldist.published import EDL
from labeldist.published.edl import JeffreyTerm
from tests.published.softmax_checks import D_T, check_minimum, check_term, squares

AFFINITY = np.array([[0, 1, -0.5], [1, 0, 0.3], [-0.5, 0.3, 0]])


def test_term():
    term = JeffreyTerm(D_T, np.log(D_T))
    check_term(term, lambda _, d, p: entropy(d, p) + entropy(p, d))


@pytest.mark.parametrize(("ridge", "correlation"), [(8.0, 20.0), (0, 0)])
def test_minimum(table, ridge, correlation):
    def objective(D, P, theta):
        pairs = (AFFINITY * (P[:, :, None] - P[:, None, :]) ** 2).sum()
        penalties = ridge * squares(theta) + correlation * pairs
        return ((D - P) * np.log(D / P)).sum() + penalties / len(D)

    check_minimum(EDL(ridge, correlation, affinity=AFFINITY), objective, *table)


def test_default_affinity_is_a_circle(table):
    cosine = 1.5 * np.eye(3) - 0.5
    assert_allclose(EDL(affinity=cosine).fit(*table).coef_, EDL().fit(*table).coef_, atol=1e-8)


def test_affinity_makes_degrees_similar(table):
    X, D = table
    affinity = np.zeros((3, 3))
    affinity[0, 1] = affinity[1, 0] = 1
    gaps = []
    for sign in (-1, 0, 1):
        P = EDL(affinity=sign * affinity, correlation=100.0).fit(X, D).predict(X)
        gaps.append(np.abs(P[:, 0] - P[:, 1]).mean())
    assert gaps[0] > gaps[1] > gaps[2]


@pytest.mark.parametrize("affinity", [np.eye(2), np.eye(3, k=1)], ids=["shape", "asymmetric"])
def test_affinity_must_be_a_symmetric_matrix_of_the_labels(table, affinity):
    with pytest.raises(ValueError, match="symmetric matrix"):
        EDL(affinity=affinity).fit(*table)


def test_affinity_in_another_order_raises(table):
    X, D = table
    names = ["joy", "fear", "anger"]
    affinity = pd.DataFrame(AFFINITY, names, names)
    y = pd.DataFrame(D, columns=names)
    EDL(affinity=affinity).fit(X, y)
    with pytest.raises(ValueError, match="affinity must have the labels"):
        EDL(affinity=affinity).fit(X, y[names[::-1]])


def test_degrees_of_zero_are_accepted(rng):
    X = rng.normal(size=(30, 3))
    D = np.eye(3)[X.argmax(axis=1)]
    assert kl_divergence(D, EDL().fit(X, D).predict(X)) < 0.5
